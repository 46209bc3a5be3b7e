"""Signing and verifying with the real ssh-keygen: each kind of key, a software security key, what must not count."""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from potpie_git.domain.ssh_keys import armoured, parse_public_key, parse_signature
from potpie_git.store import ssh
from potpie_git.store.ssh import (
    SigningError,
    SshMissingError,
    is_signed_by,
    sign,
    signing_key,
    usable_keys,
)
from tests.approvals import ed25519
from tests.approvals.conftest import KeyMaker
from tests.approvals.keys import string
from tests.approvals.mutations import signature_mutants

NAMESPACE = "potpie-git-approval"


@pytest.mark.parametrize("kind", ["ed25519", "rsa", "ecdsa"])
def test_a_signature_verifies_for_its_message_and_its_key_alone(kind: str, make_key: KeyMaker) -> None:
    key, other = signing_key(make_key("ada", kind)), signing_key(make_key("ben", kind))
    block = sign(b"a statement", key)
    assert parse_signature(block).key == key.public
    assert is_signed_by(b"a statement", block, key.public)
    assert not is_signed_by(b"a statement.", block, key.public)
    assert not is_signed_by(b"a statement", block, other.public)


def by_hand(file: Path, namespace: str, message: bytes) -> str:
    done = subprocess.run(
        ["ssh-keygen", "-Y", "sign", "-f", str(file), "-n", namespace],
        input=message,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode()


def test_a_signature_made_for_git_does_not_verify(make_key: KeyMaker) -> None:
    file = make_key("ada")
    key = signing_key(file)
    assert is_signed_by(b"x", by_hand(file, NAMESPACE, b"x"), key.public)
    for namespace in ("git", "file", "potpie-git-approvals"):
        assert not is_signed_by(b"x", by_hand(file, namespace, b"x"), key.public), namespace


def test_no_byte_of_a_real_signature_can_change(make_key: KeyMaker) -> None:
    key = signing_key(make_key("ada"))
    block = sign(b"x", key)
    assert accepted(b"x", block, key)
    mutants = list(signature_mutants(block.rstrip("\n")))
    assert [what for what, mutant in mutants if accepted(b"x", mutant, key)] == []
    assert len(mutants) > 1_000


def accepted(message: bytes, block: str, key: ssh.SigningKey) -> bool:
    """The verifier's own two questions: what does it say of itself, and is it true."""
    try:
        said = parse_signature(block)
    except ValueError:
        return False
    return said.key == key.public and said.namespace == NAMESPACE and is_signed_by(message, block, key.public)


class SoftwareToken:
    """A security key without hardware: what it signs verifies, with the flags that a test wants."""

    seed = hashlib.sha256(b"token").digest()
    application = b"ssh:"

    @property
    def line(self) -> str:
        kind = "sk-ssh-ed25519@openssh.com"
        blob = string(kind) + string(ed25519.public(self.seed)) + string(self.application)
        return f"{kind} {base64.b64encode(blob).decode()} token"

    def sign(self, message: bytes, flags: int, namespace: str = NAMESPACE) -> str:
        public = parse_public_key(self.line)
        signed = (
            b"SSHSIG"
            + string(namespace)
            + string(b"")
            + string("sha512")
            + string(hashlib.sha512(message).digest())
        )
        counter = (7).to_bytes(4)
        device = (
            hashlib.sha256(self.application).digest()
            + bytes([flags])
            + counter
            + hashlib.sha256(signed).digest()
        )
        inner = string(public.kind) + string(ed25519.sign(self.seed, device)) + bytes([flags]) + counter
        return armoured(
            b"SSHSIG"
            + (1).to_bytes(4)
            + string(public.blob)
            + string(namespace)
            + string(b"")
            + string("sha512")
            + string(inner)
        )


def test_ssh_keygen_accepts_a_security_key_that_nobody_touched_and_we_can_tell(make_key: KeyMaker) -> None:
    token = SoftwareToken()
    key = parse_public_key(token.line)
    touched, untouched = token.sign(b"x", 0x01), token.sign(b"x", 0x00)
    assert is_signed_by(b"x", touched, key)
    assert is_signed_by(b"x", untouched, key), "if ssh-keygen refuses it now, so much the better"
    assert parse_signature(touched).user_present
    assert not parse_signature(untouched).user_present


def test_programs_that_a_checkout_names_are_not_asked(
    make_key: KeyMaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    liar = tmp_path / "ssh-keygen"
    liar.write_text('#!/bin/sh\necho "Good signature"\nexit 0\n')
    liar.chmod(0o755)
    key = signing_key(make_key("ada"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "gpg.ssh.program")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(liar))
    assert not is_signed_by(b"another", sign(b"x", key), key.public)


def test_without_ssh_keygen_nothing_passes(
    make_key: KeyMaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = signing_key(make_key("ada"))
    block = sign(b"x", key)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SshMissingError):
        is_signed_by(b"x", block, key.public)


def test_a_key_file_names_itself_by_either_half(make_key: KeyMaker, tmp_path: Path) -> None:
    file = make_key("ada")
    assert signing_key(file).public == signing_key(file.with_name(f"{file.name}.pub")).public
    alone = tmp_path / "alone"
    alone.write_bytes(file.read_bytes())
    alone.chmod(0o600)
    assert signing_key(alone).public == signing_key(file).public
    assert is_signed_by(b"x", sign(b"x", signing_key(alone)), signing_key(file).public)


def test_a_key_that_is_not_there_or_no_key_says_so(make_key: KeyMaker, tmp_path: Path) -> None:
    with pytest.raises(SigningError, match="no key"):
        signing_key(tmp_path / "nothing")
    (tmp_path / "odd.pub").write_text("hello\n")
    with pytest.raises(SigningError, match="no key that can approve"):
        signing_key(tmp_path / "odd.pub")
    public_half = tmp_path / "half.pub"
    file = make_key("ada")
    public_half.write_bytes(file.with_name(f"{file.name}.pub").read_bytes())
    with pytest.raises(SigningError, match="did not sign"):
        sign(b"x", signing_key(public_half))


def test_an_agent_signs_for_a_key_whose_file_is_elsewhere(
    make_key: KeyMaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = subprocess.run(["ssh-agent", "-s"], capture_output=True, text=True, check=True).stdout
    variables = dict(part.split("=", 1) for part in started.replace("\n", ";").split(";") if "=" in part)
    try:
        monkeypatch.setenv("SSH_AUTH_SOCK", variables["SSH_AUTH_SOCK"])
        file = make_key("ada")
        subprocess.run(["ssh-add", "-q", str(file)], check=True, capture_output=True)
        line = file.with_name(f"{file.name}.pub").read_text()
        assert usable_keys([make_key("ben").with_suffix(".pub").read_text()], None, tmp_path) == []
        [key] = usable_keys([line], None, tmp_path)
        assert is_signed_by(b"x", sign(b"x", key), signing_key(file).public)
    finally:
        subprocess.run(["kill", variables["SSH_AGENT_PID"]], check=True)


def test_keys_are_looked_for_where_the_user_keeps_them(make_key: KeyMaker, tmp_path: Path) -> None:
    file, other = make_key("ada"), make_key("ben")
    listed = [each.with_name(f"{each.name}.pub").read_text() for each in (file, other)]
    assert usable_keys(listed, None, tmp_path) == []
    configured = usable_keys(listed, str(file), tmp_path)
    assert [key.public for key in configured] == [signing_key(file).public]
    home = Path.home() / ".ssh"
    home.mkdir()
    for half in ("", ".pub"):
        (home / f"id_ed25519{half}").write_bytes(other.with_name(f"{other.name}{half}").read_bytes())
    both = usable_keys(listed, str(file), tmp_path)
    assert [key.public for key in both] == [signing_key(file).public, signing_key(other).public]
    assert usable_keys(listed[:1], "key::ssh-ed25519 AAAA", tmp_path) == []
