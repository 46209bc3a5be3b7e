"""Keys and signatures in OpenSSH's own form whose cryptography is a hash: quick, and as strict as the real ones."""

from __future__ import annotations

import base64
import hashlib

from potpie_git.domain.approval import SIGNATURE_NAMESPACE
from potpie_git.domain.ssh_keys import PublicKey, armoured

USER_PRESENT = 0x01


def string(data: bytes | str) -> bytes:
    """A length and the bytes, as on SSH's wire."""
    raw = data.encode() if isinstance(data, str) else data
    return len(raw).to_bytes(4) + raw


def public_key(seed: str, kind: str = "ssh-ed25519") -> str:
    """An authorized_keys line of a key that only this seed has."""
    blob = string(kind) + string(hashlib.sha256(seed.encode()).digest())
    if kind.startswith("sk-"):
        blob += string("ssh:")
    return f"{kind} {base64.b64encode(blob).decode()} {seed.split()[0].lower()}@laptop"


def sealed(message: bytes, key: PublicKey) -> bytes:
    """What stands for a signature's 64 bytes; anybody could make them, and here only a key's owner does."""
    return hashlib.sha512(key.blob + hashlib.sha512(message).digest()).digest()


def signature(
    message: bytes, key: PublicKey, namespace: str = SIGNATURE_NAMESPACE, flags: int = USER_PRESENT
) -> str:
    """An armoured signature block."""
    inner = string(key.kind) + string(sealed(message, key))
    if key.on_hardware:
        inner += bytes([flags]) + (7).to_bytes(4)
    return armoured(
        b"SSHSIG"
        + (1).to_bytes(4)
        + string(key.blob)
        + string(namespace)
        + string(b"")
        + string("sha512")
        + string(inner)
    )


def is_signed(message: bytes, block: str, key: PublicKey) -> bool:
    """The verifier's question, answered as ssh-keygen would."""
    return any(
        block == signature(message, key, SIGNATURE_NAMESPACE, flags) for flags in (0, USER_PRESENT, 0x05)
    )
