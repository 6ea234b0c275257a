/* SPDX-License-Identifier: Apache-2.0 */
#include "report/check_words.h"

#include <math.h>
#include <stdio.h>

#include "render/units.h"
#include "report/check_latency_text.h"
#include "report/wording.h"

const char *gate_name(enum gate_kind gate)
{
	static const char *const names[GATE_COUNT] = {
		[GATE_TOTAL] = "total",
		[GATE_FUNCTION] = "function",
		[GATE_NEW] = "new",
		[GATE_LATENCY] = "latency",
	};

	return names[gate];
}

const char *check_per(const struct check *c)
{
	switch (c->per) {
	case NORMALIZE_REQUEST:
		return c->is_by_request ? " a request" : " a run";
	case NORMALIZE_RATE:
		return " a second";
	case NORMALIZE_SHARE:
	case NORMALIZE_VALUE:
		break;
	}
	return "";
}

const char *check_measure(const struct check_answer *a)
{
	return measure_subject(a->result->profile.type);
}

void check_limits(const struct gate_limits *limits, struct buf *out)
{
	const char *between = "";

	for (int g = 0; g < GATE_COUNT; g++) {
		if (limits->limit[g] < 0)
			continue;
		buf_addf(out, "%s%s>%g%%", between,
			 gate_name((enum gate_kind)g), 100 * limits->limit[g]);
		between = ", ";
	}
}

static void add_interval(const struct gate_hit *hit, struct buf *out)
{
	char low[32], high[32];

	if (isnan(hit->low) || isnan(hit->high))
		return;
	wording_percent(hit->low, true, low);
	wording_percent(hit->high, true, high);
	buf_addf(out, " (%s to %s)", low, high);
}

static void add_limit(const struct check_answer *a, const struct gate_hit *hit,
		      struct buf *out)
{
	buf_addf(out, "; the limit is %g %%",
		 100 * a->check->gates.limits.limit[hit->gate]);
}

void check_hit_text(const struct check_answer *a, const struct gate_hit *hit,
		    struct buf *out)
{
	char growth[32];

	wording_percent(hit->growth, false, growth);
	if (hit->operation) {
		check_latency_hit(hit, out);
		add_interval(hit, out);
		add_limit(a, hit, out);
		return;
	}
	if (hit->row)
		wording_add(out, hit->row->name, WORDING_TEXT_BYTES);
	else
		buf_add_text(out, "all of it");
	if (hit->gate == GATE_NEW) {
		buf_addf(out, " is new and takes %s of the %s", growth,
			 check_measure(a));
	} else {
		buf_addf(out, " takes %s more %s%s%s", growth,
			 check_measure(a),
			 !hit->row ? check_per(a->check)
				   : " than before, beside what all took",
			 hit->is_self ? ", itself" : "");
		add_interval(hit, out);
	}
	add_limit(a, hit, out);
}

void check_growth_text(const struct check_answer *a,
		       const struct function_row *row, struct buf *out)
{
	struct gate_hit hit = gates_row_growth(row, a->result);
	char growth[32];

	wording_add(out, row->name, WORDING_TEXT_BYTES);
	wording_percent(hit.growth, true, growth);
	buf_addf(out, " %s", growth);
	add_interval(&hit, out);
}

static const char *per_side(const struct check *c)
{
	return c->candidate.is_of_files ? "give more or longer runs a side"
					: "give a longer window (--since)";
}

void check_lack_text(const struct check_answer *a, struct buf *out)
{
	const struct check *c = a->check;

	switch (c->gates.lack) {
	case GATES_LACK_NONE:
		break;
	case GATES_LACK_SIDE:
		buf_add_text(out, "a side has no samples");
		break;
	case GATES_LACK_TEST:
		buf_addf(out,
			 "values of %s are no samples, and one profile a "
			 "side does not tell how far they wander: give "
			 "several runs a side",
			 check_measure(a));
		break;
	case GATES_LACK_SAMPLES:
		buf_addf(out, "fewer than %d samples on a side: %s",
			 GATES_MIN_SAMPLES, per_side(c));
		break;
	case GATES_LACK_REQUESTS:
	case GATES_LACK_LATENCY:
		check_latency_lack(c, c->gates.lack, out);
		break;
	case GATES_LACK_POWER:
		buf_addf(out,
			 "growth by half of a function of %g %% would not "
			 "have been seen: %s",
			 100 * GATES_BLIND_SHARE, per_side(c));
		if (c->gates.runs_lacking && c->candidate.is_of_files)
			buf_addf(out, ", %zu more run%s a side would do",
				 c->gates.runs_lacking,
				 &"s"[c->gates.runs_lacking == 1]);
		break;
	}
}

static void add_growth(const char *before, double growth, const char *of,
		       double share, struct buf *out)
{
	char text[32];

	wording_percent(growth, false, text);
	buf_addf(out, "%s%s in %s", before, text, of);
	if (share > 0)
		buf_addf(out, " of %g %%", 100 * share);
}

void check_power_text(const struct check_answer *a, struct buf *out)
{
	const struct gates *g = &a->check->gates;
	const struct gates_power *told = &g->powers[GATES_POWER_TOLD];
	double limit = g->limits.limit[GATE_FUNCTION];
	bool is_seen = limit >= 0 && !isnan(g->seen_share);

	if (!g->has_power)
		return;
	buf_add_text(out, "with these samples a growth is seen ");
	if (is_seen)
		buf_addf(out, "from %g %% in functions of %g %% or more, ",
			 100 * limit, 100 * g->seen_share);
	add_growth("from ", told->growth, "functions", told->share, out);
	if (!is_seen)
		add_growth(", from ", g->seen_growth, "functions",
			   GATES_BLIND_SHARE, out);
	if (!isnan(a->result->whole.detectable) && !g->is_relative)
		add_growth(", from ", a->result->whole.detectable, "all of it",
			   0, out);
	if (limit >= 0 && !is_seen)
		buf_addf(out, "; the limit of %g %% is finer than that",
			 100 * limit);
}

static void add_more(size_t more, struct buf *out)
{
	if (more)
		buf_addf(out, ", and %zu more", more);
}

static void add_held(const struct check_answer *a, struct buf *out)
{
	const struct gates *g = &a->check->gates;
	char growth[32];

	buf_add_text(out, "check passed: nothing grew beyond its limit");
	if (check_latency_is_unjudged(a->check))
		buf_add_text(out, "; latency was not judged");
	if (!g->grown_count)
		return;
	if (!g->largest.row) {
		buf_addf(out, "; %zu function%s grew within it", g->grown_count,
			 &"s"[g->grown_count == 1]);
		return;
	}
	buf_add_text(out, "; ");
	wording_add(out, g->largest.row->name, WORDING_TEXT_BYTES);
	wording_percent(g->largest.growth, true, growth);
	buf_addf(out, " grew by %s", growth);
	add_interval(&g->largest, out);
	add_more(g->grown_count - 1, out);
}

void check_headline(const struct check_answer *a, struct buf *out)
{
	const struct gates *g = &a->check->gates;

	switch (g->outcome) {
	case GATES_BROKEN:
		buf_add_text(out, "check failed: ");
		check_hit_text(a, &g->hits[0], out);
		add_more(g->hit_count - 1, out);
		break;
	case GATES_HELD:
		add_held(a, out);
		break;
	case GATES_UNKNOWN:
		buf_add_text(out, "check cannot tell: ");
		check_lack_text(a, out);
		if (a->is_lack_accepted)
			buf_add_text(out, "; accepted by --allow-empty");
		break;
	}
}
