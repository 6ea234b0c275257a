#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    Excimer 1.0.4 for PHP 8.2 (Debian 12: php-excimer 1.0.4-2+b1)
# Source:  formatCollapsed() in excimer_log.c of the extension; its manual:
#          "a string suitable for flamegraph.pl"
# Guess:   the folded stacks of a script all begin with the script's file.
# Seen:    only the first line does. All others begin with ";", a frame without a name
#          around the script: a flame graph has two roots, and the script is in it twice,
#          once with the stack that was seen first and once with all else.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
chmod 755 .
apt-get -qq download php-excimer=1.0.4-2+b1 php8.2-cli php8.2-common 2>/dev/null
for package in *.deb; do dpkg-deb -x "$package" root; done
cat >work.php <<'PHP'
<?php
function spin($seconds) { $end = microtime(true) + $seconds; while (microtime(true) < $end); }
function cart() { spin(0.1); }
function search() { spin(0.2); }
$profiler = new ExcimerProfiler;
$profiler->setPeriod(0.01);
$profiler->start();
cart();
search();
cart();
$profiler->stop();
echo $profiler->getLog()->formatCollapsed();
PHP
root/usr/bin/php8.2 -n -d extension="$(echo "$tmp"/root/usr/lib/php/*/excimer.so)" work.php |
  sed 's/ [0-9]*$//; s/[^;]*work.php/work.php/' | tee seen
sed -n '1s/^work.php;.*/first/p; 2,$s/^;work.php.*/after/p' seen | sort | uniq -c | tee counted
[ "$(grep -c first counted)" = 1 ] && [ "$(wc -l <seen)" -ge 2 ] &&
  [ "$(sed 1d seen | grep -vc '^;work.php')" = 0 ]
