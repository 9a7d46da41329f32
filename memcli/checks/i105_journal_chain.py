"""I105: the chain of hashes through the journal."""

from collections.abc import Iterator

from memcli.core.reports import Finding
from memcli.ports import Inspector
from memcli.registry import check


@check("I105", "journal-chain")
def journal_chain(view: Inspector) -> Iterator[Finding]:
    """Each pass is hashed over the pass before it, so no past one can be changed unseen.

    A pass that was changed, put in or taken out breaks the chain from there on. Newest passes
    that were cut off leave it whole, but the counters remember what they drew. Whoever makes the
    whole chain anew is found out only by a hash kept elsewhere: mem digest.
    """
    for subject, what in view.chain_errors():
        yield Finding(
            code="I105",
            severity="error",
            subject=subject,
            message=what,
            hint="mem log lists the passes; compare mem digest with one you kept, restore a copy",
        )
