/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/pprof.h"

#include <string.h>

#include "base/num.h"
#include "base/timefmt.h"
#include "base/varint.h"
#include "decode/decode.h"
#include "decode/formats.h"
#include "decode/pprof_pack.h"

/* Pyroscope writes a made-up period into its answers: 1 s for CPU, 1 ns for
 * wall, whatever the sampler did. Samplers lie between these bounds. */
#define PERIOD_MIN_NS (NS_PER_MS / 10)
#define PERIOD_END_NS NS_PER_S

/* What one Sample message says. */
struct sample {
	uint64_t *ids; /* leaf first */
	size_t id_cap;
	size_t id_count;
	struct str varints; /* of ids that are one piece, not read yet */
	uint32_t value_count;
	int64_t value;
	int64_t samples; /* of the column that counts them */
};

struct samples {
	struct pprof *p;
	struct label_filter *labels; /* or NULL */
	bool omits_stackless;
	struct pprof_pack *pack; /* or NULL: they are added one by one */
	struct sample now;
	uint32_t type;
	uint32_t counting_type; /* PPROF_NONE: no such column */
	int64_t counted;
	bool has_plausible_period;
	uint32_t *frames;
	size_t frame_cap;
	uint64_t frames_seen;
};

static bool reserve_ids(struct samples *s, size_t more, struct error *err)
{
	void *ids = s->now.ids;

	if (!arena_reserve(&s->p->scratch, &ids, &s->now.id_cap,
			   s->now.id_count + more, sizeof *s->now.ids))
		return pprof_no_memory(s->p, err);
	s->now.ids = ids;
	return true;
}

/* Short numbers are the bulk of a profile. A packed array of n bytes holds at
 * most n of them, so the room is there. */
static bool read_ids(struct samples *s, struct wire *w, struct error *err)
{
	const unsigned char *bytes = (const unsigned char *)w->bytes.ptr;
	uint64_t *ids = s->now.ids + s->now.id_count;

	while (w->at < w->bytes.len) {
		unsigned len = 0;

		if (w->bytes.len - w->at >= 3)
			len = varint_short(bytes + w->at, ids);
		w->at += len;
		if (!len && !wire_next_varint(w, ids))
			break;
		ids++;
	}
	s->now.id_count = (size_t)(ids - s->now.ids);
	return wire_check(w, PPROF_WHAT, err);
}

/* The ids of the piece that was put off, if one was. */
static bool read_varints(struct samples *s, struct error *err)
{
	struct wire packed;

	if (!s->now.varints.ptr)
		return true;
	pprof_wire(s->p, s->now.varints, &packed);
	s->now.varints.ptr = NULL;
	return reserve_ids(s, packed.bytes.len, err) &&
	       read_ids(s, &packed, err);
}

/* Nearly always all ids are in one piece. */
static bool read_piece(struct samples *s, struct str varints, struct error *err)
{
	bool is_first = !s->now.id_count && !s->now.varints.ptr;

	if (!varints.len)
		return true;
	if (!read_varints(s, err))
		return false;
	s->now.varints = varints;
	return is_first || read_varints(s, err);
}

static bool read_id(struct samples *s, uint64_t id, struct error *err)
{
	if (!read_varints(s, err) || !reserve_ids(s, 1, err))
		return false;
	s->now.ids[s->now.id_count++] = id;
	return true;
}

static void add_value(struct samples *s, uint64_t value)
{
	if (s->now.value_count == s->type)
		s->now.value = (int64_t)value;
	if (s->now.value_count == s->counting_type)
		s->now.samples = (int64_t)value;
	s->now.value_count++;
}

/* Labels with a number instead of a text match nothing. */
static bool read_label(struct samples *s, struct str message, struct error *err)
{
	const struct pprof *p = s->p;
	struct wire w;
	struct wire_field f;
	uint64_t key = 0, text = 0;

	pprof_wire(p, message, &w);
	while (wire_next(&w, &f)) {
		if (f.tag == WIRE_TAG(1, WIRE_VARINT))
			key = f.value;
		else if (f.tag == WIRE_TAG(2, WIRE_VARINT))
			text = f.value;
	}
	if (!wire_check(&w, PPROF_WHAT, err))
		return false;
	if (!text || text >= p->string_count || key >= p->string_count)
		return true;
	return label_filter_add(s->labels, p->strings[key], p->strings[text],
				err);
}

