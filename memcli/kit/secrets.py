"""Secrets in a text, replaced by typed marks on the way in.

The list is part of identity version 1: ids are computed on the masked text, so a pattern that
changed would give every record with such a secret a new id. It is frozen; a better list becomes
a second one, with a second version of identity. Shapes are those of each vendor's documentation.

`mask` is idempotent, and linear in the length of the text. Three rules keep it so: every
alternative begins with a literal; where it can still fail after an unbounded run, the character
before it must not belong to that run (so one run is scanned once); and no alternative can take a
mark, since none of their classes has a square bracket.
"""

import re
from typing import Any

_WORD = r"(?<![A-Za-z0-9])"

# kind -> pattern. The group `keep_KIND` stays, the rest of the match is replaced.
_PATTERNS: tuple[tuple[str, str], ...] = (
    ("aws_access_key", _WORD + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    (
        "aws_secret_key",
        r"(?P<keep_aws_secret_key>(?i:aws_?secret_?access_?key)[\"'\s:=]{1,8})[A-Za-z0-9/+]{40,}",
    ),
    ("github_token", _WORD + r"(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})"),
    (
        "gitlab_token",
        _WORD + r"gl(?:pat|dt|rt|ptt|ft|soat|cbt|imt|agent)-[A-Za-z0-9_.-]{20,}",
    ),
    ("slack_token", _WORD + r"(?:xox[abeoprs]-|xapp-)[A-Za-z0-9-]{10,}"),
    (
        "slack_webhook",
        r"(?P<keep_slack_webhook>hooks\.slack\.com/(?:services|workflows)/)[A-Za-z0-9/_-]{20,}",
    ),
    ("anthropic_key", _WORD + r"sk-ant-[A-Za-z0-9_-]{20,}"),
    (
        "openai_key",
        _WORD + r"sk-(?:(?:proj|svcacct|admin|None|or-v1)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{20,})",
    ),
    (
        "google_key",
        _WORD + r"(?:AIza[A-Za-z0-9_-]{35,}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{24,})",
    ),
    ("stripe_key", _WORD + r"(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9]{24,})"),
    ("huggingface_token", _WORD + r"hf_[A-Za-z0-9]{30,}"),
    ("npm_token", _WORD + r"npm_[A-Za-z0-9]{36,}"),
    ("pypi_token", _WORD + r"pypi-AgE[A-Za-z0-9_-]{40,}"),
    (
        "jwt",
        r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?",
    ),
    (
        "url_password",
        r"(?P<keep_url_password>://[^\s/:@\[\]\"'<>]{0,128}:)[^\s/@\[\]\"'<>]{1,256}(?=@)",
    ),
    (
        "bearer_token",
        _WORD + r"(?P<keep_bearer_token>(?i:bearer)[ \t]{1,4})"
        r"(?=[A-Za-z0-9._~+/=-]{0,4096}[0-9])[A-Za-z0-9._~+/=-]{16,}",
    ),
)
KINDS: tuple[str, ...] = ("private_key", *(kind for kind, _ in _PATTERNS))

_SECRET = re.compile("|".join(f"(?P<{kind}>{text})" for kind, text in _PATTERNS), re.ASCII)
# Each pattern needs one of these. Most texts hold none, and `in` is far faster than the pattern:
# signs with a rare character are looked for only where there is one.
_SIGNS = {
    "_": (
        *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        *("k_live_", "k_test_", "whsec_", "hf_", "npm_"),
    ),
    "-": (
        *("glpat-", "gldt-", "glrt-", "glptt-", "glft-", "glsoat-", "glcbt-", "glimt-", "glagent-"),
        *("xox", "xapp-", "sk-", "GOCSPX-", "pypi-"),
    ),
    "@": ("://",),
    "/": ("hooks.slack",),
    ".": ("eyJ", "ya29."),
    "A": ("AKIA", "ASIA", "ABIA", "ACCA", "AIza"),
}
_ANY_CASE = ("bearer", "secret")


def _may_hold(text: str) -> bool:
    for rare, signs in _SIGNS.items():
        if rare in text:
            for sign in signs:
                if sign in text:
                    return True
    lower = text.lower()
    return any(sign in lower for sign in _ANY_CASE)


# An armoured key: header, then lines of base64 (also with \n written out, as inside JSON and
# source code), then the end mark if the text was not cut before it.
_GAP = r"(?:[\s\"',]|\\[nrt])*"
_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    rf"(?=(?P<body>(?:{_GAP}(?:(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]{{0,200}}"
    r"|[A-Za-z0-9+/=]{16,}))*))(?P=body)"
    rf"(?P<end>(?:{_GAP}[A-Za-z0-9+/=]{{1,15}}){{0,2}}{_GAP}-----END [A-Z0-9 ]{{1,80}}-----)?"
)


def mask(text: str) -> tuple[str, dict[str, int]]:
    """`text` with each secret as `[redacted:KIND]`, and how many of each kind there were."""
    counts: dict[str, int] = {}
    if "PRIVATE KEY" in text:
        text = _mask_keys(text, counts)
    if not _may_hold(text):
        return text, counts

    def replace(found: re.Match[str]) -> str:
        kind = found.lastgroup or ""
        keep = f"keep_{kind}"
        kept = found.group(keep) if keep in _SECRET.groupindex else ""
        counts[kind] = counts.get(kind, 0) + 1
        return f"{kept}[redacted:{kind}]"

    return _SECRET.sub(replace, text), counts


def _mask_keys(text: str, counts: dict[str, int]) -> str:
    def replace(found: re.Match[str]) -> str:
        if not found["body"] and not found["end"]:  # only the header: somebody talks about keys
            return found[0]
        counts["private_key"] = counts.get("private_key", 0) + 1
        return "[redacted:private_key]"

    return _KEY.sub(replace, text)


def mask_value(value: Any) -> tuple[Any, dict[str, int]]:
    """A JSON value with the secrets in its strings and keys masked, and their counts."""
    counts: dict[str, int] = {}
    return _walk(value, counts), counts


def _walk(value: Any, counts: dict[str, int]) -> Any:
    if isinstance(value, str):
        text, found = mask(value)
        for kind, number in found.items():
            counts[kind] = counts.get(kind, 0) + number
        return text
    if isinstance(value, dict):
        return {_walk(key, counts): _walk(inner, counts) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_walk(inner, counts) for inner in value]
    return value
