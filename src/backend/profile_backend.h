/* SPDX-License-Identifier: Apache-2.0
 *
 * Interface to a kind of profile server: its requests, the reading of its
 * answers, and its capabilities. Each kind is one such object in a folder of
 * its own; its state during a run is side->room.
 */
#ifndef BACKEND_PROFILE_BACKEND_H
#define BACKEND_PROFILE_BACKEND_H

#include "backend/source.h"
#include "base/error.h"
#include "base/json.h"
#include "base/timefmt.h"
#include "decode/decode.h"
#include "model/profile_list.h"

struct backends;
struct job;
struct profile_checkup;
struct whole_query;
struct whole_taker;
struct side;

/* The capabilities of a server. Code outside backend/ checks these and not the
 * name of a server. */
struct profile_traits {
	/* Samples can be selected by span ids. */
	bool has_span_samples;
	/* Profiles are not selected by the server: a list of them is fetched
	 * and added up here, so that further queries of the same list cost
	 * nothing. */
	bool is_list;
	/* Services may also be named by targets of the platform (jobs, Cloud
	 * Run services). */
	bool has_targets;
	/* How long profiles are kept; 0: configured by the operator. */
	int64_t retention_ns;
};

struct profile_query {
	const char *type_id;  /* five parts */
	const char *selector; /* '{service_name="x"}' */
	struct time_range range;
	const uint64_t *span_ids; /* duplicates count once */
	size_t span_id_count; /* at most LIMIT_COHORT_SPANS; 0: all samples */
	int64_t max_nodes;    /* size of a tree; 0: the server's default */
	bool wants_lines;     /* of spans, if the server has them */
	/* The range continues that of another query: profiles that began before
	 * it belong to that one, where profiles have a length. */
	bool is_continued;
};

/* How to read an answer with a profile. */
struct profile_form {
	enum format format;
	const char *note; /* a note to show; NULL: none */
};

/* Series by labels. */
struct series_query {
	const char *selector;
	const char *const *labels;
	size_t label_count;
	struct time_range range;
};

/* In the server's order, at most LIMIT_SERIES. */
struct series_list {
	struct str *values; /* count rows; NULL ptr: the series lacks the
			     * label */
	size_t count;
	size_t label_count; /* values per row */
};

/* Sums of samples of one type per step, grouped by one or two labels. */
struct totals_query {
	const char *type_id;
	const char *selector;
	const char *label;
	const char *beside; /* second label to group by; NULL: none */
	int64_t from_ms;
	int64_t step_ms;   /* above 0 */
	size_t step_count; /* at least 2: servers return nothing for one
			    * point */
};

struct total {
	struct str name; /* the label's value; empty: without the label */
	struct str beside;
	double *values;  /* one per step, none below 0 */
};

struct totals {
	struct total *items; /* in the server's order */
	size_t count;        /* at most LIMIT_NAMES */
};

/* Requests are built for a side and the state of its server. Functions for
 * answers set err unless they succeed, and put lists into b->arena. */
struct profile_backend {
	const char *name;  /* at the start of messages: "pyroscope" */
	const char *title; /* "Pyroscope" */
	struct profile_traits traits;
	const struct profile_checkup *checkup; /* the checks of doctor */

	/* Called before each query: sends the requests whose answers are needed
	 * first. Returns false if this is not a server of this kind. NULL:
	 * nothing needed. */
	bool (*learn)(struct backends *b, struct error *err);
	/* Returns whether such an answer, to a request for another kind of
	 * server, may come from this kind. NULL: this kind is always named by a
	 * prefix. */
	bool (*is_likely)(const struct http_response *response);
	/* Frees side->room, which is not NULL. NULL: no state. */
	void (*release)(void *room);

	/* Sets the folder of a cache for later runs of the same scope (NULL:
	 * none); returns whether it can be used. NULL: nothing is worth
	 * caching. */
	bool (*keep)(struct side *side, const char *folder, const char *scope);
	/* Returns why the cache is of no use; NULL: it is usable. Set together
	 * with keep. */
	const struct error *(*lost)(const struct side *side);

	/* Answers all jobs about profiles without requests of the jobs; other
	 * jobs are left alone. Errors of one answer are set in its job; returns
	 * false if nothing can go on. NULL: jobs are run one by one, with the
	 * functions below. */
	bool (*answer_jobs)(struct backends *b, struct job *const *jobs,
			    size_t n, struct error *err);
	/* Passes on all profiles one by one, as they were sent. NULL: the
	 * server returns only sums. */
	bool (*each)(struct backends *b, const struct whole_query *query,
		     const struct whole_taker *taker, struct error *err);
	/* Adds notes on how many profiles an answer with this number of samples
	 * covers, and how many more a wider window would add. around: the
	 * window around a trace, of which the query may be the slow part; NULL
	 * without a trace. NULL: the answer always covers all profiles. */
	void (*note_extent)(struct backends *b,
			    const struct profile_query *query, int64_t samples,
			    const struct time_range *around);
	/* Reads the names of services, or the ids of types, in a saved answer;
	 * url and the body that was sent identify it. NULL, or false: none. */
	bool (*kept_names)(struct backends *b, const char *url,
			   struct str asked,
			   const struct http_response *response, bool is_types,
			   struct name_list *names, struct error *err);
	/* Answers to lists cause further requests at once. */
	bool asks_on;

