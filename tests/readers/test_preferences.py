"""Preferences apply by hierarchical overlap, and one that demonstrably does not apply is not shown."""

from potpie_git.readers.request import ReadRequest
from tests.readers.support import MemoryClaims, claim, entity, scope, trunk, withdrawn


def _rule(name: str, target: str = "repo:github.com/acme/payments", **fields):
    return claim(f"preference:{name}", "POLICY_APPLIES_TO", target, truth="preference", **fields)


def _read(claims, *pairs: str, entities=(), **options):
    request = ReadRequest(scope=scope(*pairs), **options)
    reader = trunk(MemoryClaims(claims), entities=entities)
    return reader.read_view("decisions", "preferences_for_scope", request).items


def _keys(claims, *pairs: str, **options) -> list[str]:
    return [item.candidate_key.removeprefix("preference:") for item in _read(claims, *pairs, **options)]


def test_a_rule_for_a_directory_applies_to_a_file_in_it_and_to_no_other() -> None:
    rules = [
        _rule("refunds", code_scope={"path": "src/refunds"}),
        _rule("ledger", code_scope={"path": "src/ledger"}),
        _rule("everywhere"),
    ]
    assert set(_keys(rules, "path:src/refunds/api.py")) == {"refunds", "everywhere"}
    assert _keys(rules, "path:src/refunds/api.py")[0] == "refunds"


def test_the_more_specific_rule_comes_first() -> None:
    rules = [
        _rule("top", code_scope={"path": "src"}),
        _rule("deep", code_scope={"path": "src/payments/refunds"}),
        _rule("mid", code_scope={"path": "src/payments"}),
    ]
    assert _keys(rules, "path:src/payments/refunds/api.py") == ["deep", "mid", "top"]


def test_another_language_or_framework_rules_a_preference_out() -> None:
    rules = [
        _rule("py", code_scope={"language": "python"}),
        _rule("go", code_scope={"language": "go"}),
        _rule("fastapi", code_scope={"language": "python", "framework": "fastapi"}),
    ]
    assert set(_keys(rules, "language:python")) == {"py", "fastapi"}
    assert set(_keys(rules, "language:python", "framework:django")) == {"py"}


def test_the_name_of_a_file_tells_its_language() -> None:
    rules = [_rule("py", code_scope={"language": "python"}), _rule("go", code_scope={"language": "go"})]
    assert _keys(rules, "path:src/x.py")[0] == "py"


def test_a_service_takes_the_rules_of_its_repository_and_not_those_of_another_service() -> None:
    rules = [
        claim("service:refunds", "DEFINED_IN", "repo:github.com/acme/payments"),
        _rule("repo"),
        _rule("own", "service:refunds"),
        _rule("other", "service:ledger"),
    ]
    assert _keys(rules, "service:refunds") == ["own", "repo"]


def test_a_file_rules_out_other_repositories_other_services_and_other_languages() -> None:
    rules = [
        _rule("ours"),
        _rule("py", code_scope={"language": "py"}),
        _rule("go", code_scope={"language": "golang"}),
        _rule("theirs", "repo:github.com/acme/infrastructure"),
        _rule("service", "service:ledger"),
    ]
    assert set(_keys(rules, "path:src/x.py")) == {"ours", "py"}
    assert set(_keys(rules, "language:go")) == {"ours", "go"}


def test_what_the_scope_neither_names_nor_rules_out_stays_only_for_a_text() -> None:
    rules = [_rule("elsewhere", "service:ledger", fact="Wrap every refund"), _rule("here")]
    assert _keys(rules, "language:python") == ["here"]
    assert "elsewhere" in _keys(rules, "language:python", query="wrap refund")


def test_a_service_defined_elsewhere_does_not_take_the_rules_of_this_repository() -> None:
    rules = [
        claim("service:barn", "DEFINED_IN", "repo:github.com/acme/infrastructure"),
        _rule("ours"),
        _rule("theirs", "repo:github.com/acme/infrastructure"),
    ]
    assert _keys(rules, "service:barn") == ["theirs"]
    assert _keys(rules, "service:unknown") == ["ours"]


def test_an_audience_that_is_not_ours_is_left_out_unless_it_is_everybody() -> None:
    rules = [
        _rule("all", details={"audience": "global"}),
        _rule("team", details={"audience": "team"}),
        _rule("service", details={"audience": "service"}),
    ]
    assert set(_keys(rules, "repo:acme/payments", "audience:team")) == {"all", "team"}
    assert len(_keys(rules, "repo:acme/payments")) == 3


def test_an_item_says_what_the_rule_says() -> None:
    rule = _rule(
        "retry",
        code_scope={"path": "src"},
        details={
            "prescription": "Wrap it",
            "policy_kind": "error_handling",
            "strength": "hard",
            "audience": "team",
        },
    )
    (item,) = _read([rule], "path:src/a.py")
    told = {
        name: item.payload[name]
        for name in ("prescription", "policy_kind", "strength", "audience", "code_scope")
    }
    assert told == {**rule.details, "code_scope": {"path": "src"}}
    (relation,) = item.payload["relations"]
    assert (relation["type"], relation["claim_id"]) == ("POLICY_APPLIES_TO", rule.id)


def test_only_the_applications_that_apply_are_shown() -> None:
    rules = [_rule("retry", "service:a"), _rule("retry", "service:b")]
    (item,) = _read(rules, "service:a")
    assert [relation["object"] for relation in item.payload["relations"]] == ["service:a"]


def test_hard_rules_come_before_soft_ones_of_the_same_score() -> None:
    rules = [
        _rule("a", details={"strength": "soft"}),
        _rule("b", details={"strength": "hard"}),
        _rule("c", details={"strength": "strong"}),
    ]
    assert _keys(rules, "repo:acme/payments") == ["b", "c", "a"]


def test_a_deprecated_policy_is_not_in_force() -> None:
    policy = claim("policy:old", "POLICY_APPLIES_TO", "service:a")
    retired = [entity("policy:old", "Policy", state="deprecated")]
    assert _read([policy], "service:a", entities=retired) == []
    (item,) = _read([policy], "service:a", entities=retired, include_invalidated=True)
    assert item.payload["state"] == "deprecated"


def test_a_withdrawn_rule_is_gone_and_told_only_when_asked_for() -> None:
    rule = withdrawn(_rule("retry", "service:a"), "retract_claim", "It never held.", "2026-06-10T00:00:00Z")
    assert _read([rule], "service:a") == []
    (item,) = _read([rule], "service:a", include_invalidated=True)
    (relation,) = item.payload["relations"]
    assert relation["valid_until"] == "2026-06-10T00:00:00Z"
    assert relation["withdrawn"] == {
        "valid_to": "2026-06-10T00:00:00Z",
        "op": "retract_claim",
        "reason": "It never held.",
        "by": {"surface": "cli", "user": "kim"},
        "recorded_at": "2026-06-10T00:00:00Z",
    }
