"""Maps of columns: what they may say, and what is proposed."""

import pytest

from memcli.errors import UsageError
from memcli.kit.columns import check, listed, missing, propose, split_map, unmapped


def test_a_map_is_one_value_or_several():
    assert split_map(["text=body,role=who", "id=Last, first", "time=a,b"]) == [
        "text=body",
        "role=who",
        "id=Last, first",
        "time=a,b",
    ]


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        ({"text": "a", "txt": "b"}, "no key 'txt'"),
        ({"text": " "}, "no column for text"),
        ({"role": "a"}, "which column holds the text"),
    ],
)
def test_a_bad_map_says_what_is_wrong(columns, why):
    with pytest.raises(UsageError, match=why):
        check(columns)


def test_common_names_are_proposed_once_each():
    assert propose(["Ticket-ID", "Message ID", "Author", "role", "Body", "Sent At", "price"]) == {
        "text": "Body",
        "role": "role",
        "speaker": "Author",
        "time": "Sent At",
        "id": "Message ID",
        "conversation": "Ticket-ID",
    }
    assert propose(["message.content", "message.id", "id", "author.id"]) == {
        "text": "message.content",
        "id": "id",
    }
    assert propose([]) == {}


def test_a_proposal_can_be_copied():
    error = unmapped("a CSV file", ["Body", "who said"], "my file.csv", ["--role", "agent=user"])
    assert error.hint == "mem ingest 'my file.csv' --map text=Body --role agent=user"
    nameless = unmapped("a CSV file", ["a", "b"], "x.csv")
    assert nameless.hint == "mem ingest x.csv --map text=COLUMN\n  the columns are 'a', 'b'"


def test_very_many_columns_are_not_all_shown():
    names = [f"c{n}" for n in range(500)]
    assert listed(names).endswith("'c39' and 460 more")
    assert missing("x", ["y" * 999], "a.csv").hint == f"the columns are '{'y' * 60}...'"
