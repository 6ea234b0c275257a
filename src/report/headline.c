/* SPDX-License-Identifier: Apache-2.0 */
#include "report/headline.h"

#include "base/num.h"
#include "report/contrast_text.h"
#include "report/wording.h"

#define CLOCK_BYTES 16

/* Without the path of its package: the line below has all of it. */
static struct str short_name(struct str name)
{
	size_t from = 0;

	for (size_t i = 0; i < name.len && name.ptr[i] != '(' &&
			   name.ptr[i] != '<' && name.ptr[i] != ' ';
	     i++)
		if (name.ptr[i] == '/')
			from = i + 1;
	return str_slice(name, from, name.len);
}

/* The function that grew for certain. */
static void add_function(const struct result *r, struct buf *out)
{
	if (!r->has_profile || !r->function_count ||
	    !change_is_up(r->functions[0].change))
		return;
	buf_add_text(out, " in ");
	wording_add(out, short_name(r->functions[0].name), WORDING_TEXT_BYTES);
}

static void add_loop(const struct choice *c, struct buf *out)
{
	char count[COUNT_TEXT_BYTES];

	if (!c->loop) {
		buf_add_text(out, "many calls one after another");
		return;
	}
	format_count(c->loop->count, count);
	buf_addf(out, "%s %s %s", count,
		 c->calls.kind[c->loop->leaf] == CALL_DATABASE ? "queries"
							       : "calls",
		 wording_manner(repeat_manner(c->loop)));
}

static void add_way(const struct choice *c, struct buf *out)
{
	if (choice_ground(c) == CHOICE_SET_UP) {
		buf_add_text(out, "setting up a connection");
		return;
	}
	buf_add_text(out, "the way");
	if (c->server_side == SPAN_NONE)
		return;
	buf_add_text(out, " to ");
	wording_add(out, span_service(c->t, c->server_side),
		    WORDING_TEXT_BYTES);
}

static void add_call(const struct choice *c, struct buf *out)
{
	wording_add_peer(out, c->best->count > 1 ? "calls to " : "a call to ",
			 &c->calls, c->best->span);
}

static void add_wait(const struct choice *c, const struct result *r,
		     struct buf *out)
{
	if (choice_ground(c) == CHOICE_PAUSES) {
		buf_add_text(out, "pauses between attempts");
	} else if (choice_ground(c) == CHOICE_GAP) {
		buf_add_text(out, "most of it outside the callee's spans");
	} else {
		buf_add_text(out, "waiting");
		add_function(r, out);
	}
}

/* Its own code or what it waits for there: only a profile tells them apart. */
static void add_unknown(const struct result *r, struct buf *out)
{
	buf_add_text(out, r->span.self_ns > r->span.duration_ns / 2
				  ? "in its own code or a wait there"
				  : "cause not known");
}

static void add_cause(const struct finding *f, const struct result *r,
		      struct buf *out)
{
	const struct choice *c = &f->suspect.choice;

	switch (r->cause.kind) {
	case CAUSE_N_PLUS_ONE:
		add_loop(c, out);
		return;
	case CAUSE_DOWNSTREAM:
		add_call(c, out);
		return;
	case CAUSE_NETWORK:
		add_way(c, out);
		return;
	case CAUSE_QUEUE:
		buf_add_text(out, c->queue && c->queue->has_moved
					  ? "its receiver is behind"
					  : "taken late");
		return;
	case CAUSE_CONTENTION:
		buf_add_text(out, "it did not get its CPU");
		return;
	case CAUSE_CPU:
		buf_add_text(out, "computing");
		break;
	case CAUSE_ALLOC:
		buf_add_text(out, "allocation and garbage collection");
		break;
	case CAUSE_LOCK:
		buf_add_text(out, "waiting for a lock");
		break;
	case CAUSE_WAIT:
		add_wait(c, r, out);
		return;
	case CAUSE_UNKNOWN:
		add_unknown(r, out);
		return;
	}
	add_function(r, out);
}

/* Nothing is wrong with the operation. */
static void add_healthy(const struct symptom *s, struct buf *out)
{
	if (s->usual)
		buf_add_text(out, "as long as ever for requests like it");
	else if (s->is_exception)
		buf_add_text(out, "this request alone, others take what they "
				  "usually do");
	else
		buf_add_text(out, "as long as ever");
}

static void add_since(const struct finding *f, struct buf *out)
{
	const struct onset *o = &f->history.onset;
	char at[CLOCK_BYTES];

	if (!o->is_found || !o->has_start)
		return;
	format_clock(o->start_ns, false, at);
	buf_addf(out, ", since %s", at);
}

static bool write_like(const struct symptom *s, struct result *result,
		       struct error *err)
{
	struct buf text;

	buf_init(&text, WORDING_BYTES);
	contrast_tell_like(s, s->usual, &text);
	return wording_take(&text, &result->arena, &result->span.typical_like,
			    err);
}

bool headline_write(const struct finding *f, struct result *result,
		    struct error *err)
{
	bool is_healthy = f->has_symptom && f->symptom.is_healthy;
	struct buf text;

	if (!result->has_cause || !f->suspect.has_choice)
		return true;
	if (is_healthy && result->span.is_typical_like &&
	    !write_like(&f->symptom, result, err))
		return false;
	buf_init(&text, WORDING_BYTES);
	result->span.is_as_ever = is_healthy && !f->symptom.is_exception;
	if (is_healthy)
		add_healthy(&f->symptom, &text);
	else
		add_cause(f, result, &text);
	if (f->has_symptom && !is_healthy && text.len)
		add_since(f, &text);
	return wording_take(&text, &result->arena, &result->cause.headline,
			    err);
}
