/* SPDX-License-Identifier: Apache-2.0 */
#include "report/missing_span.h"

#include "report/wording.h"

/* Names listed when the one asked for is not there. */
#define LISTED_NAMES 5u
#define LISTED_NAME_BYTES 60u

/* Whether the name of this candidate is among those of better ones. */
static bool is_listed(const struct choice *c, const uint32_t *listed,
		      size_t count, uint32_t span, bool is_service)
{
	for (size_t i = 0; i < count; i++) {
		struct str a = is_service ? span_service(c->t, listed[i])
					  : span_name(c->t, listed[i]);
		struct str b = is_service ? span_service(c->t, span)
					  : span_name(c->t, span);

		if (str_equal(a, b))
			return true;
	}
	return false;
}

static void list_item(const struct choice *c, uint32_t span, bool is_service,
		      struct buf *out)
{
	char id[17];

	if (c->want->span_id) {
		span_id_format(c->t->spans[span].span_id, id);
		buf_addf(out, "%s ", id);
	}
	wording_add(out,
		    is_service ? span_service(c->t, span)
			       : span_name(c->t, span),
		    LISTED_NAME_BYTES);
}

/* The best candidates by the name that was asked for. */
static void list_names(const struct choice *c, bool is_service, struct buf *out)
{
	uint32_t listed[LISTED_NAMES];
	size_t count = 0;

	for (size_t i = 0; i < c->candidates.count; i++) {
		uint32_t span = c->candidates.items[i].span;

		if (!c->want->span_id &&
		    is_listed(c, listed, count, span, is_service))
			continue;
		if (count == LISTED_NAMES) {
			buf_add_text(out, " and more");
			return;
		}
		buf_add_text(out, count ? ", " : "");
		list_item(c, span, is_service, out);
		listed[count++] = span;
	}
}

static void explain(const struct choice *c, struct buf *out)
{
	bool has_service = c->missing == CHOICE_MISSING_SPAN;
	char id[17];

	buf_add_text(out, "no span ");
	if (c->want->span_id) {
		span_id_format(c->want->span_id, id);
		buf_addf(out, "%s ", id);
	}
	if (c->want->name.len) {
		buf_add_text(out, "\"");
		wording_add(out, c->want->name, LISTED_NAME_BYTES);
		buf_add_text(out, "\" ");
	}
	if (c->want->service.len) {
		buf_add_text(out, "of service \"");
		wording_add(out, c->want->service, LISTED_NAME_BYTES);
		buf_add_text(out, "\" ");
	}
	buf_add_text(out, has_service ? "in the trace; there is "
				      : "in the trace; its services are ");
	list_names(c, !has_service, out);
}

bool missing_span_explain(const struct choice *c, struct error *err)
{
	struct buf text;

	if (c->missing == CHOICE_MISSING_ALL)
		return error_set(err, ERROR_NOT_FOUND,
				 "the trace has no spans");
	buf_init(&text, WORDING_BYTES);
	explain(c, &text);
	error_set(err, ERROR_NOT_FOUND, "%s", buf_text(&text));
	buf_release(&text);
	return false;
}
