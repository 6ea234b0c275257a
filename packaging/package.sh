#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Packages of the last commit, into build-package/: ./dev package help
set -eu
cd "$(dirname "$0")/.."

out=$PWD/build-package
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
# Whatever bears a date bears that of the commit.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

usage()
{
	cat <<-'END'
	usage: ./dev package KIND

	  source  tracefind-VERSION.tar.gz, the same bytes whenever and wherever
	          it is made of a commit

	Packages are made of what is committed, into build-package/, whose files
	standard output names.
	END
}

# As git and gzip would add nothing of the day or of who calls them.
source_package()
{
	name=tracefind-$version
	git -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD |
		gzip -9n >"$out/$name.tar.gz"
	echo "$out/$name.tar.gz"
}

case ${1:-help} in
source) mkdir -p "$out"; source_package ;;
help|-h|--help) usage ;;
*) usage >&2; exit 2 ;;
esac
