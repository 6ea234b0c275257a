#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the direction of the layers and the homes of foreign headers.

usage: includes.py SOURCE_ROOT
"""
import re
import sys
from pathlib import Path

import csource

# Folder under src/ -> folders whose headers it may include.
LAYERS = {
    "base": {"base"},
    "demangle": {"demangle", "base"},
    "model": {"model", "demangle", "base"},
    "wire": {"wire", "base"},
    "backend": {"backend", "wire", "decode", "model", "base"},
    "decode": {"decode", "model", "base"},
    "analyze": {"analyze", "model", "base"},
    "investigate": {"investigate", "backend", "decode", "analyze", "model",
                    "base"},
    "render": {"render", "model", "base"},
    "report": {"report", "render", "investigate", "backend", "analyze", "model",
               "base"},
    "tui": {"tui", "render", "model", "base"},
    "mcp": {"mcp", "render", "base"},
    "doctor": {"doctor", "investigate", "backend", "wire", "decode", "render",
               "model", "base"},
    "cli": {"cli", "doctor", "investigate", "backend", "wire", "decode",
            "analyze", "report", "render", "tui", "mcp", "model",
            "base"},
    "": {"cli"},
}

# A server's room in backend/ shows nothing but the faces beside it; what Google's
# servers share is a room, too.
# What puts all rooms into rows.
TABLES = ("backend/table.c", "backend/table.c")
SHARED_ROOMS = {"backend/google": {"backend/cloud_trace",
                                   "backend/cloud_profiler"}}

# Headers that are not the system's, and the only files that may see them.
FOREIGN = {
    r"curl/.*": {"wire/curl_calls.h"},
    r"zlib\.h": {"base/gz.c", "base/gunzip_zlib.c"},
    r"libdeflate\.h": {"base/gz.c"},
    r"isa-l/.*": {"base/gunzip_isal.c"},
    r"zstd(_errors)?\.h": {"base/unzstd.c"},
    r"ini\.h": {"cli/config.c"},
    r"jansson\.h": {"base/document.c"},
    r"yaml\.h": {"decode/grafana.c"},
    r"emmintrin\.h": {"base/json_reader.h"},
    r"utf8proc\.h": {"base/escape.c"},
    r"pcre2\.h": {"base/regex.c"},
    r"ncurses\.h": {"tui/curses_calls.h", "tui/terminfo.c"},
    r"term\.h": {"tui/terminfo.c"},
    r"openssl/.*": {"backend/google/crypto_calls.h"},
    r"analyze/code_index\.inc": {"analyze/code_kind.c"},  # made when building
    r"cli/build_text\.h": {"cli/cli.c"},  # likewise
    r"linux/(audit|filter|seccomp)\.h": {"base/confine.c"},
    r"sys/(prctl|syscall)\.h": {"base/confine.c"},
    r"link\.h": {"base/library.c"},
    # Which not every system has: base/system.h.
    r"sys/(auxv|random)\.h": {"base/system.c"},
    r"sys/select\.h": {"base/system.h"},
    r"xlocale\.h": {"base/system.h"},
    r"malloc\.h|sys/mman\.h": {"base/mem.c"},
    r"sched\.h": {"base/thread.c"},
    r"semaphore\.h": {"base/thread.h"},
    r".*\.pb-c\.h": {"backend/pyroscope/pyroscope.c"},
}

SYSTEM = set("""
    ctype.h dirent.h dlfcn.h errno.h fcntl.h float.h inttypes.h limits.h locale.h math.h poll.h
    pthread.h signal.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h
    strings.h sys/file.h sys/ioctl.h sys/resource.h
    sys/stat.h sys/time.h sys/types.h sys/uio.h sys/wait.h termios.h time.h
    unistd.h
""".split())

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)


def foreign_home(header):
    for pattern, homes in FOREIGN.items():
        if re.fullmatch(pattern, header):
            return homes
    return None


def check_header(src, name, quote, header):
    """Returns what is wrong with one include line, or None."""
    homes = foreign_home(header)
    if homes is not None:
        if name not in homes:
            return f"{header} may be included by {', '.join(homes)} only"
        return None
    if quote == "<":
        return None if header in SYSTEM else f"unknown system header {header}"
    if "/" not in header or header.startswith("."):
        return f'"{header}" is not written from src/'
    if not (src / header).is_file():
        return f'"{header}" does not exist in src/'
    layer = name.split("/")[0] if "/" in name else ""
    wanted = header.split("/")[0]
    if wanted not in LAYERS.get(layer, set()):
        return f"{layer or 'the top'} may not include {wanted}/"
    return None


def room_of(name):
    """The room of a server that a file lies in, or None."""
    parts = name.split("/")
    return "/".join(parts[:2]) if len(parts) == 3 else None


def rooms_looked_into(name, includes):
    """Headers of other rooms, named from backend/."""
    own = room_of(name)
    if name in TABLES:
        return set()
    return {header.removeprefix("backend/") for _, header in includes
            if room_of(header) not in (None, own) and
            own not in SHARED_ROOMS.get(room_of(header), ())}


def check_rooms(name, includes):
    return [f"looks into the room of {header}"
            for header in sorted(rooms_looked_into(name, includes))]


def check_file(src, path):
    name = path.relative_to(src).as_posix()
    includes = INCLUDE.findall(path.read_text(encoding="utf-8"))
    problems = [check_header(src, name, quote, header)
                for quote, header in includes]
    problems += check_rooms(name, includes)
    own = path.with_suffix(".h")
    if path.suffix == ".c" and own.is_file():
        # A private header (json_reader.h) may come in the public one's place.
        stem = own.relative_to(src).with_suffix("").as_posix()
        if not includes or not includes[0][1].startswith(stem):
            problems.append("its own header is not the first")
    return [f"src/{name}: {problem}" for problem in problems if problem]


def main():
    src = Path(sys.argv[1]) / "src"
    files = sorted(src.rglob("*.[ch]"))
    problems = [line for path in files for line in check_file(src, path)]
    return csource.report(files, problems)


if __name__ == "__main__":
    sys.exit(main())
