"""Small suites for tests, and benchmark files in the shapes of the real ones; all words are ours."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def said(ref: str, text: str, day: str, session: str | None = None, **more: Any) -> dict[str, Any]:
    """A record of a suite; each day is a session unless one is named."""
    time = f"{day}T09:00:00Z"
    return {
        "session": session or day,
        "time": time,
        "role": "user",
        "text": text,
        "ref": ref,
    } | more


UPDATE: dict[str, Any] = {
    "id": "home",
    "kind": "update",
    "records": [
        said("old", "I live in Ghent, near the old harbour.", "2025-02-01"),
        said("cake", "I baked a plum cake for the neighbours.", "2025-03-01"),
        said("new", "I live in Porto now, three stairs up.", "2025-05-01"),
        said("rain", "It rained all week, so I read two novels.", "2025-06-01"),
    ],
    "question": "Where do I live?",
    "question_time": "2025-07-01T00:00:00Z",
    "answer": "Porto",
    "stale_answer": "Ghent",
    "current_refs": ["new"],
    "stale_refs": ["old"],
}
NOISE: dict[str, Any] = {
    "id": "tea",
    "kind": "noise",
    "records": [
        said("tea", "I drink green tea in the morning.", "2025-02-01"),
        said("again", "Every morning I drink green tea, as always.", "2025-03-01"),
        said("joke", "My brother says I drink only ink, ha.", "2025-04-01"),
    ],
    "question": "What do I drink in the morning?",
    "question_time": "2025-07-01T00:00:00Z",
    "answer": ["green tea", "tea"],
    "current_refs": ["tea", "again"],
    "distractor_refs": ["joke"],
}
HISTORY: dict[str, Any] = {
    "id": "job",
    "kind": "history",
    "records": [
        said("first", "I work at the botanical garden.", "2024-02-01"),
        said("then", "I work at the observatory now.", "2025-02-01"),
    ],
    "question": "Where did I work before?",
    "question_time": "2025-07-01T00:00:00Z",
    "as_of": "2024-06-01T00:00:00Z",
    "answer": "botanical garden",
    "current_refs": ["first"],
    "stale_refs": ["then"],
}
ABSTAIN: dict[str, Any] = {
    "id": "dog",
    "kind": "abstain",
    "records": [said("walk", "We walked along the river.", "2025-02-01")],
    "question": "What is the name of my dog?",
    "question_time": "2025-07-01T00:00:00Z",
    "answer": "not known",
    "current_refs": [],
}
PROBES = (UPDATE, NOISE, HISTORY, ABSTAIN)


def suite(folder: Path, *probes: Mapping[str, Any], name: str = "suite.json", **more: Any) -> str:
    """A suite file of these probes, by default of all; its path."""
    path = folder / name
    path.write_text(json.dumps({"probes": list(probes or PROBES), **more}), encoding="utf-8")
    return str(path)


def locomo() -> list[dict[str, Any]]:
    """One conversation with five questions, and what is wrong with evidence in real files."""

    def turn(number: str, speaker: str, text: str, **more: Any) -> dict[str, Any]:
        return {"speaker": speaker, "dia_id": number, "text": text, **more}

    return [
        {
            "sample_id": "talk-1",
            "conversation": {
                "speaker_a": "Nora",
                "speaker_b": "Ivo",
                "session_1_date_time": "9:05 am on 3 March, 2025",
                "session_1": [
                    turn("D1:1", "Nora", "I joined a pottery class on Monday."),
                    turn(
                        "D1:2",
                        "Ivo",
                        "Look at this one.",
                        img_url=["https://example.org/1.jpg"],
                        blip_caption="a blue glazed teapot with a crooked handle",
                        query="teapot secret words nobody said",
                    ),
                ],
                "session_2_date_time": "7:30 pm on 9 April, 2025",
                "session_2": [
                    turn("D2:1", "Ivo", "My ferry to Naxos leaves on Friday."),
                    turn("D2:2", "Nora", "Bring me a shell."),
                ],
            },
            "qa": [
                {"question": "Who joined a pottery class?", "answer": "Nora", "evidence": ["D1:1"], "category": 4},
                {"question": "Which teapot did Ivo show?", "answer": "a blue one", "evidence": ["D1:2; D2:1"], "category": 1},
                {"question": "When does the ferry leave?", "answer": 2025, "evidence": ["D:2:1", "D9:9"], "category": 2},
                {"question": "Why pottery?", "answer": "for fun", "evidence": [], "category": 3},
                {"question": "What did Nora buy in Naxos?", "adversarial_answer": "a hat", "evidence": ["D2:1"], "category": 5},
            ],
        }
    ]  # fmt: skip


def longmemeval() -> list[dict[str, Any]]:
    """An update, a question for the former value, another kind, one without an answer."""

    def asked(ident: str, kind: str, question: str, answer: str, *texts: str) -> dict[str, Any]:
        return {
            "question_id": ident,
            "question_type": kind,
            "question": question,
            "answer": answer,
            "question_date": "2025/06/01 (Sun) 10:00",
            "haystack_session_ids": [f"{ident}_{n}" for n in range(len(texts))],
            "haystack_dates": [f"2025/0{n + 1}/01 (Wed) 08:00" for n in range(len(texts))],
            "haystack_sessions": [
                [
                    {"role": "user", "content": text, "has_answer": True},
                    {"role": "assistant", "content": "Noted.", "has_answer": False},
                ]
                for text in texts
            ],
            "answer_session_ids": [f"{ident}_{n}" for n in range(len(texts))],
        }

    return [
        asked("q1", "knowledge-update", "How many bees hives do I keep?", "four",
              "I keep two hives.", "I keep four hives now."),
        asked("q2", "knowledge-update", "What was my previous gym?", "the canal gym",
              "I go to the canal gym.", "I go to the tower gym."),
        asked("q3", "multi-session", "Which fruits did I pick?", "plums and pears",
              "I picked plums.", "I picked pears."),
        asked("q4_abs", "single-session-user", "What is my boat called?", "not known"),
        asked("q5", "knowledge-update", "Where is my bike?", "in the shed", "My bike is in the shed."),
    ]  # fmt: skip


def beam() -> list[dict[str, Any]]:
    """A chat of two batches with a question of five kinds."""
    return [
        {
            "chat_id": "100K/9",
            "chat": [
                {
                    "batch_number": 1,
                    "turns": [
                        [
                            {"role": "user", "id": 0, "time_anchor": "March-15-2025", "content": "The parser has 40 tests. ->-> 1,1"},
                            {"role": "assistant", "id": 1, "content": "Good: forty tests."},
                        ]
                    ],
                },
                {
                    "batch_number": 2,
                    "turns": [
                        [
                            {"role": "user", "id": 2, "content": "The parser has 55 tests. ->-> 2,1"},
                            {"role": "assistant", "id": 3, "content": "Noted."},
                            {"role": "user", "id": 4, "content": "I never wrote a parser. ->-> 2,2"},
                        ]
                    ],
                },
            ],
            "probing_questions": {
                "knowledge_update": [{"question": "How many tests has the parser?", "answer": "55", "rubric": ["says 55"], "source_chat_ids": {"original_info": [0], "updated_info": [2]}}],
                "contradiction_resolution": [{"question": "Did I write a parser?", "ideal_answer": "You said both.", "source_chat_ids": {"first_statement": [0], "second_statement": [4]}}],
                "abstention": [{"question": "Who reviews it?", "ideal_response": "That was not said."}],
                "information_extraction": [{"question": "What is tested?", "answer": "the parser", "source_chat_ids": [0, 99]}],
                "preference_following": [{"question": "Which style?", "expected_compliance": "short"}],
            },
        }
    ]  # fmt: skip


def facts() -> dict[str, Any]:
    """Numbered facts of which one is said anew."""
    return {
        "context": "Here are facts.\n0. The keeper of the tower is Ilse.\n1. The harbour has nine cranes.\n"
        "2. The keeper of the tower is Bruno.\n",
        "questions": ["Who is the keeper of the tower?", "How many cranes has the harbour?"],
        "answers": [["Bruno"], ["nine"]],
    }


def events() -> list[dict[str, Any]]:
    """Preferences of a user that change, and one that ends."""

    def points(*items: str) -> dict[str, Any]:
        return {
            "memory_points": [
                {
                    "type": "like",
                    "type_description": "Drinks I like",
                    "specific_item": one,
                    "reason": "so",
                }
                for one in items
            ]
        }

    return [
        {
            "uuid": "u-1",
            "event_list": [
                {"preference_type": "Drink", "update_direction": "Modify", "changed_index": "0", "before_preference": points("Mint tea"), "after_preference": points("Sage tea")},
                {"preference_type": "Drink", "update_direction": "Delete", "changed_index": "0", "before_preference": points("Sage tea"), "after_preference": points()},
                {"preference_type": "Drink", "update_direction": "Modify", "changed_index": 5, "before_preference": points("Cocoa"), "after_preference": points("Milk")},
                {"preference_type": "Drink", "update_direction": "Modify", "changed_index": 0, "before_preference": points(), "after_preference": points("Milk")},
            ],
        }
    ]  # fmt: skip


def written(folder: Path, value: Any, name: str = "suite.json") -> Path:
    """A file with this JSON."""
    path = folder / name
    path.write_text(json.dumps(value), encoding="utf-8")
    return path
