"""Limits that keep a module readable, and errors named: counted on the package's own sources."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
CATCH_ALL = {"Exception", "BaseException"}

Trees = Mapping[str, ast.Module]


def test_no_file_is_too_long(package_trees: Trees, repository: Path) -> None:
    sizes = {path: len((repository / path).read_bytes().splitlines()) for path in package_trees}
    assert sizes, "the package has no modules?"
    assert {path: size for path, size in sizes.items() if size > MAX_FILE_LINES} == {}


def test_no_function_is_too_long(package_trees: Trees) -> None:
    sizes = {
        f"{path}:{node.lineno} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path, tree in package_trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert sizes, "the package has no functions?"
    assert {place: size for place, size in sizes.items() if size > MAX_FUNCTION_LINES} == {}


def test_every_handler_names_what_it_expects(package_trees: Trees) -> None:
    blind = [
        f"{path}:{handler.lineno}"
        for path, tree in package_trees.items()
        for handler in ast.walk(tree)
        if isinstance(handler, ast.ExceptHandler) and (CATCH_ALL & set(_caught(handler)))
    ]
    assert blind == []


def _caught(handler: ast.ExceptHandler) -> Iterator[str]:
    """Names of the classes that a handler catches; a bare one catches everything."""
    if handler.type is None:
        yield "BaseException"
        return
    for node in ast.walk(handler.type):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def test_nothing_is_left_to_implement(package_trees: Trees) -> None:
    unfinished = [
        f"{path}:{node.lineno}"
        for path, tree in package_trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise) and node.exc and "NotImplementedError" in ast.unparse(node.exc)
    ]
    assert unfinished == []


def test_a_blind_handler_would_be_seen() -> None:
    handlers = [
        node
        for source in (
            "try: x\nexcept: y",
            "try: x\nexcept (OSError, Exception): y",
            "try: x\nexcept OSError: y",
        )
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ExceptHandler)
    ]
    assert [bool(CATCH_ALL & set(_caught(handler))) for handler in handlers] == [True, True, False]
