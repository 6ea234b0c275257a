/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of one investigation: its question, the servers to query, and the
 * result.
 */
#ifndef INVESTIGATE_INVESTIGATION_H
#define INVESTIGATE_INVESTIGATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/backends.h"
#include "backend/source.h"
#include "base/error.h"
#include "base/notes.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "investigate/question.h"
#include "investigate/trace_search.h"
#include "model/profile.h"
#include "model/trace.h"

/* Facts about an investigation besides its result: notes that weaken it, and
 * the shortfall if there is none. Their texts are in report/. */

enum note_kind {
	NOTE_WINDOW_WITHOUT_SPAN,  /* the given window does not contain the
				    * span */
	NOTE_NO_OTHER_TRACES,      /* reason: from the traces server */
	NOTE_TRACE_OF_FILE,        /* hence no other traces */
	NOTE_QUESTIONS_UNANSWERED, /* count of total; reason: of the first */
	NOTE_ONE_KIND_IS_SLOW,     /* cohorts: one instance, one version */
	NOTE_SIDE_MISSING,         /* name: profile or baseline; reason */
	NOTE_SPAN_SAMPLES_MISSING, /* reason */
	NOTE_SPANS_IGNORED,        /* the server returned the whole service */
	NOTE_SPANS_CUT,            /* by the server; the service's are
				    * complete */
	NOTE_NOT_BLAMED_SERVICE,   /* count of functions that grew */
	NOTE_NOT_BLAMED_REQUESTS,  /* the same in similar requests */
	NOTE_WAITED_UNSEEN,        /* no profile shows the waiting code */
	NOTE_NO_BASELINE_ASKED,    /* name: the value of --baseline */
	NOTE_SPANS_WITHOUT_LINES,
	NOTE_SPANS_LINES_OF_SERVICE,
	NOTE_MAP_NO_ATTRIBUTE, /* name: the map */
	NOTE_MAP_NO_LABEL,     /* name: attribute, text: label */
	NOTE_PLACE, /* name=text of its series; reason: attribute of the
		     * trace */
	NOTE_PLACES_MIXED,     /* name: label, names: its values */
	NOTE_NAME_ASSUMED,     /* reason: why the series are not known */
	NOTE_NAME_OTHER,       /* name: of the service in profiles */
	NOTE_VERSIONS_BESIDE,      /* names: versions with profiles in the
				    * window */
	NOTE_TYPE_INSTEAD,     /* instead of CPU; name: the type */
	NOTE_BASELINE_EARLIER, /* name: how much earlier */
	NOTE_BASELINE_EMPTY,
	NOTE_SPAN_HAS_NO_BASELINE,
	NOTE_NOT_BY_REQUEST,  /* number of requests not known */
	NOTE_NOTHING_MATCHES, /* the filters: no rows */
	NOTE_FILTERED,        /* percent left by the filter in name */
	NOTE_FILTERED_SIDE,   /* the same, and all numbers are about the rest */
	NOTE_ZERO_SUM,        /* name: profile or baseline */
	NOTE_STACKLESS,       /* percent of the profile */
	NOTE_LENGTH_UNKNOWN,  /* of a side: compared by share */
	NOTE_WHOLE_RUNS,      /* of slow_ns and base_ns: compared as runs */
	NOTE_CPU_MISSING,     /* for services over time; reason */
	NOTE_SERIES_CUT,      /* there are more than count */
	/* name, text: service and operation in which others became slower;
	 * slow_ns, base_ns: self times */
	NOTE_UNLIKE_OTHERS,
	NOTE_BACKGROUND_LEFT_OUT, /* percent of the profile outside of
				   * requests */
	NOTE_CALLS_LEFT_OUT,      /* waiting for calls */
	NOTE_LINKS_FOLLOWED,      /* to count of total other traces */
	NOTE_LINKS_NOT_ASKED, /* links to this trace; reason: the server's
			       * title */
	NOTE_SNAPSHOTS_UNKNOWN, /* a step may hold several; reason */
	NOTE_METRICS_MISSING,   /* reason: from their server */
	NOTE_FILES_HOLD_NOTHING, /* count of total: no memory in use, no
				  * goroutines */
	NOTE_METRICS_PART,      /* they cover percent of the window */
	NOTE_PROFILE_OVER_KERNEL, /* its CPU in percent of the metrics' */
	NOTE_SERVICES_OVER_KERNEL, /* the same for count services; name: the
				    * highest */
	NOTE_REQUESTS_TRACED,   /* lower bound: sampled traces */
	NOTE_REQUESTS_UNKNOWN,  /* not counted anywhere; reason, or NULL */
	NOTE_SIZE_BELOW_USE,    /* the advice, in percent of the current use */
	NOTE_REQUESTS_SELECTED, /* a selector's requests are not counted */
	NOTE_REQUESTS_SIDES,    /* of one side only: compared per second */
	NOTE_KINDS
};

struct cohorts; /* analyze/contrasts.h */

struct note {
	enum note_kind kind;
	struct str name;
	struct str text;
	const struct cohorts *cohorts;
	const struct name_list *names;
	const char *reason; /* of a server, in its words */
	size_t count;
	size_t total;
	double percent;
	int64_t slow_ns;
	int64_t base_ns;
};

