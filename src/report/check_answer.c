/* SPDX-License-Identifier: Apache-2.0 */
#include "report/answers.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/gates.h"
#include "base/bytes.h"
#include "base/escape.h"
#include "base/jsonw.h"
#include "base/num.h"
#include "investigate/check.h"
#include "render/page.h"
#include "render/render.h"
#include "render/units.h"
#include "report/texts.h"

/* Sentences that the forms of an answer of `check` have in common. */

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

/* " per run", " per second" or, of shares, nothing. */
static const char *check_per(const struct check *c)
{
	switch (c->per) {
	case NORMALIZE_REQUEST:
		return c->is_by_request ? " per request" : " per run";
	case NORMALIZE_RATE:
		return " per second";
	case NORMALIZE_SHARE:
	case NORMALIZE_VALUE:
		break;
	}
	return "";
}

/* "CPU", "allocated bytes". */
static const char *check_measure(const struct check_answer *a)
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
	char low[UNIT_TEXT_BYTES], high[UNIT_TEXT_BYTES];

	if (isnan(hit->low) || isnan(hit->high))
		return;
	if (hit->gate == GATE_NEW) {
		buf_addf(out, " (%.1f %% to %.1f %%)", 100 * hit->low,
			 100 * hit->high);
		return;
	}
	format_growth(hit->low, true, low);
	format_growth(hit->high, true, high);
	buf_addf(out, " (%s to %s)", low, high);
}

bool check_more(double growth, const char *more, const char *as,
		struct buf *out)
{
	char text[UNIT_TEXT_BYTES];

	format_growth(fabs(growth), false, text);
	if (*text == 'x')
		buf_addf(out, "%s times as %s", text + 1, as);
	else
		buf_addf(out, "%s %s", text, growth < 0 ? "less" : more);
	return *text == 'x';
}

/* Less of what functions have in common is not worth a word. */
#define COMMON_TOLD 0.05

/* The change that a function is judged beside: ", and most functions 8.0 %
 * more". */
static void add_common(const struct check_answer *a, const struct gate_hit *hit,
		       struct buf *out)
{
	double common = a->check->gates.common;

	if (!hit->row || fabs(common) < COMMON_TOLD)
		return;
	buf_add_text(out, ", and ");
	if (a->check->want->reference.len)
		wording_add(out, a->check->want->reference, WORDING_TEXT_BYTES);
	else
		buf_add_text(out, "most functions");
	buf_add_char(out, ' ');
	check_more(common, "more", "much", out);
}

/* "uses 20 % more CPU per run than in the baseline (+15 % to +25 %)" */
static void add_takes(const struct check_answer *a, const struct gate_hit *hit,
		      struct buf *out)
{
	bool is_times;

	if (isinf(hit->growth)) {
		buf_addf(out, " uses %s self time (was 0)",
			 check_measure(a));
		return;
	}
	buf_add_text(out, " uses ");
	is_times = check_more(hit->growth, "more", "much", out);
	buf_addf(out, " %s%s %s in the baseline%s", check_measure(a),
		 check_per(a->check), is_times ? "as" : "than",
		 hit->is_self ? ", itself" : "");
	add_interval(hit, out);
	add_common(a, hit, out);
}

/* "shop.Route uses 20 % more CPU per run than in the baseline; the limit is
 * 5 %" */
static void check_hit_text(const struct check_answer *a,
			   const struct gate_hit *hit, struct buf *out)
{
	if (hit->row && !hit->operation)
		wording_add(out, hit->row->name, WORDING_TEXT_BYTES);
	else if (!hit->operation)
		buf_add_text(out, "the whole program");
	if (hit->operation) {
		check_latency_hit(hit, out);
		add_interval(hit, out);
	} else if (hit->gate == GATE_NEW) {
		buf_addf(out, " is new with %.1f %% of the %s",
			 100 * hit->growth, check_measure(a));
		add_interval(hit, out);
	} else {
		add_takes(a, hit, out);
	}
	buf_addf(out, "; the limit is %g %%",
		 100 * a->check->gates.limits.limit[hit->gate]);
}

/* How much a function grew, for certain or not: "shop.find +31 % (-2 % to
 * +76 %)". */
static void add_growth_of(const struct gate_hit *hit, struct buf *out)
{
	char growth[UNIT_TEXT_BYTES];

	wording_add(out, hit->row->name, WORDING_TEXT_BYTES);
	format_growth(hit->growth, true, growth);
	buf_addf(out, " %s", growth);
	if (isinf(hit->growth))
		buf_addf(out, ", %.1f %% of all", 100 * hit->row->total);
	add_interval(hit, out);
}

static const char *per_side(const struct check *c)
{
	return c->candidate.is_of_files ? "give more or longer runs per side"
					: "give a longer window (--since)";
}

/* All of it grew, by one or the other. */
static void add_whole(const struct check_answer *a, struct buf *out)
{
	const struct check *c = a->check;

	buf_add_text(out, "the whole program");
	add_takes(a, &c->gates.total, out);
	if (!c->candidate.is_of_files)
		buf_add_text(out, ", in the code or from more traffic: give "
				  "--requests and --baseline-requests");
	else
		buf_addf(out,
			 ", in the code, or from more work or a slower "
			 "machine: %sgive --requests or --reference",
			 c->is_interleaved ? ""
					   : "alternate the runs of both "
					     "sides, or ");
}

