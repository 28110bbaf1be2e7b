#include "tale/drafts/draft.h"

const struct specimen_term draft_terms[] = {
    {.means =
         "Several programs, the workers, share out data sets, and no two may "
         "work on one at once. They have a store in which each can read and "
         "write. So whoever begins leaves a note there, under a name that all "
         "know: the lock. Four ways to do that were tried for the database "
         "Riak, and told as a warning. Each is shown with its own steps, which "
         "every worker takes in turn, and with the shortest order of events in "
         "which it goes wrong."},
    {"Riak",
     "A store of several machines that answers also while some of them are "
     "down or out of reach. The price is that it compares nothing before it "
     "writes, and that two who ask at once may be told different things."},
    {"Quorum",
     "A value is kept by several machines, three as a rule. At quorum, a write "
     "is done when two of them have it, and a read when two have answered: so "
     "whoever reads asks at least one that was written to. With pr and pw only "
     "the machines that own the value count, its primaries, and not those that "
     "stand in for one that is down, its fallbacks. It is the most that one "
     "can ask of such a store."},
    {"Siblings",
     "What is kept when two write without knowing of each other, and the store "
     "is to lose neither (allow_mult=true): both values, until somebody who "
     "reads them writes one in their place. With allow_mult=false it keeps the "
     "one that is later by its own clock, and throws the other away."},
    {"What it takes",
     "Two workers and an unlucky order. In no draft a machine fails or a "
     "message is lost, and none needs the lock to be removed, which has its "
     "own perils: those come at the end."},
    {"What came of it",
     "Riak itself answered later: from version 2.0 on a bucket can be strongly "
     "consistent, and there a write names what it expects to find and is "
     "refused if that is gone. It has remained an experiment, not for use in "
     "production; it is the right question all the same. See draft1 with "
     "if_absent=yes, which is one such write, and holds."},
    {.means = NULL},
};
