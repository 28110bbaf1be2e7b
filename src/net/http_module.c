#include "net/http_module.h"

#include <holdfast/version.h>

HF_PUBLIC extern const struct hf_http_module hf_http_module;

const struct hf_http_module hf_http_module = {
    .version = HF_VERSION,
    .open = hf_http_client_open,
    .close = hf_http_client_close,
    .ask = hf_http_client_ask,
    .say = hf_http_client_say,
    .streams = hf_http_client_streams,
    .room = hf_http_client_room,
    .cancel = hf_http_client_cancel,
    .feed = hf_http_client_feed,
    .out = hf_http_client_out,
    .wrote = hf_http_client_wrote,
    .gone = hf_http_client_gone,
    .next = hf_http_client_next,
    .is_closing = hf_http_client_is_closing,
    .limits = &hf_http_limits_default,
};
