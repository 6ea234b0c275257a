/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/input.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/num.h"
#include "base/out.h"
#include "base/redact.h"
#include "decode/snapshot.h"

bool input_is_absent(int error_number)
{
	return file_is_absent(error_number) || error_number == ENAMETOOLONG;
}

bool input_fail_address(struct str text, struct error *err)
{
	struct buf shown;

	buf_init(&shown, LIMIT_OPTION_VALUE_BYTES);
	url_redact(&shown, text);
	error_set(err, ERROR_USAGE,
		  "%.200s is an address, not a file: a server's goes behind "
		  "--traces-url or --profiles-url",
		  buf_text(&shown));
	buf_release(&shown);
	return false;
}

bool input_check(const char *path, struct error *err)
{
	if (!strcmp(path, "-") || access(path, F_OK) == 0 ||
	    !input_is_absent(errno))
		return true;
	return strstr(path, "://") ? input_fail_address(str_from(path), err)
				   : file_fail_read(path, errno, err);
}

/* Stops an endless pipe, or a file of zeros, at the bytes that show its
 * format. */
static bool may_go_on(void *context, struct str front, struct error *err)
{
	const struct input *in = context;
	char looks_like[sizeof in->looks_like];

	return !format_is_none(front, looks_like, sizeof looks_like) ||
	       error_set(err, ERROR_FORMAT,
			 "%s: none of the formats that are read; it begins "
			 "like %s",
			 in->name, looks_like);
}

/* Reads a file; "-" is standard input. */
static bool input_read(struct input *in, const char *path, struct error *err)
{
	in->name = strcmp(path, "-") ? path : "standard input";
	in->feed = NULL;
	buf_init(&in->raw, LIMIT_FILE_BYTES);
	buf_init(&in->plain, LIMIT_FILE_PLAIN_BYTES);
	if (!input_check(path, err) ||
	    !file_read_judged(path, &in->raw, may_go_on, in, err))
		return false;
	in->bytes = decode_plain(buf_str(&in->raw), in->name, &in->plain, err);
	if (!in->bytes.ptr)
		return false;
	/* A large file is released once it is decompressed. */
	if (in->bytes.ptr == in->plain.data)
		buf_release(&in->raw);
	in->format =
		format_sniff(in->bytes, in->looks_like, sizeof in->looks_like);
	return true;
}

bool input_open(struct input *in, const char *path, struct error *err)
{
	bool is_regular;
	struct feed *feed;

	if (!strcmp(path, "-"))
		return input_read(in, path, err);
	*in = (struct input){ .name = path };
	feed = feed_open(path, LIMIT_FILE_BYTES, LIMIT_FILE_PLAIN_BYTES,
			 &is_regular, err);
	if (!feed)
		return !is_regular && input_read(in, path, err);
	/* A format that needs the whole input to be detected is not accepted
	 * here. */
	in->format = format_sniff(feed_front(feed), in->looks_like,
				  sizeof in->looks_like);
	if (format_is_streamed(in->format)) {
		in->feed = feed;
		return true;
	}
	in->format = FORMAT_UNKNOWN;
	feed_free(feed);
	return input_read(in, path, err);
}

/* formats: the accepted ones, for the message. */
static bool is_known(const struct input *in, const char *formats,
		     struct error *err)
{
	return in->format != FORMAT_UNKNOWN ||
	       error_set(err, ERROR_FORMAT,
			 "%s: none of the %s; it looks like %s", in->name,
			 formats, in->looks_like);
}

bool input_open_trace(struct input *in, const char *path, struct error *err)
{
	if (!input_open(in, path, err))
		return false;
	/* The command determines which of the two is meant. */
	if (in->format == FORMAT_CHROME_TRACE)
		in->format = FORMAT_CHROME_SPANS;
	if (format_is_profile(in->format))
		return error_set(err, ERROR_FORMAT,
				 "%s: a trace is needed, this is a profile "
				 "(%s); try tracefind profile or diff",
				 in->name, format_name(in->format));
	if (!is_known(in,
		      "trace formats (OTLP JSON or protobuf, Jaeger JSON, "
		      "Zipkin JSON, Cloud Trace JSON, AWS X-Ray JSON, "
		      "Datadog JSON, Chrome traces)",
		      err))
		return false;
	if (!in->feed)
		in->feed = decode_feed(in->format, in->bytes, err);
	return in->feed;
}

