"""CODEOWNERS: the last matching rule wins, by the rules that hosts document."""

import pytest

from potpie_git.store.derived.codeowners import parse_codeowners


def _owners(text: str, path: str) -> list[str]:
    return parse_codeowners(text, "CODEOWNERS").owners_of(path)


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*", "a.txt", True),
        ("*", "deep/er/a.txt", True),
        ("*.js", "app.js", True),
        ("*.js", "src/app.js", True),
        ("*.js", "src/app.jsx", False),
        ("/build/logs/", "build/logs/a.log", True),
        ("/build/logs/", "build/logs/deep/a.log", True),
        ("/build/logs/", "src/build/logs/a.log", False),
        ("/build/logs/", "build/logs", False),
        ("docs/*", "docs/getting-started.md", True),
        ("docs/*", "docs/build-app/troubleshooting.md", False),
        ("docs/*", "src/docs/a.md", False),
        ("docs/**", "docs/build-app/troubleshooting.md", True),
        ("apps/", "apps/a.rb", True),
        ("apps/", "src/apps/deep/a.rb", True),
        ("/docs/", "docs/a.md", True),
        ("/docs/", "src/docs/a.md", False),
        ("/docs", "docs/deep/a.md", True),
        ("/docs", "docs", True),
        ("**/logs", "logs/a.log", True),
        ("**/logs", "deeply/nested/logs/a.log", True),
        ("/scripts/**/test.sh", "scripts/test.sh", True),
        ("/scripts/**/test.sh", "scripts/a/b/test.sh", True),
        ("a/**/b", "a/x/y/b/file", True),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/*/api.py", "src/x/api.py", True),
        ("src/*/api.py", "src/x/y/api.py", False),
        ("/a?.txt", "ab.txt", True),
        ("/a?.txt", "a/.txt", False),
        ("README.md", "deep/README.md", True),
        ("README.md", "READMExmd", False),
        ("/apps/github", "apps/github/deep/a", True),
        ("/Apps/", "apps/a", False),
        ("/", "a", False),
        ("/**", "deep/a", True),
        ("[ab].txt", "a.txt", False),
    ],
)
def test_patterns(pattern: str, path: str, matches: bool) -> None:
    assert bool(_owners(f"{pattern} @owner\n", path)) is matches


def test_the_last_match_wins_whatever_its_precision() -> None:
    text = "* @all\n/src/ @src\n*.md @docs\n"
    assert _owners(text, "src/a.py") == ["@src"]
    assert _owners(text, "src/a.md") == ["@docs"]
    assert _owners(text, "other.txt") == ["@all"]


def test_a_rule_without_owners_takes_ownership_away() -> None:
    text = "/apps/ @octocat\n/apps/github\n"
    assert _owners(text, "apps/a.rb") == ["@octocat"]
    assert _owners(text, "apps/github/a.rb") == []


def test_comments_blank_lines_and_inline_comments() -> None:
    text = "# *.txt @nobody\n\n   \n*.txt  @a\t@b # and not @c\n*.md # nobody\n"
    assert _owners(text, "x.txt") == ["@a", "@b"]
    assert _owners(text, "x.md") == []


def test_spaces_and_hashes_in_a_pattern_are_escaped() -> None:
    assert _owners("/with\\ space/ @a\n", "with space/x") == ["@a"]
    assert _owners("/with\\ space/ @a\n", "with/x") == []
    assert _owners("a\\#b @a\n", "a#b") == ["@a"]


def test_negations_are_ignored() -> None:
    assert _owners("*.py @a\n!x.py @b\n", "x.py") == ["@a"]


def test_lines_end_as_windows_writes_them_and_a_byte_order_mark_is_passed_over() -> None:
    assert _owners("\ufeff*.py @a\r\n*.md @b\r\n", "x.py") == ["@a"]


def test_every_section_has_its_own_last_match() -> None:
    text = "* @default\n[Docs] @writers\n*.md\n/a/*.md @special\n^[Ops][2] @ops\n*.tf\n"
    assert _owners(text, "b.md") == ["@default", "@writers"]
    assert _owners(text, "a/b.md") == ["@default", "@special"]
    assert _owners(text, "x.tf") == ["@default", "@ops"]


def test_a_rule_knows_its_line() -> None:
    (rule,) = parse_codeowners("# x\n\n*.py @a\n", "CODEOWNERS").rules
    assert (rule.line, rule.pattern, rule.owners) == (3, "*.py", ("@a",))


@pytest.mark.parametrize("pattern", ["*" * 40 + "b", "**/" * 30 + "x", "a*" * 30 + "b", "*a" * 30 + "b"])
def test_a_hostile_pattern_is_answered_all_the_same(pattern: str) -> None:
    path = "/".join(["a" * 40] * 40)
    assert _owners(f"{pattern} @a\n", path) == []
    assert _owners(f"{pattern} @a\n", f"{path}/{'a' * 40}b/x") == ["@a"]
