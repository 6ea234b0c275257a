/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include <string.h>

#include "base/num.h"
#include "render/render.h"

/* Beside those of render/: of lists, of pipelines, of other programs. */
static const char *const others[] = {
	"id",	       "junit",	       "sarif",		   "github",
	"gcloud",      "kubernetes",   "gcloud-apply",	   "kubernetes-apply",
	"google",      "grafana",      "prometheus",	   "openslo",
};

bool words_have(const char *words, struct str word)
{
	for (; *words; words += *words == ' ') {
		size_t n = strcspn(words, " ");

		if (str_equal((struct str){ words, n }, word))
			return true;
		words += n;
	}
	return false;
}

const char *output_format_name(size_t i)
{
	size_t count = 0;

	while (render_formats[count].name && count < i)
		count++;
	if (render_formats[count].name)
		return render_formats[count].name;
	i -= count;
	return i < COUNT_OF(others) ? others[i] : NULL;
}

const char *output_format_find(struct str name)
{
	const char *known;

	for (size_t i = 0; (known = output_format_name(i)); i++)
		if (str_equal(name, str_from(known)))
			break;
	return known;
}

/* The suffixes of others, beside those that we suggest. */
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
	if (!command->formats || (f && f->needs & command->lacking))
		return false;
	return strcmp(command->formats, FORMATS_OF_RESULTS)
		       ? words_have(command->formats, str_from(format))
		       : f != NULL;
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
