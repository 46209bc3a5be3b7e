"""Rules over names and modes, as git stores them: what no file content can excuse (F14, F18, F19, H05)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from potpie_git.checks.places import is_place
from potpie_git.domain.findings import Finding
from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.store.errors import UnsafePathError
from potpie_git.store.git import decode
from potpie_git.store.names import folded_name
from potpie_git.store.snapshot import Anomaly, Problem, Snapshot, anomalies

_AT_THE_TOP: Final = {Problem.SYMLINK, Problem.SUBMODULE, Problem.NOT_A_DIRECTORY, Problem.LOOK_ALIKE}
_RESTORE: Final = "Restore the directory (`git checkout HEAD -- .potpie`)."
_WHAT: Final = {
    Problem.SYMLINK: "a symbolic link stands here; its target was not read",
    Problem.SUBMODULE: "a submodule stands here",
    Problem.NOT_A_DIRECTORY: "a file stands where the pot's directory belongs",
    Problem.UNSAFE_NAME: "the name holds what no file name may",
    Problem.GIT_NAME: "some file systems take this name for .git",
    Problem.DUPLICATE: "the name stands twice in one directory",
    Problem.DISORDER: "the entries of the directory are not in order",
    Problem.TOO_DEEP: "the directory lies deeper than any file of a pot",
}


@dataclass(frozen=True, slots=True)
class Entries:
    """Findings on tree entries, and the paths (relative to the pot) that are not worth another look."""

    findings: tuple[Finding, ...]
    refused: frozenset[str]

    @property
    def covers_all(self) -> bool:
        """True if the tree is so odd that its files cannot be listed."""
        return "" in self.refused

    def covers(self, path: str) -> bool:
        """True if `path`, or a directory above it, was refused already."""
        while path:
            if path in self.refused:
                return True
            path = path.rpartition("/")[0]
        return False


def entry_findings(before: Snapshot | None, after: Snapshot) -> Entries:
    """What is wrong with the names and modes of `after`; with `before`, what is new since then."""
    try:
        found = anomalies(after, before)
    except UnsafePathError as error:
        deep = Finding(code="PG-F18", path=POT_DIRECTORY, message=error.message, hint="Remove the entry.")
        return Entries((deep,), frozenset({""}))
    pairs = [(anomaly, _finding(anomaly)) for anomaly in _once(found)]
    refused = {_pot_path(anomaly) for anomaly, _ in pairs}
    return Entries(tuple(finding for _, finding in pairs), frozenset(refused))


def _once(found: Iterable[Anomaly]) -> Iterator[Anomaly]:
    """A pair of twins is one problem: that of the one that no program wrote."""
    for anomaly in found:
        path = _pot_path(anomaly)
        folder = path.rpartition("/")[0]
        other = f"{folder}/{anomaly.other}".removeprefix("/")
        if anomaly.problem is not Problem.TWIN or _oddness(path) > _oddness(other):
            yield anomaly


def _oddness(path: str) -> tuple[bool, bool, str]:
    """Greater for the path that is less likely to be a governed file's, or a directory of such."""
    name = path.rpartition("/")[2]
    return not is_place(path), name != folded_name(name), path


def _pot_path(anomaly: Anomaly) -> str:
    return decode(anomaly.path).removeprefix(POT_DIRECTORY).removeprefix("/")


def _finding(anomaly: Anomaly) -> Finding:
    problem = anomaly.problem
    shown = anomaly.path.decode("utf-8", "backslashreplace")
    code, message, hint = _explained(anomaly, b"/" not in anomaly.path)
    return Finding(code=code, path=shown, message=message or _WHAT[problem], hint=hint)


def _explained(anomaly: Anomaly, at_the_top: bool) -> tuple[str, str, str]:
    """Code, message (empty: the problem's own) and hint."""
    problem = anomaly.problem
    if at_the_top and problem in _AT_THE_TOP:
        if problem is Problem.LOOK_ALIKE:
            hint = f"Remove it or rename it; the pot is {POT_DIRECTORY}/ alone."
            return "PG-H05", f"this name passes for {POT_DIRECTORY} on some machine or to the eye", hint
        return "PG-H05", "", _RESTORE
    if problem in {Problem.SYMLINK, Problem.SUBMODULE}:
        return "PG-F14", "", "Write a plain file in its place, or remove the entry."
    if problem is Problem.MODE:
        hint = "Take the executable bit away: `git update-index --chmod=-x PATH`."
        return "PG-F14", f"the mode is {anomaly.other}, and a record's is 100644", hint
    if problem is Problem.TWIN:
        hint = "Remove the one that the program did not write."
        return "PG-F19", f"some file systems take this name and {anomaly.other!r} for one", hint
    return "PG-F18", "", "Remove the entry; `git potpie` writes no such name."
