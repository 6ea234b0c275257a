/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile_filters.h"

#include <string.h>

#include "base/num.h"

static bool compile(const char *pattern, const char *option, struct regex **re,
		    struct error *err)
{
	if (pattern)
		*re = regex_new(str_from(pattern), option, err);
	return !pattern || *re;
}

static enum granularity granularity_of(const char *word)
{
	static const char *const words[] = {
		[GRANULARITY_FUNCTION] = "function",
		[GRANULARITY_FILE] = "file",
		[GRANULARITY_LINE] = "line",
		[GRANULARITY_ADDRESS] = "address",
	};

	for (size_t i = 0; word && i < sizeof words / sizeof *words; i++)
		if (!strcmp(word, words[i]))
			return (enum granularity)i;
	return GRANULARITY_FUNCTION;
}

static struct str text_of(const char *given)
{
	return given ? str_from(given) : (struct str){ NULL, 0 };
}

bool profile_filters_init(struct profile_filters *f, struct context *ctx,
			  struct error *err)
{
	const struct options *o = ctx->options;
	struct view *v = &f->view;

	*f = (struct profile_filters){
		.view = { .granularity = granularity_of(o->granularity),
			  .trim_path = str_from(o->trim_path),
			  .source_path = str_from(o->source_path) },
	};
	if (!compile(o->focus, "--focus", &v->focus, err) ||
	    !compile(o->ignore, "--ignore", &v->ignore, err) ||
	    !compile(o->hide, "--hide", &v->hide, err) ||
	    !compile(o->show, "--show", &v->show, err) ||
	    !compile(o->show_from, "--show-from", &v->show_from, err))
		return false;
	if (o->tag_focus || o->tag_ignore) {
		f->labels = label_filter_new(text_of(o->tag_focus),
					     text_of(o->tag_ignore), err);
		if (!f->labels)
			return false;
	}
	ctx->backends.want.labels = f->labels;
	if (!view_is_plain(v))
		ctx->backends.want.detail = view_detail(v);
	return true;
}

void profile_filters_release(struct profile_filters *f)
{
	regex_free(f->view.focus);
	regex_free(f->view.ignore);
	regex_free(f->view.hide);
	regex_free(f->view.show);
	regex_free(f->view.show_from);
	label_filter_free(f->labels);
	*f = (struct profile_filters){ .labels = NULL };
}

bool profile_filters_are_given(const struct profile_filters *f)
{
	return !view_is_plain(&f->view);
}
