"""What a document shows as printed is what the installed program prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from potpie_git.devtools.snippets import pages, printed, same, snippets
from potpie_git.devtools.stage import Stage, build_stage
from potpie_git.domain.vocabulary import VIEWS

ROOT = Path(__file__).resolve().parents[2]
PAGES = pages(ROOT)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return build_stage(tmp_path_factory.mktemp("stage") / "commons")


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_a_page_shows_what_is_printed(page: Path, stage: Stage, tmp_path: Path) -> None:
    text = page.read_text("utf-8")
    assert printed(text, stage.copy(tmp_path / "commons")) == text, "run the generator of snippets"


def test_every_view_is_shown() -> None:
    shown = [snippet.command for snippet in snippets((ROOT / "docs/views.md").read_text("utf-8"))]
    for view in VIEWS.values():
        words = f"git potpie graph read --subgraph {view.subgraph} --view {view.name}"
        assert any(command.replace("\\\n", "").startswith(words) for command in shown), view.key


PAGE = """Text

<!-- printed -->
```console
$ echo one; \\
    echo two >&2
one
two

$ echo 0.51
0.52
```

```console
$ not run
```
"""


def test_a_page_that_says_something_else_is_written_anew(stage: Stage) -> None:
    assert [snippet.command for snippet in snippets(PAGE)] == ["echo one; \\\n    echo two >&2", "echo 0.51"]
    assert printed(PAGE, stage) == PAGE
    for wrong in (PAGE.replace("two\n", "2\n"), PAGE.replace("0.52", "0.56"), PAGE.replace("0.52\n", "")):
        right = printed(wrong, stage)
        assert right != wrong
        assert same(right.replace("0.51", "0.52"), PAGE)


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ("0.50  a", "0.51  a", True),
        ("0.50  a", "0.55  a", False),
        ("0.50  a", "0.50  b", False),
        ("1.00", "0.99", True),
        ("v1.31", "v1.32", False),
        ("0.5", "0.5 0.5", False),
    ],
)
def test_only_the_last_digits_of_scores_may_differ(left: str, right: str, equal: bool) -> None:
    assert same(left, right) is equal


def test_the_stage_is_the_same_wherever_it_is_built(stage: Stage, tmp_path: Path) -> None:
    again = build_stage(tmp_path / "elsewhere" / "commons")
    assert again.run("git log --format=%H") == stage.run("git log --format=%H") != ""
