"""The patterns of slots: words that lead up to a value, and the reader that takes the value.

`{S}` stands for a person who does something, `{P}` for one who did (chat leaves "I" out there),
`{B}` for a person with a form of "to be", `{M}` for what is somebody's. Each pattern is built twice:
for the speaker's own words, and for any person, as in facts that a model has written.
"""

import re
from functools import cache

from memcli.core.values import dataclass
from memcli.kit import slot_values as values
from memcli.kit.slot_places import home_value, moved_value
from memcli.kit.slot_values import Reader

_OFTEN = (
    r"(?: (?:now|just|currently|recently|finally|actually|really|still|also|already|both|all|do|"
    r"officially|presently|have|has|happily|lately|mainly|mostly|usually|generally|always|strongly|"
    r"much|definitely|personally)){0,3}"
)
_I = r"\b(?:I|i|[Ww]e)"
_NAMED = r"[A-Z][\w'’-]{1,30}(?: [A-Z][\w'’.-]{0,30}){0,2}"
_START = r"(?:\A|(?<=[,;:] )|(?<=\band ))[\"“(*-]?"
# "my wife" is the wife of nobody else, but "my former employer" is another thing.
_FITTING = r"(?: (?:new|current|main|full|real|actual|personal|private))?"
_OWN = {
    "S": rf"(?:{_I}(?:['’]ve)?{_OFTEN})",
    "P": rf"(?:(?:\A(?:(?i:just|finally|recently|so|oh|and),? )?|{_I}(?:['’]ve)?{_OFTEN} ))",
    "B": rf"(?:{_I}(?:['’]m|m|['’]re| am| are){_OFTEN})",
    "M": rf"(?:\b(?:[Mm]y|[Oo]ur){_FITTING})",
}
_ANYBODY = rf"{_START}(?:[Tt]he user|[Uu]ser|[Hh]e|[Ss]he|[Tt]hey|{_NAMED})"
_TOLD = {
    "S": rf"(?:{_OWN['S']}|{_ANYBODY}{_OFTEN})",
    "P": rf"(?:{_OWN['P']}|{_ANYBODY}{_OFTEN} )",
    "B": rf"(?:{_OWN['B']}|{_ANYBODY}(?:['’]s|['’]re| is| are){_OFTEN})",
    "M": rf"(?:{_OWN['M']}|{_START}(?:[Hh]is|[Hh]er|[Tt]heir|(?:[Tt]he user|[Uu]ser|{_NAMED})['’]s?)"
    rf"{_FITTING})",
}
_IS = r"(?:['’]s| is| are|:)(?: now| still| currently| on| called| set to){0,2} "
_AS = r"(?: as (?:an?|the) [\w/ -]{2,40}?)?"
_JOB = r"(?: (?:an?|my|the)(?: [\w-]{2,20}){0,3} (?:job|role|position))"
_WHERE = (
    r"(?: (?:here|now|currently|alone|together|full-time|permanently|back|over|down|up|out|right))"
    r"{0,2} in(?: (?:downtown|central|northern|southern|eastern|western|sunny|beautiful|lovely))? "
    r"(?:the )?"
)
_HOW = r"(?: (?:full-time|part-time|remotely|now|currently|mostly|here|nights)){0,2}"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way to say a slot. `own`: said by the speaker of himself; `told`: of anybody."""

    attribute: str
    own: re.Pattern[str]
    told: re.Pattern[str]
    read: Reader


def built(lead: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The lead of a pattern for the speaker's own words, and for anybody."""
    own, told = lead, lead
    for mark in _OWN:
        own = own.replace("{" + mark + "}", _OWN[mark])
        told = told.replace("{" + mark + "}", _TOLD[mark])
    return re.compile(own), re.compile(told)


