/* SPDX-License-Identifier: Apache-2.0
 *
 * What a server of profiles is: how each question is put to it, what its
 * answers mean, and what it can do. A kind of server is one such object in a
 * room of its own, and what it has to remember during a run is side->room.
 * Knows no server by name, and not who asks.
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

/* The abilities of a server. Code outside backend/ asks for these, not for the
 * name of a server. */
struct profile_traits {
	/* Samples can be selected by the ids of their spans. */
	bool has_span_samples;
	/* Nothing is selected: a list of profiles is fetched and added up, so
	 * that further questions of the same list cost nothing. */
	bool is_list;
	/* Services are called by targets of the platform's own (jobs, Cloud
	 * Run services) as well. */
	bool has_targets;
	/* How long profiles are kept; 0: as its operator wants it. */
	int64_t retention_ns;
};

struct profile_query {
	const char *type_id;  /* five parts */
	const char *selector; /* '{service_name="x"}' */
	struct time_range range;
	const uint64_t *span_ids; /* repeats count once */
	size_t span_id_count; /* at most LIMIT_COHORT_SPANS; 0: all samples */
	int64_t max_nodes;    /* of a tree; 0: the server's own limit */
	bool wants_lines;     /* of spans, if the server has them */
	/* The range goes on from that of another query. What began before it
	 * is of that one, where profiles have a length. */
	bool is_continued;
};

/* How an answer with a profile is to be read. */
struct profile_form {
	enum format format;
	const char *note; /* what is to be said of it; NULL: nothing */
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
	struct str *values; /* count rows; NULL ptr: the series has no such */
	size_t count;
	size_t label_count; /* values a row */
};

/* The sums of samples of one type, step by step, by the values of one label or
 * two. */
struct totals_query {
	const char *type_id;
	const char *selector;
	const char *label;
	const char *beside; /* by the values of this one, too; NULL: none */
	int64_t from_ms;
	int64_t step_ms;   /* above 0 */
	size_t step_count; /* at least 2: servers answer one point with none */
};

struct total {
	struct str name; /* the label's value; empty: without the label */
	struct str beside;
	double *values;  /* of each step, none below 0 */
};

struct totals {
	struct total *items; /* in the server's order */
	size_t count;        /* at most LIMIT_NAMES */
};

/* Requests are built for a side, with what its room remembers. Answers set err
 * for all but success, and put lists into b->arena. */
struct profile_backend {
	const char *name;  /* as messages begin: "pyroscope" */
	const char *title; /* "Pyroscope" */
	struct profile_traits traits;
	const struct profile_checkup *checkup; /* what doctor looks at */

	/* Before each question: learns what has to be known first, by requests
	 * of its own. False: this is no such server. NULL: nothing is to be
	 * known. */
	bool (*learn)(struct backends *b, struct error *err);
	/* Whether this server, taken for another kind, may have answered so.
	 * NULL: it is always called by its name. */
	bool (*is_likely)(const struct http_response *response);
	/* Frees side->room, which is not NULL. NULL: it needs none. */
	void (*release)(void *room);

	/* Keeps what is fetched in this folder, for later runs of the same
	 * scope (NULL: none); whether it can. NULL: nothing is worth it. */
	bool (*keep)(struct side *side, const char *folder, const char *scope);
	/* Why what is kept is of no use; NULL: it is. Goes with keep. */
	const struct error *(*lost)(const struct side *side);

	/* Answers all jobs that ask something of profiles, without requests of
	 * theirs; the others stay as they are. What goes wrong with an answer
	 * is in its job; false when nothing can go on. NULL: it is asked job by
	 * job, by all that follows. */
	bool (*answer_jobs)(struct backends *b, struct job *const *jobs,
			    size_t n, struct error *err);
	/* All profiles one by one, as they were sent. NULL: it
	 * gives sums only. */
	bool (*each)(struct backends *b, const struct whole_query *query,
		     const struct whole_taker *taker, struct error *err);
	/* How many profiles an answer is of, and how many more those of a wider
	 * window would be, as notes; for a query that was answered with so many
	 * samples. around: the window around a trace, of which the query may be
	 * the part that was slow; NULL without one. NULL: it is of all there
	 * was. */
	void (*note_extent)(struct backends *b,
			    const struct profile_query *query, int64_t samples,
			    const struct time_range *around);
	/* Reads the names of services, or the ids of types, that an answer
	 * which was kept has; url and what was sent there tell what it is.
	 * NULL, or false: none. */
	bool (*kept_names)(struct backends *b, const char *url,
			   struct str asked,
			   const struct http_response *response, bool is_types,
			   struct name_list *names, struct error *err);
	/* Answers to lists lead to further requests at once. */
	bool asks_on;

