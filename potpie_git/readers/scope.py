"""How far what a claim is about overlaps with what a question is about, dimension by dimension.

Matching is by containment: a rule for a repository applies to a file in it, a rule for `src/payments` to
`src/payments/client.py`. A dimension that both name and that does not match is a contradiction: the claim is about
something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from potpie_git.domain.claim import Claim
from potpie_git.domain.keys import type_name_of

Dimensions = Mapping[str, tuple[str, ...]]

# What a claim says nothing about neither speaks for it nor against it.
UNKNOWN = 0.5
# A claim without any scope applies everywhere, and is beaten by one that names the place.
GLOBAL = 0.3
# The question named a service, and the claim its repository; or the other way round.
BROADER, NARROWER = 0.7, 0.6

_DIMENSION_OF_TYPE = {
    "Service": "service",
    "Repository": "repo",
    "Environment": "environment",
    "Feature": "feature",
    "CodeAsset": "path",
}
# What a file's name tells. A header may be of either language, and a rule for JavaScript holds in TypeScript.
_LANGUAGES = {
    "c": "c", "cc": "c++", "cpp": "c++", "cs": "c#", "css": "css", "go": "go", "h": "c c++", "hpp": "c++",
    "html": "html", "java": "java", "js": "javascript", "jsx": "javascript", "kt": "kotlin", "php": "php",
    "proto": "protobuf", "py": "python", "pyi": "python", "rb": "ruby", "rs": "rust", "scala": "scala",
    "sh": "shell", "sql": "sql", "swift": "swift", "tf": "terraform", "ts": "typescript javascript",
    "tsx": "typescript javascript",
}  # fmt: skip
_LANGUAGES_BY_NAME = {
    "bash": "shell", "cpp": "c++", "csharp": "c#", "golang": "go", "js": "javascript", "py": "python",
    "rs": "rust", "sh": "shell", "ts": "typescript",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class QuestionScope:
    """What a question is about. `implied` is what follows: a service's repository, a repository's services.

    `certain` names the implied dimensions that leave nothing else open: a file lies in this repository and in no
    other, and its name tells its language.
    """

    dimensions: Dimensions = field(default_factory=dict)
    implied: Dimensions = field(default_factory=dict)
    keys: frozenset[str] = frozenset()
    certain: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.dimensions or self.keys)


@dataclass(frozen=True, slots=True)
class Overlap:
    """How a claim's scope met a question's: matched dimensions, whether one contradicts, and the degree in [0, 1]."""

    matched: int
    contradicts: bool
    degree: float


def plain(value: str, *prefixes: str) -> str:
    """A scope value without its key prefix, lower case: `service:Payments` → `payments`."""
    head, colon, rest = value.partition(":")
    return (rest if colon and head in prefixes else value).strip().lower()


def claim_dimensions(claims: Iterable[Claim]) -> dict[str, tuple[str, ...]]:
    """What claims are about, by dimension: the entity at the far end, and the code scope."""
    found: dict[str, list[str]] = {}
    for claim in claims:
        for name, values in _of_key(claim.object).items():
            found.setdefault(name, []).extend(values)
        if claim.environment:
            found.setdefault("environment", []).append(claim.environment.lower())
        for name, held in (claim.code_scope or {}).items():
            texts = [held] if isinstance(held, str) else held
            found.setdefault(name, []).extend(plain(text, name) for text in texts)
    return {name: tuple(dict.fromkeys(values)) for name, values in found.items()}


def _of_key(key: str | None) -> dict[str, tuple[str, ...]]:
    if key is None:
        return {}
    dimension = _DIMENSION_OF_TYPE.get(type_name_of(key))
    if dimension == "path":
        return {"path": (code_place(key),)}
    return {dimension: (plain(key, *key.split(":", 1)[:1]),)} if dimension else {"entity": (key,)}


def code_place(key: str) -> str:
    """The path or symbol of a code asset's key: `code:payments:src/refunds.py` → `src/refunds.py`.

    The part before it may be a whole repository or service key.
    """
    rest = key.partition(":")[2]
    head, colon, tail = rest.partition(":")
    if head in {"repo", "service"} and colon:
        head, colon, tail = tail.partition(":")
    return (tail if colon else head).strip("/")


def languages_of(paths: Iterable[str]) -> tuple[str, ...]:
    """Languages that the names of files tell."""
    found = (_LANGUAGES.get(path.rpartition(".")[2].lower(), "") for path in paths if "." in path)
    return tuple(dict.fromkeys(name for names in found for name in names.split()))


def overlap(question: QuestionScope, claimed: Dimensions) -> Overlap:
    """Compare a question's scope with what claims are about; a question without scope overlaps everything."""
    if not question:
        return Overlap(0, False, UNKNOWN)
    if not claimed:
        return Overlap(0, False, GLOBAL)
    degrees, matched = [], 0
    for name, values in claimed.items():
        degree = _one_dimension(question, name, values)
        if degree == 0.0:
            return Overlap(matched, True, 0.0)
        degrees.append(UNKNOWN if degree is None else degree)
        matched += degree is not None
    # More dimensions that match make a claim more specific to the question.
    specific = 1.0 - 0.3 / (1 + matched) if matched else 0.8
    return Overlap(matched, False, round(specific * sum(degrees) / len(degrees), 4))


def _one_dimension(question: QuestionScope, name: str, values: tuple[str, ...]) -> float | None:
    """0.0 for a contradiction, None if the question says nothing about this dimension."""
    asked = question.dimensions.get(name, ())
    if name == "entity":
        return 1.0 if question.keys.intersection(values) else None
    if asked:
        found = max((_match(name, want, held) for want in asked for held in values), default=0.0)
        if found:
            return found
    implied = question.implied.get(name, ())
    if any(_match(name, want, held) for want in implied for held in values):
        return BROADER if name == "repo" else NARROWER
    if name == "path" and asked and not any("/" in held or "." in held for held in values):
        return None  # a symbol's name tells nothing about a path
    return 0.0 if asked or (implied and name in question.certain) else None


def _match(name: str, asked: str, held: str) -> float:
    if name == "path":
        return path_match(asked, held)
    asked, held = asked.lower(), held.lower()
    if name == "language":
        return 1.0 if _LANGUAGES_BY_NAME.get(asked, asked) == _LANGUAGES_BY_NAME.get(held, held) else 0.0
    if name == "repo":
        return 1.0 if same_repository(asked, held) else 0.0
    return 1.0 if asked == held else 0.0


def same_repository(left: str, right: str) -> bool:
    """True if two spellings of a repository may mean the same: `payments`, `acme/payments`, with a host or not."""
    left, right = plain(left, "repo"), plain(right, "repo")
    return left == right or left.endswith(f"/{right}") or right.endswith(f"/{left}")


def path_match(asked: str, held: str) -> float:
    """How well a claim's path or pattern covers the path that is asked about, in [0, 1].

    1 for the same path; less, the further up a covering directory or pattern begins; 0.5 if the question is about a
    directory above the claim's path.
    """
    asked, held = asked.strip("/"), held.strip("/")
    if asked == held:
        return 1.0
    pattern = held.removesuffix("/**").removesuffix("/*")
    if _below(asked, pattern) or (any(char in held for char in "*?[") and fnmatchcase(asked, held)):
        depth = len([part for part in pattern.split("/") if part and not set(part) & set("*?[")])
        return round(0.6 + 0.4 * depth / (asked.count("/") + 1), 4)
    return UNKNOWN if _below(held, asked) else 0.0


def _below(path: str, directory: str) -> bool:
    return not directory or path == directory or path.startswith(f"{directory}/")
