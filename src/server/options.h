#ifndef HF_SERVER_OPTIONS_H
#define HF_SERVER_OPTIONS_H

#include "server/settings.h"

/*
 * Options: the command line of holdfastd, and the file that it names.
 *
 * A setting on the command line wins over the file's.
 */

struct hf_server_options {
    struct hf_settings settings;
    int ready_fd;  /* -1: none */
    bool has_file; /* --config was given */
    bool check;    /* only look whether it could run */
    bool retire;   /* free the place of a server that is gone */
    bool forgot;   /* what was granted last is not in the place */
    bool help;
    bool version;
};

/* Read them.  HF_E_INVALID, with a sentence in *error, of a file with its line;
 * HF_E_UNAVAILABLE: the file cannot be read. */
HF_MUST_USE enum hf_status
hf_server_options_read(int argc, char **argv, struct hf_server_options *options,
                       struct hf_error *error);

extern const char hf_server_options_help[];

#endif
