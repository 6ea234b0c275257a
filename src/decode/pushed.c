/* SPDX-License-Identifier: Apache-2.0
 *
 * Push requests with profiles, each compressed separately: they are decoded one
 * by one and added up. Pyroscope's push.v1.PushRequest and Parca's
 * WriteRawRequest (profilestore.v1alpha1), both in protobuf or JSON, contain
 * series of profiles, each with labels. Pyroscope's older /ingest is a form
 * (multipart/form-data) with the profile in one of its parts.
 */
#include "base/arena.h"
#include "base/gz.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/num.h"
#include "decode/formats.h"
#include "decode/profile_type.h"
#include "decode/wire.h"
#include "model/profile.h"

#define WHAT "the pushed profiles"

/* Number of profiles held before they are merged, since merging two at a time
 * would copy the sum each time. Large ones are merged once those after the
 * first take this much memory, and as much as the first, which is the sum so
 * far. */
#define HELD 16u
#define HELD_BYTES (64 * MIB)

struct pushed {
	struct profile_want want; /* as passed by the caller, except `like` */
	struct notes *notes;
	struct arena scratch;
	struct profile *held[HELD]; /* of the type below */
	size_t held_count;
	struct type_name type;
	size_t count;         /* number of profiles */
	size_t other_count;   /* those of other types */
	struct error other;   /* for the first of those */
	bool has_earlier_one; /* contains a profile to subtract */
};

static void release_held(struct pushed *p)
{
	for (size_t i = 0; i < p->held_count; i++) {
		profile_release(p->held[i]);
		mem_free(p->held[i]);
	}
	p->held_count = 0;
}

/* ---- labels ---- */

static void pushed_labels_begin(struct pushed *p)
{
	if (p->want.labels)
		label_filter_shared_begin(p->want.labels);
}

static bool pushed_label(struct pushed *p, struct str key, struct str value,
			 struct error *err)
{
	return !p->want.labels ||
	       label_filter_add(p->want.labels, key, value, err);
}

static void pushed_labels_end(struct pushed *p)
{
	if (p->want.labels)
		label_filter_shared_end(p->want.labels);
}

/* ---- profiles ---- */

static struct profile *profile_new(struct error *err)
{
	struct profile *p = mem_calloc(1, sizeof *p);

	if (p)
		profile_init(p);
	else
		error_memory(err, WHAT);
	return p;
}

static bool add_up(struct pushed *p, struct profile *out, struct error *err)
{
	return profile_merge(out, (const struct profile *const *)p->held,
			     p->held_count, p->notes, err);
}

/* Merges the profiles held. */
static bool make_room(struct pushed *p, struct error *err)
{
	size_t most = HELD_BYTES, bytes = 0;
	struct profile *sum;

	for (size_t i = 0; i < p->held_count; i++)
		if (i)
			bytes += p->held[i]->arena.used_bytes;
		else
			most = max_size(most, p->held[i]->arena.used_bytes);
	if (p->held_count < HELD && bytes < most)
		return true;
	sum = profile_new(err);
	if (!sum)
		return false;
	if (!add_up(p, sum, err)) {
		profile_release(sum);
		mem_free(sum);
		return false;
	}
	release_held(p);
	p->held[p->held_count++] = sum;
	return true;
}

static bool decode_one(struct pushed *p, struct str bytes, struct profile *one,
		       struct error *err)
{
	struct buf storage;
	bool is_done = true;

	buf_init(&storage, LIMIT_BODY_PLAIN_BYTES);
	if (packing_of(bytes) != PACKING_NONE) {
		is_done = gz_inflate(bytes, WHAT, &storage, err);
		bytes = buf_str(&storage);
	}
	if (is_done && !str_starts(bytes, STR("FLR\0")))
		is_done = decode_pprof(bytes, &p->want, one, p->notes, err);
	else if (is_done && p->want.labels)
		is_done = error_set(err, ERROR_USAGE,
				    "samples of a pushed flight recording have "
				    "no labels to choose them by");
	else if (is_done)
		is_done = decode_jfr(bytes, &p->want, one, p->notes, err);
	if (is_done)
		type_note_others(one, &p->want, p->notes);
	buf_release(&storage);
	return is_done && profile_check(one, err);
}

static bool pushed_take(struct pushed *p, struct str bytes, struct error *err)
{
	struct profile *one;

	if (p->count == LIMIT_PUSHED_PROFILES)
		return error_set(err, ERROR_LIMIT, "%s are more than %u", WHAT,
				 LIMIT_PUSHED_PROFILES);
	p->count++;
	if (!make_room(p, err))
		return false;
	one = profile_new(err);
	if (!one)
		return false;
	p->held[p->held_count++] = one;
	if (decode_one(p, bytes, one, err)) {
		/* Requests the type of the first profile from all others. */
		if (p->want.like || !one->type_count)
			return true;
		p->type.type = arena_str(&p->scratch, profile_type_name(one));
		p->type.unit = arena_str(&p->scratch, profile_unit(one));
		if (!p->type.type.ptr || !p->type.unit.ptr)
			return arena_fail(&p->scratch, WHAT, err);
		p->want.like = &p->type;
		return true;
	}
	p->held_count--;
	profile_release(one);
	mem_free(one);
	/* A profile without the requested type is skipped. */
	if (err->code != ERROR_NOT_FOUND)
		return false;
	if (!p->other_count++)
		p->other = *err;
	error_clear(err);
	return true;
}

