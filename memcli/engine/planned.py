"""The changes that a plan would make, for dry runs."""

from collections.abc import Iterable, Mapping

from memcli.core import ids
from memcli.core.plan import Add, Cite, Link, Operation, Rate, Retire, Revise, Supersede, Unlink
from memcli.core.records import Record
from memcli.core.reports import Change, ChangeKind
from memcli.engine import plans
from memcli.engine.changes import in_words
from memcli.store.view import StoreView


def planned(view: StoreView, ops: Iterable[Operation], strategy: str) -> list[Change]:
    """The changes that `ops` would make, with draft ids; nothing is written."""
    listed = list(ops)
    drafts = {op.id: op for op in listed if isinstance(op, Add)}
    return [_planned(view, op, drafts, strategy) for op in listed]


def _planned(view: StoreView, op: Operation, drafts: Mapping[str, Add], strategy: str) -> Change:
    if isinstance(op, Add):
        return _would("added", op.id, op.kind, None, op.text, op.evidence, op.reason, strategy)
    target = plans.target_of(op)
    assert target is not None
    found = drafts.get(target) or view.get(target)
    kind = "record" if isinstance(found, Record) else getattr(found, "kind", "")
    text = getattr(found, "text", None)
    ident = ids.memory_of(target)
    if isinstance(op, Revise):
        after = text if op.text is None else op.text
        return _would("revised", ident, kind, text, after, op.evidence, op.reason, strategy)
    if isinstance(op, Supersede):
        after = f"valid to {op.valid_to}" + (f" by {op.by}" if op.by else "")
        return _would("superseded", ident, kind, text, after, (), op.reason, strategy)
    if isinstance(op, Retire):
        return _would("retired", ident, kind, text, None, (), op.reason, strategy)
    if isinstance(op, Link):
        cites = (Cite(op.target, op.quotes),) if op.role == "evidence" else ()
        after = f"{op.role} {op.target}"
        return _would("linked", ident, kind, None, after, cites, op.reason, strategy)
    if isinstance(op, Unlink):
        before = f"{op.role} {op.target}"
        return _would("unlinked", ident, kind, before, None, (), op.reason, strategy)
    assert isinstance(op, Rate)
    old = in_words(op.name, getattr(found, op.name, None))
    return _would("rated", ident, kind, old, in_words(op.name, op.value), (), op.reason, strategy)


def _would(
    change: ChangeKind,
    ident: str,
    what: str,
    before: str | None,
    after: str | None,
    cites: Iterable[Cite],
    reason: str,
    strategy: str,
) -> Change:
    cited = tuple(cites)
    return Change(
        change=change,
        memory=ident,
        kind=what,
        before=before,
        after=after,
        evidence=tuple(cite.ref for cite in cited),
        quotes={cite.ref: cite.quotes for cite in cited if cite.quotes},
        strategy=strategy,
        reason=reason,
    )
