"""What the tests read off a page: its elements, its text, and everything that is wrong with it as HTML."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from importlib.resources import files

FILTER = (files("tdcert.reports") / "templates" / "filter.js").read_text(encoding="utf-8")
_VOID = frozenset(["meta", "link", "br", "hr", "img", "input", "wbr"])


@dataclass
class Page(HTMLParser):
    """A parsed page. ``faults`` names unbalanced elements; SVG and MathML may close themselves. The filter's script is
    no element, whatever else is a script is one.
    """

    html: str
    ids: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    elements: list[str] = field(default_factory=list)
    text: str = ""
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[str] = []
        self.feed(self.html)
        self.close()
        self.faults += [f"<{name}> is never closed" for name in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        if len({name for name, _ in attrs}) < len(attrs):
            self.faults.append(f"<{tag}> gives an attribute twice")
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "src", "xlink:href", "action", "data", "poster", "srcset"):
                self.links.append((tag, value or ""))
            if name.startswith("on"):
                self.faults.append(f"<{tag}> carries a script in {name}")

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing at line {self.getpos()[0]}")

    def handle_data(self, data: str) -> None:
        holder = self._open[-1] if self._open else ""
        if holder == "script" and data == FILTER:
            self.elements.remove("script")
        elif holder not in ("script", "style"):
            self.text += data
