#ifndef HF_CLIENT_SETTINGS_H
#define HF_CLIENT_SETTINGS_H

#include <holdfast/holdfast.h>

#include "base/alloc.h"
#include "base/process.h"
#include "base/self.h"
#include "core/contender.h"
#include "wire/record.h"

/*
 * Settings: what a caller wishes of one lock, from the texts of its options
 * (holdfast.h, hf_lock_set) to values.
 *
 * A text is checked when it is set, the terms as a whole before the start.
 * Owns its strings and its list; a zeroed one with `name` set asks for the
 * defaults.  One thread at a time.
 */
struct hf_settings_name {
    char *name;
    enum hf_mode mode;
};

struct hf_settings {
    char *space;                     /* NULL: "default" */
    char *name;                      /* NULL: none yet */
    char *reason;                    /* NULL: none */
    char *command;                   /* NULL: this process's own */
    char *lane;                      /* NULL: a lane of its own */
    struct hf_settings_name *others; /* beside `name` */
    size_t others_count;
    struct hf_process *processes; /* NULL: this process alone */
    size_t processes_count;
    struct hf_duration ttl;   /* 0: the default, as the two below */
    struct hf_duration beat;  /* 0 is no beat that could be set */
    struct hf_duration grace; /* counts if grace_set */
    struct hf_duration wait;  /* counts if wait_set */
    enum hf_mode mode;
    enum hf_if_dead if_dead;
    bool grace_set;
    bool wait_set;
    bool try_only;
    bool fail_suspected;
};

/* Take the name, which is checked.  HF_E_INVALID, HF_E_NOMEM. */
HF_MUST_USE enum hf_status hf_settings_name(struct hf_settings *settings,
                                            const struct hf_alloc *alloc,
                                            const char *name,
                                            struct hf_error *error);

/* Another name beside it.  HF_E_INVALID: it is none, or there already, or one
 * more than HF_SERVED_NAMES_MAX; HF_E_NOMEM. */
HF_MUST_USE enum hf_status hf_settings_add(struct hf_settings *settings,
                                           const struct hf_alloc *alloc,
                                           const char *name, enum hf_mode mode,
                                           struct hf_error *error);

/* Set one option.  HF_E_INVALID, HF_E_NOMEM; *settings is then untouched. */
HF_MUST_USE enum hf_status hf_settings_set(struct hf_settings *settings,
                                           const struct hf_alloc *alloc,
                                           const char *option, const char *text,
                                           struct hf_error *error);

/* Give back what it owns; it is then zeroed. */
void hf_settings_fini(struct hf_settings *settings,
                      const struct hf_alloc *alloc);

/* The space it is in. */
const char *hf_settings_space(const struct hf_settings *settings);

/* What a contender is to go by, with the defaults filled in; the seed is the
 * caller's to draw. */
struct hf_contender_config
hf_settings_config(const struct hf_settings *settings);

/* HF_E_INVALID: terms that cannot be kept. */
HF_MUST_USE enum hf_status
hf_settings_check_terms(const struct hf_settings *settings,
                        struct hf_error *error);

/* ---- Who claims ---------------------------------------------------------- */

/*
 * Find the start times of the processes that were named.  HF_E_INVALID: one
 * does not exist.  If this host does not show processes, the times stay 0, and
 * no process is listed as evidence of the holder's life.
 */
HF_MUST_USE enum hf_status
hf_settings_find_processes(struct hf_settings *settings,
                           struct hf_error *error);

/* Who claims a lock with these settings, at `since_ms` of the wall clock: this
 * process, and what the settings add.  Strings are cut at their limits.  Cannot
 * fail. */
void hf_settings_owner(const struct hf_settings *settings,
                       const struct hf_self *self, int64_t since_ms,
                       struct hf_owner *owner);

/* ---- For those who have options of their own ----------------------------- */

/* HF_E_INVALID unless `space` is one that users may use. */
HF_MUST_USE enum hf_status hf_settings_check_space(const char *space,
                                                   struct hf_error *error);
HF_MUST_USE enum hf_status hf_settings_check_name(const char *name,
                                                  struct hf_error *error);

#endif
