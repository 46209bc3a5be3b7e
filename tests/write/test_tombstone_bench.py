"""What the committed figures promise holds: a withdrawal binds, and honest claims are left in peace."""

from __future__ import annotations

import json
from pathlib import Path

from tests.bench.tombstones.run import HERE, SAME, document, measure


def test_withdrawn_values_are_refused_in_every_guise_and_honest_claims_hardly_flagged(tmp_path: Path) -> None:
    results = measure(tmp_path)
    same = {kind: counts for kind, counts in results.items() if kind.startswith("same value")}
    assert len(same) == 2 * len(SAME) + 1
    for kind, counts in same.items():
        assert set(counts) == {"refused"}, kind
        assert sum(counts.values()) >= 60
    others = {kind: counts for kind, counts in results.items() if kind not in same}
    assert all(counts.get("refused", 0) == 0 for counts in others.values())
    honest = [counts for kind, counts in results.items() if kind.startswith("honest")]
    total = sum(sum(counts.values()) for counts in honest)
    assert total >= 300
    assert sum(counts.get("flagged", 0) for counts in honest) <= total * 0.05
    assert results["light"]["flagged"] >= 0.95 * sum(results["light"].values())
    assert results["reworded"]["flagged"] >= 0.5 * sum(results["reworded"].values())
    assert results["negated (new claims)"]["passed"] >= 0.85 * sum(results["negated (new claims)"].values())
    # the committed figures are those of this code and these sets
    assert json.loads((HERE / "results.json").read_text(encoding="utf-8")) == results
    assert (HERE / "results.md").read_text(encoding="utf-8") == document(results)
