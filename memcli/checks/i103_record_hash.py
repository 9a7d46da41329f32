"""I103: records against the hashes that were taken when they were stored."""

from collections.abc import Iterator

from memcli.core.reports import Finding
from memcli.ports import Inspector
from memcli.registry import check


@check("I103", "record-hash")
def record_hash(view: Inspector) -> Iterator[Finding]:
    """All evidence ends in records: one that was changed makes every quote from it worthless.

    Each record is compared with its own hash, and the hashes with what the journal has of the
    ingest, so that a record cannot be exchanged together with its hash, taken out or slipped in.
    """
    for subject, what in view.record_hash_errors():
        hint = f"mem why {subject} --derived lists what rests on it; restore a copy of the store"
        yield Finding(
            code="I103",
            severity="error",
            subject=subject,
            message=what,
            hint=hint if subject.startswith("r") and subject != "records" else "restore a copy",
        )
