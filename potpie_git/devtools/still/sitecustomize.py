"""Loaded by every Python that runs for a printed snippet: time stands still, and what is random follows the command."""

from __future__ import annotations

import hashlib
import itertools
import os
import secrets
import sys
import uuid
from datetime import datetime

from potpie_git.domain import times

_NOW = os.environ["SNIPPETS_NOW"]
_drawn = itertools.count(1)


def _bits(k: int) -> int:
    seed = "\0".join([str(next(_drawn)), *sys.argv[1:]])
    return int.from_bytes(hashlib.sha256(seed.encode()).digest(), "big") >> (256 - k)


times.utc_now = lambda: datetime.fromisoformat(_NOW)
uuid.uuid4 = lambda: uuid.UUID(int=next(_drawn))
secrets.randbits = _bits
