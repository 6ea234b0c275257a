/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the name under which a traced service sends profiles, its types,
 * instances and versions: two requests, sent along with others.
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
 * and profiles name them. A service often runs in several places, whose
 * profiles differ in a label; those of another place are no evidence for a
 * trace. Sends nothing. */

/* Profile labels that name a place, as set by Kubernetes scrapers, agents and
 * SDKs. */
#define PLACE_LABELS 19
extern const char *const place_labels[PLACE_LABELS];

/* The service's series: rows of a list whose labels contain instance_labels[]
 * and place_labels[], each contiguous. */
struct place_rows {
	const struct str *values; /* label_count per row */
	size_t label_count;
	size_t count;
	size_t instance_first;
	size_t place_first;
	/* By row: belongs to the service; places_choose() clears those of other
	 * places. */
	bool *is_ours;
};

/* A label by which the series differ, and its value in the trace. */
struct place {
	const char *label;
	const char *attr; /* of the trace; for an instance: found by its
			   * series */
	struct str value; /* of the label */
};

enum places_trouble {
	PLACES_FINE = 0,
	PLACES_UNTOLD, /* series differ, and the trace has no value */
	PLACES_ABSENT, /* no series has the trace's value */
};

struct place_doubt {
	enum places_trouble trouble;
	const char *label;
	const char *attr;         /* PLACES_ABSENT: in the trace */
	struct str value;         /* the same */
	struct name_list present; /* values of the label */
};

struct places {
	struct place items[PLACE_LABELS];
	size_t count;
	struct place_doubt doubt; /* the first that cannot be resolved */
};

/* Returns whether the process has any attribute that names its place. */
bool places_are_told(const struct trace *trace, uint32_t resource);

/* Chooses rows by the attributes of a process, or by the series of its instance
 * if its attributes do not name the place. is_near: the service is called by
 * this process, and may be in another place. */
bool places_choose(struct place_rows *rows, const struct trace *trace,
		   uint32_t resource, bool is_near, struct arena *arena,
		   struct places *out, struct error *err) MUST_CHECK;

/* Version labels of agents and SDKs, the most specific first. */
#define VERSION_LABELS 5
extern const char *const version_labels[VERSION_LABELS];

/* A lookup by the names that --map and common naming schemes give to a span's
 * process: NAME, namespace/NAME, k8s namespace/NAME, k8s namespace/container,
 * ebpf/namespace/container; matched exactly, then without case, then by
 * suffix. */
struct profile_lookup {
	struct job *jobs[2]; /* for jobs_run() */
	size_t job_count;
	struct profile_lookup_state *state; /* in v->backends->arena */
};

struct profile_service {
	struct str name;        /* its service_name */
	struct str selector;    /* '{service_name="x",...}', NUL-terminated */
	struct str how;         /* "exact", "namespace/name", "--map" ... */
	struct name_list types; /* full ids of existing types */
	struct name_list instances; /* values of instance_label */
	struct name_list versions;  /* values of version_label */
	struct str instance_label;  /* pod, instance ...; NULL ptr: none */
	struct str version_label;   /* version, service_git_ref ...; or NULL */
	struct places places;       /* the selector is limited to these */
};

/* Prepares the jobs. trace may be NULL (a service named by the user). range: of
 * the profiles; names and types are searched in the day before its end. */
bool profile_lookup_init(struct profile_lookup *l, struct investigation *v,
			 const struct trace *trace, uint32_t resource,
			 struct str service, struct time_range range,
			 struct error *err) MUST_CHECK;

/* Sets the process that calls a service named by the user or a span: the
 * service normally runs in the same place. Before the jobs run. */
void profile_lookup_beside(struct profile_lookup *l, const struct trace *trace,
			   uint32_t resource);

/* Returns the selector that is right if the service sends profiles under its
 * traced name with all mapped labels, in v->backends->arena: profiles can be
 * fetched together with the jobs, and again if the lookup has another
 * result. */
bool profile_lookup_guess(const struct profile_lookup *l,
			  struct investigation *v, struct str *selector,
			  struct error *err) MUST_CHECK;

/* Evaluates the jobs after they ran. If the service's series differ by
 * namespace, environment, cluster or region, the selector is limited to the
 * place of the trace, with a note. ERROR_NOT_FOUND: no such service, with the
 * names tried and the nearest existing ones, or no profiles from the place of
 * the trace. Without metadata (the calls failed) the exact name and the default
 * types are assumed, with a note. */
bool profile_lookup_apply(struct profile_lookup *l, struct investigation *v,
			  struct profile_service *out,
			  struct error *err) MUST_CHECK;

/* Returns, after the jobs ran, whether a service of this name, or of the name
 * that --map gives it, sends profiles. */
bool profile_lookup_knows(const struct profile_lookup *l,
			  struct investigation *v, struct str service);

/* Returns the selector with one more matcher, in v->backends->arena:
 * label="value", or label!="value". NULL ptr without memory. */
struct str selector_with(struct investigation *v, struct str selector,
			 struct str label, struct str value, bool is_excluded);

/* Matches service names of traces and profiles, which differ: agents prepend
 * the namespace, some also "ebpf", old ones append ".cpu". Lists the possible
 * names of a process in a trace, and picks one of the existing names. Sends
 * nothing. */

