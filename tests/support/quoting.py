"""What is left of an output when everything that it quotes is taken out."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from markdown_it import MarkdownIt

from potpie_git.domain.fence import BAR

_MARKS = re.compile(r'"(?:[^"\\]|\\.)*"')
# A label such as `was` may stand before the bar.
_BARRED = re.compile(rf"\s*(?:was |is  )?{BAR}")
_FENCE = re.compile(r"^<<<(quote-\d+)(?: [^\n]*)?\n(.*?)^\1>>>$", re.MULTILINE | re.DOTALL)
_VOID = {"meta", "br", "link", "hr", "img", "input"}


def unquoted(text: str) -> str:
    """Lines that do not stand behind a bar, without what stands in quotation marks; white space made one."""
    lines = (_MARKS.sub("", line) for line in text.split("\n") if not _BARRED.match(line))
    return " ".join(" ".join(lines).split())


def unfenced(text: str) -> str:
    """What stands outside of every fence; inside, each line that is no label has to stand behind the bar."""
    for fence in _FENCE.finditer(text):
        for line in fence[2].split("\n")[:-1]:
            assert line.startswith((BAR, "+")), line
    return " ".join(_FENCE.sub("", text).split())


def labels(text: str) -> str:
    """The first lines of fences and the labels in them, without what stands in quotation marks."""
    found = [line for line in text.split("\n") if line.startswith(("<<<quote-", "+ "))]
    return " ".join(_MARKS.sub("", "\n".join(found)).split())


def markdown_prose(text: str) -> str:
    """A page's text outside of code spans and fenced blocks, with what HTML a forge would keep."""
    told = []
    for token in MarkdownIt().parse(text):
        if token.type == "html_block":
            told.append(token.content)
        for child in token.children or ():
            if child.type != "code_inline":
                told.append(child.content)
    return " ".join(" ".join(told).split())


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[bool] = []
        self.told: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID:
            classes = (dict(attrs).get("class") or "").split()
            self.open.append(tag in {"code", "title", "style"} or "quoted" in classes)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if not any(self.open):
            self.told.append(data)


def html_prose(text: str) -> str:
    """A page's text outside of elements that are marked as quoted."""
    page = _Page()
    page.feed(text)
    page.close()
    return " ".join(" ".join(page.told).split())
