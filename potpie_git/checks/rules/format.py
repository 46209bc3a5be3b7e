"""Family F: the bytes, the YAML, the name and the mode of one file."""

from __future__ import annotations

from collections.abc import Callable

from potpie_git.checks.rules.cases import Trees
from potpie_git.checks.rules.model import Example, Rule
from potpie_git.checks.rules.samples import adds, claim, edited, file, path, pot
from potpie_git.domain.claim import Claim
from potpie_git.domain.layout import ATTRIBUTES_FILE, ATTRIBUTES_TEXT
from potpie_git.store.codec import repository_path

_FACT = "fact: Retry the refund with the remaining captured amount."


def _written(shown: str, **fields: object) -> Example:
    """A claim with these fields, as the program writes it."""
    return Example(shown, lambda: adds(file(claim(**fields))))


def _typed(shown: str, old: str, new: str | bytes) -> Example:
    """The sample claim, with a piece of its text replaced by hand before it was ever committed."""
    return Example(shown, lambda: adds(edited(claim(), old, new)))


def _bytes(shown: str, change: Callable[[bytes], bytes]) -> Example:
    return Example(shown, lambda: adds({path(claim()): change(_raw(claim()))}))


def _raw(held: Claim) -> bytes:
    [raw] = file(held).values()
    assert isinstance(raw, bytes)
    return raw


def _twins() -> Trees:
    folder, _, name = path(claim()).rpartition("/")
    return adds({f"{folder}/{name.replace('fix', 'Fix')}": _raw(claim())}, to=pot(claim()))


def _attributes(text: str) -> Example:
    return Example(text.strip(), lambda: adds({repository_path(ATTRIBUTES_FILE): text.encode()}))


_SAMPLE = _written(_FACT)
_PLACE = "claims/debugging/f4/fix-9f3a1c77b2e0.RESOLVED.bug-pattern-refunds-api-partial-capture.c-55f4….yaml"

