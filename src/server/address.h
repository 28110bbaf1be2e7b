#ifndef HF_SERVER_ADDRESS_H
#define HF_SERVER_ADDRESS_H

#include <stdint.h>

/* A number for the address that a socket's peer has: of IPv6 for its network of
 * 64 bits, in which one host has as many addresses as it wants.  Never 0, but
 * where the kernel does not know it any more. */
uint64_t hf_address_number(int fd);

#endif
