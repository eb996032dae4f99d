#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Shell completion offers commands, options, formats and names of the catalog; it makes nothing.
set -uo pipefail
PATH=$(dirname "$CALVE"):$PATH
# shellcheck source=/dev/null
source "$CALVE_SOURCE/packaging/calve.bash-completion"
compopt() { :; } # there is no command line here that it could change
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
calve -w "$root/w" -q sql "CREATE NAMESPACE sales; CREATE TABLE sales.orders (id BIGINT);
  CREATE TABLE sales.owners (id BIGINT)"
passed=0
failed=0

# offers EXPECTED WORD…: what is offered for the last word of this command line.
offers() {
  local expected=$1 got
  shift
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  _calve
  got=$(printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ')
  if [ "${got% }" = "$expected" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: ${*@Q} offers '${got% }', expected '$expected'"
  fi
}

cd "$root" || exit 1
offers "describe" calve d
offers "cache describe help ls plan sql" calve ""
offers "--read-only" calve --rea
offers "csv" calve --format c
offers "--where --why" calve plan --wh
offers "" calve -w "$root/none" ls ""
offers "sales" calve -w "$root/w" ls ""
offers "sales.orders sales.owners" calve -w "$root/w" describe sales.o
offers "sales." calve -w "$root/w" describe s
# Every option that the help names is offered.
options=$(for command in "" sql plan; do calve $command --help; done | grep -oE ' --?[a-z-]+\b')
for option in $options; do
  case $option in
    -f) command=sql ;;
    --where | --snapshot | --ref | --at | --from-snapshot | --to-snapshot | --limit) command=plan ;;
    --count | --explain | --groups | --why) command=plan ;;
    *) command=describe ;;
  esac
  COMP_WORDS=(calve $command "$option") COMP_CWORD=2 COMPREPLY=()
  _calve
  offered=" ${COMPREPLY[*]} "
  [ "${offered/ $option /}" != "$offered" ] && passed=$((passed + 1)) && continue
  failed=$((failed + 1))
  echo "FAILED: calve $command does not offer $option"
done
[ ! -e "$root/none" ] || { echo "FAILED: completion made a warehouse" && failed=$((failed + 1)); }
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
