"""What a check reads follows the change, and not the size of the pot: counted, not timed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from potpie_git.checks.ranges import check_range
from potpie_git.checks.rules.samples import claim, file, owner, policy, pot, retracted
from potpie_git.checks.staged import check_staged
from potpie_git.domain.claim import Claim
from potpie_git.store.objects import ObjectReader
from potpie_git.store.repository import Repository
from tests.support.pots import PotRepo
from tests.support.trees import TreeWriter


def _others(count: int) -> list[Claim]:
    return [claim(subject=f"fix:{number:012x}", fact=f"Fix number {number}.") for number in range(1, count)]


def _pot(root: Path, count: int) -> PotRepo:
    """A pot of `count` claims on `main`, with its first claim and owner always the same."""
    made = PotRepo.at(root, gated=False)
    writer = TreeWriter(root)
    lax = policy(protected=["refs/heads/release"])
    files = {**pot(claim(), owner("payments"), *_others(count)), **file(lax)}
    writer.commit(writer.tree(files), ref="refs/heads/main")
    made.git("reset", "--quiet", "--hard")
    return made


@contextmanager
def _counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The kinds of all objects that are read."""
    kinds: list[str] = []
    real = ObjectReader.find

    def find(self: ObjectReader, name: str, *args: object, **options: object) -> object:
        found = real(self, name, *args, **options)  # type: ignore[arg-type]
        kinds.append(found.kind if found else "missing")
        return found

    monkeypatch.setattr(ObjectReader, "find", find)
    yield kinds
    monkeypatch.undo()


def test_a_staged_claim_reads_as_much_in_a_large_pot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads = {}
    for count in (20, 2_000):
        repo = _pot(tmp_path / str(count), count)
        repo.stage(
            file(claim(fact="Split the refund.")),
            file(owner("payments", truth="user_decision")),
            retracted(claim()),
        )
        with _counted(monkeypatch) as kinds:
            report = check_staged(Repository.discover(repo.root))
        assert (report.findings, report.files_checked) == ((), 4)
        reads[count] = (kinds.count("blob"), kinds.count("tree"))
    assert reads[20][0] == reads[2_000][0]
    # a folder that holds nothing in the small pot may be there in the large one
    assert reads[2_000][1] <= 40


def test_a_range_reads_as_much_in_a_large_pot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads = {}
    for count in (20, 2_000):
        repo = _pot(tmp_path / str(count), count)
        repo.branch("topic")
        repo.land(file(claim(fact="Split the refund.")), retracted(claim()))
        with _counted(monkeypatch) as kinds:
            report = check_range(Repository.discover(repo.root), "main..topic")
        assert (report.findings, report.files_checked) == ((), 3)
        reads[count] = (kinds.count("blob"), kinds.count("tree"))
    assert reads[20][0] == reads[2_000][0]
    assert reads[2_000][1] <= 40
