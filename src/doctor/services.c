/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>

#include "base/num.h"
#include "doctor/doctor.h"

/* Maximum number of names in a line. */
#define EXAMPLES_MAX 4

static const struct profile_checkup *server_of(const struct doctor *d)
{
	return profile_checkup_of(d->backends);
}

static bool has_samples(const struct doctor_service *row)
{
	return row->has_answer && row->samples != 0;
}

/* Adds a problem: a warning for some services of a trace, a failure for a
 * single service. */
static void service_warn(struct doctor *d, const char *format, ...)
	PRINTF_LIKE(2, 3);

static void service_warn(struct doctor *d, const char *format, ...)
{
	char text[LIMIT_CHECK_BYTES];
	va_list args;

	va_start(args, format);
	if (vsnprintf(text, sizeof text, format, args) < 0)
		text[0] = '\0';
	va_end(args);
	if (d->has_trace)
		check_warn(&d->checks, "profiles", "service", "%s", text);
	else
		check_fail(&d->checks, ERROR_NOT_FOUND, "profiles", "service",
			   "%s", text);
}

static void add_names(struct buf *out, const struct str *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		buf_addf(out, "%s\"%.*s\"", i ? ", " : "", STR_ARGS(names[i]));
}

/* Sets the fix for a name: a --map for one service of a trace, else the other
 * name itself. */
static void fix_name(struct doctor *d, const struct doctor_service *row,
		     const char *lead, const char *tail)
{
	struct fix_command c;

	fix_command_begin(&c, d, lead, d->has_trace ? "slow" : "doctor");
	if (d->has_trace)
		fix_command_map(&c, row->name, row->found);
	else
		fix_command_option(&c, "service", row->found);
	fix_command_end(&c, &d->checks, tail);
}

static void judge_near(struct doctor *d, const struct doctor_service *row)
{
	struct buf names;

	buf_init(&names, LIMIT_CHECK_BYTES);
	add_names(&names, row->nearest, row->nearest_count);
	if (row->attr_key)
		service_warn(
			d,
			"no profile under the name \"%.*s\", but under its "
			"%s, %s",
			STR_ARGS(row->name), row->attr_key, buf_text(&names));
	else
		service_warn(d, "no profile under the name \"%.*s\"; %s: %s",
			     STR_ARGS(row->name),
			     row->match == NAME_DOUBT ? "it could be"
						      : "nearest",
			     buf_text(&names));
	buf_release(&names);
	fix_name(d, row, row->attr_key ? "" : "if that is the service: ", "");
}

/* Adds a check for services whose names do not occur. */
static void judge_no_names(struct doctor *d)
{
	size_t count = d->services.count, missing = 0;
	size_t shown = count > EXAMPLES_MAX ? EXAMPLES_MAX : count;
	struct buf lost, names;

	buf_init(&lost, LIMIT_CHECK_BYTES);
	buf_init(&names, LIMIT_CHECK_BYTES);
	for (size_t i = 0; i < d->row_count; i++)
		if (d->rows[i].match == NAME_NONE)
			buf_addf(&lost, "%s\"%.*s\"", missing++ ? ", " : "",
				 STR_ARGS(d->rows[i].name));
	add_names(&names, d->services.items, shown);
	if (missing) {
		service_warn(
			d,
			"no profile under the name%s %s nor a similar one; "
			"the server has %zu%s%s",
			missing > 1 ? "s" : "", buf_text(&lost), count,
			shown < count ? ", such as " : ": ", buf_text(&names));
		check_fix(&d->checks,
			  "under another name: tracefind slow TRACE --map "
			  "TRACED=SENT; %s; else it sends none: %s",
			  server_of(d)->elsewhere_fix, server_of(d)->add_fix);
	}
	buf_release(&lost);
	buf_release(&names);
}

