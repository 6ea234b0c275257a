/* SPDX-License-Identifier: Apache-2.0 */
#include "report/documents.h"

#include <stdio.h>
#include <string.h>

#include "analyze/burn.h"
#include "backend/selector.h"
#include "base/buf.h"
#include "base/escape.h"
#include "base/limits.h"
#include "base/timefmt.h"
#include "report/texts.h"

/* Longer windows are added up of what is recorded every so often: a server that
 * reads days of raw samples for each evaluation has little time for more. */
#define RECORD_NS (5 * NS_PER_MIN)
#define RAW_MOST_NS (6 * NS_PER_HOUR)

#define INDENT 8u

/* ---- YAML ---- */

void yaml_text(struct out *out, struct str text)
{
	out_char(out, '"');
	escape_json(out, text);
	out_char(out, '"');
}

void yaml_pair(struct out *out, size_t indent, const char *key, struct str text)
{
	bool is_plain = text.len && text.ptr[0] != ' ' && text.ptr[0] != '\n';

	for (size_t i = 0; i < text.len; i++)
		is_plain &= text.ptr[i] == '\n' ||
			    (text.ptr[i] >= ' ' && text.ptr[i] <= '~');
	out_repeat(out, " ", indent);
	outf(out, "%s: ", key);
	if (!is_plain) {
		yaml_text(out, text);
		out_char(out, '\n');
		return;
	}
	out_text(out, "|-\n");
	while (text.len) {
		size_t end = str_find(text, STR("\n"));
		struct str line = str_slice(text, 0, end);

		out_repeat(out, " ", indent + 2);
		out_str(out, line);
		out_char(out, '\n');
		text = str_slice(text, line.len + 1, text.len);
	}
}

/* ---- records ---- */

struct writing {
	const struct prometheus_rules *rules;
	struct out *out;
	struct buf name; /* of the objective, which its records bear */
};

static void begin_rule(const struct writing *w, const char *kind,
		       const char *name, int64_t window_ns)
{
	char window[32] = "";

	if (window_ns)
		format_duration_option(window_ns, window);
	outf(w->out, "      - %s: %s%s\n", kind, name, window);
}

static void end_record(const struct writing *w, struct buf *expression)
{
	if (expression->state != BUF_OK)
		out_fail_memory(w->out);
	yaml_pair(w->out, INDENT, "expr", buf_str(expression));
	buf_release(expression);
	out_text(w->out, "        labels:\n          service: ");
	yaml_text(w->out, str_from(w->rules->indicator.service));
	out_text(w->out, "\n          slo: ");
	yaml_text(w->out, buf_str(&w->name));
	out_char(w->out, '\n');
}

/* 'slo:errors:rate5m{service="..",slo=".."}' */
static void add_recorded(const struct writing *w, const char *name,
			 struct buf *out)
{
	struct buf list;

	buf_init(&list, LIMIT_SELECTOR_BYTES);
	selector_add(&list, STR("service"),
		     str_from(w->rules->indicator.service));
	selector_add(&list, STR("slo"), buf_str(&w->name));
	selector_close(&list);
	buf_addf(out, "%s%s", name, buf_text(&list));
	buf_release(&list);
}

static void add_all(const struct metric_indicator *of, int64_t window_ns,
		    struct buf *out)
{
	metric_part_expression(out, of, METRIC_PART_ALL, "rate", window_ns);
}

/* Where no request was good there is no such series. */
static void add_good(const struct metric_indicator *of, int64_t window_ns,
		     struct buf *out)
{
	buf_add_text(out, "\n- (");
	metric_part_expression(out, of, METRIC_PART_GOOD, "rate", window_ns);
	buf_add_text(out, "\n  or 0 * ");
	add_all(of, window_ns, out);
	buf_add_char(out, ')');
}

void prometheus_bad_part(struct buf *out, const struct metric_indicator *of,
			 int64_t window_ns)
{
	buf_add_char(out, '1');
	add_good(of, window_ns, out);
	buf_add_text(out, "\n/ ");
	add_all(of, window_ns, out);
}

static void write_counts(const struct writing *w)
{
	struct buf text;

	begin_rule(w, "record", "slo:requests:rate", RECORD_NS);
	buf_init(&text, LIMIT_URL_BYTES);
	add_all(&w->rules->indicator, RECORD_NS, &text);
	end_record(w, &text);
	begin_rule(w, "record", "slo:errors:rate", RECORD_NS);
	buf_init(&text, LIMIT_URL_BYTES);
	add_all(&w->rules->indicator, RECORD_NS, &text);
	add_good(&w->rules->indicator, RECORD_NS, &text);
	end_record(w, &text);
}