_LEADS: tuple[tuple[str, Reader, tuple[str, ...]], ...] = (
    (
        "lives_in",
        home_value,
        (
            rf"{{S}} (?:live|lives|reside|resides){_WHERE}",
            rf"{{B}} (?:living|based|residing|settled){_WHERE}",
            r"{M} (?:home|apartment|flat|house|place) is in ",
        ),
    ),
    (
        "lives_in",
        moved_value,
        (
            r"{P}(?i:moved|relocated|emigrated|resettled)(?: (?:back|here|over|out|down|up|away|house|"
            r"home|abroad)){0,2}(?: from [^,;.]{1,40}?)? to (?:downtown |sunny |beautiful )?(?:the )?",
        ),
    ),
    (
        "works_at",
        values.name_value,
        (
            rf"{{S}} (?:work|works){_HOW}{_AS} (?:at|for) ",
            rf"{{B}} (?:working|employed|interning){_HOW}{_AS} (?:at|for|by) ",
            rf"{{P}}(?i:started|began){_AS} at ",
            rf"{{P}}(?i:started|began)(?: (?:working|work)|{_JOB}){_AS} (?:at|for|with) ",
            rf"{{P}}(?i:got|took|landed|accepted|found|have|has){_JOB}{_AS} (?:at|with) ",
            rf"{{P}}(?i:was|were|got|have been|has been) (?:hired|recruited){_AS} (?:at|by) ",
            rf"{{M}} (?:employer|workplace){_IS}",
        ),
    ),
    ("works_at", values.firm_value, (r"{P}(?i:joined) ",)),
    (
        "job_title",
        values.job_value,
        (
            r"{B} (?:an?|the) ",
            r"{P}(?i:became|(?:was|got|have been|has been) (?:promoted to|hired as|made))(?: an?| the)? ",
            rf"{{P}}(?i:started|began)(?: (?:working|work)|{_JOB})?(?: at [^,;.]{{2,40}}?)? as (?:an?|the) ",
            rf"{{M}} (?:job|role|position|occupation|profession){_IS}(?:an? |the )?",
        ),
    ),
    (
        "job_title",
        values.stated_job,
        (
            r"{S} (?:work|works)(?: [\w-]{2,15}){0,2} as (?:an?|the) ",
            r"{B} (?:working|employed)(?: [\w-]{2,15}){0,2} as (?:an?|the) ",
            rf"{{M}} (?:job )?title{_IS}(?:an? |the )?",
        ),
    ),
    (
        "email",
        values.email_value,
        (
            rf"{{M}} e-?mail(?: address)?{_IS}",
            r"\b(?i:e-?mail|reach|contact|write to) me (?:at|on) ",
        ),
    ),
    (
        "phone",
        values.phone_value,
        (
            rf"{{M}} (?:(?:tele)?phone|cell|mobile|cellphone)(?: phone)?(?: number)?{_IS}",
            rf"{{M}} number{_IS}",
            r"\b(?i:call|text|reach) me (?:at|on) ",
        ),
    ),
    ("name", values.person_value, (rf"{{M}} name{_IS}",)),
    ("name", values.full_name_value, (r"\A(?:(?:Hi|Hello|Hey)(?: there)?[,!]? )?I(?:['’]m| am) ",)),
    (
        "nickname",
        values.person_value,
        (rf"{{M}} nickname{_IS}", r"{S} (?:go|goes) by ", r"\b[Cc]all(?:s)? me "),
    ),
    (
        "birthday",
        values.date_value,
        (r"{M} birthday(?:['’]s| is|:)(?: on)? ", r"{S} (?:was|were) born on "),
    ),
    ("age", values.age_value, (r"{B} ", r"{P}(?i:turned) ", rf"{{M}} age{_IS}")),
    (
        "partner",
        values.person_value,
        (
            r"{M} (?:(?:lovely|dear|beloved|wonderful) )?(?:wife|husband|partner|spouse|girlfriend|"
            r"boyfriend|fianc[ée]e?)(?:['’]s name is|,| is called| is named| is)? ",
            r"{B} (?:married|engaged) to ",
            r"{B} dating ",
            r"{P}(?i:got married to|got engaged to|married) ",
        ),
    ),
    ("marital_status", values.status_value, (r"{B} ", r"{P}(?i:got|have been|has been) ")),
    (
        "timezone",
        values.zone_value,
        (rf"{{M}} time ?zone{_IS}(?:the )?", r"{B} (?:in|on) (?:the )?"),
    ),
    (
        "language",
        values.language_value,
        (
            rf"{{M}} (?:native|first|mother|preferred) (?:language|tongue){_IS}",
            r"(?:\A|(?<=[.,;:] ))(?:(?i:please|always|from now on),? ){0,2}(?i:answer|reply|respond|"
            r"write|speak|talk)(?: to me)?(?: only| always)? in ",
            r"{S} prefers? (?:answers|replies|to (?:speak|write|talk|be answered)) in ",
        ),
    ),
    (
        "nationality",
        values.nationality_value,
        (r"{B} (?:an? )?", rf"{{M}} nationality{_IS}"),
    ),
    (
        "school",
        values.school_value,
        (
            r"{S} (?:study|studies|go|goes)(?: [\w-]{2,20}){0,3} (?:at|to) (?:the )?",
            r"{S} attends? (?:the )?",
            r"{B} (?:studying|enrolled|a student|attending|going)(?: [\w-]{2,20}){0,3}(?: at| to| in)? (?:the )?",
            r"{P}(?i:started|transferred to|enrolled at)(?: at| studying at)? (?:the )?",
        ),
    ),
    ("address", values.street_value, (rf"{{M}} (?:(?:home|postal|mailing|street) )?address{_IS}",)),
)

_CHOSEN = (
    r"{S} prefers?(?: (?:to use|using|working (?:in|with)|to work (?:in|with)|the))? ",
    r"{P}(?i:switched|moved|migrated|changed)(?: over)?(?: (?:my|our|the) [\w ]{2,20}?)?"
    r"(?: from [\w+# -]{1,30}?)? to ",
    r"{M} (?:favou?rite|preferred|default|primary|usual) [\w ]{2,20}? is ",
    rf"{_I} now use |{_ANYBODY} now uses ",
    r"(?:\A|(?<=[.,;:] ))(?:(?i:please|always|from now on),? ){1,2}(?i:use) ",
)
_USED = (r"{S} uses? ", r"{B} using ", r"(?:\A|(?<=[.,;:] ))[Uu]se ")


# Compiled when first needed: that takes longer than the start of most commands.
@cache
def patterns() -> tuple[Pattern, ...]:
    """All patterns but those of tools."""
    return tuple(
        Pattern(attribute, *built(lead), read)
        for attribute, read, leads in _LEADS
        for lead in leads
    )


@cache
def tool_leads() -> tuple[tuple[bool, re.Pattern[str], re.Pattern[str]], ...]:
    """(whether it tells of a choice and not of use alone, own, told) of each lead to a tool."""
    chosen = tuple((True, *built(lead)) for lead in _CHOSEN)
    return (*chosen, *((False, *built(lead)) for lead in _USED))
