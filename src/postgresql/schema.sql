-- Everything of Holdfast's that runs inside a PostgreSQL database.
--
-- It is sent as it stands, between BEGIN and COMMIT, by whoever first uses a
-- schema, or run by an administrator (docs/places.md).  Two marks are filled in
-- before: @schema@, the schema's name as a quoted identifier, and
-- @schema_literal@, the same name as a literal.
--
-- The tables are those of a SQLite place (src/store/sqlite_schema.c): a record
-- without a value is a tombstone.  The contract of `apply`, `find`, `changed`
-- and `purge` is src/store/store.h, that of `read_head` and `write_batch`
-- src/journal/journal.h, and the rules by which a group is judged are
-- src/store/rule.h.
--
-- PROMISES
--
-- * Nothing waits for another's row but what is told to (patience_ms).  So a
--   call for many groups has no part in any deadlock, and one locked row holds
--   up no other.
-- * Each statement of a function has a snapshot of its own, for its caller runs
--   READ COMMITTED.  Whatever is decided of a key is decided after its lock.
-- * No row is looked for by reading a whole table.  Plans are kept, and one
--   that was made for three rows would be run on a hundred thousand: so they
--   are made with enable_seqscan off.  Each statement must have an index to go
--   by, or its plan seems so dear that PostgreSQL compiles it at each call.
-- * A role needs USAGE on the schema, the four rights on `records` and `meta`,
--   and SELECT on `journal_head`; for a lock server also the four on all tables
--   whose names begin with journal_.  All functions run with its rights.
--
-- LOCKS
--
--   row        of a record that is there: it is not changed by another
--   key        an advisory lock for a record that is not there: it is not made
--              by another.  Its number is one of 512, by the key's hash: the
--              server's table of locks, which all of its clients share, has
--              room for a few thousand.
--   gate       an advisory lock.  Shared: a record may be made where there is
--              none, and a generation may begin.  Exclusive: the head is taken,
--              or the floor is raised.
--
-- Why the gate.  The snapshots of two transactions may both miss what the other
-- one writes.  A claim could read a head that names nobody, a leader take the
-- head and find no lock, and both commit.  And a claim could be made of a floor
-- that a purge raises meanwhile, so that a reader expects the version that the
-- claim is about to have.  Both are shut out if the claim has the gate before
-- it looks, and keeps it until its commit.

SELECT pg_catalog.pg_advisory_xact_lock(
    pg_catalog.hashtextextended('holdfast ' || @schema_literal@, 0));

-- HF003: another made it while we waited for that lock.  HF002: what is in the
-- schema is not ours, and is not touched.
DO $do$
BEGIN
    IF pg_catalog.to_regnamespace(@schema_literal@) IS NULL THEN
        CREATE SCHEMA @schema@;
    ELSIF pg_catalog.to_regclass(@schema_literal@ || '.journal_head')
        IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'HF003',
            MESSAGE = 'the schema was made meanwhile';
    ELSIF EXISTS (SELECT FROM pg_catalog.pg_depend
        WHERE refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass
        AND refobjid = pg_catalog.to_regnamespace(@schema_literal@)) THEN
        RAISE EXCEPTION USING ERRCODE = 'HF002',
            MESSAGE = 'what is in the schema is not Holdfast''s';
    END IF;
END
$do$;

SET LOCAL search_path = @schema@, pg_temp;
SET LOCAL check_function_bodies = on;

-- ---- Tables -----------------------------------------------------------------

-- A beat changes no column of an index, so that PostgreSQL writes the row's new
-- version beside the old one and no index entry (a HOT update); pages are left
-- three tenths empty for that.  `leftover` is there for the same reason: it is
-- the stamp of what a purge may take, and null in every live lock; an index
-- over `stamp` or `value` would be written by each beat.  There is no CHECK and
-- no generated column: each costs a write of one row as much as the row itself.
CREATE TABLE records (
    space text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    token bigint NOT NULL,
    stamp bigint NOT NULL,
    value text,
    leftover bigint,
    PRIMARY KEY (space, name)
) WITH (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_insert_scale_factor = 0,
    autovacuum_vacuum_insert_threshold = 10000
);

CREATE INDEX records_leftovers ON records (leftover)
    WHERE leftover IS NOT NULL;

-- key              number
-- schema           the version of this file
-- floor            the version to expect where no record is (store.h)
-- system           which cluster it was, of the last write: its identifier,
-- relation         the table's oid there: a copy has another,
-- timeline         and the timeline: a promoted standby has another
-- promoted_us      when a write found one of the three to be another; 0: never
-- copied_us        the same of the first two alone, which no promotion changes
-- longest_ttl_ms   the longest ttl that any claim has had, at least a minute
CREATE TABLE meta (
    key text COLLATE "C" NOT NULL PRIMARY KEY,
    number bigint NOT NULL
) WITH (fillfactor = 10);

