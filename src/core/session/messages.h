#ifndef HF_CORE_SESSION_MESSAGES_H
#define HF_CORE_SESSION_MESSAGES_H

#include "core/session/parts.h"

/*
 * Messages: what a wish has sent, or is to send: an acquire, a change or a
 * release, by its state.  One is out at once, on a stream of its own, and is
 * overdue at some time; between two there may be a pause.
 */

/* Who waits for what comes on that stream; 0: nobody does any more. */
uint32_t hf_messages_of_stream(struct hf_session *s, uint64_t stream);

/* When it is looked at next, by its deadline and by what is out. */
void hf_messages_set_timer(struct hf_session *s, uint32_t number);

/* Its message is answered, or never will be: nothing is out any more. */
void hf_messages_take_stream(struct hf_session *s, uint32_t number);

/* Nothing is to be sent, and nothing that is out is waited for. */
void hf_messages_rest(struct hf_session *s, uint32_t number);

/* Send it, for the first time or once more: as soon as may be, or later. */
void hf_messages_again(struct hf_session *s, uint32_t number);
void hf_messages_again_after(struct hf_session *s, uint32_t number,
                             struct hf_duration pause);

/* What was asked of the last leader is asked of the next. */
void hf_messages_again_all(struct hf_session *s);

/* What is ready may be sent. */
void hf_messages_send(struct hf_session *s);

#endif