static void add_power(const struct check_answer *a, enum gate_kind gate,
		      struct buf *out)
{
	const struct check *c = a->check;

	buf_add_text(out, "growth by half in ");
	if (gate == GATE_TOTAL)
		buf_add_text(out, "the whole program");
	else
		buf_addf(out, "a function of %g %%", 100 * GATES_BLIND_SHARE);
	buf_addf(out, " is not detectable: %s", per_side(c));
	if (c->gates.runs_lacking && c->candidate.is_of_files)
		buf_addf(out, "; %zu more run%s per side would be enough",
			 c->gates.runs_lacking,
			 &"s"[c->gates.runs_lacking == 1]);
}

/* Why nothing can be said of one limit; and how much could have been seen. */
static void check_lack_text(const struct check_answer *a, enum gate_kind gate,
			    struct buf *out)
{
	const struct check *c = a->check;
	struct gate_hit beside;

	switch (c->gates.lacks[gate]) {
	case GATES_LACK_NONE:
		break;
	case GATES_LACK_SIDE:
		buf_add_text(out, "one side has no samples");
		break;
	case GATES_LACK_TEST:
		buf_addf(out,
			 "%s profiles have no sample counts, so noise cannot "
			 "be estimated from one profile per side: give several "
			 "runs per side",
			 check_measure(a));
		break;
	case GATES_LACK_SAMPLES:
		buf_addf(out, "fewer than %d samples on one side: %s",
			 GATES_MIN_SAMPLES, per_side(c));
		break;
	case GATES_LACK_REQUESTS:
	case GATES_LACK_LATENCY:
	case GATES_LACK_ANSWER:
		check_latency_lack(c, out);
		break;
	case GATES_LACK_POWER:
		add_power(a, gate, out);
		break;
	case GATES_LACK_WHOLE:
		add_whole(a, out);
		break;
	case GATES_LACK_TRAFFIC:
		if (c->per == NORMALIZE_SHARE)
			buf_add_text(out, "shares have no total: compare with "
					  "--normalize request");
		else
			buf_addf(out,
				 "%s per second depends on traffic, so total "
				 "is not judged: give --requests and "
				 "--baseline-requests",
				 check_measure(a));
		break;
	case GATES_LACK_BESIDE:
		beside = gates_row_growth(c->gates.beside, a->result);
		add_growth_of(&beside, out);
		add_common(a, &beside, out);
		buf_add_text(out, ": it grew on a faster machine, or the "
				  "others shrank: give --requests or "
				  "--reference");
		break;
	case GATES_LACK_SPLIT:
		buf_addf(out,
			 "as many functions are at %.3g %% of the baseline as "
			 "at %.3g %%: one group changed, and which one is not "
			 "known: give --requests and --baseline-requests, or "
			 "--reference",
			 100 * (1 + c->gates.other_common),
			 100 * (1 + c->gates.common));
		break;
	}
}

static void add_growth(const char *before, double growth, const char *of,
		       double share, struct buf *out)
{
	char text[UNIT_TEXT_BYTES];

	format_growth(fmin(growth, DBL_MAX), false, text);
	buf_addf(out, "%s%s in %s", before, text, of);
	if (share > 0)
		buf_addf(out, " of %g %%", 100 * share);
}

static void check_power_text(const struct check_answer *a, struct buf *out)
{
	const struct gates *g = &a->check->gates;
	const struct gates_power *told = &g->powers[GATES_POWER_TOLD];
	double limit = g->limits.limit[GATE_FUNCTION];
	bool is_seen = limit >= 0 && !isnan(g->seen_share);

	if (!g->has_power)
		return;
	buf_add_text(out, "growth of ");
	if (is_seen)
		buf_addf(out, "%g %% in functions above %g %%, ",
			 100 * limit, 100 * g->seen_share);
	add_growth("", told->growth, "functions", told->share, out);
	if (!is_seen)
		add_growth(", ", g->seen_growth, "functions",
			   GATES_BLIND_SHARE, out);
	if (!isnan(a->result->whole.detectable) && !g->is_relative)
		add_growth(", ", a->result->whole.detectable,
			   "the whole program", 0, out);
	if (limit >= 0 && !is_seen)
		buf_addf(out, "; the limit of %g %% is below that",
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

	buf_add_text(out, "check passed: no growth beyond the limits");
	if (!g->grown_count)
		return;
	if (!g->largest.row) {
		buf_addf(out, "; %zu function%s grew within it", g->grown_count,
			 &"s"[g->grown_count == 1]);
		return;
	}
	buf_add_text(out, "; within it ");
	add_growth_of(&g->largest, out);
	add_common(a, &g->largest, out);
	add_more(g->grown_count - 1, out);
}

/* The answer in one line. */
static void check_headline(const struct check_answer *a, struct buf *out)
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
		buf_add_text(out, "check inconclusive: ");
		check_lack_text(a, g->lacking, out);
		if (a->is_lack_accepted)
			buf_add_text(out, "; accepted by --allow-empty");
		break;
	}
}

