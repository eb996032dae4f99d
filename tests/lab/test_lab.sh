#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The lab of `make demo`, in a folder of its own: each of its checks is a case.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$CALVE_SOURCE/examples/lab/run.sh" "$folder/lab"
