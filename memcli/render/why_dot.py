"""A provenance tree as Graphviz text. Labels are plain strings: no HTML, nothing interpreted."""

from collections.abc import Iterator

from memcli.core.reports import WhyNode
from memcli.render.text import brief, safe, when
from memcli.render.why import is_record, nodes

_WIDTH = 40  # letters a line of a label


def as_dot(root: WhyNode, *, derived: bool = False) -> str:
    """A digraph; edges run from a memory to what it rests on."""
    out = [
        "digraph why {",
        '  rankdir="LR";',
        '  node [shape="box", style="rounded", fontname="sans-serif", fontsize="10"];',
        '  edge [fontname="sans-serif", fontsize="9", color="gray40"];',
    ]
    out += dict.fromkeys(_node(node) for node in nodes(root) if not node.seen_before)
    out += dict.fromkeys(_edges(root, derived))
    return "\n".join([*out, "}"]) + "\n"


def _node(node: WhyNode) -> str:
    facts = [part for part in (node.kind, node.speaker, node.strategy) if part]
    if is_record(node):
        facts.append(when(node.said_at))
    label = [f"{node.id}  {', '.join(facts)}", *_wrap(brief(node.text, 160))]
    shape = ', style="filled", fillcolor="gray95"' if is_record(node) else ""
    return f"  {_string([node.id])} [label={_string(label)}{shape}];"


def _edges(root: WhyNode, derived: bool) -> Iterator[str]:
    for node in nodes(root):
        for child in node.children:
            ends = (child, node) if derived else (node, child)
            quote = child.quotes[0].text if child.quotes and not derived else ""
            label = f" [label={_string(_wrap(f'“{brief(quote, 60)}”'))}]" if quote else ""
            yield f"  {_string([ends[0].id])} -> {_string([ends[1].id])}{label};"


def _string(lines: list[str]) -> str:
    r"""A DOT string: quotes and backslashes escaped, else `\N` and its like would be read."""
    text = [safe(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return '"' + "\\n".join(text) + '"'


def _wrap(text: str) -> list[str]:
    out = [""]
    for word in text.split():
        if out[-1] and len(out[-1]) + 1 + len(word) > _WIDTH:
            out.append(word)
        else:
            out[-1] = f"{out[-1]} {word}" if out[-1] else word
    return out
