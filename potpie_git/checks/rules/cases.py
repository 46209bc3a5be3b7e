"""What an example of a rule consists of: trees, commands, a message, or a scene of several people and their commits.

Cases are declared here and built when somebody asks for them; whoever runs them (the tests do, with real git and real
keys) asks the engine for the verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from potpie_git.domain.approval import SIGNATURE_NAMESPACE

# A file of an example: its bytes, or its git mode and bytes where the mode is the point.
Content: TypeAlias = "bytes | tuple[str, bytes]"
# By path in the repository.
Files: TypeAlias = Mapping[str, Content]


@dataclass(frozen=True, slots=True)
class Trees:
    """An example as two trees of a whole repository; `before` None stands for a tree that is judged on its own.

    `as_range` judges it as a change that lands on a protected branch: with approvals, and policy from `before`.
    `parted` is then the tree that both come from; without it the change comes from `before` itself.
    """

    before: Files | None
    after: Files
    as_range: bool = False
    parted: Files | None = None


@dataclass(frozen=True, slots=True)
class Commands:
    """An example that needs a repository's history.

    `script` is run by a POSIX shell in an empty directory; then BASE..HEAD of `revisions` is judged in `directory`.
    """

    script: str
    directory: str
    revisions: str


@dataclass(frozen=True, slots=True)
class Message:
    """An example that is a commit's message."""

    text: str


SCENE_REF: Final = "refs/heads/main"
"""The branch that every scene lands on; policy protects it."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A commit that changes the pot: `does` tells it in words, `files` makes those that it leaves otherwise."""

    by: str
    does: str
    files: Callable[[], Files]
    co_author: str | None = None

    @property
    def shown(self) -> str:
        beside = f"\n  co_author: {self.co_author}" if self.co_author else ""
        return f"- {self.by}: {self.does}{beside}"


@dataclass(frozen=True, slots=True)
class Approve:
    """A commit that adds a record of all that changed so far, signed off, and signed unless `signed` is False.

    `said` are fields of the statement that are not what an honest one says.
    """

    by: str
    said: Mapping[str, Any] = field(default_factory=dict)
    signed: bool = True
    namespace: str = SIGNATURE_NAMESPACE

    @property
    def shown(self) -> str:
        how = "approves it and signs" if self.signed else "approves it, without a signature"
        odd = dict(self.said)
        if self.namespace != SIGNATURE_NAMESPACE:
            odd["namespace"] = self.namespace
        return "".join([f"- {self.by}: {how}", *(f"\n  {name}: {text}" for name, text in odd.items())])


Step: TypeAlias = Edit | Approve


@dataclass(frozen=True, slots=True)
class Scene:
    """An example as commits on top of a pot whose policy has this mode and these approvers; then they land.

    People are named by one word: in lower case it is their principal, and their address at example.com.
    """

    before: Callable[[], Files]
    steps: tuple[Step, ...]
    approvers: tuple[str, ...] = ("Ada", "Ben")
    mode: Literal["signoff", "signature"] = "signature"

    @property
    def shown(self) -> str:
        policy = f"- policy: {{mode: {self.mode}, approvers: [{', '.join(self.approvers)}]}}"
        return "\n".join([policy, *(step.shown for step in self.steps)])


Case: TypeAlias = Trees | Commands | Message | Scene
