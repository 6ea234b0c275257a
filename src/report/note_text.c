/* SPDX-License-Identifier: Apache-2.0 */
#include "report/texts.h"

#include <string.h>

/* Notes whose words hold nothing of the run. */
static const char *const plain[] = {
	[NOTE_WINDOW_WITHOUT_SPAN] =
		"the time window given does not hold the span; without one it "
		"is the span's own time and --pad",
	[NOTE_TRACE_OF_FILE] = "no other traces to compare with: this one came "
			       "from a file",
	[NOTE_SPANS_IGNORED] =
		"the profile server answers for single requests with the whole "
		"service: it ignores span selectors, so the service's profile "
		"is used",
	[NOTE_SPANS_CUT] =
		"samples of single requests are cut off by the server, so the "
		"service's profile is used, which is whole",
	[NOTE_WAITED_UNSEEN] =
		"no function is blamed: the time was spent waiting, and no "
		"profile of this service shows who waits for most of it",
	[NOTE_SPANS_WITHOUT_LINES] =
		"samples of single requests come without lines and addresses; "
		"--scope service has them",
	[NOTE_SPANS_LINES_OF_SERVICE] =
		"samples of single requests come without lines: a line here is "
		"the only one with samples of that function in the whole "
		"service; --scope service has them all",
	[NOTE_BASELINE_EMPTY] =
		"no samples in the baseline window: nothing to compare with, "
		"the profile is shown alone",
	[NOTE_SPAN_HAS_NO_BASELINE] = "one span's samples have no baseline: "
				      "the profile is shown alone",
	[NOTE_NOT_BY_REQUEST] =
		"not compared by request: the number of requests is not known",
	[NOTE_NOTHING_MATCHES] =
		"nothing in the profile matches the filters (--focus, "
		"--show...): no rows; the verdict is of the whole profile",
};

static void add_unlike_others(const struct note *n, struct notes *notes)
{
	char now[24], before[24];

	if (!n->name.ptr) {
		notes_add(notes,
			  "this request lost its time where most "
			  "others of these minutes took as long as ever");
		return;
	}
	format_duration(n->slow_ns, now);
	format_duration(n->base_ns, before);
	notes_add(notes,
		  "this request lost its time where most others of these "
		  "minutes took as long as ever; they became slower in %.*s "
		  "%.*s, which takes %s of its own, usually %s",
		  STR_ARGS(n->name), STR_ARGS(n->text), now, before);
}

static void add_cohorts(const struct note *n, struct notes *notes)
{
	struct buf text;

	buf_init(&text, WORDING_BYTES);
	cohorts_tell(n->cohorts, &text);
	notes_add(notes, "%s", buf_text(&text));
	buf_release(&text);
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
		  "%s), and the trace does not say which is its own: all are "
		  "added up; --selector chooses",
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
		  "version=%.*s compares the others with that one, at the same "
		  "time",
		  buf_text(&text), STR_ARGS(versions->items[0]));
	buf_release(&text);
}

static void add_names(const struct note *n, struct notes *notes)
{
	switch (n->kind) {
	case NOTE_ONE_KIND_IS_SLOW:
		add_cohorts(n, notes);
		break;
	case NOTE_NO_BASELINE_ASKED:
		notes_add(notes,
			  "--baseline %.60s: no samples there, so nothing is "
			  "compared; leave it out to take the nearest window "
			  "that is healthy",
			  n->name.ptr);
		break;
	case NOTE_MAP_NO_ATTRIBUTE:
		notes_add(notes,
			  "--map %.*s: the span's process has no such "
			  "attribute that is read",
			  STR_ARGS(n->name));
		break;
	case NOTE_MAP_NO_LABEL:
		notes_add(notes,
			  "--map %.*s=%.*s: the service's profiles have no "
			  "such label",
			  STR_ARGS(n->name), STR_ARGS(n->text));
		break;
	case NOTE_PLACE:
		notes_add(notes,
			  "profiles of this service come from several places: "
			  "only those with %.*s=\"%.*s\" are looked at, by "
			  "the trace's %s",
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
			  "the values of the %.*s sum to zero: what is "
			  "negative cancels out the rest",
			  STR_ARGS(n->name));
		break;
	case NOTE_BASELINE_EARLIER:
		notes_add(notes,
			  "the window just before holds no samples; the "
			  "baseline is the same window %.*s earlier",
			  STR_ARGS(n->name));
		break;
	default:
		break;
	}
}

