"""How several changes of one target become one (rule C9): the last text, the union of sources."""

from collections.abc import Collection, Iterable

from memcli.core import ids
from memcli.core.plan import Add, Cite, Revise
from memcli.core.values import replace

Source = str | Cite


def cites_of(evidence: Iterable[Source]) -> tuple[Cite, ...]:
    """One Cite for each source, with all its quotes, in the order of first mention."""
    found: dict[str, tuple[str, ...]] = {}
    for source in evidence:
        cite = Cite(source) if isinstance(source, str) else source
        found[cite.ref] = tuple(dict.fromkeys((*found.get(cite.ref, ()), *cite.quotes)))
    return tuple(Cite(ref, quotes) for ref, quotes in found.items())


def united(former: Revise, later: Revise) -> Revise:
    """Two revisions of one target: the last text, the union of sources."""
    cites = later.evidence if later.replace_evidence else (*former.evidence, *later.evidence)
    return replace(
        later,
        text=former.text if later.text is None else later.text,
        attributes=former.attributes if later.attributes is None else later.attributes,
        slot=later.slot or former.slot,
        valid_from=later.valid_from or former.valid_from,
        evidence=cites_of(cites),
        replace_evidence=former.replace_evidence or later.replace_evidence,
        reason=later.reason or former.reason,
        requires=tuple(dict.fromkeys((*former.requires, *later.requires))),
    )


def folded(draft: Add, later: Revise, earlier: Collection[str]) -> Add:
    """A draft with a revision taken into it. `earlier`: drafts it may rest on, made before it."""
    cites = later.evidence if later.replace_evidence else (*draft.evidence, *later.evidence)
    known = (cite for cite in cites if not ids.is_draft(cite.ref) or cite.ref in earlier)
    return replace(
        draft,
        text=draft.text if later.text is None else later.text,
        attributes=draft.attributes if later.attributes is None else later.attributes,
        slot=later.slot or draft.slot,
        valid_from=later.valid_from or draft.valid_from,
        evidence=cites_of(known),
        requires=tuple(dict.fromkeys((*draft.requires, *later.requires))),
    )
