#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the peer programs whose libraries the interop tests do not bring, in ~/.cache/calve, and
# prints the program's path:
#   bench/peers/install.sh go|rust
# Needs go (1.25 or later) or cargo (1.94 or later). Versions of the libraries: go/go.mod and
# rust/Cargo.toml. Built once for each content of these folders; the Rust one takes some minutes.
set -euo pipefail
peer=$1
here=$(cd "$(dirname "$0")" && pwd)
stamp=$(cd "$here/$peer" && cat $(find . -type f | sort) | sha256sum | cut -c1-12)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/calve/plan-peer-$peer-$stamp
if [ ! -x "$folder/plan-peer" ]; then
  work=$folder.$$
  mkdir -p "$work"
  trap 'rm -rf "$work"' EXIT
  cp -r "$here/$peer/." "$work"
  case $peer in
    go)
      command -v go >/dev/null || { echo "go is missing" >&2; exit 77; }
      (cd "$work" && go mod tidy && go build -o plan-peer .) >&2
      ;;
    rust)
      command -v cargo >/dev/null || { echo "cargo is missing" >&2; exit 77; }
      (cd "$work" && CARGO_TARGET_DIR="$work/target" cargo build --release) >&2
      mv "$work/target/release/plan-peer" "$work"
      rm -rf "$work/target"
      ;;
    *)
      echo "usage: install.sh go|rust" >&2
      exit 2
      ;;
  esac
  rm -rf "$folder"
  mv "$work" "$folder"
fi
echo "$folder/plan-peer"