static void judge_quiet(struct doctor *d, const struct doctor_service *row)
{
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];
	struct str word = profile_type_word(row->type_id, &row->types);
	struct fix_command c;

	format_rfc3339(d->window.from_ns, from);
	format_rfc3339(d->window.to_ns, to);
	service_warn(d,
		     "\"%.*s\" has profiles within a day, but no %.*s samples "
		     "between %.19sZ and %.19sZ",
		     STR_ARGS(row->name), STR_ARGS(word), from, to);
	fix_command_begin(&c, d, "", d->has_trace ? "slow" : "doctor");
	if (!d->has_trace)
		fix_command_option(&c, "service", row->name);
	fix_command_option(&c, d->has_trace ? "pad" : "since",
			   d->has_trace ? STR("30m") : STR("24h"));
	fix_command_end(
		&c, &d->checks,
		"; if that finds none either, its profiler has stopped: check "
		"the log of its SDK or of Alloy");
}

static void judge_types(struct doctor *d, const struct doctor_service *row)
{
	struct str word = profile_type_word(row->type_id, &row->types);
	struct fix_command c;

	if (!row->types.count || !row->type_id.len) {
		service_warn(d, "\"%.*s\" has none of the known profile types",
			     STR_ARGS(row->name));
		fix_command_begin(&c, d, "--type with a full id of: ", "types");
		fix_command_option(&c, "service", row->found);
		fix_command_end(&c, &d->checks, "");
		return;
	}
	if (row->has_cpu)
		return;
	check_warn(&d->checks, "profiles", "service",
		   "\"%.*s\" has no CPU profile; the next best is %.*s",
		   STR_ARGS(row->name), STR_ARGS(word));
	check_fix(&d->checks, "enable CPU in its profiler: see tracefind types "
			      "--guide");
}

/* Adds a row's problems, if any. */
static void judge_row(struct doctor *d, const struct doctor_service *row)
{
	if (row->match == NAME_NEAR || row->match == NAME_DOUBT)
		judge_near(d, row);
	if (!doctor_service_is_found(row))
		return;
	if (row->match == NAME_VARIED) {
		check_warn(&d->checks, "profiles", "service",
			   "\"%.*s\" sends its profiles as \"%.*s\"",
			   STR_ARGS(row->name), STR_ARGS(row->found));
		fix_name(
			d, row, "",
			"; permanently: give both the same name "
			"(OTEL_SERVICE_NAME, the profiler's application name)");
	}
	judge_types(d, row);
	if (!row->type_id.len)
		return;
	if (!row->has_answer) {
		service_warn(d, "\"%.*s\": %s", STR_ARGS(row->name),
			     row->err.message);
		check_fix(&d->checks,
			  "use a shorter window: --pad 1m, --since 5m");
	} else if (!has_samples(row)) {
		judge_quiet(d, row);
	}
}

/* ---- windows ---- */

static size_t count_with_samples(const struct doctor *d)
{
	size_t count = 0;

	for (size_t i = 0; i < d->row_count; i++)
		count += has_samples(&d->rows[i]);
	return count;
}

static void show_time(int64_t time_ns, char out[TIME_RFC3339_BYTES])
{
	format_rfc3339(time_ns, out);
	out[19] = 'Z';
	out[20] = '\0';
}

