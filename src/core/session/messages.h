#ifndef HF_CORE_SESSION_MESSAGES_H
#define HF_CORE_SESSION_MESSAGES_H

#include "core/session/parts.h"

/* Messages: what a request has sent or will send: an acquire, a change or a
 * release, by its state.  At most one is out, on a stream of its own, and is
 * overdue after a time; a pause may follow. */

/* The request that waits on that stream; 0: none. */
uint32_t hf_messages_of_stream(struct hf_session *s, uint64_t stream);

/* Set its timer, from its deadline and from the message that is out. */
void hf_messages_set_timer(struct hf_session *s, uint32_t number);

/* Its message was answered, or never will be. */
void hf_messages_take_stream(struct hf_session *s, uint32_t number);

/* Send nothing, and forget the message that is out. */
void hf_messages_rest(struct hf_session *s, uint32_t number);

/* Send its message (again): as soon as allowed, or after a pause. */
void hf_messages_again(struct hf_session *s, uint32_t number);
void hf_messages_again_after(struct hf_session *s, uint32_t number,
                             struct hf_duration pause);

/* Ask the new leader for all that the last one was asked for. */
void hf_messages_again_all(struct hf_session *s);

/* Send what is ready. */
void hf_messages_send(struct hf_session *s);

#endif
