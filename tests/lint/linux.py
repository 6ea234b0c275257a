#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds what Linux or glibc alone have outside of the files where something
stands in for it, which src/base/system.h lists.

usage: linux.py SOURCE_ROOT
"""
import re
import sys
from pathlib import Path

import csource

# Which system this is, one file asks.
ASKS = """__linux__ __linux __gnu_linux__ __GLIBC__ __GLIBC_PREREQ __APPLE__
    __MACH__ __FreeBSD__ __OpenBSD__ __NetBSD__ STANDINS"""

# Names -> where they are at home; no homes: nowhere.
HOMES = {
    ASKS: {"base/system.h"},
    "st_mtimespec": {"base/system.h"},
    """qsort_r pipe2 ppoll getrandom getauxval explicit_bzero getentropy
    lgamma_r""": {"base/system.c"},
    """cpu_set_t sched_getcpu sched_getaffinity
    pthread_setaffinity_np sem_init sem_post sem_wait
    sem_destroy""": {"base/thread.c"},
    "sem_t": {"base/thread.h"},
    "dl_iterate_phdr dlinfo": {"base/library.c"},
    "mallopt sbrk madvise MADV_HUGEPAGE": {"base/mem.c"},
    "prctl syscall O_PATH": {"base/confine.c"},
    """accept4 close_range copy_file_range dup3 epoll_create epoll_create1
    epoll_ctl epoll_wait eventfd fallocate fopencookie
    getdents64 gettid get_nprocs inotify_init inotify_init1 io_uring_setup
    le16toh le32toh le64toh htole16 htole32 htole64 be16toh be32toh be64toh
    pthread_getaffinity_np sched_setaffinity sem_timedwait htobe16 htobe32 htobe64 malloc_info malloc_trim malloc_usable_size
    memfd_create memrchr mempcpy mremap posix_fadvise posix_fallocate
    pthread_setname_np pthread_timedjoin_np pthread_tryjoin_np rawmemchr
    renameat2 secure_getenv sendfile signalfd sigtimedwait splice statx
    strchrnul strdupa strndupa sync_file_range sysinfo syncfs timerfd_create vmsplice program_invocation_name
    program_invocation_short_name TEMP_FAILURE_RETRY __off64_t loff_t off64_t
    canonicalize_file_name get_current_dir_name mallinfo mallinfo2
    MAP_POPULATE MAP_HUGETLB MAP_FIXED_NOREPLACE O_TMPFILE
    O_NOATIME O_DIRECT SOCK_CLOEXEC SOCK_NONBLOCK MSG_CMSG_CLOEXEC MSG_MORE
    SIGPWR SIGSTKFLT SIGPOLL SIGRTMIN SIGRTMAX EREMOTEIO EBADFD ENOTUNIQ
    CLOCK_BOOTTIME CLOCK_MONOTONIC_RAW CLOCK_MONOTONIC_COARSE
    CLOCK_REALTIME_COARSE""": set(),
}

# Files that only Linux has, and who may name them: the sandbox, which is Linux'
# alone, and paths that users and profiles write.
FILES = re.compile(r'"/(?:proc|sys)\b')
NAMED = {"base/confine_system.c", "base/out.c", "base/path.c"}

WORD = re.compile(r"(?<![\w.>])[A-Za-z_]\w*")


def table():
    return {name: homes for names, homes in HOMES.items()
            for name in names.split()}


def check_file(src, path, homes):
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(src).as_posix()
    for number, line in enumerate(csource.blank(text).split("\n"), 1):
        if line.lstrip().startswith("#include"):
            continue
        for word in WORD.findall(line):
            if word in homes and name not in homes[word]:
                yield f"src/{name}:{number}: {word} is not of every system: src/base/system.h"
    for number, line in enumerate(text.split("\n"), 1):
        if FILES.search(line) and name not in NAMED:
            yield f"src/{name}:{number}: such files are Linux' alone"


def main():
    src = Path(sys.argv[1]) / "src"
    files = sorted(src.rglob("*.[ch]"))
    homes = table()
    problems = [line for path in files for line in check_file(src, path, homes)]
    return csource.report(files, problems)


if __name__ == "__main__":
    sys.exit(main())
