"""Keys and signatures are read strictly: one spelling each, and nothing beside what they say."""

from __future__ import annotations

import base64

import pytest

from potpie_git.domain.ssh_keys import SshFormatError, armoured, parse_public_key, parse_signature
from tests.approvals.keys import public_key, signature, string

ED = public_key("ada")
POINT = b"\x04" + b"p" * 64
SK = public_key("token", "sk-ssh-ed25519@openssh.com")


def line(kind: str, *fields: bytes | str, inner: str | None = None) -> str:
    blob = string(inner or kind) + b"".join(map(string, fields))
    return f"{kind} {base64.b64encode(blob).decode()}"


def test_a_key_is_its_type_and_blob_whatever_the_comment() -> None:
    bare, commented = parse_public_key(ED.rpartition(" ")[0]), parse_public_key(f"{ED} of hers")
    assert bare == commented == parse_public_key(bare.line)
    assert bare.fingerprint.startswith("SHA256:")
    assert not bare.on_hardware
    assert parse_public_key(SK).on_hardware


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ssh-ed25519",
        "ssh-ed25519 !!!!",
        ED.replace(" ", "  ", 1),
        f'cert-authority,namespaces="x" {ED}',
        line("ssh-dss", b"p", b"q", b"g", b"y"),
        line("ssh-ed25519-cert-v01@openssh.com", b"n"),
        line("ssh-ed25519", b"k" * 32, inner="ssh-rsa"),
        line("ecdsa-sha2-nistp384", b"nistp256", POINT, inner="ecdsa-sha2-nistp256"),
        line("ecdsa-sha2-nistp256", b"nistp384", POINT),
        line("ecdsa-sha2-nistp256", b"nistp256", b"\x02" + POINT[1:33]),
        line("ecdsa-sha2-nistp256", b"nistp256", b""),
        line("ssh-ed25519", b"k" * 33),
        line("ssh-rsa", b"\x01\x00\x01", b"\x00\x00" + b"\xff" * 256),
        line("ssh-rsa", b"\x01\x00\x01", b"\xff" * 256),
        line("ssh-rsa", b"\x00\x01\x00\x01", b"\x00" + b"\xff" * 256),
        line("ssh-rsa", b"\x00", b"\x00" + b"\xff" * 256),
        line("ssh-rsa", b"", b"\x00" + b"\xff" * 256),
        line("ssh-ed25519", b"k" * 32, inner="ssh-dss"),
        line("ssh-ed25519"),
        line("ssh-ed25519", b"k" * 32, b"more"),
        line("ssh-ed25519", b"k" * 32, inner="ssh-\u00e9"),
        line("ssh-rsa", b"\x01\x00\x01", b"\x00" + b"\xff" * 128),
        ED.split(" ")[0] + " " + ED.split(" ")[1].rstrip("=") + "==",
    ],
)
def test_what_is_no_key(text: str) -> None:
    with pytest.raises(SshFormatError):
        parse_public_key(text)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("ssh-rsa", (b"\x01\x00\x01", b"\x00" + b"\xff" * 256)),
        ("ssh-rsa", (b"\x01\x00\x01", b"\x7f" * 257)),
        ("ecdsa-sha2-nistp256", (b"nistp256", POINT)),
        ("sk-ecdsa-sha2-nistp256@openssh.com", (b"nistp256", POINT, b"ssh:")),
        ("sk-ssh-ed25519@openssh.com", (b"k" * 32, b"ssh:")),
    ],
)
def test_each_kind_of_key_is_one(kind: str, fields: tuple[bytes, ...]) -> None:
    assert parse_public_key(line(kind, *fields)).kind == kind


def test_a_signature_says_its_key_its_namespace_and_whether_somebody_was_there() -> None:
    key, token = parse_public_key(ED), parse_public_key(SK)
    said = parse_signature(signature(b"x", key, "git"))
    assert (said.key, said.namespace, said.user_present) == (key, "git", True)
    flags = {0x00: False, 0x01: True, 0x04: False, 0x05: True}
    found = {flag: parse_signature(signature(b"x", token, flags=flag)).user_present for flag in flags}
    assert found == flags


def blob(**changes: bytes) -> bytes:
    """A binary signature, one part of which can be another."""
    parts = {
        "magic": b"SSHSIG",
        "version": (1).to_bytes(4),
        "key": string(parse_public_key(ED).blob),
        "namespace": string("git"),
        "reserved": string(b""),
        "hash": string("sha512"),
        "inner": string(string("ssh-ed25519") + string(b"s" * 64)),
        "rest": b"",
    }
    return b"".join((parts | changes).values())


@pytest.mark.parametrize(
    "changes",
    [
        {"magic": b"SSHSIH"},
        {"version": (2).to_bytes(4)},
        {"key": string(b"")},
        {"namespace": string(b"\xff")},
        {"reserved": string(b"r")},
        {"hash": string("sha1")},
        {"inner": string(string("ssh-rsa") + string(b"s"))},
        {"inner": string(string("ssh-ed25519") + string(b"s" * 64) + b"\x01")},
        {"inner": string(b"")},
        {"rest": b"\x00"},
    ],
)
def test_what_is_no_signature(changes: dict[str, bytes]) -> None:
    assert parse_signature(armoured(blob()))
    with pytest.raises(SshFormatError):
        parse_signature(armoured(blob(**changes)))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace("BEGIN", "Begin"),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\n\n", 1),
        lambda text: text[:60] + "\n" + text[60:],
        lambda text: text + "more",
        lambda text: "\n".join(text.split("\n")[:2]),
        lambda text: text.replace("U1NI", "U1N?"),
    ],
)
def test_a_signature_has_one_spelling(spoil: object) -> None:
    good = armoured(blob())
    assert callable(spoil)
    with pytest.raises(SshFormatError):
        parse_signature(spoil(good))


def test_an_rsa_key_signs_with_sha2_alone() -> None:
    key = line("ssh-rsa", b"\x01\x00\x01", b"\x00" + b"\xff" * 256)
    rsa = string(parse_public_key(key).blob)
    for kind, accepted in (("rsa-sha2-512", True), ("rsa-sha2-256", True), ("ssh-rsa", False)):
        block = armoured(blob(key=rsa, inner=string(string(kind) + string(b"s"))))
        if accepted:
            assert parse_signature(block).user_present
        else:
            with pytest.raises(SshFormatError):
                parse_signature(block)
