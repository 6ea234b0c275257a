/* SPDX-License-Identifier: Apache-2.0 */
#include "report/answers.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/jsonw.h"
#include "base/num.h"
#include "render/page.h"
#include "render/render.h"

#define LABEL_COLUMNS 12u

/* "1,296 profiles" */
static void add_count(struct page *p, uint64_t count, const char *noun)
{
	char text[COUNT_TEXT_BYTES];

	format_count((int64_t)count, text);
	page_textf(p, "%s %s%s", text, noun, &"s"[count == 1]);
}

static void write_reasons(struct page *p, const struct export_counts *c)
{
	for (size_t i = 0; i < c->reason_count; i++) {
		char text[COUNT_TEXT_BYTES];

		format_count((int64_t)c->reasons[i].count, text);
		page_textf(p, "%s: ", text);
		page_sentence(p, str_from(c->reasons[i].text));
		page_flush(p, PAINT_NONE, i ? "" : "  refused", LABEL_COLUMNS);
	}
	if (!c->other_reasons)
		return;
	add_count(p, c->other_reasons, "refusal");
	page_text(p, " for other reasons");
	page_flush(p, PAINT_NONE, "", LABEL_COLUMNS);
}

static void write_lacks(struct page *p, const struct export_counts *c,
			const char *noun)
{
	if (c->rejected_spans) {
		add_count(p, c->rejected_spans, "span");
		page_text(p, " of those sent were rejected");
		page_flush(p, PAINT_NONE, "  rejected", LABEL_COLUMNS);
	}
	if (c->gone) {
		add_count(p, c->gone, noun);
		page_text(p, " listed, but not returned");
		page_flush(p, PAINT_NONE, "  missing", LABEL_COLUMNS);
	}
	if (c->narrowed) {
		page_text(p, "allocations of ");
		add_count(p, c->narrowed, noun);
		page_text(p, ", which are cumulative since process start: the "
			     "receiver would sum them");
		page_flush(p, PAINT_NONE, "  left out", LABEL_COLUMNS);
	}
	if (c->incomplete) {
		add_count(p, c->incomplete, noun);
		page_text(p, " sent incomplete, as they are in the source");
		page_flush(p, PAINT_NONE, "  in part", LABEL_COLUMNS);
	}
	if (c->is_cut) {
		page_text(p, "the window has more than the source lists: use "
			     "shorter windows");
		page_flush(p, PAINT_NONE, "  unlisted", LABEL_COLUMNS);
	}
}

static void write_side(struct page *p, const struct export_side *s,
		       const char *noun)
{
	const struct export *e = s->export;

	if (!e)
		return;
	page_text(p, "exported ");
	add_count(p, e->counts.sent, noun);
	if (e->counts.spans) {
		page_text(p, ": ");
		add_count(p, e->counts.spans, "span");
	}
	if (e->counts.findings) {
		page_text(p, ", with ");
		add_count(p, e->counts.findings, "finding");
	}
	page_flush(p, PAINT_BOLD, "", 0);
	out_char(p->out, '\n');
	page_foreign(p, s->from);
	if (!e->path_count) {
		page_text(p, ", ");
		page_window(p, e->window, 0);
	}
	page_text(p, ": ");
	add_count(p, e->counts.found, noun);
	page_flush(p, PAINT_NONE, "  from", LABEL_COLUMNS);
	page_foreign(p, e->to->name);
	page_flush(p, PAINT_NONE, "  to", LABEL_COLUMNS);
	if (e->counts.known) {
		add_count(p, e->counts.known, noun);
		/* Two files of one run may hold the same trace. */
		page_text(p, !e->state_path   ? ", there already"
			     : e->path_count ? ", sent already"
					     : ", sent by earlier runs");
		page_flush(p, PAINT_NONE, "  earlier", LABEL_COLUMNS);
	}
	write_reasons(p, &e->counts);
	write_lacks(p, &e->counts, noun);
}

