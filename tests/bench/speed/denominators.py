"""What the product is measured against, as programs: the least that could do the same with the same parts."""

from __future__ import annotations

# Reads nothing but what a hybrid query needs: two tables, opened where the product keeps them, the bundled embedder
# for the question's vector, one full-text query and one nearest-neighbour query, and the texts of the best rows.
HYBRID_QUERY = """
import os, sys
os.environ["LANCE_LOG"] = "error"
import lance
claims, vectors, question = sys.argv[1:]
rows, near = lance.dataset(claims), lance.dataset(vectors)
from potpie_git.index.embedder import MiniLM
vector = MiniLM().embed_question(question)
columns = ["blob", "path", "card_digest", "payload"]
found = rows.scanner(
    columns=[*columns, "_score"], full_text_query={"query": question, "columns": ["card"]}, limit=100
).to_table().to_pylist()
nearest = near.scanner(
    columns=["card_digest", "_distance"],
    nearest={"column": "vector", "q": vector, "k": 100, "metric": "cosine", "nprobes": 32},
).to_table().to_pylist()
wanted = ", ".join("'" + row["card_digest"] + "'" for row in nearest)
more = rows.scanner(columns=columns, filter=f"card_digest IN ({wanted})").to_table().to_pylist()
scores = {row["path"]: row["_score"] / (row["_score"] + 25) / 2 for row in found}
cosines = {row["card_digest"]: 1 - row["_distance"] for row in nearest}
held = {row["path"]: row for row in [*found, *more]}
best = sorted(held, key=lambda path: -(scores.get(path, 0) + cosines.get(held[path]["card_digest"], 0)))[:20]
for path in best:
    print(path, held[path]["payload"])
"""

# The same with a vector that is there already: what is left is the interpreter, the reader and the queries.
GIVEN_VECTOR = HYBRID_QUERY.replace(
    "from potpie_git.index.embedder import MiniLM\nvector = MiniLM().embed_question(question)",
    "import numpy; vector = near.take([0], columns=['vector']).to_pydict()['vector'][0]",
)

# The libraries without which no command of this program can read a line of arguments or check a record.
START = "import typer, pydantic, yaml, filelock"
