"""Records: typed shapes, and a free form for everything else, that are lowered to operations."""

from potpie_git.write.records.lower import bug_key, fix_key, lower_record
from potpie_git.write.records.outcome import outcome_of
from potpie_git.write.records.record import Record
from potpie_git.write.records.scopes import SCOPE_NAMES

__all__ = ["SCOPE_NAMES", "Record", "bug_key", "fix_key", "lower_record", "outcome_of"]
