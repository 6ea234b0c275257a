/* SPDX-License-Identifier: Apache-2.0 */
#include "report/cause_text.h"

#include "report/confidence.h"
#include "report/wording.h"

static const char *kind_words(enum cause_kind kind)
{
	switch (kind) {
	case CAUSE_CPU:
		return "computing";
	case CAUSE_WAIT:
		return "not CPU";
	default:
		return "part computing, part waiting";
	}
}

/* "402 ms of 560 ms were on CPU", of the span's own samples. */
static void add_cpu_share(const struct cause_facts *f, const struct cause *c,
			  struct buf *out)
{
	wording_add_duration(out, c->on_cpu_ns);
	buf_add_text(out, " of ");
	wording_add_duration(out, f->own_ns);
	buf_add_text(out, " were on CPU");
}

static void add_profile(enum cause_said said, struct buf *out)
{
	buf_add_text(out, "computing or waiting: too few samples of its own to "
			  "tell; ");
	if (said == CAUSE_SAYS_GROWN)
		buf_add_text(out, "a function of its service grew");
	else if (said == CAUSE_SAYS_NOT_GROWN)
		buf_add_text(out, "no function of its service clearly grew");
	else
		buf_add_text(out, "the profile shows where its service spends "
				  "time");
}

static void add_cause(const struct cause_facts *f, const struct cause *c,
		      struct buf *out)
{
	switch (f->said) {
	case CAUSE_SAYS_NOTHING:
		return;
	case CAUSE_SAYS_CPU_SHARE:
		buf_addf(out, "%s: ", kind_words(c->kind));
		add_cpu_share(f, c, out);
		return;
	case CAUSE_SAYS_CPU_SHARE_TOO:
		buf_add_str(out, c->text);
		buf_add_text(out, "; ");
		add_cpu_share(f, c, out);
		return;
	case CAUSE_SAYS_WHERE:
	case CAUSE_SAYS_GROWN:
	case CAUSE_SAYS_NOT_GROWN:
		add_profile(f->said, out);
		return;
	}
}

/* Of which requests a file is nobody knows. */
static void add_whose(const struct profile_info *p, struct buf *out)
{
	if (p->is_file) {
		buf_add_text(out, "the profile file ");
		wording_add(out, p->selector, WORDING_TEXT_BYTES);
		return;
	}
	buf_add_text(out, p->scope == SCOPE_SPAN
				  ? "the span's own samples"
				  : "profile of the whole service");
}

static void add_confidence(const struct cause_facts *f,
			   const struct result *result, struct buf *out)
{
	if (result->cause.kind == CAUSE_QUEUE) {
		confidence_report_basis(result, out);
		return;
	}
	if (!result->has_profile) {
		buf_add_text(out, "the trace alone, no profile");
		return;
	}
	add_whose(&result->profile, out);
	wording_add_samples(out, result);
	if (f->is_span_measured)
		buf_add_text(out, ", CPU time measured on the span");
	confidence_report_weaknesses(&f->rating, out);
}

bool cause_text_write(const struct cause_facts *facts, struct result *result,
		      struct error *err)
{
	struct cause *c = &result->cause;
	struct buf text;

	if (!result->has_cause)
		return true;
	if (facts->said != CAUSE_SAYS_NOTHING) {
		buf_init(&text, LIMIT_PAGE_TEXT_BYTES);
		add_cause(facts, c, &text);
		if (!wording_take(&text, &result->arena, &c->text, err))
			return false;
	}
	buf_init(&text, LIMIT_ERROR_BYTES);
	add_confidence(facts, result, &text);
	return wording_take(&text, &result->arena, &c->confidence_text, err);
}
