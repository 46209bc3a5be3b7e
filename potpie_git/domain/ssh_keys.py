"""OpenSSH public keys and detached signatures as data: parsed strictly, never verified here.

A key is what an authorized_keys line holds without its options; a signature is what `ssh-keygen -Y sign` writes
(PROTOCOL.sshsig of OpenSSH). Each has exactly one accepted spelling, so that no byte of either can vary unseen.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from typing import Final

SECURITY_KEYS: Final = frozenset({"sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com"})
# Number of fields in a public key after its type; curve names are fields too.
_KEY_FIELDS: Final = {
    "ssh-ed25519": 1,
    "ssh-rsa": 2,
    "ecdsa-sha2-nistp256": 2,
    "ecdsa-sha2-nistp384": 2,
    "ecdsa-sha2-nistp521": 2,
    "sk-ssh-ed25519@openssh.com": 2,
    "sk-ecdsa-sha2-nistp256@openssh.com": 3,
}
_ED25519_BYTES: Final = 32
# A point as it is written without compression: a mark and two coordinates.
_POINT_BYTES: Final = {"nistp256": 65, "nistp384": 97, "nistp521": 133}
_UNCOMPRESSED: Final = 0x04
_SIGN: Final = 0x80
# An RSA key signs with SHA-2; SHA-1 signatures ("ssh-rsa") are refused.
_SIGNATURE_TYPES: Final = {"ssh-rsa": frozenset({"rsa-sha2-256", "rsa-sha2-512"})}
_MIN_RSA_BITS: Final = 2048
_MAGIC: Final = b"SSHSIG"
_VERSION: Final = 1
_HASHES: Final = frozenset({"sha256", "sha512"})
_BEGIN: Final = "-----BEGIN SSH SIGNATURE-----"
_END: Final = "-----END SSH SIGNATURE-----"
_ARMOR_COLUMNS: Final = 70
_USER_PRESENT: Final = 0x01


class SshFormatError(ValueError):
    """A text is not a key or a signature that this program accepts; the message says why."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key: its type and its binary form, which alone tells keys apart."""

    kind: str
    blob: bytes

    @property
    def fingerprint(self) -> str:
        """As `ssh-keygen -l` prints it: `SHA256:` and unpadded base64."""
        digest = base64.b64encode(hashlib.sha256(self.blob).digest()).decode().rstrip("=")
        return f"SHA256:{digest}"

    @property
    def line(self) -> str:
        """The key as an authorized_keys line without comment."""
        return f"{self.kind} {base64.b64encode(self.blob).decode()}"

    @property
    def on_hardware(self) -> bool:
        """True for a FIDO key, whose signatures say whether somebody touched the device."""
        return self.kind in SECURITY_KEYS


@dataclass(frozen=True, slots=True)
class DetachedSignature:
    """What an SSH signature says of itself; whether it is true is for `ssh-keygen -Y verify` to tell."""

    key: PublicKey
    namespace: str
    user_present: bool


def parse_public_key(text: str) -> PublicKey:
    """The key in `TYPE BASE64 [COMMENT]`. Raises `SshFormatError`; certificates, DSA and short RSA keys are refused."""
    parts = text.split(" ", 2)
    if len(parts) < 2 or parts[0] not in _KEY_FIELDS:
        raise SshFormatError(
            "not a public key: write `TYPE BASE64`, as in a .pub file; the type is one of "
            + ", ".join(_KEY_FIELDS)
        )
    blob = _base64(parts[1])
    key = _key_of(blob)
    if key.kind != parts[0]:
        raise SshFormatError(f"the key says that it is {parts[0]} and holds a key of type {key.kind}")
    return key


def parse_signature(text: str) -> DetachedSignature:
    """The signature in an armoured SSHSIG block, spelled as `ssh-keygen` spells it. Raises `SshFormatError`."""
    lines = text.strip("\n").split("\n")
    if len(lines) < 3 or lines[0] != _BEGIN or lines[-1] != _END:
        raise SshFormatError("not an SSH signature block")
    blob = _base64("".join(lines[1:-1]))
    if armoured(blob).strip("\n") != text.strip("\n"):
        raise SshFormatError("the signature block is not spelled as ssh-keygen spells it")
    return _signature_of(blob)


