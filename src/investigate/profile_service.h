/* SPDX-License-Identifier: Apache-2.0
 *
 * Under which name a traced service sends profiles, which types, from which
 * instances and versions: two requests, asked side by side with others.
 */
#ifndef INVESTIGATE_PROFILE_SERVICE_H
#define INVESTIGATE_PROFILE_SERVICE_H

#include "backend/backends.h"
#include "backend/fleet_file.h"
#include "backend/jobs.h"
#include "backend/source.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/instance.h"
#include "investigate/investigation.h"
#include "model/fleet.h"
#include "model/trace.h"

/* Where a process runs: namespace, environment, cluster and region, as traces
 * and profiles name them. One service mostly runs in several, whose profiles
 * differ in a label; those of another place say nothing of a trace. Nothing
 * here asks a server. */

/* Labels of profiles that name a place: as scrapers of Kubernetes, agents and
 * SDKs call them. */
#define PLACE_LABELS 19
extern const char *const place_labels[PLACE_LABELS];

/* The service's series: rows of a list whose labels hold instance_labels[] and
 * place_labels[], each as a block. */
struct place_rows {
	const struct str *values; /* label_count of them a row */
	size_t label_count;
	size_t count;
	size_t instance_first;
	size_t place_first;
	/* By row: of the service; places_choose() clears those elsewhere. */
	bool *is_ours;
};

/* A label by which the series differ, and the trace's value of it. */
struct place {
	const char *label;
	const char *attr; /* of the trace; of an instance: by its series */
	struct str value; /* of the label */
};

enum places_trouble {
	PLACES_FINE = 0,
	PLACES_UNTOLD, /* series differ, and the trace does not say which */
	PLACES_ABSENT, /* the trace says one of which there are none */
};

struct place_doubt {
	enum places_trouble trouble;
	const char *label;
	const char *attr;         /* PLACES_ABSENT: of the trace */
	struct str value;         /* the same */
	struct name_list present; /* values of the label */
};

struct places {
	struct place items[PLACE_LABELS];
	size_t count;
	struct place_doubt doubt; /* the first that nothing settles */
};

/* Returns whether the process has any attribute that names its place. */
bool places_are_told(const struct trace *trace, uint32_t resource);

/* By the attributes of a process, or by the series of its instance where its
 * attributes do not name it. is_near: of a process that is called by this one,
 * and that may as well be elsewhere. */
bool places_choose(struct place_rows *rows, const struct trace *trace,
		   uint32_t resource, bool is_near, struct arena *arena,
		   struct places *out, struct error *err) MUST_CHECK;

/* The labels of agents and SDKs for a version, the most particular first. */
#define VERSION_LABELS 5
extern const char *const version_labels[VERSION_LABELS];

/* The names that --map and the usual schemes make of a span's process: NAME,
 * namespace/NAME, k8s namespace/NAME, k8s namespace/container,
 * ebpf/namespace/container; matched exactly, then by case, then by suffix. */
struct profile_lookup {
	struct job *jobs[2]; /* for jobs_run() */
	size_t job_count;
	struct profile_lookup_state *state; /* in v->backends->arena */
};

struct profile_service {
	struct str name;        /* its service_name */
	struct str selector;    /* '{service_name="x",...}', NUL-terminated */
	struct str how;         /* "exact", "namespace/name", "--map" ... */
	struct name_list types; /* full ids present */
	struct name_list instances; /* values of instance_label */
	struct name_list versions;  /* values of version_label */
	struct str instance_label;  /* pod, instance ...; NULL ptr: none */
	struct str version_label;   /* version, service_git_ref ...; or NULL */
	struct places places;       /* that narrow the selector */
};

/* trace may be NULL (a service named by the user). range: where profiles are
 * wanted; names and types are looked for over the day before its end. */
bool profile_lookup_init(struct profile_lookup *l, struct investigation *v,
			 const struct trace *trace, uint32_t resource,
			 struct str service, struct time_range range,
			 struct error *err) MUST_CHECK;

/* Before the jobs run, of a service that the user or a span named:
 * this process calls it, so that it mostly runs where this one does. */
void profile_lookup_beside(struct profile_lookup *l, const struct trace *trace,
			   uint32_t resource);

/* The selector that is right when the service sends profiles under its own
 * name with all mapped labels, in v->backends->arena: profiles may be asked for
 * along with the jobs, and again when the lookup says otherwise. */
bool profile_lookup_guess(const struct profile_lookup *l,
			  struct investigation *v, struct str *selector,
			  struct error *err) MUST_CHECK;

/* After the jobs ran. Where the service's series differ by namespace,
 * environment, cluster or region, the selector is narrowed to that of the
 * trace, which a note says. ERROR_NOT_FOUND: no such service, with the names
 * tried and the nearest ones there are, or none where the trace is from. Without metadata (the calls failed) the
 * exact name and the usual types are taken, and a note says so. */
bool profile_lookup_apply(struct profile_lookup *l, struct investigation *v,
			  struct profile_service *out,
			  struct error *err) MUST_CHECK;

/* After the jobs ran: whether a service of this name sends profiles, or one
 * that --map names for it. */
bool profile_lookup_knows(const struct profile_lookup *l,
			  struct investigation *v, struct str service);

/* The selector with one more matcher, in v->backends->arena: label="value", or
 * label!="value". NULL ptr without memory. */
struct str selector_with(struct investigation *v, struct str selector,
			 struct str label, struct str value, bool is_excluded);