/* Answers of `check` as pipelines read them: JUnit's XML, SARIF, annotations of
 * GitHub. */

static void hit_sentence(const struct check_answer *a, size_t i,
			 struct buf *out)
{
	buf_clear(out);
	check_hit_text(a, &a->check->gates.hits[i], out);
	if (a->check->gates.hits[i].row && !a->places[i].is_known)
		buf_add_text(out, "; its file in the repository is unknown");
}

/* ---- JUnit ---- */

static void xml_case(struct out *out, const char *gate, struct str name)
{
	outf(out, "    <testcase classname=\"tracefind.check.%s\" name=\"",
	     gate);
	escape_xml(out, name);
	out_text(out, "\" time=\"0.000\"");
}

static void xml_failure(struct out *out, const struct check_answer *a, size_t i)
{
	const struct gate_hit *hit = &a->check->gates.hits[i];
	struct buf text;

	buf_init(&text, WORDING_BYTES);
	hit_sentence(a, i, &text);
	xml_case(out, gate_name(hit->gate),
		 hit->operation ? hit->operation->name
		 : hit->row     ? hit->row->name
				: STR("total"));
	outf(out, ">\n      <failure type=\"%s\" message=\"",
	     gate_name(hit->gate));
	escape_xml(out, buf_str(&text));
	out_text(out, "\">");
	escape_xml(out, buf_str(&text));
	out_text(out, "</failure>\n    </testcase>\n");
	buf_release(&text);
}

/* One that is not broken: passed, or skipped when it cannot be told. */
static void xml_rest(struct out *out, const struct check_answer *a,
		     enum gate_kind gate)
{
	struct buf text;

	xml_case(out, gate_name(gate), str_from(gate_name(gate)));
	if (!a->check->gates.lacks[gate]) {
		out_text(out, "/>\n");
		return;
	}
	buf_init(&text, WORDING_BYTES);
	check_lack_text(a, gate, &text);
	out_text(out, ">\n      <skipped message=\"");
	escape_xml(out, buf_str(&text));
	out_text(out, "\"/>\n    </testcase>\n");
	buf_release(&text);
}

static bool is_broken(const struct gates *g, enum gate_kind gate)
{
	for (size_t i = 0; i < g->hit_count; i++)
		if (g->hits[i].gate == gate)
			return true;
	return false;
}

static void write_junit(const void *answer, struct out *out)
{
	const struct check_answer *a = answer;
	const struct gates *g = &a->check->gates;
	size_t tests = g->hit_count, skipped = 0;

	for (int k = 0; k < GATE_COUNT; k++) {
		tests += gates_has(g, (enum gate_kind)k) &&
			 !is_broken(g, (enum gate_kind)k);
		skipped += g->lacks[k] != GATES_LACK_NONE;
	}
	outf(out,
	     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	     "<testsuites name=\"tracefind\" tests=\"%zu\" failures=\"%zu\" "
	     "errors=\"0\" time=\"0.000\">\n"
	     "  <testsuite name=\"tracefind check\" tests=\"%zu\" "
	     "failures=\"%zu\" errors=\"0\" skipped=\"%zu\" "
	     "time=\"0.000\">\n",
	     tests, g->hit_count, tests, g->hit_count, skipped);
	for (size_t i = 0; i < g->hit_count; i++)
		xml_failure(out, a, i);
	for (int k = 0; k < GATE_COUNT; k++)
		if (gates_has(g, (enum gate_kind)k) &&
		    !is_broken(g, (enum gate_kind)k))
			xml_rest(out, a, (enum gate_kind)k);
	out_text(out, "  </testsuite>\n</testsuites>\n");
}

/* ---- SARIF ---- */

/* Never renumbered: code scanning keeps what it knows by them. */
static const struct {
	const char *id;
	const char *name;
	const char *brief;
	const char *full;
} rules[GATE_COUNT] = {
	[GATE_TOTAL] = { "TF001", "TotalRegression",
			 "The whole program uses more than the baseline",
			 "The whole program uses more than in the baseline: "
			 "above the limit, and significant." },
	[GATE_FUNCTION] = { "TF002", "FunctionRegression",
			    "A function uses more than in the baseline",
			    "A function with its callees uses more than in the "
			    "baseline: above the limit, and significant." },
	[GATE_NEW] = { "TF003", "NewFunction", "A new function uses a large "
					       "share",
		       "A function that is not in the baseline has a larger "
		       "share than the limit." },
	[GATE_LATENCY] = { "TF004", "LatencyRegression",
			   "Requests of an operation take longer",
			   "Requests of an operation take longer than in the "
			   "baseline: above the limit, and significant." },
};

static void sarif_rule(struct jsonw *w, int gate)
{
	jsonw_addf(w,
		   "{id:%s, name:%s, shortDescription:{text:%s}, "
		   "fullDescription:{text:%s}, help:{text:%s}, "
		   "defaultConfiguration:{level:error}, "
		   "properties:{tags:[performance], precision:high, "
		   "problem.severity:error}}",
		   rules[gate].id, rules[gate].name, rules[gate].brief,
		   rules[gate].full,
		   gate == GATE_LATENCY
			   ? "Run tracefind slow on the service to see "
			     "where a slow request spends its time."
			   : "Run tracefind diff on the two sides to see "
			     "where the change comes from.");
}

