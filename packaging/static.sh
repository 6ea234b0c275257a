#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The program as one file, with musl and all libraries in it: ./dev package static
#
# usage: static.sh TARBALL WORK RESULT [TARGET]
#   TARBALL  the program's sources, WORK a folder, where libraries that were built
#   are kept for the next time, RESULT the file to be made; beside it lies
#   RESULT.licenses, which goes with it: most of the libraries ask for that
#   TARGET   the architecture that it is for, as "aarch64"; else that of this machine
#
# Sources come from where each project releases them, and are used only if they are
# the pinned ones. SOURCES=FOLDER takes them from there, whatever the files are
# called, and asks no network.
set -eu

# Name, version, SHA-256, address.
pins='
zlib 1.3.1 9a93b2b7dfdac77ceba5a558a580e74667dd6fede4585b91eefb60f03b72df23 https://zlib.net/fossils/zlib-1.3.1.tar.gz
libdeflate 1.14 89e7df898c37c3427b0f39aadcf733731321a278771d20fc553f92da8d4808ac https://github.com/ebiggers/libdeflate/archive/refs/tags/v1.14.tar.gz
zstd 1.5.7 eb33e51f49a15e023950cd7825ca74a4a2b43db8354825ac24fc1b7ee09e6fa3 https://github.com/facebook/zstd/releases/download/v1.5.7/zstd-1.5.7.tar.gz
inih 61 7caf26a2202a4ca689df3fe4175dfa74e0faa18fcca07331bba934fd0ecb8f12 https://github.com/benhoyt/inih/archive/refs/tags/r61.tar.gz
jansson 2.14 5798d010e41cf8d76b66236cfb2f2543c8d082181d16bc3085ab49538d4b9929 https://github.com/akheron/jansson/releases/download/v2.14/jansson-2.14.tar.gz
libyaml 0.2.5 fa240dbf262be053f3898006d502d514936c818e422afdcf33921c63bed9bf2e https://github.com/yaml/libyaml/archive/refs/tags/0.2.5.tar.gz
utf8proc 2.11.3 abfed50b6d4da51345713661370290f4f4747263ee73dc90356299dfc7990c78 https://github.com/JuliaStrings/utf8proc/archive/refs/tags/v2.11.3.tar.gz
protobuf-c 1.5.1 20d1dc257da96f8ddff8be4dd9779215bbd0a6069ed53bbe9de38fa7629be06b https://github.com/protobuf-c/protobuf-c/releases/download/v1.5.1/protobuf-c-1.5.1.tar.gz
pcre2 10.42 c33b418e3b936ee3153de2c61cc638e7e4fe3156022a5c77d0711bcbb9d64f1f https://github.com/PCRE2Project/pcre2/releases/download/pcre2-10.42/pcre2-10.42.tar.gz
openssl 3.5.7 a8c0d28a529ca480f9f36cf5792e2cd21984552a3c8e4aa11a24aa31aeac98e8 https://github.com/openssl/openssl/releases/download/openssl-3.5.7/openssl-3.5.7.tar.gz
curl 8.21.0 d9b327997999045a24cda50f3983e69e51c516bd8be6ef9842fc7f99135e33bb https://curl.se/download/curl-8.21.0.tar.gz
'

say()
{
	printf '%s\n' "$*" >&2
}

die()
{
	say "$*"
	exit 1
}

