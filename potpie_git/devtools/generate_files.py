"""Generate the committed files that derive from declarations.

Run `python -m potpie_git.devtools.generate_files [--check]`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from potpie_git.checks.registry import rules_document
from potpie_git.devtools.cli_reference import cli_reference
from potpie_git.devtools.ontology import ontology_document
from potpie_git.domain.schema import FILE_MODELS, file_schema

ROOT = Path(__file__).resolve().parents[2]


def _schema_text(kind: str) -> Callable[[], str]:
    found = next(item for item in FILE_MODELS if item.value == kind)
    return lambda: json.dumps(file_schema(found), indent=2, ensure_ascii=False) + "\n"


def generated_files() -> Mapping[str, Callable[[], str]]:
    """Each generated file's path from the project's root, with the function that makes its text."""
    schemas = {f"schema/{kind.value}.schema.json": _schema_text(kind.value) for kind in FILE_MODELS}
    return {
        **schemas,
        "docs/ontology.md": ontology_document,
        "docs/cli.md": cli_reference,
        "docs/rules.md": rules_document,
    }


def drifted(root: Path = ROOT) -> list[str]:
    """Generated files whose committed text is not what the declarations make."""
    return [
        path
        for path, make in generated_files().items()
        if not (root / path).is_file() or (root / path).read_text(encoding="utf-8") != make()
    ]


def main() -> int:
    """Write the files, or with `--check` name those that drifted and exit 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file drifted")
    check = parser.parse_args().check
    stale = drifted()
    if not check:
        for path in stale:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(generated_files()[path](), encoding="utf-8")
    verb = "drifted" if check else "wrote"
    sys.stdout.write("".join(f"{verb} {path}\n" for path in stale) or "generated files are up to date\n")
    return 1 if check and stale else 0


if __name__ == "__main__":
    raise SystemExit(main())