/* Profiles of a run are often in a folder of their own. */
static bool is_folder(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool open_file(struct input *in, const char *path, struct error *err)
{
	if (is_folder(path)) {
		*in = (struct input){ .name = path };
		return error_set(err, ERROR_USAGE,
				 "%s: a folder, not a profile; its files are "
				 "added up by tracefind profile %s/* "
				 "-o pprof=sum.pb.gz",
				 path, path);
	}
	return input_open(in, path, err);
}

bool input_open_either(struct input *in, const char *path, struct error *err)
{
	if (!open_file(in, path, err))
		return false;
	return is_known(in,
			"formats of profiles or traces (tracefind help profile "
			"lists the former)",
			err);
}

bool input_open_profile(struct input *in, const char *path, struct error *err)
{
	if (!open_file(in, path, err))
		return false;
	if (format_is_trace(in->format))
		return error_set(err, ERROR_FORMAT,
				 "%s: a profile is needed, this is a trace "
				 "(%s); try tracefind slow or show",
				 in->name, format_name(in->format));
	return is_known(
		in, "profile formats (tracefind help profile lists them)", err);
}

bool input_each_trace(struct input *in,
		      bool (*take)(void *context, const struct trace *t,
				   struct error *err),
		      void *context, struct notes *notes, struct error *err)
{
	return decode_each_trace(in->format, in->feed, take, context, notes,
				 err) ||
	       error_prefix(err, "%s", in->name);
}

bool input_is_profile(const char *path)
{
	struct error ignored;
	struct input in;
	struct stat st;
	bool is_it;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	is_it = input_open(&in, path, &ignored) &&
		format_is_profile(in.format) && in.format != FORMAT_CHROME_TRACE;
	input_release(&in);
	return is_it;
}

bool input_is_snapshot(const char *path)
{
	char front[64];
	int fd = strcmp(path, "-") ? confine_open(path, O_RDONLY) : -1;
	ssize_t n = fd < 0 ? 0 : read(fd, front, sizeof front);

	if (fd >= 0)
		close(fd);
	return n > 0 && snapshot_is((struct str){ front, (size_t)n });
}

bool input_read_snapshot(struct snapshot *s, const char *path,
			 struct error *err)
{
	struct buf text;
	bool done;

	buf_init(&text, LIMIT_SNAPSHOT_BYTES);
	done = file_read(path, &text, err) &&
	       (snapshot_read(s, buf_str(&text), err) ||
		error_prefix(err, "%s", path));
	buf_release(&text);
	if (done && !s->source.len)
		s->source = str_from(path);
	return done;
}

void input_release(struct input *in)
{
	feed_free(in->feed);
	buf_release(&in->raw);
	buf_release(&in->plain);
}

/* The files in a list of paths, with folders replaced by the profiles in them,
 * sorted by name. Reads no file. */

/* Suffixes of profiles by tools; other files in the folder, such as the output
 * of a benchmark, are skipped. */
static const char *const suffixes[] = {
	".pb.gz", ".pb",     ".pprof",      ".prof",
	".out",   ".folded", ".collapsed",  ".speedscope.json",
	".perf",  ".jfr",    ".cpuprofile", ".heapprofile",
};

static int compare_paths(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool list_add(struct path_list *out, const char *path, struct error *err)
{
	if (out->count >= LIMIT_ARGUMENTS)
		return error_set(err, ERROR_LIMIT,
				 "more than %u profiles of one side",
				 LIMIT_ARGUMENTS);
	out->items[out->count++] = path;
	return true;
}

static bool list_add_entry(struct path_list *out, const char *folder,
			   const char *name, struct arena *arena,
			   struct error *err)
{
	size_t len = strlen(folder);
	bool has_slash = len && folder[len - 1] == '/';
	struct str all = str_from(name);
	bool is_profile = false;
	struct stat st;
	struct str path;

	for (size_t i = 0; i < COUNT_OF(suffixes) && name[0] != '.'; i++)
		is_profile |= all.len > strlen(suffixes[i]) &&
			      str_ends(all, str_from(suffixes[i]));
	if (!is_profile) {
		out->passed += name[0] != '.';
		return true;
	}
	path = arena_printf(arena, "%s%s%s", folder, has_slash ? "" : "/",
			    name);
	if (!path.ptr)
		return arena_fail(arena, "the names of files", err);
	/* Opening a pipe would block; a missing file is reported when it is
	 * read. */
	if (!stat(path.ptr, &st) && !S_ISREG(st.st_mode)) {
		out->passed++;
		return true;
	}
	return list_add(out, path.ptr, err);
}

static bool list_add_folder(struct path_list *out, const char *path,
			    struct arena *arena, struct error *err)
{
	size_t first = out->count;
	const struct dirent *entry;
	int fd = confine_open(path, O_RDONLY | O_DIRECTORY);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	bool done = folder ||
		    error_set(err, ERROR_USAGE, "%s: %s",
			      value_quote(path).text, strerror(errno));

	while (done && folder && (entry = readdir(folder)))
		done = list_add_entry(out, path, entry->d_name, arena, err);
	if (folder)
		closedir(folder);
	else if (fd >= 0)
		close(fd);
	if (!done)
		return false;
	if (out->count == first)
		return error_set(err, ERROR_NOT_FOUND,
				 "no profile in %s (files that end in .pb.gz, "
				 ".pprof, .prof, .out, .folded...)",
				 value_quote(path).text);
	qsort(out->items + first, out->count - first, sizeof *out->items,
	      compare_paths);
	return true;
}

bool profile_paths_expand(struct path_list *out, const char *const *paths,
			  size_t count, struct arena *arena, struct error *err)
{
	struct stat st;

	*out = (struct path_list){ .items = arena_array(arena, LIMIT_ARGUMENTS,
							sizeof *out->items) };
	if (!out->items)
		return arena_fail(arena, "the names of files", err);
	for (size_t i = 0; i < count; i++) {
		bool is_folder = strcmp(paths[i], "-") != 0 &&
				 !stat(paths[i], &st) && S_ISDIR(st.st_mode);

		if (!(is_folder ? list_add_folder(out, paths[i], arena, err)
				: input_check(paths[i], err) &&
					  list_add(out, paths[i], err)))
			return false;
	}
	return true;
}
