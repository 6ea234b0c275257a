/* SPDX-License-Identifier: Apache-2.0
 *
 * One question on its way to an answer: who is asked, and where what was found
 * goes. Knows no options; prints nothing.
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

/* The side of an investigation beside its answer, as facts: what weakens it
 * (notes), and why there is none (a shortfall). The words stand in report/. */

enum note_kind {
	NOTE_WINDOW_WITHOUT_SPAN,  /* the window given does not hold it */
	NOTE_NO_OTHER_TRACES,      /* reason: of the trace server */
	NOTE_TRACE_OF_FILE,        /* so there are no others, either */
	NOTE_QUESTIONS_UNANSWERED, /* count of total; reason: the first's */
	NOTE_ONE_KIND_IS_SLOW,     /* cohorts: one instance, one version */
	NOTE_SIDE_MISSING,         /* name: profile or baseline; reason */
	NOTE_SPAN_SAMPLES_MISSING, /* reason */
	NOTE_SPANS_IGNORED,        /* the server gave the whole service */
	NOTE_SPANS_CUT,            /* by the server: the service is whole */
	NOTE_NOT_BLAMED_SERVICE,   /* count of functions that grew */
	NOTE_NOT_BLAMED_REQUESTS,  /* the same, of requests like it */
	NOTE_WAITED_UNSEEN,        /* no profile shows who waits */
	NOTE_NO_BASELINE_ASKED,    /* name: what --baseline says */
	NOTE_SPANS_WITHOUT_LINES,
	NOTE_SPANS_LINES_OF_SERVICE,
	NOTE_MAP_NO_ATTRIBUTE, /* name: the map */
	NOTE_MAP_NO_LABEL,     /* name: attribute, text: label */
	NOTE_PLACE, /* name=text of its series; reason: the trace's attribute */
	NOTE_PLACES_MIXED,     /* name: label, names: its values */
	NOTE_NAME_ASSUMED,     /* reason: why the series are not known */
	NOTE_NAME_OTHER,       /* name: under which profiles are sent */
	NOTE_VERSIONS_BESIDE,      /* names: they sent the window's profiles */
	NOTE_TYPE_INSTEAD,     /* of CPU; name: the type */
	NOTE_BASELINE_EARLIER, /* name: by how much */
	NOTE_BASELINE_EMPTY,
	NOTE_SPAN_HAS_NO_BASELINE,
	NOTE_NOT_BY_REQUEST,  /* their number is not known */
	NOTE_NOTHING_MATCHES, /* the filters: no rows */
	NOTE_FILTERED,        /* percent of what name says is left */
	NOTE_FILTERED_SIDE,   /* the same, and all numbers are of it */
	NOTE_ZERO_SUM,        /* name: profile or baseline */
	NOTE_STACKLESS,       /* percent of the profile */
	NOTE_LENGTH_UNKNOWN,  /* of what is compared: by share */
	NOTE_WHOLE_RUNS,      /* of slow_ns and base_ns, and so compared */
	NOTE_CPU_MISSING,     /* of services over time; reason */
	NOTE_SERIES_CUT,      /* there are more than count */
	NOTE_UNLIKE_OTHERS,   /* name, text: service and operation in which they
				 became slower, own times slow_ns, base_ns */
	NOTE_BACKGROUND_LEFT_OUT, /* percent of the profile that no request
				     waits in */
	NOTE_CALLS_LEFT_OUT,      /* waits for calls */
	NOTE_LINKS_FOLLOWED,      /* to count other traces, of total */
	NOTE_LINKS_NOT_ASKED, /* who links here; reason: the server's title */
	NOTE_SNAPSHOTS_UNKNOWN, /* a step may hold several; reason */
	NOTE_METRICS_MISSING,   /* reason: of their server */
	NOTE_FILES_HOLD_NOTHING, /* count of total: nothing that stays */
	NOTE_METRICS_PART,      /* they are of percent of the window */
	NOTE_PROFILE_OVER_KERNEL, /* CPU of it in percent of the metrics' */
	NOTE_SERVICES_OVER_KERNEL, /* the same of count services, at most of
				      name */
	NOTE_REQUESTS_TRACED,   /* more were served where traces are sampled */
	NOTE_REQUESTS_UNKNOWN,  /* nobody counted them; reason, or NULL */
	NOTE_SIZE_BELOW_USE,    /* the hint, in percent of what it uses now */
	NOTE_REQUESTS_SELECTED, /* nobody counts those of a selector */
	NOTE_REQUESTS_SIDES,    /* of a side not: compared by the second */
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

/* Takes a note as it comes; kept in the order of what servers say. */
typedef void (*note_taker)(const struct note *note, struct notes *notes);

/* Why there is no profile: a wrong name, a wrong server, a quiet window, one
 * too far back. */
struct missing_profile {
	struct str service;
	struct str type_id;
	const char *selector; /* the user's own, or NULL */
	struct time_range window;
	int64_t now_ns;
	const struct name_list *services; /* those that sent profiles lately */
	const struct str *tried;          /* names; the first is service */
	size_t tried_count;
	const struct str *doubts; /* equally good ones, none believed */
	size_t doubt_count;
	bool is_known;      /* it has profiles, of this window none */
	bool has_tenant;    /* one was sent */
	const char *server; /* what it is called */
	/* How long a platform keeps them, whose project was asked; 0: a server
	 * of one's own was. */
	int64_t retention_ns;
	bool has_trace; /* the name came from a trace */
};

enum shortfall_kind {
	SHORTFALL_NONE = 0,
	SHORTFALL_PROFILE,          /* see missing */
	SHORTFALL_TYPE,             /* err says which there are; service */
	SHORTFALL_NO_TIME,          /* no type of the service shows time */
	SHORTFALL_SPAN_SAMPLES,     /* none carries the span's id */
	SHORTFALL_COHORT_SAMPLES,   /* nor those of requests like it */
	SHORTFALL_SPAN_BY_HAND,     /* has_id: whether the span has one */
	SHORTFALL_FAST,             /* no clearly faster requests */
	SHORTFALL_INSTANCE_OF_SPAN, /* its process names none */
	SHORTFALL_INSTANCE_LABEL,   /* profiles of service carry none */
	SHORTFALL_INSTANCE,         /* none with name=value */
	SHORTFALL_PLACE,            /* attr is value; label name is of names */
	SHORTFALL_VERSION,          /* value is none of names */
	SHORTFALL_FEW_SPANS,        /* count of operation name of service */
	SHORTFALL_FEW_SPAN_IDS,     /* of count, slow_count and fast_count */
	SHORTFALL_SPANS,            /* span_id and count - 1 others */
	SHORTFALL_SPANS_IGNORED,
	SHORTFALL_OTHER_VERSION,   /* all profiles are of version value */
	SHORTFALL_BASELINE,        /* has_spans: of those named name */
	SHORTFALL_UNITS,           /* name and value count different things */
	SHORTFALL_FILE,            /* name has no samples */
	SHORTFALL_BASELINE_FILE,   /* so */
	SHORTFALL_VERSION_OF_FILE, /* files have no versions */
	SHORTFALL_DIFFERENCE, /* a side is a difference of two already */
	SHORTFALL_SNAPSHOT_LENGTH, /* it is of runs, the candidate of time */
	SHORTFALL_FILTERED,        /* the filters leave nothing */
	SHORTFALL_STACKS,          /* of functions and calls alone */
	SHORTFALL_GAUGE,           /* name is of one moment, no cost */
	SHORTFALL_FUNCTION,        /* name in no profile of service */
	SHORTFALL_FUNCTIONS,       /* name means any of names */
	SHORTFALL_OPERATION,       /* no spans name of service: see traces */
	SHORTFALL_STEPS,           /* nothing measured in the window */
	SHORTFALL_FEW_REQUESTS,    /* count of operation name of service */
	SHORTFALL_MEMORY,          /* what processes take is not known; has_id:
				    * it was to be compared */
	SHORTFALL_LENGTH, /* of a file, or with has_id of one of two */
	SHORTFALL_NO_CPU,          /* name in value is no time on CPU */
	SHORTFALL_VERSION_REQUESTS, /* nobody counted them by version */
	SHORTFALL_LONG_WINDOW,     /* the server takes count seconds */
	SHORTFALL_KINDS
};

struct shortfall {
	enum shortfall_kind kind;
	struct missing_profile missing;
	struct str service;
	struct str name;
	struct str value;
	const char *attr;
	struct name_list names; /* copied: the service is gone by then */
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
	note_taker note; /* NULL: nobody takes notes */
	/* Why it failed where err has no words of its own. */
	struct shortfall shortfall;
	/* The profiles that the answer is of, for drawings. */
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

/* ERROR_NOT_FOUND, without words; always false. */
static inline bool investigation_fail(struct investigation *v,
				      struct shortfall shortfall,
				      struct error *err)
{
	v->shortfall = shortfall;
	return error_set(err, ERROR_NOT_FOUND, "%s", "");
}

/* Returns whether an error ends the run, though nothing needed what it kept
 * away. */
static inline bool investigation_must_end(const struct error *err)
{
	return err->code == ERROR_MEMORY || err->code == ERROR_STOPPED ||
	       err->code == ERROR_INTERRUPTED;
}

#endif
