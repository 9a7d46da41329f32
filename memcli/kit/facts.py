"""Facts by pattern, without a model: what people say of themselves, and their standing orders.

A fact is a statement word for word, with where it stands. Some set a slot (`Slotted`): what has one
value at a time, such as where somebody lives. A question, a negation, a wish or a condition sets
none, and neither does what was once so.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from memcli.core.patterns import pattern
from memcli.core.values import dataclass
from memcli.kit.retracting import OPENING, is_dropped, takes_back
from memcli.kit.sentences import READ, Sentence, statements
from memcli.kit.signs import is_change
from memcli.kit.slot_patterns import patterns, tool_leads
from memcli.kit.slot_tools import tool_value
from memcli.kit.stating import in_earnest

LONGEST = 500  # characters of a statement; what is longer is a list, a log or a pasted text
_MOST_LEADS = 20  # places in a statement where one pattern is tried

# How a statement opens that says what is not so, or not yet.
_SUPPOSED = pattern(
    r"(?:(?:and|but|so|well|oh),? )?(?:if|imagine|suppos(?:e|ing)|what if|unless|maybe|perhaps|"
    r"hypothetically|pretend|let's say|say i)\b|i (?:wish|guess|think i'd)\b",
    re.IGNORECASE,
)
_CLAUSE = pattern(r"[,;:.!?—–] ?| (?:but|and|so) ")
_DOUBT = pattern(
    r"n['’]t\b|\b(?:not|never|no longer|used to|would|could|might|wish|hope|hoping|want|wants|wanted|"
    r"maybe|perhaps|almost|nearly|pretend|plan|plans|planning|dream|ex|former|formerly|previously|"
    r"neither|nor|hardly|was living|was working)\b|['’](?:d|ll)\b|\b(?:will|(?-i:may)|can|should) ",
    re.IGNORECASE,
)
# What stands before a clause that asks, supposes or tells what another says.
_ASKED = pattern(
    r"\b(?:if|when|whether|unless|until|till|before|once|whenever|as though|asks?|asked|imagine|"
    r"says?|said|thinks?|thought|dream(?:t|ed)?|wish|where|how|why|while|back when)\b[^,;.]*\Z",
    re.IGNORECASE,
)
_PAST = pattern(
    r"[^.!?;]{0,60}?\b(?:until|till|back then|at the time|at that time|in those days|as a (?:kid|child|"
    r"teen\w*|student|boy|girl)|when i was|in my (?:teens|twenties|thirties|childhood|youth)|before "
    r"(?:i|we|moving|that)|(?:but|and) then|but (?:i )?(?:moved|left|now))\b",
    re.IGNORECASE,
)
# What one uses for one thing, and another for the next.
_NOW_AND_THEN = pattern(
    r"(?: (?:for (?!everything|all|editing|coding|my)|at work|sometimes|on |when|or |and )|['’]s?|-)"
)

# An order holds from now on. Words of comfort between people ("don't worry") are none.
_ORDER = pattern(
    r"\A(?:from now on|going forward),? \w|"
    # "Answer in full sentences from now on": what opens with a verb, and says for how long
    r"(?:\A|(?<=[,;:.] ))(?:(?:and|but|so|also|ok|okay),? )?(?:please,? (?!let\b|know\b|tell me (?:what|how|if))\w|"
    r"(?:please )?(?:add|address|answer|ask|begin|cite|explain|format|give|include|keep|leave|list|mention|"
    r"put|reply|respond|round|send|show|skip|speak|spell|start|stick to|summari[sz]e|switch to|talk|translate|"
    r"use|write) )[^,;.!?]{0,80}?\b,? ?(?:from now on|from here on|going forward|in (?:the )?future)\b|"
    r"(?:\A|(?<=[,;:.] ))(?:(?:please|and|but|so|also|from now on|in (?:the )?future|going forward|"
    r"remember|ok|okay|note),?:? ){0,3}(?:"
    r"(?:always|never|avoid|make sure|be sure to|prefer|remember to|from now on|stop \w+ing|"
    r"keep (?:all|your|the|every)|call me|use (?:only )?[\w.+#-]+(?: [\w.+#-]+)? (?:instead|rather|not|"
    r"for|everywhere)|do not|don['’]t) (?!worry|give up|hesitate|be (?:so|too|afraid|shy|sad|hard)|"
    r"forget(?: to (?:take|have|enjoy)| that|,|$)|mind\b|let\b|lose\b|sweat|get me wrong|know|think (?:i|"
    r"that)|stop\b|have to|thought|been|had|seen|want|need|even|really|heard|tried|a\b|too late|see\b|"
    r"give yourself|underestimate|look back|dull|imagine|ever\b|happy|here\b|good\b|great\b|nice\b|fun\b|"
    r"cool\b|love|loved|you\b|wanted|felt|take|feel|saw|like)|(?:you|code|all \w+) (?:should|must) (?:always |never )?\w+"
    r"(?<!be)(?<!try)(?<!check))",
    re.IGNORECASE,
)
# How people open what they want to be known, rather than what comes up.
_INTRODUCES = pattern(
    r"(?:(?:hi|hello|hey|please|note|remember|just so you know|for the record)\b[ ,:!-]*){0,2}(?:that )?"
    r"(?:my (?:full |real |first |last )?(?:name|nickname|birthday|e-?mail(?: address)?|phone number|"
    r"address|time ?zone|pronouns|nationality|native language)(?:['’]s| is| are)\b|"
    r"(?:please )?call me\b|i(?:['’]m| am) (?:called|allergic to|intolerant to)\b|i was born\b|"
    r"(?:my|our) (?:name|birthday)['’]?s\b)",
    re.IGNORECASE,
)
_PREFERS = pattern(
    r"\bI(?:['’]d)?(?: (?:really|always|much|usually|generally|now|still|strongly|personally))* "
    r"(?:prefer|rather (?:you|have)|need you to|want you to|would like you to|would rather)\b"
)
_ADVERBS = (
    r"(?: (?:now|just|currently|recently|finally|actually|really|still|also|already|even|both|all|"
    r"always|usually|often|never|only|totally|absolutely|have|do|did|had|sometimes|once|no longer|"
    r"mostly|mainly|lately|regularly|rarely|once|ever|can(?:no|['’]|)t|don['’]t|didn['’]t|do not)){0,3}"
)
# Verbs of the speaker that tell what lasts, what happened, or what is planned.
_TELLS = pattern(
    rf"(?:\b(?:I|[Ww]e(?! all\b)|i)(?:['’]ve|['’]d)?{_ADVERBS} (?:"
    # what lasts
    r"(?:have|own|keep|got|has) (?!to\b|been\b|no idea|so much|a (?:lot|feeling|question|look|great|good|"
    r"nice|blast|ton|bit|point)|it\b|that\b|this\b|you\b|any\b|some (?:great|good|questions)|fun\b|lots\b|"
    r"such\b|so\b|hope|faith|with\b|each other|something\b|your\b)|"
    r"(?:like|love|enjoy|hate|dislike|adore|can['’]t stand) (?!(?:that|this|it|how|your|you|the way|when|"
    r"those|these|to (?:hear|see|know)|them|hearing|seeing (?:you|your))\b)|"
    r"(?:use|live|work|study|teach|play|drive|ride|run|speak|write|paint|cook|bake|draw|sing|dance|"
    r"practice|practise|volunteer|collect|train|eat|drink|wear|read|watch|belong|attend|grow|sleep|"
    r"code|build|maintain|manage|lead|commute|swim|hike|meditate|garden|knit|sew|dream of|go|been \w+ing) |"
    r"(?:live|work|study|cook|paint|draw|volunteer|commute|smoke|drink|drive)[.!,]|"
    # what happened
    r"(?:moved|started|began|stopped|quit|left|joined|bought|sold|adopted|graduated|retired|married|"
    r"divorced|got|went|visited|finished|completed|signed|met|won|lost|made|built|wrote|read|passed|"
    r"failed|applied|enrolled|booked|planted|ran|attended|took|broke|hurt|saw|found|learned|learnt|"
    r"painted|tried|switched|changed|became|turned|grew up|was born|were born|lived|worked|studied|"
    r"traveled|travelled|hosted|organized|organised|launched|opened|published|celebrated|received|"
    r"ordered|hired|watched|cooked|baked|played|hiked|camped|volunteered|spent|used to|called|"
    r"gave birth|spoke|created|performed|competed|decided|chose|agreed|set up|picked up|gave up|"
    r"ended up|took up|lead|led|ate|drew|sang|taught|rescued|donated|raised|earned|upgraded|installed|"
    r"renovated|repaired|fixed|dropped|deployed|released|merged|migrated) (?!it\b|that\b|this\b|you\b|your\b|what\b|your\b|something\b)"
    r")"
    # am
    rf"|\b(?:I|[Ww]e|i)(?:['’]m|['’]re| am| are| was| were){_ADVERBS} (?:an?|the|from|in|at|on|based|married|"
    r"single|divorced|engaged|allergic|vegan|vegetarian|born|called|pregnant|retired|\d{1,3}|living|"
    r"working|studying|learning|reading|writing|training|planning|going to|moving|taking|building|"
    r"using|trying|teaching|organizing|organising|playing|having|doing|making|creating|developing|looking (?:for|into)|thinking (?:of|about)|considering|starting|getting|"
    r"saving|preparing|applying|volunteering|running|switching|not (?:a|an)|no longer|into|hosting|"
    r"visiting|attending|joining|expecting|raising|diagnosed|promoted|hired|fired|accepted|invited|"
    r"[A-Z]\w+(?:n|sh|se|ch|i)\b) ?(?!awe\b|shock\b|tears\b|bit\b|lot\b|same\b|way\b|loss\b|fan of (?:that|this)"
    r"|mood\b|here for\b|to (?:hear|see) you)"
    # plans
    r"|\b(?:I|[Ww]e|i)(?:['’]ll| will)(?: be)? (?:start|move|go|visit|join|meet|attend|quit|leave|buy|host|"
    r"take|fly|travel|run|marry|graduate|perform|compete|have (?:a|an|my|our)|starting|moving|going|"
    r"visiting|attending|hosting|taking|teaching|working) (?!it\b|that\b|you\b|a look|care)"
    r"|\b(?:I|[Ww]e|i)(?:['’]m| am|['’]re| are)?(?: also| still| really| now| currently)? (?:no longer|decided|plan|hope|want|intend|need)(?: to)? (?!you\b|"
    r"hear\b|know\b|see (?:it|that|you)\b|say\b|thank\b|that you\b|it\b|this\b|your?\b|be\b)"
    # what is mine
    r"|(?:\A|(?<=[,;:–—-] )|(?<=\band )|(?<=\bbut )|(?<=\bso )|(?<=\bthat )|(?<=\bcause )|(?<=\b[Ss]ince ))"
    r"(?:[Mm]y|[Oo]ur)(?: [\w'’-]{1,25}){1,4}?(?:['’]s| is| are| was| were| has| have| had| lives?| works?|"
    r"loves?| likes?| got| died| passed away| started| moved| came| gave| bought| hates?| turned| plays?|"
    r"prefers?| goes| wants| helps?| took| made| called| needs| uses?) (?!(?:always|so|been) (?:there|proud)|"
    r"(?:really |so |very )?(?:great|awesome|amazing|good|nice|cool|proud)[.!])"
    r")"
)


@dataclass(frozen=True, slots=True)
class Slotted:
    """A slot in a text: `value == text[start:end]`, and the attribute it is the value of."""

    attribute: str
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact: `text == whole[start:end]`. `slot` counts from the start of the whole, too."""

    text: str
    start: int
    end: int
    slot: Slotted | None = None
    change: bool = False


