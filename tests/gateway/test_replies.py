import pytest

from memcli.core.calls import CallReply
from memcli.gateway.replies import answer_in, object_in

GOOD = {"facts": [{"text": 'a {brace} and a "quote"'}]}
TEXT = '{"facts": [{"text": "a {brace} and a \\"quote\\""}]}'


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"\n  {TEXT}  \n",
        f"```json\n{TEXT}\n```",
        f"Here is what you asked for:\n\n{TEXT}\n\nIs there anything else?",
        f'<think>Perhaps {{"facts": []}} would do. No.</think>{TEXT}',
        f"<reasoning>hm</reasoning>\n```\n{TEXT}\n```",
        f"I take {{this}} as it is said [1]: {TEXT}",
        f"{TEXT}\n{TEXT}",
        f"Voici la réponse : {TEXT} Bonne journée !",
    ],
)
def test_the_one_object_is_found(text: str) -> None:
    assert object_in(text) == GOOD


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the reply is empty"),
        ("   \n", "the reply is empty"),
        ("I cannot do that.", "the reply holds no JSON object"),
        ("[1, 2]", "the reply holds no JSON object"),
        (f"[{TEXT}]", "the reply holds a list"),
        (f'{{"thought": "in "Ghent"", "answer": {TEXT}}}', "the JSON cannot be read"),
        (f"{{'result': {TEXT}}}", "the JSON cannot be read"),
        (f'{{"facts": [{{"text": He}}], "or": {TEXT}}}', "the JSON cannot be read"),
        (f"{{ 'facts': [] }} or {TEXT}", "the JSON cannot be read"),
        (TEXT[:-5], "the JSON is cut off"),
        (TEXT[:20], "the JSON is cut off"),
        (
            f"First {TEXT}, or rather {{}}",
            "the reply holds 2 different JSON objects instead of one",
        ),
        (f"<think>{TEXT}", "the reply ends within its reasoning"),
        ('{"a": "\\ud800"}', "a text of the reply holds half a character, or a NUL"),
        ('{"a": "x\\u0000y"}', "a text of the reply holds half a character, or a NUL"),
        ("{" * 300, "the reply holds no JSON object"),
        ("{}" * 60, "the reply holds too many JSON objects"),
        ('{"a": ' * 5000, "the JSON"),
        ("x" * 1_000_001, "the reply has more than 1,000,000 characters"),
    ],
)
def test_what_is_none(text: str, reason: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        object_in(text)
    assert str(refused.value).startswith(reason)
    assert "\n" not in str(refused.value)


def test_escaped_text_is_not_mistaken_for_an_escape() -> None:
    assert object_in('{"a": "the letters \\\\u0000"}') == {"a": "the letters \\u0000"}


@pytest.mark.parametrize("finish", ["length", "max_tokens", "content_filter"])
def test_a_reply_that_was_cut_or_withheld_is_none_though_it_closes(finish: str) -> None:
    with pytest.raises(ValueError, match=r"cut off|withheld"):
        answer_in(CallReply(TEXT, finish))


@pytest.mark.parametrize("finish", ["stop", "", "eos", "tool_calls"])
def test_other_endings_are_as_they_are(finish: str) -> None:
    assert answer_in(CallReply(TEXT, finish)) == GOOD
