"""What a repository says by itself: history and CODEOWNERS as claims, at any revision, without a file of ours."""

from datetime import UTC, datetime, timedelta

import pytest

from potpie_git.domain.query import ClaimQuery, MatchMode, Standing
from potpie_git.readers.orchestrator import ReadTrunk
from potpie_git.readers.request import ReadContext, ReadRequest, parse_scope
from potpie_git.store.derived import DerivedClaims, repository_key
from potpie_git.store.derived.commits import parse_log, places
from potpie_git.store.derived.names import owner_key, parse_address, person_key
from potpie_git.store.repository import Repository
from tests.support.git_repo import GitRepo

TIMELINE = frozenset({"AUTHORED", "TOUCHED"})
START = datetime(2026, 6, 1, tzinfo=UTC)


class Story:
    """Commits an hour apart, by whom the test says."""

    def __init__(self, repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
        self.repo = repo
        self._patch = monkeypatch
        self.hours = 0

    def commit(self, message: str, files: dict[str, str], who: str = "Rae Rivers <rae@example.com>") -> str:
        self.tick(who)
        return self.repo.commit(message, files=files)

    def tick(self, who: str = "Rae Rivers <rae@example.com>") -> None:
        name, _, address = who.partition(" <")
        when = (START + timedelta(hours=self.hours)).isoformat()
        self.hours += 1
        for role in ("AUTHOR", "COMMITTER"):
            self._patch.setenv(f"GIT_{role}_DATE", when)
            self._patch.setenv(f"GIT_{role}_NAME", name)
            self._patch.setenv(f"GIT_{role}_EMAIL", address.rstrip(">"))

    def derived(self, **options) -> DerivedClaims:
        return DerivedClaims(Repository.discover(self.repo.root), **options)

    def trunk(self, **options) -> ReadTrunk:
        derived = self.derived(**options)
        now = START + timedelta(days=30)
        return ReadTrunk(derived, lambda: now, ReadContext(repository=repository_key(derived.repo)))


@pytest.fixture
def story(git_repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> Story:
    git_repo.git("remote", "add", "origin", "git@github.com:Acme/Payments.git")
    return Story(git_repo, monkeypatch)


def _rows(derived: DerivedClaims, **fields):
    fields.setdefault("predicates", TIMELINE)
    return derived.find_claims(ClaimQuery(**fields)).rows


def _facts(derived: DerivedClaims, **fields) -> list[str]:
    return list(dict.fromkeys(row.claim.fact for row in _rows(derived, **fields)))


def test_a_commit_is_an_activity_with_author_places_and_reference(story: Story) -> None:
    oid = story.commit("Refund the rest (#12)", {"src/refunds.py": "x", "docs/a.md": "y"})
    rows = _rows(story.derived())
    claims = {(row.claim.predicate, row.claim.object): row.claim for row in rows}
    activity = f"activity:git:{oid}"
    assert set(claims) == {
        ("AUTHORED", activity),
        ("TOUCHED", "code:payments:docs/a.md"),
        ("TOUCHED", "code:payments:src/refunds.py"),
    }
    authored = claims["AUTHORED", activity]
    assert authored.subject == "person:rae"
    assert authored.fact == "Refund the rest (#12)"
    assert authored.source_refs == [f"git:commit:{oid}", "github:pr:acme/payments:12"]
    assert authored.begins == START
    assert (authored.truth, authored.subgraph) == ("timeline_event", "recent_changes")
    assert {(row.standing, row.commit) for row in rows} == {(Standing.DERIVED, oid)}


@pytest.mark.parametrize(
    ("message", "title", "reference"),
    [
        (
            "Merge pull request #12 from kim/x\n\nRefund the rest",
            "Refund the rest (#12)",
            "github:pr:acme/payments:12",
        ),
        ("Refund the rest (#7)", "Refund the rest (#7)", "github:pr:acme/payments:7"),
        (
            "Merge branch 'x' into 'main'\n\nRefund\n\nSee merge request acme/payments!31",
            "Refund",
            "gitlab:mr:acme/payments:31",
        ),
        ("Refund (!8)", "Refund (!8)", "gitlab:mr:acme/payments:8"),
        ("Merged in x (pull request #5)", "Merged in x (pull request #5)", "github:pr:acme/payments:5"),
        ("Fix #12 for good", "Fix #12 for good", None),
        ("Refund (#7) again", "Refund (#7) again", None),
    ],
)
def test_pull_and_merge_requests_are_told_by_the_message(
    story: Story, message: str, title: str, reference: str | None
) -> None:
    story.commit("first", {"a": "1"})
    story.repo.branch("x")
    story.commit("work", {"b": "2"})
    story.repo.switch("main")
    story.tick()
    story.repo.git("merge", "--no-ff", "--quiet", "-m", message, "x")
    claim = _rows(story.derived(), predicates=frozenset({"AUTHORED"}), limit=1)[0].claim
    assert claim.fact == title
    assert claim.source_refs[1:] == ([reference] if reference else [])
    assert claim.details["verb"] == "merged"


def test_a_merge_touches_what_it_brought_in(story: Story) -> None:
    story.commit("first", {"a": "1"})
    story.repo.branch("x")
    story.commit("work", {"src/b.py": "2"})
    story.repo.switch("main")
    story.commit("meanwhile", {"c": "3"})
    story.tick()
    assert story.repo.merge("x")
    touched = [
        row.claim.object for row in _rows(story.derived(), limit=6) if row.claim.predicate == "TOUCHED"
    ]
    assert touched == ["code:payments:src/b.py"]


def test_a_mailmap_says_who_an_author_is(story: Story) -> None:
    story.commit("one", {"a": "1"}, who="rrivers <rr@old.example>")
    assert _rows(story.derived())[0].claim.subject == "person:rr"
    story.repo.write(".mailmap", "Rae Rivers <rae@example.com> <rr@old.example>\n")
    claim = _rows(story.derived())[0].claim
    assert claim.subject == "person:rae"
    assert claim.details["author"] == "Rae Rivers <rae@example.com>"
    by_person = story.derived().find_claims(
        ClaimQuery(predicates=frozenset({"AUTHORED"}), subjects=frozenset({"person:rae"}))
    )
    assert len(by_person.rows) == 1


def test_windows_limits_and_order(story: Story) -> None:
    for number in range(6):
        story.commit(f"commit {number}", {"a": str(number)})
    derived = story.derived()
    authored = {"predicates": frozenset({"AUTHORED"})}
    assert _facts(derived, **authored) == [f"commit {n}" for n in (5, 4, 3, 2, 1, 0)]
    assert _facts(derived, **authored, limit=2) == ["commit 5", "commit 4"]
    since, until = START + timedelta(hours=2), START + timedelta(hours=4)
    assert _facts(derived, **authored, since=since, until=until) == ["commit 3", "commit 2"]
    assert _facts(derived, **authored, as_of=START + timedelta(hours=1)) == ["commit 1", "commit 0"]
    assert len(_rows(derived, limit=12)) <= 12


def test_another_revision_has_another_history(story: Story) -> None:
    first = story.commit("first", {"a": "1"})
    story.commit("second", {"a": "2"})
    assert _facts(story.derived(revision=first)) == ["first"]
    story.repo.git("tag", "v1", first)
    assert _facts(story.derived(revision="v1")) == ["first"]


def test_paths_stand_for_all_that_lies_in_them(story: Story) -> None:
    story.commit("refunds", {"src/refunds/api.py": "1"})
    story.commit("ledger", {"src/ledger/api.py": "1"})
    for key, facts in (
        ("code:payments:src/refunds", ["refunds"]),
        ("code:acme/payments:src/refunds/api.py", ["refunds"]),
        ("code:payments:src", ["ledger", "refunds"]),
        ("code:payments:src/*", []),
        ("code:other:src", []),
        ("service:refunds", []),
    ):
        assert _facts(story.derived(), about=frozenset({key})) == facts, key


def test_the_repository_is_touched_by_every_commit(story: Story) -> None:
    story.commit("one", {"a": "1"})
    for key in ("repo:github.com/acme/payments", "repo:acme/payments", "repo:payments"):
        rows = _rows(story.derived(), about=frozenset({key}))
        assert ("TOUCHED", "repo:github.com/acme/payments") in {
            (row.claim.predicate, row.claim.object) for row in rows
        }
    assert story.derived().resolve_alias("repo:acme/payments") == "repo:github.com/acme/payments"


def test_one_commit_by_its_key_or_its_reference(story: Story) -> None:
    oid = story.commit("one (#3)", {"a": "1"})
    story.commit("two", {"a": "2"})
    derived = story.derived()
    assert _facts(derived, predicates=None, about=frozenset({f"activity:git:{oid}"})) == ["one (#3)"]
    assert _facts(derived, source_ref=f"git:commit:{oid}") == ["one (#3)"]
    assert _facts(derived, source_ref="github:pr:acme/payments:3") == ["one (#3)"]
    assert _facts(derived, source_ref="github:pr:acme/payments:4") == []
    assert _facts(derived, about=frozenset({f"activity:git:{'0' * 40}"})) == []
    blob = story.repo.blob("1")
    assert _facts(derived, about=frozenset({f"activity:git:{blob}"})) == []


def test_history_answers_only_what_asks_for_it(story: Story) -> None:
    story.commit("one", {"a": "1"})
    said = story.derived()
    for fields in (
        {"predicates": None},
        {"predicates": frozenset({"DECIDED"})},
        {"derived": False},
        {"source_system": "github"},
        {"truth": frozenset({"agent_claim"})},
        {"environment": "prod"},
        {"ids": frozenset({"c-1"})},
        {"subgraph": "decisions"},
        {"object_types": frozenset({"Service"})},
    ):
        assert said.find_claims(ClaimQuery(**({"predicates": TIMELINE} | fields))).rows == (), fields
    assert said.find_claims(ClaimQuery(predicates=TIMELINE)).match_mode is MatchMode.NONE


def test_words_find_commits(story: Story) -> None:
    story.commit("Rotate the signing keys", {"a": "1"})
    for number in range(5):
        story.commit(f"Bump version to 1.{number}", {"v": str(number)})
    hits = story.derived().find_claims(ClaimQuery(predicates=TIMELINE, text="signing keys rotated", limit=10))
    assert hits.match_mode is MatchMode.LEXICAL
    assert {row.claim.fact for row in hits.rows} == {"Rotate the signing keys"}
    story.commit("Rotate the signing keys of the other gateway", {f"src/p{n}.py": "1" for n in range(5)})
    hits = story.derived().find_claims(ClaimQuery(predicates=TIMELINE, text="keys of the gateway", limit=60))
    touched = [row.claim.object for row in hits.rows if row.claim.predicate == "TOUCHED"]
    assert touched[0] == "code:payments:src"
    assert not hits.rows[0].weak
    assert 0 < hits.rows[0].similarity <= 1
    assert story.derived().find_claims(ClaimQuery(predicates=TIMELINE, text="zebra")).rows == ()


def test_a_commit_of_claims_is_no_second_answer_and_touches_the_pot(story: Story) -> None:
    files = {".potpie/claims/a/b.yaml": "1", ".potpie/claims/a/c.yaml": "1"}
    story.commit("Record fix: rotate the signing keys\n\nPotpie-Plan: p-1\n", files)
    derived = story.derived()
    assert derived.find_claims(ClaimQuery(predicates=TIMELINE, text="signing keys")).rows == ()
    touched = [row.claim.object for row in _rows(derived) if row.claim.predicate == "TOUCHED"]
    assert touched == ["code:payments:.potpie"]


def test_many_touched_files_become_wider_directories() -> None:
    paths = [f"src/pkg{n % 2}/sub/file{n}.py" for n in range(40)]
    assert places(paths) == ["src/pkg0/sub", "src/pkg1/sub"]
    assert places(["a.py", "b/c.py"]) == ["a.py", "b/c.py"]
    assert places([f"top{n}/x" for n in range(9)]) == []
    assert places([]) == []


def test_a_commit_that_touches_everything_touches_the_repository(story: Story) -> None:
    story.commit("import", {f"top{n}/x": "1" for n in range(9)})
    touched = [row.claim.object for row in _rows(story.derived()) if row.claim.predicate == "TOUCHED"]
    assert touched == ["repo:github.com/acme/payments"]


def test_nothing_in_a_message_or_a_path_can_shift_the_fields(story: Story) -> None:
    odd = {"new\nline.py": "1", "tab\t.py": "1", 'quo"te.py': "1", "\u00fcml\u00e4ut.py": "1"}
    story.repo.git("config", "core.quotePath", "true")
    message = "Subject %H %x00 \x1b[31mred\n\ncommit " + "0" * 40 + "\nAuthor: nobody\n\n" + "1" * 40
    oid = story.commit(message, odd, who="N\u00f6 <b\u00f6b@example.com>")
    rows = _rows(story.derived())
    assert {row.commit for row in rows} == {oid}
    assert {row.claim.fact for row in rows} == {"Subject %H %x00 \x1b[31mred"}
    touched = {row.claim.object for row in rows if row.claim.predicate == "TOUCHED"}
    assert touched == {f"code:payments:{path}" for path in odd}


def test_bytes_that_are_no_text_and_times_that_are_none_do_not_stop_a_read(story: Story) -> None:
    tree = story.repo.raw_tree(("100644", b"caf\xe9.py", story.repo.blob("x")))
    raw = (
        f"tree {tree}\n".encode()
        + b"author R\xe9 <r@example.com> 1780000000 +9999\n"
        + b"committer R\xe9 <r@example.com> 1780000000 +9999\n\n"
        + b"caf\xe9\n"
    )
    oid = story.repo.git("hash-object", "-w", "-t", "commit", "--literally", "--stdin", stdin=raw)
    story.repo.git("update-ref", "refs/heads/main", oid)
    rows = _rows(story.derived())
    assert {row.claim.fact for row in rows} == {"caf\ufffd"}
    assert all(row.claim.begins.year == 2026 for row in rows)
    assert parse_log(b"") == []


def test_a_hostile_configuration_changes_nothing(story: Story, tmp_path) -> None:
    story.commit("one", {"a": "1"})
    story.commit("two", {"a": "2"})
    expected = [row.claim for row in _rows(story.derived())]
    marker = tmp_path / "ran"
    for key, value in (
        ("log.showSignature", "true"),
        ("log.follow", "true"),
        ("log.mailmap", "false"),
        ("format.pretty", "oneline"),
        ("log.date", "relative"),
        ("diff.external", f"touch {marker}"),
        ("core.pager", f"touch {marker}"),
        ("pager.log", "true"),
        ("color.ui", "always"),
        ("diff.renames", "copies"),
        ("gpg.program", f"touch {marker}"),
        ("i18n.logOutputEncoding", "latin1"),
        ("diff.noprefix", "true"),
    ):
        story.repo.git("config", key, value)
    assert [row.claim for row in _rows(story.derived())] == expected
    assert not marker.exists()


def test_an_unborn_branch_has_no_history(story: Story) -> None:
    assert _rows(story.derived()) == ()
    assert story.trunk().read_view("recent_changes", "timeline", ReadRequest()).coverage[0].status == "empty"


def test_a_shallow_and_a_treeless_clone_tell_what_they_have(story: Story, tmp_path) -> None:
    for number in range(4):
        story.commit(f"commit {number}", {"src/a.py": str(number)})
    shallow = story.repo.clone(tmp_path / "shallow", "--depth", "2")
    derived = DerivedClaims(Repository.discover(shallow.root))
    assert _facts(derived, predicates=frozenset({"AUTHORED"})) == ["commit 3", "commit 2"]
    assert any(row.claim.predicate == "TOUCHED" for row in _rows(derived))
    treeless = story.repo.clone(tmp_path / "treeless", "--filter=tree:0", "--no-checkout")
    derived = DerivedClaims(Repository.discover(treeless.root))
    assert len(_facts(derived)) == 4
    touched = {row.claim.object for row in _rows(derived) if row.claim.predicate == "TOUCHED"}
    assert touched == {derived.name.key}


CODEOWNERS = "* @acme/core\n/src/refunds/ @acme/refunds rae@example.com\n/docs/\n"


def test_a_repository_without_a_single_claim_answers_timeline_and_owners(story: Story) -> None:
    story.commit("first", {".github/CODEOWNERS": CODEOWNERS, "src/refunds/api.py": "1"})
    reader = story.trunk()
    timeline = reader.read_view("recent_changes", "timeline", ReadRequest())
    assert [item.payload["description"] for item in timeline.items] == ["first"]
    assert timeline.items[0].payload["actors"] == ["person:rae"]
    assert timeline.items[0].standing == "derived"
    assert not timeline.items[0].stale

    owners = reader.read_view(
        "code_topology", "ownership_by_path", ReadRequest(scope=parse_scope(["path:src/refunds/api.py"]))
    )
    first, second = owners.items
    assert first.candidate_key == "code:payments:src/refunds/api.py"
    assert first.payload["owners"] == ["team:refunds", "person:rae"]
    assert first.payload["pattern"] == "/src/refunds/"
    assert first.payload["rule"] == ".github/CODEOWNERS:2"
    assert first.source_refs == ["repo:.github/CODEOWNERS#L2"]
    assert (second.candidate_key, second.payload["owners"]) == (
        "repo:github.com/acme/payments",
        ["team:core"],
    )


def test_the_owner_of_the_whole_repository(story: Story) -> None:
    story.commit("first", {"CODEOWNERS": CODEOWNERS})
    (item,) = (
        story.trunk()
        .read_view(
            "code_topology", "ownership_by_path", ReadRequest(scope=parse_scope(["repo:acme/payments"]))
        )
        .items
    )
    assert item.payload["owners"] == ["team:core"]


def test_a_path_whose_last_rule_names_nobody_falls_to_the_repository(story: Story) -> None:
    story.commit("first", {"CODEOWNERS": CODEOWNERS})
    request = ReadRequest(scope=parse_scope(["path:docs/a.md"]))
    items = story.trunk().read_view("code_topology", "ownership_by_path", request).items
    assert [item.candidate_key for item in items] == ["repo:github.com/acme/payments"]


def test_a_team_is_asked_for_its_paths(story: Story) -> None:
    story.commit("first", {"CODEOWNERS": CODEOWNERS})
    request = ReadRequest(scope=parse_scope(["anchor_entity_key:team:refunds"]))
    items = story.trunk().read_view("code_topology", "ownership_by_path", request).items
    assert [item.candidate_key for item in items] == ["code:payments:src/refunds"]


def test_codeowners_is_looked_for_in_the_order_of_the_hosts(story: Story) -> None:
    request = ReadRequest(scope=parse_scope(["repo:acme/payments"]))

    def owners():
        items = story.trunk().read_view("code_topology", "ownership_by_path", request).items
        return items[0].payload["owners"] if items else []

    assert owners() == []
    for location, expected in (("docs/CODEOWNERS", "c"), ("CODEOWNERS", "b"), (".github/CODEOWNERS", "a")):
        story.commit(location, {location: f"* @acme/{expected}\n"})
        assert owners() == [f"team:{expected}"]


def test_owners_at_another_revision_and_at_another_time(story: Story) -> None:
    first = story.commit("first", {"CODEOWNERS": "* @acme/old\n"})
    story.commit("second", {"CODEOWNERS": "* @acme/new\n"})
    story.repo.write("CODEOWNERS", "* @acme/unsaved\n")
    request = ReadRequest(scope=parse_scope(["repo:acme/payments"]))

    def owners(reader: ReadTrunk, asked: ReadRequest = request):
        items = reader.read_view("code_topology", "ownership_by_path", asked).items
        return items[0].payload["owners"] if items else []

    assert owners(story.trunk()) == ["team:unsaved"]
    assert owners(story.trunk(revision="HEAD")) == ["team:new"]
    assert owners(story.trunk(revision=first)) == ["team:old"]
    then = ReadRequest(scope=request.scope, as_of=START + timedelta(minutes=30))
    assert owners(story.trunk(), then) == ["team:old"]
    before = ReadRequest(scope=request.scope, as_of=START - timedelta(days=1))
    assert owners(story.trunk(), before) == []


def test_a_link_in_the_place_of_codeowners_is_not_followed(story: Story, tmp_path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("* @acme/evil\n")
    (story.repo.root / "CODEOWNERS").symlink_to(outside)
    story.commit("link", {})
    request = ReadRequest(scope=parse_scope(["repo:acme/payments"]))
    for revision in (None, "HEAD"):
        reader = story.trunk(revision=revision)
        assert reader.read_view("code_topology", "ownership_by_path", request).items == []


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("git@github.com:Acme/Payments.git", "repo:github.com/acme/payments"),
        ("https://github.com/acme/payments", "repo:github.com/acme/payments"),
        ("https://user:secret@github.com/acme/payments.git/", "repo:github.com/acme/payments"),
        ("ssh://git@gitlab.acme.io:2222/group/sub/payments.git", "repo:gitlab.acme.io/group/sub/payments"),
        ("/srv/git/payments.git", None),
        ("file:///srv/git/payments.git", None),
        ("../payments", None),
        ("", None),
    ],
)
def test_addresses_of_remotes(address: str, key: str | None) -> None:
    found = parse_address(address)
    assert (found.key if found else None) == key


def test_a_repository_without_a_remote_is_named_by_its_folder(git_repo: GitRepo) -> None:
    assert repository_key(Repository.discover(git_repo.root)) == "repo:local/repo"


@pytest.mark.parametrize(
    ("name", "address", "key"),
    [
        ("Rae Rivers", "rae@example.com", "person:rae"),
        ("Rae Rivers", "rae.rivers+git@example.com", "person:rae-rivers"),
        ("Rae Rivers", "12345+raeriv@users.noreply.github.com", "person:raeriv"),
        ("Rae Rivers", "noreply@example.com", "person:rae-rivers"),
        ("Rae Rivers", "", "person:rae-rivers"),
    ],
)
def test_people(name: str, address: str, key: str) -> None:
    assert person_key(name, address) == key


@pytest.mark.parametrize(
    ("owner", "key"),
    [
        ("@acme/Refund_Team", "team:refund-team"),
        ("@rae", "person:rae"),
        ("rae@example.com", "person:rae"),
        ("rae", None),
        ("@", None),
        ("@acme/", None),
    ],
)
def test_owners(owner: str, key: str | None) -> None:
    assert owner_key(owner) == key
