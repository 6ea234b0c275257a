/* SPDX-License-Identifier: Apache-2.0 */
#include "base/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/system.h"

#ifdef SYSTEM_LINUX

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Landlock ---- */

/* System call numbers, the same on all architectures; older headers lack
 * them. */
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 };

#define ASK_VERSION 1u  /* LANDLOCK_CREATE_RULESET_VERSION */
#define RULE_OF_PATH 1u /* LANDLOCK_RULE_PATH_BENEATH */

/* LANDLOCK_ACCESS_FS_*. */
#define EXECUTE (1ull << 0)
#define WRITE_FILE (1ull << 1)
#define READ_FILE (1ull << 2)
#define READ_DIR (1ull << 3)
#define REMOVE_DIR (1ull << 4)
#define REMOVE_FILE (1ull << 5)
#define MAKE_REGULAR (1ull << 8)
/* Devices, folders, files, sockets, pipes, blocks and links. */
#define MAKE_ANY (0x7full << 6)
#define REFER (1ull << 13)    /* since version 2 */
#define TRUNCATE (1ull << 14) /* 3 */

/* LANDLOCK_ACCESS_NET_*, from version 4 on. */
#define BIND_TCP (1ull << 0)
#define CONNECT_TCP (1ull << 1)

#define READING (READ_FILE | READ_DIR)
/* Folders are opened for reading to be synced; files in them are not. */
#define WRITING_IN (READ_DIR | WRITE_FILE | MAKE_REGULAR | REMOVE_FILE)

/* struct landlock_ruleset_attr; its size depends on the kernel. */
struct ruleset {
	uint64_t files;
	uint64_t network;
};

/* struct landlock_path_beneath_attr. */
struct __attribute__((packed)) rule {
	uint64_t allowed;
	int32_t folder;
};

bool confine_begin(struct confine *c, unsigned flags)
{
	struct ruleset set = { .network = BIND_TCP };
	size_t size = sizeof set;

	*c = (struct confine){ .ruleset = -1 };
	c->version = (int)syscall(CREATE_RULESET, NULL, (size_t)0, ASK_VERSION);
	if (c->version < 1) {
		c->version = 0;
		return false;
	}
	set.files = EXECUTE | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_ANY;
	if (c->version >= 2)
		set.files |= REFER;
	if (c->version >= 3)
		set.files |= TRUNCATE;
	if (flags & CONFINE_READING)
		set.files |= READING;
	if (flags & CONFINE_NETWORK)
		set.network |= CONNECT_TCP;
	if (c->version < 4)
		size = offsetof(struct ruleset, network);
	c->files = set.files;
	c->ruleset = (int)syscall(CREATE_RULESET, &set, size, 0u);
	return c->ruleset >= 0;
}

static void path_allow(struct confine *c, const char *path, uint64_t rights)
{
	struct rule rule = { .allowed = rights & c->files };
	struct stat st;

	if (!rule.allowed || c->ruleset < 0)
		return;
	rule.folder = open(path, O_PATH | O_CLOEXEC);
	if (rule.folder < 0)
		return;
	/* Rights for folders are invalid for files. */
	if (!fstat(rule.folder, &st) && !S_ISDIR(st.st_mode))
		rule.allowed &= EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE;
	if (rule.allowed)
		(void)syscall(ADD_RULE, c->ruleset, RULE_OF_PATH, &rule, 0u);
	close(rule.folder);
}

void confine_allow_read(struct confine *c, const char *path)
{
	path_allow(c, path, READING);
}

void confine_allow_write(struct confine *c, const char *path)
{
	path_allow(c, path, WRITING_IN | TRUNCATE);
}

void confine_allow_program(struct confine *c, const char *path)
{
	/* Locations of dynamic linkers. */
	static const char *const folders[] = {
		"/lib",	      "/lib32",	    "/lib64",	  "/usr/lib",
		"/usr/lib32", "/usr/lib64", "/nix/store", "/gnu/store",
	};

	path_allow(c, path, EXECUTE);
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		path_allow(c, folders[i], EXECUTE);
}

/* Required for unprivileged processes; setuid programs are irrelevant to a
 * process that executes none. */
