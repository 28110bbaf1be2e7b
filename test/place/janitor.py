"""A process that ends what a test has started, and removes its folders, when
the test is gone: also where that was killed."""

import os
import select
import shutil
import signal


class Janitor:
    """Told of processes and folders; what is gone by the end is no matter."""

    def __init__(self):
        read_end, self._told = os.pipe()
        if os.fork() == 0:
            # Nobody's child, or whoever kills a test and its children finds it.
            if os.fork() == 0:
                os.close(self._told)
                _serve(read_end)
            os._exit(0)
        os.wait()
        os.close(read_end)

    def process(self, pid):
        os.write(self._told, f"process {pid}\n".encode())

    def folder(self, path):
        os.write(self._told, f"folder {path}\n".encode())


def _serve(read_end):
    """Of a process told, the descriptor is opened at once: by then it runs."""
    processes, folders = [], []
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for fd in range(3):
            os.dup2(nothing, fd) # who started the test waits for their end
        with os.fdopen(read_end) as told:
            for line in told:
                kind, what = line.rstrip("\n").split(" ", 1)
                if kind == "folder":
                    folders.append(what)
                else:
                    _add(processes, int(what))
        for number in (signal.SIGQUIT, signal.SIGKILL):
            _end(processes, number)
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os._exit(0)


def _add(processes, pid):
    try:
        processes.append(os.pidfd_open(pid))
    except ProcessLookupError:
        pass


def _end(processes, number):
    for fd in processes:
        try:
            signal.pidfd_send_signal(fd, number)
            signal.pidfd_send_signal(fd, signal.SIGCONT)
        except ProcessLookupError:
            pass
    for fd in processes:
        select.select([fd], [], [], 10)