@lru_cache(maxsize=READ)
def facts(text: str) -> tuple[Stated, ...]:
    """The facts in what one person said, in order."""
    return tuple(
        _stated(sentence)
        for sentence in statements(text)
        if len(sentence.text) <= LONGEST
        and is_fact(sentence.text)
        and not takes_back(text[sentence.end : sentence.end + OPENING])
    )


def is_fact(statement: str) -> bool:
    """Whether a statement tells something lasting or dated of its speaker, or is a standing order."""
    if _SUPPOSED.match(statement) or is_dropped(statement):
        return False
    if statement.rstrip().endswith(":"):
        return False  # what follows a colon is not in it: "I've got the following so far:"
    return bool(
        _ORDER.search(statement)
        or _PREFERS.search(statement)
        or any(_lasting(statement, found) for found in _TELLS.finditer(statement))
        or _find(statement, own=True)
    )


def is_order(statement: str) -> bool:
    """Whether a statement says what is to be done from now on: always, never, make sure to, ..."""
    return _SUPPOSED.match(statement) is None and _ORDER.search(statement) is not None


def is_introduction(statement: str) -> bool:
    """Whether it is said for its own sake, as one introduces oneself: my name is, call me, I was
    born, I am allergic to, ..."""
    return _SUPPOSED.match(statement) is None and _INTRODUCES.match(statement) is not None