static void write_table(const void *answer, const struct render_style *style,
			struct out *out)
{
	const struct export_answer *a = answer;
	struct page p;

	page_begin(&p, style, out);
	write_side(&p, &a->traces, "trace");
	if (a->traces.export && a->profiles.export)
		out_char(out, '\n');
	write_side(&p, &a->profiles, "profile");
	if (a->notes->count)
		out_char(out, '\n');
	page_notes(&p, a->notes, STR(""));
	page_end(&p);
}

/* ---- JSON ---- */

static void put_side(struct jsonw *w, const char *key,
		     const struct export_side *s)
{
	const struct export_counts *c;

	if (!jsonw_key_known(w, key, s->export))
		return;
	c = &s->export->counts;
	jsonw_addf(w,
		   "{source:%.*s, destination:%.*s, state:%s, found:%zu, "
		   "sent:%zu, sent_before:%zu",
		   STR_WHOLE(s->from), STR_WHOLE(s->export->to->name),
		   s->export->state_path, c->found, c->sent, c->known);
	jsonw_addf(w,
		   "refused:%zu, missing:%zu, narrowed:%zu, incomplete:%zu, "
		   "spans:%zu, rejected_spans:%zu, all_listed:%i, findings:%zu",
		   c->refused, c->gone, c->narrowed, c->incomplete, c->spans,
		   c->rejected_spans, !c->is_cut, c->findings);
	jsonw_addf(w, "reasons:[");
	for (size_t i = 0; i < c->reason_count; i++)
		jsonw_addf(w, "{count:%zu, text:%s}", c->reasons[i].count,
			   c->reasons[i].text);
	jsonw_array_end(w);
	jsonw_object_end(w);
}

static void write_json(const void *answer, struct out *out)
{
	const struct export_answer *a = answer;
	const struct export *any =
		a->traces.export ? a->traces.export : a->profiles.export;
	struct jsonw w;

	json_begin(&w, out, "export");
	jsonw_pair_text(&w, "service", any->service);
	json_range(&w, any->window);
	put_side(&w, "traces", &a->traces);
	put_side(&w, "profiles", &a->profiles);
	json_end(&w, a->notes);
}

const struct answer_writer export_writer = { .table = write_table,
					     .json = write_json };

/* ---- how it ends ---- */

static bool is_partial(const struct export *e)
{
	return e &&
	       (e->counts.refused || e->counts.gone || e->counts.narrowed ||
		e->counts.incomplete || e->counts.rejected_spans || e->counts.is_cut);
}

bool export_is_partial(const struct export_answer *a)
{
	return is_partial(a->traces.export) || is_partial(a->profiles.export);
}

static bool has_any(const struct export_side *s)
{
	return s->export && (s->export->counts.sent || s->export->counts.known);
}

bool export_has_found(const struct export_answer *a)
{
	return (a->traces.export && a->traces.export->counts.found) ||
	       (a->profiles.export && a->profiles.export->counts.found);
}

bool export_explain(const struct export_answer *a, struct error *err)
{
	const struct export *sides[] = { a->traces.export, a->profiles.export };
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];
	const struct export *any = sides[0] ? sides[0] : sides[1];

	if (has_any(&a->traces) || has_any(&a->profiles))
		return true;
	for (size_t i = 0; i < 2; i++)
		if (sides[i] && sides[i]->counts.refused)
			return error_set(err, ERROR_FORMAT,
					 "nothing was exported: %s",
					 sides[i]->counts.reasons[0].text);
	format_rfc3339(any->window.from_ns, from);
	format_rfc3339(any->window.to_ns, to);
	return error_set(err, ERROR_NOT_FOUND,
			 "nothing to export: no %s between %.19sZ and %.19sZ; "
			 "widen with --since 24h, or run tracefind doctor",
			 !sides[1]   ? "traces"
			 : !sides[0] ? "profiles"
				     : "traces or profiles",
			 from, to);
}
