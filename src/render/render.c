/* SPDX-License-Identifier: Apache-2.0 */
#include "render/render.h"

#include "base/num.h"
#include "render/input.h"
#include "render/page.h"
#include "render/reduce.h"

typedef void (*report_fn)(struct page *p, const struct render_input *in);

static const struct {
	const char *command;
	report_fn report;
} reports[] = {
	{ "slow", report_slow },
	{ "diff", report_diff },
	{ "profile", report_profile },
	{ "show", waterfall_render },
};

static void render_table(const struct render_input *in, struct out *out)
{
	struct str command = str_from(in->result->command);
	struct page p;

	page_begin(&p, &in->style, out);
	p.source_root = in->result->source_root;
	for (size_t i = 0; i < sizeof reports / sizeof *reports; i++)
		if (str_equal(command, str_from(reports[i].command)))
			reports[i].report(&p, in);
	page_end(&p);
}

static void render_markdown(const struct render_input *in, struct out *out)
{
	struct render_input markdown = *in;

	markdown.style = render_style_markdown(&in->style);
	render_table(&markdown, out);
}

const struct words *words_find(const struct result *r)
{
	static const struct words words[] = {
		{ "slow", slow_answer, slow_evidence },
		{ "diff", diff_answer, diff_evidence },
		{ "show", show_answer, show_evidence },
		{ "profile", profile_answer, profile_evidence },
	};
	struct str command = str_from(r->command);
	size_t i = 0;

	while (i < COUNT_OF(words) - 1 &&
	       !str_equal(command, str_from(words[i].command)))
		i++;
	return &words[i];
}

void answer_line(const struct render_input *in, struct buf *out)
{
	const struct render_style style = { .use_unicode = true };
	struct out memory;
	struct page p;

	out_init_memory(&memory, out);
	page_begin(&p, &style, &memory);
	words_find(in->result)->answer(&p, in);
	page_end(&p);
	out_release(&memory);
	while (out->len && out->data[out->len - 1] == '\n')
		out->len--;
}

/* The JSON answer, which other formats are derived from. */
static bool json_of(const struct render_input *in, struct buf *json)
{
	struct out memory;

	buf_init(json, LIMIT_RESULT_BYTES);
	out_init_memory(&memory, json);
	render_json(in, &memory);
	out_release(&memory);
	return json->state == BUF_OK;
}

static void render_brief(const struct render_input *in, struct out *out)
{
	struct buf json;

	if (json_of(in, &json))
		brief_write(buf_str(&json), in->style.brief_tokens, out);
	else
		out_fail_memory(out);
	buf_release(&json);
}

static void render_openmetrics(const struct render_input *in, struct out *out)
{
	struct buf json;

	if (json_of(in, &json))
		openmetrics_write(buf_str(&json), out);
	else
		out_fail_memory(out);
	buf_release(&json);
}

const struct render_format render_formats[] = {
	{ "table", ".txt", 0, "for people (the default)", render_table },
	{ "json", ".json", 0, "for programs, see tracefind-json(5)",
	  render_json },
	{ "brief", ".txt", 0, "a shorter answer, for an assistant (--budget)",
	  render_brief },
	{ "csv", ".csv", RENDER_NEEDS_PROFILE, "the functions, comma-separated",
	  render_csv },
	{ "markdown", ".md", 0, "for tickets and pull requests",
	  render_markdown },
	{ "chat", ".md", 0, "the answer in six lines of Markdown, for a channel",
	  render_chat },
	{ "folded", ".folded",
	  RENDER_NEEDS_PROFILE | RENDER_NEEDS_STACKS | RENDER_IS_UNRANKED,
	  "one line per stack with its value, for flame "
	  "graphs", render_folded },
	{ "difffolded", ".folded",
	  RENDER_NEEDS_PROFILE | RENDER_NEEDS_BASELINE | RENDER_NEEDS_STACKS |
		  RENDER_IS_UNRANKED,
	  "one line per stack with its values, baseline and comparison",
	  render_difffolded },
	{ "pprof", ".pb.gz",
	  RENDER_NEEDS_PROFILE | RENDER_IS_BINARY | RENDER_IS_UNRANKED,
	  "for pprof and compatible tools", render_pprof },
	{ "speedscope", ".speedscope.json",
	  RENDER_NEEDS_PROFILE | RENDER_NEEDS_POSITIVE | RENDER_IS_UNRANKED,
	  "for speedscope, baseline and comparison as two profiles",
	  render_speedscope },
	{ "dot", ".dot",
	  RENDER_NEEDS_PROFILE | RENDER_NEEDS_GRAPH | RENDER_NEEDS_FLAME,
	  "the call graph, for dot of Graphviz", render_dot },
	{ "chrome", ".json", RENDER_NEEDS_SPANS,
	  "trace events for Perfetto and chrome://tracing (show)",
	  render_chrome },
	{ "otlp", ".otlp",
	  RENDER_NEEDS_ONE | RENDER_IS_BINARY | RENDER_IS_UNRANKED,
	  "OpenTelemetry protobuf (show, profile)", render_otlp },
	{ "svg", ".svg", RENDER_NEEDS_FLAME,
	  "a flame graph, or the waterfall of show, as a picture that a "
	  "browser zooms and searches",
	  render_svg },
	{ "html", ".html", RENDER_TAKES_ALL,
	  "the whole case as one page, for a browser", render_html },
	{ "term", ".txt", RENDER_NEEDS_PROFILE | RENDER_NEEDS_FLAME,
	  "a flame graph in the terminal, or as text", render_term },
	{ "openmetrics", ".prom", 0, "the findings as gauges, for Prometheus",
	  render_openmetrics },
	{ NULL, NULL, 0, NULL, NULL },
};

const struct render_format *render_find(struct str name)
{
	for (const struct render_format *f = render_formats; f->name; f++)
		if (str_equal(name, str_from(f->name)))
			return f;
	return NULL;
}

struct str baseline_name(const struct result *r)
{
	const struct baseline_info *b = &r->baseline;
	bool is_named = str_equal(b->kind, STR("file")) ||
			str_equal(b->kind, STR("selector"));

	return is_named && b->text.len ? b->text : b->kind;
}
