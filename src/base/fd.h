#ifndef HF_BASE_FD_H
#define HF_BASE_FD_H

/*
 * Close what *fd owns and make it -1, which owns nothing and may be closed
 * again.  errno stays as it is: what made us close is worth more.
 */
void hf_fd_close(int *fd);

#endif
