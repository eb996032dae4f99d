#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Seeds of fuzz_manifest: manifests and lists of the vectors, into folder $1.
set -euo pipefail
cp "$(dirname "$0")"/../../vectors/manifests/*.avro "$1/"
