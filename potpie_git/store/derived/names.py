"""Keys for what a repository names by itself: itself, its places, people and teams, commits and pull requests."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from potpie_git.domain.text import slug
from potpie_git.store.repository import Repository

_SCP: Final = re.compile(r"(?:[^@/:]+@)?(?P<host>[^/:]+):(?P<path>[^:].*)")
_URL: Final = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^@/]*@)?(?P<host>[^/:]+)(?::\d+)?/(?P<path>.+)", re.I)
_NOREPLY: Final = re.compile(r"(?:\d+\+)?(?P<handle>[^@+]+)@users\.noreply\.[^@]+")
# Mailboxes that say nothing about who reads them.
_SHARED_MAILBOXES: Final = frozenset(
    "admin contact dev developer email git github hello hi info mail me noreply no-reply office root team user".split()
)
_KEY_SLUG: Final = 80
LOCAL_HOST: Final = "local"


@dataclass(frozen=True, slots=True)
class RepositoryName:
    """Where a repository lives: host and path of its remote, or `local` and the name of its folder."""

    host: str
    path: str

    @property
    def key(self) -> str:
        return f"repo:{self.host}/{self.path}"

    @property
    def short(self) -> str:
        """The last part of the path: the head of this repository's code assets."""
        return self.path.rpartition("/")[2]

    @property
    def heads(self) -> frozenset[str]:
        """First parts of the keys under which this repository's code assets may be filed."""
        return frozenset((self.short, self.path, f"{self.host}/{self.path}", self.key))

    @property
    def aliases(self) -> frozenset[str]:
        """Repository keys that mean this one."""
        return frozenset(f"repo:{head.removeprefix('repo:')}" for head in self.heads)

    def pull_request(self, number: str, *, gitlab: bool = False) -> str:
        """The reference of a pull or merge request."""
        if gitlab or "gitlab" in self.host:
            return f"gitlab:mr:{self.path}:{number}"
        system = "bitbucket" if "bitbucket" in self.host else "github"
        return f"{system}:pr:{self.path}:{number}"


def repository_name(repo: Repository, remote: str = "origin") -> RepositoryName:
    """The repository's name, from the address of its remote; without a usable one, from its folder."""
    address = repo.settings.get(f"remote.{remote}.url", "").strip()
    return parse_address(address) or RepositoryName(LOCAL_HOST, slug(repo.root.name, _KEY_SLUG))


def repository_key(repo: Repository) -> str:
    """The entity key of the repository: `repo:<host>/<org>/<name>`."""
    return repository_name(repo).key


def parse_address(address: str) -> RepositoryName | None:
    """Host and path of a remote's address (a URL, or `git@host:org/name.git`); None for a local path."""
    match = _URL.fullmatch(address) or _SCP.fullmatch(address)
    if match is None or address.startswith("file:"):
        return None
    parts = [
        part for part in match["path"].removesuffix("/").removesuffix(".git").split("/") if part.strip(".")
    ]
    if not parts:
        return None
    clean = [re.sub(r"[^a-z0-9._~-]+", "-", part.lower()) for part in parts]
    return RepositoryName(match["host"].lower(), "/".join(clean))


def person_key(name: str, address: str) -> str:
    """The key of a commit's author: a code host's handle, else the name of the mailbox, else the person's name."""
    noreply = _NOREPLY.fullmatch(address)
    if noreply:
        return f"person:{slug(noreply['handle'], _KEY_SLUG)}"
    mailbox = address.partition("@")[0].partition("+")[0]
    if mailbox and mailbox.lower() not in _SHARED_MAILBOXES:
        return f"person:{slug(mailbox, _KEY_SLUG)}"
    return f"person:{slug(name or address, _KEY_SLUG)}"


def owner_key(owner: str) -> str | None:
    """The key of an owner in CODEOWNERS: `@org/team`, `@handle` or an address; None for anything else."""
    if owner.startswith("@"):
        group, slash, team = owner[1:].rpartition("/")
        if slash and group and team:
            return f"team:{slug(team, _KEY_SLUG)}"
        return f"person:{slug(team, _KEY_SLUG)}" if team else None
    return person_key("", owner) if re.fullmatch(r"[^@\s]+@[^@\s]+", owner) else None