def armoured(blob: bytes) -> str:
    """A binary signature as the text block that `ssh-keygen` writes."""
    encoded = base64.b64encode(blob).decode()
    lines = [encoded[at : at + _ARMOR_COLUMNS] for at in range(0, len(encoded), _ARMOR_COLUMNS)]
    return "\n".join([_BEGIN, *lines, _END, ""])


def _signature_of(blob: bytes) -> DetachedSignature:
    reader = _Reader(blob)
    if reader.take(len(_MAGIC)) != _MAGIC or reader.number() != _VERSION:
        raise SshFormatError("not an SSH signature of version 1")
    key = _key_of(reader.string())
    namespace = reader.text()
    if reader.string():
        raise SshFormatError("the signature's reserved field is not empty")
    if reader.text() not in _HASHES:
        raise SshFormatError("the signature's hash is neither sha256 nor sha512")
    present = _presence(key, reader.string())
    reader.end()
    return DetachedSignature(key, namespace, present)


def _presence(key: PublicKey, blob: bytes) -> bool:
    """Whether the signature shows that a person was there; a key without hardware has no such mark to give."""
    reader = _Reader(blob)
    kind = reader.text()
    if kind not in _SIGNATURE_TYPES.get(key.kind, frozenset({key.kind})):
        raise SshFormatError(f"a key of type {key.kind} does not make signatures of type {kind}")
    reader.string()
    present = True
    if key.on_hardware:
        present = bool(reader.take(1)[0] & _USER_PRESENT)
        reader.number()
    reader.end()
    return present


def _key_of(blob: bytes) -> PublicKey:
    reader = _Reader(blob)
    kind = reader.text()
    if kind not in _KEY_FIELDS:
        raise SshFormatError(f"keys of type {kind!r} are not accepted")
    fields = [reader.string() for _ in range(_KEY_FIELDS[kind])]
    reader.end()
    if not _is_plain(kind, fields):
        raise SshFormatError(f"the key is not spelled as ssh-keygen spells one of type {kind}")
    if kind == "ssh-rsa" and int.from_bytes(fields[1]).bit_length() < _MIN_RSA_BITS:
        raise SshFormatError(f"the RSA key has fewer than {_MIN_RSA_BITS} bits")
    return PublicKey(kind, blob)


def _is_plain(kind: str, fields: list[bytes]) -> bool:
    """True if a key's numbers are in the one form that ssh-keygen writes: one key is not two by its spelling."""
    if kind == "ssh-rsa":
        return all(map(_is_shortest, fields))
    if "ecdsa" in kind:
        curve = kind.removesuffix("@openssh.com").rpartition("-")[2]
        size = _POINT_BYTES[curve]
        return fields[0] == curve.encode() and len(fields[1]) == size and fields[1][0] == _UNCOMPRESSED
    return len(fields[0]) == _ED25519_BYTES


def _is_shortest(number: bytes) -> bool:
    """True for a positive number without a needless zero before it (RFC 4251, mpint)."""
    if not number or number[0] & _SIGN:
        return False
    return number[0] != 0 or (len(number) > 1 and bool(number[1] & _SIGN))


def _base64(text: str) -> bytes:
    try:
        blob = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise SshFormatError("not base64") from error
    if base64.b64encode(blob).decode() != text:
        raise SshFormatError("base64 with stray bits at its end")
    return blob


class _Reader:
    """Walks over a binary value in SSH's wire format; every read is checked against what is there."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, length: int) -> bytes:
        piece = self._data[self._at : self._at + length]
        if len(piece) != length:
            raise SshFormatError("cut short")
        self._at += length
        return piece

    def number(self) -> int:
        return int.from_bytes(self.take(4))

    def string(self) -> bytes:
        return self.take(self.number())

    def text(self) -> str:
        try:
            return self.string().decode("ascii")
        except UnicodeDecodeError as error:
            raise SshFormatError("a name that is not ASCII") from error

    def end(self) -> None:
        if self._at != len(self._data):
            raise SshFormatError("bytes after the end")
