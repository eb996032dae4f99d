#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Every golden case gives the same bytes with a planning cache, and the cache was used.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CALVE_PLAN_CACHE=$folder/cache
mapfile -t cases < <(cd "$source/tests/golden" &&
  ls -d */ | tr -d / | grep -v -e '^cache$' -e __pycache__)
"$source/tests/golden/test_golden.py" "${cases[@]}"
files=$(find "$CALVE_PLAN_CACHE" -name '*.image' | wc -l)
if [ "$files" -lt 20 ]; then
  echo "the cache holds $files files only"
  exit 1
fi
