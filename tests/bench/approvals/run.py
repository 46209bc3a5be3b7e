"""What approvals hold against, and what they let through: `python -m tests.bench.approvals.run [--each N] [--write]`.

Four figures: mutants of everything that an approval depends on, and how many of them stay approved; honest landings by
merge, squash, rebase and queue, generated and through real git with real keys, and how many are refused; the branch
coverage of the verifier by its own tests; and the commands that a reviewer runs, as they are run here. The generators
are those of tests/approvals. With `--write` the figures go to results.json and results.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from potpie_git.checks.ranges import check_range
from potpie_git.domain.policy import Policy
from potpie_git.store.repository import Repository
from potpie_git.store.ssh import sign, signing_key
from tests.approvals.branches import EACH, METHODS, generated, landed, refusal
from tests.approvals.mutations import KINDS, signature_mutants, survivors
from tests.approvals.team import ADA, BEN, CLEO, LANDINGS, MAIN, PATHS, Team, errors
from tests.approvals.test_ssh import accepted
from tests.approvals.world import email
from tests.bench.results import keep
from tests.support import program

HERE = Path(__file__).parent
CHECKOUT = HERE.parents[2]
VERIFIER = ("verify", "people", "model", "faults")
BESIDE = ("approval", "policy", "trailers", "ssh_keys")
"""What the verifier is made of, and the parsers of `domain` that it stands on."""
TESTS = (
    "test_verify",
    "test_honest_landings",
    "test_policy",
    "test_ssh_keys",
    "test_statement",
    "test_trailers",
)
REVIEWER = ("git fetch --quiet", "git switch --quiet topic", "git potpie approve --yes --push")


def mutation_run(keys: dict[str, Path]) -> list[dict[str, Any]]:
    """Every kind of mutant in every mode: how many, and which are still approved."""
    rows = []
    for kind, (mutants, modes, _) in KINDS.items():
        for mode in modes:
            count, alive = survivors(mutants(mode))
            rows.append({"kind": kind, "mode": mode, "mutants": count, "approved": alive})
    key = signing_key(keys[ADA])
    block = sign(b"x", key)
    blocks = list(signature_mutants(block.rstrip("\n")))
    alive = [what for what, mutant in blocks if accepted(b"x", mutant, key)]
    kind = "characters of a real signature, asked of ssh-keygen"
    return [*rows, {"kind": kind, "mode": "signature", "mutants": len(blocks), "approved": alive}]


def generated_landings(each: int) -> dict[str, dict[str, int]]:
    """Honest branches for each method, and how many of them were refused."""
    found = {}
    for method, lands in METHODS.items():
        random = Random(f"bench {method}")
        refused = 0
        for _ in range(each):
            branch = generated(random)
            refused += bool(refusal(branch, landed(branch, lands(branch, random))))
        found[method] = {"honest": each, "refused": refused}
    return found


def real_landings(folder: Path, keys: dict[str, Path]) -> Iterator[dict[str, Any]]:
    """By real git and real keys, in both modes: what the check says of an honest landing, and of an edited one."""
    for mode in ("signoff", "signature"):
        for method, lands in LANDINGS.items():
            team = founded(folder / f"{mode}-{method}", keys, mode)
            author = team.approved_branch(ADA, BEN, work=lambda ann: ann.supersede(0, "Split the refund."))
            topic = author.repo.git("rev-parse", "topic")
            said = []
            for tampered in (False, True):
                author.repo.git("switch", "--quiet", "--force-create", "topic", topic)
                if tampered:
                    author.edit(PATHS[0], lambda raw: raw.replace(b"better one", b"better fix"))
                base = lands(author)
                repository = Repository.discover(author.repo.root)
                said.append(errors(check_range(repository, f"{base}..main", MAIN)))
            yield {"mode": mode, "method": method, "honest": said[0], "edited": said[1]}


def reviewer(folder: Path, keys: dict[str, Path]) -> dict[str, Any]:
    """A pull request from its push to its approval: the commands in a reviewer's clone, the check before and after."""
    team = founded(folder / "review", keys, "signature")
    author = team.branch()
    author.retract(0)
    author.push("topic")
    before = team.judged(author)
    member = team.member(ADA)
    member.repo.git("config", "user.signingKey", str(keys[ADA]))
    environment = {**os.environ, "PATH": f"{program.SCRIPTS}{os.pathsep}{os.environ['PATH']}"}
    for command in REVIEWER:
        done = subprocess.run(
            shlex.split(command), cwd=member.repo.root, env=environment, capture_output=True, text=True
        )
        if done.returncode:
            raise SystemExit(f"{command}: {done.stdout}{done.stderr}")
    author.fetch("topic")
    return {
        "commands": list(REVIEWER),
        "told": [finding.hint for finding in before.errors][:1],
        "before": errors(before),
        "after": errors(team.judged(author)),
        "last": done.stdout.strip().splitlines()[-1],
    }


