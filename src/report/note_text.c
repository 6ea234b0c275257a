/* SPDX-License-Identifier: Apache-2.0 */
#include "report/texts.h"

#include <string.h>

#include "backend/backends.h"

/* Notes whose words hold nothing of the run. */
static const char *const plain[] = {
	[NOTE_WINDOW_WITHOUT_SPAN] =
		"the given time window does not contain the span; the default "
		"is the span's time plus --pad on both sides",
	[NOTE_TRACE_OF_FILE] = "no other traces to compare with: this one came "
			       "from a file",
	[NOTE_SPANS_IGNORED] =
		"the profile server ignores span selectors: the profile of the "
		"whole service is used",
	[NOTE_SPANS_CUT] =
		"the server truncates samples of single requests: the profile "
		"of the whole service is used",
	[NOTE_WAITED_UNSEEN] =
		"no function is blamed: the time was spent waiting, and no "
		"profile of this service shows most of the wait",
	[NOTE_SPANS_WITHOUT_LINES] =
		"samples of single requests have no lines and addresses; "
		"--scope service shows them",
	[NOTE_SPANS_LINES_OF_SERVICE] =
		"lines are those of the whole service: samples of single "
		"requests have none (--scope service shows all)",
	[NOTE_BASELINE_EMPTY] =
		"no samples in the baseline window: the profile is shown "
		"without a comparison",
	[NOTE_SPAN_HAS_NO_BASELINE] = "samples of one span have no baseline: "
				      "the profile is shown without a "
				      "comparison",
	[NOTE_NOT_BY_REQUEST] =
		"not compared per request: the number of requests is not known",
	[NOTE_NOTHING_MATCHES] =
		"nothing in the profile matches the filters (--focus, "
		"--show...): no rows; the verdict covers the whole profile",
};

static void add_unlike_others(const struct note *n, struct notes *notes)
{
	char now[24], before[24];

	if (!n->name.ptr) {
		notes_add(notes,
			  "most other requests in these minutes are no slower "
			  "than normal where this one was slow");
		return;
	}
	format_duration(n->slow_ns, now);
	format_duration(n->base_ns, before);
	notes_add(notes,
		  "most other requests in these minutes are no slower than "
		  "normal where this one was slow; they became slower in %.*s "
		  "%.*s: %s self time, normally %s",
		  STR_ARGS(n->name), STR_ARGS(n->text), now, before);
}

/* Values of a label; of more, the first. */
#define LISTED_PLACES 3u

static void add_places(const struct note *n, struct notes *notes)
{
	struct buf text;

	buf_init(&text, WORDING_BYTES);
	for (size_t i = 0; i < n->names->count && i < LISTED_PLACES; i++)
		buf_addf(&text, "%s\"%.*s\"", i ? ", " : "",
			 STR_ARGS(n->names->items[i]));
	if (n->names->count > LISTED_PLACES)
		buf_addf(&text, " and %zu more",
			 n->names->count - LISTED_PLACES);
	notes_add(notes,
		  "profiles of this service come from several places (%.*s: "
		  "%s), and the trace does not name one of them: all are added "
		  "up; choose with --selector",
		  STR_ARGS(n->name), buf_text(&text));
	buf_release(&text);
}

/* So many are told. */
#define VERSIONS_TOLD 3u

static void add_versions(const struct name_list *versions, struct notes *notes)
{
	size_t told = min_size(versions->count, VERSIONS_TOLD);
	struct buf text;

	buf_init(&text, LIMIT_ERROR_BYTES);
	for (size_t i = 0; i < told; i++) {
		buf_add_text(&text, i ? ", " : "");
		wording_add(&text, versions->items[i], WORDING_TEXT_BYTES);
	}
	if (versions->count > told)
		buf_addf(&text, " and %zu more", versions->count - told);
	notes_add(notes,
		  "versions %s sent profiles in this window: --baseline "
		  "version=%.*s compares the others with it, at the same time",
		  buf_text(&text), STR_ARGS(versions->items[0]));
	buf_release(&text);
}

