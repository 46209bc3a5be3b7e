"""Strict YAML: the one form in which records stand in the tree.

`parse` turns bytes into a tree of text or raises the first fault, `faults` tells all of them, `emit` writes the
canonical bytes and keeps the comments of the document that they replace.
"""

from potpie_git.store.yaml import codes
from potpie_git.store.yaml.comments import Comment
from potpie_git.store.yaml.errors import YamlError
from potpie_git.store.yaml.reader import Document, faults, parse
from potpie_git.store.yaml.writer import emit

__all__ = ["Comment", "Document", "YamlError", "codes", "emit", "faults", "parse"]