	/* Services that sent profiles in a range. */
	bool (*services_request)(const struct side *side,
				 struct time_range range,
				 struct http_request *request,
				 struct error *err);
	bool (*services_answer)(const struct backends *b,
				const struct http_response *response,
				struct name_list *names, struct error *err);
	/* Full ids of the types of what the query selects; it has no labels. */
	bool (*types_request)(const struct side *side,
			      const struct series_query *query,
			      struct http_request *request, struct error *err);
	bool (*types_answer)(struct backends *b,
			     const struct series_query *query,
			     const struct http_response *response,
			     struct name_list *types, struct error *err);
	/* Which series the query selects. */
	bool (*series_request)(const struct side *side,
			       const struct series_query *query,
			       struct http_request *request, struct error *err);
	bool (*series_answer)(struct backends *b,
			      const struct series_query *query,
			      const struct http_response *response,
			      struct series_list *series, struct error *err);

	/* A profile; attempts from best to last. */
	unsigned (*profile_attempts)(const struct profile_query *query);
	/* The first of them that brings names only. */
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
	/* The file that an answer wraps, appended to plain. NULL: it is the
	 * body itself. */
	bool (*profile_unwrap)(const struct side *side,
			       const struct http_response *response,
			       struct buf *plain, struct error *err);
	/* Whether samples of spans come with files and lines, as far as is
	 * known. NULL: never. */
	bool (*has_span_lines)(const struct side *side);
	/* Whether values of this type are totals since each process began,
	 * which say little of a window. NULL: of none. */
	bool (*counts_totals)(const struct side *side, struct str type_id);
	/* The limit that this answer names when it refuses max_nodes as too
	 * many; 0: it is something else, or names none. NULL: none does. */
	int64_t (*node_limit)(const struct http_response *response);
	/* The longest window the server takes, when this answer refuses a
	 * longer one; 0: it is something else. NULL: it takes any. */
	int64_t (*window_limit_ns)(const struct http_response *response);

	/* How many snapshots a gauge's profile sums up; attempts from best to
	 * last, by instance where the label is not NULL. */
	unsigned snapshots_attempts;
	bool (*snapshots_request)(const struct side *side,
				  const struct profile_query *query,
				  const char *instance_label, unsigned attempt,
				  struct http_request *request,
				  struct error *err);
	enum answer (*snapshots_answer)(const struct side *side,
					const struct http_response *response,
					int64_t *count, struct error *err);

	/* ERROR_NOT_FOUND: there is no such type at all. */
	bool (*totals_request)(const struct side *side,
			       const struct totals_query *query,
			       struct http_request *request, struct error *err);
	bool (*totals_answer)(const struct backends *b,
			      const struct totals_query *query,
			      const struct http_response *response,
			      struct totals *totals, struct error *err);
};

/* Profiles one by one, as agents sent them or as they lie on disk, from whoever
 * has them so. */

struct whole_label {
	struct str name; /* "service_name", "version", "zone" */
	struct str value;
};

/* All is the giver's. */
struct whole_profile {
	struct str name;  /* tells it from all others of its source */
	struct str kind;  /* of samples, as Pyroscope calls it: "process_cpu" */
	struct str bytes; /* pprof, gzip or plain; empty before it is fetched */
	int64_t start_ns; /* 0: not known */
	struct whole_label labels[LIMIT_STORED_LABELS + 1];
	size_t label_count;
	bool is_narrowed; /* counts since the process began are left out */
};

struct whole_query {
	const char *service; /* of files: whose they are; NULL: all */
	struct time_range range;
	/* Files, and no server. */
	const char *const *paths;
	size_t path_count;
	/* For who adds up what comes: without counts since a process began. */
	bool is_for_sums;
};

struct whole_taker {
	/* Called for each first: whether it is wanted. */
	bool (*wants)(void *context, const struct whole_profile *profile);
	/* Called for those that are wanted. bytes are empty where there is no
	 * reading it: why says more. False with err ends it. */
	bool (*take)(void *context, const struct whole_profile *profile,
		     const struct error *why, struct error *err);
	void *context;
};

/* Lists of answers that grow in an arena while an answer is read, whichever
 * server sent it. Past their limit they take no more, which is no failure. */

struct name_gatherer {
	struct arena *arena;
	struct name_list *list;
	size_t cap;
	bool is_failed; /* no memory */
};

void name_gatherer_init(struct name_gatherer *g, struct arena *arena,
			struct name_list *list);
void name_gatherer_add(struct name_gatherer *g, struct str name);
/* [".."], for answer_read_field(). */
void name_gatherer_read(struct json_reader *r, void *name_gatherer);
/* Sorts the list. */
bool name_gatherer_finish(struct name_gatherer *g,
			  struct error *err) MUST_CHECK;

/* Appends another part's names, and sorts again. */
bool name_list_add(struct name_list *list, struct arena *arena,
		   const struct name_list *part, struct error *err) MUST_CHECK;

/* Appends series by the same labels. One of several parts is listed as often,
 * which readers must expect of servers anyway. */
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
/* Room for one more, empty; NULL past the limit or without memory. */
struct total *total_gatherer_add(struct total_gatherer *g);
bool total_gatherer_finish(const struct total_gatherer *g,
			   struct error *err) MUST_CHECK;

#endif
