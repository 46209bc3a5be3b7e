"""The repository in which documented commands are run: the example pot, a short history, and a clock that stands still.

Names, times and messages are fixed, so that every commit has the same id wherever it is made.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from potpie_git.cli.demo.play import SAMPLES, copy_samples
from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.store.resources import resource_dir

NOW = "2026-09-28T09:00:00+00:00"
_STILL = Path(__file__).parent / "still"
_MERGE = """Merge pull request #41 from furrowfen/cap-synonyms

Cap the walk over synonyms, and decide frost nights at noon"""
_FIX = (
    "git potpie record fix --scope service:parcel-desk --evidence github:pr:furrowfen/commons:44"
    " -d symptom_signature='Labels print blank after the ribbon is changed'"
    " -d fix_steps='Send the calibration command once after a ribbon change'"
    " -d attempted_failed_fixes='Restarting the print spooler'"
)


@dataclass(frozen=True, slots=True)
class Stage:
    """A repository and what is fixed around it."""

    root: Path

    def environment(self, moment: str = NOW, author: str = "Wren Adeyemi") -> dict[str, str]:
        """Whose commands they are and what time it is: nothing of the machine but its PATH."""
        address = f"{author.partition(' ')[0].lower()}@furrowfen.example"
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TMPDIR") if name in os.environ}
        people = {
            f"GIT_{role}_{part}": text
            for role in ("AUTHOR", "COMMITTER")
            for part, text in (("NAME", author), ("EMAIL", address), ("DATE", moment))
        }
        return (
            kept
            | people
            | {
                "PATH": os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", "")]),
                "PYTHONPATH": str(_STILL),
                "SNIPPETS_NOW": moment,
                "HOME": str(self.root.parent),
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_CONFIG_GLOBAL": os.devnull,
                "GIT_PAGER": "cat",
                "LC_ALL": "C.UTF-8",
                "TZ": "UTC",
                "COLUMNS": "100",
            }
        )

    def run(self, command: str) -> str:
        """What a shell command prints, standard error among it, as on a terminal. A refusal is an answer too."""
        return self._shell(command, self.environment()).stdout.decode("utf-8")

    def copy(self, target: Path) -> Stage:
        """Another repository that is the same."""
        return Stage(Path(shutil.copytree(self.root, target, symlinks=True)))

    def must(self, command: str, *, at: str, by: str) -> None:
        """Run a command that has to succeed, at a time and as somebody."""
        done = self._shell(command, self.environment(at, by))
        if done.returncode:
            raise SystemExit(f"{command}: {done.stdout.decode('utf-8', 'replace')}")

    def commit(self, message: str, *, at: str, by: str) -> None:
        """Commit everything as it stands."""
        self.must(f"git add --all && git commit --quiet --no-verify -m '{message}'", at=at, by=by)

    def _shell(self, command: str, environment: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["bash", "-c", command],
            check=False,
            cwd=self.root,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )


def build_stage(root: Path) -> Stage:
    """A repository whose memory is the example pot; its last commit lies on a branch, and its index is up to date."""
    root.mkdir(parents=True)
    stage = Stage(root)
    first = {"at": "2026-03-02T09:10:00+00:00", "by": "Ines Okafor"}
    stage.must("git init --quiet --initial-branch=main", **first)
    stage.must("git remote add origin https://github.com/furrowfen/commons.git", **first)
    copy_samples(SAMPLES / "sources", root)
    stage.commit("The code of a seed commons", **first)
    shutil.copytree(resource_dir("example"), root / POT_DIRECTORY)
    stage.commit("What the team knows", at="2026-09-23T08:00:00+00:00", by="Bram Teuling")
    stage.must("git switch --quiet -c cap-synonyms", **first)
    copy_samples(SAMPLES / "repaired", root)
    stage.commit("Stop after a hundred synonyms", at="2026-09-24T14:20:00+00:00", by="Wren Adeyemi")
    merged = {"at": "2026-09-25T07:45:00+00:00", "by": "Ines Okafor"}
    stage.must(f"git switch --quiet main && git merge --quiet --no-ff -m '{_MERGE}' cap-synonyms", **merged)
    stage.must("git branch --quiet -d cap-synonyms && git switch --quiet -c ribbon", **merged)
    stage.must(_FIX, at="2026-09-26T10:30:00+00:00", by="Wren Adeyemi")
    stage.must("git potpie index sync", at=NOW, by="Wren Adeyemi")
    return stage
