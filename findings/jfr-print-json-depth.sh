#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    `jfr print --json` of the JDK (tried: 17 and 25)
# Source:  jdk/jfr/internal/tool/Print.java and JSONWriter.java; "--stack-depth" of
#          `jfr help print`
# Guess:   the text shows five frames of each stack and says with "..." that there are
#          more; JSON, which is for programs, has all frames of the recording.
# Seen:    JSON has five frames too, and its "truncated", which is about the recording,
#          says false: folded stacks made of it begin nowhere near main, and nothing in
#          the file tells so. With --stack-depth 64 the same event has all its frames.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat >Deep.java <<'JAVA'
public class Deep {
    static long down(int levels) {
        if (levels > 0) return down(levels - 1) + 1;
        long end = System.nanoTime() + 2_000_000_000L, turns = 0;
        while (System.nanoTime() < end) turns++;
        return turns;
    }
    public static void main(String[] args) { if (down(20) == 0) System.exit(1); }
}
JAVA
javac Deep.java
java -XX:StartFlightRecording=filename=deep.jfr,settings=profile Deep >/dev/null 2>&1
java -version 2>&1 | sed 1q
for depth in '' '--stack-depth 64'; do
	# shellcheck disable=SC2086
	jfr print --json --events jdk.ExecutionSample $depth deep.jfr >"deep.json"
	python3 - <<'PY'
import json
stacks = [event["values"]["stackTrace"] for event in json.load(open("deep.json"))["recording"]["events"]]
stacks = [stack for stack in stacks if any(frame["method"]["name"] == "down" for frame in stack["frames"])]
deepest = max(stacks, key=lambda stack: len(stack["frames"]))
print(len(deepest["frames"]), "frames, truncated", deepest["truncated"],
      "main", any(frame["method"]["name"] == "main" for frame in deepest["frames"]))
PY
done >seen
cat seen
[ "$(sed -n 1p seen)" = '5 frames, truncated False main False' ]
sed -n 2p seen | grep -q '^2[2-9] frames, truncated False main True$'
