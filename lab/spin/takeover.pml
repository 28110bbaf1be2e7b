/*
 * The takeover lock of DESIGN section 4, reduced to its store operations: a
 * second opinion on what holdfast-lab says of src/core.  Written from the
 * page, not from the code, and in another way:
 *
 * - there is no urgency: time may pass at any moment, a worker may be slow for
 *   any time between any two of its steps, and messages travel as long as
 *   they like;
 * - a worker beats, looks and gives its lock back whenever it likes, and gives
 *   a question up whenever it likes;
 * - so only what the protocol is built on is left: versions, ids, and two
 *   ways of counting.
 *
 * Bounded by the number of versions and of faults (a write whose answer is
 * lost, and a crash; the write may be applied then or at any later time).
 *
 * Two mutants: -DANY_VERSION, a takeover applies whatever version is there;
 * -DFROM_ANSWER, the right is counted from the answer.
 */
#define N 2
#define TTL 3
#define MARGIN 1
#ifndef VERSIONS
#define VERSIONS 6
#endif
#ifndef FAULTS
#define FAULTS 1
#endif

mtype = { none, read, claim, beat, give_back };      /* questions */
mtype = { watching, claiming, owning, leaving };     /* workers */

/* The store: a record, or a tombstone; its version; the id in it. */
bool present;
byte version = 1;
byte id;

/* A worker. */
mtype is[N] = watching;
bool inside[N];        /* told that it holds, not told since that it does not */
byte right[N];         /* ticks for which it believes so */
byte mine[N];          /* the id of its claim: each version has its own */
byte at[N];            /* the version that it expects */
byte seen[N];          /* watching: the version last shown; 0: none */
byte since[N];         /* ticks since that was first shown */
byte highest;          /* fence granted so far */
byte fence[N];         /* of the claim; 0: not known yet */

/* Its one question. */
mtype asks[N] = none;
byte asked[N];         /* ticks since it was sent */
bool dead[N];          /* a read: sent when what is seen had stood for ttl */
bool must_read[N];     /* the last write was refused */
bool served[N];
bool applied[N];
bool showed[N];        /* a read: a record is there, */
byte shown[N];         /* its version, */
byte shown_id[N];      /* its id, */
byte shown_fence[N];   /* and its token */
byte token;            /* of the record */

/* One write of each that was given up and may yet be applied. */
mtype late[N] = none;
byte late_at[N];
byte late_id[N];

byte faults;

#define ID(p) (at[p] * N + p)
#define believes(p) (inside[p] && right[p] > 0)
#define fits(p, kind, expected) \
    (version == (expected) ANY(kind))
#ifdef ANY_VERSION
#define ANY(kind) || ((kind) == claim)
#else
#define ANY(kind)
#endif
#define worth(p) (asked[p] < TTL - MARGIN -> TTL - MARGIN - asked[p] : 0)

/* Execute a write; whoever believes may not be overwritten by another. */
inline put(kind, who)
{
    if
    :: kind == claim ->
        assert(!present || !(believes(0) && mine[0] == id) || who == mine[0]);
        assert(!present || !(believes(1) && mine[1] == id) || who == mine[1]);
        version++;
        present = true;
        id = who;
        token = version
    :: kind == beat -> version++
    :: kind == give_back ->
        version++;
        present = false;
        id = 0;
        token = 0
    fi
}

inline forget(p)
{
    asks[p] = none;
    asked[p] = 0;
    dead[p] = false;
    served[p] = false;
    applied[p] = false;
    showed[p] = false;
    shown[p] = 0;
    shown_id[p] = 0;
    shown_fence[p] = 0
}

inline start_over(p)
{
    is[p] = watching;
    inside[p] = false;
    right[p] = 0;
    mine[p] = 0;
    at[p] = 0;
    seen[p] = 0;
    since[p] = 0;
    fence[p] = 0;
    must_read[p] = false
}

inline start_claim(p)
{
    is[p] = claiming;
    at[p] = shown[p];
    mine[p] = ID(p);
    seen[p] = 0;
    since[p] = 0
}

/* The question may yet be executed after nobody waits for it any more. */
inline leave_behind(p)
{
    if
    :: asks[p] != read && asks[p] != none && !served[p] ->
        late[p] = asks[p];
        late_at[p] = at[p];
        late_id[p] = mine[p]
    :: true /* it was lost for good */
    fi
}

/* Its answer counts from the sending; what was sent too long ago grants
 * nothing, and is beaten first. */
