#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Seeds of fuzz_metadata: the metadata files of the vectors.
set -euo pipefail
cd "$(dirname "$0")/../../.."
for file in tests/vectors/metadata/*.json; do
  cp "$file" "$1/"
done