-- A lock server's journal: the head as its JSON (src/wire/head.h), sessions and
-- grants as rows (src/wire/served.h).
CREATE TABLE journal_head (
    one smallint NOT NULL DEFAULT 1 PRIMARY KEY CHECK (one = 1),
    version bigint NOT NULL,
    term bigint NOT NULL,
    value json NOT NULL
) WITH (
    fillfactor = 10,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 1000
);

CREATE TABLE journal_sessions (
    id bigint NOT NULL PRIMARY KEY,
    secret text NOT NULL,
    ttl_ms bigint NOT NULL,
    if_dead text NOT NULL,
    who text NOT NULL,
    silent_from_ms bigint NOT NULL
) WITH (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 1000
);

CREATE TABLE journal_grants (
    fence bigint NOT NULL PRIMARY KEY,
    session bigint NOT NULL,
    lane bigint NOT NULL,
    n bigint NOT NULL,
    since bigint NOT NULL,
    locks json NOT NULL,
    note text NOT NULL
) WITH (
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 1000
);

-- ---- Inside -----------------------------------------------------------------

-- What the others call, with the search path that they set.

-- Which place is it?  `place` names the cluster, the table and the timeline:
-- if it is another than before, what was answered before may be lost.  Within
-- one place `flushed`, a position in the log that survives a crash, never goes
-- back, unless files of an older day were put in its place.
--
-- The timeline is told by pg_walfile_name, at once and to any role; what
-- pg_control_checkpoint says lags behind.  On a standby this raises 55000.
CREATE FUNCTION place(OUT system bigint, OUT timeline bigint, OUT place text,
    OUT flushed bigint)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    line text := left(pg_walfile_name(pg_current_wal_lsn()), 8);
BEGIN
    system := (pg_control_system()).system_identifier;
    timeline := ('x' || line)::bit(32)::bigint;
    place := system || ' ' || 'records'::regclass::oid || ' ' || line;
    flushed := pg_current_wal_flush_lsn() - '0/0'::pg_lsn;
END
$$;

-- Settings for the rest of the transaction, whatever another has left behind in
-- a pooler's session.  What waits at all waits for patience_ms.  A commit is at
-- least as durable as `on`; remote_apply is more.  A client that has ended
-- before its COMMIT arrived is noticed after 25 s, and lets go its locks.
--
-- Here and below: an assignment of an expression without a query costs a tenth
-- of a statement.
CREATE FUNCTION settle(patience_ms integer) RETURNS text
LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
    set text := set_config('lock_timeout', patience_ms::text, true);
BEGIN
    IF current_setting('synchronous_commit')
        IN ('off', 'local', 'remote_write') THEN
        set := set_config('synchronous_commit', 'on', true);
    END IF;
    set := set_config('statement_timeout', '0', true);
    set := set_config('tcp_keepalives_idle', '10', true);
    set := set_config('tcp_keepalives_interval', '5', true);
    set := set_config('tcp_keepalives_count', '3', true);
    RETURN set;
END
$$;

-- The clock in µs, of which a version may be made.  HF001, with the date that
-- it shows: it is before 2025, or beyond 2^52 µs.
CREATE FUNCTION clock() RETURNS bigint
LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
    shown timestamptz := clock_timestamp();
    now_us bigint := extract(epoch FROM shown) * 1000000;
BEGIN
    IF now_us NOT BETWEEN 1735689600000000 AND 1::bigint << 52 THEN
        RAISE EXCEPTION USING ERRCODE = 'HF001',
            MESSAGE = to_char(shown AT TIME ZONE 'UTC', 'YYYY-MM-DD');
    END IF;
    RETURN now_us;
END
$$;

-- This is the first write that finds another place: keep which it is, and when.
-- If another has the row, he does.
CREATE FUNCTION note_promotion(system bigint, timeline bigint, copied boolean,
    now_us bigint) RETURNS void
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
    PERFORM FROM meta WHERE key = 'promoted_us' FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
        UPDATE meta SET number = CASE key WHEN 'system' THEN system
            WHEN 'relation' THEN 'records'::regclass::oid::bigint
            WHEN 'timeline' THEN timeline ELSE now_us END
            WHERE key IN ('system', 'relation', 'timeline', 'promoted_us')
            OR copied AND key = 'copied_us';
    END IF;
END
$$;

