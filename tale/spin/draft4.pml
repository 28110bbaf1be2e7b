/*
 * The fourth draft of the tale, on an atomic key whose writes take time: what
 * holdfast-tale searches as draft4, for SPIN to search beside it (make bench).
 *
 * It is the same system, step for step: what a worker does at once there is one
 * step here, and what is in a state there is in the state here, also what no
 * step looks at any more.  Without faults both have the same number of states;
 * test/lab/test_spin.sh makes sure of it.  With faults SPIN has some more: the
 * number of faults is a part of its state, where holdfast-tale enters a state at
 * the smallest number that reaches it, and not again.  SPIN has four processes
 * besides, each always at the same place.
 *
 * Nothing is asserted: the whole space is searched, whatever is found there.
 */
#ifndef N
#define N 4
#endif
#ifndef FAULTS
#define FAULTS 1
#endif

/* Lines of the text, by their numbers in the document less one. */
#define READ    0
#define WRITE   2
#define REREAD  3
#define PROCESS 5
#define REMOVE  6
#define END     7

/* Where a worker stands. */
#define OUTSIDE  0
#define INSIDE   1
#define DONE     2
#define MOVED_ON 3
#define CRASHED  4

byte line[N];
byte where[N];
byte seen[N];    /* IDs that the last read showed: 1 << who */
byte clock;      /* timestamps taken so far */
byte removed;    /* whose lock was removed: 1 << who */
byte faults;

/* The key: siblings in the order of arrival. */
byte count;
byte id[N];      /* worker's number plus 1 */
byte stamp[N];

/* What is on its way: a write or remove of each worker. */
bool waits[N];
byte issued[N];  /* the timestamp of a write */

#define me _pid

inline move_on() {
    line[me] = END;
    where[me] = MOVED_ON
}

/* Read: which IDs are there, my own timestamp, and is another's before it? */
inline look() {
    seen[me] = 0;
    mine = 0;
    before = false;
    for (i : 0 .. N - 1) {
        if
        :: i < count ->
            seen[me] = seen[me] | (1 << (id[i] - 1));
            if
            :: id[i] == me + 1 -> mine = stamp[i]
            :: else
            fi
        :: else
        fi
    }
    for (i : 0 .. N - 1) {
        if
        :: i < count && stamp[i] < mine -> before = true
        :: else
        fi
    }
    i = 0
}

inline apply() {
    if
    :: line[me] == WRITE ->
        id[count] = me + 1;
        stamp[count] = issued[me];
        count++
    :: else ->
        for (i : 0 .. N - 1) {
            id[i] = 0;
            stamp[i] = 0
        }
        i = 0;
        count = 0
    fi
}

inline forget_sight() {
    mine = 0;
    before = false
}

active [N] proctype worker() {
    byte i;
    byte mine;
    bool before;

end:
    do
    :: d_step { !waits[me] && where[me] != CRASHED && line[me] == READ ->
        look();
        if
        :: count > 0 -> move_on()
        :: else -> line[me] = WRITE
        fi;
        forget_sight() }
    :: d_step { !waits[me] && where[me] != CRASHED && line[me] == WRITE ->
        clock++;
        issued[me] = clock;
        waits[me] = true }
    :: d_step { !waits[me] && where[me] != CRASHED && line[me] == REREAD ->
        look();
        if
        :: count == 0 || mine == 0 || (count > 1 && before) -> move_on()
        :: else -> line[me] = PROCESS
        fi;
        forget_sight() }
    :: d_step { !waits[me] && where[me] != CRASHED && line[me] == PROCESS ->
        where[me] = INSIDE;
        line[me] = REMOVE }
    :: d_step { !waits[me] && where[me] != CRASHED && line[me] == REMOVE ->
        where[me] = DONE;
        waits[me] = true }

    /* It arrives; that of a worker that crashed answers nobody. */
    :: d_step { waits[me] ->
        apply();
        if
        :: where[me] == CRASHED
        :: where[me] != CRASHED && line[me] == WRITE -> line[me] = REREAD
        :: else ->
            line[me] = END;
            removed = removed | (1 << me)
        fi;
        issued[me] = 0;
        waits[me] = false }

    /* It arrives or not, and answers an error. */
    :: d_step { waits[me] && where[me] != CRASHED && faults < FAULTS ->
        faults++;
        apply();
        if
        :: line[me] == WRITE -> move_on()
        :: else -> line[me] = END
        fi;
        issued[me] = 0;
        waits[me] = false }
    :: d_step { waits[me] && where[me] != CRASHED && faults < FAULTS ->
        faults++;
        if
        :: line[me] == WRITE -> move_on()
        :: else -> line[me] = END
        fi;
        issued[me] = 0;
        waits[me] = false }

    :: d_step { line[me] != END && where[me] != CRASHED && faults < FAULTS ->
        faults++;
        where[me] = CRASHED }
    od
}
