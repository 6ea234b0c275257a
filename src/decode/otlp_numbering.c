/* SPDX-License-Identifier: Apache-2.0
 *
 * Field numbers of samples in OTLP profiles. They changed without a version
 * marker:
 *
 *                      2            3            4
 *   1.8, 1.9           values       attributes   link
 *   1.10 and later     attributes   link         values
 *
 * A link is a single number, the others may be packed; a sample has a value or
 * a timestamp. If both numberings are possible, the choice is by plausibility:
 * indices are within their tables, there are as many values as timestamps,
 * attributes are referred to. Messages with samples of both, or of which either
 * is plausible, are refused. That a number is not packed proves nothing:
 * jfrconv packs values and timestamps, but not attributes.
 */
#include "decode/otlp_profiles.h"

#include <stddef.h>
#include <stdint.h>

#include "base/num.h"
#include "decode/wire.h"

#define CHANGED "1.10 (March 2026)"

bool otlp_refuse_older(struct error *err)
{
	return error_set(err, ERROR_FORMAT,
			 "%s is of the protocol before 1.8 (September 2025), "
			 "which has other fields: take pprof, or a current "
			 "version of what wrote it",
			 OTLP_PROFILES_WHAT);
}

/* ---- a sample ---- */

static void add_number(struct otlp_numbers *n, uint64_t value)
{
	n->count++;
	n->last = value;
	n->most = value > n->most ? value : n->most;
	n->sum = sat_add_i64(n->sum, (int64_t)value);
}

bool otlp_sample_read(struct wire *w, struct otlp_sample *s, struct error *err)
{
	struct otlp_numbers *n;
	struct wire packed;
	struct wire_field f;
	uint64_t value;

	*s = (struct otlp_sample){ .stack = 0 };
	while (wire_next(w, &f))
		switch (f.tag) {
		case WIRE_TAG(1, WIRE_VARINT):
			s->stack = f.value;
			break;
		case WIRE_TAG(2, WIRE_VARINT):
		case WIRE_TAG(3, WIRE_VARINT):
		case WIRE_TAG(4, WIRE_VARINT):
			add_number(&s->fields[f.tag >> 3], f.value);
			break;
		case WIRE_TAG(2, WIRE_BYTES):
		case WIRE_TAG(3, WIRE_BYTES):
		case WIRE_TAG(4, WIRE_BYTES):
			n = &s->fields[f.tag >> 3];
			n->is_packed = true;
			packed = wire_inside(w, &f);
			while (wire_next_varint(&packed, &value))
				add_number(n, value);
			if (!wire_check(&packed, OTLP_PROFILES_WHAT, err))
				return false;
			break;
		case WIRE_TAG(5, WIRE_BYTES):
			s->times += f.bytes.len / sizeof(uint64_t);
			break;
		case WIRE_TAG(5, WIRE_FIXED64):
			s->times++;
			break;
		case WIRE_TAG(5, WIRE_VARINT): /* the link in 1.7 */
		case WIRE_TAG(6, WIRE_VARINT): /* timestamps */
		case WIRE_TAG(6, WIRE_BYTES):
			return otlp_refuse_older(err);
		default:
			break;
		}
	return wire_check(w, OTLP_PROFILES_WHAT, err);
}

/* ---- evidence ---- */

static bool is_there(const struct otlp_numbers *n)
{
	return n->count || n->is_packed;
}

/* Judges by types and required fields. */
static bool can_be(const struct otlp_sample *s,
		   const struct otlp_numbering *numbering)
{
	const struct otlp_numbers *link = &s->fields[numbering->link];
	bool has_others = is_there(&s->fields[numbering->attributes]) ||
			  is_there(link);

	return link->count <= 1 && !link->is_packed &&
	       (!has_others || s->times ||
		is_there(&s->fields[numbering->values]));
}

static bool is_place(uint64_t index, uint32_t count)
{
	return !index || index < count;
}

static const struct otlp_numbering numberings[] = {
	[OTLP_OLDER] = { .values = 2, .attributes = 3, .link = 4 },
	[OTLP_NEWER] = { .attributes = 2, .link = 3, .values = 4 },
};

bool otlp_evidence_is_firm(const struct otlp_evidence *e)
{
	return e->is_not[OTLP_OLDER] || e->is_not[OTLP_NEWER];
}

void otlp_evidence_add(struct otlp_evidence *e, const struct otlp_sample *s,
		       const struct rows *tables)
{
	for (unsigned i = 0; i < OTLP_NUMBERINGS; i++) {
		const struct otlp_numbering *n = &numberings[i];
		const struct otlp_numbers *values = &s->fields[n->values];

		if (!can_be(s, n))
			e->is_not[i] = true;
		/* Judges by references and the number of values. */
		if (!is_place(s->fields[n->attributes].most,
			      tables[ATTRIBUTES].count) ||
		    !is_place(s->fields[n->link].most, tables[LINKS].count) ||
		    (s->times && values->count && values->count != s->times))
			e->seems_not[i] = true;
	}
	for (unsigned i = 2; i < COUNT_OF(s->fields); i++)
		e->has_field[i] = e->has_field[i] || is_there(&s->fields[i]);
}

/* Returns whether an element of the table refers to attributes by this
 * field. */
static bool has_attributes(const struct rows *table, uint32_t field)
{
	struct wire_field f;
	struct wire w;

	for (uint32_t i = 0; i < table->count; i++) {
		wire_init(&w, table->items[i]);
		while (wire_next(&w, &f))
			if (f.tag >> 3 == field)
				return true;
	}
	return false;
}

static bool fail_both(struct error *err)
{
	return error_set(err, ERROR_FORMAT,
			 "%s is damaged, or mixed: its samples fit neither the "
			 "protocol before " CHANGED " nor later ones",
			 OTLP_PROFILES_WHAT);
}

bool otlp_numbering_choose(const struct otlp_evidence *e,
			   const struct rows *tables,
			   const struct otlp_numbering **out, struct error *err)
{
	const bool *is_not = otlp_evidence_is_firm(e) ? e->is_not
						      : e->seems_not;

	*out = &numberings[OTLP_NEWER];
	if (is_not[OTLP_OLDER] && is_not[OTLP_NEWER])
		return fail_both(err);
	if (is_not[OTLP_NEWER])
		*out = &numberings[OTLP_OLDER];
	if (is_not[OTLP_OLDER] || is_not[OTLP_NEWER] ||
	    !(e->has_field[2] || e->has_field[3] || e->has_field[4]))
		return true;
	/* Attributes would be unreferenced unless the third field of samples,
	 * which is absent, refers to them. */
	if (!e->has_field[3] && !e->has_profile_attributes &&
	    tables[ATTRIBUTES].count > first_row(&tables[ATTRIBUTES]) &&
	    !has_attributes(&tables[MAPPINGS], 5) &&
	    !has_attributes(&tables[LOCATIONS], 4))
		return true;
	return error_set(err, ERROR_FORMAT,
			 "%s does not show whether its samples have values, as "
			 "by the protocol before " CHANGED
			 ", or attributes, as by later ones: take pprof",
			 OTLP_PROFILES_WHAT);
}

bool otlp_sample_check(const struct otlp_sample *s,
		       const struct otlp_numbering *numbering,
		       struct error *err)
{
	return can_be(s, numbering) || fail_both(err);
}
