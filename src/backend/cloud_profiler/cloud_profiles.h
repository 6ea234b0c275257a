/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of a Cloud Profiler's profiles, asked for once a run, and the bytes
 * of those that questions are about. Pages that hold wanted profiles are asked
 * for again, as many at a time as requests may run side by side.
 */
#ifndef BACKEND_CLOUD_PROFILES_H
#define BACKEND_CLOUD_PROFILES_H

#include "backend/backends.h"
#include "backend/jobs.h"
#include "base/str.h"
#include "model/profile_list.h"

/* For struct profile_backend. */
void cloud_profiles_free(void *room);
bool cloud_profiles_keep(struct side *side, const char *folder,
			 const char *scope);
const struct error *cloud_profiles_lost(const struct side *side);

/* The list, fetched when it is first needed and borrowed from b; NULL with
 * err when it cannot be had. *is_fatal: nothing can go on; else the server
 * refused. */
const struct profile_list *cloud_profiles_list(struct backends *b,
					       bool *is_fatal,
					       struct error *err) MUST_CHECK;

/* A profile that was asked for, as its agent sent it; the bytes are the
 * reader's. *is_good: it can be read, and is worth keeping for later runs.
 * False with err ends the fetching. */
typedef bool (*cloud_profile_take)(void *context, uint32_t index,
				   struct str bytes, bool *is_good,
				   struct error *err);

/* Fetches the profiles with is_wanted[index], each given away once. Those that
 * the server does not give any more are noted. False: as above. */
bool cloud_profiles_fetch(struct backends *b, const bool *is_wanted,
			  cloud_profile_take take, void *context,
			  bool *is_fatal, struct error *err) MUST_CHECK;

/* Cloud Profiler's types of profiles by the ids that other servers use, so
 * that --type and the ladder of evidence mean the same everywhere. */

struct cloud_type {
	enum stored_type type;
	const char *id;
	/* What its samples are called in files of most languages, as struct
	 * profile_want takes it; "": what the file takes for its own. */
	const char *sample;
	/* What agents of other languages call them; "": nothing else. */
	const char *other;
	bool is_main; /* the file's own type; the others are beside it */
};

/* Those that profiles of this type answer, best first; a file of the heap
 * holds bytes and objects. *count is set. */
const struct cloud_type *cloud_types_of(enum stored_type type, size_t *count);

/* NULL: Cloud Profiler has no such type. */
const struct cloud_type *cloud_type_find(struct str id);

/* The questions for a Pyroscope, answered from Cloud Profiler's list: names,
 * types, series, snapshots, and profiles as the sums of those that match. */

/* For struct profile_backend. */
bool cloud_answers(struct backends *b, struct job *const *jobs, size_t n,
		   struct error *err) MUST_CHECK;

/* Says how little one instance's profiles are, and with what option a wider
 * window is asked for. */
void cloud_answers_note(struct backends *b, const struct profile_query *query,
			int64_t samples, const struct time_range *around);

/* One profile out of many short ones, which come one after another: they are
 * decoded as they come and added up a few at a time, so that memory holds the
 * sum and a few of them. */

struct cloud_sum;

/* Drops the data of unwanted profiles out of a page of Cloud Profiler's list
 * while the page comes in. A page has 1,000 profiles of which a question is
 * about some ten; the others' data would be a hundred MiB. */

/* A profile's name in full, as in "projects/my-project/profiles/" and then
 * some 50 bytes of the server's making. Longer ones are kept. */
#define CLOUD_SIEVE_NAME_BYTES 256

struct cloud_sieve {
	struct http_sieve sieve; /* for struct http_request */
	bool (*is_wanted)(void *context, struct str name);
	void *context;
	/* private */
	unsigned depth;
	bool is_string;  /* between two quotes */
	bool is_escaped; /* behind a backslash */
	bool is_dropped; /* what stands in this string */
	bool is_plain;   /* the text below is the whole string so far */
	size_t len;
	char text[CLOUD_SIEVE_NAME_BYTES];
	/* Of the profile that is coming in. */
	enum { CLOUD_KEY_OTHER, CLOUD_KEY_NAME, CLOUD_KEY_BYTES } key;
	size_t name_len; /* 0: not known yet */
	char name[CLOUD_SIEVE_NAME_BYTES];
};

/* Data whose profile's name came before it and is not wanted becomes "". What
 * is not understood is passed on: the JSON reader judges it. */
void cloud_sieve_init(struct cloud_sieve *s,
		      bool (*is_wanted)(void *context, struct str name),
		      void *context);

#endif
