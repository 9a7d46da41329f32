"""Secrets become typed marks, each kind, and nothing else does."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.kit.secrets import KINDS, mask, mask_value

A16, A20, A24, A36, A40 = ("aB3" * 20)[:16], ("aB3" * 20)[:20], "aB3" * 8, "aB3" * 12, "aB3d" * 10
BODY = "\n".join(["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7"] * 3 + ["Ab3="])
# Put together at run time, so that no scanner of this repository takes one for real.
SAMPLES = {
    "private_key": [
        f"-----BEGIN {name}PRIVATE KEY{block}-----\n{BODY}\n-----END {name}PRIVATE KEY{block}-----"
        for name, block in (("", ""), ("RSA ", ""), ("OPENSSH ", ""), ("PGP ", " BLOCK"))
    ],
    "aws_access_key": ["AKIA" + "ABCD" * 4, "ASIA" + "1234" * 4],
    "aws_secret_key": [f"aws_secret_access_key = {A40}", f'"AWS_SECRET_ACCESS_KEY": "{A40}"'],
    "github_token": ["ghp_" + A36, "gho_" + A36, "github_pat_" + A24 + "_" + A36],
    "gitlab_token": ["glpat-" + A20, "gldt-" + A20],
    "slack_token": ["xoxb-123456789012-" + A24, "xapp-1-" + A16],
    "slack_webhook": ["https://hooks.slack.com/services/T00000000/B00000000/" + A24],
    "anthropic_key": ["sk-ant-api03-" + A40],
    "openai_key": ["sk-" + A24, "sk-proj-" + A40, "sk-svcacct-" + A40],
    "google_key": ["AIza" + ("aB3-" * 9)[:35], "ya29." + A40, "GOCSPX-" + A24],
    "stripe_key": ["sk_live_" + A24, "rk_test_" + A24, "whsec_" + A24],
    "huggingface_token": ["hf_" + A36],
    "npm_token": ["npm_" + A36],
    "pypi_token": ["pypi-AgE" + A40],
    "jwt": ["eyJhbGciOiJI.eyJzdWIiOiIx.c2ln", "eyJhbGciOiJI.eyJzdWIiOiIx"],
    "url_password": ["postgres://ida:pa55w0rd@db.example/pots", "redis://:pa55w0rd@h"],
    "bearer_token": ["Authorization: Bearer abcdefgh12345678", "bearer 0123456789abcdef=="],
}
SECRETS = [(kind, text) for kind, texts in SAMPLES.items() for text in texts]


def test_every_kind_has_a_sample():
    assert set(SAMPLES) == set(KINDS)


@pytest.mark.parametrize(("kind", "secret"), SECRETS)
def test_each_kind_is_masked(kind, secret):
    text, counts = mask(f"Use {secret}, please.")
    assert counts == {kind: 1}
    assert f"[redacted:{kind}]" in text
    assert text.startswith("Use ")
    assert text.endswith(", please.")
    for piece in (A16, "pa55w0rd", "MIIEv", "ABCD" * 4, "1234567", "c2ln"):
        assert piece not in text


@pytest.mark.parametrize(("kind", "secret"), SECRETS)
def test_masking_is_idempotent(kind, secret):
    once, _ = mask(f"{secret} {secret}\n{secret}")
    assert mask(once) == (once, {})


def test_what_stands_around_a_secret_stays():
    url, _ = mask("see postgres://ida:pa55w0rd@db.example/pots now")
    assert url == "see postgres://ida:[redacted:url_password]@db.example/pots now"
    header, _ = mask("Authorization: Bearer abcdefgh12345678\nAccept: x")
    assert header == "Authorization: Bearer [redacted:bearer_token]\nAccept: x"


def test_key_that_was_cut_or_escaped_is_masked():
    begin = "-----BEGIN RSA PRIVATE KEY-----"
    cut, counts = mask(f"{begin}\n{BODY}")
    assert counts == {"private_key": 1}
    assert "MIIE" not in cut
    escaped, counts = mask(json.dumps(f"{begin}\n{BODY}\n-----END RSA PRIVATE KEY-----\n"))
    assert counts == {"private_key": 1}
    assert "MIIE" not in escaped
    header = f"{begin}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,A0\n\n{BODY}\n-----END RSA PRIVATE KEY-----"
    assert mask(header) == ("[redacted:private_key]", {"private_key": 1})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Nothing to hide here.",
        "A -----BEGIN PRIVATE KEY----- header and then talk about it.",
        "Bearer authentication-is-described-below",
        "the css class sk-fading-circle-container and sk-cube-grid-loader",
        "https://pots.example/a:b/c and mail ida@pots.example",
        "ssh git@pots.example:kiln/pots.git",
        "disk-AKIAABCD, xAKIAABCDABCDABCDABCD, skunk",
        "eyJ is how a token begins. eyJhbGciOiJI alone is none.",
        "npm_config_registry=https://registry.example and hf_hub",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b, uuid 0b6e3f5e-0000-4000-8000-00000000beef",
    ],
)
def test_other_text_is_left_alone(text):
    assert mask(text) == (text, {})


def test_values_are_walked():
    key = "ghp_" + A36
    value = {"a": [key, 1, None, {"b": f"x {key}"}], key: True}
    masked, counts = mask_value(value)
    mark = "[redacted:github_token]"
    assert masked == {"a": [mark, 1, None, {"b": f"x {mark}"}], mark: True}
    assert counts == {"github_token": 3}
    assert value["a"][0] == key


PIECES = st.sampled_from(
    [text for _, text in SECRETS]
    + [text[: len(text) // 2] for _, text in SECRETS]
    + [text[len(text) // 2 :] for _, text in SECRETS]
    + ["[redacted:jwt]", "://", ":", "@", " ", "\n", ".", "-", "_", "/", "=", "eyJ", "AKIA", "sk-"]
    + ["Bearer ", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "a", "B", "7", '"']
)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(pieces=st.lists(PIECES, max_size=8))
def test_any_mixture_is_masked_once_and_for_all(pieces):
    once, counts = mask("".join(pieces))
    assert mask(once) == (once, {})
    assert all(number > 0 for number in counts.values())


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=100))
def test_any_text_is_masked_once_and_for_all(text):
    once, _ = mask(text)
    assert mask(once) == (once, {})


@pytest.mark.parametrize(
    "unit",
    ["eyJ-", "eyJaaaaaaaaa.", "Bearer ", "://", "://a:b", "-----BEGIN PRIVATE KEY-----\n", "sk-"],
)
def test_long_hostile_text_comes_to_an_end(unit):
    # Quadratic patterns would need minutes for this, not a part of a second.
    text = unit * (1_000_000 // len(unit))
    assert mask(text)[0]
