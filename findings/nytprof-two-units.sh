#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    Devel::NYTProf 6.12 (Debian 12: libdevel-nytprof-perl 6.12+dfsg-1)
# Source:  nytprofcalls and nytprofcg of the distribution, "ticks_per_sec" in
#          Devel::NYTProf::Data
# Guess:   the folded stacks of nytprofcalls and the callgrind file of nytprofcg, made
#          of one file and both in "ticks", have one unit, and it is the microsecond.
# Seen:    a sleep of half a second is 5,000,000 in the first and 500,000 in the second:
#          folded stacks come in tenths of a microsecond, callgrind in microseconds, and
#          neither file says so ("events: Ticks").
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
chmod 755 .
apt-get -qq download libdevel-nytprof-perl=6.12+dfsg-1 2>/dev/null
dpkg-deb -x libdevel-nytprof-perl_*.deb root
PERL5LIB=$(echo "$tmp"/root/usr/lib/*/perl5/5.*)
export PERL5LIB
cat >work.pl <<'PL'
sub nap { select undef, undef, undef, 0.5 }
nap();
PL
NYTPROF=file=run.out perl -d:NYTProf work.pl
perl root/usr/bin/nytprofcg -f run.out -o run.callgrind >/dev/null
folded=$(perl root/usr/bin/nytprofcalls run.out | awk '/sselect/ { print $NF }')
callgrind=$(awk '/^fn=.*sselect/ { getline; print $2; exit }' run.callgrind)
echo "folded $folded, callgrind $callgrind, $(grep ^events run.callgrind)"
[ $((folded / 10 - callgrind)) -le 1 ] && [ $((callgrind - folded / 10)) -le 1 ]
[ "$callgrind" -ge 500000 ] && [ "$callgrind" -lt 4000000 ]
