#include "net/limits.h"

const struct hf_http_limits hf_http_limits_default = {
    /* Descriptors and memory: an idle peer of HTTP/2 costs some 30 KiB.  A
     * client has one connection to a server, so this is many hosts. */
    .peers = 10 * 1000,

    /* Memory: one that waits costs about half a KiB.  A million in line is a
     * lockspace's own limit. */
    .exchanges = 1000 * 1000,

    /* The part of one peer, which has twice as many while lines wait for a
     * batch.  A client waits for hundreds of locks at once on a connection, and
     * opens another for more. */
    .streams = 1000,

    /* The longest space and name are 640 bytes, three times that when each is
     * escaped. */
    .target_len = 4 * 1024,

    /* A browser sends less than 2 KiB, a proxy adds some; HPACK packs a header
     * of 4 KiB into a byte (CVE-2016-6581), so what counts is unpacked. */
    .headers_len = 16 * 1024,
    .headers = 64,

    /* Requests of ours have an eighth of it (wire/api_body.h).  What is longer
     * is read on so far, and told by how much. */
    .body_len = 128 * 1024,

    /* HPACK packs a header of 4 KiB into a byte, in each of a thousand requests
     * that never end.  Honest ones are whole soon, though nghttp2's clients
     * send the heads of all that they begin at once before the bodies: 200,000
     * such fit. */
    .coming_len = 64 * 1024 * 1024,

    /* Slow heads and bodies hold memory and a connection (Slowloris).  A client
     * sends a request in one piece; only a network that loses packets makes it
     * seconds. */
    .head_time = {10 * 1000},
    .body_time = {30 * 1000},

    /* An idle peer keeps a descriptor.  Most firewalls forget a connection
     * later than this, and a client's keep-alives come sooner. */
    .idle_time = {120 * 1000},

    /* A peer that never reads holds what was written for it (CVE-2019-9517),
     * and one that opens no window holds what was not (CVE-2019-9511).  An
     * answer has some hundred bytes. */
    .unread_time = {30 * 1000},
    .unread_len = 1024 * 1024,

    /* Ten thousand of them.  A client opens its windows as it reads, and the
     * kernel takes what there is room for: what is kept is gone in a round
     * trip.  64 lists of the longest are so much. */
    .unread_all_len = 16 * 1024 * 1024,

    /* A stream that is opened and reset in one breath costs its request and is
     * never in the way of the limit of streams (CVE-2023-44487).  When another
     * leads, a client resets all that waits at once. */
    .resets = 2 * 1000,
    .resets_per_s = 200,

    /* Each PING and each SETTINGS is answered, and all else costs a look
     * (CVE-2019-9512, 9515, 9518).  Clients open the window up to twice for an
     * answer, and look every few seconds whether the server is there. */
    .extras = 1000,
    .extras_per_s = 100,
};
