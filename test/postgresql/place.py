"""A place in PostgreSQL as tests drive it: the functions of schema.sql, called
in psql, and held open wherever a test wants."""

import pathlib

from cluster import ROOT, await_that

SCHEMA = pathlib.Path(ROOT, "src/postgresql/schema.sql")

# Kinds of operations, what they expect, and verdicts, as `apply` has them.
CLAIM, BEAT, DELETE, ERASE = range(4)
ABSENT, ANYTHING = -1, -2
APPLIED, REFUSED, BUSY, SERVED, PROMOTED, CORRUPT = range(6)
BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE"

# A value that claims with that ttl, and a head, as far as the database reads
# them.
VALUE = '{"lock":"1_0","ttl_ms":%d,"owner":{"user":"u","host":"h"}}'
HEAD = '{"node":"n1","address":"db1:7420"}'
LEFT = '{"node":null,"address":""}'


def schema_sql(name="holdfast"):
    return SCHEMA.read_text().replace("@schema@", f'"{name}"').replace(
        "@schema_literal@", f"'{name}'")


def make(server, name="holdfast", user="holdfast", **more):
    server.sql(f"{BEGIN};\n{schema_sql(name)}\nCOMMIT;", user=user, **more)


def literal(value):
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(value)
    return "'" + value.replace("'", "''") + "'"


def array(values, kind):
    return f"ARRAY[{','.join(map(literal, values))}]::{kind}[]"


class Op:
    """One operation: of a user's lock, unless it says so."""

    def __init__(self, kind, name, expect, value="{}", space="default"):
        self.kind, self.name, self.expect = kind, name, expect
        self.value = value if kind in (CLAIM, BEAT) else None
        self.space = space


class Answer:
    """What a call of apply says: by the numbers of operations."""

    def __init__(self, text):
        self.text = text
        self.rows = {}
        for line in text.split("\n"):
            op, verdict, version, why = line.split("|", 3)
            if op == "0":
                self.flushed, self.place = int(version), why
            else:
                self.rows[int(op)] = (int(verdict), int(version), why)

    def verdicts(self):
        return {op: row[0] for op, row in self.rows.items()}

    def version(self, op=1):
        return self.rows[op][1]


def apply_sql(ops, patience_ms=0, flags=0, groups=None, schema="holdfast"):
    arrays = [array([op.space for op in ops], "text"),
              array([op.name for op in ops], "text"),
              array([op.kind for op in ops], "int"),
              array([op.expect for op in ops], "bigint"),
              array([op.value for op in ops], "text"),
              str(patience_ms), str(flags),
              "NULL" if groups is None else array(groups, "int")]
    return f"SELECT * FROM {schema}.apply({','.join(arrays)})"


def absent(endpoint, name, space="default", **more):
    """The version to expect where nothing is; or of what is there."""
    return int(endpoint.sql(
        f"SELECT version FROM holdfast.find('{{{space}}}', '{{{name}}}')"
        " WHERE op = 1", **more))


# Does each call carry an operation more, that erases nothing?  A call of one
# operation has a way of its own.
bystander = False


def apply(endpoint, *ops, user="holdfast", groups=None, **more):
    """In one transaction of its own."""
    count = len(ops)
    if bystander:
        ops = (*ops, Op(ERASE, "bystander", ANYTHING))
        groups = groups and [*groups, groups[-1] + 1]
    answer = Answer(endpoint.sql(
        f"{BEGIN};\n{apply_sql(ops, groups=groups, **more)};\nCOMMIT;",
        user=user))
    assert answer.rows.pop(count + 1, None) == (
        (APPLIED, 0, "") if bystander else None)
    return answer


def claim(endpoint, name, value=VALUE % 10000, **more):
    """The version of a lock that is made, with nobody in the way."""
    answer = apply(endpoint, Op(CLAIM, name, absent(endpoint, name), value),
                   **more)
    assert answer.verdicts() == {1: APPLIED}, answer.text
    return answer.version()