def slot_of(text: str) -> tuple[str, str] | None:
    """(attribute, value) of the first statement that sets a slot, of whomever; None if none does.

    For short texts in the first or third person: "I live in Lisbon", "Ada lives in Lisbon". What
    is said of somebody's mother is no slot of that person.
    """
    for sentence in statements(text):
        found = _find(sentence.text, own=False)
        if found is not None:
            return found.attribute, found.value
    return None


def slots_of(statement: str) -> list[Slotted]:
    """All slots that one statement sets, of whomever, in the order in which they are said."""
    return _all_slots(statement, own=False)


def _stated(sentence: Sentence) -> Stated:
    slot = _find(sentence.text, own=True)
    if slot is not None:
        first = sentence.start
        slot = Slotted(slot.attribute, slot.value, slot.start + first, slot.end + first)
    return Stated(sentence.text, sentence.start, sentence.end, slot, is_change(sentence.text))


def _find(statement: str, *, own: bool) -> Slotted | None:
    """The slot that is said first; of two values of one attribute the last said.

    That somebody married gives way to what came of it: "I got married, my name is Ada Weiss now".
    """
    found = _all_slots(statement, own=own)
    rest = [one for one in found if one.attribute != "marital_status"]
    return next(iter(rest or found), None)


def _all_slots(statement: str, *, own: bool) -> list[Slotted]:
    """The slots in the order in which they are said; of two values of one attribute the last."""
    if len(statement) > LONGEST or _SUPPOSED.match(statement) or not in_earnest(statement):
        return []
    found: dict[str, Slotted] = {}
    first: dict[str, int] = {}
    for lead, slot in (*_slots(statement, own), *_tools(statement, own)):
        if _asserted(statement, lead, slot.end):
            first[slot.attribute] = min(lead, first.get(slot.attribute, lead))
            held = found.get(slot.attribute)
            if held is None or slot.start > held.start:
                found[slot.attribute] = slot
    return [found[attribute] for attribute in sorted(found, key=lambda one: first[one])]


