#!/usr/bin/env python3
"""What cannot be a place is refused, with one sentence that names the cause and
with its own exit code, and nothing is written.

usage: test_refusals.py HOLDFAST
"""

import os
import socket
import subprocess
import sys
import threading
import unittest

from cluster import Pooler, Postgres, need_servers
from framing import PostgresFraming
from proxy import Proxy


class Older(Proxy):
    """Before a server that says it is of another version."""

    def _pass(self, connection, direction, kind, message):
        super()._pass(connection, direction, kind, message.replace(
            b"server_version\x0015.", b"server_version\x0012."))


# What would do for a schema of Holdfast's, as far as anybody looks.
PLANTED = """
CREATE SCHEMA planted; GRANT USAGE ON SCHEMA planted TO PUBLIC;
CREATE TABLE planted.journal_head (value json);
CREATE TABLE planted.meta (key text, number bigint);
INSERT INTO planted.meta VALUES ('schema', 1);
GRANT SELECT ON ALL TABLES IN SCHEMA planted TO PUBLIC;
CREATE FUNCTION planted.find(text[], text[], boolean DEFAULT false)
    RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN
    ALTER ROLE evil SUPERUSER; RETURN; END $$;
"""


class Refusals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Postgres())

    def refuse(self, place, code, *words, options=(), **environment):
        done = subprocess.run(
            [HOLDFAST, "run", *options, "--at", place, "a", "--", "echo", "ran"],
            text=True, capture_output=True,
            env={**os.environ, "PGPASSFILE": "/none", **environment})
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        last = [line for line in done.stderr.splitlines()
                if "to share locks" not in line][-1]
        for word in words:
            self.assertIn(word, last)

    def dump(self):
        return self.server.sql("SELECT nspname FROM pg_namespace ORDER BY 1")

    def refuse_here(self, code, *words, options=(), **parameters):
        """Nothing is made in the database."""
        before = self.dump()
        self.refuse(self.server.url(**parameters), code, *words,
                    options=options)
        self.assertEqual(self.dump(), before)

    def test_a_database_that_is_not_there(self):
        self.refuse_here(69, 'database "none" does not exist', database="none")

    def test_a_role_that_is_not_there(self):
        self.refuse_here(77, 'role "nobody" does not exist', user="nobody")

    def test_a_wrong_password(self):
        self.server.sql("CREATE ROLE locked LOGIN PASSWORD 'right'")
        rules = os.path.join(self.server.data, "pg_hba.conf")
        with open(rules) as file:
            trusts = file.read()
        with open(rules, "w") as file:
            file.write("host all locked 127.0.0.0/8 scram-sha-256\n" + trusts)
        self.server.sql("SELECT pg_reload_conf()")
        self.refuse_here(77, "it wants a password", "~/.pgpass", user="locked")
        self.refuse(self.server.url(user="locked"), 77,
                    'password authentication failed for user "locked"',
                    PGPASSWORD="wrong")

    def test_a_role_without_rights(self):
        self.server.sql("CREATE ROLE weak LOGIN")
        self.refuse_here(77, "permission denied", user="weak", schema="weak")

    def test_a_database_of_another_encoding(self):
        self.server.sql("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE"
                        " template0 LC_COLLATE 'C' LC_CTYPE 'C' OWNER holdfast",
                        database="postgres")
        self.refuse_here(69, "LATIN1", "UTF8", database="latin")

    def test_a_schema_of_others(self):
        self.server.sql("CREATE SCHEMA others AUTHORIZATION holdfast;"
                        "CREATE TABLE others.t ()")
        self.refuse_here(65, "others is not Holdfast's", schema="others")
        self.server.sql("CREATE SCHEMA alike AUTHORIZATION holdfast; SET ROLE"
                        " holdfast; CREATE TABLE alike.meta (value text)")
        self.refuse_here(65, "alike is not Holdfast's", schema="alike")

    def test_a_schema_that_cannot_be_read_now(self):
        place = self.server.url(schema="busy")
        made = subprocess.run([HOLDFAST, "run", "--at", place, "a", "--",
                               "true"])
        self.assertEqual(made.returncode, 0)
        self.server.sql("ALTER ROLE holdfast SET lock_timeout = 100")
        with self.server.session() as other:
            other.do("BEGIN; LOCK TABLE busy.meta")
            self.refuse_here(69, "lock timeout", schema="busy",
                             options=["-w", "1s"])
        self.server.sql("ALTER ROLE holdfast RESET lock_timeout")

    def test_what_others_could_act_through_with_our_rights(self):
        self.server.sql("CREATE ROLE evil LOGIN; GRANT CREATE ON DATABASE"
                        " holdfast TO evil; CREATE ROLE us LOGIN; GRANT CREATE"
                        " ON DATABASE holdfast TO us")
        # As Holdfast's own, but for one function.
        self.server.sql(PLANTED, user="evil")
        for user in ("postgres", "holdfast", "us"):
            self.refuse_here(65, "belongs to role evil", user=user,
                             schema="planted")
        self.server.sql("CREATE SCHEMA empty; GRANT USAGE ON SCHEMA empty TO"
                        " PUBLIC", user="evil")
        self.refuse_here(65, "belongs to role evil", user="us", schema="empty")
        # In a schema of our own, behind our own functions.
        place = self.server.url(user="us", schema="ours")
        def run():
            return subprocess.run([HOLDFAST, "run", "--at", place, "a", "--",
                                   "true"]).returncode
        self.assertEqual(run(), 0)
        self.server.sql("GRANT ALL ON SCHEMA ours TO evil")
        self.assertEqual(run(), 0)
        self.server.sql("CREATE FUNCTION ours.find(text[], text[]) RETURNS text"
                        " LANGUAGE sql AS 'SELECT 1::text'", user="evil")
        self.refuse_here(65, "belongs to role evil", user="us", schema="ours")
        self.server.sql("DROP FUNCTION ours.find(text[], text[]); CREATE"
                        " FUNCTION ours.more() RETURNS text LANGUAGE sql AS"
                        " 'SELECT 1::text'", user="evil")
        self.refuse_here(65, "belongs to role evil", user="us", schema="ours")
        # Who may act as we do already, may here.
        self.server.sql("GRANT us TO evil")
        self.assertEqual(run(), 0)
        self.assertEqual(self.server.sql(
            "SELECT rolsuper FROM pg_roles WHERE rolname = 'evil'"), "f")

    def test_a_schema_with_a_trigger_of_another_role(self):
        place = self.server.url(schema="watched")
        run = [HOLDFAST, "run", "--at", place, "a", "--", "true"]
        self.assertEqual(subprocess.run(run).returncode, 0)
        self.server.sql("CREATE ROLE eve LOGIN; CREATE SCHEMA eves"
                        " AUTHORIZATION eve; GRANT USAGE ON SCHEMA watched"
                        " TO eve; GRANT ALL ON watched.records TO eve")
        self.server.sql("CREATE FUNCTION eves.see() RETURNS trigger LANGUAGE"
                        " plpgsql AS $$ BEGIN RETURN NEW; END $$;"
                        "CREATE TRIGGER see BEFORE INSERT ON watched.records"
                        " FOR EACH ROW EXECUTE FUNCTION eves.see()", user="eve")
        self.refuse_here(65, "belongs to role eve", schema="watched")

    def test_a_schema_of_another_version(self):
        place = self.server.url(schema="later")
        made = subprocess.run([HOLDFAST, "run", "--at", place, "a", "--",
                               "true"])
        self.assertEqual(made.returncode, 0)
        self.server.sql("UPDATE later.meta SET number = 99"
                        " WHERE key = 'schema'")
        self.refuse_here(69, "a later version of Holdfast", schema="later")
        self.server.sql("UPDATE later.meta SET number = 1 WHERE key = 'schema'")
        self.refuse_here(69, "an earlier version of Holdfast", schema="later")

    def test_a_server_that_can_only_be_read(self):
        self.server.sql("CREATE DATABASE still OWNER holdfast;",
                        database="postgres")
        self.server.sql("ALTER DATABASE still SET default_transaction_read_only"
                        " = on", database="postgres")
        self.refuse_here(69, "can only be read", "name the primary",
                         database="still")

    def test_a_standby_alone(self):
        with self.server.standby() as standby:
            self.refuse(standby.url(), 69, "can only be read",
                        "name the primary")

    def test_a_server_without_certificates(self):
        self.refuse_here(69, "does not support SSL", sslmode="require")

    def test_a_server_that_is_too_old(self):
        with Older(self.server.address, self.server.port,
                   PostgresFraming) as older:
            self.refuse_here(69, "the server is PostgreSQL 12: 13 or later is"
                             " needed", at=older.at, schema="old")

    def test_what_only_speaks_its_protocol(self):
        self.server.sql("CREATE DATABASE alien OWNER holdfast;",
                        database="postgres")
        self.server.sql("SET allow_system_table_mods = on; UPDATE pg_proc"
                        " SET proname = 'x' WHERE proname = 'pg_walfile_name'",
                        database="alien")
        self.refuse_here(69, "the server is not PostgreSQL, but something that"
                         " speaks its protocol", database="alien")

    def test_an_option_that_is_none(self):
        self.refuse_here(64, "has no option 'shcema': did you mean schema?",
                         shcema="a")

    def test_a_server_of_another_protocol(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            def answer():
                while True:
                    try:
                        client, _ = server.accept()
                    except OSError:
                        return
                    client.recv(1000)
                    client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                    client.close()
            threading.Thread(target=answer, daemon=True).start()
            port = server.getsockname()[1]
            self.refuse(f"postgresql://holdfast@127.0.0.1:{port}/holdfast", 69,
                        f"127.0.0.1:{port}", "is not PostgreSQL")
            server.shutdown(socket.SHUT_RDWR)

    def test_settings_of_the_database_and_the_environment_that_are_in_the_way(self):
        self.server.sql("CREATE DATABASE odd OWNER holdfast;",
                        database="postgres")
        for setting in ("default_transaction_isolation = 'serializable'",
                        "default_transaction_deferrable = on",
                        "synchronous_commit = off", "statement_timeout = 0",
                        "search_path = ''", "client_min_messages = error",
                        "standard_conforming_strings = off",
                        "DateStyle = 'German'", "extra_float_digits = -15",
                        "bytea_output = escape", "row_security = off"):
            self.server.sql(f"ALTER DATABASE odd SET {setting}",
                            database="postgres")
        with Pooler(self.server) as pooler:
            for place in (self.server, pooler):
                done = subprocess.run(
                    [HOLDFAST, "run", "--at", place.url(database="odd"), "a",
                     "--", "true"], text=True, capture_output=True,
                    env={**os.environ, "PGOPTIONS": "-c no.such=setting",
                         "PGTARGETSESSIONATTRS": "read-only",
                         "PGGSSENCMODE": "require", "PGHOSTADDR": "127.0.0.2",
                         "PGCLIENTENCODING": "LATIN1", "PGDATABASE": "none"})
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    need_servers()
    HOLDFAST = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
