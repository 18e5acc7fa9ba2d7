"""One headless Chromium for many questions, spoken to through its debugging pipe: no driver, no port, no network.

The protocol: JSON messages that end in a NUL byte, https://chromedevtools.github.io/devtools-protocol.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = next(filter(None, map(shutil.which, _NAMES)), None)
_SECONDS = 60.0
# The browser reads commands from its descriptor 3 and answers on 4.
_START = "import os, sys; _, r, w, *run = sys.argv; os.dup2(int(r), 3); os.dup2(int(w), 4); os.execv(run[0], run)"
_OPTIONS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-extensions"),
    *("--disable-dev-shm-usage", "--mute-audio", "--remote-debugging-pipe"),
    "--host-resolver-rules=MAP * ~NOTFOUND",  # no name has an address
)


class BrowserError(RuntimeError):
    """What the browser refused, or that it does not answer."""


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A running Chromium that is ended on leaving. Raises :class:`BrowserError` where there is none."""
    if CHROMIUM is None:
        raise BrowserError("there is no Chromium on this machine")
    commands, ours = os.pipe()
    answers, theirs = os.pipe()
    high = [_above_ten(commands), _above_ten(theirs)]
    arguments = [sys.executable, "-c", _START, *map(str, high), CHROMIUM, *_OPTIONS, f"--user-data-dir={profile}"]
    process = subprocess.Popen(
        arguments, pass_fds=high, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    for descriptor in high:
        os.close(descriptor)
    try:
        yield Browser(ours, answers)
    finally:
        os.close(ours)  # the end of its commands ends the browser
        os.close(answers)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _above_ten(descriptor: int) -> int:
    """The descriptor under another number, so that 3 and 4 stay free for the browser."""
    import fcntl

    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD, 10)
    os.close(descriptor)
    return moved


@dataclass
class Browser:
    """The two ends of the pipe."""

    commands: int
    answers: int
    events: list[dict[str, Any]] = field(default_factory=list)
    _sent: int = 0
    _read: bytes = b""

    def send(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """One command and its answer; what happens meanwhile is kept in ``events``."""
        self._sent += 1
        message = {"id": self._sent, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + _SECONDS
        while True:
            answer = self.receive(until)
            if answer.get("id") != self._sent:
                self.events.append(answer)
            elif "error" in answer:
                raise BrowserError(f"{method}: {answer['error']['message']}")
            else:
                return dict(answer["result"])

    def receive(self, until: float) -> dict[str, Any]:
        """The next message; :class:`BrowserError` where none comes in time."""
        while b"\0" not in self._read:
            if not select.select([self.answers], [], [], max(0.0, until - time.monotonic()))[0]:
                raise BrowserError("the browser does not answer")
            found = os.read(self.answers, 1 << 20)
            if not found:
                raise BrowserError("the browser has ended")
            self._read += found
        message, _, self._read = self._read.partition(b"\0")
        return dict(json.loads(message))

    def open(self, page: Path, width: int = 1400, height: int = 1000, dark: bool = False, script: bool = True) -> Tab:
        """A page from the disk, loaded in a tab of its own."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = Tab(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            tab.send(f"{domain}.enable")
        tab.send("Emulation.setScriptExecutionDisabled", value=not script)
        tab.look(width, height, dark)
        tab.send("Page.navigate", url=page.as_uri())
        tab.wait("Page.loadEventFired")
        return tab


@dataclass
class Tab:
    """One page in the browser."""

    browser: Browser
    session: str

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A command to this page."""
        return self.browser.send(method, self.session, **parameters)

    def seen(self, *methods: str) -> list[dict[str, Any]]:
        """What the page has sent of itself since it was opened."""
        mine = [event for event in self.browser.events if event.get("sessionId") == self.session]
        return [event["params"] for event in mine if event["method"] in methods]

    def wait(self, method: str) -> None:
        """Until the page has sent this."""
        until = time.monotonic() + _SECONDS
        while not self.seen(method):
            self.browser.events.append(self.browser.receive(until))

    def look(self, width: int, height: int, dark: bool = False, media: str = "screen") -> None:
        """The size of the window in CSS pixels, the colours, and ``screen`` or ``print``."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        colours = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.send("Emulation.setEmulatedMedia", media=media, features=colours)

    def run(self, expression: str) -> Any:
        """The value of JavaScript, awaited; :class:`BrowserError` where it throws."""
        found = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise BrowserError(str(found["exceptionDetails"].get("exception", found["exceptionDetails"])))
        return found["result"].get("value")

    def press(self, *keys: str) -> None:
        """Keys by name (``Tab``, ``Enter``, ``ArrowDown``, ``Escape``), or text that is typed."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "ArrowDown": 40, "ArrowUp": 38}
        for key in keys:
            if key not in codes:
                self.send("Input.insertText", text=key)
                continue
            named = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": codes[key]}
            text = {"text": "\r"} if key == "Enter" else {"text": " "} if key == " " else {}
            self.send("Input.dispatchKeyEvent", type="keyDown", **named, **text)
            self.send("Input.dispatchKeyEvent", type="keyUp", **named)

    def complaints(self) -> list[str]:
        """What stands in the console: errors, warnings, exceptions, refusals of the content policy."""
        lines = [str(entry["exceptionDetails"]) for entry in self.seen("Runtime.exceptionThrown")]
        lines += [str(call["args"]) for call in self.seen("Runtime.consoleAPICalled")]
        return lines + [entry["entry"]["text"] for entry in self.seen("Log.entryAdded")]

    def requests(self) -> list[str]:
        """Every address that the page asked for, its own first."""
        return [event["request"]["url"] for event in self.seen("Network.requestWillBeSent")]

    def picture(self) -> bytes:
        """What the window shows, as PNG."""
        return base64.b64decode(self.send("Page.captureScreenshot")["data"])

    def close(self) -> None:
        """Done with the page."""
        self.send("Page.close")
