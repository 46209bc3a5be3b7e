"""Trailers as git finds them: compared with `git interpret-trailers --parse` on generated messages."""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random

import pytest

from potpie_git.domain.trailers import co_authors, parse_trailers, person, sign_offs

SCISSORS = "# ------------------------ >8 ------------------------"
PIECES = [
    "Title",
    "",
    "",
    "Signed-off-by: Rae <rae@x>",
    "  folded more",
    "> Signed-off-by: Q <q@x>",
    "Co-authored-by: A <a@x>",
    "(cherry picked from commit abc)",
    "some text",
    "# comment",
    "---",
    "--- a",
    "----",
    "Conflicts:",
    "\tfile",
    "Key : value",
    "Key:",
    "a b: c",
    ": x",
    "-: y",
    " Signed-off-by: I <i@x>",
    "Signed-off-by:Rae <r@x>",
    "signed-off-by: low <l@x>",
    "   ",
    "\t",
    SCISSORS,
    "Über: x",
    "Key=val",
    "x\r",
    "\x0c",
    "Signed-off-by: \x0bT <t@x>",
]


def generated(random: Random) -> str:
    """A message that this git can parse: some versions never return where scissors stand below a divider."""
    while True:
        lines = [random.choice(PIECES) for _ in range(random.randint(0, 9))]
        if SCISSORS not in lines or not any(line.startswith("---") for line in lines):
            return "\n".join(lines) + random.choice(["", "\n", "\n"])


def git_says(message: str, folder: Path) -> list[str]:
    done = subprocess.run(
        ["git", "interpret-trailers", "--parse"],
        input=message.encode(),
        cwd=folder,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().split("\n")[:-1]


@pytest.mark.parametrize("seed", range(4))
def test_git_finds_the_same(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    for _ in range(100):
        message = generated(random)
        ours = [f"{trailer.token}: {trailer.value}" for trailer in parse_trailers(message)]
        assert ours == git_says(message, tmp_path), message


@pytest.mark.parametrize(
    "message",
    [
        "Signed-off-by: Rae <rae@x>\n",
        "Title\n\n> Signed-off-by: Rae <rae@x>\n",
        "Title\n\nSigned-off-by: Rae\n <rae@x>\n",
        "Title\n\nSigned-off-by: Rae <rae@x>\n\nA last paragraph.\n",
        "Title\n\nSigned-off-by: Rae <rae@x>\nand more\nand more\nand more\nand more\n",
        "Title\n\n---\nSigned-off-by: Rae <rae@x>\n",
        "Title\n--- \n\nSigned-off-by: Rae <rae@x>\n",
        "Title\n\n# Signed-off-by: Rae <rae@x>\n",
        f"Title\n\n{SCISSORS}\nSigned-off-by: Rae <rae@x>\n",
        "Title\n\nSigned-off-by: Rae <rae@x> <eve@x>\n",
        "Title\n\nSigned-off-by: rae@x\n",
        "Title\n\nSigned-off-by: Rae <rae @x>\n",
        "Title\n\n Signed-off-by: Rae <rae@x>\n",
        "Title\0\n\nSigned-off-by: Rae <rae@x>\n",
        "",
    ],
)
def test_what_is_no_sign_off(message: str) -> None:
    assert sign_offs(message) == []


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("Title\n\nSigned-off-by: Rae <rae@x>\n", ["rae@x"]),
        ("Title\n\nsigned-off-by : Rae R. <rae@x>", ["rae@x"]),
        ("Title\n\nBody.\n\nReviewed-by: B <b@x>\nSigned-off-by: <rae@x>\n", ["rae@x"]),
        ("Title\n\nSigned-off-by: A <a@x>\nSigned-off-by: B <b@x>\n\n# a comment\n\n", ["a@x", "b@x"]),
        ("Title\n\nsome words\nSigned-off-by: A <a@x>\n", ["a@x"]),
        ("Title\n\nSigned-off-by: A <a@x>\n\nConflicts:\n\tfile\n", ["a@x"]),
    ],
)
def test_what_is_a_sign_off(message: str, found: list[str]) -> None:
    assert sign_offs(message) == found


def test_co_authors_are_found_folded_as_well() -> None:
    message = "Title\n\nCo-Authored-By: A B <a@x>\nCo-authored-by: C\n <c@x>\nCo-authored-by: nobody\n"
    assert co_authors(message) == [("A B", "a@x"), ("C", "c@x")]


def test_a_person_has_one_address() -> None:
    assert person("Rae Rivers <rae@x>") == ("Rae Rivers", "rae@x")
    assert person("<rae@x>") == ("", "rae@x")
    for text in ("Rae", "Rae <>", "Rae <a@x> b", "<a@x> <b@x>", "Rae <a@x", "rae@x"):
        assert person(text) is None, text
