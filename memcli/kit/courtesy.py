"""Greetings, thanks, wishes and bare replies: sentences that leave nothing to remember."""

import re
from collections.abc import Iterable

from memcli.core.patterns import pattern
from memcli.kit.words import listed, words

# Sentences made of nothing but these (and a name or two) are courtesies.
_FILLERS = listed("""
    absolutely agreed ah alright amazing and anytime aw awesome aww bye cheers congrats
    congratulations cool course dear definitely enjoy evening everyone exactly excellent fantastic fine
    folks friend friends goodbye good got gotcha great guys ha haha hello hey hi hiya hmm hooray huh
    incredible indeed interesting it k lol lovely man mate morning neat nice night no nope noted of oh ok
    okay omg oops ouch perfect please really right sir so sorry sure sweet thank thanks that there
    thx too totally true ty ugh uh um understood very welcome well whoa wonderful woohoo wow ya yay yeah yep
    yes yo you yup afternoon
    """)

# How a courtesy opens; what follows belongs to it ("thanks for the help", "have a nice day").
_OPENINGS = pattern(
    r"(?:(?:oh|wow|well|hey|hi|hello|yeah|yes|aw+|and|so|sure|ok|okay|no|haha)[\s,!.]+"
    r"(?:(?-i:[A-Z])\w+[,!.]\s+)?){0,4}"
    r"(?:thank(?:s| you)\b(?! to\b)|thx\b|many thanks|much appreciated|(?:i )?(?:really )?appreciate (?:it|you|"
    r"your|that)\b|you(?:'re| are) welcome|no (?:worries|problem)|my pleasure|don't mention it|"
    r"good (?:to (?:see|hear|meet)|luck|morning|evening|night|afternoon|job|for you)|"
    r"(?:great|nice|lovely|so good) to (?:see|hear|meet)|long time no see|"
    r"how (?:are|is|have) (?:you|it|things)|hope (?:you|this|that|it|all)|"
    r"(?:have|enjoy) (?:a|an|your|the)\b[^.!]*(?:day|week|weekend|evening|night|time|trip|one)\b|"
    r"(?:take care|see (?:you|ya)|talk to you|catch you|bye)\b|"
    r"(?:congrats|congratulations|well done|way to go|keep (?:it )?up|keep up)\b|"
    r"(?:happy (?:birthday|new year|holidays|anniversary)|merry christmas)[\s!,.]*\w*[\s!.]*\Z|"
    r"(?:glad|happy|sorry|great|good) to hear\b|(?:that|it|this)(?:'s| is| sounds| was)(?: (?:so|"
    r"really|very|just|absolutely|a|an|all|too|pretty|truly))*\s*(?:great|awesome|cool|nice|amazing|"
    r"wonderful|sweet|lovely|fantastic|incredible|inspiring|perfect|good|fun|interesting|exciting|"
    r"fine|true|right|neat|impressive|beautiful|huge|sad|terrible|news)[\s\w,']{0,18}[.!…\s]*\Z|"
    r"(?:sounds|looks) (?:like (?:a|an|you)\b|good|great|awesome|fun|amazing|nice|cool|perfect))",
    re.IGNORECASE,
)


def is_courtesy(sentence: str) -> bool:
    """Whether a sentence is a greeting, thanks, a wish, praise in passing or a bare reply."""
    bare = sentence.strip().lstrip("\"'“‘(*_ ").replace("’", "'")
    if _OPENINGS.match(bare):
        return True
    said = words(bare)
    strange = [word for word in said if word not in _FILLERS]
    if len(strange) > 1:
        return False
    # "Hey Caroline!" holds one stranger, the name; "Wow, Mel, yes!" too.
    names = [word for word in strange if re.search(rf"\b{re.escape(word.title())}\b", bare)]
    return len(strange) == len(names) and len(said) > len(names)


def is_only_courtesy(sentences: Iterable[str]) -> bool:
    """Whether no sentence of a text holds more than courtesies, marks and pictures."""
    return all(
        not any(letter.isalnum() for letter in sentence) or is_courtesy(sentence)
        for sentence in sentences
    )
