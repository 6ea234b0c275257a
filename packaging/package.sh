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

	  source    tracefind-VERSION.tar.gz, the same bytes whenever and wherever
	            it is made of a commit
	  deb       of Debian and its kin, checked by lintian if that is there
	  rpm       of Fedora and its kin; elsewhere than there, libraries are those
	            that the machine has
	  portable  tracefind-VERSION-ARCHITECTURE.tar.gz, a folder like /usr/local
	            of a program that needs the C library of this machine or a newer
	            one; and libcurl, libcrypto, libzstd, ncurses and the C++ runtime only
	            when a run does
	  static    tracefind-VERSION-ARCHITECTURE-static, one file that runs on any
	            Linux of this architecture, with musl (musl-tools) and all
	            libraries in it, whose sources are fetched; SOURCES=FOLDER takes
	            those that lie there. Without --interactive. TARGET=aarch64 makes
	            that of 64-bit ARM, with Debian's cross compiler, qemu-user-static
	            and musl-dev:arm64
	  image     an OCI image by packaging/Containerfile, with podman or buildah
	  release   source, deb, rpm, portable and static, as far as this machine
	            has what they need, and their SHA-256 in SHA256SUMS
	  sbom      a bill of materials, SPDX 2.3 in JSON, of the build in build/

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
	git -c tar.umask=0022 archive --format=tar --prefix="tracefind-$version/" \
		HEAD | gzip -9n >"$out/tracefind-$version.tar.gz"
	echo "$out/tracefind-$version.tar.gz"
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
	need dpkg-buildpackage debhelper
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

rpm_package()
{
	need rpmbuild rpm
	source_package >/dev/null
	work=$out/rpm
	rm -rf "$work"
	mkdir -p "$work"
	# Debian's rpm knows no package of Debian.
	rpmbuild -bb --nodeps --define "_topdir $work" --define "_sourcedir $out" \
		packaging/tracefind.spec >"$work/log" 2>&1 || {
		tail -n 30 "$work/log" >&2
		exit 1
	}
	! command -v rpmlint >/dev/null 2>&1 ||
		rpmlint packaging/tracefind.spec "$work"/RPMS/*/*.rpm >&2
	ls "$work"/RPMS/*/*.rpm
}

# Static libraries but for the C library, which the loaded ones share. ISA-L has
# none in Debian.
portable_package()
{
	name=tracefind-$version-$(uname -m)
	source_package >/dev/null
	work=$out/portable
	unpacked "$work/src"
	(
		cd "$work/src"
		meson setup build --buildtype=release -Db_lto=true --prefix=/ \
			-Dprefer_static=true -Disal=disabled -Dtests=disabled
		ninja -C build
		DESTDIR=$work/$name meson install -C build --no-rebuild --strip
	) >"$work/log" 2>&1 || {
		tail -n 30 "$work/log" >&2
		exit 1
	}
	tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner \
		--mtime="@$SOURCE_DATE_EPOCH" --mode=u+w,go-w -cf - "$name" |
		gzip -9n >"$out/$name.tar.gz"
	echo "$out/$name.tar.gz"
}

static_package()
{
	target=${TARGET:-$(uname -m)}
	name=tracefind-$version-$target-static
	source_package >/dev/null
	packaging/static.sh "$out/tracefind-$version.tar.gz" "$out/static-$target" \
		"$out/$name" "$target"
	ls "$out/$name" "$out/$name.licenses"
}

image_package()
{
	tool=$(command -v podman || command -v buildah) || {
		say 'no podman and no buildah: apt-get install podman'
		exit 1
	}
	source_package >/dev/null
	unpacked "$out/image"
	"$tool" build ${BASE:+--build-arg "BASE=$BASE"} -t "tracefind:$version" \
		-f packaging/Containerfile "$out/image" >&2
	echo "tracefind:$version"
}

sbom_package()
{
	python3 packaging/sbom.py build >"$out/tracefind-$version.spdx.json"
	echo "$out/tracefind-$version.spdx.json"
}

# Who cannot be made here is told, and missing in the list.
release_package()
{
	mkdir -p "$out/release"
	rm -f "$out"/release/*
	for each in source deb rpm portable static; do
		files=$("$0" "$each") || {
			say "no $each: see above"
			continue
		}
		for file in $files; do
			[ ! -f "$file" ] || cp "$file" "$out/release/"
		done
	done
	(cd "$out/release" && sha256sum -- *) >"$out/SHA256SUMS"
	mv "$out/SHA256SUMS" "$out/release/"
	ls "$out"/release/*
}

kind=${1:-help}
case $kind in
source|deb|rpm|portable|static|image|release|sbom) mkdir -p "$out"; "${kind}_package" ;;
help|-h|--help) usage ;;
*) usage >&2; exit 2 ;;
esac
