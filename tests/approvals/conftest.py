"""Real keys, made by the real ssh-keygen."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from potpie_git.domain.policy import Policy
from tests.approvals.team import ADA, BEN, CLEO, EVE, Team
from tests.approvals.world import email

KeyMaker = Callable[..., Path]


@pytest.fixture(scope="session")
def make_key(tmp_path_factory: pytest.TempPathFactory) -> KeyMaker:
    """Makes key pairs without passphrases, one for each name and type; returns the private file."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("SSH SIGNATURES ARE NOT TESTED: there is no ssh-keygen on PATH; install openssh-client")
    folder = tmp_path_factory.mktemp("keys")

    def make(name: str, kind: str = "ed25519") -> Path:
        file = folder / f"{name}_{kind}"
        if not file.exists():
            subprocess.run(
                ["ssh-keygen", "-q", "-t", kind, "-N", "", "-C", name, "-f", str(file)], check=True
            )
        return file

    return make


@pytest.fixture
def found_team(tmp_path: Path, make_key: KeyMaker) -> Callable[..., Team]:
    """Founds a team whose policy lists some people as approvers, each with an address and a real key."""

    def found(*names: str, folder: str = "team", **fields: Any) -> Team:
        keys = {name: make_key(name.split()[0].lower()) for name in (ADA, BEN, CLEO, EVE)}
        approvers = [
            {"name": name, "emails": [email(name)], "keys": [public_line(keys[name])]} for name in names
        ]
        policy = Policy.model_validate({"version": 1, "approvers": approvers} | fields)
        return Team.founded(tmp_path / folder, policy, keys)

    return found


def public_line(key: Path) -> str:
    return key.with_name(f"{key.name}.pub").read_text().strip()
