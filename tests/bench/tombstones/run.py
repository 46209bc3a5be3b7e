"""How well a withdrawal binds: `python -m tests.bench.tombstones.run [--write]`.

Every claim of withdrawn.json is asserted, committed and withdrawn in a temporary repository. Then its value is
proposed again in many guises, and the claims of honest.json beside it, through the same `propose` that everybody uses.
A guise is *refused* (PG-T01), *flagged* (accepted at medium risk, with the tombstone named) or *passed*. With `--write`
the figures go to results.json and results.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from potpie_git.domain.claim import Actor
from potpie_git.domain.errors import IssuesError
from potpie_git.domain.plan import Plan
from potpie_git.domain.text import sha256_hex
from potpie_git.store.repository import Repository
from potpie_git.write.setup import create_pot
from potpie_git.write.writer import Writer

HERE = Path(__file__).parent
NOW = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)
EVIDENCE = [{"source_ref": "ci:bench", "authority": "ci_run"}]
Held = Mapping[str, Any]
# Guises of one text that say the very same: each must be refused.
SAME: Mapping[str, Callable[[str], str]] = {
    "as it was": lambda text: text,
    "case": lambda text: text.swapcase(),
    "width": lambda text: "".join(
        chr(ord(c) + 0xFEE0) if "!" <= c <= "~" and c.isalpha() else c for c in text
    ),
    "spacing": lambda text: f"  {text.replace(' ', '   ')} ".replace("   ", " \t ", 1),
    "line breaks": lambda text: text.replace(" ", "\n", 2),
    "punctuation": lambda text: f"«{text.rstrip('.')}»!",
    "zero-width": lambda text: text[:3] + "\u200b" + text[3:9] + "\u2060" + text[9:],
    "composition": lambda text: unicodedata.normalize("NFD", text),
}
RELATIONS = ("corrected", "same_topic", "close_wording", "unrelated")


def load(name: str) -> list[Held]:
    return list(json.loads((HERE / name).read_text(encoding="utf-8"))["claims"])


def assertion(
    held: Held, *, text: str | None = None, subject: str | None = None, object_key: str | None = None
) -> Any:
    """One claim of the sets as an operation, with another text or other keys."""
    operation = {
        "op": "assert_claim",
        "subject": subject or held["subject"],
        "predicate": held["predicate"],
        "object": object_key or held["object"],
        "fact": text or held["fact"],
        "truth": held["truth"],
        "environment": held.get("environment"),
        "evidence": EVIDENCE,
    }
    return {name: value for name, value in operation.items() if value is not None}


def other_key(key: str) -> str:
    """Another key of the same type, as a caller would mint one."""
    head, _, rest = key.partition(":")
    if head in {"fix", "decision", "document", "observation", "quality"}:
        return f"{head}:{sha256_hex(key)[:12]}"
    return f"{head}:{rest}-again"


def withdraw_all(writer: Writer, withdrawn: Iterable[Held]) -> None:
    operations, reasons = [], []
    for held in withdrawn:
        operations.append(assertion(held))
        reasons.append((held["op"], held["reason"]))
    made = writer.propose({"operations": operations})
    writer.commit(made.plan_id)
    withdrawals = [
        {"op": "retract_claim", "claim": claim, "reason": reason}
        if op == "retract_claim"
        else {
            "op": "supersede_claim",
            "claim": claim,
            "reason": reason,
            "superseded_by": {
                "fact": f"What stands instead is told elsewhere, item {number}.",
                "evidence": EVIDENCE,
            },
        }
        for number, (claim, (op, reason)) in enumerate(zip(made.diff.claims_asserted, reasons, strict=True))
    ]
    writer.commit(writer.propose({"operations": withdrawals}).plan_id)


def verdicts(writer: Writer, operations: list[Any]) -> list[str]:
    """What becomes of each operation of a batch."""
    try:
        plan: Plan = writer.propose({"operations": operations})
    except IssuesError as error:
        plan = writer.plan(error.detail["plan_id"])
    refused = {issue["op_index"] for issue in plan.issues if issue["code"] == "PG-T01"}
    flagged = {warning["op_index"] for warning in plan.warnings if warning["code"] == "near_tombstone"}
    return [
        "refused" if index in refused else "flagged" if index in flagged else "passed"
        for index in range(len(operations))
    ]


def measure(root: Path) -> dict[str, dict[str, int]]:
    """Verdicts by kind, from a pot made in the empty directory `root`."""
    subprocess.run(["git", "init", "-q", "-b", "bench", str(root)], check=True)
    repository = Repository.discover(root)
    create_pot(repository, NOW)
    writer = Writer(repository, Actor(surface="bench", user="bench"), clock=lambda: NOW)
    withdrawn, honest = load("withdrawn.json"), load("honest.json")
    withdraw_all(writer, withdrawn)
    kinds: dict[str, list[Any]] = {}
    for name, guise in SAME.items():
        kinds[f"same value: {name}"] = [assertion(held, text=guise(held["fact"])) for held in withdrawn]
        kinds[f"same value, other subject: {name}"] = [
            assertion(held, text=guise(held["fact"]), subject=other_key(held["subject"]))
            for held in withdrawn
        ]
    kinds["same value, other subject and object"] = [
        assertion(held, subject=other_key(held["subject"]), object_key=other_key(held["object"]))
        for held in withdrawn
    ]
    for kind in ("light", "reworded"):
        for label, renamed in (("", False), (", other subject and object", True)):
            kinds[f"{kind}{label}"] = [
                assertion(
                    held,
                    text=text,
                    subject=other_key(held["subject"]),
                    object_key=other_key(held["object"]) if renamed else None,
                )
                for held in withdrawn
                for text in held["reassertions"][kind]
            ]
    kinds["negated (new claims)"] = [
        assertion(held, text=text) for held in withdrawn for text in held["new_claims"]["negated"]
    ]
    for relation in RELATIONS:
        kinds[f"honest: {relation}"] = [assertion(held) for held in honest if held["relation"] == relation]
    return {kind: dict(Counter(verdicts(writer, operations))) for kind, operations in kinds.items()}


def table(results: Mapping[str, Mapping[str, int]]) -> str:
    lines = ["| what is proposed | of | refused | flagged | passed |", "| --- | --- | --- | --- | --- |"]
    for kind, counts in results.items():
        shown = " | ".join(str(counts.get(verdict, 0)) for verdict in ("refused", "flagged", "passed"))
        lines.append(f"| {kind} | {sum(counts.values())} | {shown} |")
    return "\n".join(lines)


def document(results: Mapping[str, Mapping[str, int]]) -> str:
    honest = Counter[str]()
    for kind, counts in results.items():
        if kind.startswith("honest"):
            honest.update(counts)
    alarms, total = honest["flagged"] + honest["refused"], sum(honest.values())
    share = 100 * alarms / total
    return f"""# Withdrawn values that come back

Made by `python -m tests.bench.tombstones.run --write` from withdrawn.json and honest.json, which stand beside it. The
thresholds of `potpie_git/domain/validation/nearness.py` were chosen on these sets.

False alarms on {total} honest new claims: {alarms} ({share:.1f} %), of which refused: {honest["refused"]}.

{table(results)}

A value is the same for every guise that a rewriter may choose without changing a word; each is refused, under any key.
What is reworded is compared by words alone: a light edit is nearly always flagged, a free paraphrase in about half of
the cases, and more often where it shares its object with what was withdrawn. A text that denies the withdrawn one,
gives other numbers or names another object is taken for a correction. Those that are flagged all the same share nearly
every word, or deny in another clause.
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write results.json and results.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            f"GIT_{role}_{what}": "bench@example.com"
            for role in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        results = measure(Path(folder))
    if options.write:
        (HERE / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        (HERE / "results.md").write_text(document(results), encoding="utf-8")
    print(table(results))


if __name__ == "__main__":
    main()