/* The same in every run: neither line nor value are in it. */
static uint64_t hash_add(uint64_t hash, struct str text)
{
	return fnv64(fnv64(hash, text), STR("\xff"));
}

static void sarif_fingerprint(struct jsonw *w, const struct check_answer *a,
			      const struct gate_hit *hit)
{
	uint64_t hash = FNV64_BEGIN;
	char text[40];

	hash = hash_add(hash, str_from(rules[hit->gate].id));
	hash = hash_add(hash, a->result->profile.type);
	hash = hash_add(hash, hit->operation ? hit->operation->name
			      : hit->row     ? hit->row->name
					     : STR(""));
	snprintf(text, sizeof text, "%016" PRIx64 ":1", hash);
	jsonw_addf(w, "partialFingerprints:{primaryLocationLineHash:%s}", text);
}

/* As RFC 3986 has a path. */
static void uri_add(struct buf *out, struct str path)
{
	static const char plain[] = "-._~/!$&'()*+,;=@";

	for (size_t i = 0; i < path.len; i++) {
		unsigned char c = (unsigned char)path.ptr[i];
		bool is_plain = (c >= 'a' && c <= 'z') ||
				(c >= 'A' && c <= 'Z') ||
				(c >= '0' && c <= '9') ||
				(c && c < 0x80 && strchr(plain, c));

		buf_addf(out, is_plain ? "%c" : "%%%02X", c);
	}
}

static void sarif_result(struct jsonw *w, const struct check_answer *a,
			 size_t i, struct buf *text)
{
	const struct gate_hit *hit = &a->check->gates.hits[i];
	struct buf uri;

	buf_init(&uri, 4 * LIMIT_STRING_BYTES);
	uri_add(&uri, a->places[i].path);
	hit_sentence(a, i, text);
	jsonw_addf(w,
		   "{ruleId:%s, ruleIndex:%u, level:error, message:{text:%s}, "
		   "locations:[{physicalLocation:{artifactLocation:{uri:%s}, "
		   "region:{startLine:%u, startColumn:1, endLine:%u, "
		   "endColumn:2}}",
		   rules[hit->gate].id, hit->gate, buf_text(text),
		   buf_text(&uri), a->places[i].line, a->places[i].line);
	if (hit->row)
		jsonw_addf(w,
			   "logicalLocations:[{fullyQualifiedName:%.*s, "
			   "kind:function}]",
			   STR_WHOLE(hit->row->name));
	jsonw_addf(w, "}]");
	sarif_fingerprint(w, a, hit);
	jsonw_addf(w, "properties:{growth:%.6f, q:%.9f}}", hit->growth, hit->q);
	buf_release(&uri);
}

/* The invocation says what could not be judged, which is no result. */
static void sarif_invocation(struct jsonw *w, const struct check_answer *a)
{
	bool is_unknown = a->check->gates.outcome == GATES_UNKNOWN;
	struct buf text;

	buf_init(&text, WORDING_BYTES);
	check_headline(a, &text);
	jsonw_addf(w,
		   "invocations:[{executionSuccessful:%i, "
		   "toolExecutionNotifications:[{level:%s, "
		   "message:{text:%s}}]}]",
		   !is_unknown, is_unknown ? "warning" : "note",
		   buf_text(&text));
	buf_release(&text);
}

static void write_sarif(const void *answer, struct out *out)
{
	const struct check_answer *a = answer;
	struct buf text;
	struct jsonw w;

	jsonw_init(&w, out, 1);
	jsonw_addf(&w,
		   "{$schema:'https://json.schemastore.org/sarif-2.1.0.json', "
		   "version:'2.1.0', "
		   "runs:[{tool:{driver:{name:tracefind, version:%s, rules:[",
		   TRACEFIND_VERSION);
	for (int k = 0; k < GATE_COUNT; k++)
		sarif_rule(&w, k);
	jsonw_addf(&w, "]}}, automationDetails:{id:tracefind/check/}");
	sarif_invocation(&w, a);
	jsonw_addf(&w, "results:[");
	buf_init(&text, WORDING_BYTES);
	for (size_t i = 0; i < a->check->gates.hit_count; i++)
		sarif_result(&w, a, i, &text);
	buf_release(&text);
	jsonw_addf(&w, "]}]}");
	out_char(out, '\n');
}

/* ---- GitHub ---- */

/* Workflow commands end at a line's end; of a property's value ':' and ',' are
 * special, too. */
static void github_text(struct out *out, struct str text, bool is_property)
{
	struct buf shown;

	buf_init(&shown, 4 * WORDING_BYTES);
	escape_terminal_buf(&shown, text);
	for (size_t i = 0; i < shown.len; i++) {
		char c = buf_str(&shown).ptr[i];

		if (c == '%' || (is_property && (c == ':' || c == ',')))
			outf(out, "%%%02X", c);
		else
			out_char(out, c);
	}
	buf_release(&shown);
}

