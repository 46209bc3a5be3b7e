"""How large a file of the store may be, in every direction."""

from __future__ import annotations

MAX_BYTES = 64 * 1024
MAX_DEPTH = 8
"""Nested collections, the root mapping included."""
MAX_KEY_LENGTH = 256
"""Code points of a key. YAML itself ends the search for a key's colon after 1,024."""
MAX_FAULTS = 100
"""Faults of one file that are told at once: more say nothing new."""
