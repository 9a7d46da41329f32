"""Conversations kept as trees of messages, as chat services export them (formats.md, section 5).

What was regenerated or edited stays in the export, as a branch beside the one on show.
"""

from collections.abc import Mapping
from typing import Literal

from memcli.kit.tree import components, way_up

# Where no leaf is named: the leaf that was written last, or the last child at each fork.
Pick = Literal["newest-leaf", "last-child"]


def arrange(
    parents: Mapping[str, str | None],
    times: Mapping[str, str],
    leaf: str | None,
    pick: Pick,
) -> list[tuple[str, bool]]:
    """All messages in the order of the conversation, each with whether it is on the branch shown.

    `parents` is in the order of the file; `times` are comparable as text, empty or not there where
    none is known. At a fork the branches that were left come first, oldest first. A parent that is
    no key was never written: its child counts as a root, and each connected group has a branch of
    its own, so that nothing is lost; groups stand in the order in which they began. A group with a
    cycle is taken as a whole, in the order of the file.
    """
    linked = {key: parent if parent in parents else None for key, parent in parents.items()}
    place = {key: number for number, key in enumerate(linked)}
    found: list[tuple[str, bool]] = []
    # A file may list its messages by id: pieces stand as they began, then as they are listed.
    groups = components(linked)
    groups.sort(
        key=lambda group: min((said for key in group if (said := times.get(key))), default="")
    )
    for group in groups:
        root = next((key for key in group if linked[key] is None), None)
        if root is None:
            found += [(key, True) for key in group]
            continue
        children: dict[str, list[str]] = {}
        for key in sorted(group, key=lambda key: (times.get(key, ""), place[key])):
            parent = linked[key]
            if parent is not None:
                children.setdefault(parent, []).append(key)
        end = leaf if leaf in place and leaf in group else _pick(root, children, times, place, pick)
        path, _ = way_up(end, linked)
        found += _in_order(root, children, set(path))
    return found


def _pick(
    root: str,
    children: Mapping[str, list[str]],
    times: Mapping[str, str],
    place: Mapping[str, int],
    pick: Pick,
) -> str:
    if pick == "last-child":
        while root in children:
            root = children[root][-1]
        return root
    best, newest = root, ("", -1)
    # A message without a time is as old as the one it answers.
    waiting = [(root, "")]
    while waiting:
        key, before = waiting.pop()
        said_at = times.get(key) or before
        if key not in children and (said_at, place[key]) > newest:
            best, newest = key, (said_at, place[key])
        waiting += [(child, said_at) for child in children.get(key, ())]
    return best


def _in_order(
    root: str, children: Mapping[str, list[str]], shown: set[str]
) -> list[tuple[str, bool]]:
    found, waiting = [], [root]
    while waiting:
        key = waiting.pop()
        found.append((key, key in shown))
        next_up = children.get(key, [])
        # The last one pushed is the first one out: what is shown comes after what was left.
        waiting += [child for child in next_up if child in shown]
        waiting += [child for child in reversed(next_up) if child not in shown]
    return found
