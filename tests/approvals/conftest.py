"""Real keys, made by the real ssh-keygen."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

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