static bool read_sample_field(struct samples *s, const struct wire_field *f,
			      struct error *err)
{
	struct wire packed;
	uint64_t value;

	switch (f->tag) {
	case WIRE_TAG(1, WIRE_BYTES):
		return read_piece(s, f->bytes, err);
	case WIRE_TAG(1, WIRE_VARINT):
		return read_id(s, f->value, err);
	case WIRE_TAG(2, WIRE_BYTES):
		pprof_wire(s->p, f->bytes, &packed);
		while (wire_next_varint(&packed, &value))
			add_value(s, value);
		return wire_check(&packed, PPROF_WHAT, err);
	case WIRE_TAG(2, WIRE_VARINT):
		add_value(s, f->value);
		return true;
	case WIRE_TAG(3, WIRE_BYTES):
		return !s->labels || read_label(s, f->bytes, err);
	default:
		return true;
	}
}

static bool read_sample(struct samples *s, struct str message,
			struct error *err)
{
	struct wire w;
	struct wire_field f;

	s->now.id_count = 0;
	s->now.varints.ptr = NULL;
	s->now.value_count = 0;
	if (s->labels)
		label_filter_begin(s->labels);
	pprof_wire(s->p, message, &w);
	while (wire_next(&w, &f))
		if (!read_sample_field(s, &f, err))
			return false;
	if (!wire_check(&w, PPROF_WHAT, err))
		return false;
	if (s->now.value_count == s->p->header.type_count)
		return true;
	return error_set(err, ERROR_FORMAT,
			 "%s is damaged: a sample has %u values for %u sample "
			 "types",
			 PPROF_WHAT, s->now.value_count,
			 s->p->header.type_count);
}

/* Takes away what drop_frames say, from the leaf on. */
static bool drop(struct samples *s, struct error *err)
{
	struct sample *now = &s->now;
	size_t first;

	if (!pprof_drop_cut(s->p, now->ids, now->id_count, &first, err))
		return false;
	if (first) {
		now->id_count -= first;
		memmove(now->ids, now->ids + first,
			now->id_count * sizeof *now->ids);
	}
	return true;
}

/* Turns the ids into location indices in place and counts their frames. */
static bool locate(struct samples *s, size_t *frame_count, struct error *err)
{
	struct sample *now = &s->now;

	*frame_count = 0;
	for (size_t i = 0; i < now->id_count; i++) {
		uint64_t id = now->ids[i];
		uint32_t location = pprof_find(&s->p->locations, id);

		if ((location == PPROF_NONE ||
		     !s->p->unfolded[location].count) &&
		    !pprof_unfold(s->p, id, location, err))
			return false;
		now->ids[i] = location;
		*frame_count += s->p->unfolded[location].count;
	}
	s->frames_seen += *frame_count;
	if (s->frames_seen <= LIMIT_STACK_FRAMES_TOTAL)
		return true;
	return error_set(err, ERROR_LIMIT,
			 "%s has more than %u frames in all its stacks",
			 PPROF_WHAT, LIMIT_STACK_FRAMES_TOTAL);
}

static bool add_sample(struct samples *s, struct error *err)
{
	void *frames = s->frames;
	size_t count;
	uint32_t *at;

	if (!drop(s, err) || !locate(s, &count, err))
		return false;
	if (!arena_reserve(&s->p->scratch, &frames, &s->frame_cap, count,
			   sizeof *s->frames))
		return pprof_no_memory(s->p, err);
	at = s->frames = frames;
	for (size_t i = s->now.id_count; i-- > 0;) {
		struct pprof_unfolded u = s->p->unfolded[s->now.ids[i]];

		for (uint32_t k = 0; k < u.count; k++)
			*at++ = s->p->frames[u.first + k];
	}
	return profile_build_stack(s->p->build, s->frames, (uint32_t)count,
				   s->now.value, err);
}

static bool is_left_out(const struct samples *s)
{
	return (s->labels && !label_filter_matches(s->labels)) ||
	       (s->omits_stackless && !s->now.id_count);
}

static bool take_sample(struct samples *s, struct error *err)
{
	struct sample *now = &s->now;

	if (s->pack && now->varints.ptr && now->value &&
	    pprof_pack_add_varints(s->pack, now->varints, now->value))
		return true;
	if (!read_varints(s, err))
		return false;
	if (is_left_out(s)) {
		profile_build_omit(s->p->build, now->value);
		return true;
	}
	if (!now->value)
		return true;
	if (!s->pack)
		return add_sample(s, err);
	return pprof_pack_add(s->pack, now->ids, now->id_count, now->value,
			      err);
}

