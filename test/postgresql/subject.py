"""A PostgreSQL as the tests of test/place want a server: a schema is a place."""

import os

from cluster import Pooler, Postgres, await_that

POOLER = "pooler"
TABLE = "SELECT to_regclass('{scope}.records') IS NOT NULL"
RECORDS = ("SELECT space, name, version, value FROM {scope}.records"
           " WHERE value IS NOT NULL")


class Subject(Postgres):
    fronts = (POOLER,)

    def place(self, scope="holdfast", at=None):
        return self.url(at=at, schema=scope)

    def front(self, way, server, stack, narrow=False):
        """What clients meet instead of the server; `narrow`: with one connection
        to it, and no rest for it."""
        if way != POOLER:
            return server
        settings = ({"default_pool_size": 1, "server_login_retry": 0} if narrow
                    else {})
        return stack.enter_context(Pooler(server, **settings))

    def looker(self, stack):
        """Of records, by another way than the clients'."""
        return Looker(stack.enter_context(self.session()))

    def client_environment(self, scope):
        """By which its transactions are found, and not those of others."""
        return {**os.environ, "PGAPPNAME": scope}


class Looker:
    def __init__(self, session):
        self.session = session

    def settle(self, scope):
        """Until no transaction of that client's is left."""
        await_that(lambda: self.session.do(
            "SELECT count(*) FROM pg_stat_activity WHERE state <> 'idle'"
            f" AND application_name = '{scope}'") == "0",
            "the transaction to end")

    def records(self, scope="holdfast"):
        """By (space, name): (version, value)."""
        if self.session.do(TABLE.format(scope=scope)) != "t":
            return {}
        rows = self.session.do(RECORDS.format(scope=scope)).splitlines()
        fields = (row.split("|", 3) for row in rows)
        return {(space, name): (int(version), value)
                for space, name, version, value in fields}
