"""A mutation run over the verifier: whatever is flipped, dropped, reordered or doubled, nothing stays approved.

Every mutant that were still approved is listed by the failing test. `python -m tests.bench.approvals.run` counts them.
"""

from __future__ import annotations

import pytest

from potpie_git.domain.vocabulary import Risk
from tests.approvals.mutations import KINDS, policy_world, survivors, world
from tests.approvals.world import ADA, BEN

_CASES = [(kind, mode) for kind, (_, modes, _) in KINDS.items() for mode in modes]


@pytest.mark.parametrize("mode", ["signature", "signoff"])
@pytest.mark.parametrize("risk", [Risk.MEDIUM, Risk.HIGH])
def test_each_world_is_approved_before_it_is_mutated(mode: str, risk: Risk) -> None:
    names = (ADA, BEN) if risk is Risk.HIGH else (ADA,)
    assert world(mode, risk, *names).approved
    assert not world(mode, Risk.HIGH, ADA).approved
    assert policy_world(mode)[0].approved


@pytest.mark.parametrize(("kind", "mode"), _CASES)
def test_no_mutant_is_approved(kind: str, mode: str) -> None:
    mutants, _, least = KINDS[kind]
    count, alive = survivors(mutants(mode))
    assert alive == []
    assert count > least
