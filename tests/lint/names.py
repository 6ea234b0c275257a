#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps files clear of the names of Python's own modules: a script's folder
comes first in what it imports from, so a types.py hides the library's from all
scripts beside it, unless their Python happens to have loaded it before.

usage: names.py SOURCE_ROOT
"""
import sys
from pathlib import Path

# Modules that some Pythons from 3.9 to 3.14 have, whichever runs this.
OTHER_VERSIONS = frozenset("""
    aifc annotationlib asynchat asyncore audioop binhex cgi cgitb chunk
    compression crypt distutils formatter imghdr imp lib2to3 mailcap msilib nis
    nntplib ossaudiodev parser pipes smtpd sndhdr spwd sunau symbol telnetlib
    tomllib uu xdrlib
""".split())
TAKEN = OTHER_VERSIONS | sys.stdlib_module_names


def files_of(root):
    """All Python files but those of build folders and hidden ones."""
    for path in sorted(root.rglob("*.py")):
        top = path.relative_to(root).parts[0]
        if not top.startswith(("build", ".")):
            yield path


def module_of(path):
    """What a file is imported as; a folder is, too, when it says so."""
    return path.parent.name if path.name == "__init__.py" else path.stem


def main():
    root = Path(sys.argv[1])
    files = list(files_of(root))
    problems = [path for path in files if module_of(path) in TAKEN]
    for path in problems:
        print(f"{path.relative_to(root)}: {module_of(path)} is a module of "
              "Python's own; choose another name")
    print(f"{len(files)} files, {len(problems)} problems")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
