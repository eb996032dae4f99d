# SPDX-License-Identifier: Apache-2.0
calve -w w --format csv sql -f walks.sql
