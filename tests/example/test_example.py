"""The example pot: complete, valid by every rule and schema, and as varied as the vocabulary."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from potpie_git.checks.staged import check_rev
from potpie_git.domain.layout import FileKind, kind_of
from potpie_git.domain.schema import FILE_MODELS
from potpie_git.domain.vocabulary import ENTITY_TYPES, PREDICATES, SOURCE_AUTHORITIES, TRUTH_STRENGTH
from potpie_git.store.codec import canonical, decode
from potpie_git.store.repository import Repository
from tests.support.git_repo import GitRepo

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / ".potpie-example"
FILES = sorted(path.relative_to(EXAMPLE).as_posix() for path in EXAMPLE.rglob("*.yaml"))
CLAIMS = [
    decode(path, (EXAMPLE / path).read_bytes()).record for path in FILES if kind_of(path) is FileKind.CLAIM
]


def test_every_file_is_in_its_canonical_form() -> None:
    assert [
        path
        for path in FILES
        if canonical(path, (EXAMPLE / path).read_bytes()) != (EXAMPLE / path).read_bytes()
    ] == []


@pytest.mark.parametrize(
    "kind", [kind for kind in FILE_MODELS if any(kind_of(path) is kind for path in FILES)]
)
def test_every_file_validates_under_check_jsonschema(kind: FileKind) -> None:
    schema = ROOT / "schema" / f"{kind.value}.schema.json"
    files = [str(EXAMPLE / path) for path in FILES if kind_of(path) is kind]
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--schemafile", str(schema), *files],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def test_the_whole_tree_passes_every_rule(git_repo: GitRepo) -> None:
    git_repo.commit(
        files={f".potpie/{path}": (EXAMPLE / path).read_bytes() for path in [*FILES, ".gitattributes"]}
    )
    report = check_rev(Repository.discover(git_repo.root), "HEAD")
    assert report.findings == ()
    assert report.files_checked == len(FILES) + 1


def test_every_public_type_predicate_truth_and_authority_is_used() -> None:
    assert len(CLAIMS) >= 80
    types = {claim.subject_type for claim in CLAIMS} | {claim.object_type for claim in CLAIMS}
    assert {name for name, entity in ENTITY_TYPES.items() if entity.public} <= types
    assert {name for name, predicate in PREDICATES.items() if predicate.public} <= {
        claim.predicate for claim in CLAIMS
    }
    assert {claim.truth for claim in CLAIMS} == set(TRUTH_STRENGTH)
    authorities = {item.authority for claim in CLAIMS for item in claim.evidence or ()}
    assert set(SOURCE_AUTHORITIES) <= authorities


def test_some_of_it_was_withdrawn_and_superseded() -> None:
    withdrawn = Counter(claim.invalidation.op for claim in CLAIMS if claim.invalidation)
    assert set(withdrawn) == {"retract_claim", "supersede_claim", "end_relation_validity"}
    assert withdrawn["supersede_claim"] == sum(claim.predicate == "SUPERSEDES" for claim in CLAIMS)