static void add_names(const struct note *n, struct notes *notes)
{
	struct buf text;

	switch (n->kind) {
	case NOTE_ONE_KIND_IS_SLOW:
		buf_init(&text, WORDING_BYTES);
		cohorts_tell(n->cohorts, &text);
		notes_add(notes, "%s", buf_text(&text));
		buf_release(&text);
		break;
	case NOTE_NO_BASELINE_ASKED:
		notes_add(notes,
			  "--baseline %.60s: no samples there, so nothing is "
			  "compared; leave it out to use the nearest healthy "
			  "window",
			  n->name.ptr);
		break;
	case NOTE_MAP_NO_ATTRIBUTE:
		notes_add(notes,
			  "--map %.*s: the span's process does not have this "
			  "attribute",
			  STR_ARGS(n->name));
		break;
	case NOTE_MAP_NO_LABEL:
		notes_add(notes,
			  "--map %.*s=%.*s: the service's profiles do not have "
			  "this label",
			  STR_ARGS(n->name), STR_ARGS(n->text));
		break;
	case NOTE_PLACE:
		notes_add(notes,
			  "profiles of this service come from several places: "
			  "only those with %.*s=\"%.*s\" are used, from the "
			  "trace's %s",
			  STR_ARGS(n->name), STR_ARGS(n->text), n->reason);
		break;
	case NOTE_PLACES_MIXED:
		add_places(n, notes);
		break;
	case NOTE_NAME_OTHER:
		notes_add(notes,
			  "profiles of this service are sent as \"%.*s\"",
			  STR_ARGS(n->name));
		break;
	case NOTE_VERSIONS_BESIDE:
		add_versions(n->names, notes);
		break;
	case NOTE_TYPE_INSTEAD:
		notes_add(notes, "no CPU profile of this service; %.*s instead",
			  STR_ARGS(n->name));
		break;
	case NOTE_ZERO_SUM:
		notes_add(notes,
			  "the values of the %.*s sum to zero: negative ones "
			  "cancel out the rest",
			  STR_ARGS(n->name));
		break;
	case NOTE_BASELINE_EARLIER:
		notes_add(notes,
			  "the window immediately before holds no samples; the "
			  "baseline is the same window %.*s earlier",
			  STR_ARGS(n->name));
		break;
	default:
		break;
	}
}

/* Drops the note that a query got lost (backend/backends.h), of which the
 * reason says more. */
static void drop_gap(const char *reason, struct notes *notes)
{
	const struct str gap = STR(GAPS_NOTE_FRONT);
	size_t kept = 0;

	if (!notes || !reason || !*reason)
		return;
	for (size_t i = 0; i < notes->count; i++) {
		if (str_starts(str_from(notes->text[i]), gap) &&
		    strstr(notes->text[i], reason))
			continue;
		memmove(notes->text[kept++], notes->text[i],
			sizeof notes->text[i]);
	}
	notes->count = kept;
}

static void add_reasons(const struct note *n, struct notes *notes)
{
	drop_gap(n->reason, notes);
	switch (n->kind) {
	case NOTE_NO_OTHER_TRACES:
		notes_add(notes, "no other traces to compare with: %s",
			  n->reason);
		break;
	case NOTE_QUESTIONS_UNANSWERED:
		notes_add(notes,
			  "%zu of %zu queries for other traces failed: %s",
			  n->count, n->total, n->reason);
		break;
	case NOTE_SIDE_MISSING:
		notes_add(notes, "%.*s: %s", STR_ARGS(n->name), n->reason);
		break;
	case NOTE_SPAN_SAMPLES_MISSING:
		notes_add(notes, "samples of the span: %s", n->reason);
		break;
	case NOTE_CPU_MISSING:
		notes_add(notes, "CPU over time: %s", n->reason);
		break;
	case NOTE_SNAPSHOTS_UNKNOWN:
		notes_add(notes,
			  "the number of snapshots in the sums is unknown: "
			  "values may be too large by a factor, shares are "
			  "right: %s",
			  n->reason);
		break;
	case NOTE_METRICS_MISSING:
		notes_add(notes,
			  "no metrics, so no request counts and no limit: %s",
			  n->reason);
		break;
	case NOTE_FILES_HOLD_NOTHING:
		notes_add(notes,
			  "%zu of %zu files left out: no heap or goroutine "
			  "profiles",
			  n->count, n->total);
		break;
	case NOTE_METRICS_PART:
		notes_add(notes,
			  "metrics cover only %.0f %% of the window: actual "
			  "usage and allocation are higher",
			  n->percent);
		break;
	case NOTE_PROFILE_OVER_KERNEL:
		notes_add(notes,
			  "the profile has %.1f times the CPU of the metrics, "
			  "as with profilers that count threads waiting for a "
			  "CPU: the cost is from the metrics, split by the "
			  "profile",
			  n->percent / 100);
		break;
	case NOTE_SERVICES_OVER_KERNEL:
		notes_add(notes,
			  "profiles of %zu service%s have more CPU than the "
			  "metrics, those of %.*s %.1f times as much: some "
			  "profilers count threads waiting for a CPU; cores "
			  "are from the metrics",
			  n->count, &"s"[n->count == 1], STR_ARGS(n->name),
			  n->percent / 100);
		break;
	case NOTE_REQUESTS_TRACED:
		notes_add(notes,
			  "requests are counted from kept traces: with trace "
			  "sampling there were more, and each costs less "
			  "(--metrics-url or --requests)");
		break;
	case NOTE_REQUESTS_UNKNOWN:
		notes_add(notes,
			  "no request count, so no cost per request "
			  "(--metrics-url or --requests)%s%s",
			  n->reason && *n->reason ? ": " : "",
			  n->reason ? n->reason : "");
		break;
	case NOTE_SIZE_BELOW_USE:
		notes_add(notes,
			  "the suggested CPU is %.0f %% of the usage per "
			  "instance in this window: find out why before "
			  "reducing it",
			  n->percent);
		break;
	case NOTE_REQUESTS_SELECTED:
		notes_add(notes,
			  "requests are counted for the whole service, "
			  "profiles by --selector: no cost per request "
			  "(--requests)");
		break;
	case NOTE_REQUESTS_SIDES:
		notes_add(notes,
			  "request counts of both sides are not known, so "
			  "usage per second is compared: more traffic means "
			  "more cost");
		break;
	case NOTE_NAME_ASSUMED:
		notes_add(notes,
			  "the profile server did not list its series (%s): "
			  "the trace's service name and the standard profile "
			  "types are used",
			  n->reason);
		break;
	default:
		add_names(n, notes);
	}
}

