/* SPDX-License-Identifier: Apache-2.0 */
#include "report/check_ci.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/fnv.h"
#include "base/jsonw.h"
#include "report/check_words.h"
#include "report/wording.h"

static void hit_sentence(const struct check_answer *a, size_t i,
			 struct buf *out)
{
	buf_clear(out);
	check_hit_text(a, &a->check->gates.hits[i], out);
	if (a->check->gates.hits[i].row && !a->places[i].is_known)
		buf_add_text(out, "; its file in the repository is not known");
}

static struct str hit_name(const struct gate_hit *hit)
{
	return hit->operation ? hit->operation->name
	       : hit->row     ? hit->row->name
			      : STR("total");
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
	xml_case(out, gate_name(hit->gate), hit_name(hit));
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
	bool is_unknown = a->check->gates.outcome == GATES_UNKNOWN;
	struct buf text;

	xml_case(out, gate_name(gate), str_from(gate_name(gate)));
	if (!is_unknown) {
		out_text(out, "/>\n");
		return;
	}
	buf_init(&text, WORDING_BYTES);
	check_lack_text(a, &text);
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

static size_t count_rest(const struct gates *g)
{
	size_t rest = 0;

	for (int k = 0; k < GATE_COUNT; k++)
		rest += g->limits.limit[k] >= 0 &&
			!is_broken(g, (enum gate_kind)k);
	return rest;
}

static void write_junit(const void *answer, struct out *out)
{
	const struct check_answer *a = answer;
	const struct gates *g = &a->check->gates;
	size_t rest = count_rest(g), tests = g->hit_count + rest;
	size_t skipped = g->outcome == GATES_UNKNOWN ? rest : 0;

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
		if (g->limits.limit[k] >= 0 && !is_broken(g, (enum gate_kind)k))
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
			 "All of it takes more than the baseline",
			 "The program as a whole takes more than the baseline: "
			 "more than its limit, and told from noise." },
	[GATE_FUNCTION] = { "TF002", "FunctionRegression",
			    "A function takes more than the baseline",
			    "A function with all that it calls takes more than "
			    "the baseline: more than its limit, and told from "
			    "noise." },
	[GATE_NEW] = { "TF003", "NewFunction", "A new function takes much",
		       "A function that the baseline does not have takes a "
		       "larger share than its limit." },
	[GATE_LATENCY] = { "TF004", "LatencyRegression",
			   "Requests of an operation take longer",
			   "Requests of an operation take longer than in the "
			   "baseline: more than the limit, and told from "
			   "noise." },
};

static void sarif_text(struct jsonw *w, const char *key, struct str text)
{
	jsonw_key(w, key);
	jsonw_object(w);
	jsonw_pair_str(w, "text", text);
	jsonw_object_end(w);
}

static void sarif_rule(struct jsonw *w, int gate)
{
	jsonw_object(w);
	jsonw_pair_text(w, "id", rules[gate].id);
	jsonw_pair_text(w, "name", rules[gate].name);
	sarif_text(w, "shortDescription", str_from(rules[gate].brief));
	sarif_text(w, "fullDescription", str_from(rules[gate].full));
	sarif_text(w, "help",
		   gate == GATE_LATENCY
			   ? STR("Run tracefind slow on the service to see "
				 "where a slow request spends its time.")
			   : STR("Run tracefind diff on the two sides to see "
				 "where the change comes from."));
	jsonw_key(w, "defaultConfiguration");
	jsonw_object(w);
	jsonw_pair_text(w, "level", "error");
	jsonw_object_end(w);
	jsonw_key(w, "properties");
	jsonw_object(w);
	jsonw_key(w, "tags");
	jsonw_array(w);
	jsonw_text(w, "performance");
	jsonw_array_end(w);
	jsonw_pair_text(w, "precision", "high");
	jsonw_pair_text(w, "problem.severity", "error");
	jsonw_object_end(w);
	jsonw_object_end(w);
}

