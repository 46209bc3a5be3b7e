"""What a read refuses to run, so that a mistaken question is never answered with an empty success."""

from __future__ import annotations

from potpie_git.domain.errors import InvalidInputError


class UnknownViewError(InvalidInputError):
    """No such view; `detail["did_you_mean"]` names the nearest one, or the one that serves what was meant."""

    code = "unknown_view"


class UnknownSubgraphError(InvalidInputError):
    code = "unknown_subgraph"


class UnknownIntentError(InvalidInputError):
    code = "unknown_intent"


class UnknownNudgeError(InvalidInputError):
    code = "unknown_nudge_event"


class MissingScopeError(InvalidInputError):
    """A view needs at least one of the dimensions in `detail["required_any_scope"]`."""

    code = "missing_required_scope"


class UnsupportedFilterError(InvalidInputError):
    """A view does not take a filter that was given; `detail["supported_filters"]` lists those that it takes."""

    code = "unsupported_filter"


class BadFilterError(InvalidInputError):
    """A filter's value is not one of those that it takes."""

    code = "bad_filter"
