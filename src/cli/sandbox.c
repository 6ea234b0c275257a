/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sandbox.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/confine.h"
#include "base/count.h"
#include "base/library.h"
#include "base/path.h"
#include "cli/cli.h"
#include "cli/optparse.h"
#include "cli/pager.h"

/* Of the system: libraries that are loaded late and what they read, such as
 * certificates, names of hosts and kinds of terminals. Not the user's. */
static const char *const system_paths[] = {
	"/usr", "/lib",       "/lib32",    "/lib64",   "/libx32",
	"/bin", "/etc",       "/run",      "/var/lib", "/var/run",
	"/opt", "/nix",       "/gnu",      "/app",     "/snap",
	"/sys", "/proc/self", "/proc/sys", "/dev",
};

/* Which name more of that, one or several separated by ':'. */
static const char *const system_variables[] = {
	"LD_LIBRARY_PATH", "SSL_CERT_FILE",   "SSL_CERT_DIR",
	"OPENSSL_CONF",    "OPENSSL_MODULES", "HOSTALIASES",
	"TERMINFO",        "TERMINFO_DIRS",   "LOCPATH",
};

static const char *const late_libraries[] = {
#ifdef HAVE_LIBCRYPTO
	LIBCRYPTO,
#endif
	LIBRARY_CURL, LIBRARY_PCRE2, LIBRARY_PROTOBUF, LIBRARY_ZLIB,
};

/* Below the user's home: kinds of terminals, and tokens for keys that GnuTLS
 * asks for. */
static const char *const home_paths[] = { ".terminfo", ".config/pkcs11" };

static const char *const devices[] = { "/dev/null", "/dev/full", "/dev/tty",
				       "/dev/pts" };

static bool is_below(struct str path, struct str folder)
{
	return str_starts(path, folder) &&
	       (path.len == folder.len || path.ptr[folder.len] == '/');
}

/* ---- what is read ---- */

static void allow_list(struct confine *c, const char *paths)
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

/* The part of a path before its last slash, "." or "/". */
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

/* Of a tree of libraries outside of the system, as those of conda are, others
 * of it may be loaded, and files that belong to them. */
static void allow_library(const char *path, void *confine)
{
	char folder[PATH_MAX], tree[PATH_MAX];

	if (is_of_system(path))
		return;
	folder_of(path, folder);
	folder_of(folder, tree);
	confine_allow_read(confine, strstr(folder, "/lib") ? tree : folder);
}

/* In this folder they may be links, which lead nowhere unless what they lead
 * to is allowed. */
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

static void allow_system(struct confine *c)
{
	const char *home = getenv("HOME");
	char path[PATH_MAX];

	for (size_t i = 0; i < COUNT_OF(system_paths); i++)
		confine_allow_read(c, system_paths[i]);
	for (size_t i = 0; i < COUNT_OF(system_variables); i++)
		allow_list(c, getenv(system_variables[i]));
	for (size_t i = 0; home && *home && i < COUNT_OF(home_paths); i++)
		if (snprintf(path, sizeof path, "%s/%s", home, home_paths[i]) <
		    (int)sizeof path)
			confine_allow_read(c, path);
	library_each(allow_library, c);
	library_folders(allow_late_libraries, c);
}

static void allow_argument(struct confine *c, const char *text)
{
	if (text)
		confine_allow_read(c,
				   text + (strncmp(text, "file:", 5) ? 0 : 5));
}

/* Every option that names a file, of both sides. */
static void allow_options(struct confine *c, const struct options *o)
{
	/* Only read from, but option_target() serves both ways. */
	struct options values = *o;
	struct option_form form;

	for (size_t i = 0; option_form_get(&options_table, i, &form); i++)
		if (form.row->kind == OPTION_FILE)
			allow_argument(c, *(const char **)option_target(
						  &form, &values));
}

