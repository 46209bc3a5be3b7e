"""Real commits through the installed hooks: what is refused, what passes, and what is left alone."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest

from potpie_git.checks.rules.samples import (
    appended,
    approval,
    claim,
    edited,
    file,
    owner,
    path,
    pot,
    retracted,
    superseded,
    withdrawn,
)
from tests.support.pots import Answer, PotRepo

FACT = "fact: Retry the refund with the remaining captured amount."
# 430 bytes that stand for a million.
NAMES = "abcdefghijklmnopqrst"
BOMB = "a: &a [x,x]\n" + "".join(f"{two}: &{two} [*{one},*{one}]\n" for one, two in pairwise(NAMES))


def _refusal(answer: Answer, code: str, where: str) -> None:
    """One refusal names the code, the path and a remedy, and shows no traceback."""
    assert answer.refused, answer.said
    assert re.search(rf"^{re.escape(where)}:\d+: error {code} ", answer.said, re.MULTILINE), answer.said
    assert "\n    " in answer.said
    assert "refused by potpie-git" in answer.said
    assert "Traceback" not in answer.said


def test_an_invalid_claim_is_refused_with_code_path_and_remedy(gated: PotRepo) -> None:
    answer = gated.try_commit(edited(claim(), "truth: agent_claim", "truth: fact"))
    _refusal(answer, "PG-S05", path(claim()))
    assert gated.commits() == 1


def test_a_valid_claim_is_committed_in_silence(gated: PotRepo) -> None:
    answer = gated.try_commit(file(claim()))
    assert (answer.status, answer.said) == (0, "")
    assert gated.commits() == 2


def test_what_is_staged_counts_when_the_working_copy_is_good(gated: PotRepo) -> None:
    gated.stage(edited(claim(), "truth: agent_claim", "truth: fact"))
    gated.put(file(claim()))
    _refusal(gated.attempt("commit", "-m", "change"), "PG-S05", path(claim()))


def test_what_is_staged_counts_when_the_working_copy_is_bad(gated: PotRepo) -> None:
    gated.stage(file(claim()))
    bad = edited(claim(), "truth: agent_claim", "truth: fact")
    gated.put(bad)
    assert gated.attempt("commit", "-m", "change").status == 0
    assert (gated.root / path(claim())).read_bytes() == bad[path(claim())]


@pytest.mark.parametrize(
    "options", [("-a",), ("--", ".potpie"), ("--only", ".potpie"), ("--include", ".potpie")]
)
def test_the_index_of_the_running_commit_counts(gated: PotRepo, options: tuple[str, ...]) -> None:
    gated.try_commit(file(claim()))
    gated.put(edited(claim(), "truth: agent_claim", "truth: user_decision"))
    answer = gated.attempt("commit", "-m", "change", *options)
    _refusal(answer, "PG-H02", path(claim()))


def test_commit_path_does_not_judge_what_else_is_staged(gated: PotRepo) -> None:
    gated.stage(edited(claim(), "truth: agent_claim", "truth: fact"))
    gated.write("a.txt", "x")
    gated.git("add", "a.txt")
    assert gated.attempt("commit", "-m", "change", "--", "a.txt").status == 0
    assert gated.attempt("commit", "-m", "change").refused


def test_the_first_commit_of_a_repository(empty: PotRepo) -> None:
    bad = empty.try_commit(pot(), edited(claim(), "truth: agent_claim", "truth: fact"))
    _refusal(bad, "PG-S05", path(claim()))
    assert empty.commits() == 0
    good = empty.try_commit(file(claim()))
    assert (good.status, good.said) == (0, "")


def test_a_linked_worktree_with_a_detached_head(gated: PotRepo, tmp_path: Path) -> None:
    linked = PotRepo(gated.worktree(tmp_path / "linked work", "--detach").root)
    _refusal(linked.try_commit(edited(claim(), "truth: agent_claim", "truth: fact")), "PG-S05", path(claim()))
    assert linked.try_commit(file(claim())).status == 0
    assert gated.git("rev-parse", "--is-bare-repository") == "false"
    assert gated.git("status", "--porcelain") == ""
    assert gated.commits() == 1


def test_a_commit_outside_the_pot_is_not_looked_at(gated: PotRepo) -> None:
    gated.land({".potpie/claims/broken.yaml": b"not: [valid"})
    answer = gated.try_commit({"src/a.py": b"x = 1\n"})
    assert (answer.status, answer.said) == (0, "")


def _by_hand(name: str) -> Mapping[str, bytes]:
    return {
        "object": edited(claim(), "refunds-api:partial-capture", "refunds-api:other"),
        "fact": edited(claim(), "Retry the refund", "Never retry the refund"),
        "stamp": edited(claim(), "user: rae", "user: eve"),
    }[name]


@pytest.mark.parametrize(("edit", "code"), [("object", "PG-H02"), ("fact", "PG-H02"), ("stamp", "PG-H03")])
def test_an_edit_after_the_commit_is_refused(gated: PotRepo, edit: str, code: str) -> None:
    gated.try_commit(file(claim()))
    _refusal(gated.try_commit(_by_hand(edit)), code, path(claim()))


def test_a_deletion_is_refused(gated: PotRepo) -> None:
    gated.try_commit(file(claim()))
    gated.git("rm", "-q", path(claim()))
    _refusal(gated.attempt("commit", "-m", "change"), "PG-H01", path(claim()))


def test_a_rename_is_refused_and_says_where_it_went(gated: PotRepo) -> None:
    gated.try_commit(file(claim()))
    gated.git("mv", path(claim()), ".potpie/claims/debugging/f4/elsewhere.yaml")
    answer = gated.attempt("commit", "-m", "change")
    _refusal(answer, "PG-H01", path(claim()))
    assert "moved to .potpie/claims/debugging/f4/elsewhere.yaml" in answer.said
    assert "PG-F13" in answer.said


def test_a_file_that_became_a_link_is_refused_and_its_target_not_read(gated: PotRepo, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("AKIAABCDEFGHIJKLMNOP\n")
    gated.try_commit(file(claim()))
    place = gated.root / path(claim())
    place.unlink()
    place.symlink_to(secret)
    answer = gated.try_commit()
    _refusal(answer, "PG-F14", path(claim()))
    assert "AKIA" not in answer.said


@pytest.mark.parametrize("kind", ["link", "file", "submodule"])
def test_a_pot_that_was_replaced_is_refused(gated: PotRepo, tmp_path: Path, kind: str) -> None:
    gated.git("rm", "-r", "-q", ".potpie")
    if kind == "link":
        (gated.root / ".potpie").symlink_to(tmp_path)
    elif kind == "file":
        (gated.root / ".potpie").write_text("x\n")
    else:
        inner = PotRepo.at(gated.root / ".potpie", gated=False)
        inner.land({"a": b"x"})
    gated.git("-c", "advice.addEmbeddedRepo=false", "add", ".potpie")
    answer = gated.attempt("commit", "-m", "change")
    _refusal(answer, "PG-H05", ".potpie")
    assert gated.commits() == 1


@pytest.mark.parametrize("name", [".Potpie", ".p\u043etpie", ".potpie\u200b"])
def test_a_directory_that_passes_for_the_pot_is_refused(gated: PotRepo, name: str) -> None:
    gated.git("update-index", "--add", "--cacheinfo", f"100644,{gated.blob('x')},{name}/a.yaml")
    answer = gated.attempt("commit", "-m", "change")
    assert answer.refused
    assert "PG-H05" in answer.said


def test_an_executable_is_refused(gated: PotRepo) -> None:
    gated.try_commit(file(claim()))
    gated.git("update-index", "--chmod=+x", path(claim()))
    _refusal(gated.attempt("commit", "-m", "change"), "PG-F14", path(claim()))


def test_names_that_only_a_tree_can_hold_are_refused(gated: PotRepo) -> None:
    raw = gated.blob(file(claim())[path(claim())])
    twin = path(claim()).replace("/fix-", "/Fix-")
    for place in (path(claim()), twin):
        gated.git("update-index", "--add", "--cacheinfo", f"100644,{raw},{place}")
    _refusal(gated.attempt("commit", "-m", "change"), "PG-F19", twin)


def test_the_bytes_of_the_blob_are_judged_whatever_a_checkout_converts(gated: PotRepo) -> None:
    gated.git("config", "core.autocrlf", "true")
    raw = file(claim())[path(claim())]
    gated.put({path(claim()): raw.replace(b"\n", b"\r\n")})
    gated.git("add", "--all")
    _refusal(gated.attempt("commit", "-m", "change"), "PG-F03", path(claim()))


def test_a_pointer_of_lfs_is_refused(gated: PotRepo) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12\n"
    answer = gated.try_commit({path(claim()): pointer})
    assert answer.refused
    assert path(claim()) in answer.said


def test_files_that_are_not_checked_out_are_not_deleted(gated: PotRepo) -> None:
    gated.try_commit(file(claim()), {"src/a.py": b"x\n"})
    gated.git("sparse-checkout", "set", "--no-cone", "/src/")
    assert not (gated.root / ".potpie/pot.yaml").exists()
    gated.write("src/b.py", "y\n")
    gated.git("add", "src/b.py")
    assert gated.attempt("commit", "-m", "change").status == 0
    gated.git("sparse-checkout", "disable")
    gated.git("update-index", "--skip-worktree", path(claim()))
    (gated.root / path(claim())).unlink()
    assert gated.try_commit(file(owner("payments"))).status == 0
    assert gated.git("cat-file", "-t", f"HEAD:{path(claim())}") == "blob"


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (BOMB.encode(), "PG-F08"),
        (b"a: " + b"{a: " * 2000 + b"x" + b"}" * 2000 + b"\n", "PG-F06"),
        (b"a: " + b"[" * 10_000 + b"]" * 10_000 + b"\n", "PG-F06"),
        (b"id: x # a\rb\n", "PG-F03"),
        (b"<<: {a: b}\n", "PG-F08"),
        (b"a: !!binary aGk=\n", "PG-F08"),
        (b"a: b\n---\nc: d\n", "PG-F08"),
        (b"%YAML 1.2\n---\na: b\n", "PG-F08"),
        (b'a: "\\ud800"\n', "PG-F04"),
        (b"a: \xed\xa0\x80\n", "PG-F01"),
        ("a: b\n".encode("utf-16"), "PG-F01"),
        (b"\xef\xbb\xbfa: b\n", "PG-F02"),
        (b"a: b\x00c\n", "PG-F04"),
        (b"<<<<<<< HEAD\na: b\n=======\na: c\n>>>>>>> topic\n", "PG-F10"),
    ],
    ids=lambda held: held if isinstance(held, str) else "",
)
def test_what_is_no_strict_yaml_is_refused(gated: PotRepo, raw: bytes, code: str) -> None:
    _refusal(gated.try_commit({path(claim()): raw}), code, path(claim()))


def test_a_union_merge_of_two_withdrawals_is_refused(gated: PotRepo) -> None:
    gated.try_commit(file(claim()))
    stamp = file(withdrawn(claim()))[path(claim())].decode().partition("valid_to")
    twice = appended(withdrawn(claim()), stamp[1] + stamp[2])
    _refusal(gated.try_commit(twice), "PG-F09", path(claim()))


def test_the_line_of_a_conflict_marker_is_named(gated: PotRepo) -> None:
    marked = edited(claim(), FACT, f"<<<<<<< HEAD\n{FACT}\n=======\nfact: other\n>>>>>>> topic")
    answer = gated.try_commit(marked)
    assert f"{path(claim())}:6: error PG-F10" in answer.said


@pytest.mark.parametrize(
    "text", ["no", "010", "0o17", "12:30:45", "1e3", "1.10", "2026-09-01", "=", "a: b", '"', "- x", "🥧"]
)
def test_text_that_looks_like_something_else_is_committed(gated: PotRepo, text: str) -> None:
    answer = gated.try_commit(file(claim(fact=text)))
    assert (answer.status, answer.said) == (0, "")


@pytest.mark.parametrize(
    "again",
    [
        {"fact": "RETRY the refund, with the remaining captured amount!"},
        {"fact": "Ｒｅｔｒｙ the  refund with the\nremaining captured amount."},
        {"object": "bug_pattern:refunds-api:double-capture"},
        {"subject": "fix:000000000000"},
    ],
    ids=["case", "width", "object", "subject"],
)
def test_a_withdrawn_value_is_refused_with_its_reason(gated: PotRepo, again: dict[str, str]) -> None:
    gated.try_commit(file(claim()))
    assert gated.try_commit(retracted(claim())).status == 0
    returned = claim(truth="user_decision", **again)
    answer = gated.try_commit(file(returned))
    _refusal(answer, "PG-T01", path(returned))
    assert "The gateway now rejects retries" in answer.said


def test_two_owners_are_refused_and_both_files_named(gated: PotRepo) -> None:
    gated.try_commit(file(owner("payments")))
    answer = gated.try_commit(file(owner("billing")))
    _refusal(answer, "PG-X02", path(owner("billing")))
    assert path(owner("payments")) in answer.said


def test_a_whole_supersession_is_committed(gated: PotRepo) -> None:
    gated.try_commit(file(claim()))
    answer = gated.try_commit(superseded(claim(), claim(fact="Split the refund.")))
    assert (answer.status, answer.said) == (0, "")


def test_a_secret_is_refused_and_not_repeated(gated: PotRepo) -> None:
    token = "ghp_" + "Ab3dEf6hIj9lMn2pQr5t" * 2
    leaking = claim(evidence=[{"source_ref": f"see {token[:40]}"}])
    answer = gated.try_commit(file(leaking))
    _refusal(answer, "PG-C01", path(leaking))
    assert token[:40] not in answer.said
    assert "ghp_****" in answer.said


def test_an_id_of_a_commit_is_no_secret(gated: PotRepo) -> None:
    commit = gated.git("rev-parse", "HEAD")
    held = claim(evidence=[{"source_ref": f"git:commit:{commit}", "authority": "repository_metadata"}])
    assert gated.try_commit(file(held)).status == 0


def test_control_sequences_in_a_path_are_shown_escaped(gated: PotRepo) -> None:
    gated.git(
        "update-index", "--add", "--cacheinfo", f"100644,{gated.blob('x')},.potpie/a\x1b]52;c;aGk=\x07.yaml"
    )
    answer = gated.attempt("commit", "-m", "change")
    assert answer.refused
    assert "\x1b" not in answer.said
    assert "<U+001B>" in answer.said


def test_every_finding_is_reported_at_once(gated: PotRepo) -> None:
    gated.try_commit(file(claim()))
    other = claim(fact="Split the refund.")
    answer = gated.try_commit(
        edited(claim(), "truth: agent_claim", "truth: fact"),
        edited(other, "confidence: 0.8", "confidence: 80"),
        {".potpie/stray.txt": b"x\n"},
    )
    assert {"PG-H02", "PG-S05", "PG-S06", "PG-F13"} <= set(re.findall(r"PG-[A-Z]\d\d", answer.said))


def test_an_approval_record_cannot_be_removed(gated: PotRepo) -> None:
    assert gated.try_commit(file(approval())).status == 0
    gated.git("rm", "-q", path(approval()))
    _refusal(gated.attempt("commit", "-m", "change"), "PG-A09", path(approval()))


def test_a_merge_is_judged_before_it_is_committed(gated: PotRepo) -> None:
    gated.branch("topic")
    gated.land(file(owner("billing")))
    gated.switch("work")
    gated.land(file(owner("payments")))
    answer = gated.attempt("merge", "--no-edit", "topic")
    assert answer.refused
    assert "PG-X02" in answer.said
    assert gated.commits() == 2


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("Retract\u202e it", "PG-C02"),
        ("Use ghp_" + "Ab3dEf6hIj9lMn2pQr5t" * 2, "PG-C01"),
        ("Retract it\n\nPotpie-Risk: low", "PG-C03"),
        ("Retract it\n\nPotpie-Plan: ../../x", "PG-C03"),
        (f"Retract it\n\n# {'-' * 24} >8 {'-' * 24}\nUse ghp_" + "Ab3dEf6hIj9lMn2pQr5t" * 2, "PG-C01"),
    ],
)
def test_a_message_is_judged_as_well(gated: PotRepo, message: str, code: str) -> None:
    gated.try_commit(file(claim()))
    gated.stage(retracted(claim()))
    answer = gated.attempt("commit", "-m", message)
    assert answer.refused
    assert code in answer.said
    assert "Ab3dEf6hIj9lMn2pQr5t" not in answer.said


@pytest.mark.parametrize(
    "message", ["Retract it\n\nPotpie-Risk: medium", "Retract it\n\nPotpie-Risk: high", "Rücknahme 🥧"]
)
def test_a_message_that_says_no_less_than_the_change_passes(gated: PotRepo, message: str) -> None:
    gated.try_commit(file(claim()))
    gated.stage(retracted(claim()))
    answer = gated.attempt("commit", "-q", "-m", message)
    assert (answer.status, answer.said) == (0, "")


def test_a_message_outside_the_pot_is_left_alone(gated: PotRepo) -> None:
    gated.stage({"a.txt": b"x"})
    assert gated.attempt("commit", "-q", "-m", "x\u202e\n\nPotpie-Risk: nonsense").status == 0


def test_the_difference_below_an_edited_message_is_no_part_of_it(gated: PotRepo, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf "Add a claim\\n" | cat - "$1" >"$1.new" && mv "$1.new" "$1"\n')
    editor.chmod(0o755)
    gated.stage(file(claim()), {"a.txt": "x\u202e\n".encode()})
    answer = gated.attempt("commit", "-q", "-v", env={**os.environ, "GIT_EDITOR": str(editor)})
    assert (answer.status, answer.said) == (0, "")