/* Traces and profiles name the same service differently: agents put the
 * namespace in front, some the word "ebpf" too, old ones ".cpu" behind. Which
 * names a process of a trace may go by, and which of those that exist is
 * meant. Nothing here asks a server. */

#define NAME_CANDIDATES_MAX 16
#define NAME_DOUBTS_MAX 4
#define NAME_SPACES_MAX 4

/* Best first, each once; the first is the traced name itself. */
struct name_candidates {
	struct str names[NAME_CANDIDATES_MAX];
	const char *how[NAME_CANDIDATES_MAX]; /* "namespace/name" ... */
	size_t count;
	/* Namespaces and environments of the process. */
	struct str spaces[NAME_SPACES_MAX];
	size_t space_count;
};

/* From the resource's attributes; trace may be NULL. Names live in the
 * arena. */
bool name_candidates_init(struct name_candidates *c, const struct trace *trace,
			  uint32_t resource, struct str service,
			  struct arena *arena, struct error *err) MUST_CHECK;

/* Adds what Cloud Profiler may call the process: its deployment's target is the
 * service of Cloud Run or App Engine, the container of Kubernetes, or a name
 * that the code gives, in lower case (letters of ASCII, digits, "-", "_", ".").
 */
bool name_candidates_add_targets(struct name_candidates *c,
				 const struct trace *trace, uint32_t resource,
				 struct arena *arena,
				 struct error *err) MUST_CHECK;

/* A regular expression (RE2, anchored by the server) for all candidates, in
 * any case, the first also behind a prefix that ends in '/', and each with
 * ".cpu" behind. */
void name_pattern(const struct name_candidates *c, struct buf *out);

struct name_choice {
	struct str name; /* one of those present; NULL ptr: none */
	const char *how; /* "exact", "namespace/name", "case", "suffix" ... */
	/* Equally good ones, of which none is believed. */
	struct str doubts[NAME_DOUBTS_MAX];
	size_t doubt_count;
};

/* Exact in the order of the candidates, then but for case, then behind a
 * prefix, then without ".cpu"; last with a namespace of the process, or a
 * usual word for an environment, before or behind it ("prod-cart", "cart.dev",
 * which name_pattern() does not find). */
void name_choose(const struct name_candidates *c,
		 const struct name_list *present, struct name_choice *out);

/* Which types of profiles a service sends, or all services, and which services
 * there are. Knows no options. */

struct profile_types {
	/* Set by the caller. */
	const char *service; /* no other; NULL: all */
	struct time_range window;
	/* The answer, in the backends' arena. */
	struct name_list ids;      /* full ones */
	struct name_list services; /* of any type */
};

bool profile_types_ask(struct profile_types *t, struct backends *b,
		       struct error *err) MUST_CHECK;

/* The services that sent profiles in a window: how much CPU each took, how
 * that went over the window, and its types of profiles. Knows no options. */

/* Longer windows would need steps so long that hardly any fit into the day
 * that a server answers at once. */
#define SERVICES_MAX_NS (20 * NS_PER_DAY)

struct service_row {
	struct str name;
	struct name_list types; /* full ids */
	struct str cpu_type;    /* empty: it sends no CPU profiles */
	double *cpu_ns;         /* of each step; NULL: not known */
	double total_ns;
};

struct services {
	/* Set by the caller. */
	struct backends *backends;
	note_taker note;
	const char *service;      /* no other; NULL: all */
	struct time_range window; /* at most SERVICES_MAX_NS; whole steps when
				   * answered */
	bool asks_kernel; /* what metrics counted, where it is less */
	/* The answer, in the backends' arena. */
	int64_t step_ms;
	size_t step_count;
	struct str selector;
	struct service_row *rows; /* most CPU first */
	size_t count;
};

/* Asks for all of it. No rows: none sent profiles.
 * Without an answer about CPU the rest is there, and a note. */
bool services_fetch(struct services *s, struct error *err) MUST_CHECK;

/* Names of all services in the window, or in its last day, where there is none
 * of the name that was wanted. None also where the server does not say. */
bool services_ask_names(const struct services *s, struct name_list *names,
			struct error *err) MUST_CHECK;

/* Every service that sends profiles, asked about in turn: what its functions
 * take now and what they took before. Four questions a service, whose profiles
 * are forgotten when they are counted. No words, no options. */

static inline void fleet_init(struct fleet *f)
{
	*f = (struct fleet){ .count = 0 };
	arena_init(&f->arena, LIMIT_FLEET_HEAP_BYTES);
}

static inline void fleet_release(struct fleet *f)
{
	arena_release(&f->arena);
}

/* Finds out which services there are, the most CPU first, and their sides: the
 * window and the baseline that are set, or, without a baseline, the version that
 * came last in the window and what ran before it there. None: nothing sent
 * profiles. Or takes all that from the file at path (NULL: none is kept), whose
 * sweep then goes on: *is_resumed. question: what is asked, as text. */
bool fleet_plan(struct fleet *f, struct investigation *v,
		struct fleet_file *file, const char *path, struct str question,
		bool *is_resumed, struct error *err) MUST_CHECK;

/* Asks about those that are FLEET_WAITING, and keeps each in the file. Not what
 * the server refused; where it refuses many in a row that is the error. */
bool fleet_ask(struct fleet *f, struct investigation *v,
	       struct fleet_file *file, struct error *err) MUST_CHECK;

#endif