static bool renounce_privileges(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

bool confine_end(struct confine *c)
{
	bool is_done = renounce_privileges() &&
		       syscall(RESTRICT_SELF, c->ruleset, 0u) == 0;
	int saved = errno;

	close(c->ruleset);
	c->ruleset = -1;
	errno = saved;
	return is_done;
}

/* ---- seccomp ---- */

/* The kernel's name for this architecture: a process can also make system calls
 * of another one, which have other numbers. */
#if defined(__x86_64__) && defined(__LP64__)
#define OWN_CALLS AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define OWN_CALLS AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define OWN_CALLS AUDIT_ARCH_AARCH64
#elif defined(__s390x__)
#define OWN_CALLS AUDIT_ARCH_S390X
#elif defined(__riscv) && __riscv_xlen == 64
#define OWN_CALLS AUDIT_ARCH_RISCV64
#endif

#ifdef OWN_CALLS

#define REFUSE (SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA))
#define LOAD_AT(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define LOAD(field) LOAD_AT(offsetof(struct seccomp_data, field))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define REFUSE_CALL(number)                                                    \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), RETURN(REFUSE)

/* Offset of the lower half of an argument. */
#define LOW_HALF (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0)

/* A short list, since each entry slows every start. What only root may do is
 * left to Landlock, which also refuses mounts. */
static struct sock_filter filter[] = {
	LOAD(arch),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_CALLS, 1, 0),
	RETURN(REFUSE),
	LOAD(nr),
#ifdef __x86_64__
	/* x32: same calls with an additional bit. */
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
	RETURN(REFUSE),
#endif
	REFUSE_CALL(SYS_execve),
	REFUSE_CALL(SYS_execveat),
	REFUSE_CALL(SYS_ptrace),
	REFUSE_CALL(SYS_process_vm_readv),
	REFUSE_CALL(SYS_process_vm_writev),
	REFUSE_CALL(SYS_perf_event_open),
	REFUSE_CALL(SYS_bpf),
	REFUSE_CALL(SYS_unshare),
	REFUSE_CALL(SYS_add_key),
	REFUSE_CALL(SYS_keyctl),
	/* TIOCSTI: input that the shell would read as typed. */
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 4),
	LOAD_AT(offsetof(struct seccomp_data, args[1]) + LOW_HALF),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TIOCSTI, 1, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TIOCLINUX, 0, 1),
	RETURN(REFUSE),
	RETURN(SECCOMP_RET_ALLOW),
};

bool confine_calls(void)
{
	struct sock_fprog program = { .len = (unsigned short)COUNT_OF(filter),
				      .filter = filter };

	if (!renounce_privileges())
		return false;
	/* Kernels before 5.16 otherwise enable speculation mitigations, which
	 * slow the process down. */
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		       SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0 ||
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0u, &program) == 0;
}

#else

bool confine_calls(void)
{
	errno = ENOSYS;
	return false;
}

#endif

/* ---- below a folder ---- */

/* System call number, the same on all architectures; older headers lack it. */
enum { OPENAT2 = 437 };

/* RESOLVE_NO_SYMLINKS and RESOLVE_BENEATH. */
#define WITHOUT_LINKS (0x04u | 0x08u)

/* struct open_how. */
struct how {
	uint64_t flags;
	uint64_t mode;
	uint64_t resolve;
};

static int open_in(int folder, const char *path, int flags)
{
	struct how how = { .flags = (unsigned)flags, .resolve = WITHOUT_LINKS };

	return (int)syscall(OPENAT2, folder, path, &how, sizeof how);
}

#else

static int open_in(int folder, const char *path, int flags)
{
	(void)folder;
	(void)path;
	(void)flags;
	errno = ENOSYS;
	return -1;
}

bool confine_begin(struct confine *c, unsigned flags)
{
	(void)flags;
	*c = (struct confine){ .ruleset = -1 };
	errno = ENOSYS;
	return false;
}

void confine_allow_read(struct confine *c, const char *path)
{
	(void)c;
	(void)path;
}

void confine_allow_write(struct confine *c, const char *path)
{
	(void)c;
	(void)path;
}

void confine_allow_program(struct confine *c, const char *path)
{
	(void)c;
	(void)path;
}

bool confine_end(struct confine *c)
{
	(void)c;
	errno = ENOSYS;
	return false;
}

bool confine_calls(void)
{
	errno = ENOSYS;
	return false;
}

#endif

static struct {
	char path[PATH_MAX];
	size_t len; /* 0: no root */
	int fd;
} root;

bool confine_below(const char *path)
{
	if (!realpath(path, root.path))
		return false;
	root.fd = open(root.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Everything is below "/". */
	root.len = root.fd < 0 || !root.path[1] ? 0 : strlen(root.path);
	return root.fd >= 0;
}

static bool is_below(const char *path)
{
	return !strncmp(path, root.path, root.len) &&
	       (path[root.len] == '/' || !path[root.len]);
}

int confine_open(const char *path, int flags)
{
	char real[PATH_MAX];
	const char *rest;
	int fd;

	flags |= O_CLOEXEC;
	if (!root.len || !is_below(path))
		return open(path, flags);
	if (!realpath(path, real))
		return -1;
	if (!is_below(real)) {
		errno = EACCES;
		return -1;
	}
	rest = real[root.len] ? real + root.len + 1 : ".";
	fd = open_in(root.fd, rest, flags);
	/* Missing in older kernels and blocked in some containers. */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = open(real, flags | O_NOFOLLOW);
	return fd;
}