-- Until when nothing is granted, in us.  `flags` as `apply` has them.
CREATE FUNCTION paused_until(flags integer, promoted_us bigint,
    copied_us bigint, longest_ms bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE
AS $$
    SELECT CASE WHEN flags & 1 = 0 THEN greatest(promoted_us, copied_us)
        ELSE copied_us END + longest_ms * 1000
$$;

-- For how many ms nothing is granted: for who only looks.
CREATE FUNCTION paused_ms(flags integer) RETURNS bigint
LANGUAGE plpgsql STABLE
SET search_path = @schema@, pg_temp
AS $$
DECLARE
    here record;
    now_us bigint := extract(epoch FROM clock_timestamp()) * 1000000;
BEGIN
    here := place();
    RETURN (SELECT greatest(0, paused_until(flags,
            CASE WHEN w.timeline = here.timeline THEN w.promoted_us
                ELSE now_us END,
            CASE WHEN w.system = here.system
                AND w.relation = 'records'::regclass::oid::bigint
                THEN w.copied_us ELSE now_us END,
            w.longest_ms) - now_us) / 1000
        FROM (SELECT max(m.number) FILTER (WHERE m.key = 'system') AS system,
            max(m.number) FILTER (WHERE m.key = 'relation') AS relation,
            max(m.number) FILTER (WHERE m.key = 'timeline') AS timeline,
            max(m.number) FILTER (WHERE m.key = 'promoted_us') AS promoted_us,
            max(m.number) FILTER (WHERE m.key = 'copied_us') AS copied_us,
            max(m.number) FILTER (WHERE m.key = 'longest_ttl_ms') AS longest_ms
            FROM meta AS m WHERE m.key > '') AS w);
END
$$;

-- The ttl in a value, as src/wire/record.h writes it, or null.  In a text a
-- quote has a backslash before it.
CREATE FUNCTION ttl_ms(value text) RETURNS bigint
LANGUAGE sql IMMUTABLE
AS $$ SELECT substring(value FROM '"ttl_ms":([0-9]{1,9})[,}]')::bigint $$;

-- Keep the longest ttl that a claim has had, before one that has a longer one.
-- False: another keeps his just now, and we do not wait.
CREATE FUNCTION note_ttl(ttl_ms bigint, longest_ms bigint, waits boolean)
RETURNS boolean
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
    IF ttl_ms IS NULL OR ttl_ms <= longest_ms THEN
        RETURN true;
    END IF;
    IF NOT waits THEN
        PERFORM FROM meta WHERE key = 'longest_ttl_ms' FOR UPDATE SKIP LOCKED;
        IF NOT FOUND THEN
            RETURN false;
        END IF;
    END IF;
    UPDATE meta SET number = greatest(number, ttl_ms)
        WHERE key = 'longest_ttl_ms';
    RETURN true;
END
$$;

-- The number of the gate's advisory lock, and from it that of a key.
CREATE FUNCTION gate() RETURNS bigint
LANGUAGE sql STABLE
AS $$ SELECT hashtextextended('', 'records'::regclass::oid::bigint) $$;

CREATE FUNCTION key_lock(gate bigint, space text, name text) RETURNS bigint
LANGUAGE sql IMMUTABLE
AS $$ SELECT gate # (1 + (hashtext(space || chr(1) || name) & 511)) $$;

-- Does a lock server lead?  What has no address, says nothing, so it says yes.
CREATE FUNCTION leads(head json) RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $$ SELECT coalesce(head ->> 'address', '?') <> '' $$;

-- What becomes of one operation, on its own: a verdict of `apply`.  It is about
-- what is kept by a lock, unless that is `busy`; `version` is the floor where
-- there is nothing.  `may_claim`: the gate is entered, and the ttl is noted.
CREATE FUNCTION judge(kind integer, expect bigint, busy boolean,
    present boolean, version bigint, may_claim boolean, served boolean,
    paused boolean) RETURNS integer
LANGUAGE sql IMMUTABLE
AS $$
    SELECT CASE
        WHEN kind = 0 AND NOT may_claim THEN 2
        WHEN kind = 0 AND served THEN 3
        WHEN kind = 0 AND paused THEN 4
        WHEN busy THEN 2
        WHEN kind = 1 AND present IS NOT TRUE
            OR expect >= 0 AND expect <> version
            OR expect = -1 AND present THEN 1
        WHEN version >= 1::bigint << 62 THEN 5
        ELSE 0
        END
$$;

-- Fewer rows were written than were judged: the call goes again.
CREATE FUNCTION undo() RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'serialization_failure',
        MESSAGE = 'a row was changed by a hand that takes no locks';
END
$$;

-- ---- Table locks ------------------------------------------------------------

-- Apply groups of operations, each group all or none, independent of the
-- others (hf_store_commit).  The arrays are parallel, one element an operation,
-- numbered from 1; a key stands there once.
--
--   kinds        0 put of a new generation   1 put that keeps its token
--                2 delete                    3 erase
--   expects      that version, from 0 on; -1: no record; -2: anything
--   vals         of a put
--   patience_ms  0: never wait; else wait for locks for so long, and then 55P03
--   flags        1: no answered commit was lost by a promotion (the operator's
--                promise, ?promotion=synchronous)
--   groups       ascending, the operations of a group together; null: each
--                operation is a group of its own
--
-- Result: a row op 0, in which `why` is the place and `version` is flushed; a
-- row for each operation of an applied group; and one row for each other group,
-- at the operation that decided.
--
--   verdict      version                         why
--   0 applied    the new one; of an erase 0
--   1 refused
--   2 busy: another has a lock on it; nothing was done
--   3 served: a lock server leads                the head
--   4 promoted   ms since then                   ms in which nothing is granted
--   5 corrupt: its version is beyond 2^62
--
-- An erase of what is there leaves a tombstone, as a delete does.  Without one
-- the floor would have to be raised, which every claim reads.
CREATE FUNCTION apply(spaces text[], names text[], kinds integer[],
    expects bigint[], vals text[], patience_ms integer, flags integer,
    groups integer[],
    OUT op integer, OUT verdict integer, OUT version bigint, OUT why text)
RETURNS SETOF record
LANGUAGE plpgsql VOLATILE
SET search_path = @schema@, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
    waits constant boolean := patience_ms > 0;
    claims constant boolean := 0 = ANY (kinds);
    gate constant bigint := gate();
    here record;            -- the place
    was record;             -- what meta and the head say
    entered boolean := false; -- the gate
    noted boolean := true;  -- the longest ttl of these claims
    asked_ms bigint;        -- which is this
    now_us bigint;
    copied boolean;
    paused_until bigint := 0; -- nothing is granted before, in us
    there boolean;          -- the only row has a value
    ignored text;
    -- By operation:
    tids tid[];             -- the row that is locked; null: there was none
    versions bigint[];      -- its version; where there is none the floor
    present boolean[];      -- it has a value
    busy boolean[];
    codes integer[];        -- its verdict, on its own
    verdicts integer[];     -- its group's
    told boolean[];         -- it has a row in the result
    nexts bigint[];         -- its new version
    wanted integer := 0;    -- how many rows are to be written
    count integer := 0;
BEGIN
    ignored := settle(CASE WHEN waits THEN patience_ms ELSE 1000 END);
    here := place();

    -- The gate, before anything is looked at.
    IF waits THEN
        PERFORM pg_advisory_xact_lock_shared(gate);
        PERFORM pg_advisory_xact_lock(k.number) FROM (
            SELECT DISTINCT key_lock(gate, o.space, o.name) AS number
            FROM unnest(spaces, names) AS o (space, name)
            ORDER BY 1) AS k;
        PERFORM FROM unnest(spaces, names) AS o (space, name)
            CROSS JOIN LATERAL (SELECT FROM records AS r
                WHERE r.space = o.space AND r.name = o.name FOR UPDATE) AS r;
        entered := true;
    ELSIF claims THEN
        entered := pg_try_advisory_xact_lock_shared(gate);
    END IF;

    -- What holds for all.
    SELECT max(m.number) FILTER (WHERE m.key = 'system') AS system,
        max(m.number) FILTER (WHERE m.key = 'relation') AS relation,
        max(m.number) FILTER (WHERE m.key = 'timeline') AS timeline,
        max(m.number) FILTER (WHERE m.key = 'promoted_us') AS promoted_us,
        max(m.number) FILTER (WHERE m.key = 'copied_us') AS copied_us,
        max(m.number) FILTER (WHERE m.key = 'longest_ttl_ms') AS longest_ms,
        (SELECT h.value::text FROM journal_head AS h
            WHERE h.one = 1 AND leads(h.value)) AS head
        INTO was FROM meta AS m WHERE m.key > '';
    IF (was.system, was.relation, was.timeline) IS DISTINCT FROM
        (here.system, 'records'::regclass::oid::bigint, here.timeline) THEN
        copied := (was.system, was.relation) IS DISTINCT FROM
            (here.system, 'records'::regclass::oid::bigint);
        was.promoted_us := clock();
        was.copied_us := CASE WHEN copied THEN was.promoted_us
            ELSE was.copied_us END;
        PERFORM note_promotion(here.system, here.timeline, copied,
            was.promoted_us);
    END IF;
    IF was.promoted_us > 0 THEN
        paused_until := paused_until(flags, was.promoted_us, was.copied_us,
            was.longest_ms);
    END IF;

    -- One operation on a row that is there: the steps below, without sets, which
    -- cost a sixth of the call.  If it does not apply, they tell why.
    IF cardinality(kinds) = 1 AND kinds[1] <> 3 THEN
        SELECT r.version, r.value IS NOT NULL INTO version, there
            FROM records AS r WHERE r.space = spaces[1] AND r.name = names[1]
            FOR UPDATE SKIP LOCKED;
        IF FOUND THEN
            now_us := clock();
            verdict := judge(kinds[1], expects[1], false, there, version,
                entered AND coalesce(ttl_ms(vals[1]), 0) <= was.longest_ms,
                was.head IS NOT NULL AND left(spaces[1], 1) <> '!',
                paused_until > now_us);
        END IF;
        IF verdict = 0 THEN
            UPDATE records AS r SET version = greatest(r.version + 1, now_us),
                stamp = now_us / 1000,
                token = CASE kinds[1] WHEN 0 THEN greatest(r.version + 1, now_us)
                    ELSE r.token END,
                value = CASE WHEN kinds[1] <= 1 THEN vals[1] END,
                leftover = CASE WHEN kinds[1] > 1 OR r.space = '!RECLAIM'
                    THEN now_us / 1000 END
                WHERE r.space = spaces[1] AND r.name = names[1]
                RETURNING r.version INTO version;
            IF NOT FOUND THEN
                PERFORM undo();
            END IF;
            op := 1;
            RETURN NEXT;
            op := 0;
            version := here.flushed;
            why := here.place;
            RETURN NEXT;
            RETURN;
        END IF;
    END IF;

    -- (a) The rows that are there are locked, and the keys of what is not.
    SELECT array_agg(f.tid), array_agg(f.version), array_agg(f.here),
        array_agg(f.tid IS NULL AND NOT pg_try_advisory_xact_lock(
            key_lock(gate, f.space, f.name))),
        max(ttl_ms(f.value)) FILTER (WHERE f.kind = 0)
        INTO tids, versions, present, busy, asked_ms
        FROM (SELECT o.space, o.name, o.kind, o.value, r.tid, r.version, r.here
            FROM unnest(spaces, names, kinds, vals) WITH ORDINALITY
                AS o (space, name, kind, value, i)
            LEFT JOIN LATERAL (SELECT r.ctid AS tid, r.version,
                r.value IS NOT NULL AS here FROM records AS r
                WHERE r.space = o.space AND r.name = o.name
                FOR UPDATE SKIP LOCKED) AS r ON true
            ORDER BY o.i) AS f;

    -- (b) What is left is busy, or not there: the look at it comes after the
    -- locks that keep it so, and shows the floor at the same instant.
    IF array_position(tids, NULL) > 0 THEN
        -- A claim is to have entered before the head was looked at.
        IF NOT claims THEN
            entered := pg_try_advisory_xact_lock_shared(gate);
        END IF;
        SELECT array_agg(f.busy), array_agg(f.version)
            INTO busy, versions
            FROM (SELECT coalesce(o.version, m.number) AS version,
                o.tid IS NULL AND (NOT entered OR o.busy
                    OR EXISTS (SELECT FROM records AS r
                    WHERE r.space = o.space AND r.name = o.name)) AS busy
                FROM unnest(spaces, names, tids, versions, busy)
                    WITH ORDINALITY AS o (space, name, tid, version, busy, i)
                CROSS JOIN meta AS m
                WHERE m.key = 'floor'
                ORDER BY o.i) AS f;
    END IF;

    -- (c) Judge.  The clock is read after the locks: one that was read before
    -- is older than versions that were written meanwhile.
    now_us := clock();
    noted := paused_until > now_us
        OR note_ttl(asked_ms, was.longest_ms, waits);
    SELECT array_agg(f.code), array_agg(f.next) INTO codes, nexts
        FROM (SELECT judge(o.kind, o.expect, o.busy, o.present, o.version,
                entered AND noted,
                was.head IS NOT NULL AND left(o.space, 1) <> '!',
                paused_until > now_us) AS code,
            greatest(least(o.version, 1::bigint << 62) + 1, now_us) AS next
            FROM unnest(spaces, kinds, expects, busy, present, versions)
                WITH ORDINALITY
                AS o (space, kind, expect, busy, present, version, i)
            ORDER BY o.i) AS f;
    verdicts := codes;

    -- A group is decided by its first operation that does not apply; but first
    -- it is asked whether it may be tried at all.
    IF groups IS NOT NULL THEN
        SELECT array_agg(CASE WHEN f.at IS NULL THEN 0
            ELSE codes[f.at % 1000000] END),
            array_agg(f.at IS NULL OR f.at % 1000000 = f.i)
            INTO verdicts, told
            FROM (SELECT o.i, min(CASE WHEN o.code IN (3, 4) THEN o.i
                WHEN o.code <> 0 THEN o.i + 1000000 END)
                OVER (PARTITION BY o.g) AS at
                FROM unnest(groups, codes) WITH ORDINALITY AS o (g, code, i)
                ORDER BY o.i) AS f;
    END IF;

    -- (d) Write.  An erase of nothing writes nothing.
    IF 0 = ANY (verdicts) THEN
        UPDATE records AS r SET version = o.next, stamp = now_us / 1000,
            token = CASE o.kind WHEN 0 THEN o.next ELSE r.token END,
            value = CASE WHEN o.kind <= 1 THEN o.value END,
            leftover = CASE WHEN o.kind > 1 OR r.space = '!RECLAIM'
                THEN now_us / 1000 END
            FROM unnest(tids, verdicts, kinds, vals, nexts)
                AS o (tid, verdict, kind, value, next)
            WHERE o.verdict = 0 AND r.ctid = o.tid;
        GET DIAGNOSTICS count = ROW_COUNT;
        wanted := cardinality(array_positions(verdicts, 0));
    END IF;
    IF count < wanted THEN
        INSERT INTO records
            SELECT o.space, o.name, o.next,
                CASE o.kind WHEN 0 THEN o.next ELSE 0 END, now_us / 1000,
                CASE WHEN o.kind = 0 THEN o.value END,
                CASE WHEN o.kind > 1 OR o.space = '!RECLAIM'
                THEN now_us / 1000 END
            FROM unnest(spaces, names, tids, verdicts, kinds, vals, nexts)
                AS o (space, name, tid, verdict, kind, value, next)
            WHERE o.verdict = 0 AND o.tid IS NULL AND o.kind <> 3
            ON CONFLICT DO NOTHING;
        GET DIAGNOSTICS wanted = ROW_COUNT;
        count := count + wanted;
        wanted := (SELECT count(*) FROM unnest(verdicts, kinds, tids)
            AS o (verdict, kind, tid)
            WHERE o.verdict = 0 AND (o.kind <> 3 OR o.tid IS NOT NULL));
    END IF;
    IF count <> wanted THEN
        PERFORM undo();
    END IF;

    op := 0;
    version := here.flushed;
    why := here.place;
    RETURN NEXT;
    RETURN QUERY SELECT o.i::integer, o.verdict,
        CASE WHEN o.verdict = 0 THEN CASE o.kind WHEN 3 THEN 0 ELSE o.next END
            WHEN o.verdict = 4 THEN (now_us - was.promoted_us) / 1000
            ELSE 0 END,
        CASE o.verdict WHEN 3 THEN was.head
            WHEN 4 THEN ((paused_until - now_us) / 1000 + 1)::text END
        FROM unnest(verdicts, kinds, nexts, told) WITH ORDINALITY
            AS o (verdict, kind, next, told, i)
        WHERE o.told IS NOT FALSE;
END
$$;

-- From when on, in ms of this server's clock, the place has surely not gone
-- back: the latest of the server's start, before which its files may have been
-- put back, and of what `promoted_us` tells.  A stamp that is older is no older
-- than that.  Null: the place is another than before, and no write has found it.
CREATE FUNCTION unchanged_since() RETURNS bigint
LANGUAGE plpgsql STABLE
SET search_path = @schema@, pg_temp
AS $$
DECLARE
    here record;
BEGIN
    here := place();
    RETURN (SELECT greatest(
            max(m.number) FILTER (WHERE m.key = 'promoted_us') / 1000,
            floor(extract(epoch FROM pg_postmaster_start_time()) * 1000))
        FROM meta AS m WHERE m.key > ''
        HAVING max(m.number) FILTER (WHERE m.key = 'system') = here.system
        AND max(m.number) FILTER (WHERE m.key = 'relation')
            = 'records'::regclass::oid::bigint
        AND max(m.number) FILTER (WHERE m.key = 'timeline') = here.timeline);
END
$$;

-- What is under these keys, all at one instant (hf_store_get).  A row op 0:
-- `version` is flushed and `value` the place.  A row for each key, in order:
-- `len` is null where there is no record, and `version` then the one to expect.
-- Of a value its first 16,384 characters.  If `ages`, `stood` is for how many
-- ms the record has had its version, by this server's clock; null: it cannot
-- be told.
CREATE FUNCTION find(spaces text[], names text[], ages boolean DEFAULT false,
    OUT op integer, OUT version bigint, OUT token bigint, OUT stamp bigint,
    OUT len integer, OUT value text, OUT stood bigint)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
SET search_path = @schema@, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
    since_ms constant bigint := CASE WHEN ages THEN unchanged_since() END;
BEGIN
    RETURN QUERY SELECT 0, p.flushed, NULL::bigint, NULL::bigint,
        NULL::integer, p.place, NULL::bigint FROM place() AS p;
    RETURN QUERY SELECT o.i::integer, coalesce(r.version, m.number),
        CASE WHEN r.value IS NULL THEN 0 ELSE r.token END,
        CASE WHEN r.value IS NULL THEN 0 ELSE r.stamp END,
        octet_length(r.value), left(r.value, 16384),
        CASE WHEN since_ms IS NOT NULL AND r.value IS NOT NULL THEN
            floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1
            - greatest(r.stamp, since_ms) END
        FROM unnest(spaces, names) WITH ORDINALITY AS o (space, name, i)
        CROSS JOIN meta AS m
        LEFT JOIN records AS r ON r.space = o.space AND r.name = o.name
        WHERE m.key = 'floor'
        ORDER BY o.i;
END
$$;

-- Which of these keys have another version than the one given?  One look for
-- all that a process waits for.  A row op 0 as that of `find`, its place in
-- `place`; and a row for each of them, with its present version.
CREATE FUNCTION changed(spaces text[], names text[], versions bigint[],
    OUT op integer, OUT version bigint, OUT place text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
SET search_path = @schema@, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT 0, p.flushed, p.place FROM place() AS p;
    RETURN QUERY SELECT o.i::integer, coalesce(r.version, m.number), NULL::text
        FROM unnest(spaces, names, versions) WITH ORDINALITY
            AS o (space, name, version, i)
        CROSS JOIN meta AS m
        LEFT JOIN records AS r ON r.space = o.space AND r.name = o.name
        WHERE m.key = 'floor' AND o.version <> coalesce(r.version, m.number);
END
$$;

-- Remove what is left over and older than age_ms, the oldest first, at most so
-- many, and raise the floor above it (hf_store_purge).  It waits a second for
-- claims that are under way, and then raises 55P03; what another has a lock on
-- stays for the next time.
CREATE FUNCTION purge(age_ms bigint, most bigint,
    OUT purged bigint, OUT place text, OUT flushed bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = @schema@, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
    highest bigint;
    before_ms bigint;
    ignored text;
BEGIN
    ignored := settle(1000);
    SELECT p.place, p.flushed INTO place, flushed FROM place() AS p;
    PERFORM pg_advisory_xact_lock(gate());
    before_ms := clock() / 1000 - age_ms;
    WITH old AS MATERIALIZED (SELECT r.ctid AS tid FROM records AS r
        WHERE r.leftover IS NOT NULL AND r.leftover <= before_ms
        AND r.version < 1::bigint << 62 -- the floor would be beyond it
        AND (r.value IS NULL OR r.space = '!RECLAIM')
        ORDER BY r.leftover LIMIT most FOR UPDATE SKIP LOCKED),
    gone AS (DELETE FROM records AS r USING old WHERE r.ctid = old.tid
        RETURNING r.version)
    SELECT count(*), max(g.version) INTO purged, highest FROM gone AS g;
    UPDATE meta SET number = greatest(number, highest + 1)
        WHERE key = 'floor' AND purged > 0;
END
$$;

-- ---- A lock server's journal ------------------------------------------------

-- The head, and to which place it belongs (hf_journal_read).  `store` is the
-- identity of the place: a head that names another was copied, or its place
-- promoted, so that what was granted may be lost; flags 1: not by a promotion.
-- `version` is the one to expect, also where there is no head.
CREATE FUNCTION read_head(flags integer,
    OUT here boolean, OUT version bigint, OUT term bigint, OUT value text,
    OUT store bigint, OUT place text, OUT flushed bigint, OUT paused_ms bigint)
LANGUAGE plpgsql STABLE
SET search_path = @schema@, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    paused_ms := paused_ms(flags);
    SELECT p.place, p.flushed INTO place, flushed FROM place() AS p;
    store := hashtextextended(CASE WHEN flags & 1 = 0 THEN place
        ELSE regexp_replace(place, ' [^ ]*$', '') END, 0)
        & 9223372036854775807 | 1;
    SELECT h.version IS NOT NULL, coalesce(h.version, m.number), h.term,
        h.value::text INTO here, version, term, value
        FROM meta AS m LEFT JOIN journal_head AS h ON true
        WHERE m.key = 'floor';
END
$$;

-- Write a batch (hf_journal_write): if the head has the version expected, put
-- the new head and make all changes; if not, nothing.  Deletes come before
-- puts.  An array that is null is empty; those of sessions, of grants and of
-- the audit are parallel.
--
--   verdict   0 applied, with the head's version; 1 refused
--
-- It waits for patience_ms for another's batch, and then raises 55P03.
--
-- Who takes the head waits until no claim of a table lock is under way, and
-- lets none begin: a claim before it has been committed, and is found by who
-- looks for table locks after this; a claim after it finds the head.
CREATE FUNCTION write_batch(expect bigint, new_term boolean, head text,
    patience_ms integer, dropped_sessions bigint[], dropped_grants bigint[],
    session_ids bigint[], secrets text[], ttls_ms bigint[], if_dead text[],
    who text[], silent_from_ms bigint[],
    fences bigint[], sessions bigint[], lanes bigint[], ns bigint[],
    sinces bigint[], locks text[], notes text[],
    audit_names text[], audit_values text[],
    OUT verdict integer, OUT version bigint, OUT place text, OUT flushed bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = @schema@, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
    was record;
    now_us bigint;
    ignored text;
BEGIN
    ignored := settle(greatest(patience_ms, 1));
    SELECT p.place, p.flushed INTO place, flushed FROM place() AS p;
    verdict := 1;
    version := 0;

    IF new_term THEN
        PERFORM pg_advisory_xact_lock(gate());
    END IF;
    SELECT h.version, leads(h.value) AS leads INTO was FROM journal_head AS h
        FOR UPDATE;
    IF NOT FOUND THEN
        -- Only a new term begins where there was no head, and with the gate.
        SELECT m.number AS version, false AS leads INTO was FROM meta AS m
            WHERE m.key = 'floor' AND new_term;
    END IF;
    IF was.version IS DISTINCT FROM expect THEN
        RETURN;
    END IF;
    IF NOT new_term AND NOT was.leads THEN
        PERFORM pg_advisory_xact_lock(gate());
    END IF;

    now_us := clock();
    verdict := 0;
    version := greatest(expect + 1, now_us);
    INSERT INTO journal_head AS h (version, term, value)
        VALUES (write_batch.version, write_batch.version, head::json)
        ON CONFLICT (one) DO UPDATE SET version = excluded.version,
        term = CASE WHEN new_term THEN excluded.term ELSE h.term END,
        value = excluded.value;

    IF cardinality(dropped_sessions) > 0 THEN
        DELETE FROM journal_sessions WHERE id = ANY (dropped_sessions);
    END IF;
    IF cardinality(dropped_grants) > 0 THEN
        DELETE FROM journal_grants WHERE fence = ANY (dropped_grants);
    END IF;
    IF cardinality(session_ids) > 0 THEN
        INSERT INTO journal_sessions SELECT * FROM unnest(session_ids, secrets,
            ttls_ms, if_dead, who, silent_from_ms)
            ON CONFLICT (id) DO UPDATE SET secret = excluded.secret,
            ttl_ms = excluded.ttl_ms, if_dead = excluded.if_dead,
            who = excluded.who, silent_from_ms = excluded.silent_from_ms;
    END IF;
    IF cardinality(fences) > 0 THEN
        INSERT INTO journal_grants SELECT g.fence, g.session, g.lane, g.n,
            g.since, g.locks::json, g.note FROM unnest(fences, sessions, lanes,
            ns, sinces, locks, notes)
            AS g (fence, session, lane, n, since, locks, note)
            ON CONFLICT (fence) DO UPDATE SET session = excluded.session,
            lane = excluded.lane, n = excluded.n, since = excluded.since,
            locks = excluded.locks, note = excluded.note;
    END IF;
    IF cardinality(audit_names) > 0 THEN
        INSERT INTO records AS r (space, name, version, token, stamp, value)
            SELECT '!audit', a.name, write_batch.version, write_batch.version,
            now_us / 1000, a.value
            FROM unnest(audit_names, audit_values) AS a (name, value)
            ON CONFLICT (space, name) DO UPDATE SET
            version = greatest(excluded.version,
                least(r.version, 1::bigint << 62) + 1),
            token = excluded.token, stamp = excluded.stamp,
            value = excluded.value;
    END IF;
END
$$;

-- ---- For people -------------------------------------------------------------

-- What is not ours must not hide all else: what cannot be shown is null.

-- A member of a JSON object.
CREATE FUNCTION member(value text, VARIADIC path text[]) RETURNS text
LANGUAGE plpgsql IMMUTABLE
AS $$
BEGIN
    RETURN value::pg_catalog.json OPERATOR(pg_catalog.#>>) path;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RETURN NULL;
END
$$;

-- Who holds what, of the table locks; Holdfast's own spaces are not shown.
CREATE VIEW locks (project, ref, heartbeat, token, owner, value) AS
    SELECT space, name, CASE WHEN stamp BETWEEN 0 AND 1::bigint << 47
            THEN to_timestamp(stamp / 1000.0) END, token,
        member(value, 'owner', 'user') || '@' || member(value, 'owner', 'host')
            || ': ' || member(value, 'owner', 'command'),
        value
    FROM records WHERE value IS NOT NULL AND left(space, 1) <> '!';

-- A row for each lock of each grant.  A grant without its session is void.
CREATE VIEW grants (space, name, mode, fence, session, lane, since, if_dead,
    ttl_ms, who, note) AS
    SELECT member(l.lock::text, 'space'), member(l.lock::text, 'name'),
        member(l.lock::text, 'mode'), g.fence,
        lpad(to_hex(s.id), 16, '0'), g.lane,
        CASE WHEN g.since BETWEEN 0 AND 1::bigint << 47
            THEN to_timestamp(g.since / 1000.0) END,
        s.if_dead, s.ttl_ms, s.who, g.note
    FROM journal_grants AS g
    JOIN journal_sessions AS s ON s.id = g.session
    CROSS JOIN LATERAL json_array_elements(CASE json_typeof(g.locks)
        WHEN 'array' THEN g.locks ELSE '[]' END) AS l (lock);

CREATE VIEW sessions (session, ttl_ms, if_dead, who) AS
    SELECT lpad(to_hex(id), 16, '0'), ttl_ms, if_dead, who
    FROM journal_sessions;

CREATE VIEW leader (node, address, term, version, next_fence) AS
    SELECT value ->> 'node', value ->> 'address', term, version,
        value ->> 'next_fence'
    FROM journal_head;

-- ---- The place begins -------------------------------------------------------

-- The floor is the clock, so that a schema that was dropped repeats no fence.
INSERT INTO meta
    SELECT m.key, m.number
    FROM (SELECT clock() AS now_us, p.* FROM place() AS p) AS p
    CROSS JOIN LATERAL (VALUES ('schema', 2), ('floor', p.now_us),
        ('system', p.system), ('relation', 'records'::regclass::oid::bigint),
        ('timeline', p.timeline), ('promoted_us', 0), ('copied_us', 0),
        ('longest_ttl_ms', 60000)) AS m (key, number);
