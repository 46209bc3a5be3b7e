"""A record as the caller hands it over: a typed shape or a note in free form, checked before it becomes operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from potpie_git.domain.errors import InvalidInputError, NotFoundError
from potpie_git.domain.keys import is_claim_id, type_name_of
from potpie_git.domain.text import did_you_mean
from potpie_git.domain.vocabulary import (
    RECORD_SCHEMAS,
    RECORD_TYPES,
    RecordSchema,
    RecordType,
    subgraph_of,
)
from potpie_git.store.pot_tree import PotTree
from potpie_git.write.draft import Draft
from potpie_git.write.issues import Issue
from potpie_git.write.message import shortened
from potpie_git.write.propose import normalised


@dataclass(frozen=True)
class Record:
    """A record's type and fields, and what any record may say beside them."""

    record_type: str
    fields: Mapping[str, Any]
    scope: Mapping[str, list[str]] = field(default_factory=dict)
    evidence: tuple[Any, ...] = ()
    subject: str | None = None
    summary: str | None = None
    fact: str | None = None
    description: str | None = None
    truth: str | None = None
    confidence: float | None = None
    environment: str | None = None
    valid_from: str | None = None
    observed_at: str | None = None
    source_system: str | None = None
    reinstates: str | None = None
    reason: str | None = None

    @classmethod
    def of(
        cls,
        record_type: str,
        given: Mapping[str, Any],
        scope: Mapping[str, Any],
        evidence: Sequence[Any],
        options: Mapping[str, Any],
    ) -> Record:
        """A record of what a caller gave, in composed form.

        Raises `InvalidInputError` for an option that no record takes, and for one that would be passed over.
        """
        known = {one.name for one in fields(cls)} - {"record_type", "fields", "scope", "evidence"}
        for name in options:
            if name not in known:
                near = did_you_mean(name, known)
                raise InvalidInputError(
                    f"a record takes no {name!r}.{near}", hint=f"It takes: {', '.join(sorted(known))}."
                )
        if not record_type.strip():
            hint = f"Types: {', '.join(RECORD_TYPES)}; any other name is free form."
            raise InvalidInputError("the record has no type", hint=hint)
        said = {name: held for name, held in options.items() if held not in (None, "")}
        if "reason" in said and "reinstates" not in said:
            raise InvalidInputError(
                "a reason belongs to `reinstates`: it says why a withdrawn value stands again",
                hint="Say why in the record's own words, or name the withdrawn claim in `reinstates`.",
            )
        return cls(
            normalised(record_type.strip()),
            normalised(given),
            {name: _as_list(held) for name, held in normalised(scope).items()},
            tuple(normalised(evidence)),
            **normalised(said),
        )

    @property
    def declared(self) -> RecordType | None:
        """The record type of the vocabulary; None for a name that it does not know, which is free form."""
        return RECORD_TYPES.get(self.record_type)

    @property
    def schema(self) -> RecordSchema | None:
        """The fields of a typed record; None for free form."""
        declared = self.declared
        return RECORD_SCHEMAS[declared.schema] if declared and declared.schema else None

    def subject_line(self) -> str:
        """The first line of the record's commit message."""
        given = [self.fact, self.summary, *(self.fields.get(name) for name in _TELLING)]
        said = next((text for text in map(_first_text, given) if text), "")
        return shortened(f"Record {self.record_type.replace('_', ' ')}: {said}".rstrip(": "))

    def grounded(self, tree: PotTree) -> tuple[Record, list[Issue]]:
        """A verification's record with the fix that it is about, and what is wrong with its target.

        A `target_ref` may name the fix or its claim. Other records are returned as they are.
        """
        target = self.fields.get("target_ref")
        if self.record_type != "verification" or not isinstance(target, str):
            return self, []
        claim_id = target.removeprefix("claim:")
        if is_claim_id(claim_id):
            try:
                claim = Draft(tree).claim(claim_id).claim
            except NotFoundError as error:
                return self, [Issue("unknown_target", error.message, error.hint, "target_ref")]
            return replace(self, fields={**self.fields, "target_ref": claim.subject}), []
        if type_name_of(target) == "Fix" and not tree.claims_about(target, subgraph_of("RESOLVED")):
            hint = "Find the fix with `git potpie search`; a verification is about one that was recorded."
            return self, [Issue("unknown_target", f"no claim is about {target}", hint, "target_ref")]
        return self, []


_TELLING = ("title", "summary", "prescription", "symptom_signature", "target_ref", "fix_steps")


def _as_list(held: Any) -> list[str]:
    return [str(item) for item in held] if isinstance(held, list | tuple) else [str(held)]


def _first_text(held: Any) -> str:
    if isinstance(held, list | tuple):
        return _first_text(held[0]) if held else ""
    return held.strip() if isinstance(held, str) else ""
