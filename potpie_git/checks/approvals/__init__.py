"""Approvals: gathered from a change and its commits, verified by a pure function, reported as findings."""
