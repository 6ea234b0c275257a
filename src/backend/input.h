/* SPDX-License-Identifier: Apache-2.0
 *
 * A file or standard input as the decoders want it: unpacked, its format
 * recognised.
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
	char looks_like[256]; /* when the format is unknown */
	struct buf raw;
	struct buf plain;
	struct feed *feed; /* the file, when it is streamed; a trace, always */
};

/* Returns whether errno says of a word that no file has this name: there may be
 * none so long. All else is a reason why it cannot be known, to be told. */
bool input_is_absent(int error_number);

/* Says that this is no file but an address, without its password; false. */
bool input_fail_address(struct str text, struct error *err);

/* Refuses a name that no file has, before anybody is asked for the rest. */
bool input_check(const char *path, struct error *err) MUST_CHECK;

/* "-" is standard input; path is borrowed. A regular file whose front tells
 * that its format is streamed (decode.h) is opened only: in->feed is set, and
 * no bytes are. Release also after failure. */
bool input_open(struct input *in, const char *path,
		struct error *err) MUST_CHECK;

/* The same, and what is no trace, or no profile, is refused. */
bool input_open_trace(struct input *in, const char *path,
		      struct error *err) MUST_CHECK;
bool input_open_profile(struct input *in, const char *path,
			struct error *err) MUST_CHECK;
/* Opens a file that is one or the other; what is neither is refused. */
bool input_open_either(struct input *in, const char *path,
		       struct error *err) MUST_CHECK;
/* Returns whether a file is a profile, which no trace can be taken for. A pipe
 * can be read once, and what Chrome traces are wanted for the command tells:
 * they are none. */
bool input_is_profile(const char *path);

/* By its first bytes; what cannot be read is told when it is. */
bool input_is_snapshot(const char *path);
/* Into an initialised s, whose source is the path where it names none. */
bool input_read_snapshot(struct snapshot *s, const char *path,
			 struct error *err) MUST_CHECK;

/* decode_each_trace() of what input_open_trace() opened; errors name it. */
bool input_each_trace(struct input *in,
		      bool (*take)(void *context, const struct trace *t,
				   struct error *err),
		      void *context, struct notes *notes,
		      struct error *err) MUST_CHECK;
void input_release(struct input *in);

/* The files that a list of paths means where some of them are folders: the
 * profiles in it, by their names. Reads no file. */

struct path_list {
	const char **items; /* in the arena, or those given */
	size_t count;
	size_t passed; /* files of folders whose names are no profile's */
};

/* A folder stands for the profiles right in it, in the order of their names;
 * all else stands for itself. ERROR_USAGE: no such path. ERROR_NOT_FOUND: no
 * profile in a folder. ERROR_LIMIT: more than LIMIT_ARGUMENTS. */
bool profile_paths_expand(struct path_list *out, const char *const *paths,
			  size_t count, struct arena *arena,
			  struct error *err) MUST_CHECK;

/* Source lines from the disk for a listing. Where a file is looked for follows
 * pprof: its name is trimmed (path_trim()); an absolute one must be there, of
 * another every folder of the search path and all folders above it are tried.
 * Knows neither options nor what the lines are of. */

struct source_places {
	struct str trim_path; /* cut off the names, as path_trim() does */
	struct str folders;   /* to look in, as path_list_next() reads them;
			       * empty: the working folder */
};

/* Puts into path where the file called so lies. False: it is not there. */
bool source_file_find(const struct source_places *places, struct str name,
		      struct buf *path);

/* Replaces the lines of each listing by all lines around them, with their
 * text, or says why there is no source. False only without memory. */
bool source_files_read(const struct source_places *places,
		       struct listings *l, struct error *err) MUST_CHECK;

#endif
