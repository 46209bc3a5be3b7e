"""Bulk writes: chunked, resumable, each chunk all or nothing."""

from __future__ import annotations

from potpie_git.write.bulk.items import Form, Item, read_items
from potpie_git.write.bulk.manifest import ChunkResult, Manifest
from potpie_git.write.bulk.run import DEFAULT_CHUNK, BulkOptions, BulkReport, apply_bulk

__all__ = [
    "DEFAULT_CHUNK",
    "BulkOptions",
    "BulkReport",
    "ChunkResult",
    "Form",
    "Item",
    "Manifest",
    "apply_bulk",
    "read_items",
]