def write_sql(expect, new_term=True, head=HEAD, patience_ms=60000, **arrays):
    """A batch; its arrays by the names of the function's parameters."""
    kinds = {"secrets": "text", "if_dead": "text", "who": "text",
             "locks": "text", "notes": "text", "audit_names": "text",
             "audit_values": "text"}
    names = ("dropped_sessions", "dropped_grants", "session_ids", "secrets",
             "ttls_ms", "if_dead", "who", "silent_from_ms", "fences",
             "sessions", "lanes", "ns", "sinces", "locks", "notes",
             "audit_names", "audit_values")
    values = [array(arrays[name], kinds.get(name, "bigint"))
              if name in arrays else "NULL" for name in names]
    return (f"SELECT verdict, version FROM holdfast.write_batch({expect},"
            f" {str(new_term).lower()}, {literal(head)}, {patience_ms},"
            f" {', '.join(values)})")


def write(endpoint, expect, user="holdfast", **more):
    """(verdict, version) of a batch in a transaction of its own."""
    shown = endpoint.sql(f"{BEGIN};\n{write_sql(expect, **more)};\nCOMMIT;",
                         user=user)
    return tuple(map(int, shown.split("|")))


def head_version(endpoint):
    return int(endpoint.sql("SELECT version FROM holdfast.read_head(0)"))


def table_lock(endpoint):
    """What a leader looks for after it has written its head."""
    return endpoint.sql("SELECT name FROM holdfast.records WHERE value IS NOT "
                        "NULL AND (space < '!' OR space >= '\"') LIMIT 1")


# ---- Holding a call open ----------------------------------------------------

# The functions in which a call can be held: settle comes before all locks,
# clock behind them and the looks at rows and floor, note_ttl before the look at
# the head.
STEPS = ("settle", "clock", "note_ttl")

HOLD = """
ALTER FUNCTION holdfast.{name}({types}) RENAME TO {name}_itself;
CREATE FUNCTION holdfast.{name}({parameters}) RETURNS {result}
LANGUAGE plpgsql VOLATILE AS $$
DECLARE patience text;
BEGIN
    IF current_setting('test.hold', true) = '{name}' THEN
        patience := current_setting('lock_timeout');
        PERFORM set_config('lock_timeout', '0', true),
            set_config('application_name', 'held', false),
            pg_advisory_lock_shared(1, pg_backend_pid()),
            pg_advisory_unlock_shared(1, pg_backend_pid()),
            set_config('application_name', 'free', false),
            set_config('lock_timeout', patience, true);
    END IF;
    {call}
END $$;
"""


def make_holdable(server):
    """Each of the three waits while it is held, in a session that says so."""
    server.sql("".join(HOLD.format(
        name=name, types=types, result=result, call=call,
        parameters=types) for name, types, result, call in (
            ("settle", "integer", "text",
             "RETURN holdfast.settle_itself(coalesce("
             "current_setting('test.patience_ms', true)::integer, $1));"),
            ("clock", "", "bigint", "RETURN holdfast.clock_itself();"),
            ("note_ttl", "bigint, bigint, boolean", "boolean",
             "RETURN holdfast.note_ttl_itself($1, $2, $3);"))))


class Held:
    """A transaction that is stopped at a step, or, without one, before its
    COMMIT; and goes on when it is told to."""

    def __init__(self, server, statement, step=None):
        self.step = step
        self.gate, self.session = server.session(), server.session("holdfast")
        self.pid = self.session.pid()
        # Whom a busy machine keeps waiting waits on.
        self.session.do(f"SET test.hold = '{step or ''}';"
                        "SET test.patience_ms = 60000")
        if step:
            self.gate.do(f"SELECT pg_advisory_lock(1, {self.pid})")
        self.session.do(BEGIN)
        self.session.send(statement)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.gate.close()
        self.session.close()

    def state(self):
        """held, waiting (for another's lock), or done."""
        shown = self.gate.do(
            "SELECT application_name, wait_event_type, state,"
            " left(query, 5) = 'BEGIN' FROM pg_stat_activity"
            f" WHERE pid = {self.pid}")
        name, waits_for, state, is_early = shown.split("|")
        if state.startswith("idle"):
            return "runs" if is_early == "t" else "done"
        if waits_for != "Lock":
            return "runs"
        return "held" if name == "held" else "waiting"

    def await_rest(self):
        """Until it is held, waits for another, or is done."""
        await_that(lambda: self.state() != "runs", "a step")
        return self.state()

    def go_on(self):
        """To its end, or to where another keeps it waiting."""
        if self.step:
            self.gate.do("SELECT pg_advisory_unlock_all()")
        await_that(lambda: self.state() in ("waiting", "done"), "the end")
        return self.state()

    def finish(self):
        """Its answer, and the commit."""
        answer = self.session.wait()
        self.session.do("COMMIT")
        return answer
