"""An empty answer says so if the pot does not know what was asked about, and names what is near."""

from potpie_git.domain.files import Entity
from potpie_git.readers.entities import EntityQuery, search_entities
from potpie_git.readers.neighborhood import neighborhood
from potpie_git.readers.request import ReadContext, ReadRequest
from tests.readers.support import NOW, MemoryClaims, claim, entity, scope, trunk, withdrawn

EDGE = claim("service:frost-bell", "DEPENDS_ON", "service:member-hub")
NOTE = "nothing here names service:frostbell. Did you mean 'service:frost-bell'?"


def _notes(*pairs: str, claims=(EDGE,), entities: tuple[Entity, ...] = ()) -> list[str]:
    request = ReadRequest(scope=scope(*pairs))
    found = trunk(MemoryClaims(claims), entities=entities).read_view("decisions", "active_decisions", request)
    assert found.items == []
    return found.metadata.get("notes", [])


def test_a_read_names_what_is_near() -> None:
    assert _notes("service:frostbell") == [NOTE]


def test_a_key_that_is_known_in_any_way_is_no_stranger() -> None:
    gone = withdrawn(EDGE, "retract_claim", "It never did.", "2026-06-10T00:00:00Z")
    assert _notes("service:frost-bell") == []
    assert _notes("service:frost-bell", claims=[gone]) == []
    assert _notes("service:new", entities=(entity("service:new", "Service", name="New"),)) == []
    assert _notes("path:src/new.py") == []


def test_nothing_is_proposed_where_nothing_is_near() -> None:
    assert _notes("service:zzz") == ["nothing here names service:zzz."]


def test_a_walk_and_a_search_for_entities_say_the_same() -> None:
    memory = MemoryClaims([EDGE])
    walked = neighborhood(memory, lambda: NOW, ReadContext(), "service:frostbell", ReadRequest())
    assert walked.notes == [NOTE]
    query = EntityQuery(request=ReadRequest(scope=scope("service:frostbell")))
    assert search_entities(memory, lambda: NOW, ReadContext(), query).notes == [NOTE]
    walked = neighborhood(memory, lambda: NOW, ReadContext(), "service:frost-bell", ReadRequest())
    assert walked.notes == []
