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
	deb     of Debian and its kin, checked by lintian if that is there

	Packages are made of what is committed, into build-package/, whose files
	standard output names.
	END
}

say()
{
	printf '%s\n' "$*" >&2
}

# PROGRAM PACKAGE: what is needed, and of which package of Debian it is.
need()
{
	command -v "$1" >/dev/null 2>&1 || {
		say "no $1: apt-get install $2"
		exit 1
	}
}

# As git and gzip would add nothing of the day or of who calls them.
source_package()
{
	name=tracefind-$version
	git -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD |
		gzip -9n >"$out/$name.tar.gz"
	echo "$out/$name.tar.gz"
}

# FOLDER: the tarball unpacked into an empty folder.
unpacked()
{
	rm -rf "$1"
	mkdir -p "$1"
	tar xzf "$out/tracefind-$version.tar.gz" -C "$1" --strip-components=1
}

deb_package()
{
	need dpkg-buildpackage dpkg-dev
	need dh debhelper
	source_package >/dev/null
	work=$out/deb
	rm -rf "$work"
	unpacked "$work/tracefind"
	cp "$out/tracefind-$version.tar.gz" "$work/tracefind_$version.orig.tar.gz"
	cp -R packaging/debian "$work/tracefind"
	(cd "$work/tracefind" && dpkg-buildpackage --no-sign) >"$work/log" 2>&1 || {
		tail -n 30 "$work/log" >&2
		exit 1
	}
	! command -v lintian >/dev/null 2>&1 ||
		(cd "$work" && lintian --allow-root --fail-on=error,warning \
			--tag-display-limit=0 ./*.changes >&2)
	ls "$work"/*.deb
}

kind=${1:-help}
case $kind in
source|deb) mkdir -p "$out"; "${kind}_package" ;;
help|-h|--help) usage ;;
*) usage >&2; exit 2 ;;
esac
