"""Mutants of everything that an approval depends on: whatever is flipped, dropped, reordered or doubled.

Each world is approved as it stands, by exactly as many people as it needs; a mutant that were still approved would be a
hole. The tests ask that of every mutant, and `tests.bench.approvals` counts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, Final

from pydantic import ValidationError

from potpie_git.domain.approval import Approval
from potpie_git.domain.layout import POLICY_FILE, approval_path
from potpie_git.domain.policy import Approver
from potpie_git.domain.vocabulary import Risk
from potpie_git.store.codec import encode
from potpie_git.store.yaml import YamlError, emit, parse
from tests.approvals.world import ADA, BEN, World, approval, approver, policy

CLAIM = "claims/debugging/9a/fix-9f3a.RESOLVED.bug.c-5d0c.yaml"
STONE = "tombstones/f3/f3aa.c-5d0c.yaml"
BEFORE = {CLAIM: b"id: c-5d0c\nfact: Retry.\n", "pot.yaml": b"pot_id: acme\n"}
AFTER = {
    **BEFORE,
    CLAIM: b"id: c-5d0c\nfact: Retry.\nvalid_to: now\n",
    STONE: b"value_digest: f3aa\nreason: No.\n",
}

Mutants = Iterator[tuple[str, World]]


def world(mode: str, risk: Risk = Risk.MEDIUM, *names: str) -> World:
    """A retraction that is approved by `names`, by default by one of two approvers."""
    judging = policy(ADA, BEN, mode=mode)
    blank = World(encode(judging), {}, BEFORE, AFTER, risk)
    made = [
        approval(blank.change.files.values(), name, sign=mode == "signature", risk=risk.label)
        for name in names or (ADA,)
    ]
    return replace(blank, records={approval_path(each): encode(each) for each in made})


def survivors(mutants: Mutants) -> tuple[int, list[str]]:
    """How many mutants there were, and those that are still approved."""
    count, alive = 0, []
    for what, mutant in mutants:
        count += 1
        if mutant.approved:
            alive.append(what)
    return count, alive


def byte_mutations(raw: bytes) -> Iterator[tuple[str, bytes]]:
    """Every byte with each of two bits flipped, without it, and doubled; neighbours that differ, swapped."""
    for at, byte in enumerate(raw):
        for bit in (0x01, 0x20):
            yield f"{at} ^ {bit}", raw[:at] + bytes([byte ^ bit]) + raw[at + 1 :]
        yield f"{at} dropped", raw[:at] + raw[at + 1 :]
        yield f"{at} doubled", raw[: at + 1] + raw[at:]
        if raw[at : at + 1] != raw[at + 1 : at + 2] and at + 1 < len(raw):
            yield f"{at} swapped", raw[:at] + raw[at + 1 : at + 2] + raw[at : at + 1] + raw[at + 2 :]


def line_mutations(raw: bytes) -> Iterator[tuple[str, bytes]]:
    """Every line dropped, doubled, and swapped with the next; comments and blank lines put in."""
    lines = raw.splitlines(keepends=True)
    for at in range(len(lines)):
        yield f"line {at} dropped", b"".join(lines[:at] + lines[at + 1 :])
        yield f"line {at} doubled", b"".join([*lines[: at + 1], *lines[at:]])
        yield f"line {at} commented", b"".join([*lines[:at], b"# a comment\n", *lines[at:]])
        yield f"line {at} spaced", b"".join([*lines[:at], b"\n", *lines[at:]])
        if lines[at : at + 1] != lines[at + 1 : at + 2] and at + 1 < len(lines):
            swapped = [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]
            yield f"line {at} swapped", b"".join(swapped)


def field_mutations(data: Any) -> Iterator[tuple[str, Any]]:
    """The same data with one field dropped, doubled under another name, or with another value, anywhere in it."""
    for where, parent, key in _places(data):
        for what, change in _changes(parent[key]):
            copy = deepcopy(data)
            _at(copy, where[:-1])[key] = change
            yield f"{'.'.join(map(str, where))} {what}", copy
        copy = deepcopy(data)
        del _at(copy, where[:-1])[key]
        yield f"{'.'.join(map(str, where))} dropped", copy
        if isinstance(parent, list):
            copy = deepcopy(data)
            _at(copy, where[:-1]).insert(key, deepcopy(parent[key]))
            yield f"{'.'.join(map(str, where))} doubled", copy
            copy = deepcopy(data)
            _at(copy, where[:-1]).reverse()
            if copy != data:
                yield f"{'.'.join(map(str, where[:-1]))} reordered", copy
        else:
            copy = deepcopy(data)
            _at(copy, where[:-1])[f"{key}x"] = deepcopy(parent[key])
            yield f"{'.'.join(map(str, where))} doubled", copy


def _places(data: Any, where: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any, Any]]:
    items = data.items() if isinstance(data, Mapping) else enumerate(data) if isinstance(data, list) else ()
    for key, held in items:
        yield (*where, key), data, key
        yield from _places(held, (*where, key))


def _at(data: Any, where: tuple[Any, ...]) -> Any:
    for key in where:
        data = data[key]
    return data


def _changes(held: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(held, str):
        yield "flipped", chr(ord(held[0]) ^ 1) + held[1:]
        yield "cut", held[:-1]
        yield "longer", held + held[-1]
        yield "upper", held.upper() if held.upper() != held else held.lower()
        yield "blank", ""
    elif isinstance(held, list):
        yield "emptied", []
    elif isinstance(held, bool | int):
        yield "raised", held + 1
        yield "zero", 0


def record_mutants(mode: str) -> Mutants:
    """The record's bytes and lines, at its own place."""
    start = world(mode)
    for path, raw in start.records.items():
        for mutations in (byte_mutations, line_mutations):
            for what, mutant in mutations(raw):
                if mutant != raw:
                    yield f"{path}: {what}", start.with_record(path, mutant)