static void note_all(const struct pushed *p)
{
	size_t taken = p->count - p->other_count;

	if (taken > 1)
		notes_add(p->notes, "%zu pushed profiles are added up", taken);
	if (p->other_count)
		notes_add(p->notes,
			  "%zu of %zu pushed profiles are of other types and "
			  "left out (--type)",
			  p->other_count, p->count);
	if (p->has_earlier_one)
		notes_add(p->notes,
			  "the profile before (prev_profile) is not taken off: "
			  "the values are those since the program began");
}

/* ---- protobuf ---- */

/* Reads name and value. */
static bool read_label(struct pushed *p, struct wire w, struct error *err)
{
	struct str key = STR(""), value = STR("");
	struct wire_field f;

	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_BYTES))
			key = f.bytes;
		else if (f.tag == WIRE_TAG(2, WIRE_BYTES))
			value = f.bytes;
	return wire_check(&w, WHAT, err) && pushed_label(p, key, value, err);
}

static bool read_labels(struct pushed *p, struct wire w, struct error *err)
{
	struct wire_field f;

	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_BYTES) &&
		    !read_label(p, wire_inside(&w, &f), err))
			return false;
	return wire_check(&w, WHAT, err);
}

/* In Parca labels are in a message of their own. */
static bool read_label_sets(struct pushed *p, struct wire w, struct error *err)
{
	struct wire_field f;

	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_BYTES) &&
		    !read_labels(p, wire_inside(&w, &f), err))
			return false;
	return wire_check(&w, WHAT, err);
}

static bool read_sample(struct pushed *p, struct wire w, struct error *err)
{
	struct wire_field f;

	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_BYTES) &&
		    !pushed_take(p, f.bytes, err))
			return false;
	return wire_check(&w, WHAT, err);
}

/* Labels may come after their profiles. */
static bool read_series(struct pushed *p, struct wire w, bool is_parca,
			struct error *err)
{
	struct wire_field f;

	pushed_labels_begin(p);
	if (!(is_parca ? read_label_sets(p, w, err) : read_labels(p, w, err)))
		return false;
	pushed_labels_end(p);
	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(2, WIRE_BYTES) &&
		    !read_sample(p, wire_inside(&w, &f), err))
			return false;
	return wire_check(&w, WHAT, err);
}

static bool read_protobuf(struct pushed *p, struct str body, struct error *err)
{
	bool is_parca = false;
	struct wire_field f;
	struct wire w;

	/* In Parca series are field 2, after a tenant's name. */
	wire_init(&w, body);
	while (!is_parca && wire_next(&w, &f))
		is_parca = f.tag == WIRE_TAG(2, WIRE_BYTES);
	wire_init(&w, body);

	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(is_parca ? 2 : 1, WIRE_BYTES) &&
		    !read_series(p, wire_inside(&w, &f), is_parca, err))
			return false;
	return wire_check(&w, WHAT, err);
}

/* ---- JSON ---- */

struct json_body {
	struct pushed *p;
	struct json_reader *r;
	struct buf key;
	struct buf value; /* of a label, or a base64 profile */
};

static void keep_text(struct json_body *b, struct buf *kept)
{
	buf_clear(kept);
	buf_add_str(kept, json_text_nullable(b->r));
}

static bool read_json_label(struct json_body *b, struct error *err)
{
	struct str key;

	buf_clear(&b->key);
	buf_clear(&b->value);
	while (json_next_key(b->r, &key))
		if (str_equal(key, STR("name")))
			keep_text(b, &b->key);
		else if (str_equal(key, STR("value")))
			keep_text(b, &b->value);
		else
			json_skip(b->r);
	return buf_check(&b->key, WHAT, err) &&
	       buf_check(&b->value, WHAT, err) &&
	       pushed_label(b->p, buf_str(&b->key), buf_str(&b->value), err);
}

static bool read_json_list(struct json_body *b, struct error *err)
{
	if (!json_enter_if(b->r, JSON_ARRAY))
		return true;
	while (json_next_object(b->r))
		if (!read_json_label(b, err))
			return false;
	return true;
}

/* Reads a list, or Parca's object around it. */
static bool read_json_labels(struct json_body *b, struct error *err)
{
	if (json_peek(b->r) != JSON_OBJECT)
		return read_json_list(b, err);
	if (!json_enter(b->r, JSON_OBJECT))
		return true;
	while (json_next_named(b->r, STR("labels")))
		if (!read_json_list(b, err))
			return false;
	return true;
}

static bool read_base64(struct json_body *b, struct error *err)
{
	unsigned char *bytes;
	size_t len;

	buf_clear(&b->value);
	if (!json_string_long(b->r, &b->value))
		return true;
	bytes = (unsigned char *)b->value.data;
	if (!b->value.len ||
	    !base64_decode(buf_str(&b->value), bytes, b->value.len, &len))
		return error_set(err, ERROR_FORMAT, "%s: one is no base64",
				 WHAT);
	return pushed_take(b->p, (struct str){ b->value.data, len }, err);
}

