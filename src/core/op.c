#include "core/op.h"

const char *
hf_verdict_word(enum hf_verdict verdict)
{
    switch (verdict) {
    case HF_APPLIED:
        return "applied";
    case HF_REFUSED:
        return "refused";
    case HF_UNKNOWN:
        return "unknown";
    case HF_UNAVAILABLE:
        return "unavailable";
    }
    return "?";
}

const char *
hf_op_kind_word(enum hf_op_kind kind)
{
    switch (kind) {
    case HF_PUT:
        return "put";
    case HF_DELETE:
        return "delete";
    case HF_ERASE:
        return "erase";
    }
    return "?";
}

const char *
hf_target_word(enum hf_target target)
{
    switch (target) {
    case HF_TARGET_LOCK:
        return "lock";
    case HF_TARGET_MARKER:
        return "marker";
    case HF_TARGET_AUDIT:
        return "audit";
    }
    return "?";
}