def statement_mutants(mode: str) -> Mutants:
    """The statement's fields, at the record's own place."""
    start = world(mode)
    [(path, raw)] = start.records.items()
    for what, mutant in field_mutations(_data(raw)):
        written = _written(mutant)
        if written is not None and written != raw:
            yield what, start.with_record(path, written)


def renamed_mutants(mode: str) -> Mutants:
    """The statement's fields, with the file's name following, so that nothing but the signature can tell."""
    start = world(mode)
    [(path, raw)] = start.records.items()
    data = _data(raw)
    for what, mutant in field_mutations(data):
        try:
            made = Approval.model_validate(mutant)
        except ValidationError:
            continue
        if made.statement.canonical() != Approval.model_validate(data).statement.canonical():
            yield what, start.with_record(approval_path(made), encode(made), old=path)


def content_mutants(mode: str) -> Mutants:
    """The bytes and lines of covered files, before and after."""
    start = world(mode)
    for side in ("before", "after"):
        files: Mapping[str, bytes] = getattr(start, side)
        for path in (CLAIM, STONE):
            raw = files.get(path, b"")
            for mutations in (byte_mutations, line_mutations):
                for what, mutant in mutations(raw):
                    if mutant != raw:
                        changed = replace(start, **{side: {**files, path: mutant}})
                        yield f"{side} {path}: {what}", changed
            yield f"{side} {path}: gone", replace(start, **{side: {**files, path: b""}})


def landing_policy_mutants(mode: str) -> Mutants:
    """The bytes and lines of a policy that two people approved."""
    start, old, new = policy_world(mode)
    for mutations in (byte_mutations, line_mutations):
        for what, mutant in mutations(new):
            if mutant not in {new, old}:
                yield what, replace(start, after={POLICY_FILE: mutant})