/* What a reason kept from the answer says more than that a question got lost
 * (backend/backends.h). */
static void drop_gap(const char *reason, struct notes *notes)
{
	const struct str gap = STR("no answer about ");
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
			  "%zu of %zu questions for other traces were not "
			  "answered: %s",
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
			  "how many snapshots the sums hold is not known: "
			  "values may be too large by a factor, growth by share "
			  "is right: %s",
			  n->reason);
		break;
	case NOTE_METRICS_MISSING:
		notes_add(notes,
			  "without metrics, and so without requests and limit: "
			  "%s",
			  n->reason);
		break;
	case NOTE_FILES_HOLD_NOTHING:
		notes_add(notes,
			  "%zu of %zu files left out: no profiles of what is "
			  "held",
			  n->count, n->total);
		break;
	case NOTE_METRICS_PART:
		notes_add(notes,
			  "metrics are of %.0f %% of the window only: what is "
			  "used and allocated was more",
			  n->percent);
		break;
	case NOTE_REQUESTS_TRACED:
		notes_add(notes,
			  "requests are those whose traces were kept: where "
			  "traces are sampled there were more, and each costs "
			  "less (--metrics-url, or --requests)");
		break;
	case NOTE_REQUESTS_UNKNOWN:
		notes_add(notes,
			  "nobody counted the requests, so that none of them "
			  "has a price (--metrics-url, or --requests)%s%s",
			  n->reason && *n->reason ? ": " : "",
			  n->reason ? n->reason : "");
		break;
	case NOTE_SIZE_BELOW_USE:
		notes_add(notes,
			  "the CPU of the hint is %.0f %% of what an instance "
			  "uses in this window: find out why before it is made "
			  "smaller",
			  n->percent);
		break;
	case NOTE_REQUESTS_SELECTED:
		notes_add(notes,
			  "requests are counted of all the service, not of the "
			  "profiles that a selector leaves: none of them has a "
			  "price (--requests)");
		break;
	case NOTE_REQUESTS_SIDES:
		notes_add(notes,
			  "requests of both sides are not known, so they are "
			  "compared by the second: more traffic is more cost "
			  "there");
		break;
	case NOTE_NAME_ASSUMED:
		notes_add(notes,
			  "the profile server did not list its series (%s): "
			  "the service's own name and the usual types are "
			  "taken",
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
			  "operation is as quick as ever; requests are counted "
			  "by service, so that another mix of its operations "
			  "looks like growth",
			  n->count);
		break;
	case NOTE_NOT_BLAMED_REQUESTS:
		notes_add(notes,
			  "functions that grew (%zu) are not blamed: requests "
			  "slow like this one are no more than usual",
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
			"%zu other trace%s that only links lead to %s part of "
			"this answer%s",
			n->count, n->count == 1 ? "" : "s",
			n->count == 1 ? "is" : "are",
			n->total > n->count ? "; links lead to more" : "");
		break;
	case NOTE_LINKS_NOT_ASKED:
		notes_add(notes,
			  "what took its messages may be in other traces: %s "
			  "cannot be asked which ones link to this one",
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
			  "the filters leave %.1f %% of the %.*s; all that is "
			  "said is of what they leave",
			  n->percent, STR_ARGS(n->name));
		break;
	case NOTE_UNLIKE_OTHERS:
		add_unlike_others(n, notes);
		break;
	case NOTE_BACKGROUND_LEFT_OUT:
		notes_add(
			notes,
			"only stacks that serve requests are shown: %.0f %% of "
			"the profile is background work, in which no request "
			"waits",
			n->percent);
		break;
	case NOTE_CALLS_LEFT_OUT:
		notes_add(notes,
			  "waits for other services are left out of the "
			  "profile: the spans of those calls tell them");
		break;
	case NOTE_STACKLESS:
		notes_add(notes,
			  "%.1f %% of the profile has no stack: it is in the "
			  "total and in no row",
			  n->percent);
		break;
	case NOTE_LENGTH_UNKNOWN:
		notes_add(notes, "how long was recorded is not told: compared "
				 "by share; --normalize value compares what "
				 "the profiles hold");
		break;
	case NOTE_WHOLE_RUNS:
		notes_add(notes,
			  "the profiles took %.1f s before and %.1f s after, "
			  "no time that one asks for: compared as whole runs; "
			  "--normalize rate compares by the second",
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
