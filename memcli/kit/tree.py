"""Trees of messages as files hold them: with lost parents, several roots and cycles.

Loops and visited sets throughout: a recursive walk dies near depth 1,000, and a re-used id made
other programs run for ever (anthropics/claude-code#22245, #22178).
"""

from collections.abc import Mapping

from memcli.core.values import dataclass


def way_up(leaf: str, parents: Mapping[str, str | None]) -> tuple[list[str], bool]:
    """The nodes from `leaf` to its root, and whether a cycle ended the walk.

    A parent that is no key of `parents` was never written: its child counts as a root.
    """
    path: dict[str, None] = {}
    node: str | None = leaf
    while node is not None and node in parents:
        if node in path:
            return list(path), True
        path[node] = None
        node = parents[node]
    return list(path), False


def components(parents: Mapping[str, str | None]) -> list[list[str]]:
    """The nodes in connected groups; nodes and groups in the order of `parents`."""
    leader = {node: node for node in parents}

    def find(node: str) -> str:
        while leader[node] != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    for node, parent in parents.items():
        if parent is not None and parent in leader:
            leader[find(node)] = find(parent)
    groups: dict[str, list[str]] = {}
    for node in parents:
        groups.setdefault(find(node), []).append(node)
    return list(groups.values())


@dataclass(slots=True)
class Node:
    """A line or message in a tree.

    `speaks`: a prompt or an answer, so the conversation can stand there. `message`: the id that
    the parts of one streamed message share. `calls`, `answers`: ids of tool calls it makes, and
    of those it gives results to.
    """

    parent: str | None
    speaks: bool = True
    message: str | None = None
    calls: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


def active(nodes: Mapping[str, Node]) -> set[str]:
    """The nodes on the active branch, where `nodes` are in the order in which they were written.

    In each connected group: the way up from the last node that speaks and that nothing spoken
    follows, so that within one branch the lines may stand in any order; with the other parts of
    the messages on it and the results of their calls. Parallel calls put those beside the way,
    where taking the way alone loses them (anthropics/claude-code#37779). A group with a cycle,
    or in which nobody speaks, is active as a whole; so are several roots: nothing is lost.
    """
    parents = {name: node.parent for name, node in nodes.items()}
    found: set[str] = set()
    for group in components(parents):
        last = _last_spoken(group, nodes)
        way, cycle = (group, True) if last is None else way_up(last, parents)
        found.update(group if cycle else _with_companions(way, group, nodes))
    return found


def _last_spoken(group: list[str], nodes: Mapping[str, Node]) -> str | None:
    """The last node of a group that speaks, of those that no other speaks below."""
    speaking = [name for name in group if nodes[name].speaks]
    above: set[str] = set()
    for name in speaking:
        parent = nodes[name].parent
        while parent is not None and parent in nodes and parent not in above:
            above.add(parent)
            parent = nodes[parent].parent
    return next((name for name in reversed(speaking) if name not in above), None)


def _with_companions(way: list[str], group: list[str], nodes: Mapping[str, Node]) -> set[str]:
    by_message: dict[str, list[str]] = {}
    by_call: dict[str, list[str]] = {}
    for name in group:
        message = nodes[name].message
        if message is not None:
            by_message.setdefault(message, []).append(name)
        for call in nodes[name].answers:
            by_call.setdefault(call, []).append(name)
    found, waiting = set(way), list(way)
    while waiting:
        node = nodes[waiting.pop()]
        # Each group is asked for once: thousands of lines may share one id.
        near = by_message.pop(node.message, []) if node.message is not None else []
        for name in [*near, *(name for call in node.calls for name in by_call.pop(call, ()))]:
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found