static bool read_samples(struct samples *s, struct error *err)
{
	struct wire w;
	struct wire_field f;

	pprof_wire_part(s->p, s->p->samples_first, s->p->samples_end, &w);
	while (wire_next(&w, &f)) {
		if (f.tag != WIRE_TAG(2, WIRE_BYTES))
			continue;
		if (!read_sample(s, f.bytes, err))
			return false;
		if (s->counting_type != PPROF_NONE)
			s->counted = sat_add_i64(s->counted, s->now.samples);
		if (!take_sample(s, err))
			return false;
	}
	return wire_check(&w, PPROF_WHAT, err);
}

static bool declare_types(const struct pprof *p, struct error *err)
{
	const struct pprof_header *h = &p->header;

	for (uint32_t i = 0; i < h->type_count; i++)
		if (!profile_build_type(p->build, h->types[i].type,
					h->types[i].unit, err))
			return false;
	return true;
}

/* Empty answers of Pyroscope have one blank type, or none at all. */
static bool has_named_type(const struct pprof_header *h)
{
	for (uint32_t i = 0; i < h->type_count; i++)
		if (h->types[i].type.len)
			return true;
	return false;
}

/* Of a profile without samples any type will do. */
static bool choose_type(const struct pprof *p, struct str wanted,
			uint32_t *type, struct error *err)
{
	const struct pprof_header *h = &p->header;
	struct str default_type = STR("");

	*type = 0;
	if (p->sample_count == 0 && !has_named_type(h))
		return type_declare_implied(p->build, wanted, err);
	if (h->type_count == 0)
		return error_set(err, ERROR_FORMAT,
				 "%s is damaged or cut off: it has samples but "
				 "no sample type",
				 PPROF_WHAT);
	if (h->default_type < p->string_count)
		default_type = p->strings[h->default_type];
	if (!declare_types(p, err))
		return false;
	if (type_choose(h->types, h->type_count, default_type, wanted, type,
			err))
		return true;
	if (p->sample_count)
		return false;
	error_clear(err);
	return true;
}

static uint32_t find_counting_type(const struct pprof_header *h, uint32_t type)
{
	if (type >= h->type_count || !time_unit_ns(h->types[type].unit))
		return PPROF_NONE;
	for (uint32_t i = 0; i < h->type_count; i++)
		if (type_is_sample_count(h->types[i]))
			return i;
	return PPROF_NONE;
}

static bool is_plausible_period(const struct pprof_header *h,
				struct type_name type)
{
	int64_t unit_ns = time_unit_ns(type.unit);
	int64_t period_ns = sat_mul_i64(h->period, unit_ns);

	if (h->period <= 0 || !str_equal(type.type, h->period_type.type) ||
	    !str_equal(type.unit, h->period_type.unit))
		return false;
	return !unit_ns ||
	       (period_ns >= PERIOD_MIN_NS && period_ns < PERIOD_END_NS);
}

/* The best ground first: the period that the file states, the count of samples
 * beside the values, the values themselves. */
static void set_period(const struct samples *s, struct profile *out)
{
	const struct pprof_header *h = &s->p->header;
	struct type_name type = { profile_type_name(out), profile_unit(out) };

	type_settle(out);
	if (out->stack_count == 0 || type_is_sample_count(type))
		return;
	if (s->has_plausible_period && profile_divisor(out) % h->period == 0) {
		out->period = h->period;
		out->sample_count = out->total / h->period;
	} else if (s->counting_type != PPROF_NONE && s->counted > 0) {
		out->period = out->total / s->counted;
		out->sample_count = s->counted;
	}
}

static void set_header(const struct pprof_header *h, struct profile *out)
{
	out->time_ns = h->time_ns > 0 ? h->time_ns : 0;
	out->duration_ns = h->duration_ns > 0 ? h->duration_ns : 0;
}

/* ---- packed ---- */

/* Where nothing but the values tells what one sample is, those of distinct
 * stacks: of times, and of what is called samples but is no count. */
