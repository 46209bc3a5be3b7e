"""Names that some file system, or a reader, cannot tell apart, and names that no tree should hold."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from potpie_git.domain.directory import POT_DIRECTORY

# Letters that look like those of the name and that neither normalisation nor case folding maps to them.
_SAME_SHAPE: Final = str.maketrans(
    dict.fromkeys("\u0440\u03c1\u2ca3\u2374\u1d18", "p")
    | dict.fromkeys(
        "\u043e\u03bf\u0585\u2c9f\u03c3\u1d0f\u1d11\u10ff\u05e1\u0d20\u101d\u0c02\u0966\u06f5\u0665\u06c1\u0647",
        "o",
    )
    | dict.fromkeys("\u0442\u03c4\u1d1b", "t")
    | dict.fromkeys("\u0456\u03b9\u0131\u026a\u0269\ua647\u04cf\u2373\u13a5\uab75", "i")
    | dict.fromkeys("\u0435\u04bd\u212e\uab32\u1d07", "e")
    | dict.fromkeys("\u0660\u06f0\u06d4\u0701\u0702\ua60e\ua4f8", ".")
)
# Format characters, controls and stray bytes: not seen, and HFS+ drops some of them when it compares names.
_UNSEEN: Final = {"Cc", "Cf", "Cs"}
_FILLERS: Final = "\u115f\u1160\u3164\uffa0\u2800"
_MARKS: Final = {"Mn", "Me"}
# NTFS opens the directory for these too: an alternate stream, a short name, a path with its own separator.
_STREAM_OR_PATH: Final = re.compile(r"[:\\].*", re.DOTALL)
_SHORT_NAME: Final = re.compile(r"(potpie|git)~[0-9]+")


def folded_name(name: str) -> str:
    """Equal for names that differ only by case, normalisation, unseen characters, or dots and spaces at the end."""
    if name.isascii() and name.isprintable():
        return name.lower().rstrip(" .")
    seen = "".join(c for c in name if unicodedata.category(c) not in _UNSEEN and c not in _FILLERS)
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", seen).casefold()).rstrip(" .")


def is_look_alike(name: str) -> bool:
    """Whether a name beside `.potpie` passes for it, on this or another file system or to the eye."""
    if name == POT_DIRECTORY:
        return False
    plain = "".join(
        c for c in unicodedata.normalize("NFKD", folded_name(name)) if unicodedata.category(c) not in _MARKS
    )
    plain = _STREAM_OR_PATH.sub("", plain.casefold().translate(_SAME_SHAPE)).strip(" ").rstrip(" .")
    return plain == POT_DIRECTORY or _short_name_of(plain) == "potpie"


def is_git_directory_name(name: str) -> bool:
    """Whether some file system takes the name for `.git`."""
    folded = folded_name(name)
    if "git" not in folded:
        return False
    plain = _STREAM_OR_PATH.sub("", folded).rstrip(" .")
    return plain == ".git" or _short_name_of(plain) == "git"


def _short_name_of(plain: str) -> str | None:
    match = _SHORT_NAME.fullmatch(plain)
    return match[1] if match else None
