"""The nine readers by include, and the guard that the vocabulary and they name the same things."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from potpie_git.domain.vocabulary import INCLUDES, VIEW_BY_INCLUDE, VIEWS, View
from potpie_git.readers import (
    coding_preferences,
    decisions,
    docs,
    features,
    infra_topology,
    owners,
    prior_bugs,
    raw_graph,
    timeline,
)
from potpie_git.readers.reader import Reader


class RegistryError(ImportError):
    """The includes that are advertised and those that a reader serves are not the same; the message names the fix."""


_READERS = (
    coding_preferences.READER,
    decisions.READER,
    docs.READER,
    features.READER,
    infra_topology.READER,
    owners.READER,
    prior_bugs.READER,
    raw_graph.READER,
    timeline.READER,
)
READERS: Mapping[str, Reader] = MappingProxyType({reader.include: reader for reader in _READERS})


def registry_faults(readers: Iterable[str], includes: Iterable[str], views: Mapping[str, View]) -> list[str]:
    """Every disagreement between readers, advertised includes and views, each with the fix."""
    backed, advertised = set(readers), set(includes)
    served = {view.include for view in views.values()}
    faults = [
        f"the include {name!r} is advertised and has no reader: write potpie_git/readers/{name}.py and add its READER "
        "to readers/registry.py, or take the include out of INCLUDES in domain/vocabulary/reads.py"
        for name in sorted(advertised - backed)
    ]
    faults += [
        f"the reader {name!r} serves an include that nobody advertises: add it to INCLUDES in "
        "domain/vocabulary/reads.py, or take it out of readers/registry.py"
        for name in sorted(backed - advertised)
    ]
    faults += [
        f"the include {name!r} has a reader and no view: declare a View with this include in domain/vocabulary/reads.py"
        for name in sorted(backed - served)
    ]
    faults += [
        f"a view names the include {name!r}, which no reader serves: correct the view in domain/vocabulary/reads.py, "
        "or add the reader to readers/registry.py"
        for name in sorted(served - backed)
    ]
    return faults


def require_agreement(
    readers: Mapping[str, Reader] = READERS,
    includes: Iterable[str] = INCLUDES,
    views: Mapping[str, View] = VIEWS,
) -> None:
    """Raise `RegistryError` if readers, includes and views disagree."""
    faults = registry_faults(readers, includes, views)
    if faults:
        raise RegistryError("the read registries disagree:\n  " + "\n  ".join(faults))


def view_key(include: str) -> str:
    """The `<subgraph>.<view>` that serves an include."""
    return VIEW_BY_INCLUDE[include].key


require_agreement()
