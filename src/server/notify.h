#ifndef HF_SERVER_NOTIFY_H
#define HF_SERVER_NOTIFY_H

/*
 * Tell the service manager that started us how we are, as sd_notify(3) says:
 * "READY=1", "STOPPING=1".  Where nobody wants to know, nothing is done.
 */
void hf_notify(const char *state);

#endif