/* Sums of requests, never means of shares. */
static void write_ratio(const struct writing *w, int64_t window_ns)
{
	char window[32];
	struct buf text;

	format_duration_option(window_ns, window);
	begin_rule(w, "record", "slo:error_ratio:rate", window_ns);
	buf_init(&text, LIMIT_URL_BYTES);
	if (window_ns > RAW_MOST_NS) {
		buf_add_text(&text, "sum_over_time(");
		add_recorded(w, "slo:errors:rate5m", &text);
		buf_addf(&text, "[%s])\n/ sum_over_time(", window);
		add_recorded(w, "slo:requests:rate5m", &text);
		buf_addf(&text, "[%s])", window);
	} else if (window_ns == RECORD_NS) {
		add_recorded(w, "slo:errors:rate5m", &text);
		buf_add_text(&text, "\n/ ");
		add_recorded(w, "slo:requests:rate5m", &text);
	} else {
		prometheus_bad_part(&text, &w->rules->indicator, window_ns);
	}
	end_record(w, &text);
}

/* ---- alerts ---- */

static void add_above(const struct writing *w, const struct burn_pair *pair,
		      int64_t window_ns, struct buf *out)
{
	char window[32], name[64];

	format_duration_option(window_ns, window);
	snprintf(name, sizeof name, "slo:error_ratio:rate%s", window);
	add_recorded(w, name, out);
	buf_addf(out, " > %.10g * %.10g", pair->rate, 1 - w->rules->objective);
}

/* Words in braces are Prometheus' own templates, which fill in foreign text. */
static void write_alert(const struct writing *w, const struct burn_pair *pair)
{
	char long_window[32], short_window[32], window[32];
	struct buf text;

	format_duration_option(pair->long_ns, long_window);
	format_duration_option(pair->short_ns, short_window);
	format_duration_option(w->rules->window_ns, window);
	begin_rule(w, "alert", "ErrorBudgetBurn", 0);
	buf_init(&text, LIMIT_URL_BYTES);
	add_above(w, pair, pair->long_ns, &text);
	buf_add_text(&text, "\nand\n");
	add_above(w, pair, pair->short_ns, &text);
	if (text.state != BUF_OK)
		out_fail_memory(w->out);
	yaml_pair(w->out, INDENT, "expr", buf_str(&text));
	buf_release(&text);
	outf(w->out,
	     "        labels:\n          severity: %s\n          window: %s\n  "
	     "      annotations:\n          summary: \"{{ $labels.service }} "
	     "burns its error budget too fast: burn rate above %.3g\"\n        "
	     "  description: \"over %s and %s: {{ $value | humanizePercentage "
	     "}} of the requests are bad; next: tracefind slo --service {{ "
	     "$labels.service }} --objective %.10g --window %s",
	     pair->is_page ? "page" : "ticket", long_window, pair->rate,
	     long_window, short_window, 100 * w->rules->objective, window);
	format_duration_option(w->rules->threshold_ns, window);
	if (w->rules->threshold_ns)
		outf(w->out, " --threshold %s", window);
	out_text(w->out, "\"\n");
}

/* ---- all of it ---- */

static void write_left(const struct writing *w)
{
	char window[32], name[64];
	struct buf text;

	format_duration_option(w->rules->window_ns, window);
	snprintf(name, sizeof name, "slo:error_ratio:rate%s", window);
	begin_rule(w, "record", "slo:error_budget:left", 0);
	buf_init(&text, LIMIT_URL_BYTES);
	buf_add_text(&text, "1 - ");
	add_recorded(w, name, &text);
	buf_addf(&text, " / %.10g", 1 - w->rules->objective);
	end_record(w, &text);
}

/* "99.5 % of GET /cart in 300 ms over 28 d" */
static void add_name(const struct prometheus_rules *r, struct buf *out)
{
	char text[32];

	buf_addf(out, "%.10g %% of %s", 100 * r->objective,
		 r->indicator.operation ? r->indicator.operation : "requests");
	if (r->threshold_ns) {
		format_duration(r->threshold_ns, text);
		buf_addf(out, " in %s", text);
	}
	format_duration(r->window_ns, text);
	buf_addf(out, " over %s", text);
}