static void github_line(struct out *out, const char *command,
			const struct check_place *place, struct str text)
{
	outf(out, "::%s ", command);
	if (place) {
		out_text(out, "file=");
		github_text(out, place->path, true);
		outf(out, ",line=%u,", place->line);
	}
	out_text(out, "title=tracefind check::");
	github_text(out, text, false);
	out_char(out, '\n');
}

static void write_github(const void *answer, struct out *out)
{
	const struct check_answer *a = answer;
	const struct gates *g = &a->check->gates;
	struct buf text;

	buf_init(&text, WORDING_BYTES);
	for (size_t i = 0; i < g->hit_count; i++) {
		hit_sentence(a, i, &text);
		github_line(out, "error",
			    a->places[i].is_known ? &a->places[i] : NULL,
			    buf_str(&text));
	}
	if (!g->hit_count) {
		check_headline(a, &text);
		github_line(out,
			    g->outcome == GATES_UNKNOWN ? "warning" : "notice",
			    NULL, buf_str(&text));
	}
	buf_release(&text);
}

static const struct answer_format check_ci_formats[] = {
	{ "junit", write_junit },
	{ "sarif", write_sarif },
	{ "github", write_github },
	{ NULL, NULL },
};

#define LABEL_COLUMNS 13u
#define NUMBER_COLUMNS 10u
#define NUMBERS 4u
#define NAME_MIN_COLUMNS 20u

/* ---- for people: what was compared ---- */

/* A sentence that holds foreign names. */
static void write_sentence(struct page *p, enum paint paint, const char *label,
			   const struct check_answer *a,
			   void (*tell)(const struct check_answer *a,
					struct buf *out))
{
	struct buf text;

	buf_init(&text, WORDING_BYTES);
	tell(a, &text);
	page_sentence(p, buf_str(&text));
	page_flush(p, paint, label, *label ? LABEL_COLUMNS : 0);
	buf_release(&text);
}

static void write_side(struct page *p, const char *label,
		       const struct check_side *side, size_t runs,
		       const char *what)
{
	char samples[COUNT_TEXT_BYTES];

	if (!side->whole && !side->name.len)
		page_text(p, "none");
	page_foreign(p, side->name);
	if (side->range.to_ns) {
		page_text(p, ", ");
		page_window(p, side->range, 0);
	}
	if (runs)
		page_textf(p, ", %zu %s%s", runs, what, &"s"[runs == 1]);
	if (side->whole && side->samples >= 0) {
		format_count(side->samples, samples);
		page_textf(p, ", %s samples", samples);
	}
	page_flush(p, PAINT_NONE, label, LABEL_COLUMNS);
}

static size_t baseline_runs(const struct check *c)
{
	return c->want->snapshot ? c->want->snapshot->runs
				 : c->baseline.runs.count;
}

static void format_side(const struct result *r, int64_t value, double exposure,
			char out[UNIT_TEXT_BYTES])
{
	format_value(sat_round_f64((double)value / fmax(1e-12, exposure)),
		     r->profile.unit, out);
}

static void write_total(struct page *p, const struct check_answer *a)
{
	const struct result *r = a->result;
	const struct gates *g = &a->check->gates;
	char after[UNIT_TEXT_BYTES], before[UNIT_TEXT_BYTES];
	char growth[UNIT_TEXT_BYTES];
	struct buf interval;

	if (a->check->want->is_latency_alone)
		return;
	if (a->check->per == NORMALIZE_SHARE) {
		page_text(p, "not compared: by share it is always 100 %");
		page_flush(p, PAINT_NONE, "  total", LABEL_COLUMNS);
	}
	if (!g->has_total || a->check->per == NORMALIZE_SHARE)
		return;
	format_side(r, r->profile.total_value, r->exposure, after);
	format_side(r, r->baseline.total_value, r->baseline_exposure, before);
	buf_init(&interval, WORDING_BYTES);
	format_growth(g->total.growth, true, growth);
	add_interval(&g->total, &interval);
	page_textf(p, "%s %s%s%s, was %s: %s%s%s", after,
		   str_equal(r->profile.unit, STR("count")) ? "" : "of ",
		   check_measure(a), check_per(a->check), before, growth,
		   buf_text(&interval),
		   g->is_relative ? ", which follows the traffic: not judged "
				    "(--requests)"
		   : !g->is_total_certain ? ", which may be noise"
		   : g->lacks[GATE_TOTAL] == GATES_LACK_WHOLE ? ": not judged"
							      : "");
	buf_release(&interval);
	page_flush(p, PAINT_NONE, "  total", LABEL_COLUMNS);
}

/* The growth of the reference, by the machine, and of all others. */
static void tell_reference(const struct check_answer *a, struct buf *out)
{
	struct str name = a->check->want->reference;

	for (size_t i = 0; name.len && i < a->result->function_count; i++) {
		const struct function_row *row = &a->result->functions[i];
		struct gate_hit hit;

		if (!str_equal(row->name, name))
			continue;
		hit = gates_row_growth(row, a->result);
		add_growth_of(&hit, out);
		buf_add_text(out, ": attributed to the machine");
		return;
	}
}

