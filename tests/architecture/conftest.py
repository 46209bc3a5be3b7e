"""What the house rules are checked against: the package's parsed sources and the files that git would commit."""

import ast
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def repository() -> Path:
    return REPOSITORY


@pytest.fixture(scope="session")
def package_trees() -> Mapping[str, ast.Module]:
    """Syntax trees of the package's modules by repository path."""
    sources = sorted((REPOSITORY / "potpie_git").rglob("*.py"))
    return {
        path.relative_to(REPOSITORY).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sources
    }


@pytest.fixture(scope="session")
def committed_paths() -> list[str]:
    """Repository paths of every file that is committed or would be: tracked, or new and not ignored."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY,
        capture_output=True,
        check=True,
    ).stdout.decode()
    return sorted(path for path in set(listing.split("\0")) if path and (REPOSITORY / path).is_file())


@pytest.fixture(scope="session")
def committed_texts(committed_paths: list[str]) -> Mapping[str, str]:
    """Texts of the committed files by repository path; files that are not UTF-8 are left out."""
    texts = {}
    for path in committed_paths:
        try:
            texts[path] = (REPOSITORY / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
    return texts
