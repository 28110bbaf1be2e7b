#ifndef LAB_SERVER_GRANTS_PACK_H
#define LAB_SERVER_GRANTS_PACK_H

#include "explore/explore.h"
#include "lab/server/grants.h"

/*
 * A world of grants as few bytes, the same for worlds that behave the same.
 *
 * They are the machine's, and the oracle is made from them as well, for after
 * each step it was seen to say the same.  Numbers that only grow become ranks;
 * why a request is over is left out, for it was asked for in the step that
 * ended it; lanes that are alike are one.
 *
 * So may be names.  Then a world of two names has half as many states, and one
 * of three a sixth.  But a request has them in the order a, b, c, and what is
 * held is called by the same letter each time: a machine that looks at one name
 * alone may go unseen.  So only a world that would not end otherwise has its
 * names alike.
 */
void grants_parts(const struct grants_config *config,
                  uint16_t parts[EXPLORE_PARTS_MAX]);
void grants_pack(const struct grants_world *world, uint8_t *bytes);
void grants_unpack(const struct grants_config *config, const uint8_t *bytes,
                   struct grants_world *world);

#endif
