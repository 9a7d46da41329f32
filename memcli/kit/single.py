"""Whether a text says one thing only: the value of its slot, and nothing that would end with it.

"I live in Hamburg and I work at Lufthansa" sets two slots in one sentence. Whoever moves ends the
first and not the second, so no rule may end such a memory. What is in doubt counts as more.
"""

import re

from memcli.core.memories import Memory
from memcli.kit.facts import is_fact, slots_of
from memcli.kit.sentences import statements

# Where one statement ends and the next begins in a sentence. "e.g." or 3.14 are not cut.
_CUT = re.compile(
    r"[,;:–—] |\s[-–—]\s|[()]|,? \b(?:and|but|so|while|because|since|where|which|who|though|although|as well as|"
    r"plus|or)\b ",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"(?:(?:also|now|then|still|recently|just|that|and|but|so|yet|i think|i mean)\b,? ?)+", re.I
)
# "I'm 34 and allergic to nuts": the second half goes on with the verb of the first.
_AM = re.compile(r"\b(?:I['’]?m|I am|i['’]?m|i am)\b")
_TOLD = re.compile(
    r"(?:(?:he|she|they|(?:his|her|their) \w+|[A-Z]\w+) )?(?:also )?(?:is|are|has|had|was|lives|works|likes|"
    r"loves|hates|owns|keeps|plays|speaks|studies|wants|plans|prefers|uses|moved|started|got|needs) "
)
_FIRST = re.compile(r"\b(?:I|i|my|My|we|We|our|Our)\b")


def says_only(text: str, attribute: str) -> bool:
    """Whether a text sets the slot of this attribute and says nothing else that one could lose."""
    said = statements(text)
    if len(said) != 1:
        return not said  # what has no statement in it has none to lose
    sentence = said[0].text
    found = slots_of(sentence)
    if any(one.attribute != attribute for one in found):
        return False
    # Where no pattern finds the slot, as in words of a model, the first clause is what sets it.
    at = found[0].start if found else 0
    start = 0
    for cut in (*_CUT.finditer(sentence), None):
        end = len(sentence) if cut is None else cut.start()
        clause = sentence[start:end]
        own = start <= at < end or attribute in {one.attribute for one in slots_of(clause)}
        if not own and _is_statement(clause, sentence):
            return False
        start = end if cut is None else cut.end()
    return True


def may_end(memory: Memory) -> bool:
    """Whether a rule may end a memory by another value of its slot: its text says that alone."""
    return memory.slot is not None and says_only(memory.text, memory.slot.attribute)


def _is_statement(clause: str, sentence: str) -> bool:
    clause = clause[opened.end() :] if (opened := _OPENS.match(clause)) else clause
    clause = clause.strip()
    if not clause:
        return False
    if not _FIRST.search(sentence):
        return _TOLD.match(clause) is not None or is_fact(clause)
    leads = ("", "I ", "I'm ") if _AM.search(sentence) else ("", "I ")
    return any(is_fact(lead + clause) for lead in leads)