[ $# = 3 ] || [ $# = 4 ] || die 'usage: static.sh TARBALL WORK RESULT [TARGET]'
tarball=$1 work=$2 result=$3 machine=$(uname -m)
target=${4:-$machine}
prefix=$work/prefix
headers=/usr/include/$(${HOST_CC:-cc} -print-multiarch 2>/dev/null || true)
tools= emulator= options= cc=${MUSL_CC:-}
if [ "$target" = "$machine" ]; then
	cc=${cc:-musl-gcc} how=musl-tools
else
	# Debian's cross compiler, with musl of that architecture beside it.
	tools=$target-linux-gnu- emulator=qemu-$target-static
	headers=/usr/$target-linux-gnu/include
	how="gcc-$target-linux-gnu qemu-user-static"
	[ -n "$cc" ] || {
		specs=/usr/lib/$target-linux-musl/musl-gcc.specs
		[ -f "$specs" ] || die "no $specs: install musl-dev of that architecture (docs/install.md)"
		cc=${tools}gcc options=-specs=$specs
	}
fi
for program in "$cc" "${tools}ar" ${emulator:-} meson ninja perl make protoc-c sha256sum; do
	command -v "$program" >/dev/null 2>&1 || die \
		"no $program: apt-get install $how meson ninja-build perl make protobuf-c-compiler"
done
mkdir -p "$work/sources" "$work/logs" "$prefix/include" "$prefix/lib/pkgconfig"

# musl has no headers of the kernel; those of this machine, and nothing beside them.
kernel=$work/kernel
mkdir -p "$kernel"
for name in linux asm-generic mtd; do
	ln -sfn "/usr/include/$name" "$kernel/$name"
done
asm=$headers/asm
[ -d "$asm" ] || asm=/usr/include/asm
[ -d "$asm" ] || die 'no headers of the kernel: apt-get install linux-libc-dev'
ln -sfn "$asm" "$kernel/asm"

# Some libraries keep the options that they were compiled with: none of those may
# name a folder of this machine, so that these are the compiler's own.
mkdir -p "$work/bin"
cat >"$work/bin/static-cc" <<END
#!/bin/sh
exec $cc $options -idirafter '$kernel' '-ffile-prefix-map=$work=.' "\$@"
END
chmod +x "$work/bin/static-cc"
PATH=$work/bin:$PATH
cc=static-cc
flags='-O2 -fno-strict-overflow -fstack-protector-strong -ffunction-sections -fdata-sections'

is_pinned()
{
	[ -f "$2" ] && [ "$(sha256sum <"$2")" = "$1  -" ]
}

# NAME VERSION SHA256 ADDRESS: the tarball, into sources/NAME-VERSION.
fetch()
{
	file=$work/sources/$1-$2
	! is_pinned "$3" "$file" || return 0
	if [ -n "${SOURCES:-}" ]; then
		for candidate in "$SOURCES"/*; do
			is_pinned "$3" "$candidate" || continue
			cp "$candidate" "$file"
			return 0
		done
		die "$SOURCES: no file there is $1 $2 (SHA-256 $3): put there what $4 gives"
	fi
	command -v curl >/dev/null 2>&1 || die 'no curl: apt-get install curl, or SOURCES=FOLDER'
	curl -fsSL --proto '=https' --connect-timeout 20 --retry 2 -o "$file.part" "$4" ||
		die "$4: cannot be fetched; without a network, SOURCES=FOLDER names a folder with it"
	is_pinned "$3" "$file.part" ||
		die "$4: is not $1 $2, whose SHA-256 is $3; what was fetched is $file.part"
	mv "$file.part" "$file"
}

# NAME VERSION COMMAND: unpacks, and runs the command there, once.
build()
{
	stamp=$prefix/built-$1-$2
	[ ! -f "$stamp" ] || return 0
	say "building $1 $2"
	rm -rf "$work/src/$1"
	mkdir -p "$work/src/$1"
	tar xf "$work/sources/$1-$2" -C "$work/src/$1" --strip-components=1
	# Behind "||" no step would end it that fails.
	set +e
	(set -e; cd "$work/src/$1"; "$3" "$2") >"$work/logs/$1" 2>&1
	status=$?
	set -e
	[ "$status" = 0 ] || {
		tail -n 20 "$work/logs/$1" >&2
		die "$1 $2: cannot be built; the log is $work/logs/$1"
	}
	: >"$stamp"
}

# NAME FLAGS FILE...: a library of a few files, whose own way to be built asks for
# more tools than the files do.
archive()
{
	name=$1 own=$2
	shift 2
	objects=
	for source in "$@"; do
		object=$(echo "$source" | tr / _).o
		"$cc" $flags $own -c "$source" -o "$object"
		objects="$objects $object"
	done
	rm -f "$prefix/lib/lib$name.a"
	"${tools}ar" rcs "$prefix/lib/lib$name.a" $objects
}

# MODULE VERSION LIBRARY: for pkg-config.
describe()
{
	cat >"$prefix/lib/pkgconfig/$1.pc" <<-END
	Name: $1
	Description: $1
	Version: $2
	Cflags: -I$prefix/include
	Libs: -L$prefix/lib -l$3
	END
}

build_zlib()
{
	CC=$cc CFLAGS=$flags AR=${tools}ar RANLIB=${tools}ranlib ./configure --static --prefix="$prefix"
	make -j"$jobs" install
}

build_libdeflate()
{
	archive deflate -I. lib/*.c lib/*/*.c
	cp libdeflate.h "$prefix/include"
	describe libdeflate "$1" deflate
}

# Without the parts that pack; and those in assembler need a preprocessor's flags.
build_zstd()
{
	cd lib
	archive zstd '-I. -Icommon -DZSTD_DISABLE_ASM' common/*.c decompress/*.c
	cp zstd.h zstd_errors.h "$prefix/include"
	describe libzstd "$1" zstd
}

build_inih()
{
	archive inih '' ini.c
	cp ini.h "$prefix/include"
	describe inih "$1" inih
}

build_jansson()
{
	./configure CC="$cc" CFLAGS="$flags" $host --prefix="$prefix" --disable-shared \
		--disable-dependency-tracking
	make -j"$jobs" -C src install
	make install-pkgconfigDATA
}

build_libyaml()
{
	major=${1%%.*} rest=${1#*.}
	minor=${rest%%.*} patch=${rest#*.}
	archive yaml "-Iinclude -DYAML_VERSION_STRING=\"$1\" -DYAML_VERSION_MAJOR=$major
		-DYAML_VERSION_MINOR=$minor -DYAML_VERSION_PATCH=$patch" src/*.c
	cp include/yaml.h "$prefix/include"
	describe yaml-0.1 "$1" yaml
}

build_utf8proc()
{
	archive utf8proc -DUTF8PROC_STATIC utf8proc.c
	cp utf8proc.h "$prefix/include"
	describe libutf8proc "$1" utf8proc
}

build_protobuf_c()
{
	archive protobuf-c -I. protobuf-c/protobuf-c.c
	mkdir -p "$prefix/include/protobuf-c"
	cp protobuf-c/protobuf-c.h "$prefix/include/protobuf-c"
	describe libprotobuf-c "$1" protobuf-c
}

build_pcre2()
{
	./configure CC="$cc" CFLAGS="$flags" $host --prefix="$prefix" --disable-shared \
		--disable-dependency-tracking
	make -j"$jobs" install-libLTLIBRARIES install-nodist_includeHEADERS \
		install-pkgconfigDATA libpcre2-8.la
}

# It keeps the prefix it is built for, which is no folder of this machine.
# Certificates are looked for where the machine has them (curl below), and by
# SSL_CERT_FILE and SSL_CERT_DIR.
build_openssl()
{
	CC=$cc AR=${tools}ar RANLIB=${tools}ranlib CFLAGS="$flags" \
		./Configure "linux-$target" --prefix=/usr \
		--libdir=lib --openssldir=/etc/ssl no-shared no-module no-dso \
		no-engine no-afalgeng no-ktls no-async no-legacy no-tests no-apps \
		no-docs no-comp no-ssl3 no-tls1 no-tls1_1 no-dtls no-srp no-psk \
		no-gost no-idea no-seed no-rc2 no-rc4 no-md4 no-mdc2 no-whirlpool \
		no-camellia no-aria no-bf no-cast no-sm2 no-sm3 no-sm4 no-cms no-ts \
		no-ct no-ocsp no-cmp no-quic no-winstore
	make -j"$jobs" build_libs
	make install_dev DESTDIR="$PWD/installed"
	cp -R installed/usr/include/openssl "$prefix/include"
	cp installed/usr/lib/*.a "$prefix/lib"
	describe libcrypto "$1" crypto
	describe libssl "$1" 'ssl -lcrypto'
	describe openssl "$1" 'ssl -lcrypto'
}

build_curl()
{
	PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig ./configure CC="$cc" $host \
		CFLAGS="$flags" LDFLAGS=-static --prefix="$prefix" \
		--disable-shared --enable-static --disable-dependency-tracking \
		--with-openssl="$prefix" --with-zlib="$prefix" \
		--without-ca-bundle --without-ca-path --with-ca-fallback \
		--without-brotli --without-zstd --without-libpsl --without-libidn2 \
		--without-nghttp2 --without-libssh2 --without-librtmp \
		--without-libgsasl --disable-dict --disable-file --disable-ftp \
		--disable-gopher --disable-imap --disable-ldap --disable-ldaps \
		--disable-mqtt --disable-pop3 --disable-rtsp --disable-smb \
		--disable-smtp --disable-telnet --disable-tftp --disable-ipfs \
		--disable-websockets --disable-manual --disable-docs --disable-ntlm \
		--disable-unix-sockets --disable-libcurl-option
	make -j"$jobs" -C lib install-libLTLIBRARIES
	make -C include install
	make install-pkgconfigDATA
}

host=${tools:+--host=$target-linux-gnu}
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
jobs=${JOBS:-$jobs}
echo "$pins" | while read -r name version sha256 address; do
	[ -z "$name" ] || fetch "$name" "$version" "$sha256" "$address"
done
echo "$pins" | while read -r name version rest; do
	[ -z "$name" ] ||
		build "$name" "$version" "build_$(echo "$name" | tr - _)" </dev/null
done

# For meson: what makes programs of another architecture, and what runs them.
cross=
[ -z "$tools" ] || {
	cross="--cross-file $work/target.ini"
	cat >"$work/target.ini" <<-END
	[binaries]
	c = '$cc'
	ar = '${tools}gcc-ar'
	pkgconfig = 'pkg-config'
	exe_wrapper = '$emulator'

	[properties]
	pkg_config_libdir = '$prefix/lib/pkgconfig'

	[host_machine]
	system = 'linux'
	cpu_family = '$target'
	cpu = '$target'
	endian = 'little'
	END
}

say 'building the program'
rm -rf "$work/program"
mkdir -p "$work/program"
tar xf "$tarball" -C "$work/program" --strip-components=1
set +e
(
	set -e
	cd "$work/program"
	# Of no library of this machine.
	unset PKG_CONFIG_PATH
	export PKG_CONFIG_LIBDIR="$prefix/lib/pkgconfig"
	CC=$cc LDFLAGS='-static -Wl,--gc-sections' \
		meson setup build $cross --buildtype=release -Db_lto=true -Db_pie=false \
		-Dprefer_static=true -Dlazy=false -Disal=disabled \
		-Dlibcrypto=enabled -Dlibstdcxx=disabled -Dinteractive=disabled -Dman=disabled \
		-Dtests=disabled
	ninja -C build ${JOBS:+-j"$JOBS"} src/tracefind
	"${tools}strip" -o "$result" build/src/tracefind
) >"$work/logs/program" 2>&1
status=$?
set -e
[ "$status" = 0 ] || {
	tail -n 30 "$work/logs/program" >&2
	die "the log is $work/logs/program"
}

# NAME VERSION: its licence, which lies on top of its sources.
license()
{
	file=$(tar tf "$work/sources/$1-$2" | grep -iE '^[^/]+/licen[cs]e(\.(txt|md))?$' ||
		tar tf "$work/sources/$1-$2" | grep -E '^[^/]+/COPYING$') ||
		die "$1 $2: has no licence"
	printf '==== %s %s ====\n\n' "$1" "$2"
	tar xOf "$work/sources/$1-$2" "$(echo "$file" | head -n 1)"
	echo
}

say 'collecting licences'
{
	printf '==== tracefind ====\n\n'
	cat "$work/program/LICENSE"
	echo
	echo "$pins" | while read -r name version rest; do
		[ -z "$name" ] || license "$name" "$version"
	done
	# Of the C library; https://musl.libc.org has the same.
	[ ! -f /usr/share/doc/musl/copyright ] || {
		printf '==== musl ====\n\n'
		cat /usr/share/doc/musl/copyright
	}
} >"$result.licenses"

# It is what it says: nothing loads it, and it knows no folder of this machine.
! readelf -l "$result" | grep -q INTERP || die "$result: needs a loader"
! grep -qF "$work" "$result" || die "$result: names $work"
$emulator "$result" --version >/dev/null