static void judge_window(struct doctor *d)
{
	const struct profile_checkup *server = server_of(d);
	struct window_limits limits = {
		.oldest_ns = d->checkup.stats.has_data
				     ? d->checkup.stats.oldest_ns
				     : 0,
		.newest_ns = d->checkup.stats.has_data
				     ? d->checkup.stats.newest_ns
				     : 0,
		.length_ns = d->checkup.length_limit_ns,
		.lookback_ns = server->lookback_ns,
	};
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];
	char edge[TIME_RFC3339_BYTES];
	struct checks *c = &d->checks;

	/* Existing samples are better evidence than reported times, which lag
	 * behind. */
	if (count_with_samples(d))
		limits.oldest_ns = limits.newest_ns = 0;
	show_time(d->window.from_ns, from);
	show_time(d->window.to_ns, to);
	switch (window_judge(d->window, d->backends->now_ns, &limits)) {
	case WINDOW_OK:
		check_ok(c, "profiles", "window", "%s to %s", from, to);
		break;
	case WINDOW_BEFORE_DATA:
		show_time(limits.oldest_ns, edge);
		check_fail(c, ERROR_NOT_FOUND, "profiles", "window",
			   "ends at %s, before the oldest profile, of %s", to,
			   edge);
		check_fix(c, "%s", server->keep_fix);
		break;
	case WINDOW_CUT_BY_DATA:
		show_time(limits.oldest_ns, edge);
		check_warn(c, "profiles", "window",
			   "begins at %s, before the oldest profile, of %s",
			   from, edge);
		check_fix(c, "--from %s", edge);
		break;
	case WINDOW_AFTER_DATA:
		show_time(limits.newest_ns, edge);
		check_fail(c, ERROR_NOT_FOUND, "profiles", "window",
			   "begins at %s, after the newest profile, of %s: "
			   "profiles are no longer sent",
			   from, edge);
		check_fix(c, "%s%s", server_of(d)->logs_fix,
			  server_of(d)->elsewhere_fix);
		break;
	case WINDOW_PAST_LOOKBACK:
		check_warn(c, "profiles", "window",
			   "begins at %s, over %dd ago: by default the server "
			   "leaves out older data",
			   from, (int)(server->lookback_ns / NS_PER_DAY));
		check_fix(c, "%s", server->lookback_fix);
		break;
	case WINDOW_TOO_LONG:
		check_warn(c, "profiles", "window",
			   "%s to %s is longer than the server answers at once",
			   from, to);
		check_fix(c, "%s", server->length_fix);
		break;
	}
}

/* ---- all services ---- */

/* Without trace and service: checks whether any service sends profiles. */
static void judge_data(struct doctor *d)
{
	char newest[24] = "of an unknown time";

	if (!d->checkup.stats.has_data && !d->checkup.recent.count)
		return;
	if (d->checkup.stats.newest_ns)
		format_duration(sat_sub_i64(d->backends->now_ns,
					    d->checkup.stats.newest_ns),
				newest);
	if (d->checkup.recent.count) {
		check_ok(&d->checks, "profiles", "data",
			 "%zu services sent profiles in the last hour",
			 d->checkup.recent.count);
		return;
	}
	check_warn(&d->checks, "profiles", "data",
		   "no service sent profiles in the last hour, %zu in the last "
		   "day; the newest is %s%s",
		   d->services.count, newest,
		   d->checkup.stats.newest_ns ? " old" : "");
	check_fix(&d->checks, "%s%s", server_of(d)->logs_fix,
		  server_of(d)->elsewhere_fix);
}

static void judge_none(struct doctor *d)
{
	char to[TIME_RFC3339_BYTES];

	show_time(d->window.to_ns, to);
	check_fail(&d->checks, ERROR_NOT_FOUND, "profiles", "services",
		   "no service sent profiles in the 24 h before %s", to);
	check_fix(&d->checks, "%s", server_of(d)->nowhere_fix);
}

static void judge_summary(struct doctor *d)
{
	size_t count = count_with_samples(d);

	if (count)
		check_ok(&d->checks, "profiles", "services",
			 "%zu of %zu with samples in the window%s", count,
			 d->row_count,
			 d->rows_left_out ? " (more were not checked)" : "");
	else if (d->has_trace)
		check_fail(&d->checks, ERROR_NOT_FOUND, "profiles", "services",
			   "no service of the trace has samples in the window");
}

/* ---- span profiles ---- */

static struct str language_of(const struct doctor *d,
			      const struct doctor_service *row)
{
	for (uint32_t i = 0; i < d->trace.span_count; i++)
		if (str_equal(span_service(&d->trace, i), row->name))
			return resource_attr(&d->trace,
					     d->trace.spans[i].resource,
					     STR("telemetry.sdk.language"));
	return STR("");
}

static bool has_no_id(const struct doctor_service *row)
{
	return row->span_trouble == SPANS_NO_ID && row->span_count > 0 &&
	       doctor_service_is_found(row);
}

/* Adds a check for services without ids per language, since the fix is the
 * same: called for each row, acts on the first of a language. */
