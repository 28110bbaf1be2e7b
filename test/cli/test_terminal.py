#!/usr/bin/env python3
"""A terminal: who reads from it, and what Ctrl-C and Ctrl-Z do.

Called as test_terminal.py PROGRAM, and prints TAP.  Each test is a script,
run by a shell on a terminal of its own; the test types when it has read what
it waits for.
"""

import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time

PATIENCE_S = 20

INTERRUPT, QUIT, SUSPEND = "\x03", "\x1c", "\x1a"

holdfast = os.path.abspath(sys.argv[1])


class Terminal:
    """A shell and what it runs, in a session with a terminal of its own."""

    def __init__(self, *argv):
        self.text = ""
        self.seen = 0
        self.child, self.end = pty.fork()
        if self.child == 0:
            os.execvp(argv[0], argv)

    def read(self, deadline):
        """Some more of what is written to it; False at the end of all."""
        ready, _, _ = select.select([self.end], [], [],
                                    max(0, deadline - time.monotonic()))
        if not ready:
            raise TimeoutError
        try:
            some = os.read(self.end, 4096)
        except OSError:  # EIO: nobody has it open any more
            some = b""
        self.text += some.decode(errors="replace")
        return bool(some)

    def await_text(self, *texts):
        """Until they stand there, in this order, after what was awaited."""
        deadline = time.monotonic() + PATIENCE_S
        for text in texts:
            while self.text.find(text, self.seen) < 0:
                if not self.read(deadline):
                    raise EOFError(text)
            self.seen = self.text.find(text, self.seen) + len(text)

    def type(self, keys):
        os.write(self.end, keys.encode())

    def finish(self):
        """How the shell ended, as subprocess gives it: -2 is SIGINT."""
        deadline = time.monotonic() + PATIENCE_S
        while self.read(deadline):
            pass
        _, status = os.waitpid(self.child, 0)
        self.child = None
        return os.waitstatus_to_exitcode(status)

    def close(self):
        """End all of the session that is left, by its number."""
        if self.child is not None:
            os.kill(self.child, signal.SIGKILL)
            os.waitpid(self.child, 0)
        os.close(self.end)


