#!/usr/bin/env python3
"""A server that does not prove to be the one that was named is refused, with one
sentence, and nothing is asked of it.

usage: test_certificates.py HOLDFAST

The server's certificate is for the name localhost, which Holdfast looks up itself,
and gives to libpq beside the address.
"""

import os
import shutil
import subprocess
import sys
import unittest

from cluster import Postgres, free_port, make_folder, need_servers

# Who comes in how: one by a certificate of its own.
RULES = """\
host all postgres 127.0.0.0/8 trust
hostssl all holdfast 127.0.0.0/8 trust
hostssl all known 127.0.0.0/8 cert
"""


def make_certificate(path, name, issuer=None):
    """path.crt and path.key, signed by the issuer's, or by its own."""
    signed = [] if issuer is None else ["-CA", f"{issuer}.crt",
                                        "-CAkey", f"{issuer}.key"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
         "-addext", f"subjectAltName=DNS:{name}", *signed,
         "-keyout", f"{path}.key", "-out", f"{path}.crt"],
        check=True, capture_output=True)
    os.chmod(f"{path}.key", 0o600)


class Certificates(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = make_folder()
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.ours, cls.others = f"{folder}/ours", f"{folder}/others"
        cls.known = f"{folder}/known"
        make_certificate(cls.ours, "ours")
        make_certificate(cls.others, "others")
        make_certificate(cls.known, "known", cls.ours)
        cls.server = cls.enterClassContext(Postgres())
        cls.server.sql("CREATE ROLE known LOGIN;"
                       "GRANT CREATE ON DATABASE holdfast TO known")
        cls.server.stop()
        cls.begin_tls()

    @classmethod
    def begin_tls(cls):
        server = cls.server
        shutil.copy(f"{cls.ours}.crt", f"{server.data}/root.crt")
        make_certificate(f"{server.data}/server", "localhost", cls.ours)
        if os.geteuid() == 0:
            shutil.chown(f"{server.data}/server.key", "nobody", "nogroup")
        with open(f"{server.data}/pg_hba.conf", "w") as rules:
            rules.write(RULES)
        server.settings.update(ssl="on", ssl_ca_file="root.crt")
        server.address = "127.0.0.1" # as the name has it
        server.port = free_port(server.address)
        server.start()

    def run_at(self, name="localhost", user="holdfast", **parameters):
        place = self.server.url(user=user, at=(name, self.server.port),
                                **parameters)
        return subprocess.run(
            [HOLDFAST, "run", "--at", place, "a", "--", "echo", "ran"],
            text=True, capture_output=True, env={
                **os.environ, "HOME": "/none", "PGPASSFILE": "/none"})

    def is_there(self):
        return self.server.sql("SELECT to_regclass('holdfast.records')") != ""

    def accept(self, **parameters):
        done = self.run_at(**parameters)
        self.assertEqual((done.returncode, done.stdout), (0, "ran\n"),
                         done.stderr)

    def refuse(self, code, words, **parameters):
        before = self.is_there()
        done = self.run_at(**parameters)
        self.assertEqual((done.returncode, done.stdout), (code, ""),
                         done.stderr)
        self.assertIn(words, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(self.is_there(), before)

    def test_one_that_proves_its_name_is_believed(self):
        for mode in "require", "verify-ca", "verify-full":
            with self.subTest(mode):
                self.accept(sslmode=mode, sslrootcert=f"{self.ours}.crt")

    def test_who_waits_is_woken_by_it(self):
        self.accept()
        place = self.server.url(at=("localhost", self.server.port),
                                sslmode="verify-full",
                                sslrootcert=f"{self.ours}.crt")
        done = subprocess.run([HOLDFAST, "doctor", "--at", place], text=True,
                              capture_output=True)
        self.assertIn("a release wakes who waits", done.stdout, done.stderr)

    def test_one_that_proves_another_name(self):
        """The name that was given counts, not the address that it has."""
        self.accept(sslmode="verify-ca", name="127.0.0.1",
                    sslrootcert=f"{self.ours}.crt")
        self.refuse(69, 'does not match host name "127.0.0.1"',
                    name="127.0.0.1", sslmode="verify-full",
                    sslrootcert=f"{self.ours}.crt")

    def test_one_that_nobody_known_vouches_for(self):
        for mode in "require", "verify-ca", "verify-full":
            with self.subTest(mode):
                self.refuse(69, "certificate verify failed", sslmode=mode,
                            sslrootcert=f"{self.others}.crt")

    def test_there_is_no_file_of_whom_to_trust(self):
        self.refuse(69, 'root certificate file "/none/root.crt" does not exist',
                    sslmode="verify-full", sslrootcert="/none/root.crt")
        self.refuse(69, 'root.crt" does not exist', sslmode="verify-full")

    def test_a_client_that_cannot_be_asked_in_the_open(self):
        self.refuse(77, "no encryption", sslmode="disable")

    def test_a_client_proves_its_name_too(self):
        trusts = {"sslmode": "verify-full", "sslrootcert": f"{self.ours}.crt",
                  "user": "known", "schema": "known"}
        self.accept(**trusts, sslcert=f"{self.known}.crt",
                    sslkey=f"{self.known}.key")
        self.refuse(77, "requires a valid client certificate", **trusts)
        self.refuse(69, "unknown ca", **trusts,
                    sslcert=f"{self.others}.crt", sslkey=f"{self.others}.key")


if __name__ == "__main__":
    need_servers()
    HOLDFAST = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
