/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include <string.h>

#include "base/num.h"
#include "render/render.h"

/* Lists that are no struct result: those two and these. */
static const char *const answer_formats[] = { "table", "json", "brief", NULL };
static const char *const list_formats[] = { "csv", "markdown", "id", NULL };
/* For pipelines. */
static const char *const gate_formats[] = { "table",    "json",  "brief",
					    "markdown", "junit", "sarif",
					    "github",   NULL };
/* Of other programs, which load them. */
static const char *const document_formats[] = { "google", "grafana",
						"prometheus", NULL };
/* For platforms. */
static const char *const cost_formats[] = { "table",    "json",   "brief",
					    "csv",	"markdown", "gcloud",
					    "kubernetes", "gcloud-apply",
					    "kubernetes-apply", NULL };
/* Definitions of objectives. */
static const char *const definition_formats[] = { "openslo", NULL };
/* What a file is converted to: no answers to read. */
static const char *const file_formats[] = { "json",   "csv",        "folded",
					    "pprof",  "speedscope", "dot",
					    "chrome", "otlp",       "svg",
					    "html",   NULL };
static const char *const *const other_formats[] = { list_formats, gate_formats,
						    cost_formats,
						    document_formats,
						    definition_formats };

static const char *const series_formats[] = { "csv", "markdown", "html", NULL };

static bool is_among(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names != NULL;
}

const char *output_format_name(size_t i)
{
	size_t count = 0;

	while (render_formats[count].name && count < i)
		count++;
	if (render_formats[count].name)
		return render_formats[count].name;
	for (size_t l = 0; l < COUNT_OF(other_formats); l++)
		for (size_t k = 0; other_formats[l][k]; k++)
			if (!render_find(str_from(other_formats[l][k])) &&
			    count++ == i)
				return other_formats[l][k];
	return NULL;
}

const char *output_format_find(struct str name)
{
	const char *known;

	for (size_t i = 0; (known = output_format_name(i)); i++)
		if (str_equal(name, str_from(known)))
			break;
	return known;
}

/* What others write, beside the suffixes that we suggest. */
static const struct {
	const char *suffix;
	const char *format;
} other_suffixes[] = {
	{ ".htm", "html" },
	{ ".markdown", "markdown" },
	{ ".pprof", "pprof" },
	{ ".difffolded", "difffolded" },
	{ ".gv", "dot" },
	{ ".collapsed", "folded" },
	{ ".speedscope", "speedscope" },
	{ ".sarif", "sarif" },
	{ ".xml", "junit" },
};

static bool has_suffix(struct str path, const char *suffix)
{
	struct str end = str_from(suffix);

	/* A name that is nothing but ".svg" has no ending. */
	return path.len > end.len && path.ptr[path.len - end.len - 1] != '/' &&
	       str_equal_nocase(str_slice(path, path.len - end.len, end.len),
				end);
}

/* The longest suffix counts: .speedscope.json is JSON, too. */
const char *output_format_of_file(struct str path)
{
	const char *format = NULL;
	size_t longest = 0;

	for (const struct render_format *f = render_formats; f->name; f++)
		if (has_suffix(path, f->suffix) &&
		    strlen(f->suffix) > longest) {
			longest = strlen(f->suffix);
			format = f->name;
		}
	for (size_t i = 0; !format && i < COUNT_OF(other_suffixes); i++)
		if (has_suffix(path, other_suffixes[i].suffix))
			format = other_suffixes[i].format;
	return format;
}

void output_list_suffixes(struct buf *text)
{
	for (const struct render_format *f = render_formats; f->name; f++) {
		bool is_new = true;

		for (const struct render_format *k = render_formats; k != f;
		     k++)
			is_new = is_new && strcmp(k->suffix, f->suffix) != 0;
		if (is_new)
			buf_addf(text, "%s%s", text->len ? ", " : "",
				 f->suffix);
	}
}

bool output_gives(const struct command *command, const char *format)
{
	const struct render_format *f = render_find(str_from(format));

	if (!strcmp(format, "openmetrics"))
		return command->name && openmetrics_has(command->name);
	switch (command->formats) {
	case FORMATS_NONE:
		return false;
	case FORMATS_RESULT:
		return f && !(f->needs & command->lacking);
	case FORMATS_FILES:
		return is_among(file_formats, format) && f &&
		       !(f->needs & command->lacking);
	case FORMATS_LIST:
		if (is_among(list_formats, format))
			return true;
		break;
	case FORMATS_LEAK:
		if (!strcmp(format, "google") || !strcmp(format, "prometheus"))
			return true;
		/* fall through */
	case FORMATS_SERIES:
		if (is_among(series_formats, format))
			return true;
		break;
	case FORMATS_DASHBOARD:
		return is_among(document_formats, format) &&
		       strcmp(format, "prometheus") != 0;
	case FORMATS_ALERT:
		if (is_among(document_formats, format))
			return true;
		break;
	case FORMATS_GATE:
		return is_among(gate_formats, format);
	case FORMATS_SLO:
		if (!strcmp(format, "prometheus") ||
		    !strcmp(format, "google") ||
		    !strcmp(format, "markdown") || !strcmp(format, "html") ||
		    is_among(definition_formats, format))
			return true;
		break;
	case FORMATS_COST:
		return is_among(cost_formats, format);
	case FORMATS_ANSWER:
		break;
	}
	return is_among(answer_formats, format);
}

void output_list_formats(const struct command *command, struct buf *text)
{
	const char *last = NULL;
	const char *name;

	for (size_t i = 0; (name = output_format_name(i)); i++) {
		if (!output_gives(command, name))
			continue;
		if (last)
			buf_addf(text, "%s%s", text->len ? ", " : "", last);
		last = name;
	}
	if (last)
		buf_addf(text, "%s%s", text->len ? " or " : "", last);
}

bool output_format_needs(const char *format, unsigned needs)
{
	const struct render_format *f = render_find(str_from(format));

	return f && (f->needs & needs);
}