static void judge_no_id(struct doctor *d, size_t first)
{
	struct str language = language_of(d, &d->rows[first]);
	struct buf names;

	buf_init(&names, LIMIT_CHECK_BYTES);
	for (size_t i = 0; i < d->row_count; i++) {
		if (!has_no_id(&d->rows[i]) ||
		    !str_equal(language_of(d, &d->rows[i]), language))
			continue;
		if (i < first)
			break;
		buf_addf(&names, "%s\"%.*s\"", names.len ? ", " : "",
			 STR_ARGS(d->rows[i].name));
	}
	if (names.len) {
		check_warn(&d->checks, "profiles", "spans",
			   "no span of %s has pyroscope.profile.id, so samples "
			   "cannot be split by span",
			   buf_text(&names));
		fix_span_profiles(&d->checks, server_of(d), language);
	}
	buf_release(&names);
}

/* Single services may be idle and have no sample; if none has any, it indicates
 * a problem. */
static void judge_no_samples(struct doctor *d, bool is_short)
{
	if (is_short) {
		check_warn(&d->checks, "profiles", "spans",
			   "no samples of any labelled span; they are under 20 "
			   "ms, and a sample represents 10 ms of CPU");
		check_fix(&d->checks, "a slower trace of the same operation");
		return;
	}
	check_warn(&d->checks, "profiles", "spans",
		   "spans have profile ids, but none of the queried ones has "
		   "samples");
	check_fix(&d->checks,
		  "they may have waited: only CPU time is labelled (Java: wall "
		  "too); else check that profiler and span wrapper run in the "
		  "same process");
}

static size_t count_spans(const struct doctor *d, enum span_trouble trouble)
{
	size_t count = 0;

	for (size_t i = 0; i < d->row_count; i++)
		count += d->rows[i].span_trouble == trouble &&
			 doctor_service_is_found(&d->rows[i]);
	return count;
}

static void judge_span_samples(struct doctor *d)
{
	size_t with = count_spans(d, SPANS_OK);
	size_t idle = count_spans(d, SPANS_NO_SAMPLES);
	size_t brief = count_spans(d, SPANS_TOO_SHORT);

	if (count_spans(d, SPANS_IGNORED)) {
		check_warn(&d->checks, "profiles", "spans",
			   "the server answers for a span that does not exist: "
			   "it ignores span selectors");
		check_fix(&d->checks, "%s", server_of(d)->ignored_fix);
	} else if (with) {
		check_ok(&d->checks, "profiles", "spans",
			 "of %zu services with labelled spans %zu have samples "
			 "of the longest one%s",
			 with + idle + brief, with,
			 idle + brief ? "; the others used hardly any "
					"CPU" : "");
	} else if (idle + brief) {
		judge_no_samples(d, !idle);
	}
	for (size_t i = 0; i < d->row_count; i++) {
		const struct doctor_service *row = &d->rows[i];

		if (has_no_id(row))
			judge_no_id(d, i);
		if (row->span_trouble != SPANS_BAD_ID)
			continue;
		check_warn(&d->checks, "profiles", "spans",
			   "\"%.*s\": pyroscope.profile.id is \"%.*s\", not a "
			   "span id of 16 hex digits",
			   STR_ARGS(row->name), STR_ARGS(row->profile_id));
		check_fix(
			&d->checks,
			"let the SDK's wrapper set the attribute; a collector "
			"left a template unfilled");
	}
}

static void judge_span_names(struct doctor *d)
{
	if (!d->row_count || !doctor_service_is_found(&d->rows[0]))
		return;
	if (d->has_span_names) {
		check_ok(&d->checks, "profiles", "spans",
			 "samples have span ids");
		return;
	}
	check_warn(&d->checks, "profiles", "spans",
		   "no sample has a span id: span profiles are probably off");
	check_fix(&d->checks,
		  "to be sure, with a trace of it: tracefind doctor TRACE");
}

static void judge_no_spans(struct doctor *d)
{
	check_ok(&d->checks, "profiles", "spans",
		 "%s keeps no samples by span: slow uses the profile of the "
		 "whole service",
		 server_of(d)->title);
}

/* ---- order of checks ---- */

static void judge_rows(struct doctor *d)
{
	for (size_t i = 0; i < d->row_count; i++)
		judge_row(d, &d->rows[i]);
}

