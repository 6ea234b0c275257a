#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ./dev says while it installs, builds and tests, with tools that only
pretend to.

usage: test_dev.py DEV
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DEV = Path(sys.argv.pop()).resolve()
LINES_MAX = 15
BUILT = """#!/bin/sh
for i in $(seq 200); do echo "$(echo "$NINJA_STATUS" |
    sed "s,%f,$i,; s,%t,200,")Compiling C object $i"; done
"""
BROKEN = "#!/bin/sh\nseq 500\necho 'cart.c:1: error: no cart'\nexit 3\n"
TESTED = """#!/bin/sh
[ "$1" = test ] || exit 0
for i in $(seq 30); do printf ' %2d/30 tracefind:unit / unit/x  OK\\n' $i; done
echo ' 7/30 tracefind:unit / unit/x  FAIL'
mkdir -p build/meson-logs
echo '{"name": "x / unit/x", "result": "%s"}' >build/meson-logs/testlog.json
exit %d
"""
NOTHING = "#!/bin/sh\n"
# Of coreutils and the like: what ./dev itself uses.
USED = "cat date dirname env id mkdir rm sed seq sh sleep tail tr".split()
NEEDED = "cc meson ninja pkg-config protoc-c scdoc".split()


class Machine:
    """A folder with ./dev, and the only programs that it finds."""

    def __init__(self, folder, **programs):
        self.top = Path(folder, "top")
        self.bin = Path(folder, "bin")
        for made in (self.top / "tests", self.top / "build/src", self.bin):
            made.mkdir(parents=True)
        shutil.copy(DEV, self.top / "dev")
        shutil.copy(DEV.parent / "tests/count.py", self.top / "tests")
        for name in USED:
            (self.bin / name).symlink_to(shutil.which(name))
        (self.bin / "python3").symlink_to(sys.executable)
        for name, text in {**dict.fromkeys(NEEDED, NOTHING),
                           **programs}.items():
            if text is not None:
                self.program(self.bin / name, text)
        self.program(self.top / "build/src/tracefind", "#!/bin/sh\necho user-db took 576 ms\n")

    @staticmethod
    def program(path, text):
        path.unlink(missing_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def dev(self, *args, **env):
        done = subprocess.run([self.top / "dev", *args], env={"PATH": str(self.bin), **env}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr.splitlines()

    def log(self):
        return (self.top / "build/dev.log").read_text()


class Said(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tracefind-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_demo_is_short(self):
        machine = Machine(self.folder, ninja=BUILT)
        status, out, lines = machine.dev("demo")
        self.assertEqual((status, out), (0, "user-db took 576 ms\n"))
        self.assertLessEqual(len(lines), LINES_MAX)
        self.assertTrue(any(line.startswith("building 200/200, ") for line in lines), lines)
        self.assertTrue(any(line.startswith("done in ") and line.endswith("build/dev.log") for line in lines), lines)
        self.assertIn("Compiling C object 123\n", machine.log())
        self.assertEqual(lines[-1], "It is build/src/tracefind; ./dev install puts it into PATH.")

    def test_asked_for_help(self):
        machine = Machine(self.folder)
        for command in "demo test build test-full golden fuzz guard install uninstall".split():
            for option in ("-h", "--help"):
                status, out, lines = machine.dev(command, option)
                self.assertEqual((status, out.splitlines()[0], lines), (0, "usage: ./dev COMMAND", []))
        self.assertFalse(any(path.name.startswith("-") for path in machine.top.iterdir()))

    def test_asked_for_options(self):
        """Answered without a build."""
        machine = Machine(self.folder, ninja=BROKEN)
        for command, script in (("bench", "bench/run.py"), ("live", "demo/live.py")):
            (machine.top / script).parent.mkdir()
            (machine.top / script).write_text("import sys\nprint(*sys.argv[1:])\n")
            for option in ("-h", "--help"):
                self.assertEqual(machine.dev(command, option), (0, "--help\n", []))

    def test_wrong_words(self):
        machine = Machine(self.folder)
        self.assertEqual(machine.dev("tset"), (2, "", ["no command 'tset'; ./dev help lists them"]))
        self.assertEqual(machine.dev("install", "--prefix=/usr"),
                         (2, "", ["install below a folder, not '--prefix=/usr': ./dev install [PREFIX]"]))

    def test_live(self):
        machine = Machine(self.folder)
        (machine.top / "demo").mkdir()
        (machine.top / "demo/live.py").write_text("import sys\nprint(*sys.argv[1:])\nsys.exit(3)\n")
        status, out, _ = machine.dev("live", "cpu")
        self.assertEqual((status, out), (3, "--tracefind build/src/tracefind --folder build/demo cpu\n"))

    def test_install(self):
        machine = Machine(self.folder, meson="#!/bin/sh\necho \"$@\"\n")
        prefix = f"{self.folder}/prefix"
        status, out, lines = machine.dev("install", prefix)
        self.assertEqual((status, out, lines[-1]), (0, "", f"run {prefix}/bin/tracefind help"), lines)
        log = (machine.top / "build-release/dev.log").read_text()
        self.assertIn(f"--prefix={prefix}\n", log)
        self.assertIn("\ninstall -C build-release --no-rebuild\n", log)

    def test_install_where_only_root_may(self):
        """Told before anything is built."""
        for number, programs in enumerate(({}, {"sudo": "#!/bin/sh\nexit 1\n"})):
            machine = Machine(f"{self.folder}/{number}", ninja=BROKEN, mkdir="#!/bin/sh\nexit 1\n", **programs)
            status, out, lines = machine.dev("install", "/nowhere/at/all")
            self.assertEqual((status, out, lines), (1, "", [
                "only root may write to /nowhere/at/all, and there is no sudo: ./dev install ~/.local"]))

    def test_install_tells_the_places(self):
        machine = Machine(self.folder)
        prefix = f"{self.folder}/prefix"
        _, _, lines = machine.dev("install", prefix)
        self.assertIn(f'PATH lacks it: export PATH="{prefix}/bin:$PATH" (man looks beside it)', lines)
        self.assertIn(f"zsh completes with fpath=({prefix}/share/zsh/site-functions $fpath) before compinit in "
                      "~/.zshrc", lines)
        _, _, lines = machine.dev("install", prefix, PATH=f"{machine.bin}:{prefix}/bin")
        self.assertFalse(any(line.startswith("PATH") for line in lines), lines)

    def test_uninstall(self):
        machine = Machine(self.folder)
        status, _, lines = machine.dev("uninstall")
        self.assertEqual((status, lines), (1, ["nothing was installed from here: there is no build-release/"]))
        for name in ("bin", "share dir"):
            Path(self.folder, "p", name).mkdir(parents=True)
        files = [Path(self.folder, "p", name) for name in ("bin/tracefind", "share dir/page 1")]
        other = Path(self.folder, "p/bin/other")
        for file in [*files, other]:
            file.touch()
        logs = machine.top / "build-release/meson-logs"
        logs.mkdir(parents=True)
        # Folders are there as well, before what is in them; others may use them, too.
        (logs / "install-log.txt").write_text("# List of files\n" + "".join(
            f"{path}\n" for path in (files[0].parent, files[0], files[1].parent, files[1])))
        status, _, lines = machine.dev("uninstall")
        self.assertEqual((status, lines), (0, [f"taken away: {files[0]} and what was installed with it"]))
        self.assertEqual([path.exists() for path in [*files, files[1].parent, other]], [False, False, False, True])
        self.assertEqual(machine.dev("uninstall")[0], 1)

    def test_tests_keep_the_first_look(self):
        """What the demo built is not built again."""
        machine = Machine(self.folder, meson="#!/bin/sh\necho \"$@\"\n[ $1 != setup ] || : >build/build.ninja\n")
        machine.dev("demo")
        machine.dev("test")
        self.assertNotIn("configure build", machine.log())

    def test_installing_is_short(self):
        apt = "#!/bin/sh\necho \"$@\"\nseq 300\n"
        machine = Machine(self.folder, ninja=BUILT, scdoc=None, id="#!/bin/sh\necho 0\n", **{"apt-get": apt})
        status, _, lines = machine.dev("demo")
        self.assertEqual(status, 0)
        self.assertLessEqual(len(lines), LINES_MAX)
        self.assertIn("missing: scdoc ", lines)
        self.assertTrue(any(line.startswith("installing with apt-get, ") for line in lines), lines)
        self.assertRegex(machine.log(), r"install -y .* meson .* scdoc ")

    def test_tells_that_it_goes_on(self):
        machine = Machine(self.folder, ninja="#!/bin/sh\necho ' 7/200 x.c'\nsleep 2.5\n")
        status, _, lines = machine.dev("demo", DEV_TICK_S="1")
        self.assertEqual(status, 0)
        self.assertTrue(any(line.startswith("building 7/200, ") and line.endswith(" s so far") for line in lines), lines)

    def test_first_look(self):
        """Its build is made one to work with when that is wanted."""
        machine = Machine(self.folder, meson="#!/bin/sh\necho \"$@\"\n[ $1 != setup ] || : >build/build.ninja\n")
        machine.dev("demo")
        self.assertIn("\nsetup build -Doptimization=1 -Ddebug=false\n", machine.log())
        machine.dev("demo")
        self.assertNotIn("setup build", machine.log())
        machine.dev("build")
        self.assertIn("\nconfigure build -Dbuildtype=debugoptimized\n", machine.log())
        machine.dev("build")
        self.assertNotIn("configure build", machine.log())

    def test_installing_fails(self):
        apt = "#!/bin/sh\nseq 300\necho 'E: no network'\nexit 100\n"
        machine = Machine(self.folder, scdoc=None, id="#!/bin/sh\necho 0\n", **{"apt-get": apt})
        status, _, lines = machine.dev("demo")
        self.assertEqual((status, lines[-1]), (1, "E: no network"))
        self.assertIn("updating the list of packages failed; the end of build/dev.log:", lines)

    def test_neither_root_nor_sudo(self):
        user = {"id": "#!/bin/sh\necho 1000\n", "apt-get": NOTHING, "scdoc": None}
        refused = {**user, "sudo": "#!/bin/sh\nexit 1\n"}
        for number, programs in enumerate((user, refused)):
            status, out, lines = Machine(f"{self.folder}/{number}", **programs).dev("demo")
            self.assertEqual((status, out, len(lines)), (1, "", 1), lines)
            self.assertRegex(lines[0], "^neither root nor sudo; as root: apt-get install meson .* ca-certificates")

    def test_no_apt(self):
        status, _, lines = Machine(self.folder, scdoc=None).dev("demo")
        self.assertEqual((status, len(lines)), (1, 1), lines)
        self.assertRegex(lines[0], "^missing: scdoc - please install; on Debian: meson ")

    def test_a_build_that_fails(self):
        machine = Machine(self.folder, ninja=BROKEN)
        status, out, lines = machine.dev("demo")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("building failed; the end of build/dev.log:", lines)
        self.assertIn("cart.c:1: error: no cart", lines)
        self.assertNotIn("1", lines)
        self.assertIn("1\n2\n3\n", machine.log())

    def test_tests(self):
        for number, (result, ends) in enumerate((("OK", 0), ("FAIL", 1))):
            machine = Machine(f"{self.folder}/{number}", meson=TESTED.replace("%s", result).replace("%d\n", f"{ends}\n"))
            status, out, lines = machine.dev("test")
            self.assertEqual(status, ends)
            self.assertLessEqual(len(lines), LINES_MAX)
            self.assertTrue(any(line.startswith("testing 30/30, ") for line in lines), lines)
            self.assertEqual(out.splitlines()[-1], f"{1 - ends} passed, {ends} failed, 0 skipped")


if __name__ == "__main__":
    os.umask(0o022)
    unittest.main()