RULES = (
    Rule(
        "PG-F01",
        "not UTF-8",
        "A governed file is UTF-8, so that every machine reads the same text. Save it as UTF-8, without a "
        "byte order mark.",
        bad=_typed(
            "fact: The caf\\xe9 menu is cached.   # a Latin-1 byte",
            _FACT,
            b"fact: The caf\xe9 menu is cached.",
        ),
        good=_written("fact: The café menu is cached.", fact="The café menu is cached."),
    ),
    Rule(
        "PG-F02",
        "byte order mark",
        "A byte order mark is three invisible bytes that some editors put first. Two files that read the same "
        "would differ. Save the file as UTF-8 without it.",
        bad=_bytes("\\xef\\xbb\\xbfid: c-55f4…", lambda raw: b"\xef\xbb\xbf" + raw),
        good=_SAMPLE,
    ),
    Rule(
        "PG-F03",
        "line ending other than LF, or no final one",
        "Lines end in LF, the last one too; a carriage return can hide text from a reviewer. `git potpie fmt` "
        "writes it so, and .potpie/.gitattributes keeps git from changing it.",
        bad=_bytes(f"{_FACT}\\r\\n", lambda raw: raw.replace(b"\n", b"\r\n")),
        good=_SAMPLE,
    ),
    Rule(
        "PG-F04",
        "control or hidden character",
        "Controls, bidirectional overrides and zero-width characters change what is shown or read without "
        "being seen. Delete the character and write what it meant in visible text. Joiners that a script or "
        "an emoji needs may stay.",
        bad=_typed(
            "fact: Retry the refund\\u202e with the remaining captured amount.",
            _FACT,
            _FACT.replace("refund", "refund\u202e"),
        ),
        good=_SAMPLE,
    ),
    Rule(
        "PG-F05",
        "file too large",
        "A record says something in a few sentences and refers to the rest; 64 KiB is far more than that "
        "needs. Put the long text where it belongs and cite it as evidence.",
        bad=_typed("description: …   # 70,000 characters", _FACT, f"{_FACT}\ndescription: {'x' * 70_000}"),
        good=_written(
            "description: Refund fails with 409; see the pull request.",
            description="Refund fails with 409; see the pull request.",
        ),
    ),
    Rule(
        "PG-F06",
        "nested too deep",
        "No record needs more than 8 levels; deep nesting only serves to exhaust a reader. Flatten the "
        "structure.",
        bad=_typed(
            "details: {a: {a: {a: {a: {a: {a: {a: {a: x}}}}}}}}",
            _FACT,
            f"{_FACT}\ndetails: {'{a: ' * 8}x{'}' * 8}",
        ),
        good=_written(
            "details:\n  root_cause: The gateway rounds.", details={"root_cause": "The gateway rounds."}
        ),
    ),
    Rule(
        "PG-F07",
        "YAML syntax",
        "The file is not YAML. What cannot be read is refused everywhere and never skipped: mend the line "
        "that is named. Text with `: `, ` #` or a leading special character goes into double quotes.",
        bad=_typed('fact: "Retry the refund', _FACT, 'fact: "Retry the refund'),
        good=_written('fact: "Cause: the gateway rounds."', fact="Cause: the gateway rounds."),
    ),
    Rule(
        "PG-F08",
        "YAML construct that strict YAML leaves out",
        "Anchors, aliases, tags, merge keys, directives and further documents make a file mean something else "
        "than it shows, or grow beyond bounds. Write the value out.",
        bad=_typed(
            "fact: &text Retry the refund with the remaining captured amount.", "fact: ", "fact: &text "
        ),
        good=_SAMPLE,
    ),
    Rule(
        "PG-F09",
        "duplicate key",
        "One mapping holds a key twice, and readers differ on which of them counts. It is what a union merge "
        "leaves behind. Decide which one holds.",
        bad=_typed(
            "truth: agent_claim\ntruth: user_decision",
            "truth: agent_claim",
            "truth: agent_claim\ntruth: user_decision",
        ),
        good=_written("truth: user_decision", truth="user_decision"),
    ),
    Rule(
        "PG-F10",
        "conflict marker of an unfinished merge",
        "The file still holds the lines that git puts around two versions. Keep what holds, delete the "
        "markers, and let `git potpie check --staged` judge the result.",
        bad=_typed(
            "<<<<<<< HEAD\nfact: …\n=======\nfact: …\n>>>>>>> topic",
            _FACT,
            f"<<<<<<< HEAD\n{_FACT}\n=======\nfact: Split it.\n>>>>>>> topic",
        ),
        good=_SAMPLE,
    ),
    Rule(
        "PG-F11",
        "empty or null value",
        "A key without a value says neither that something is absent nor what it is. Leave the key out, or "
        "give it a value.",
        bad=_typed("description:", _FACT, f"{_FACT}\ndescription:"),
        good=_SAMPLE,
    ),
    Rule(
        "PG-F12",
        "not in canonical form",
        "A record has one way to be written, so that a difference between two files is always a difference in "
        "what they say. `git potpie fmt` writes it, and keeps comments.",
        bad=_typed("truth: 'agent_claim'", "truth: agent_claim", "truth: 'agent_claim'"),
        good=_written("truth: agent_claim"),
    ),
    Rule(
        "PG-F13",
        "file name does not match the content",
        "A file's place is derived from what it holds, so that two branches that assert the same write the "
        "same file and nothing hides under another name. Let `git potpie` write files; other files do not "
        "belong under .potpie/.",
        bad=Example(
            "claims/debugging/f4/refund-retry.yaml",
            lambda: adds({".potpie/claims/debugging/f4/refund-retry.yaml": _raw(claim())}),
        ),
        good=Example(_PLACE, lambda: adds(file(claim()))),
    ),
    Rule(
        "PG-F14",
        "not a regular file of mode 100644",
        "A symbolic link, a submodule or an executable is not a record: a link's target is somebody else's "
        "content, and is never read. Write a plain file (`git update-index --chmod=-x PATH` takes the "
        "executable bit away).",
        bad=Example(
            "old mode 100644\nnew mode 100755",
            lambda: adds({path(claim()): ("100755", _raw(claim()))}, to=pot(claim())),
        ),
        good=Example("new file mode 100644", lambda: adds(file(claim()))),
    ),
    Rule(
        "PG-F15",
        "not one mapping",
        "A governed file is one mapping of keys to values.",
        bad=_bytes("- id: c-55f4…", lambda raw: b"- a list\n- of things\n"),
        good=_SAMPLE,
    ),
    Rule(
        "PG-F16",
        "key that is not plain text",
        "A key that some reader takes for a number, a truth value, a time or a structure names different "
        "things to different readers. Use a word, in double quotes where needed.",
        bad=_typed("details:\n  no: later", _FACT, f"{_FACT}\ndetails:\n  no: later"),
        good=_written("details:\n  next: later", details={"next": "later"}),
    ),
    Rule(
        "PG-F17",
        "changed .potpie/.gitattributes",
        "These attributes make a concurrent edit of one file conflict instead of blending both sides, and "
        "keep git from converting line endings. The file has one fixed content; `git potpie init` writes it.",
        bad=_attributes("* text=auto merge=union\n"),
        good=_attributes(ATTRIBUTES_TEXT),
    ),
    Rule(
        "PG-F18",
        "name that no tree may hold",
        "A tree that was made by hand can hold names that a checkout cannot write, or writes elsewhere: `..`, "
        "`.git`, control characters, an entry twice, directories without end. Remove the entry.",
        bad=Example(
            "claims/decisions/.git/config",
            lambda: adds({".potpie/claims/decisions/.git/config": b"[core]\n"}),
        ),
        good=Example(_PLACE, lambda: adds(file(claim()))),
    ),
    Rule(
        "PG-F19",
        "two names that one file system takes for one",
        "Two names differ only in case, in Unicode composition or in characters that are not seen: on some "
        "machines one file overwrites the other. Remove the one that the program did not write.",
        bad=Example("fix-9f3a1c77b2e0.RESOLVED.….yaml\nFix-9f3a1c77b2e0.RESOLVED.….yaml", _twins),
        good=Example("fix-9f3a1c77b2e0.RESOLVED.….yaml", lambda: adds(file(claim()))),
    ),
)