class Scene:
    """The tests of this file share a place; each has locks of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.terminal = None
        self.count = 0
        self.failures = 0

    def script(self, text, shell="bash"):
        path = os.path.join(self.folder, "script")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return self.open(shell, path)

    def open(self, *argv):
        self.terminal = Terminal(*argv)
        return self.terminal

    def run(self, test):
        self.count += 1
        why = None
        try:
            test(self)
        except (AssertionError, EOFError, TimeoutError) as error:
            why = repr(error)
        finally:
            if self.terminal is not None:
                self.terminal.close()
        name = test.__name__.replace("_", " ")
        print("ok" if why is None else "not ok", self.count, "-", name,
              flush=True)
        if why is not None:
            self.failures += 1
            print("#", why)
            for line in self.terminal.text.splitlines():
                print("#   ", repr(line))


def is_free(lock):
    return subprocess.run([holdfast, "run", "-n", lock, "--", "true"],
                          stdin=subprocess.DEVNULL, check=False,
                          capture_output=True).returncode == 0


def hold(lock):
    """Somebody who holds it until communicate()."""
    holder = subprocess.Popen(
        [holdfast, "run", lock, "--", "sh", "-c", "echo held; exec cat"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL)
    holder.stdout.readline()
    return holder


def state_of(process):
    with open(f"/proc/{process}/stat", encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()[0]


def expect(value, wanted):
    assert value == wanted, f"{value!r}, not {wanted!r}"


# ---- Who reads from the terminal --------------------------------------------

def a_command_that_reads_a_pipe_may_ask_on_the_terminal(scene):
    terminal = scene.script("""
        echo piped | "$holdfast" run ask -- sh -c '
            printf "PASSWORD: "; read -r word </dev/tty; read -r line
            echo "got $word and $line"'
        """)
    terminal.await_text("PASSWORD: ")
    terminal.type("secret\n")
    terminal.await_text("got secret and piped")
    expect(terminal.finish(), 0)


def a_command_whose_output_goes_elsewhere_may_ask_on_the_terminal(scene):
    terminal = scene.script("""
        "$holdfast" run ask -- sh -c '
            printf "PASSWORD: " >&2; read -r word; echo "got $word" >&2
            ' >/dev/null
        """)
    terminal.await_text("PASSWORD: ")
    terminal.type("secret\n")
    terminal.await_text("got secret")
    expect(terminal.finish(), 0)


def the_reader_of_its_output_keeps_the_terminal(scene):
    terminal = scene.script("""
        "$holdfast" run report -- sh -c 'echo data; exec sleep 1' | sh -c '
            read -r line; printf "MORE: "; read -r word </dev/tty
            echo "$line and $word"'
        """)
    terminal.await_text("MORE: ")
    terminal.type("next\n")
    terminal.await_text("data and next")
    expect(terminal.finish(), 0)


def the_shell_has_the_terminal_back_after_the_command(scene):
    terminal = scene.script("""
        "$holdfast" run back -- sh -c 'echo ours; read -r word'
        printf "ASK: "; read -r word; echo "got $word"
        """)
    terminal.await_text("ours")
    terminal.type("one\n")
    terminal.await_text("ASK: ")
    terminal.type("two\n")
    terminal.await_text("got two")
    expect(terminal.finish(), 0)


# ---- Ctrl-C -----------------------------------------------------------------

LOOP = """
    ulimit -c 0
    for i in 1 2 3; do
        "$holdfast" run loop -- sh -c 'echo "round $1"; exec sleep 1000' sh $i
        echo "after $i"
    done
    """


def stops(scene, key, by, shell):
    terminal = scene.script(LOOP, shell)
    terminal.await_text("round 1")
    terminal.type(key)
    expect(terminal.finish(), -by)
    assert "after" not in terminal.text
    assert is_free("loop")


def interrupt_stops_a_script_of_bash(scene):
    stops(scene, INTERRUPT, signal.SIGINT, "bash")


def interrupt_stops_a_script_of_sh(scene):
    stops(scene, INTERRUPT, signal.SIGINT, "sh")


def quit_stops_a_script_of_sh(scene):
    stops(scene, QUIT, signal.SIGQUIT, "sh")  # bash ignores it


def interrupt_stops_a_script_whose_command_reads_a_pipe(scene):
    terminal = scene.script("""
        for i in 1 2 3; do
            echo piped | "$holdfast" run pipe -- sh -c '
                echo "round $1"; exec sleep 1000' sh $i
            echo "after $i"
        done
        """)
    terminal.await_text("round 1")
    terminal.type(INTERRUPT)
    expect(terminal.finish(), -signal.SIGINT)
    assert "after" not in terminal.text


def interrupt_stops_a_script_that_waits_for_a_lock(scene):
    holder = hold("wait")
    try:
        terminal = scene.script("""
            for i in 1 2 3; do
                "$holdfast" run wait -- echo "round $i"
                echo "after $i"
            done
            """)
        terminal.await_text("waiting for wait")
        terminal.type(INTERRUPT)
        expect(terminal.finish(), -signal.SIGINT)
        assert "after" not in terminal.text
    finally:
        holder.communicate()


def a_command_that_takes_the_interrupt_for_itself_lets_its_script_go_on(scene):
    terminal = scene.script("""
        "$holdfast" run own -- bash -c '
            trap "exit 130" INT; echo ready; read -r line'
        echo "after $?"
        """)
    terminal.await_text("ready")
    terminal.type(INTERRUPT)
    terminal.await_text("after 130")
    expect(terminal.finish(), 0)


def two_in_the_background_of_a_script_both_get_the_interrupt(scene):
    # A script's shell starts what runs in the background with INT ignored.
    terminal = scene.script("""
        for i in 1 2; do
            "$holdfast" run "both $i" -- env --default-signal=INT sh -c '
                echo "begun"; exec sleep 1000' &
        done
        wait
        echo after
        """)
    terminal.await_text("begun", "begun")
    terminal.type(INTERRUPT)
    expect(terminal.finish(), -signal.SIGINT)
    assert "after" not in terminal.text
    assert is_free("both 1") and is_free("both 2")


def one_in_the_background_gets_the_interrupt_of_one_that_has_the_terminal(
        scene):
    terminal = scene.script("""
        "$holdfast" run "both 1" -- env --default-signal=INT sh -c '
            echo "begun"; exec sleep 1000' &
        until "$holdfast" show "both 1" >/dev/null 2>&1; do :; done
        "$holdfast" run "both 2" -- sh -c 'echo begun; exec sleep 1000'
        wait
        echo after
        """)
    terminal.await_text("begun", "begun")
    terminal.type(INTERRUPT)
    expect(terminal.finish(), -signal.SIGINT)
    assert "after" not in terminal.text
    assert is_free("both 1") and is_free("both 2")


# ---- Job control ------------------------------------------------------------

def job_control(scene):
    terminal = scene.open("bash", "--norc", "--noprofile", "--noediting", "-i")
    terminal.type("PS1='pro''mpt> '\n")
    terminal.await_text("prompt> ")
    return terminal


def at_a_prompt_the_interrupt_ends_the_command_and_nothing_else(scene):
    terminal = job_control(scene)
    terminal.type('"$holdfast" run job -- sh -c "echo be\\gun; exec sleep 1000"\n')
    terminal.await_text("begun")
    terminal.type(INTERRUPT)
    terminal.await_text("prompt> ")
    terminal.type("echo code $?\n")
    terminal.await_text("code 130")
    terminal.type("exit 0\n")
    expect(terminal.finish(), 0)
    assert is_free("job")


def a_job_brought_to_the_foreground_reads_the_terminal(scene):
    terminal = job_control(scene)
    terminal.type('"$holdfast" run job -- sh -c '
                  '"read -r word; echo got \\$word" &\n')
    terminal.await_text("bring it to the foreground")
    terminal.type("fg\n")
    terminal.await_text("run job")
    terminal.type("word\n")
    terminal.await_text("got word")
    terminal.type("exit 0\n")
    expect(terminal.finish(), 0)


def a_command_that_is_suspended_goes_on(scene):
    terminal = job_control(scene)
    terminal.type('"$holdfast" run job -- sh -c "echo be\\gun; read -r word; '
                  'echo got \\$word"\n')
    terminal.await_text("begun")
    terminal.type(SUSPEND)
    terminal.await_text("was suspended; it goes on")
    terminal.type("word\n")
    terminal.await_text("got word")
    terminal.type("exit 0\n")
    expect(terminal.finish(), 0)


def a_command_that_ends_while_it_is_suspended_gives_the_terminal_back(scene):
    # One that stops again within a second is continued a second later: by then
    # it has ended here, and what it left says which group has the terminal.
    ended = os.path.join(scene.folder, "ended")
    terminal = scene.script(f"""
        "$holdfast" run again -- sh -c '
            (until [ -e "$1" ]; do sleep 0.05; done; sleep 1.2
             echo "foreground $(cut -d" " -f8 /proc/self/stat)") &
            kill -TSTP $$; echo "twice $$."; kill -TSTP $$' sh '{ended}'
        exit $?
        """)
    terminal.await_text("twice ")
    begin = terminal.seen
    terminal.await_text(".")
    command = int(terminal.text[begin:terminal.seen - 1])
    while state_of(command) != "T":
        time.sleep(0.01)
    os.kill(command, signal.SIGKILL)
    terminal.await_text("the command ended, but")
    with open(ended, "w", encoding="utf-8"):
        pass
    terminal.await_text(f"foreground {terminal.child}\r")
    expect(terminal.finish(), 128 + signal.SIGKILL)


def a_waiter_is_suspended_and_goes_on(scene):
    holder = hold("wait")
    try:
        terminal = job_control(scene)
        terminal.type('"$holdfast" run wait -- echo be\\gun\n')
        terminal.await_text("waiting for wait")
        terminal.type(SUSPEND)
        terminal.await_text("Stopped")
    finally:
        holder.communicate()
    terminal.type("fg\n")
    terminal.await_text("begun")
    terminal.type("exit 0\n")
    expect(terminal.finish(), 0)


TESTS = [
    a_command_that_reads_a_pipe_may_ask_on_the_terminal,
    a_command_whose_output_goes_elsewhere_may_ask_on_the_terminal,
    the_reader_of_its_output_keeps_the_terminal,
    the_shell_has_the_terminal_back_after_the_command,
    interrupt_stops_a_script_of_bash,
    interrupt_stops_a_script_of_sh,
    quit_stops_a_script_of_sh,
    interrupt_stops_a_script_whose_command_reads_a_pipe,
    interrupt_stops_a_script_that_waits_for_a_lock,
    a_command_that_takes_the_interrupt_for_itself_lets_its_script_go_on,
    two_in_the_background_of_a_script_both_get_the_interrupt,
    one_in_the_background_gets_the_interrupt_of_one_that_has_the_terminal,
    at_a_prompt_the_interrupt_ends_the_command_and_nothing_else,
    a_job_brought_to_the_foreground_reads_the_terminal,
    a_command_that_is_suspended_goes_on,
    a_command_that_ends_while_it_is_suspended_gives_the_terminal_back,
    a_waiter_is_suspended_and_goes_on,
]


def main():
    for inherited in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(inherited, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(
            holdfast=holdfast, TERM="xterm", LC_ALL="C.UTF-8",
            HISTFILE="/dev/null",
            HOLDFAST_AT=f"sqlite:{folder}/locks.db")
        scene = Scene(folder)
        for test in TESTS:
            scene.run(test)
        print(f"1..{scene.count}")
    return 1 if scene.failures else 0


sys.exit(main())
