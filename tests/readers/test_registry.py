"""Registries that disagree stop the program, and the message names the fix."""

import pytest

from potpie_git.domain.vocabulary import INCLUDES, VIEWS
from potpie_git.readers.registry import READERS, RegistryError, registry_faults, require_agreement


def test_the_registries_agree() -> None:
    assert registry_faults(READERS, INCLUDES, VIEWS) == []


def test_an_advertised_include_without_a_reader_is_named() -> None:
    readers = {name: reader for name, reader in READERS.items() if name != "owners"}
    with pytest.raises(
        RegistryError, match=r"'owners' is advertised and has no reader: write potpie_git/readers/owners.py"
    ):
        require_agreement(readers)


def test_a_reader_that_nobody_advertises_is_named() -> None:
    with pytest.raises(
        RegistryError, match=r"'docs' serves an include that nobody advertises: add it to INCLUDES"
    ):
        require_agreement(includes=[name for name in INCLUDES if name != "docs"])


def test_a_view_of_another_include_is_named() -> None:
    views = {key: view for key, view in VIEWS.items() if view.include != "timeline"}
    with pytest.raises(RegistryError, match="'timeline' has a reader and no view"):
        require_agreement(views=views)


def test_every_reader_is_filed_under_its_own_include() -> None:
    assert {name: reader.include for name, reader in READERS.items()} == {name: name for name in INCLUDES}


def test_an_include_whose_reader_is_missing_is_reported_and_not_answered_empty(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from potpie_git.readers import orchestrator
    from potpie_git.readers.request import ReadRequest
    from tests.readers.support import MemoryClaims, trunk

    fewer = {name: reader for name, reader in READERS.items() if name != "owners"}
    monkeypatch.setattr(orchestrator, "READERS", fewer)
    envelope = trunk(MemoryClaims([])).resolve(ReadRequest(), includes=["owners"])
    assert [(row.include, row.reason) for row in envelope.unsupported] == [("owners", "not_implemented")]
    assert envelope.coverage == []
    assert envelope.overall_confidence == "low"