#define NAME_CANDIDATES_MAX 16
#define NAME_DOUBTS_MAX 4
#define NAME_SPACES_MAX 4

/* Best first, without duplicates; the first is the traced name itself. */
struct name_candidates {
	struct str names[NAME_CANDIDATES_MAX];
	const char *how[NAME_CANDIDATES_MAX]; /* "namespace/name" ... */
	size_t count;
	/* Namespaces and environments of the process. */
	struct str spaces[NAME_SPACES_MAX];
	size_t space_count;
};

/* Fills the candidates from the resource's attributes; trace may be NULL. Names
 * live in the arena. */
bool name_candidates_init(struct name_candidates *c, const struct trace *trace,
			  uint32_t resource, struct str service,
			  struct arena *arena, struct error *err) MUST_CHECK;

/* Adds the names that Cloud Profiler may use: the target of a deployment is the
 * service of Cloud Run or App Engine, the container of Kubernetes, or a name
 * set in the code, in lower case (ASCII letters, digits, "-", "_", "."). */
bool name_candidates_add_targets(struct name_candidates *c,
				 const struct trace *trace, uint32_t resource,
				 struct arena *arena,
				 struct error *err) MUST_CHECK;

/* Appends a regular expression (RE2, anchored by the server) that matches all
 * candidates, in any case, the first also after a prefix that ends in '/', and
 * each with ".cpu" appended. */
void name_pattern(const struct name_candidates *c, struct buf *out);

struct name_choice {
	struct str name; /* an existing one; NULL ptr: none */
	const char *how; /* "exact", "namespace/name", "case", "suffix" ... */
	/* Equally good matches, of which none is chosen. */
	struct str doubts[NAME_DOUBTS_MAX];
	size_t doubt_count;
};

/* Chooses an exact match in the order of the candidates, then one without case,
 * then after a prefix, then without ".cpu"; last one with a namespace of the
 * process, or a common word for an environment, before or after it
 * ("prod-cart", "cart.dev", which name_pattern() does not match). */
void name_choose(const struct name_candidates *c,
		 const struct name_list *present, struct name_choice *out);

/* The profile types of a service, or of all services, and the names of the
 * services. */

struct profile_types {
	/* Set by the caller. */
	const char *service; /* only this one; NULL: all */
	struct time_range window;
	/* The answer, in the backends' arena. */
	struct name_list ids;      /* full ones */
	struct name_list services; /* of any type */
};

bool profile_types_ask(struct profile_types *t, struct backends *b,
		       struct error *err) MUST_CHECK;

/* The services that sent profiles in a window: their CPU in total and over
 * time, and their profile types. */

/* Maximum window: longer ones would need steps so long that hardly any fit into
 * the day that a server processes at once. */
#define SERVICES_MAX_NS (20 * NS_PER_DAY)

struct service_row {
	struct str name;
	struct name_list types; /* full ids */
	struct str cpu_type;    /* empty: no CPU profiles */
	double *cpu_ns;         /* per step; NULL: not known */
	double total_ns;
};

struct services {
	/* Set by the caller. */
	struct backends *backends;
	note_taker note;
	const char *service;      /* only this one; NULL: all */
	struct time_range window; /* at most SERVICES_MAX_NS; whole steps when
				   * answered */
	bool asks_kernel; /* also query metrics, for services whose CPU is lower
			   * there */
	/* The answer, in the backends' arena. */
	int64_t step_ms;
	size_t step_count;
	struct str selector;
	struct service_row *rows; /* most CPU first */
	size_t count;
};

/* Fetches everything. No rows: no service sent profiles. If CPU queries fail
 * the rest is returned, with a note. */
bool services_fetch(struct services *s, struct error *err) MUST_CHECK;

/* Returns the names of all services in the window, or in its last day, if the
 * wanted service was not found. Empty also if the server does not return
 * them. */
bool services_ask_names(const struct services *s, struct name_list *names,
			struct error *err) MUST_CHECK;

/* Sweeps all services that send profiles: compares the current profile of each
 * with an earlier one. Four queries per service; profiles are released once
 * they are evaluated. */

static inline void fleet_init(struct fleet *f)
{
	*f = (struct fleet){ .count = 0 };
	arena_init(&f->arena, LIMIT_FLEET_HEAP_BYTES);
}

static inline void fleet_release(struct fleet *f)
{
	arena_release(&f->arena);
}

/* Plans the sweep: finds the services, the most CPU first, and their sides: the
 * given window and baseline, or, without a baseline, the version that came last
 * in the window and the one before it. None: no service sent profiles. Or reads
 * all that from the file at path (NULL: none) and resumes its sweep:
 * *is_resumed. question: the query as text. */
bool fleet_plan(struct fleet *f, struct investigation *v,
		struct fleet_file *file, const char *path, struct str question,
		bool *is_resumed, struct error *err) MUST_CHECK;

/* Queries the services that are FLEET_WAITING, and saves each in the file,
 * except those that the server refused; an error if it refuses many in a
 * row. */
bool fleet_ask(struct fleet *f, struct investigation *v,
	       struct fleet_file *file, struct error *err) MUST_CHECK;

#endif
