/* SPDX-License-Identifier: Apache-2.0 */
#include "base/num.h"
#include "doctor/doctor.h"

static const struct trace_checkup *server_of(const struct doctor *d)
{
	return trace_checkup_of(d->backends);
}

static void check_complete(struct doctor *d)
{
	const struct trace *t = &d->trace;
	bool is_strict = d->question->is_strict;

	if (!t->is_partial && !t->orphan_count) {
		check_ok(&d->checks, "trace", "complete",
			 "every span's parent is there");
		return;
	}
	if (is_strict)
		check_fail(&d->checks, ERROR_PARTIAL, "trace", "complete",
			   "spans whose parents are not there: %u%s",
			   t->orphan_count,
			   t->is_partial ? ", and the server cut it" : "");
	else if (t->is_partial)
		check_warn(&d->checks, "trace", "complete",
			   "the server gave only a part of it");
	else
		check_warn(&d->checks, "trace", "complete",
			   "spans whose parents are not there: %u",
			   t->orphan_count);
	check_fix(&d->checks, "%s",
		  t->is_partial
			  ? server_of(d)->cut_fix
			  : "fresh traces arrive in parts: try again in half "
			    "a minute; else a service does not send, or "
			    "samples on its own");
}

static void check_found(struct doctor *d, struct str source)
{
	const struct trace *t = &d->trace;
	char took[24], began[TIME_RFC3339_BYTES], age[24];

	format_duration(sat_sub_i64(t->end_ns, t->start_ns), took);
	format_duration(sat_sub_i64(d->backends->now_ns, t->start_ns), age);
	format_rfc3339(t->start_ns, began);
	check_ok(&d->checks, "trace", "found",
		 "%u spans of %u services, %s, began %.19sZ, %s ago; from %.*s",
		 t->span_count, t->service_count, took, began, age,
		 STR_ARGS(source));
}

static void check_missing(struct doctor *d, const struct error *why)
{
	check_fail(&d->checks, why->code, "trace", "found", "%s", why->message);
	if (why->code != ERROR_NOT_FOUND) {
		check_fix(&d->checks, "the checks of the traces side above "
				      "say more; try again");
		return;
	}
	check_fix(&d->checks, "%s", server_of(d)->missing_fix);
}

static bool is_for_the_user(const struct error *why)
{
	return why->code == ERROR_USAGE || why->code == ERROR_MEMORY ||
	       why->code == ERROR_INTERRUPTED;
}

bool doctor_trace(struct doctor *d, struct error *err)
{
	const struct doctor_question *q = d->question;
	struct error why = { 0 };
	struct str source;

	if (!q->trace_fetch || (!q->is_trace_file && !d->is_traces_up))
		return true;
	if (!q->trace_fetch(q->context, &d->trace, &source, &why)) {
		if (is_for_the_user(&why)) {
			*err = why;
			return false;
		}
		check_missing(d, &why);
		return true;
	}
	d->has_trace = true;
	check_found(d, source);
	check_complete(d);
	return true;
}
