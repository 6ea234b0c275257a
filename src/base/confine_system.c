/* SPDX-License-Identifier: Apache-2.0 */
#include "base/confine.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/num.h"
#include "base/path.h"

/* System paths: libraries loaded late and the files they read, such as
 * certificates, host names and terminfo. No user files. */
static const char *const system_paths[] = {
	"/usr", "/lib",       "/lib32",    "/lib64",   "/libx32",
	"/bin", "/etc",       "/run",      "/var/lib", "/var/run",
	"/opt", "/nix",       "/gnu",      "/app",     "/snap",
	"/sys", "/proc/self", "/proc/sys", "/dev",
};

/* Environment variables with further paths, separated by ':'. */
static const char *const system_variables[] = {
	"LD_LIBRARY_PATH", "SSL_CERT_FILE",   "SSL_CERT_DIR",
	"OPENSSL_CONF",    "OPENSSL_MODULES", "HOSTALIASES",
	"TERMINFO",        "TERMINFO_DIRS",   "LOCPATH",
};

static const char *const late_libraries[] = {
#ifdef HAVE_LIBCRYPTO
	LIBCRYPTO,
#endif
	LIBRARY_CURL,
	LIBRARY_CPP,
	LIBRARY_ZSTD,
};

/* In the home directory: terminfo, and PKCS #11 configuration that GnuTLS
 * reads. */
static const char *const home_paths[] = { ".terminfo", ".config/pkcs11" };

static const char *const devices[] = { "/dev/null", "/dev/full", "/dev/tty",
				       "/dev/pts" };

static bool is_below(struct str path, struct str folder)
{
	return str_starts(path, folder) &&
	       (path.len == folder.len || path.ptr[folder.len] == '/');
}

void confine_allow_read_list(struct confine *c, const char *paths)
{
	struct str rest = str_from(paths ? paths : "");
	struct str item;
	char path[PATH_MAX];

	while (path_list_next(&rest, &item)) {
		if (item.len == 0 || item.len >= sizeof path)
			continue;
		memcpy(path, item.ptr, item.len);
		path[item.len] = '\0';
		confine_allow_read(c, path);
	}
}

/* Copies a path up to its last slash, "." or "/" if none. */
static void folder_of(const char *path, char folder[PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 1;

	if (len == 0)
		len = 1;
	if (len >= PATH_MAX)
		len = 0;
	memcpy(folder, slash ? path : ".", len);
	folder[len] = '\0';
}

static bool is_of_system(const char *path)
{
	for (size_t i = 0; i < COUNT_OF(system_paths); i++)
		if (is_below(str_from(path), str_from(system_paths[i])))
			return true;
	return false;
}

/* Allows the prefix of a library outside of the system folders, such as
 * conda's: it may load others from there, and data files. */
static void allow_library(const char *path, void *confine)
{
	char folder[PATH_MAX], tree[PATH_MAX];

	if (is_of_system(path))
		return;
	folder_of(path, folder);
	folder_of(folder, tree);
	confine_allow_read(confine, strstr(folder, "/lib") ? tree : folder);
}

/* Libraries in this folder may be links, which do not work unless their targets
 * are allowed. */
static void allow_late_libraries(const char *folder, void *confine)
{
	char path[PATH_MAX], resolved[PATH_MAX], beside[PATH_MAX];

	if (is_of_system(folder))
		return;
	for (size_t i = 0; i < COUNT_OF(late_libraries); i++) {
		if (snprintf(path, sizeof path, "%s/%s", folder,
			     late_libraries[i]) >= (int)sizeof path ||
		    !realpath(path, resolved))
			continue;
		folder_of(resolved, beside);
		if (!is_of_system(beside))
			confine_allow_read(confine, beside);
	}
}

void confine_allow_system(struct confine *c)
{
	const char *home = getenv("HOME");
	char path[PATH_MAX];

	for (size_t i = 0; i < COUNT_OF(system_paths); i++)
		confine_allow_read(c, system_paths[i]);
	for (size_t i = 0; i < COUNT_OF(system_variables); i++)
		confine_allow_read_list(c, getenv(system_variables[i]));
	for (size_t i = 0; home && *home && i < COUNT_OF(home_paths); i++)
		if (snprintf(path, sizeof path, "%s/%s", home, home_paths[i]) <
		    (int)sizeof path)
			confine_allow_read(c, path);
	library_each(allow_library, c);
	library_folders(allow_late_libraries, c);
}

void confine_allow_devices(struct confine *c)
{
	for (size_t i = 0; i < COUNT_OF(devices); i++)
		confine_allow_write(c, devices[i]);
}

void confine_allow_output(struct confine *c, const char *path)
{
	char resolved[PATH_MAX], folder[PATH_MAX];

	if (!path)
		return;
	if (realpath(path, resolved))
		path = resolved;
	confine_allow_write(c, path);
	folder_of(path, folder);
	/* No temporary files are created in device folders; /dev/shm is not
	 * one. */
	if (!is_below(str_from(folder), STR("/dev")) ||
	    is_below(str_from(folder), STR("/dev/shm")))
		confine_allow_write(c, folder);
}
