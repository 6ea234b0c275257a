#!/bin/sh
# Rewrites testdata/golden/ from what the renderers print now. Read the diff
# before committing it: tests/update-golden.sh [BUILD-DIR]
set -eu
build=${1:-build}
UPDATE_GOLDEN=1 meson test -C "$build" --no-suite lint \
	unit/render/golden unit/render/html
git diff --stat -- "$(dirname "$0")/../testdata/golden"