/* Subjects of checks, as bits. */
enum {
	ANY_ROW = 1,  /* there are services to check */
	ANY_NAME = 2, /* the server has names */
	A_TRACE = 4,  /* they are from a trace */
	BY_SPAN = 8,  /* the server stores samples by span */
};

/* In order of the answer: done if all bits of `needs` and none of `without` are
 * set. */
static const struct {
	const char *id;
	unsigned needs;
	unsigned without;
	void (*judge)(struct doctor *d);
} service_checks[] = {
	{ "data", 0, ANY_ROW, judge_data },
	{ "window", ANY_ROW, 0, judge_window },
	{ "services", ANY_ROW, ANY_NAME, judge_none },
	{ "services", ANY_ROW | ANY_NAME, 0, judge_summary },
	{ "service", ANY_ROW | ANY_NAME, 0, judge_no_names },
	{ "service", ANY_ROW | ANY_NAME, 0, judge_rows },
	{ "place", ANY_ROW | ANY_NAME | A_TRACE, 0, doctor_judge_places },
	{ "spans", ANY_ROW | ANY_NAME, BY_SPAN, judge_no_spans },
	{ "spans", ANY_ROW | ANY_NAME | BY_SPAN | A_TRACE, 0,
	  judge_span_samples },
	{ "spans", ANY_ROW | ANY_NAME | BY_SPAN, A_TRACE, judge_span_names },
};

void doctor_judge_services(struct doctor *d)
{
	bool by_span = backends_profile_traits(d->backends)->has_span_samples;
	unsigned there = (d->row_count ? ANY_ROW : 0) |
			 (d->services.count ? ANY_NAME : 0) |
			 (d->has_trace ? A_TRACE : 0) | (by_span ? BY_SPAN : 0);

	/* A server without any data, which was reported. */
	if (!d->checkup.stats.has_data && !d->services.count &&
	    !d->checkup.recent.count && checks_count(&d->checks, CHECK_FAILED))
		return;
	for (size_t i = 0; i < COUNT_OF(service_checks); i++)
		if ((there & service_checks[i].needs) ==
			    service_checks[i].needs &&
		    !(there & service_checks[i].without))
			service_checks[i].judge(d);
}

static void check_complete(struct doctor *d)
{
	const struct trace *t = &d->trace;
	bool is_strict = d->question->is_strict;

	if (!t->is_partial && !t->orphan_count) {
		check_ok(&d->checks, "trace", "complete",
			 "no span lacks its parent");
		return;
	}
	if (is_strict)
		check_fail(&d->checks, ERROR_PARTIAL, "trace", "complete",
			   "spans with a missing parent: %u%s",
			   t->orphan_count,
			   t->is_partial ? ", and the server truncated "
					   "it" : "");
	else if (t->is_partial)
		check_warn(&d->checks, "trace", "complete",
			   "the server returned only a part of it");
	else
		check_warn(&d->checks, "trace", "complete",
			   "spans with a missing parent: %u",
			   t->orphan_count);
	check_fix(&d->checks, "%s",
		  t->is_partial
			  ? trace_checkup_of(d->backends)->cut_fix
			  : "new traces arrive in parts: try again in 30 s; "
			    "else a service does not send spans, or samples "
			    "independently");
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

bool doctor_trace(struct doctor *d, struct error *err)
{
	const struct doctor_question *q = d->question;
	struct error why = { 0 };
	struct str source;

	if (!q->trace_fetch || (!q->is_trace_file && !d->is_traces_up))
		return true;
	if (!q->trace_fetch(q->context, &d->trace, &source, &why)) {
		if (why.code == ERROR_USAGE || why.code == ERROR_MEMORY ||
		    why.code == ERROR_INTERRUPTED) {
			*err = why;
			return false;
		}
		check_fail(&d->checks, why.code, "trace", "found", "%s",
			   why.message);
		check_fix(&d->checks, "%s",
			  why.code == ERROR_NOT_FOUND
				  ? trace_checkup_of(d->backends)->missing_fix
				  : "see the checks of the trace server above; "
				    "try again");
		return true;
	}
	d->has_trace = true;
	check_found(d, source);
	check_complete(d);
	return true;
}