def policy_world(mode: str) -> tuple[World, bytes, bytes]:
    """A change of the policy that is approved, with the policy's bytes before and after it."""
    old = policy(ADA, BEN, mode=mode)
    new = old.model_copy(update={"version": 4, "approvers": old.approvers[:1]})
    blank = World(encode(old), {}, {POLICY_FILE: encode(old)}, {POLICY_FILE: encode(new)}, Risk.HIGH)
    made = [approval(blank.change.files.values(), name, sign=mode == "signature") for name in (ADA, BEN)]
    records = {approval_path(each): encode(each) for each in made}
    return replace(blank, records=records), encode(old), encode(new)


def judging_policy_mutants(mode: str) -> Mutants:
    """Who the approver is, in the policy that judges."""
    start = world(mode)
    data = policy(ADA, BEN, mode=mode).to_data()
    key = data["approvers"][0]["keys"][0].rpartition(" ")[0]
    fields = {"name": data["approvers"][0]["name"], "emails": data["approvers"][0]["emails"][0]}
    if mode == "signature":
        fields["keys"] = key
    for name, held in fields.items():
        for what, mutant in byte_mutations(held.encode()):
            text = mutant.decode("latin-1")
            if not _same(name, held, text):
                copy = deepcopy(data)
                copy["approvers"][0][name] = text if name == "name" else [text]
                yield f"{name}: {what}", replace(start, policy=_written_policy(copy))
    for what, judging in _other_policies(data, list(fields)):
        yield what, replace(start, policy=_written_policy(judging))


def _other_policies(data: Any, fields: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for name in fields:
        copy = deepcopy(data)
        del copy["approvers"][0][name]
        yield f"{name} dropped", copy
    copy = deepcopy(data)
    del copy["approvers"][0]
    yield "approver dropped", copy
    copy = deepcopy(data)
    copy["approvers"].insert(0, approver(ADA))
    yield "approver doubled", copy
    for number in range(1, 10):
        copy = deepcopy(data)
        copy["thresholds"]["medium"] = number + 1
        yield f"medium {number + 1}", copy


def signature_mutants(block: str) -> Iterator[tuple[str, str]]:
    """A real signature block with each character flipped, dropped, doubled, and swapped with its neighbour."""
    for at, char in enumerate(block):
        for what, other in (("flipped", chr(ord(char) ^ 1)), ("dropped", ""), ("doubled", char + char)):
            yield f"{at} {what}", block[:at] + other + block[at + 1 :]
        following = block[at + 1 : at + 2]
        if following and following != char:
            yield f"{at} swapped", block[:at] + following + char + block[at + 2 :]


BOTH: Final = ("signature", "signoff")
KINDS: Final[Mapping[str, tuple[Callable[[str], Mutants], tuple[str, ...], int]]] = {
    "bytes and lines of a record": (record_mutants, BOTH, 3_300),
    "fields of a statement, in place": (statement_mutants, BOTH, 120),
    "fields of a signed statement, file renamed to match": (renamed_mutants, ("signature",), 30),
    "bytes and lines of covered files": (content_mutants, BOTH, 400),
    "bytes and lines of a policy that lands": (landing_policy_mutants, BOTH, 1_500),
    "who the approver is, in the policy that judges": (judging_policy_mutants, BOTH, 100),
}
"""What is mutated: how, in which modes, and how many mutants there are at the least in each."""


def _same(name: str, held: str, text: str) -> bool:
    """True for another spelling of the same name: principals have neither case nor punctuation."""
    if name != "name" or not text.strip():
        return False
    return Approver(name=text, emails=[]).principal == Approver(name=held, emails=[]).principal


def _data(raw: bytes) -> Any:
    """The fields of a record's file."""
    return Approval.model_validate(parse(raw).data).to_data()


def _written(data: Any) -> bytes | None:
    """The file of mutated data; None for what no file can hold."""
    try:
        return emit(data)
    except (TypeError, ValueError, YamlError):
        return None


def _written_policy(data: Any) -> bytes:
    return _written(data) or b""
