"""A headless Chromium, driven over a pipe: no port, no package, no profile
that stays.  It speaks the DevTools protocol: a JSON object, then a NUL.
"""

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

ANSWER_SECONDS = 60


class Chrome:
    """Use it in a `with`: at the end the process has ended, and its profile
    is gone."""

    def __init__(self, program="chromium"):
        self.program = program
        self.number = 0
        self.buffer = b""
        self.session = None
        self.events = []  # (method, params), until somebody takes them

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="browser-")
        to_read, self.to = os.pipe()
        self.of, to_write = os.pipe()
        # It reads from 3 and writes to 4.
        high = [os.dup2(fd, 100 + i, inheritable=False)
                for i, fd in enumerate((to_read, to_write))]

        def arrange():
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        arguments = [
            self.program, "--headless=new", "--remote-debugging-pipe",
            f"--user-data-dir={self.profile}", "--no-first-run",
            "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions",
            "--disable-background-networking", "--disable-sync",
            "--hide-scrollbars", "--force-color-profile=srgb", "about:blank"]
        if os.geteuid() == 0:
            arguments.insert(1, "--no-sandbox")
        self.process = subprocess.Popen(
            arguments, pass_fds=(3, 4), preexec_fn=arrange,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        for fd in (to_read, to_write, *high):
            os.close(fd)
        target = self.call("Target.createTarget", url="about:blank")
        self.session = self.call("Target.attachToTarget", flatten=True,
                                 targetId=target["targetId"])["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(10)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            pass
        finally:
            # What it started is of its own process group.
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.process.wait()
            os.close(self.to)
            os.close(self.of)
            shutil.rmtree(self.profile, ignore_errors=True)

    def _receive(self, deadline):
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.of], [], [], left)[0]:
                raise RuntimeError("the browser does not answer")
            more = os.read(self.of, 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        deadline = time.monotonic() + ANSWER_SECONDS
        while True:
            answer = self._receive(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append((answer["method"], answer["params"]))

    def wait_for(self, method):
        """Until such an event has come; takes it and all before it."""
        deadline = time.monotonic() + ANSWER_SECONDS
        taken = []
        while True:
            while self.events:
                taken.append(self.events.pop(0))
                if taken[-1][0] == method:
                    return taken
            answer = self._receive(deadline)
            if "method" in answer:
                self.events.append((answer["method"], answer["params"]))

    def open(self, url):
        self.events.clear()
        self.call("Page.navigate", url=url)
        return self.wait_for("Page.loadEventFired")

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression,
                           returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def set_size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width,
                  height=height, deviceScaleFactor=1, mobile=width < 600)

    def set_media(self, **features):
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": name.replace("_", "-"), "value": value}
            for name, value in features.items()])

    def set_scripts(self, on):
        self.call("Emulation.setScriptExecutionDisabled", value=not on)

    def press(self, key):
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y,
                      button="left", clickCount=1)

    def screenshot(self, path, whole=False):
        shot = self.call("Page.captureScreenshot",
                         captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))
