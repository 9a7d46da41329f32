"""Whether a question bears on the slot that changed, or on what else a superseded text says."""

from collections.abc import Collection

from memcli.core.memories import Memory
from memcli.kit.sentences import statements
from memcli.kit.stem import stems


def bears_on(wanted: Collection[str], text: str, heir: Memory, speaker: str | None) -> bool:
    """Whether what the question shares with a text has to do with the slot that `heir` sets anew.

    `wanted`: the stems of the question's words. It bears on it by a word that leads up to the value
    or is in it, that names the attribute, or that the heir's text holds; and also where they share
    nothing but names, or the text does not say the slot. False only where all that they share stands
    elsewhere in the text.
    """
    from memcli.kit.facts import slots_of  # few searches meet a slot, and its patterns take time

    slot = heir.slot
    if slot is None:
        return True
    shared = (frozenset(wanted) & stems(text)) - stems(f"{slot.subject} {speaker or ''}")
    if not shared:
        return True
    said = [
        (one.text, found.end)
        for one in statements(text)
        for found in slots_of(one.text)
        if found.attribute == slot.attribute
    ]
    if not said:
        return True
    attribute = stems(slot.attribute.replace("_", " "))
    about = stems(heir.text).union(*(stems(statement[:end]) for statement, end in said))
    return bool(shared & about or attribute & set(wanted))
