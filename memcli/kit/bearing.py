"""Whether a memory has to do with what was said, so that a decision may change it.

A backend that obeys an order in a record can word its facts as it likes, and name any memory. What
it cannot word are the records: only what stands in them, near what a fact rests on, counts here.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from operator import mul

from memcli.core.memories import Memory
from memcli.core.records import Record
from memcli.core.values import dataclass
from memcli.kit import signs
from memcli.kit.claims import Found, subject_of
from memcli.kit.comparing import topics, without
from memcli.kit.facts import slot_of
from memcli.kit.instructions import is_instruction
from memcli.kit.overlay import Embed
from memcli.kit.sentences import sentences
from memcli.kit.stem import stem
from memcli.kit.windows import parted
from memcli.kit.words import STOP_WORDS, listed, words

# Words that carry nothing in German, French, Spanish, Italian, Portuguese and Dutch: `kit.words`
# lists the English ones only, and one of these is in almost every text of its language.
_ELSEWHERE = listed("""
    aber alle allem allen aller alles als auch auf aus bei bin bis bitte bist dann das dass dein
    deine deinen dem den denn der des dich die dies diese diesen dieser dieses dir doch du durch
    ein eine einem einen einer eines er es euch für gegen gern habe haben hast hat hatte ich ihm
    ihn ihr ihre im immer ins ist ja jede jeden jeder jetzt kann kein keine keinen mal man mehr
    mein meine meinem meinen meiner mich mir mit nach nicht nichts noch nur oder ohne schon sehr
    seid sein seine sich sie sind soll über um und uns unter vom von vor war was weil wenn wer wie
    wir wird wo zu zum zur
    au aux avec ce ces cet cette comme dans de des du elle elles en est et eux il ils je la le les
    leur leurs lui ma mais mes moi mon ne nos notre nous on ou où par pas plus pour qu que qui sa
    sans ses si son sont suis sur ta te tes toi ton tous tout toute toutes très tu un une vos votre
    vous
    al algo como con contra cual cuando del desde donde ella ellos entre era eran eres esa ese eso
    esta este esto estoy fue ha han hasta hay las lo los más mi mis mucho muy nada ni nos otra otro
    para pero por porque que quien se sin sobre soy su sus también tan tanto te tener ti tiene toda
    todas todo todos tu tus una uno unos usted ya yo
    anche che chi ci col come cui da dal dalla degli dei del della delle dello di è e ed fra gli
    hanno ho il io lei loro lui ma mia mie miei mio nei nel nella noi non o per perché più quale
    quando quella quello questa questo sei sono sta sua suo suoi tra tutti tutto un voi
    ao aos as até com da das dele dela do dos ela elas ele eles em essa esse eu foi isso já mais mas
    me meu meus minha minhas muito na não nas nem no nos nós num numa os ou para pela pelo por qual
    quem são se sem seu seus só sua suas também tem uma você vocês
    aan alles bij dat de deze die dit door een en er geen haar heb hebben heeft hem het hij hoe hun
    ik jij je jou jouw kan maar meer met mij mijn naar niet niets nog nu of om onder ons ook op over
    te toch tot uit van veel voor waar was wat we wel wij wil worden zal ze zich zij zijn zo zou
    """)
# Dates are shared by texts on any topic.
_DATED = frozenset((*signs.MONTHS, *signs.WEEKDAYS))
# Scripts that put no blank between words: pairs of letters stand for them.
_UNPARTED = re.compile(r"[\u3400-\u9fff\u30a0-\u30ff\uac00-\ud7af]{2,}")


@dataclass(frozen=True)
class Bearing:
    """`before`: the records shown before those of the window, in order.

    `near`: the cosine from which on two texts are on one topic.
    """

    before: Sequence[Record]
    window: Sequence[Record]
    embed: Embed
    near: float
    single_valued: Collection[str]

    def on(self, fact: Found, target: Memory) -> bool:
        """Whether what the fact rests on has to do with the target.

        By a value of the same slot, by a word that says what the target is about, or by meaning;
        not by the names of whom they are about, which all memories of somebody have in common.
        """
        if self.sets(fact, target) or self._tells(fact, target):
            return True
        names = _names(fact, target)
        about = _topics(target.text, names)
        heard = (text for text in self._heard(fact))
        if any(about & _topics(text, names) for text in heard):
            return True
        first, *others = self.embed([_plain(t, names) for t in (target.text, *self._quoted(fact))])
        return any(sum(map(mul, first, other)) >= self.near for other in others)

    def sets(self, fact: Found, target: Memory) -> bool:
        """Whether the fact sets the target's slot, of one value, to what a cited record says."""
        slot = fact.slot
        if slot is None or slot.attribute not in self.single_valued:
            return False
        if not fact.in_slot_of(target):
            return False
        said = {stem(word) for record in self._cited(fact) for word in words(record.text)}
        value = words(slot.value)
        return any(word not in STOP_WORDS for word in value) and set(map(stem, value)) <= said

    def _tells(self, fact: Found, target: Memory) -> bool:
        """Whether the fact's own words set the target's slot, whatever the value is written like:
        "I moved to SF" does, where a fact says San Francisco."""
        slot = fact.slot
        if slot is None or slot.attribute not in self.single_valued:
            return False
        told = filter(None, map(slot_of, self._quoted(fact)))
        return fact.in_slot_of(target) and any(found[0] == slot.attribute for found in told)

    def _cited(self, fact: Found) -> list[Record]:
        return [record for record in self.window if record.id in fact.refs]

    def _heard(self, fact: Found) -> Iterator[str]:
        """What was said where the fact was told. A record with an order is heard by its quotes."""
        for cite in fact.cites:
            yield from cite.quotes
        former: Sequence[Record] = ()
        for exchange in parted((*self.before, *self.window)):
            last = max((n for n, one in enumerate(exchange) if one.id in fact.refs), default=None)
            if last is not None:
                for record in (*self._answered(former, exchange[0]), *exchange[: last + 1]):
                    if not is_instruction(record.text):
                        yield record.text
            former = exchange

    def _answered(self, former: Sequence[Record], by: Record) -> list[Record]:
        """What an exchange goes on from: all of the former one that is in the window too, and what
        others said ("Do you still drink coffee?" before "I gave it up")."""
        own = {record.id for record in self.window}
        voice = by.role, by.speaker
        return [one for one in former if one.id in own or (one.role, one.speaker) != voice]

    def _quoted(self, fact: Found) -> list[str]:
        """The words that bear the fact, and the sentences in which they stand."""
        quotes = [quote for cite in fact.cites for quote in cite.quotes]
        found = dict.fromkeys(quotes)
        for record in self._cited(fact):
            for sentence in sentences(record.text):
                if any(quote in sentence.text for quote in quotes):
                    found[sentence.text] = None
        return list(found)


def _names(fact: Found, target: Memory) -> set[str]:
    """Stems of the names of whom the two are about, and of who said them."""
    speakers = (one.get("speaker") for one in (fact.attributes, target.attributes))
    names = (fact.subject, subject_of(target), *speakers)
    return {stem(word) for name in names if isinstance(name, str) for word in words(name)}


def _plain(text: str, names: Collection[str]) -> str:
    """The words of a text without these names, dates and numbers and, if it is in another language
    than English, without what carries nothing there ("die", "son", "door" do in English)."""
    found = [w for w in without(names, text).split() if not w.isdigit() and w not in _DATED]
    english = sum(word in STOP_WORDS and word not in _ELSEWHERE for word in found)
    if sum(word in _ELSEWHERE and word not in STOP_WORDS for word in found) <= english:
        return " ".join(found)
    return " ".join(word for word in found if word not in _ELSEWHERE)


def _topics(text: str, names: Collection[str]) -> set[str]:
    """What a text is about."""
    found = topics(_plain(text, names))
    for run in _UNPARTED.findall(text):
        found |= {run[at : at + 2] for at in range(len(run) - 1)}
    return found
