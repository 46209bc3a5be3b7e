"""Which verbs are tools, and what each takes: derived from the commands' own declarations.

A tool calls a command's function, so that there is one vocabulary and one write path. What approves, decides who may
approve, or installs something is no tool.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from types import UnionType
from typing import Any, Final, get_args, get_origin

from potpie_git.cli.commands_table import COMMANDS
from potpie_git.cli.lazy import CommandSpec, load_command
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import InvalidInputError
from potpie_git.domain.schema import operation_schema
from potpie_git.domain.templates import template_kinds
from potpie_git.domain.text import did_you_mean
from potpie_git.domain.vocabulary import (
    ENTITY_TYPES,
    INCLUDES,
    INTENTS,
    NUDGES,
    PREDICATES,
    RECORD_ENUMS,
    RECORD_LIST_FIELDS,
    RECORD_SCHEMAS,
    SUBGRAPHS,
    TRUTH_STRENGTH,
    VIEWS,
)

# Options that choose how or where something is printed, or that name files beside the pot: no matter of a tool.
_LEFT_OUT: Final = frozenset({"form", "file", "output", "stage", "message_file", "trust_root"})
_PAIRS: Final = "KEY=VALUE"
_TYPES: Final[Mapping[type, str]] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_KNOWN: Final[Mapping[str, tuple[str, ...]]] = {
    "intent": tuple(INTENTS),
    "include": tuple(INCLUDES),
    "subgraph": tuple(SUBGRAPHS),
    "view": tuple(view.name for view in VIEWS.values()),
    "event": tuple(NUDGES),
    "truth": tuple(TRUTH_STRENGTH),
    "type": tuple(ENTITY_TYPES),
    "predicate": tuple(PREDICATES),
    "direction": ("out", "in", "both"),
    "kind": tuple(template_kinds()),
}


@dataclass(frozen=True, slots=True)
class Property:
    """One argument of a tool, and the parameter of the command's function that it becomes."""

    name: str
    parameter: str
    kind: str
    many: bool
    required: bool
    default: Any
    help: str
    metavar: str | None

    @property
    def schema(self) -> dict[str, Any]:
        if self.kind == "operations":
            return {
                "type": "array",
                "items": {"$ref": "#/$defs/Operation"},
                "minItems": 1,
                "description": self.help,
            }
        if self.metavar == _PAIRS:
            return {"type": "object", "properties": _record_fields(), "description": self.help}
        held: dict[str, Any] = {"type": "string" if self.kind == "words" else self.kind}
        known = _KNOWN.get(self.name)
        if known is not None:
            held["enum"] = list(known)
        if self.many:
            held = {"type": "array", "items": held}
        about = self.help if self.metavar != "DIM:VALUE" else f"{self.help} Written as dimension:value."
        told = {"description": about} if about else {}
        return held | told | ({"default": self.default} if self.default not in (None, False) else {})

    def value(self, given: Any) -> Any:
        """The parameter's value. Raises `InvalidInputError` for one of another type."""
        if self.kind == "operations":
            if not isinstance(given, list):
                raise self._refused(given, "a list of operations")
            return json.dumps({"operations": given})
        if self.metavar == _PAIRS:
            return list(self._pairs(given))
        if self.kind == "words":
            return [self._single(given)]
        if self.many:
            if not isinstance(given, list):
                raise self._refused(given, "a list")
            return [self._single(one) for one in given]
        return self._single(given)

    def _single(self, given: Any) -> Any:
        fits = {
            "string": isinstance(given, str),
            "words": isinstance(given, str),
            "boolean": isinstance(given, bool),
            "integer": isinstance(given, int) and not isinstance(given, bool),
            "number": isinstance(given, int | float) and not isinstance(given, bool),
        }
        if not fits[self.kind]:
            raise self._refused(given, f"of type {'string' if self.kind == 'words' else self.kind}")
        return given

    def _pairs(self, given: Any) -> Iterator[str]:
        if not isinstance(given, Mapping):
            raise self._refused(given, "an object of fields")
        for name, held in given.items():
            for one in held if isinstance(held, list) else [held]:
                if not isinstance(one, str):
                    raise self._refused(one, "made of texts and lists of texts")
                yield f"{name}={one}"

    def _refused(self, given: Any, wanted: str) -> InvalidInputError:
        return InvalidInputError(
            f"{self.name} is {type(given).__name__} and not {wanted}",
            hint="See the tool's input schema.",
            code="usage",
        )


def _record_fields() -> dict[str, Any]:
    """Every field of a typed record, with the records that know it; a note takes others as well."""
    known: dict[str, list[str]] = {}
    for name, declared in RECORD_SCHEMAS.items():
        for one in declared.fields:
            known.setdefault(one, []).append(f"{name}{' (required)' if one in declared.required else ''}")
    return {
        one: _field_schema(one) | {"description": f"of {', '.join(records)}"}
        for one, records in known.items()
    }


def _field_schema(name: str) -> dict[str, Any]:
    if name in RECORD_LIST_FIELDS:
        return {"type": "array", "items": {"type": "string"}}
    known = RECORD_ENUMS.get(name)
    return {"type": "string"} | ({"enum": list(known)} if known else {})


