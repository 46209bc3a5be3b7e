"""Every check that a person asks for; a hook imports the one that it needs."""

from potpie_git.checks.ranges import check_range
from potpie_git.checks.staged import check_message, check_rev, check_staged

__all__ = ["check_message", "check_range", "check_rev", "check_staged"]
