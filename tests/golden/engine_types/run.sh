# SPDX-License-Identifier: Apache-2.0
for format in table csv json; do
  echo "--- $format"
  calve -w w --format $format sql -f in.sql
done