@dataclass(frozen=True)
class Tool:
    """A command as a tool. `use` says when; `writes`, whether it may change anything but the index and plans."""

    command: str
    use: str
    writes: bool = False
    needs: frozenset[str] = field(default_factory=frozenset)

    @property
    def name(self) -> str:
        return self.command.replace(" ", "_").replace("-", "_")

    @property
    def _spec(self) -> CommandSpec:
        *groups, last = self.command.split()
        table = COMMANDS
        for one in groups:
            opened = table[one].target
            assert not isinstance(opened, str), f"{one} is no group of commands"
            table = opened
        return table[last]

    @cached_property
    def function(self) -> Callable[..., Reply]:
        """The command's function, imported when the tool is described or called."""
        module, _, function = str(self._spec.target).partition(":")
        found: Callable[..., Reply] = getattr(import_module(module), function)
        return found

    @property
    def description(self) -> str:
        told = (inspect.getdoc(self.function) or "").split("\n\n")[0].replace("\n", " ")
        return f"{told} {self.use}"

    @cached_property
    def properties(self) -> Mapping[str, Property]:
        declared = {one.name: one for one in load_command(self.command, self._spec).params}
        made = (
            _property(one, declared[name], self.needs)
            for name, one in inspect.signature(self.function, eval_str=True).parameters.items()
            if name not in _LEFT_OUT
        )
        return {one.name: one for one in made}

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the tool's arguments."""
        made: dict[str, Any] = {
            "type": "object",
            "properties": {name: one.schema for name, one in self.properties.items()},
            "required": [name for name, one in self.properties.items() if one.required],
            "additionalProperties": False,
        }
        if any(one.kind == "operations" for one in self.properties.values()):
            made["$defs"] = operation_schema()["$defs"]
        return made

    def call(self, arguments: Mapping[str, Any]) -> Reply:
        """Run the command. Raises `InvalidInputError` for arguments that it does not take, and what it raises."""
        given: dict[str, Any] = {}
        for name, held in arguments.items():
            known = self.properties.get(name)
            if known is None:
                raise InvalidInputError(
                    f"{self.name} takes no {name!r}.{did_you_mean(name, self.properties)}",
                    hint=f"It takes: {', '.join(self.properties) or 'nothing'}.",
                    code="usage",
                )
            if held is not None:
                given[known.parameter] = known.value(held)
        missing = [
            one.name for one in self.properties.values() if one.required and one.parameter not in given
        ]
        if missing:
            raise InvalidInputError(
                f"{self.name} needs {' and '.join(missing)}",
                hint="See the tool's input schema.",
                code="usage",
            )
        return self.function(**self._whole(given))

    def _whole(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Every parameter, what was not given with its default."""
        signature = inspect.signature(self.function, eval_str=True)
        defaults = {
            name: one.default
            for name, one in signature.parameters.items()
            if one.default is not inspect.Parameter.empty
        }
        return defaults | dict(given)


def _property(parameter: inspect.Parameter, declared: Any, needs: frozenset[str]) -> Property:
    """`declared` is the loaded command's parameter: option names, help and metavar."""
    base = get_args(parameter.annotation)[0]
    types = (
        [one for one in get_args(base) if one is not type(None)] if isinstance(base, UnionType) else [base]
    )
    many = get_origin(types[0]) is list
    option = next((one for one in declared.opts if one.startswith("--")), parameter.name)
    given_without_name = declared.param_type_name == "argument"
    kind = _TYPES[str if many else types[0]]
    if given_without_name:
        kind = "operations" if parameter.name == "payload" else "words" if many else kind
    return Property(
        name="operations" if kind == "operations" else option.lstrip("-").replace("-", "_"),
        parameter=parameter.name,
        kind=kind,
        many=many and kind != "words",
        required=parameter.default is inspect.Parameter.empty or parameter.name in needs,
        default=None if parameter.default is inspect.Parameter.empty else parameter.default,
        help=declared.help or "",
        metavar=declared.metavar,
    )


TOOLS: Final[Mapping[str, Tool]] = {
    tool.name: tool
    for tool in (
        Tool("status", "Call it first where you do not know whether there is a pot."),
        Tool("resolve", "Call it before you start on a task.", needs=frozenset({"task"})),
        Tool("search", "Call it with a symptom, an error message or a question."),
        Tool("graph catalog", "Call it with a task to learn which view answers it."),
        Tool("graph describe", "Call it to learn which scope and filters a view takes."),
        Tool("graph read", "Call it when you know the view that you want."),
        Tool("graph search-entities", "Call it before you write, so that you use the keys that are there."),
        Tool("graph neighborhood", "Call it to follow dependencies, fixes or owners."),
        Tool("graph history", "Call it to learn who said what, when and why."),
        Tool("graph nudge", "Call it when that event happens; an empty answer means that nothing is known."),
        Tool(
            "record",
            "Call it with what you have learnt and seen work. It commits; dry_run shows the plan instead.",
            writes=True,
            needs=frozenset({"record_type"}),
        ),
        Tool("graph mutation-template", "Call it before graph_propose, to see the fields of an operation."),
        Tool(
            "graph propose",
            "Call it for withdrawals and everything that is no record; then call graph_commit with the plan's id.",
            writes=True,
            needs=frozenset({"payload"}),
        ),
        Tool(
            "graph commit",
            "approval_required means that a person has to approve it first: hand the plan's id to them.",
            writes=True,
        ),
        Tool(
            "graph inbox add",
            "Call it with what a person should look at and you cannot vouch for.",
            writes=True,
        ),
        Tool("check", "Call it before you commit by hand."),
        Tool("review", "Call it to see what a branch would change."),
    )
}
