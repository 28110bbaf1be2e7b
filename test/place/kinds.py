"""The kinds of server that a test of this folder is run with: test/KIND has
subject.py, whose Subject is a server with what such tests need."""

import functools
import importlib
import sys

from fixture import ROOT, need_programs


def subject_of(kind):
    """What makes one; the test ends as skipped where there are no programs.
    "etcd:3": of three nodes."""
    kind, _, nodes = kind.partition(":")
    need_programs(kind)
    sys.path.append(str(ROOT / "test" / kind))
    subject = importlib.import_module("subject").Subject
    return functools.partial(subject, int(nodes)) if nodes else subject
