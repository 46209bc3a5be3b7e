"""What the documents show is there: snippets run, commands and their options exist, links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from potpie_git.cli.commands_table import COMMANDS
from potpie_git.cli.lazy import load_command
from tests.support.git_repo import GitRepo
from tests.support.program import ok

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")


def blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in FENCE.findall(page.read_text("utf-8")) if kind == language]


def commands(page: Path) -> list[list[str]]:
    """The words of every `$ git potpie …` line of a page's console blocks."""
    found = []
    for block in blocks(page, "console"):
        joined = block.replace("\\\n", " ")
        for line in joined.splitlines():
            if line.startswith("$ git potpie "):
                found.append(shlex.split(line.removeprefix("$ git potpie "))[:])
    return found


CASES = [(page, words) for page in PAGES for words in commands(page)]


@pytest.mark.parametrize(
    ("page", "words"), CASES, ids=[f"{page.name}: {' '.join(words)[:50]}" for page, words in CASES]
)
def test_every_shown_command_exists_with_its_options(page: Path, words: list[str]) -> None:
    table, rest = COMMANDS, list(words)
    spec = None
    while rest and rest[0] in table:
        spec = table[rest[0]]
        name = rest.pop(0)
        if isinstance(spec.target, str):
            break
        table = spec.target
    assert spec is not None, words
    assert isinstance(spec.target, str), words
    command = load_command(name, spec)
    options = {
        option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)
    }
    for word in rest:
        if word.startswith("--") and word != "--json":
            assert word.partition("=")[0] in options, (word, words)


def test_the_readmes_library_snippet_runs(git_repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    ok(git_repo.root, "init", "--no-hooks")
    (snippet,) = blocks(ROOT / "README.md", "python")
    monkeypatch.chdir(git_repo.root)
    shown: list[tuple[object, ...]] = []
    exec(compile(snippet, "README.md", "exec"), {"print": lambda *held: shown.append(held)})
    assert shown[0][1] == "service:payments"


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text("utf-8")):
        assert (page.parent / target).exists(), target
