/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of Cloud Profiler's profiles, fetched once a run, and the bytes of
 * those that are needed. Pages with wanted profiles are fetched again, as many
 * at a time as requests may run side by side.
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

/* Returns the list, borrowed from b and fetched on first use; NULL with err on
 * failure. *is_fatal: the run cannot go on; else the server refused. */
const struct profile_list *cloud_profiles_list(struct backends *b,
					       bool *is_fatal,
					       struct error *err) MUST_CHECK;

/* Receives a wanted profile as its agent sent it; takes over the bytes.
 * *is_good: it can be read, and is worth caching for later runs. False with err
 * ends the fetching. */
typedef bool (*cloud_profile_take)(void *context, uint32_t index,
				   struct str bytes, bool *is_good,
				   struct error *err);

/* Fetches the profiles with is_wanted[index] and passes each on once. Those
 * that the server no longer returns are noted. Returns false on failure, as
 * above. */
bool cloud_profiles_fetch(struct backends *b, const bool *is_wanted,
			  cloud_profile_take take, void *context,
			  bool *is_fatal, struct error *err) MUST_CHECK;

/* Cloud Profiler's types of profiles, by the ids that other servers use, so
 * that --type and the order of evidence mean the same everywhere. */

struct cloud_type {
	enum stored_type type;
	const char *id;
	/* The name of its sample type in files of most languages, as in struct
	 * profile_want; "": the default of the file. */
	const char *sample;
	/* The name that agents of other languages use; "": no other. */
	const char *other;
	bool is_main; /* the default type of the file; others accompany it */
};

/* Returns the types that profiles of this type contain, best first; a heap file
 * holds bytes and objects. Sets *count. */
const struct cloud_type *cloud_types_of(enum stored_type type, size_t *count);

/* Returns the type with this id; NULL: Cloud Profiler has no such type. */
const struct cloud_type *cloud_type_find(struct str id);

/* Answers Pyroscope's kinds of query from Cloud Profiler's list: names, types,
 * series, snapshots, and profiles as the sum of those that match. */

/* For struct profile_backend. */
bool cloud_answers(struct backends *b, struct job *const *jobs, size_t n,
		   struct error *err) MUST_CHECK;

/* Adds a note if an answer covers few profiles of one instance, with the option
 * for a wider window. */
void cloud_answers_note(struct backends *b, const struct profile_query *query,
			int64_t samples, const struct time_range *around);

/* A profile summed from many short ones that arrive one after another: they are
 * decoded on arrival and added up a few at a time, so that memory holds the sum
 * and a few of them. */

struct cloud_sum;

/* Drops the data of unwanted profiles from a page of Cloud Profiler's list
 * while it is received. A page has 1,000 profiles of which about ten are
 * wanted; the data of the others would be a hundred MiB. */

/* Maximum size of a profile's full name, "projects/my-project/profiles/" and
 * some 50 bytes chosen by the server. Profiles with longer names are kept. */
#define CLOUD_SIEVE_NAME_BYTES 256

struct cloud_sieve {
	struct http_sieve sieve; /* for struct http_request */
	bool (*is_wanted)(void *context, struct str name);
	void *context;
	/* private */
	unsigned depth;
	bool is_string;  /* between two quotes */
	bool is_escaped; /* after a backslash */
	bool is_dropped; /* the content of this string */
	bool is_plain;   /* the text below is the whole string so far */
	size_t len;
	char text[CLOUD_SIEVE_NAME_BYTES];
	/* The profile that is being received. */
	enum { CLOUD_KEY_OTHER, CLOUD_KEY_NAME, CLOUD_KEY_BYTES } key;
	size_t name_len; /* 0: not known yet */
	char name[CLOUD_SIEVE_NAME_BYTES];
};

/* Initializes a sieve that replaces the data of a profile by "" if its name
 * came first and is not wanted. Anything it does not understand passes
 * unchanged: the JSON reader reports it. */
void cloud_sieve_init(struct cloud_sieve *s,
		      bool (*is_wanted)(void *context, struct str name),
		      void *context);

#endif
