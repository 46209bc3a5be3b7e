"""`fmt`: canonical form with comments kept, nothing lost, and what does not parse left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from potpie_git.domain.claim import new_claim
from potpie_git.domain.errors import NotFoundError
from potpie_git.domain.layout import claim_path
from potpie_git.store.codec import encode
from potpie_git.store.repository import Repository
from potpie_git.store.second_reader import read_as_text, reads_alike
from potpie_git.write import formatting
from potpie_git.write.formatting import format_files
from tests.support.git_repo import GitRepo

CLAIM = new_claim(
    subject="service:a",
    predicate="DEPENDS_ON",
    object="service:b",
    fact="no: it is 1.10",
    provenance={"recorded_at": "2026-06-02T08:15:00Z", "confidence": 0.5},
)
PATH = f".potpie/{claim_path(CLAIM)}"
CANONICAL = encode(CLAIM)
UNTIDY = CANONICAL.replace(b"subject: service:a\n", b"# why\nsubject:   'service:a'  # who\n")


def test_an_untidy_file_is_rewritten_with_its_comments(git_repo: GitRepo) -> None:
    git_repo.write(PATH, UNTIDY)
    report = format_files(Repository.discover(git_repo.root), [], write=True)
    assert report.changed == (PATH,)
    made = (git_repo.root / PATH).read_bytes()
    assert b"# why\n" in made
    assert b"# who\n" in made
    assert read_as_text(made) == read_as_text(UNTIDY)
    assert format_files(Repository.discover(git_repo.root), [], write=True).changed == ()


def test_a_check_writes_nothing(git_repo: GitRepo) -> None:
    git_repo.write(PATH, UNTIDY)
    assert format_files(Repository.discover(git_repo.root), [], write=False).changed == (PATH,)
    assert (git_repo.root / PATH).read_bytes() == UNTIDY


def test_what_does_not_parse_is_named_and_left_alone(git_repo: GitRepo) -> None:
    git_repo.write(PATH, CANONICAL + b"fact: twice\n")
    report = format_files(Repository.discover(git_repo.root), [], write=True)
    assert [finding.path for finding in report.findings] == [PATH]
    assert (git_repo.root / PATH).read_bytes() == CANONICAL + b"fact: twice\n"


def test_a_file_that_would_read_differently_is_left_alone(
    git_repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    git_repo.write(PATH, UNTIDY)
    monkeypatch.setattr(formatting, "canonical", lambda path, raw: CANONICAL.replace(b"1.10", b"1.1"))
    report = format_files(Repository.discover(git_repo.root), [], write=True)
    assert report.changed == ()
    assert "another YAML reader" in report.findings[0].message
    assert (git_repo.root / PATH).read_bytes() == UNTIDY


def test_only_what_was_named_is_touched(git_repo: GitRepo) -> None:
    git_repo.write(PATH, UNTIDY)
    with pytest.raises(NotFoundError):
        format_files(Repository.discover(git_repo.root), [Path("README.md")], write=True)
    with pytest.raises(NotFoundError):
        format_files(Repository.discover(git_repo.root), [Path(".potpie/entities")], write=True)
    assert format_files(Repository.discover(git_repo.root), [Path(PATH)], write=True).examined == 1


@pytest.mark.parametrize(
    ("before", "after", "alike"),
    [(b"a: no\n", b'a: "no"\n', True), (b"a: 1\n", b"a: 2\n", False), (b"a: [\n", b"a: b\n", False)],
)
def test_the_second_reader_tells_texts_apart(before: bytes, after: bytes, alike: bool) -> None:
    assert reads_alike(before, after) is alike