static void sarif_tool(struct jsonw *w)
{
	jsonw_key(w, "tool");
	jsonw_object(w);
	jsonw_key(w, "driver");
	jsonw_object(w);
	jsonw_pair_text(w, "name", "tracefind");
	jsonw_pair_text(w, "version", TRACEFIND_VERSION);
	jsonw_key(w, "rules");
	jsonw_array(w);
	for (int k = 0; k < GATE_COUNT; k++)
		sarif_rule(w, k);
	jsonw_array_end(w);
	jsonw_object_end(w);
	jsonw_object_end(w);
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
	jsonw_key(w, "partialFingerprints");
	jsonw_object(w);
	jsonw_pair_text(w, "primaryLocationLineHash", text);
	jsonw_object_end(w);
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

static void sarif_region(struct jsonw *w, uint32_t line)
{
	jsonw_key(w, "region");
	jsonw_object(w);
	jsonw_pair_i64(w, "startLine", line);
	jsonw_pair_i64(w, "startColumn", 1);
	jsonw_pair_i64(w, "endLine", line);
	jsonw_pair_i64(w, "endColumn", 2);
	jsonw_object_end(w);
}

static void sarif_location(struct jsonw *w, const struct check_place *place,
			   const struct function_row *row)
{
	struct buf uri;

	buf_init(&uri, 4 * LIMIT_STRING_BYTES);
	uri_add(&uri, place->path);
	jsonw_key(w, "locations");
	jsonw_array(w);
	jsonw_object(w);
	jsonw_key(w, "physicalLocation");
	jsonw_object(w);
	jsonw_key(w, "artifactLocation");
	jsonw_object(w);
	jsonw_pair_str(w, "uri", buf_str(&uri));
	jsonw_object_end(w);
	sarif_region(w, place->line);
	jsonw_object_end(w);
	if (row) {
		jsonw_key(w, "logicalLocations");
		jsonw_array(w);
		jsonw_object(w);
		jsonw_pair_str(w, "fullyQualifiedName", row->name);
		jsonw_pair_text(w, "kind", "function");
		jsonw_object_end(w);
		jsonw_array_end(w);
	}
	jsonw_object_end(w);
	jsonw_array_end(w);
	buf_release(&uri);
}

static void sarif_result(struct jsonw *w, const struct check_answer *a,
			 size_t i, struct buf *text)
{
	const struct gate_hit *hit = &a->check->gates.hits[i];

	hit_sentence(a, i, text);
	jsonw_object(w);
	jsonw_pair_text(w, "ruleId", rules[hit->gate].id);
	jsonw_pair_i64(w, "ruleIndex", hit->gate);
	jsonw_pair_text(w, "level", "error");
	sarif_text(w, "message", buf_str(text));
	sarif_location(w, &a->places[i], hit->row);
	sarif_fingerprint(w, a, hit);
	jsonw_key(w, "properties");
	jsonw_object(w);
	jsonw_pair_f64(w, "growth", hit->growth, 6);
	jsonw_pair_f64(w, "q", hit->q, 9);
	jsonw_object_end(w);
	jsonw_object_end(w);
}

/* What could not be told is no result: the invocation says so. */
static void sarif_invocation(struct jsonw *w, const struct check_answer *a)
{
	bool is_unknown = a->check->gates.outcome == GATES_UNKNOWN;
	struct buf text;

	buf_init(&text, WORDING_BYTES);
	check_headline(a, &text);
	jsonw_key(w, "invocations");
	jsonw_array(w);
	jsonw_object(w);
	jsonw_pair_bool(w, "executionSuccessful", !is_unknown);
	jsonw_key(w, "toolExecutionNotifications");
	jsonw_array(w);
	jsonw_object(w);
	jsonw_pair_text(w, "level", is_unknown ? "warning" : "note");
	sarif_text(w, "message", buf_str(&text));
	jsonw_object_end(w);
	jsonw_array_end(w);
	jsonw_object_end(w);
	jsonw_array_end(w);
	buf_release(&text);
}

static void sarif_run(struct jsonw *w, const struct check_answer *a)
{
	struct buf text;

	buf_init(&text, WORDING_BYTES);
	jsonw_object(w);
	sarif_tool(w);
	jsonw_key(w, "automationDetails");
	jsonw_object(w);
	jsonw_pair_text(w, "id", "tracefind/check/");
	jsonw_object_end(w);
	sarif_invocation(w, a);
	jsonw_key(w, "results");
	jsonw_array(w);
	for (size_t i = 0; i < a->check->gates.hit_count; i++)
		sarif_result(w, a, i, &text);
	jsonw_array_end(w);
	jsonw_object_end(w);
	buf_release(&text);
}

static void write_sarif(const void *answer, struct out *out)
{
	struct jsonw w;

	jsonw_init(&w, out, 1);
	jsonw_object(&w);
	jsonw_pair_text(&w, "$schema",
			"https://json.schemastore.org/sarif-2.1.0.json");
	jsonw_pair_text(&w, "version", "2.1.0");
	jsonw_key(&w, "runs");
	jsonw_array(&w);
	sarif_run(&w, answer);
	jsonw_array_end(&w);
	jsonw_object_end(&w);
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

const struct answer_format check_ci_formats[] = {
	{ "junit", write_junit },
	{ "sarif", write_sarif },
	{ "github", write_github },
	{ NULL, NULL },
};