static void add_numbers(const struct note *n, struct notes *notes)
{
	switch (n->kind) {
	case NOTE_NOT_BLAMED_SERVICE:
		notes_add(notes,
			  "functions that grew (%zu) are not blamed: the "
			  "operation is no slower than normal; requests are "
			  "counted by service, so a different mix of "
			  "operations looks like growth",
			  n->count);
		break;
	case NOTE_NOT_BLAMED_REQUESTS:
		notes_add(notes,
			  "functions that grew (%zu) are not blamed: there are "
			  "no more such slow requests than normal",
			  n->count);
		break;
	case NOTE_SERIES_CUT:
		notes_add(notes,
			  "more than %zu series: some services may be "
			  "missing; narrow with --service or --since",
			  n->count);
		break;
	case NOTE_LINKS_FOLLOWED:
		notes_add(
			notes,
			"%zu other trace%s, found by span links, %s part of "
			"this answer%s",
			n->count, n->count == 1 ? "" : "s",
			n->count == 1 ? "is" : "are",
			n->total > n->count ? "; links lead to more" : "");
		break;
	case NOTE_LINKS_NOT_ASKED:
		notes_add(notes,
			  "consumers of its messages may be in other traces: "
			  "%s cannot search for traces that link to this one",
			  n->reason);
		break;
	case NOTE_FILTERED:
		notes_add(notes,
			  "the filters leave %.1f %% of the %.*s; shares are "
			  "of the whole",
			  n->percent, STR_ARGS(n->name));
		break;
	case NOTE_FILTERED_SIDE:
		notes_add(notes,
			  "the filters keep %.1f %% of the %.*s; the whole "
			  "answer covers that part",
			  n->percent, STR_ARGS(n->name));
		break;
	case NOTE_UNLIKE_OTHERS:
		add_unlike_others(n, notes);
		break;
	case NOTE_BACKGROUND_LEFT_OUT:
		notes_add(
			notes,
			"only stacks that serve requests are shown: %.0f %% of "
			"the profile is background work",
			n->percent);
		break;
	case NOTE_CALLS_LEFT_OUT:
		notes_add(notes,
			  "waits for other services are left out of the "
			  "profile: the spans of those calls show them");
		break;
	case NOTE_STACKLESS:
		notes_add(notes,
			  "%.1f %% of the profile has no stack: it is in the "
			  "total and in no row",
			  n->percent);
		break;
	case NOTE_LENGTH_UNKNOWN:
		notes_add(notes, "the recording time is not known: compared by "
				 "share of the total; --normalize value "
				 "compares absolute values");
		break;
	case NOTE_WHOLE_RUNS:
		notes_add(notes,
			  "the profiles cover %.1f s (baseline) and %.1f s, "
			  "like whole runs: compared per run; --normalize rate "
			  "compares per second",
			  (double)n->base_ns / 1e9, (double)n->slow_ns / 1e9);
		break;
	default:
		add_reasons(n, notes);
	}
}

void note_text_add(const struct note *note, struct notes *notes)
{
	size_t kind = (size_t)note->kind;

	if (kind < sizeof plain / sizeof *plain && plain[kind])
		notes_add(notes, "%s", plain[kind]);
	else
		add_numbers(note, notes);
}