static void tell_limits(const struct check_answer *a, struct buf *out)
{
	check_limits(&a->check->gates.limits, out);
}

static void tell_latency(const struct check_answer *a, struct buf *out)
{
	check_latency_power(a->check, out);
}

/* ---- for people: what is broken ---- */

/* "shop.find +31 % (-2 % to +76 %)" for each. */
static void tell_nearest(const struct check_answer *a, struct buf *out)
{
	const struct gates *g = &a->check->gates;
	struct gate_hit hit;

	for (size_t i = 0; i < g->nearest_count; i++) {
		if (i)
			buf_add_text(out, "; ");
		hit = gates_row_growth(g->nearest[i], a->result);
		add_growth_of(&hit, out);
	}
}

static const char *const column_names[][NUMBERS + 1] = {
	[GATE_TOTAL] = { "growth", "from", "to", "limit", "function" },
	[GATE_FUNCTION] = { "growth", "from", "to", "limit", "function" },
	[GATE_NEW] = { "share", "from", "to", "limit", "function" },
};

void check_growth_cell(double growth, char out[UNIT_TEXT_BYTES])
{
	format_growth(growth, true, out);
	if (strchr(out, '%'))
		snprintf(out, UNIT_TEXT_BYTES, "%+.1f", 100 * growth);
}

static void write_hit(struct page *p, const struct gates *g,
		      const struct gate_hit *hit)
{
	const double values[NUMBERS - 1] = { hit->growth, hit->low, hit->high };
	char cells[NUMBERS][UNIT_TEXT_BYTES];
	size_t before = NUMBERS * NUMBER_COLUMNS + 2;
	size_t place = hit->row->file.len
			       ? page_place_columns(p, hit->row->file,
						    hit->row->line) +
					 2
			       : 0;
	size_t room = p->width > before + place + NAME_MIN_COLUMNS
			      ? p->width - before - place
			      : NAME_MIN_COLUMNS;

	for (size_t i = 0; i < NUMBERS - 1; i++)
		if (hit->gate != GATE_NEW)
			check_growth_cell(values[i], cells[i]);
		else
			snprintf(cells[i], UNIT_TEXT_BYTES, "%.1f",
				 100 * values[i]);
	snprintf(cells[NUMBERS - 1], UNIT_TEXT_BYTES, "%g",
		 100 * g->limits.limit[hit->gate]);
	for (size_t i = 0; i < NUMBERS; i++)
		markdown_or_field(p, i ? PAINT_NONE : PAINT_BAD, NUMBER_COLUMNS,
				  cells[i]);
	if (p->style.is_markdown) {
		markdown_name_cell(p, hit->row->name);
		markdown_place_cell(p, hit->row->file, hit->row->line);
		markdown_row_end(p);
		return;
	}
	page_repeat(p, PAINT_NONE, " ", 2);
	page_cell(p, PAINT_BOLD, hit->row->name, p->width ? room : 0, 0);
	if (hit->is_self)
		page_paint(p, PAINT_NONE, " itself");
	if (place) {
		page_repeat(p, PAINT_NONE, " ", 2);
		page_place(p, PAINT_DIM, hit->row->file, hit->row->line, 0);
	}
	out_char(p->out, '\n');
}

static void write_table_head(struct page *p, const struct check_answer *a,
			     enum gate_kind gate)
{
	const char *const *names = column_names[gate];
	double common = a->check->gates.common;
	char text[UNIT_TEXT_BYTES];

	if (gate == GATE_NEW)
		page_textf(p, "new functions, %% of %s", check_measure(a));
	else
		page_textf(p, "growth of %s%s, %% of the baseline",
			   check_measure(a), check_per(a->check));
	if (gate == GATE_FUNCTION && fabs(common) >= COMMON_TOLD) {
		format_growth(common, true, text);
		page_textf(p, "; %s %s",
			   a->check->want->reference.len ? "the reference"
							 : "most functions",
			   text);
	}
	markdown_or_title(p);
	if (p->style.is_markdown) {
		static const char *const places[] = { "growth",   "from",
						      "to",       "limit",
						      "function", "file" };

		out_char(p->out, '\n');
		markdown_head(p, places, 6, NUMBERS);
		return;
	}
	for (size_t i = 0; i < NUMBERS; i++)
		page_field(p, PAINT_BOLD, ALIGN_RIGHT, NUMBER_COLUMNS,
			   names[i]);
	page_paint(p, PAINT_BOLD, "  ");
	page_paint(p, PAINT_BOLD, names[NUMBERS]);
	out_char(p->out, '\n');
}

/* So many of the machine stand among the others; more of them hide those. */
#define MACHINE_SHOWN 3u

/* Rows that follow the machine stand last; -n 0 shows it in any case. */
static size_t count_shown(const struct page *p, const struct gates *g,
			  enum gate_kind gate, size_t count, size_t *of_machine)
{
	size_t limit = p->style.limit ? p->style.limit : SIZE_MAX;

