"""The acts of the demo. Each does something real and tells it in a few lines."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from potpie_git.cli.render.evidence import headline
from potpie_git.domain.envelope import EvidenceItem
from potpie_git.domain.errors import RefusedError
from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.pot import Pot, Progress
from potpie_git.store.git import CompletedGit, Git
from potpie_git.store.resources import resource_dir

COMPANY = "Furrow & Fen Seed Commons, a cooperative of allotment gardeners"
QUESTIONS = (
    "People got the warning the morning after their courgettes froze. Have we seen that before?",
    "The pager goes off whenever somebody walks into the cold store",
    "Polish and Czech names turn into little squares on the sticker",
    "Nobody can sign in for a few minutes after the weekly newsletter",
)
SAMPLES = Path(__file__).parent
_SUFFIX = ".sample"
_EDITED = "bug_pattern:humidity-spike-door"


@dataclass(slots=True)
class Play:
    """A running demo: `say` prints a line as it happens, `acts` collects what a machine wants to know."""

    folder: Path
    say: Callable[[str], None]
    acts: list[dict[str, Any]] = field(default_factory=list)

    @property
    def git(self) -> Git:
        return Git(self.folder)

    def act(self, name: str, **facts: Any) -> None:
        self.acts.append({"act": name, **facts})


def copy_samples(source: Path, target: Path) -> int:
    """Copy the sample files below `source` to `target` without their suffix; returns how many."""
    found = sorted(source.rglob(f"*{_SUFFIX}"))
    for path in found:
        place = target / path.relative_to(source).with_suffix("")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
    return len(found)


def play(stage: Play, progress: Progress | None = None) -> list[dict[str, Any]]:
    """Play every act and return what happened."""
    pot = _settle(stage)
    _index(stage, pot, progress)
    for number, question in enumerate(QUESTIONS, 1):
        _ask(stage, pot, number, question)
    _refuse(stage, pot)
    return stage.acts


def _settle(stage: Play) -> Pot:
    git = stage.git
    git.user_run("init", "--quiet", "--initial-branch=main")
    # The demo must not depend on who runs it, nor ask for a signature.
    for name, value in (
        ("user.name", "Demo"),
        ("user.email", "demo@furrowfen.example"),
        ("commit.gpgsign", "false"),
    ):
        git.user_run("config", name, value)
    copy_samples(SAMPLES / "sources", stage.folder)
    _commit(git, "The code of a seed commons")
    shutil.copytree(resource_dir("example"), stage.folder / POT_DIRECTORY)
    pot = Pot.open(stage.folder)
    pot.install_hooks()
    done = _commit(git, "What the team knows")
    if done.status:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise RefusedError(f"the example did not pass its own hooks: {said}", hint="Please report this.")
    copy_samples(SAMPLES / "repaired", stage.folder)
    _commit(git, "Cap the walk over synonyms, and decide frost nights at noon")
    count = sum(1 for _ in pot.tree().claims())
    stage.say(f"1. A repository with the memory of {COMPANY}:")
    stage.say(f"   {count} claims, committed through the hooks, in {stage.folder}")
    stage.act("settle", folder=str(stage.folder), claims=count)
    return pot


def _commit(git: Git, message: str) -> CompletedGit:
    git.user_run("add", "--all")
    return git.user_run("commit", "--quiet", "--message", message, check=False)


def _index(stage: Play, pot: Pot, progress: Progress | None) -> None:
    synced, embedded = pot.sync_index(progress=progress)
    vectors = embedded.made if embedded else 0
    stage.say("")
    stage.say(f"2. Indexed: {synced.rows} claims, {vectors} cards embedded, without a network.")
    stage.act("index", claims=synced.rows, embedded=vectors)


def _ask(stage: Play, pot: Pot, number: int, question: str) -> None:
    envelope = pot.search(question)
    stage.say("")
    if number == 1:
        stage.say("3. Four questions, in words that no claim uses:")
    stage.say(f'   $ git potpie search "{question}"')
    for item in envelope.items[:1]:
        for line in _answer(item):
            stage.say("   " + line)
    found = [item.candidate_key for item in envelope.items[:3]]
    stage.act("ask", question=question, match_mode=envelope.match_mode.value, found=found)


def _answer(item: EvidenceItem) -> list[str]:
    lines = [f"{item.score:.2f}  {headline(item)}"]
    relations = [held for held in item.payload.get("relations") or [] if held.get("fact")]
    lines += [
        f"      {held['type']}: {held['fact']}" for held in relations if held["fact"] != headline(item)
    ][:2]
    if item.source_refs:
        lines.append(f"      sources: {', '.join(item.source_refs[:3])}")
    return lines


def _refuse(stage: Play, pot: Pot) -> None:
    edited = next(stored for stored in pot.tree().claims("debugging") if stored.claim.subject == _EDITED)
    target = pot.repository.potpie_dir / edited.path
    before = target.read_bytes()
    fact = (edited.claim.fact or "").encode()
    target.write_bytes(before.replace(fact[:20], b"It never happens. " + fact[:2]))
    stage.git.user_run("add", "--all")
    refused = stage.git.user_run("commit", "--message", "Rewrite history a little", check=False)
    stage.say("")
    stage.say("4. Somebody rewrites a committed claim by hand and commits it:")
    said = refused.stderr.decode("utf-8", "replace").strip()
    for line in said.splitlines():
        stage.say("   " + line)
    target.write_bytes(before)
    stage.git.user_run("add", "--all")
    stage.act("refuse", status=refused.status, said=said)
