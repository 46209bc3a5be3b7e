"""The stream of YAML events of a text, from libyaml where it is there, else from PyYAML's own parser.

Events are never composed into nodes by a library: nothing recurses, and no alias is ever followed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner


class PurePythonParser(Reader, Scanner, Parser):
    """PyYAML's reader, scanner and parser, without composer, constructor or resolver."""

    def __init__(self, raw: bytes) -> None:
        Reader.__init__(self, raw)
        Scanner.__init__(self)
        Parser.__init__(self)


FastestParser: Callable[[bytes], Any]
try:
    from yaml.cyaml import CParser as FastestParser  # type: ignore[attr-defined]
except ImportError:
    FastestParser = PurePythonParser

YamlEvent = Any
"""One of `yaml.events`, with both marks set (the type hints of PyYAML let them be None)."""


def event_source(raw: bytes) -> Callable[[], YamlEvent]:
    """A function that returns the next event of `raw` (UTF-8) on each call, up to the `StreamEndEvent`.

    Marks count characters from 0. The function raises `yaml.YAMLError` where the text is no YAML.
    """
    next_event: Callable[[], YamlEvent] = FastestParser(raw).get_event
    return next_event
