#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The flights example in a folder of its own: each of its checks is a case.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$CALVE_SOURCE/tools/python-env" run "$CALVE_SOURCE/examples/flights/run.py" "$folder/flights"