	/* Services that sent profiles in a range. */
	bool (*services_request)(const struct side *side,
				 struct time_range range,
				 struct http_request *request,
				 struct error *err);
	bool (*services_answer)(const struct backends *b,
				const struct http_response *response,
				struct name_list *names, struct error *err);
	/* Full ids of the types of the selected profiles; the query has no
	 * labels. */
	bool (*types_request)(const struct side *side,
			      const struct series_query *query,
			      struct http_request *request, struct error *err);
	bool (*types_answer)(struct backends *b,
			     const struct series_query *query,
			     const struct http_response *response,
			     struct name_list *types, struct error *err);
	/* The selected series. */
	bool (*series_request)(const struct side *side,
			       const struct series_query *query,
			       struct http_request *request, struct error *err);
	bool (*series_answer)(struct backends *b,
			      const struct series_query *query,
			      const struct http_response *response,
			      struct series_list *series, struct error *err);

	/* A profile; attempts from best to last. */
	unsigned (*profile_attempts)(const struct profile_query *query);
	/* Returns the first attempt that returns function names only. */
	unsigned (*names_attempt)(const struct profile_query *query);
	bool (*profile_request)(const struct side *side,
				const struct profile_query *query,
				unsigned attempt, struct http_request *request,
				struct error *err);
	enum answer (*profile_answer)(struct side *side,
				      const struct profile_query *query,
				      unsigned attempt,
				      const struct http_response *response,
				      struct profile_form *form,
				      struct error *err);
	/* Appends the profile file inside of an answer to plain. NULL: the body
	 * is the file. */
	bool (*profile_unwrap)(const struct side *side,
			       const struct http_response *response,
			       struct buf *plain, struct error *err);
	/* Returns whether samples of spans have files and lines, as far as
	 * known. NULL: never. */
	bool (*has_span_lines)(const struct side *side);
	/* Returns whether values of this type are totals since each process
	 * start, which say little about a window. NULL: never. */
	bool (*counts_totals)(const struct side *side, struct str type_id);
	/* Returns the limit named by an answer that refuses max_nodes as too
	 * many; 0: another answer, or no limit named. NULL: there is no such
	 * answer. */
	int64_t (*node_limit)(const struct http_response *response);
	/* Returns the longest window that the server accepts if the answer
	 * refuses a longer one; 0: another answer. NULL: any window is
	 * accepted. */
	int64_t (*window_limit_ns)(const struct http_response *response);

	/* The number of snapshots summed in a gauge's profile; attempts from
	 * best to last, by instance where the label is not NULL. */
	unsigned snapshots_attempts;
	bool (*snapshots_request)(const struct side *side,
				  const struct profile_query *query,
				  const char *instance_label, unsigned attempt,
				  struct http_request *request,
				  struct error *err);
	enum answer (*snapshots_answer)(const struct side *side,
					const struct http_response *response,
					int64_t *count, struct error *err);

	/* ERROR_NOT_FOUND: the type does not exist at all. */
	bool (*totals_request)(const struct side *side,
			       const struct totals_query *query,
			       struct http_request *request, struct error *err);
	bool (*totals_answer)(const struct backends *b,
			      const struct totals_query *query,
			      const struct http_response *response,
			      struct totals *totals, struct error *err);
};

/* Single profiles, as sent by agents or stored on disk, from any source that
 * has them. */

struct whole_label {
	struct str name; /* "service_name", "version", "zone" */
	struct str value;
};

/* All is owned by the source. */
struct whole_profile {
	struct str name;  /* unique within its source */
	struct str kind;  /* of samples, named as in Pyroscope: "process_cpu" */
	struct str bytes; /* pprof, gzip or plain; empty before it is fetched */
	int64_t start_ns; /* 0: not known */
	struct whole_label labels[LIMIT_STORED_LABELS + 1];
	size_t label_count;
	bool is_narrowed; /* values since process start are left out */
};

struct whole_query {
	const char *service; /* for files: the service they are of; NULL: all */
	struct time_range range;
	/* Files instead of a server. */
	const char *const *paths;
	size_t path_count;
	/* The profiles will be added up: leave out values since process
	 * start. */
	bool is_for_sums;
};

struct whole_taker {
	/* Called first for each profile: returns whether it is wanted. */
	bool (*wants)(void *context, const struct whole_profile *profile);
	/* Called for wanted profiles. bytes are empty if it cannot be read: see
	 * why. False with err stops. */
	bool (*take)(void *context, const struct whole_profile *profile,
		     const struct error *why, struct error *err);
	void *context;
};

/* Lists that grow in an arena while the answer of any server is read. Items
 * beyond their limit are dropped, which is not a failure. */

struct name_gatherer {
	struct arena *arena;
	struct name_list *list;
	size_t cap;
	bool is_failed; /* no memory */
};

void name_gatherer_init(struct name_gatherer *g, struct arena *arena,
			struct name_list *list);
void name_gatherer_add(struct name_gatherer *g, struct str name);
/* Reads a JSON array of strings, for answer_read_field(). */
void name_gatherer_read(struct json_reader *r, void *name_gatherer);
/* Sorts the list. */
bool name_gatherer_finish(struct name_gatherer *g,
			  struct error *err) MUST_CHECK;

/* Appends the names of another part, and sorts again. */
bool name_list_add(struct name_list *list, struct arena *arena,
		   const struct name_list *part, struct error *err) MUST_CHECK;

/* Appends series with the same labels. A series of several parts is listed
 * several times, which readers have to expect from servers anyway. */
bool series_list_add(struct series_list *list, struct arena *arena,
		     const struct series_list *part,
		     struct error *err) MUST_CHECK;

struct total_gatherer {
	const struct totals_query *query;
	struct arena *arena;
	struct totals *totals;
	size_t cap;
	bool is_failed; /* no memory */
};

void total_gatherer_init(struct total_gatherer *g,
			 const struct totals_query *query, struct arena *arena,
			 struct totals *totals);
/* Returns a new, empty item; NULL past the limit or without memory. */
struct total *total_gatherer_add(struct total_gatherer *g);
bool total_gatherer_finish(const struct total_gatherer *g,
			   struct error *err) MUST_CHECK;

#endif
