"""Signs and verifies through `ssh-keygen -Y`: with keys that policy lists, never through git or its configuration."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from potpie_git.domain.approval import SIGNATURE_NAMESPACE
from potpie_git.domain.errors import RefusedError, UnavailableError
from potpie_git.domain.ssh_keys import PublicKey, SshFormatError, parse_public_key, parse_signature
from potpie_git.store.environment import find_program
from potpie_git.store.errors import storage_errors

_SIGNER: Final = "approver"


class SshMissingError(UnavailableError):
    """No ssh-keygen could be found, so signatures can be neither made nor verified."""

    code = "ssh_keygen_missing"
    default_hint = (
        "Install OpenSSH 8.9 or newer (the package is often openssh-client), so that ssh-keygen is on PATH."
    )


class SigningError(RefusedError):
    """ssh-keygen did not sign: no such key, a wrong passphrase, or nobody touched the security key."""

    code = "not_signed"


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A key to sign with: its public half, and the file that ssh-keygen is given (private, or public for an agent)."""

    public: PublicKey
    file: Path


def is_signed_by(message: bytes, signature: str, key: PublicKey) -> bool:
    """Whether `signature` (armoured) is over `message`, by `key`, in the namespace of approvals.

    Nothing but the three arguments is consulted: no agent, no configuration, no revocation list, and no clock, for
    whose times policy answers. Raises `SshMissingError`.
    """
    with tempfile.TemporaryDirectory(prefix="potpie-") as folder, storage_errors(folder):
        signers, signed = Path(folder, "signers"), Path(folder, "signature")
        signers.write_text(f'{_SIGNER} namespaces="{SIGNATURE_NAMESPACE}" {key.line}\n', encoding="ascii")
        signed.write_text(signature, encoding="utf-8")
        done = _run(
            ["-Y", "verify", "-f", str(signers), "-I", _SIGNER, "-n", SIGNATURE_NAMESPACE, "-s", str(signed)],
            message,
            {},
        )
    return done.returncode == 0


def sign(message: bytes, key: SigningKey) -> str:
    """The armoured signature of `message` by `key`, in the namespace of approvals.

    ssh-keygen asks for a passphrase or a touch on the terminal, as the user is used to; an agent is asked first where
    only the public half is there. Raises `SigningError` and `SshMissingError`.
    """
    with tempfile.TemporaryDirectory(prefix="potpie-") as folder, storage_errors(folder):
        statement = Path(folder, "statement")
        statement.write_bytes(message)
        arguments = ["-Y", "sign", "-f", str(key.file), "-n", SIGNATURE_NAMESPACE, str(statement)]
        done = _run(arguments, b"", _user_variables())
        written = Path(f"{statement}.sig")
        if done.returncode or not written.exists():
            said = done.stderr.decode("utf-8", "replace").strip()
            raise SigningError(
                f"ssh-keygen did not sign with {key.file}: {said or 'no message'}",
                hint="Check that the key is there, or loaded: `ssh-add -l`. Choose another with --key.",
            )
        signature = written.read_text(encoding="utf-8")
    return _checked(signature, key)


def signing_key(file: Path) -> SigningKey:
    """The key in a private key file with its .pub beside it, or in a .pub file alone. Raises `SigningError`."""
    public = file if file.suffix == ".pub" else file.with_name(f"{file.name}.pub")
    private = file.with_suffix("") if file.suffix == ".pub" else file
    if public.is_file():
        with storage_errors(public):
            text = public.read_text(encoding="utf-8", errors="replace")
    elif private.is_file():
        done = _run(["-y", "-f", str(private)], b"", _user_variables())
        text = done.stdout.decode("utf-8", "replace")
    else:
        raise SigningError(
            f"there is no key {file}", hint="Name a key file with --key, or set user.signingKey."
        )
    try:
        key = parse_public_key(text.strip())
    except SshFormatError as error:
        raise SigningError(
            f"{public} holds no key that can approve: {error}", hint="Choose another key."
        ) from error
    return SigningKey(key, private if private.is_file() else public)


def usable_keys(listed: Sequence[str], configured: str | None, folder: Path) -> list[SigningKey]:
    """Keys of this user that policy lists: the configured one first, then files in `~/.ssh`, then the agent's.

    `configured` is a path or a key, as git's user.signingKey is; `folder` is where agent keys' public halves go.
    """
    wanted = {key for text in listed if (key := _parsed(text)) is not None}
    found: dict[PublicKey, SigningKey] = {}
    for file in _candidate_files(configured):
        try:
            held = signing_key(file)
        except SigningError:
            continue
        if held.public in wanted:
            found.setdefault(held.public, held)
    for number, line in enumerate(_agent_keys()):
        key = _parsed(line)
        if key in wanted and key not in found:
            place = folder / f"agent-{number}.pub"
            with storage_errors(place):
                place.write_text(f"{key.line}\n", encoding="ascii")
            found[key] = SigningKey(key, place)
    return list(found.values())


def _candidate_files(configured: str | None) -> list[Path]:
    home = Path.home() / ".ssh"
    files = []
    if configured and not configured.startswith(("key::", "ssh-", "ecdsa-", "sk-")):
        files.append(Path(configured).expanduser())
    with storage_errors(home):
        if home.is_dir():
            files += sorted(each for each in home.iterdir() if each.suffix == ".pub")
    return files


def _agent_keys() -> list[str]:
    if not os.environ.get("SSH_AUTH_SOCK"):
        return []
    program = find_program("ssh-add")
    if program is None:
        return []
    done = subprocess.run([program, "-L"], capture_output=True, check=False, env=_base() | _user_variables())
    return done.stdout.decode("utf-8", "replace").splitlines() if done.returncode == 0 else []


def _parsed(text: str) -> PublicKey | None:
    try:
        return parse_public_key(text.strip())
    except SshFormatError:
        return None


def _checked(signature: str, key: SigningKey) -> str:
    """The signature in its one spelling, if it says what was asked for."""
    try:
        said = parse_signature(signature)
    except SshFormatError as error:
        raise SigningError(f"ssh-keygen wrote no signature that counts: {error}") from error
    if said.key != key.public:
        raise SigningError(
            f"ssh-keygen signed with another key than {key.file}", hint="Choose a key with --key."
        )
    if not said.user_present:
        raise SigningError("the security key signed without a touch", hint="Make a key that asks for one.")
    return signature.strip("\n") + "\n"


def _run(
    arguments: Sequence[str], stdin: bytes, extra: Mapping[str, str]
) -> subprocess.CompletedProcess[bytes]:
    program = find_program("ssh-keygen")
    if program is None:
        raise SshMissingError("no ssh-keygen was found on PATH")
    # A passphrase is asked for on the terminal itself: standard input may be somebody's protocol.
    return subprocess.run(
        [program, *arguments], input=stdin, capture_output=True, check=False, env=_base() | dict(extra)
    )


def _base() -> dict[str, str]:
    kept = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP")
    return {name: os.environ[name] for name in kept if name in os.environ} | {"LC_ALL": "C"}


def _user_variables() -> dict[str, str]:
    """What signing needs of the user: home, agent, and how to ask for a passphrase or a PIN."""
    kept = (
        "DISPLAY",
        "HOME",
        "SSH_ASKPASS",
        "SSH_ASKPASS_REQUIRE",
        "SSH_AUTH_SOCK",
        "SSH_SK_PROVIDER",
        "TERM",
        "USER",
        "WAYLAND_DISPLAY",
    )
    return {name: os.environ[name] for name in kept if name in os.environ}