static bool read_json_samples(struct json_body *b, struct error *err)
{
	struct str key;

	if (!json_enter_if(b->r, JSON_ARRAY))
		return true;
	while (json_next_object(b->r))
		while (json_next_key(b->r, &key))
			if (!str_equal(key, STR("rawProfile")) &&
			    !str_equal(key, STR("raw_profile")))
				json_skip(b->r);
			else if (!read_base64(b, err))
				return false;
	return true;
}

static bool read_json_part(struct json_body *b, const char *name,
			   bool (*read)(struct json_body *b, struct error *err),
			   struct error *err)
{
	if (!json_enter_nullable(b->r, JSON_OBJECT))
		return true;
	while (json_next_named(b->r, str_from(name)))
		if (!read(b, err))
			return false;
	return true;
}

static bool read_json_series(struct json_body *b, struct error *err)
{
	struct feed_place place;

	if (!json_enter_if(b->r, JSON_ARRAY))
		return true;
	while (json_next_item(b->r)) {
		json_tell(b->r, &place);
		pushed_labels_begin(b->p);
		if (!read_json_part(b, "labels", read_json_labels, err))
			return false;
		pushed_labels_end(b->p);
		if (json_failed(b->r))
			return true;
		json_resume(b->r, &place);
		if (!read_json_part(b, "samples", read_json_samples, err))
			return false;
	}
	return true;
}

static bool read_json(struct pushed *p, struct str body, struct error *err)
{
	struct json_body b = { .p = p, .r = json_new(body, err) };
	bool is_read;

	if (!b.r)
		return false;
	buf_init(&b.key, LIMIT_STRING_BYTES + 16);
	buf_init(&b.value, LIMIT_FILE_PLAIN_BYTES);
	is_read = read_json_part(&b, "series", read_json_series, err);
	if (is_read) {
		json_expect_end(b.r, "push");
		is_read = json_check(b.r, err);
	}
	buf_release(&b.key);
	buf_release(&b.value);
	json_free(b.r);
	return is_read;
}

/* ---- forms ---- */

static bool fail_cut(struct error *err)
{
	return error_set(err, ERROR_FORMAT,
			 "%s: the form is damaged or cut off", WHAT);
}

/* Removes the text up to and including the mark; sets *taken to what was before
 * it. */
static bool take_until(struct str *text, struct str mark, struct str *taken)
{
	size_t at = str_find(*text, mark);

	if (at == SIZE_MAX)
		return false;
	*taken = str_slice(*text, 0, at);
	*text = str_slice(*text, at + mark.len, text->len);
	return true;
}

/* Reads parts separated by a boundary line; the last one ends in two
 * hyphens. */
static bool read_form(struct pushed *p, struct str body, struct error *err)
{
	struct arena *arena = &p->scratch;
	struct str head, content, mark, before, name;

	if (!take_until(&body, STR("\r\n"), &mark))
		return fail_cut(err);
	mark = arena_printf(arena, "\r\n%.*s", STR_ARGS(mark));
	if (!mark.ptr)
		return arena_fail(arena, WHAT, err);
	do {
		if (!take_until(&body, STR("\r\n\r\n"), &head) ||
		    !take_until(&body, mark, &content))
			return fail_cut(err);
		/* 'Content-Disposition: form-data; name="profile"; ...' */
		if (!take_until(&head, STR("; name=\""), &before) ||
		    !take_until(&head, STR("\""), &name))
			continue;
		p->has_earlier_one |= str_equal(name, STR("prev_profile"));
		if ((str_equal(name, STR("profile")) ||
		     str_equal(name, STR("jfr"))) &&
		    !pushed_take(p, content, err))
			return false;
	} while (str_starts(body, STR("\r\n")));
	return str_starts(body, STR("--")) || fail_cut(err);
}

bool decode_pushed(struct str bytes, const struct profile_want *want,
		   struct profile *out, struct notes *notes, struct error *err)
{
	struct pushed p;
	struct str text = str_trim(bytes);
	bool is_done;

	p = (struct pushed){ .want = *want, .notes = notes };
	p.want.packed_max_bytes = 0;
	arena_init(&p.scratch, LIMIT_DECODE_HEAP_BYTES);
	if (str_starts(text, STR("{")))
		is_done = read_json(&p, bytes, err);
	else if (str_starts(text, STR("--")))
		is_done = read_form(&p, bytes, err);
	else
		is_done = read_protobuf(&p, bytes, err);
	if (is_done && !p.count) {
		is_done = error_set(err, ERROR_FORMAT, "%s are none at all",
				    WHAT);
	} else if (is_done && p.count == p.other_count) {
		*err = p.other;
		is_done = false;
	} else if (is_done) {
		note_all(&p);
		is_done = add_up(&p, out, err);
	}
	pushed_labels_begin(&p);
	pushed_labels_end(&p);
	release_held(&p);
	arena_release(&p.scratch);
	return is_done;
}