	*of_machine = 0;
	for (size_t i = 0; i < g->hit_count; i++)
		*of_machine += g->hits[i].gate == gate &&
			       gate_hit_is_of_machine(&g->hits[i]);
	if (!p->style.limit || *of_machine <= MACHINE_SHOWN ||
	    *of_machine == count)
		*of_machine = 0;
	return limit < count - *of_machine ? limit : count - *of_machine;
}

static void write_hits(struct page *p, const struct check_answer *a,
		       enum gate_kind gate)
{
	const struct gates *g = &a->check->gates;
	size_t shown = 0, count = 0, of_machine, most, more;

	for (size_t i = 0; i < g->hit_count; i++)
		count += g->hits[i].gate == gate;
	if (!count)
		return;
	most = count_shown(p, g, gate, count, &of_machine);
	more = count - of_machine - most;
	out_char(p->out, '\n');
	write_table_head(p, a, gate);
	for (size_t i = 0; i < g->hit_count && shown < most; i++)
		if (g->hits[i].gate == gate) {
			write_hit(p, g, &g->hits[i]);
			shown++;
		}
	if (!more && !of_machine)
		return;
	if (more)
		page_textf(p, "%zu more%s", more, of_machine ? "; " : "");
	if (of_machine)
		page_textf(p,
			   "%zu more of the runtime, garbage collector and "
			   "kernel, which also vary with machine load",
			   of_machine);
	page_text(p, "; -n 0 shows all");
	page_flush(p, PAINT_DIM, "  ", 2);
}

static void write_table(const void *answer, const struct render_style *style,
			struct out *out)
{
	static const enum paint paints[] = { [GATES_HELD] = PAINT_GOOD,
					     [GATES_BROKEN] = PAINT_BAD,
					     [GATES_UNKNOWN] = PAINT_BOLD };
	const struct check_answer *a = answer;
	const struct check *c = a->check;
	const struct snapshot *snapshot = c->want->snapshot;
	struct page p;

	page_begin(&p, style, out);
	p.source_root = a->result->source_root;
	write_sentence(&p, paints[a->check->gates.outcome], "", a,
		       check_headline);
	out_char(out, '\n');
	write_side(&p, "  candidate", &c->candidate, c->candidate.runs.count,
		   c->candidate.is_of_files ? "run" : "interval");
	write_side(&p, "  baseline", &c->baseline, baseline_runs(c),
		   (snapshot && snapshot->is_of_runs) || c->baseline.is_of_files
			   ? "run"
			   : "interval");
	write_total(&p, a);
	write_sentence(&p, PAINT_NONE, "  reference", a, tell_reference);
	write_sentence(&p, PAINT_NONE, "  fail on", a, tell_limits);
	write_sentence(&p, PAINT_NONE, "  detectable", a, check_power_text);
	write_sentence(&p, PAINT_NONE, "  nearest", a, tell_nearest);
	write_sentence(&p, PAINT_NONE, "  requests", a, tell_latency);
	write_hits(&p, a, GATE_FUNCTION);
	write_hits(&p, a, GATE_NEW);
	check_latency_table(&p, a->check);
	if (!style->is_quiet && (a->notes->count || a->next.ptr)) {
		out_char(out, '\n');
		page_notes(&p, a->notes, STR(""));
		if (a->next.ptr)
			markdown_next(&p, a->next, true);
	}
	page_end(&p);
}

/* ---- for programs ---- */

static const char *const outcome_names[] = { [GATES_HELD] = "passed",
					     [GATES_BROKEN] = "failed",
					     [GATES_UNKNOWN] = "unknown" };

static const char *const lack_names[] = {
	[GATES_LACK_NONE] = NULL,
	[GATES_LACK_TEST] = "no_test",
	[GATES_LACK_SAMPLES] = "samples",
	[GATES_LACK_POWER] = "power",
	[GATES_LACK_SIDE] = "no_baseline",
	[GATES_LACK_REQUESTS] = "requests",
	[GATES_LACK_LATENCY] = "latency_power",
	[GATES_LACK_ANSWER] = "no_answer",
	[GATES_LACK_WHOLE] = "whole",
	[GATES_LACK_TRAFFIC] = "traffic",
	[GATES_LACK_BESIDE] = "beside",
	[GATES_LACK_SPLIT] = "split",
};

static void json_side(struct jsonw *w, const char *key,
		      const struct check_side *side, size_t runs, int64_t total)
{
	jsonw_addf(w, "%s:{name:%.*s", key, STR_WHOLE(side->name));
	json_range(w, side->range);
	jsonw_addf(w, "runs:%zu, samples:%-jd", runs, side->samples);
	if (jsonw_key_known(w, "total_value", side->whole))
		jsonw_i64(w, total);
	jsonw_object_end(w);
}

static void json_growth(struct jsonw *w, const struct gate_hit *hit)
{
	jsonw_addf(w, "growth:%.6f, growth_low:%.6f, growth_high:%.6f, q:%.9f",
		   hit->growth, hit->low, hit->high, hit->q);
}