def _slots(statement: str, own: bool) -> Iterator[tuple[int, Slotted]]:
    for known in patterns():
        lead = known.own if own else known.told
        for start, at in _leads(lead, statement):
            end = known.read(statement, at)
            if end is not None:
                yield start, Slotted(known.attribute, statement[at:end], at, end)


def _tools(statement: str, own: bool) -> Iterator[tuple[int, Slotted]]:
    for chosen, said, told in tool_leads():
        for start, at in _leads(said if own else told, statement):
            found = tool_value(statement, at, chosen=chosen)
            if found is None:
                continue
            attribute, end = found
            if chosen or not _NOW_AND_THEN.match(statement[end : end + 40]):
                yield start, Slotted(attribute, statement[at:end], at, end)


def _leads(lead: re.Pattern[str], statement: str) -> list[tuple[int, int]]:
    """(start, end) of the places where a value may follow."""
    found = []
    for match in lead.finditer(statement):
        found.append((match.start(), match.end()))
        if len(found) == _MOST_LEADS:
            break
    return found


def _asserted(statement: str, lead: int, end: int) -> bool:
    """Whether what stands from `lead` to `end` is said to be so, now."""
    clause = max((cut.end() for cut in _CLAUSE.finditer(statement, 0, lead)), default=0)
    if _DOUBT.search(statement[clause:end]) or _ASKED.search(statement[clause:lead]):
        return False
    return _PAST.match(statement[end : end + 80]) is None


def _lasting(statement: str, found: re.Match[str]) -> bool:
    clause = max((cut.end() for cut in _CLAUSE.finditer(statement, 0, found.start())), default=0)
    return not _ASKED.search(statement[clause : found.start()])