inline believe(p)
{
#ifdef FROM_ANSWER
    right[p] = TTL - MARGIN;
#else
    if
    :: worth(p) > right[p] -> right[p] = worth(p)
    :: else
    fi;
#endif
    if
    :: right[p] > 0 && !inside[p] ->
        assert(fence[p] > highest);
        highest = fence[p];
        inside[p] = true
    :: else
    fi;
    assert(!(believes(0) && believes(1)))
}

inline take_read(p)
{
    if
    :: is[p] == watching && !showed[p] -> start_claim(p)
    :: is[p] == watching && showed[p] && shown[p] == seen[p] && dead[p] ->
        start_claim(p)
    :: is[p] == watching && showed[p] && shown[p] != seen[p] ->
        seen[p] = shown[p];
        since[p] = 0
    :: is[p] == watching && showed[p] && shown[p] == seen[p] && !dead[p]
    :: is[p] != watching && showed[p] && shown_id[p] == mine[p] ->
        at[p] = shown[p];
        fence[p] = shown_fence[p];
        must_read[p] = false;
        if
        :: is[p] == claiming -> is[p] = owning
        :: else
        fi
    :: is[p] != watching && !(showed[p] && shown_id[p] == mine[p]) ->
        start_over(p)
    fi
}

inline take_write(p)
{
    if
    :: !applied[p] -> must_read[p] = true
    :: applied[p] && asks[p] == claim ->
        is[p] = owning;
        at[p] = shown[p];
        fence[p] = shown[p];
        believe(p)
    :: applied[p] && asks[p] == beat ->
        at[p] = shown[p];
        if
        :: is[p] == owning && (right[p] > 0 || !inside[p]) -> believe(p)
        :: else
        fi
    :: applied[p] && asks[p] == give_back -> start_over(p)
    fi
}

proctype worker(byte p)
{
    do
    /* Ask. */
    :: atomic { asks[p] == none && (is[p] == watching || must_read[p]) ->
        asks[p] = read;
        dead[p] = is[p] == watching && seen[p] != 0 && since[p] == TTL }
    :: atomic { asks[p] == none && !must_read[p] && is[p] == claiming ->
        asks[p] = claim }
    :: atomic { asks[p] == none && !must_read[p] && is[p] == owning ->
        asks[p] = beat }
    :: atomic { asks[p] == none && !must_read[p] && is[p] == leaving ->
        asks[p] = give_back }

    /* The store executes it. */
    :: atomic { asks[p] == read && !served[p] ->
        served[p] = true;
        showed[p] = present;
        shown[p] = version;
        shown_id[p] = id;
        shown_fence[p] = token }
    :: atomic { asks[p] != read && asks[p] != none && !served[p] &&
                version < VERSIONS ->
        served[p] = true;
        if
        :: fits(p, asks[p], at[p]) ->
            put(asks[p], mine[p]);
            applied[p] = true;
            shown[p] = version
        :: else
        fi }

    /* The answer arrives; or the question is given up: to ask again. */
    :: atomic { served[p] ->
        if
        :: asks[p] == read -> take_read(p)
        :: else -> take_write(p)
        fi;
        forget(p) }
    :: atomic { asks[p] != none && asks[p] != read && faults < FAULTS &&
                (late[p] == none || late_at[p] < version) ->
        faults++;
        leave_behind(p);
        forget(p) }

    /* It gives the lock back; its right is over; it dies. */
    :: atomic { is[p] == owning && inside[p] && asks[p] == none ->
        inside[p] = false;
        right[p] = 0;
        is[p] = leaving }
    :: atomic { is[p] == owning && inside[p] && right[p] == 0 &&
                asks[p] == none ->
        inside[p] = false;
        is[p] = leaving }
    :: atomic { is[p] != watching && faults < FAULTS &&
                (late[p] == none || late_at[p] < version) ->
        faults++;
        leave_behind(p);
        forget(p);
        start_over(p) }

    /* What was given up is executed after all. */
    :: atomic { late[p] != none && version < VERSIONS ->
        if
        :: fits(p, late[p], late_at[p]) -> put(late[p], late_id[p])
        :: else
        fi;
        late[p] = none;
        late_at[p] = 0;
        late_id[p] = 0 }
    od
}

/* One tick of every clock; further than ttl there is nothing to count. */
proctype clock()
{
    byte p;

    do
    :: atomic {
        p = 0;
        do
        :: p < N ->
            if
            :: right[p] > 0 -> right[p]--
            :: else
            fi;
            if
            :: seen[p] != 0 && since[p] < TTL -> since[p]++
            :: else
            fi;
            if
            :: asks[p] != none && asked[p] < TTL -> asked[p]++
            :: else
            fi;
            p++
        :: else -> break
        od;
        p = 0 }
    od
}

init
{
    atomic {
        run worker(0);
        run worker(1);
        run clock()
    }
}
