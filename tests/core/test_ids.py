"""Ids as people write them, and what is none."""

import pytest

from memcli.core import ids
from memcli.errors import UsageError

NONE = ["", " m1", "m1 ", "m1\n", "m0", "m-1", "M1", "m01", "r1@2", "m1@0", "m1@", "x1", "new:1"]
NONE += ["m\u0661", "m" + "9" * 19, "p1.5", "m1@2@3"]


@pytest.mark.parametrize("text", ["r1", "m4", "m4@2", "p7", "s3", "m" + "9" * 18])
def test_what_is_one_comes_back(text: str) -> None:
    assert str(ids.parse(text)) == text


@pytest.mark.parametrize("text", NONE)
def test_what_is_none(text: str) -> None:
    assert ids.try_parse(text) is None
    with pytest.raises(UsageError):
        ids.parse(text)


def test_of_the_wrong_kind() -> None:
    with pytest.raises(UsageError, match="m4"):
        ids.parse("m4", "r", "p")


@pytest.mark.parametrize(("text", "draft"), [("new:1", True), ("new:0", False), ("new:x", False)])
def test_drafts(text: str, draft: bool) -> None:
    assert ids.is_draft(text) is draft