void prometheus_rules_write(const struct prometheus_rules *r, struct out *out)
{
	struct writing w = { .rules = r, .out = out };
	struct burn_pair pairs[BURN_PAIRS];
	size_t count = burn_pairs(r->window_ns, pairs);
	int64_t list[BURN_WINDOWS] = { RECORD_NS };
	size_t windows = burn_windows(pairs, count, r->window_ns, list, 1);
	char window[32];
	struct buf group;

	buf_init(&w.name, LIMIT_OPTION_VALUE_BYTES);
	buf_init(&group, 2 * LIMIT_OPTION_VALUE_BYTES);
	add_name(r, &w.name);
	buf_addf(&group, "tracefind %s: %s", r->indicator.service,
		 buf_text(&w.name));
	if (group.state != BUF_OK)
		out_fail_memory(out);
	out_text(out, "groups:\n  - name: ");
	yaml_text(out, buf_str(&group));
	out_text(out, "\n    rules:\n");
	write_counts(&w);
	for (size_t i = 0; i < windows; i++)
		write_ratio(&w, list[i]);
	write_left(&w);
	for (size_t i = 0; i < count; i++) {
		if (burn_pair_can_fire(&pairs[i], r->objective)) {
			write_alert(&w, &pairs[i]);
			continue;
		}
		format_duration_option(pairs[i].long_ns, window);
		outf(out,
		     "      # No alert over %s: a burn rate of %.4g is never "
		     "reached, with all\n      # requests bad it is %.4g.\n",
		     window, pairs[i].rate, 1 / (1 - r->objective));
	}
	buf_release(&group);
	buf_release(&w.name);
}

/* An alert of high latency as a file of rules of Prometheus. */

static void write_text(struct out *out, const char *before, struct buf *text)
{
	if (text->state != BUF_OK)
		out_fail_memory(out);
	out_text(out, before);
	yaml_text(out, buf_str(text));
	out_char(out, '\n');
	buf_release(text);
}

static void write_expression(struct out *out, const struct document *d)
{
	struct metric_want want = document_want(d, METRIC_LATENCY);
	struct buf text;

	want.quantile = d->quantile;
	want.rate = "5m";
	buf_init(&text, LIMIT_URL_BYTES);
	metric_expression(&text, &d->sources[METRIC_LATENCY], &want);
	buf_addf(&text, " > %.15g", document_threshold(d));
	if (text.state != BUF_OK)
		out_fail_memory(out);
	yaml_pair(out, INDENT, "expr", buf_str(&text));
	buf_release(&text);
}

void prometheus_alert_write(const void *document, struct out *out)
{
	const struct document *d = document;
	struct buf text;

	buf_init(&text, LIMIT_URL_BYTES);
	buf_add_text(&text, "tracefind latency: ");
	document_name_services(d, &text);
	write_text(out, "groups:\n  - name: ", &text);
	out_text(out, "    rules:\n"
		      "      - alert: HighLatency\n");
	write_expression(out, d);
	outf(out,
	     "        for: %llds\n"
	     "        labels:\n"
	     "          severity: warning\n"
	     "        annotations:\n",
	     (long long)(d->for_ns / NS_PER_S));
	buf_init(&text, LIMIT_SELECTOR_BYTES);
	document_alert_summary(d, &text);
	write_text(out, "          summary: ", &text);
	buf_init(&text, LIMIT_SELECTOR_BYTES);
	document_alert_next(d, &text);
	write_text(out, "          description: ", &text);
}

/* An alert on growing memory. Whoever starts, fills a cache, frees in one go or
 * follows the day grows for hours, too: asked for is a process that is older than
 * the window, whose later half grew as much as the earlier one, and that is where
 * it was not a day ago. */

/* Garbage collectors make teeth: what counts are their peaks. */
#define PEAKS_NS (15 * NS_PER_MIN)
/* A line through half of what it is drawn on, as servers like to read. */
#define LINE_LEAST_NS NS_PER_HOUR
/* Where what is held nears its end the later half grows less: a cache that fills
 * within the time that is looked ahead has e^(-1/4) at most. */
#define LATER_LEAST 0.75
/* The parts of the measured growth, and of the limit within the time that is
 * looked ahead. */
#define GROWTH_LEAST 0.5
#define LIMIT_PART_LEAST 0.1

struct growth_rule {
	const struct document_growth *growth;
	struct buf memory; /* as it is, in PromQL */
	int64_t line_ns;
};

/* "[2h:1m] offset 1h" */
static void add_window(int64_t range_ns, const char *step, int64_t offset_ns,
		       struct buf *out)
{
	char text[32];

