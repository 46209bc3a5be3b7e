"""A mutation run over the verifier: whatever is flipped, dropped, reordered or doubled, nothing stays approved.

Each world is approved as it stands, by exactly as many people as it needs. A mutant that were still approved would be a
hole; every one of them is listed by the failing test. `pytest -s` prints how many mutants there were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
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


def record_mutants(start: World, mutations: Callable[[bytes], Iterator[tuple[str, bytes]]]) -> Mutants:
    """Each record's bytes mutated, at its own place."""
    for path, raw in start.records.items():
        for what, mutant in mutations(raw):
            if mutant != raw:
                yield f"{path}: {what}", start.with_record(path, mutant)


@pytest.mark.parametrize("mode", ["signature", "signoff"])
@pytest.mark.parametrize("risk", [Risk.MEDIUM, Risk.HIGH])
def test_each_world_is_approved_before_it_is_mutated(mode: str, risk: Risk) -> None:
    names = (ADA, BEN) if risk is Risk.HIGH else (ADA,)
    assert world(mode, risk, *names).approved
    assert not world(mode, Risk.HIGH, ADA).approved


@pytest.mark.parametrize("mode", ["signature", "signoff"])
def test_no_byte_and_no_line_of_a_record_can_change(mode: str) -> None:
    start = world(mode)
    count, alive = survivors(record_mutants(start, byte_mutations))
    lines, also = survivors(record_mutants(start, line_mutations))
    print(f"mutants of bytes and lines of a record, {mode}", count + lines)
    assert alive + also == []
    assert count > 3_000
    assert lines > 80


@pytest.mark.parametrize("mode", ["signature", "signoff"])
def test_no_field_of_a_statement_can_change_at_its_place(mode: str) -> None:
    start = world(mode)
    [(path, raw)] = start.records.items()
    data = Approval.model_validate(_data(raw)).to_data()

    def mutants() -> Mutants:
        for what, mutant in field_mutations(data):
            written = _written(mutant)
            if written is not None and written != raw:
                yield what, start.with_record(path, written)

    count, alive = survivors(mutants())
    print(f"mutants of a statement's fields, {mode}", count)
    assert alive == []
    assert count > 120


def test_no_field_of_a_signed_statement_can_change_with_its_name_following() -> None:
    start = world("signature")
    [(path, raw)] = start.records.items()
    data = Approval.model_validate(_data(raw)).to_data()

    def mutants() -> Mutants:
        for what, mutant in field_mutations(data):
            try:
                made = Approval.model_validate(mutant)
            except ValidationError:
                continue
            if made.statement.canonical() != Approval.model_validate(data).statement.canonical():
                yield what, start.with_record(approval_path(made), encode(made), old=path)

    count, alive = survivors(mutants())
    print("mutants of a signed statement, renamed to match", count)
    assert alive == []
    assert count > 30


@pytest.mark.parametrize("mode", ["signature", "signoff"])
def test_no_byte_of_a_covered_file_can_change(mode: str) -> None:
    start = world(mode)

    def mutants() -> Mutants:
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

    count, alive = survivors(mutants())
    print(f"mutants of covered files, {mode}", count)
    # a file that ends up as it was before is no change, and needs nobody
    assert alive == []
    assert count > 400


@pytest.mark.parametrize("mode", ["signature", "signoff"])
def test_no_byte_of_an_approved_policy_change_can_change(mode: str) -> None:
    old = policy(ADA, BEN, mode=mode)
    new = old.model_copy(update={"version": 4, "approvers": old.approvers[:1]})
    blank = World(encode(old), {}, {POLICY_FILE: encode(old)}, {POLICY_FILE: encode(new)}, Risk.HIGH)
    made = [approval(blank.change.files.values(), name, sign=mode == "signature") for name in (ADA, BEN)]
    start = replace(blank, records={approval_path(each): encode(each) for each in made})
    assert start.approved

    def mutants() -> Mutants:
        for mutations in (byte_mutations, line_mutations):
            for what, mutant in mutations(encode(new)):
                if mutant not in {encode(new), encode(old)}:
                    yield what, replace(start, after={POLICY_FILE: mutant})

    count, alive = survivors(mutants())
    print(f"mutants of a policy that lands, {mode}", count)
    assert alive == []
    assert count > 1_500


@pytest.mark.parametrize("mode", ["signature", "signoff"])
def test_no_byte_of_who_an_approver_is_can_change_in_the_policy_that_judges(
    mode: str, record_property: Any
) -> None:
    start = world(mode)
    data = policy(ADA, BEN, mode=mode).to_data()
    key = data["approvers"][0]["keys"][0].rpartition(" ")[0]
    fields = {"name": data["approvers"][0]["name"], "emails": data["approvers"][0]["emails"][0]}
    if mode == "signature":
        fields["keys"] = key

    def mutants() -> Mutants:
        for name, held in fields.items():
            for what, mutant in byte_mutations(held.encode()):
                copy = deepcopy(data)
                text = mutant.decode("latin-1")
                copy["approvers"][0][name] = text if name == "name" else [text]
                if _same(name, held, text):
                    continue
                raw = _written_policy(copy)
                yield f"{name}: {what}", replace(start, policy=raw)
        for name in ("name", "emails", "keys")[: len(fields)]:
            copy = deepcopy(data)
            del copy["approvers"][0][name]
            yield f"{name} dropped", replace(start, policy=_written_policy(copy))
        copy = deepcopy(data)
        del copy["approvers"][0]
        yield "approver dropped", replace(start, policy=_written_policy(copy))
        copy = deepcopy(data)
        copy["approvers"].insert(0, approver(ADA))
        yield "approver doubled", replace(start, policy=_written_policy(copy))
        for number in range(1, 10):
            copy = deepcopy(data)
            copy["thresholds"]["medium"] = number + 1
            yield f"medium {number + 1}", replace(start, policy=_written_policy(copy))

    count, alive = survivors(mutants())
    print(f"mutants of the approver in the judging policy, {mode}", count)
    assert alive == []
    assert count > 100


def _same(name: str, held: str, text: str) -> bool:
    """True for another spelling of the same name: principals have neither case nor punctuation."""
    if name != "name" or not text.strip():
        return False
    return Approver(name=text, emails=[]).principal == Approver(name=held, emails=[]).principal


def _data(raw: bytes) -> Any:
    return parse(raw).data


def _written(data: Any) -> bytes | None:
    """The file of mutated data; None for what no file can hold."""
    try:
        return emit(data)
    except (TypeError, ValueError, YamlError):
        return None


def _written_policy(data: Any) -> bytes:
    return _written(data) or b""