/* Adds the text of a note to the notes, whose order is that of the answers. */
typedef void (*note_taker)(const struct note *note, struct notes *notes);

/* Why there is no profile: a wrong name, a wrong server, an idle window, or one
 * before the retention. */
struct missing_profile {
	struct str service;
	struct str type_id;
	const char *selector; /* the user's, or NULL */
	struct time_range window;
	int64_t now_ns;
	const struct name_list *services; /* services with recent profiles */
	const struct str *tried;          /* names; the first is service */
	size_t tried_count;
	const struct str *doubts; /* equally good matches, none taken */
	size_t doubt_count;
	bool is_known;      /* it has profiles, but not in this window */
	bool has_tenant;    /* one was sent */
	const char *server; /* the server's name */
	/* Retention of the platform; 0: the server is self-hosted. */
	int64_t retention_ns;
	bool has_trace; /* the name came from a trace */
};

enum shortfall_kind {
	SHORTFALL_NONE = 0,
	SHORTFALL_PROFILE,          /* see missing */
	SHORTFALL_TYPE,             /* err has the existing types; service */
	SHORTFALL_NO_TIME,          /* the service has no type of time */
	SHORTFALL_SPAN_SAMPLES,     /* no sample carries the span's id */
	SHORTFALL_COHORT_SAMPLES,   /* nor the ids of similar requests */
	SHORTFALL_SPAN_BY_HAND,     /* manual scope; has_id: the span has an
				     * id */
	SHORTFALL_FAST,             /* no clearly faster requests */
	SHORTFALL_INSTANCE_OF_SPAN, /* its process has no instance name */
	SHORTFALL_INSTANCE_LABEL,   /* profiles of service have no such label */
	SHORTFALL_INSTANCE,         /* none with name=value */
	SHORTFALL_PLACE,            /* attr is value; label name has only
				     * names */
	SHORTFALL_VERSION,          /* value is not among names */
	SHORTFALL_FEW_SPANS,        /* count of operation name of service */
	SHORTFALL_FEW_SPAN_IDS,     /* of count; slow_count and fast_count have
				     * ids */
	SHORTFALL_SPANS,            /* span_id and count - 1 others */
	SHORTFALL_SPANS_IGNORED,
	SHORTFALL_OTHER_VERSION,   /* all profiles are of version value */
	SHORTFALL_BASELINE,        /* has_spans: of those named name */
	SHORTFALL_UNITS,           /* name and value have different units */
	SHORTFALL_FILE,            /* name has no samples */
	SHORTFALL_BASELINE_FILE,   /* the same */
	SHORTFALL_VERSION_OF_FILE, /* files have no versions */
	SHORTFALL_DIFFERENCE, /* a side is already a difference of two */
	SHORTFALL_SNAPSHOT_LENGTH, /* snapshot of runs, candidate of time */
	SHORTFALL_FILTERED,        /* the filters leave nothing */
	SHORTFALL_STACKS,          /* it has only functions and calls */
	SHORTFALL_GAUGE,           /* name is of one moment, hence no cost */
	SHORTFALL_FUNCTION,        /* name in no profile of service */
	SHORTFALL_FUNCTIONS,       /* name matches several: names */
	SHORTFALL_OPERATION,       /* no spans name of service: see traces */
	SHORTFALL_STEPS,           /* no measurements in the window */
	SHORTFALL_FEW_REQUESTS,    /* count of operation name of service */
	SHORTFALL_MEMORY,          /* memory of processes not known; has_id: a
				    * comparison was wanted */
	SHORTFALL_LENGTH, /* of a file, or with has_id of one of two */
	SHORTFALL_NO_CPU,          /* name in value is not CPU time */
	SHORTFALL_VERSION_REQUESTS, /* not counted by version */
	SHORTFALL_LONG_WINDOW,     /* the server accepts count seconds */
	SHORTFALL_KINDS
};

struct shortfall {
	enum shortfall_kind kind;
	struct missing_profile missing;
	struct str service;
	struct str name;
	struct str value;
	const char *attr;
	struct name_list names; /* copied, as it outlives the service */
	bool has_id;
	uint64_t span_id;
	size_t count;
	size_t slow_count;
	size_t fast_count;
	struct trace_lack traces; /* in window */
	struct time_range window;
};

struct investigation {
	const struct question *question;
	struct backends *backends;
	struct trace *trace;
	struct result *result;
	note_taker note; /* NULL: notes are dropped */
	/* Why it failed if err has no message. */
	struct shortfall shortfall;
	/* The profiles that the answer is about, for graphs. */
	struct profile *shown;
	struct profile *shown_baseline;
	bool has_shown;
	bool has_shown_baseline;
};

static inline void investigation_note(const struct investigation *v,
				      struct note note)
{
	if (v->note)
		v->note(&note, v->backends->notes);
}

/* Sets the shortfall and ERROR_NOT_FOUND without a message. Returns false. */
static inline bool investigation_fail(struct investigation *v,
				      struct shortfall shortfall,
				      struct error *err)
{
	v->shortfall = shortfall;
	return error_set(err, ERROR_NOT_FOUND, "%s", "");
}

#endif