	format_duration_option(range_ns, text);
	buf_addf(out, "[%s:%s]", text, step);
	if (!offset_ns)
		return;
	format_duration_option(offset_ns, text);
	buf_addf(out, " offset %s", text);
}

/* "max_over_time(MEMORY[2h:1m] offset 1h)" */
static void add_over(const struct growth_rule *r, const char *function,
		     int64_t range_ns, int64_t offset_ns, struct buf *out)
{
	buf_addf(out, "%s(%s", function, buf_text(&r->memory));
	add_window(range_ns, "1m", offset_ns, out);
	buf_add_char(out, ')');
}

/* "deriv(max_over_time(MEMORY[15m:1m])[2h:5m] offset 1h", an open call. */
static void add_line(const struct growth_rule *r, const char *function,
		     int64_t range_ns, int64_t offset_ns, struct buf *out)
{
	buf_addf(out, "%s(", function);
	add_over(r, "max_over_time", PEAKS_NS, 0, out);
	add_window(range_ns, "5m", offset_ns, out);
}

/* The forecast of what grows ever less is by the later half. */
static void add_forecast(const struct growth_rule *r, struct buf *out)
{
	const struct document_growth *g = r->growth;

	if (g->horizon_ns) {
		add_line(r, "predict_linear", r->line_ns / 2, 0, out);
		buf_addf(out, ", %lld) > %.15g\n",
			 (long long)(g->horizon_ns / NS_PER_S), g->threshold);
		return;
	}
	add_line(r, "deriv", r->line_ns, 0, out);
	buf_addf(out, ") * %lld > %.15g * ",
		 (long long)(g->over_ns / NS_PER_S), g->percent / 100);
	add_over(r, "min_over_time", r->line_ns, 0, out);
	buf_add_char(out, '\n');
}

/* In the unit of the metric, within the half of the line. */
static double growth_least(const struct growth_rule *r)
{
	const struct document_growth *g = r->growth;
	double half = (double)(r->line_ns / 2);
	double of_limit = LIMIT_PART_LEAST * g->threshold * half /
			  (double)g->horizon_ns;
	double found = g->full_ns ? GROWTH_LEAST * g->threshold * half /
					    (double)g->full_ns
				  : of_limit;

	return found < of_limit ? found : of_limit;
}

static void add_later_half(const struct growth_rule *r, struct buf *out)
{
	const struct document_growth *g = r->growth;
	int64_t half_ns = r->line_ns / 2;

	buf_add_text(out, "and ");
	add_line(r, "deriv", half_ns, 0, out);
	buf_addf(out, ") > %.2g * ", LATER_LEAST);
	add_line(r, "deriv", half_ns, half_ns, out);
	buf_add_text(out, ")\nand ");
	add_over(r, "max_over_time", half_ns, 0, out);
	buf_add_text(out, " > ");
	if (!g->horizon_ns)
		buf_addf(out, "%.15g * ",
			 1 + GROWTH_LEAST * g->percent / 100 * (double)half_ns /
				     (double)g->over_ns);
	add_over(r, "max_over_time", half_ns, half_ns, out);
	if (g->horizon_ns)
		buf_addf(out, " + %.4g", growth_least(r));
	buf_add_char(out, '\n');
}

static void write_growth_expression(struct out *out, const struct document *d,
				    const struct document_growth *g)
{
	const struct metric_source *s = &d->sources[g->meaning];
	struct metric_want want = document_want(d, g->meaning);
	int64_t line_ns = g->horizon_ns ? g->horizon_ns / 2 : g->over_ns;
	struct growth_rule r = {
		.growth = g,
		.line_ns =
			min_i64(max_i64(line_ns, LINE_LEAST_NS), RAW_MOST_NS),
	};
	/* What this hour and the next ones brought a day ago. */
	int64_t ahead_ns = g->horizon_ns && g->horizon_ns < RAW_MOST_NS
				   ? g->horizon_ns
				   : RAW_MOST_NS;
	struct buf text;

	want.is_by_service = false;
	want.quantile = 0.99;
	want.rate = "5m";
	if (!s->name->is_histogram)
		want.over = METRIC_OVER_NONE;
	buf_init(&r.memory, LIMIT_URL_BYTES);
	metric_expression(&r.memory, s, &want);
	buf_init(&text, LIMIT_RULE_BYTES);
	add_forecast(&r, &text);
	add_later_half(&r, &text);
	buf_add_text(&text, "and ");
	add_over(&r, "last_over_time", 5 * NS_PER_MIN, r.line_ns + PEAKS_NS,
		 &text);
	buf_add_text(&text, "\nunless ");
	add_over(&r, "max_over_time", NS_PER_HOUR + ahead_ns,
		 NS_PER_DAY - ahead_ns, &text);
	buf_add_text(&text, " >= ");
	add_over(&r, "max_over_time", NS_PER_HOUR, 0, &text);
	if (text.state != BUF_OK || r.memory.state != BUF_OK)
		out_fail_memory(out);
	yaml_pair(out, INDENT, "expr", buf_str(&text));
	buf_release(&text);
	buf_release(&r.memory);
}

