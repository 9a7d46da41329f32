"""What each embedder costs and keeps: the figures of memcli/gateway/measured.py.

`python -m tests.benchmarks.embedders [--embedder NAME]` prints one JSON object an embedder:
thresholds by gateway/calibration.py, CPU and memory, and what int8 loses against floats. An
embedder whose package is not installed is named and left out.
"""

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from operator import mul

from memcli.gateway.calibration import sentences, thresholds
from memcli.gateway.local import NAMES, lacking, local
from memcli.gateway.measured import MEASURED
from memcli.store import vectors
from tests.benchmarks.goal import chat

_TEXTS, _QUERIES, _K = 4_000, 100, 10
_SLOW = {"minilm-384": 8, "e5-384": 20}  # so many times fewer texts
# A child says its peak by itself: `ru_maxrss` it inherits from the process it was forked from.
_CHILD = (
    "import sys; from memcli.gateway.local import local; from tests.benchmarks.goal import chat;"
    "e = local(sys.argv[1]);"
    "run = (lambda: e.embed_query(['where does Ada live'])) if sys.argv[2] == '1'"
    " else (lambda: [None for _ in e.blocks(list(chat(int(sys.argv[2]))))]);"
    "run();"
    "from pathlib import Path;"
    "print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])"
)


def _peak_mb(name: str, texts: int) -> float:
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, name, str(texts)], capture_output=True, check=True, text=True
    )
    return round(int(done.stdout) / 1024, 1)


def _start_ms(name: str) -> float:
    """Wall time from nothing to the vector of one question, beside that of a bare process."""

    def taken(*command: str) -> float:
        begin = time.perf_counter()
        subprocess.run([sys.executable, *command], check=True, capture_output=True)
        return time.perf_counter() - begin

    whole = min(taken("-c", _CHILD, name, "1") for _ in range(5))
    bare = min(taken("-c", "from memcli.gateway.local import local") for _ in range(5))
    return round((whole - bare) * 1000, 1)


def _kept(made: Sequence[Sequence[float]], queries: Sequence[Sequence[float]], dtype: str) -> float:
    """The share of the ten nearest by floats that are among the ten nearest by int8."""
    stored = [vectors.decode(vectors.encode(one, dtype) or b"") for one in made]
    hits = 0
    for query in queries:
        rough = vectors.decode(vectors.encode(query, dtype) or b"")
        hits += len(_nearest(query, made) & _nearest(rough, stored))
    return round(hits / (_K * len(queries)), 4)


def _nearest(query: Sequence[float], made: Sequence[Sequence[float]]) -> set[int]:
    cosines = [sum(map(mul, query, one)) for one in made]
    return set(sorted(range(len(made)), key=lambda nth: -cosines[nth])[:_K])


def _off(made: Sequence[Sequence[float]], dtype: str) -> float:
    """How far a stored cosine is off, at most, among some pairs."""
    lots = random.Random(1)
    worst = 0.0
    for _ in range(2_000):
        one, other = lots.choice(made), lots.choice(made)
        left, right = (vectors.decode(vectors.encode(v, dtype) or b"") for v in (one, other))
        exact, kept = (sum(map(mul, *pair)) for pair in ((one, other), (left, right)))
        worst = max(worst, abs(exact - kept))
    return round(worst, 4)


def measure(name: str) -> dict[str, object]:
    """All figures of one embedder."""
    count = _TEXTS // _SLOW.get(name, 1)
    embedder = local(name)
    begin = time.process_time()
    embedder.embed_query(["where does Ada live"])
    first = time.process_time() - begin
    # Different texts: of equal ones which is among the nearest is a toss of a coin.
    texts = list(dict.fromkeys(chat(count * 3)))[: count + _QUERIES]
    asked = texts[count:]
    texts = texts[:count]
    begin = time.process_time()
    queries = [embedder.embed_query([text])[0] for text in asked]
    one = (time.process_time() - begin) / len(asked)
    begin = time.process_time()
    for _ in embedder.blocks(texts):
        pass
    many = (time.process_time() - begin) / count
    made = embedder.embed(texts)
    related, near = thresholds(embedder.embed(sentences()))
    known = MEASURED[name]
    return {
        "embedder": name,
        "dimensions": known.dimensions,
        "related": {"measured": related, "in_the_table": known.related},
        "near_duplicate": {"measured": near, "in_the_table": known.near_duplicate},
        "fusion": known.fusion,
        "texts": count,
        "characters": round(sum(map(len, texts)) / count),
        "cpu_us_a_text": round(many * 1e6, 1),
        "cpu_us_a_question": round(one * 1e6, 1),
        "cpu_ms_first_question": round(first * 1e3, 1),
        "wall_ms_first_question_in_a_process": _start_ms(name),
        "peak_mb_one_question": _peak_mb(name, 1),
        "peak_mb_texts": _peak_mb(name, count * 5 if name not in _SLOW else count),
        "int8_recall_at_10": {form: _kept(made, queries, form) for form in vectors.SCALES},
        "int8_cosine_off": {form: _off(made, form) for form in vectors.SCALES},
        "stored_as": embedder.dtype,
        "python": sys.version.split()[0],
    }


def main() -> None:
    """Print a line an embedder."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.embedders")
    parser.add_argument("--embedder", choices=NAMES)
    asked = parser.parse_args()
    for name in [asked.embedder] if asked.embedder else NAMES:
        missing = lacking(name)
        if missing is not None:
            print(json.dumps({"embedder": name, "lacking": missing}), flush=True)
        else:
            print(json.dumps(measure(name)), flush=True)


if __name__ == "__main__":
    main()
