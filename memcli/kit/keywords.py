"""Keywords by TF-IDF: terms as they occur in the texts, most telling first."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from memcli.core.values import dataclass, field
from memcli.kit.stem import stem
from memcli.kit.words import carries, words


@dataclass(frozen=True, slots=True)
class Corpus:
    """In how many of `size` texts each stem occurs."""

    size: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    def weight(self, stemmed: str) -> float:
        """The inverse document frequency, smoothed so that it stays above 0."""
        return math.log((1 + self.size) / (1 + self.counts[stemmed])) + 1


def corpus_of(texts: Iterable[str]) -> Corpus:
    """Count the stems of `texts`."""
    counts: Counter[str] = Counter()
    size = 0
    for text in texts:
        size += 1
        counts.update({stem(word) for word in words(text) if carries(word)})
    return Corpus(size, counts)


def keywords(
    texts: Sequence[str],
    corpus: Corpus,
    *,
    most: int = 5,
    least: int = 1,
    without: Iterable[str] = (),
) -> tuple[str, ...]:
    """Up to `most` terms that tell `texts` from `corpus`, each in its commonest written form.

    A term counts by the number of texts it occurs in, so that one talkative text decides nothing,
    and only if it occurs in at least `least`.
    `without`: words that are no topic, such as the speakers' names. Ties by the alphabet.
    """
    left_out = {stem(word) for text in without for word in words(text)}
    counts: Counter[str] = Counter()
    written: dict[str, Counter[str]] = {}
    for text in texts:
        said = [word.removesuffix("'s") for word in words(text)]
        stems = {stem(word): word for word in said if carries(word) and not word.isdigit()}
        for stemmed, word in stems.items():
            if stemmed not in left_out:
                counts[stemmed] += 1
                written.setdefault(stemmed, Counter())[word] += 1
    scores = {
        term: round(count * corpus.weight(term), 6)
        for term, count in counts.items()
        if count >= least
    }
    best = sorted(scores, key=lambda term: (-scores[term], term))[:most]
    return tuple(_form(written[term], texts) for term in best)


def _form(forms: Counter[str], texts: Sequence[str]) -> str:
    """The commonest form; with a capital if the texts always write it so (a name)."""
    word = min(forms, key=lambda form: (-forms[form], form))
    joined = "\n".join(texts)
    title = word[:1].upper() + word[1:]
    return title if title in joined and word not in joined else word