void prometheus_growth_write(const struct document *d, struct out *out)
{
	struct document_growth g;
	struct buf text;

	if (!document_growth(d, &g))
		return;
	buf_init(&text, LIMIT_URL_BYTES);
	buf_addf(&text, "tracefind memory: %s", d->services[0]);
	write_text(out, "groups:\n  - name: ", &text);
	out_text(out, "    rules:\n"
		      "      - alert: GrowingMemory\n");
	write_growth_expression(out, d, &g);
	outf(out, "        for: %llds\n        labels:\n          service: ",
	     (long long)(DOCUMENT_GROWTH_FOR_NS / NS_PER_S));
	yaml_text(out, str_from(d->services[0]));
	out_text(out, "\n          severity: warning\n"
		      "        annotations:\n");
	buf_init(&text, LIMIT_URL_BYTES);
	buf_addf(&text, "%s: ", d->services[0]);
	document_growth_condition(d, &g, &text);
	write_text(out, "          summary: ", &text);
	buf_init(&text, LIMIT_URL_BYTES);
	document_growth_measured(d, &text);
	buf_add_text(&text, "Next: ");
	document_growth_next(d, &text);
	write_text(out, "          description: ", &text);
}

/* The faults of a file of the user's rules, and the words that may stand there.
 */

/* The bytes shown of an unknown word; more would hide the list. */
#define WORD_BYTES 40

/* "unknown test 'x' (one of pkg, name-is)" */
static void explain_word(const struct rules_fault *f, struct error *err)
{
	static const char *const places[] = {
		[RULES_LANGUAGE] = "language",
		[RULES_KIND] = "kind",
		[RULES_TEST] = "test",
	};
	const char *what = places[f->place], *word;
	struct str given = str_slice(f->word, 0, WORD_BYTES);
	struct buf list;

	buf_init(&list, LIMIT_ERROR_BYTES);
	for (unsigned i = 0; (word = code_rules_word(f->place, i)); i++)
		buf_addf(&list, "%s%s", i ? ", " : "", word);
	if (given.len)
		error_set(err, ERROR_USAGE, "unknown %s '%.*s' (one of %s)",
			  what, STR_ARGS(given), buf_text(&list));
	else
		error_set(err, ERROR_USAGE,
			  "no %s: a rule is LANGUAGE KIND TEST TEXT, the %s "
			  "one of %s",
			  what, what, buf_text(&list));
	buf_release(&list);
}

static void fault_explain(const struct rules_fault *f, struct error *err)
{
	switch (f->kind) {
	case RULES_FAULT_NONE:
		break;
	case RULES_FAULT_WORD:
		explain_word(f, err);
		break;
	case RULES_FAULT_NO_TEXT:
		error_set(err, ERROR_USAGE,
			  "no text to compare with: a rule is LANGUAGE KIND "
			  "TEST TEXT");
		break;
	case RULES_FAULT_TEXT:
		error_set(err, ERROR_USAGE,
			  "the text is %zu bytes long (at most %u)", f->bytes,
			  LIMIT_RULE_TEXT_BYTES);
		break;
	case RULES_FAULT_COUNT:
		error_set(err, ERROR_USAGE, "more than %u rules", LIMIT_RULES);
		break;
	case RULES_FAULT_FILE:
		error_set(err, ERROR_USAGE,
			  "the rules are %zu bytes long (at most %zu)",
			  f->bytes, LIMIT_RULE_FILE_BYTES);
		break;
	}
}

bool rules_fault_explain(const struct rules_fault *fault, const char *name,
			 struct error *err)
{
	fault_explain(fault, err);
	if (fault->line)
		return error_prefix(err, "%s:%zu", name, fault->line);
	return error_prefix(err, "%s", name);
}
