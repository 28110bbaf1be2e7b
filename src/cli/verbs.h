#ifndef HF_CLI_VERBS_H
#define HF_CLI_VERBS_H

/*
 * One function a verb: argv[0] is the verb.  Each returns the exit code, and
 * has said on stderr why, if it is not 0.
 */
int hf_run_verb(int argc, char **argv);
int hf_ls_verb(int argc, char **argv);

struct hf_which;
int hf_ls_sessions(const struct hf_which *which); /* ls --sessions */

int hf_show_verb(int argc, char **argv);
int hf_why_verb(int argc, char **argv);
int hf_watch_verb(int argc, char **argv);
int hf_clear_verb(int argc, char **argv);
int hf_audit_verb(int argc, char **argv);
int hf_doctor_verb(int argc, char **argv);

#endif
