"""History from git itself: who asserted, withdrew, patched, merged or approved what, when, by which plan, and why."""

from __future__ import annotations

from potpie_git.store.history.query import History, HistoryEvent, HistoryQuery, history
from potpie_git.store.history.steps import Kind

__all__ = ["History", "HistoryEvent", "HistoryQuery", "Kind", "history"]