static void allow_inputs(struct confine *c, const struct context *ctx)
{
	const struct options *o = ctx->options;

	allow_system(c);
	allow_options(c, o);
	for (size_t i = 0; i < o->arg_count; i++)
		allow_argument(c, o->args[i]);
	allow_argument(c, ctx->backends.traces.path);
	allow_argument(c, ctx->backends.profiles.path);
}

/* ---- what is written ---- */

/* Nothing is made beside a device; files in memory are none. */
static bool is_of_devices(struct str folder)
{
	return is_below(folder, STR("/dev")) &&
	       !is_below(folder, STR("/dev/shm"));
}

/* A file is replaced by a new one beside it; a link stays where it is, and what
 * it leads to is replaced (base/outfile.h). */
static void allow_output(struct confine *c, const char *path)
{
	char resolved[PATH_MAX], folder[PATH_MAX];

	if (!path)
		return;
	if (realpath(path, resolved))
		path = resolved;
	confine_allow_write(c, path);
	folder_of(path, folder);
	if (!is_of_devices(str_from(folder)))
		confine_allow_write(c, folder);
}

static void allow_outputs(struct confine *c, const struct context *ctx)
{
	const struct options *o = ctx->options;

	for (size_t i = 0; i < COUNT_OF(devices); i++)
		confine_allow_write(c, devices[i]);
	for (size_t i = 0; i < o->output_count; i++)
		allow_output(c, o->outputs[i].path);
	allow_output(c, o->record);
	for (size_t i = 0; i < COUNT_OF(ctx->cache_folders); i++) {
		if (!ctx->cache_folders[i])
			continue;
		confine_allow_read(c, ctx->cache_folders[i]);
		confine_allow_write(c, ctx->cache_folders[i]);
	}
}

/* ---- all of it ---- */

/* Why there is no sandbox at all, or NULL. */
static const char *why_none(const struct context *ctx)
{
#ifdef NO_SANDBOX
	(void)ctx;
	return NO_SANDBOX;
#else
	if (ctx->backends.traces.token_command ||
	    ctx->backends.profiles.token_command)
		return "token-command may start any program";
	return NULL;
#endif
}

/* Why any file may be read, or NULL. */
static const char *why_reading(const struct context *ctx)
{
	if (ctx->login)
		return "credentials of Google Cloud name files of their own";
	if (ctx->options->list)
		return "--list reads sources that the profile names";
	return NULL;
}

/* The version of Landlock that is in force, 0: none, with errno. */
static int enter_files(const struct context *ctx)
{
	unsigned flags = (why_reading(ctx) ? 0u : CONFINE_READING) |
			 (ctx->replay ? CONFINE_NETWORK : 0u);
	struct confine c;

	if (!confine_begin(&c, flags))
		return 0;
	if (!why_reading(ctx))
		allow_inputs(&c, ctx);
	allow_outputs(&c, ctx);
	return confine_end(&c) ? c.version : 0;
}

static void tell(const struct context *ctx, int version, const char *why_files,
		 bool has_calls)
{
	const char *reading = why_reading(ctx);
	char files[256], calls[64] = "no seccomp filter";

	if (!ctx->options->verbose)
		return;
	if (version)
		snprintf(files, sizeof files, "%s (landlock %d)%s%s",
			 reading ? "files to write" : "files", version,
			 reading ? ", none to read: " : "",
			 reading ? reading : "");
	else
		snprintf(files, sizeof files, "no files, without landlock: %s",
			 why_files);
	if (has_calls)
		snprintf(calls, sizeof calls, "programs (seccomp)");
	message_info("sandbox: %s; %s", calls, files);
}

void sandbox_enter(const struct context *ctx)
{
	const char *none = why_none(ctx);
	const char *pager = pager_command(ctx->options);
	const char *why_files;
	bool has_calls;
	int version;

	if (none) {
		if (ctx->options->verbose)
			message_info("sandbox: none, %s", none);
		return;
	}
	if (pager)
		pager_prepare(pager);
	version = enter_files(ctx);
	why_files = strerror(errno);
	has_calls = confine_calls();
	tell(ctx, version, why_files, has_calls);
}