static bool is_period_of_sums(const struct samples *s)
{
	const struct pprof_header *h = &s->p->header;
	struct type_name type = h->types[s->type];

	if (type_is_sample_count(type) ||
	    (s->has_plausible_period &&
	     (int64_t)s->pack->divisor % h->period == 0))
		return false;
	if (!time_unit_ns(type.unit))
		return str_equal(type.type, STR("samples"));
	return s->counting_type == PPROF_NONE || s->counted <= 0;
}

static bool add_packed(struct samples *s, struct error *err)
{
	struct pprof_unpack u;

	pprof_unpack_begin(&u, s->pack, s->now.ids);
	while (pprof_unpack_next(&u, s->pack)) {
		s->now.id_count = u.count;
		s->now.value = u.value;
		if (!add_sample(s, err))
			return false;
	}
	return true;
}

/* All that is needed of the message has been copied, but for the stacks, which
 * count like what is in the arena. */
static bool take_over(struct samples *s, struct arena *arena,
		      struct packed_stacks *packed, struct buf *bytes,
		      struct error *err)
{
	if (packed->first + packed->size >
	    arena->max_bytes - arena->used_bytes) {
		arena->is_over_limit = true;
		return arena_fail(arena, PPROF_WHAT, err);
	}
	buf_trim(bytes, packed->first + packed->size);
	packed->bytes = *bytes;
	buf_init(bytes, bytes->max_bytes);
	s->p->bytes = STR("");
	arena_release(&s->p->scratch);
	return true;
}

static bool fill_pack(struct samples *s, struct buf *bytes, struct profile *out,
		      struct notes *notes, struct error *err)
{
	struct profile_build *b = s->p->build;
	struct packed_stacks *packed = NULL;
	struct pprof_pack *pack = s->pack;

	if (!pprof_pack_init(pack, s->p, bytes, &out->arena, err))
		return false;
	if (!read_samples(s, err))
		return false;
	s->now.id_count = 0;
	if (!reserve_ids(s, pack->longest, err))
		return false;
	pprof_pack_end(pack);
	if ((!is_period_of_sums(s) &&
	     !pprof_pack_build(pack, s->now.ids, &packed, err)))
		return false;
	if (!packed)
		return add_packed(s, err) &&
		       profile_build_finish(b, notes, err);
	if (!take_over(s, &out->arena, packed, bytes, err))
		return false;
	profile_build_packed(b, packed, pack->count, pack->total);
	return profile_build_finish(b, notes, err);
}

static bool read_packed(struct samples *s, struct buf *bytes,
			struct profile *out, struct notes *notes,
			struct error *err)
{
	struct pprof_pack pack;
	bool is_done;

	s->pack = &pack;
	is_done = fill_pack(s, bytes, out, notes, err);
	s->pack = NULL;
	return is_done;
}

static bool read_stacks(struct samples *s, const struct profile_want *want,
			struct profile *out, struct notes *notes,
			struct error *err)
{
	if (want->owned_bytes && !want->labels && pprof_can_pack(s->p))
		return read_packed(s, want->owned_bytes, out, notes, err);
	return read_samples(s, err) &&
	       profile_build_finish(s->p->build, notes, err);
}

/* ---- the whole ---- */

static bool decode(struct pprof *p, const struct profile_want *want,
		   struct profile *out, struct notes *notes, struct error *err)
{
	struct samples s = { .p = p,
			     .labels = want->labels,
			     .omits_stackless = want->omits_stackless };

	if (!pprof_load(p, err) || !choose_type(p, want->type, &s.type, err) ||
	    !pprof_drop_prepare(p, notes, err))
		return false;
	out->type = s.type;
	s.counting_type = find_counting_type(&p->header, s.type);
	s.has_plausible_period =
		s.type < p->header.type_count &&
		is_plausible_period(&p->header, p->header.types[s.type]);
	if (!read_stacks(&s, want, out, notes, err))
		return false;
	set_header(&p->header, out);
	set_period(&s, out);
	return true;
}

bool decode_pprof(struct str bytes, const struct profile_want *want,
		  struct profile *out, struct notes *notes, struct error *err)
{
	struct pprof p = { .bytes = bytes, .detail = want->detail };
	bool is_done;

	p.build = profile_build_new(out, err);
	if (!p.build)
		return false;
	arena_init(&p.scratch, LIMIT_DECODE_HEAP_BYTES);
	is_done = decode(&p, want, out, notes, err);
	arena_release(&p.scratch);
	profile_build_free(p.build);
	return is_done;
}
