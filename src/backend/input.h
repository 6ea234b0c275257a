/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens a file or standard input for the decoders: decompressed, with its
 * format detected.
 */
#ifndef BACKEND_INPUT_H
#define BACKEND_INPUT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "decode/decode.h"
#include "model/call_graph.h"
#include "model/snapshot.h"

struct input {
	const char *name; /* the path, or "standard input" */
	struct str bytes;
	enum format format;
	char looks_like[256]; /* if the format is unknown */
	struct buf raw;
	struct buf plain;
	struct feed *feed; /* the file, if it is streamed; always for a trace */
};

/* Returns whether errno means that there is no file of this name. All other
 * errors leave that open and have to be reported. */
bool input_is_absent(int error_number);

/* Sets the error that the text is an address and not a file, without its
 * password. Returns false. */
bool input_fail_address(struct str text, struct error *err);

/* Fails if no such file exists, before anything is requested from servers. */
bool input_check(const char *path, struct error *err) MUST_CHECK;

/* Opens a file; "-" is standard input; path is borrowed. A regular file in a
 * streamed format (decode.h), detected by its first bytes, is only opened:
 * in->feed is set, and no bytes are. Release also after failure. */
bool input_open(struct input *in, const char *path,
		struct error *err) MUST_CHECK;

/* Opens a trace, or a profile, and fails for anything else. */
bool input_open_trace(struct input *in, const char *path,
		      struct error *err) MUST_CHECK;
bool input_open_profile(struct input *in, const char *path,
			struct error *err) MUST_CHECK;
/* Opens a trace or a profile and fails for anything else. */
bool input_open_either(struct input *in, const char *path,
		       struct error *err) MUST_CHECK;
/* Returns whether a file is certainly a profile, not a trace. False for a pipe,
 * which can be read only once, and for Chrome traces, whose meaning depends on
 * the command. */
bool input_is_profile(const char *path);

/* Returns whether a file is a snapshot, by its first bytes; read errors are
 * reported when the file is read. */
bool input_is_snapshot(const char *path);
/* Reads a snapshot into an initialized s; the path is its source if it names
 * none. */
bool input_read_snapshot(struct snapshot *s, const char *path,
			 struct error *err) MUST_CHECK;

/* Calls decode_each_trace() for the input of input_open_trace(); errors name
 * it. */
bool input_each_trace(struct input *in,
		      bool (*take)(void *context, const struct trace *t,
				   struct error *err),
		      void *context, struct notes *notes,
		      struct error *err) MUST_CHECK;
void input_release(struct input *in);

/* The files in a list of paths, with folders replaced by the profiles in them,
 * sorted by name. Reads no file. */

struct path_list {
	const char **items; /* in the arena, or those given */
	size_t count;
	size_t passed; /* files of folders that were skipped, as their names are
			* not those of profiles */
};

/* Expands the list. A folder becomes the profiles directly in it, in the order
 * of their names; anything else stays. ERROR_USAGE: no such path.
 * ERROR_NOT_FOUND: no profile in a folder. ERROR_LIMIT: more than
 * LIMIT_ARGUMENTS. */
bool profile_paths_expand(struct path_list *out, const char *const *paths,
			  size_t count, struct arena *arena,
			  struct error *err) MUST_CHECK;

/* Source lines from the disk for a listing. The search for a file follows
 * pprof: its name is trimmed (path_trim()); an absolute path must exist, a
 * relative one is searched in every folder of the search path and all folders
 * above it. */

struct source_places {
	struct str trim_path; /* prefixes to strip, as for path_trim() */
	struct str folders;   /* search path, as for path_list_next(); empty:
			       * the working folder */
};

/* Finds the source file of this name and puts its path into path. Returns false
 * if there is none. */
bool source_file_find(const struct source_places *places, struct str name,
		      struct buf *path);

/* Extends each listing to all lines around it, with their text, or sets the
 * reason why there is no source. Returns false only without memory. */
bool source_files_read(const struct source_places *places,
		       struct listings *l, struct error *err) MUST_CHECK;

#endif
