"""Which kinds of records a strategy selects (rule C25)."""

from memcli.core.records import RecordKind

SELECTED: tuple[RecordKind, ...] = ("utterance", "attachment", "fact")
WITH_TOOLS: tuple[RecordKind, ...] = (*SELECTED, "tool_result")
