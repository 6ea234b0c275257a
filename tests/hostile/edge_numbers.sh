#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# edge_numbers.py --all with a build of its own, that ends where a signed number
# overflows or arithmetic is not defined.
set -eu
cd "$(dirname "$0")/../.."
[ -f build-trap/build.ninja ] || CFLAGS='-O1 -ftrapv -fno-sanitize-recover=all' \
	meson setup build-trap --buildtype=plain -Db_sanitize=undefined \
	-Db_lundef=false -Dtests=disabled
ninja -C build-trap src/tracefind
exec python3 tests/hostile/edge_numbers.py build-trap/src/tracefind --all