def founded(folder: Path, keys: dict[str, Path], mode: str) -> Team:
    approvers = [
        {
            "name": name,
            "emails": [email(name)],
            "keys": [key.with_suffix(".pub").read_text(encoding="utf-8").strip()],
        }
        for name, key in keys.items()
    ]
    return Team.founded(
        folder, Policy.model_validate({"version": 1, "mode": mode, "approvers": approvers}), keys
    )


def coverage(folder: Path) -> dict[str, dict[str, int]]:
    """Lines and branches of each module of the verifier, by its own tests."""
    data, report = folder / "coverage", folder / "coverage.json"
    sources = [f"potpie_git/checks/approvals/{name}.py" for name in VERIFIER]
    sources += [f"potpie_git/domain/{name}.py" for name in BESIDE]
    tests = [f"tests/approvals/{name}.py" for name in TESTS]
    runs = (
        ["run", "--branch", f"--data-file={data}", "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
        ["json", "-q", f"--data-file={data}", f"--include={','.join(sources)}", "-o", str(report)],
    )
    for words in runs:
        done = subprocess.run(
            [sys.executable, "-m", "coverage", *words], cwd=CHECKOUT, capture_output=True, text=True
        )
        if done.returncode:
            raise SystemExit(done.stdout + done.stderr)
    files = json.loads(report.read_text(encoding="utf-8"))["files"]
    return {
        name: {
            "lines": files[name]["summary"]["num_statements"],
            "lines_missed": files[name]["summary"]["missing_lines"],
            "branches": files[name]["summary"]["num_branches"],
            "branches_missed": files[name]["summary"]["missing_branches"],
        }
        for name in sources
    }


def measure(each: int, folder: Path) -> dict[str, Any]:
    keys = {name: folder / name.partition(" ")[0].lower() for name in (ADA, BEN, CLEO)}
    for key in keys.values():
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    return {
        "mutations": mutation_run(keys),
        "landings": generated_landings(each),
        "real_landings": list(real_landings(folder, keys)),
        "coverage": coverage(folder),
        "reviewer": reviewer(folder, keys),
    }


def page(found: dict[str, Any]) -> str:
    """The figures as a page."""
    mutants = sum(row["mutants"] for row in found["mutations"])
    alive = sum(len(row["approved"]) for row in found["mutations"])
    honest = sum(row["honest"] for row in found["landings"].values())
    refused = sum(row["refused"] for row in found["landings"].values())
    parts = [
        "# Approvals\n\n`python -m tests.bench.approvals.run --write`\n",
        f"## Mutants\n\n{mutants:,} mutants, {alive} of them approved.\n",
        _table(
            ("what was mutated", "mode", "mutants", "approved"),
            [
                (row["kind"], row["mode"], f"{row['mutants']:,}", len(row["approved"]))
                for row in found["mutations"]
            ],
        ),
        f"## Honest landings\n\n{honest:,} generated branches, {refused} of them refused.\n",
        _table(
            ("method", "honest landings", "refused"),
            [(method, row["honest"], row["refused"]) for method, row in found["landings"].items()],
        ),
        "By real git and real keys, two approvals of a supersession; then one byte of it edited:\n",
        _table(
            ("mode", "method", "honest", "edited"),
            [
                (
                    row["mode"],
                    row["method"],
                    ", ".join(row["honest"]) or "lands",
                    ", ".join(row["edited"]) or "lands",
                )
                for row in found["real_landings"]
            ],
        ),
        "## Coverage of the verifier\n\nBy its own tests, without git; below it, the parsers that it stands on.\n",
        _table(
            ("module", "lines", "missed", "branches", "missed"),
            [(f"`{name}`", *counts.values()) for name, counts in found["coverage"].items()],
        ),
        _reviewer(found["reviewer"]),
    ]
    return "\n".join(parts)


def _reviewer(found: dict[str, Any]) -> str:
    commands = "\n".join(f"$ {command}" for command in found["commands"])
    return (
        f"## A reviewer\n\n{len(found['commands'])} commands from a pushed branch to a pushed approval:\n\n"
        f"```console\n{commands}\n```\n\nThe check says {', '.join(found['before'])} before them and "
        f"{', '.join(found['after']) or 'nothing'} after them. It tells what to do: {found['told'][0]!r}; the last "
        f"command ends with {found['last']!r}.\n"
    )


def _table(head: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--each", type=int, default=EACH, help="honest branches for each method of landing")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    os.environ |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_EDITOR": "true"}
    with tempfile.TemporaryDirectory() as folder:
        found = measure(given.each, Path(folder))
    text = page(found)
    print(text)
    if given.write:
        keep(HERE, found, text)


if __name__ == "__main__":
    main()