static void json_values(struct jsonw *w, const struct result *r, int64_t value,
			int64_t baseline)
{
	jsonw_addf(w, "before:%.6f, after:%.6f",
		   (double)baseline / fmax(1e-12, r->baseline_exposure),
		   (double)value / fmax(1e-12, r->exposure));
}

/* The values of operations are nanoseconds, medians of the requests. */
static void json_hit(struct jsonw *w, const struct check_answer *a,
		     const struct gate_hit *hit)
{
	static const struct function_row none;
	const struct gates *g = &a->check->gates;
	const struct function_row *row = hit->row ? hit->row : &none;
	const struct latency_row *operation = hit->operation;
	const struct result *r = a->result;

	jsonw_addf(w, "{limit:%s, limit_value:%.6f", gate_name(hit->gate),
		   g->limits.limit[hit->gate]);
	if (jsonw_key_known(w, "function", hit->row))
		jsonw_str(w, row->name);
	jsonw_addf(w, "file:%-.*s, line:%-u", STR_WHOLE(row->file), row->line);
	jsonw_pair_known_str(w, "operation",
			     operation ? operation->name : STR(""));
	if (operation)
		jsonw_addf(w, "before:%jd, after:%jd",
			   operation->before.quantiles.p50_ns,
			   operation->after.quantiles.p50_ns);
	else if (hit->row)
		json_values(w, r, row->total_value, row->baseline_total_value);
	else
		json_values(w, r, r->profile.total_value,
			    r->baseline.total_value);
	json_growth(w, hit);
	jsonw_addf(w, "judged:%.6f, is_self:%i}", hit->beside, hit->is_self);
}

/* Where nothing is certain: what is nearest to it. */
static void json_nearest(struct jsonw *w, const struct check_answer *a)
{
	const struct gates *g = &a->check->gates;

	jsonw_addf(w, "nearest:[");
	for (size_t i = 0; i < g->nearest_count; i++) {
		struct gate_hit hit = gates_row_growth(g->nearest[i], a->result);

		jsonw_addf(w, "{function:%.*s", STR_WHOLE(hit.row->name));
		json_growth(w, &hit);
		jsonw_object_end(w);
	}
	jsonw_addf(w, "], runs_lacking:%-zu", g->runs_lacking);
}

static void json_power(struct jsonw *w, const struct check_answer *a)
{
	const struct gates *g = &a->check->gates;

	jsonw_addf(w,
		   "power:{total_growth:%.6f, limit_seen_from_share:%.6f, "
		   "functions:[",
		   g->has_power ? a->result->whole.detectable : NAN,
		   a->check->gates.seen_share);
	for (size_t i = 0; g->has_power && i < GATES_POWERS; i++) {
		jsonw_addf(w, "{share:%.6f, growth:%.6f}", g->powers[i].share,
			   g->powers[i].growth);
	}
	jsonw_addf(w, "]}");
}

static void write_json(const void *answer, struct out *out)
{
	const struct check_answer *a = answer;
	const struct check *c = a->check;
	const struct gates *g = &c->gates;
	const struct result *r = a->result;
	struct jsonw writer, *w = &writer;

	json_begin(w, out, "check");
	jsonw_addf(w, "outcome:%s, reason:%s, type:%-.*s, unit:%-.*s, per:%s",
		   outcome_names[g->outcome],
		   g->outcome == GATES_UNKNOWN ? lack_names[gates_lack(g)]
					       : NULL,
		   STR_WHOLE(a->result->profile.type),
		   STR_WHOLE(a->result->profile.unit),
		   c->want->is_latency_alone   ? NULL
		   : c->per == NORMALIZE_SHARE ? "share"
		   : c->per == NORMALIZE_RATE  ? "second"
		   : c->is_by_request          ? "request"
					       : "run");
	json_side(w, "candidate", &c->candidate, c->candidate.runs.count,
		  a->result->profile.total_value);
	json_side(w, "baseline", &c->baseline, baseline_runs(c),
		  a->result->baseline.total_value);
	jsonw_pair_bool(w, "interleaved", c->is_interleaved);
	jsonw_pair_known_str(w, "reference", c->want->reference);
	jsonw_addf(w, "limits:{");
	for (int k = 0; k < GATE_COUNT; k++)
		jsonw_addf(w, "%s:%-.6f", gate_name((enum gate_kind)k),
			   g->limits.limit[k]);
	jsonw_object_end(w);
	if (jsonw_key_known(w, "total", g->has_total)) {
		jsonw_object(w);
		json_values(w, r, r->profile.total_value,
			    r->baseline.total_value);
		json_growth(w, &g->total);
		jsonw_object_end(w);
	}
	jsonw_addf(w, "broken:[");
	for (size_t i = 0; i < g->hit_count; i++)
		json_hit(w, a, &g->hits[i]);
	jsonw_addf(w, "], grown_within_limits:%zu, shrunk:%zu", g->grown_count,
		   g->shrunk_count);
	json_power(w, a);
	json_nearest(w, a);
	check_latency_json(w, a->check);
	json_notes(w, "notes", a->notes);
	json_requests(w, a->result);
	json_end(w, NULL);
}

const struct answer_writer check_writer = {
	.table = write_table,
	.json = write_json,
	.others = check_ci_formats,
};
