"""Is a file on a network file system? WAL needs memory shared by all who open the file.

On NFS, SMB and their like that memory is not shared between machines, and writers would damage
the store. There the TRUNCATE journal is used under an exclusive lock: slower, and one at a time.
"""

import os
import re
from pathlib import Path

NETWORK = frozenset(
    [
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "smb2",
        "lustre",
        "gpfs",
        "ceph",
        "glusterfs",
        "beegfs",
        "afs",
        "9p",
        "fuse.sshfs",
        "fuse.glusterfs",
        "fuse.s3fs",
        "fuse.rclone",
    ]
)
_MOUNTS = Path("/proc/self/mountinfo")
_ESCAPE = re.compile(r"\\([0-7]{3})")


def network_type(path: Path, mounts: Path = _MOUNTS) -> str | None:
    """The type of the network file system that `path` lies on; None on a local one.

    Only Linux tells; elsewhere the answer is None.
    """
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    place, best, found = os.path.realpath(path), -1, None
    for line in lines:
        before, _, after = line.partition(" - ")
        parts, kind = before.split(" "), after.split(" ")[0]
        if len(parts) < 5:
            continue
        # Blanks and the like are written as octal numbers.
        point = _ESCAPE.sub(lambda octal: chr(int(octal[1], 8)), parts[4])
        inside = place == point or place.startswith(point.rstrip("/") + "/")
        # Of mounts at one point the last one covers the others.
        if inside and len(point) >= best:
            best, found = len(point), kind
    return found if found in NETWORK else None
