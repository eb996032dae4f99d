#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Seeds of fuzz_schema: schemas, specs and sort orders of the metadata vectors, into folder $1.
set -euo pipefail
vectors=$(dirname "$0")/../../vectors/metadata
python3 - "$vectors" "$1" <<'PYTHON'
import json, pathlib, sys
seen = set()
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
    try:
        table = json.loads(path.read_text())
        parts = sum((table.get(k, []) for k in ("schemas", "partition-specs", "sort-orders")), [])
    except (ValueError, AttributeError, TypeError):
        continue
    text = "\n".join(json.dumps(part, separators=(",", ":")) for part in parts)
    if text and text not in seen:
        seen.add(text)
        pathlib.Path(sys.argv[2], str(len(seen))).write_text(text)
    if len(seen) == 60:
        break
PYTHON
