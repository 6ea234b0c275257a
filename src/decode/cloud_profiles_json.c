/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/cloud_profiles_json.h"

#include "base/json.h"
#include "base/limits.h"
#include "base/num.h"

#define WHAT "list of profiles"

/* The profile being read. */
struct profile_text {
	struct stored_entry entry; /* texts are in the arena */
	struct buf base64;
	bool has_time;
};

struct page_reader {
	struct json_reader *r;
	struct cloud_page *page;
	struct profile_list *list;     /* in the first reading */
	const struct cloud_take *take; /* in the second */
	struct arena texts;            /* of the profile being read */
	struct profile_text now;
	struct error err;
};

void cloud_page_init(struct cloud_page *page)
{
	*page = (struct cloud_page){ .profile_count = 0 };
	buf_init(&page->next_token, LIMIT_PAGE_TOKEN_BYTES);
}

void cloud_page_release(struct cloud_page *page)
{
	buf_release(&page->next_token);
}

bool cloud_duration_parse(struct str text, int64_t *out_ns)
{
	bool is_negative = str_starts(text, STR("-"));
	size_t dot = str_find(text, STR("."));
	struct str whole, fraction = STR("");
	int64_t seconds, unit = NS_PER_S, rest_ns = 0;

	if (!str_ends(text, STR("s")))
		return false;
	text = str_slice(text, is_negative, text.len - 1 - is_negative);
	if (dot != SIZE_MAX) {
		dot -= is_negative;
		fraction = str_slice(text, dot + 1, text.len);
		if (!str_is_digits(fraction) || fraction.len > 9)
			return false;
	}
	whole = str_slice(text, 0, dot);
	if (!str_is_digits(whole) || whole.len > 18 ||
	    !parse_i64(whole, &seconds))
		return false;
	for (size_t i = 0; i < fraction.len; i++) {
		unit /= 10;
		rest_ns += (fraction.ptr[i] - '0') * unit;
	}
	*out_ns = sat_add_i64(sat_mul_i64(seconds, NS_PER_S), rest_ns);
	if (is_negative)
		*out_ns = -*out_ns;
	return true;
}

/* ---- one profile ---- */

static enum stored_type type_read(struct str text)
{
	static const char *const names[STORED_TYPES] = {
		[STORED_CPU] = "CPU",
		[STORED_WALL] = "WALL",
		[STORED_HEAP] = "HEAP",
		[STORED_THREADS] = "THREADS",
		[STORED_CONTENTION] = "CONTENTION",
		[STORED_PEAK_HEAP] = "PEAK_HEAP",
		[STORED_HEAP_ALLOC] = "HEAP_ALLOC",
	};

	for (int i = STORED_UNKNOWN + 1; i < STORED_TYPES; i++)
		if (str_equal(text, str_from(names[i])))
			return (enum stored_type)i;
	return STORED_UNKNOWN;
}

static bool copy_text(struct page_reader *p, struct str text, struct str *out)
{
	*out = arena_str(&p->texts, text);
	if (!out->ptr)
		arena_fail(&p->texts, WHAT, &p->err);
	return out->ptr != NULL;
}

/* Reads a string; nothing for null and other values. */
static bool read_text(struct page_reader *p, struct str *out)
{
	struct str text;

	if (json_peek(p->r) != JSON_STRING) {
		json_skip(p->r);
		*out = STR("");
		return true;
	}
	return json_text(p->r, &text) && copy_text(p, text, out);
}

/* {"version":"1.0.0",..}: labels of the deployment and of the profile are
 * merged; those over the limit are dropped. */
static void read_labels(struct page_reader *p)
{
	struct stored_entry *e = &p->now.entry;
	struct str key, value;

	if (!json_enter_if(p->r, JSON_OBJECT))
		return;
	while (json_next_key(p->r, &key)) {
		bool has_room = e->label_count < LIMIT_STORED_LABELS;

		if (!p->list || !has_room || json_peek(p->r) != JSON_STRING) {
			json_skip(p->r);
			continue;
		}
		if (!copy_text(p, key, &key) || !read_text(p, &value))
			return;
		e->labels[e->label_count].key = key;
		e->labels[e->label_count++].value = value;
	}
}

static void read_deployment(struct page_reader *p)
{
	struct str key;

	if (!json_enter_if(p->r, JSON_OBJECT))
		return;
	while (json_next_key(p->r, &key)) {
		if (str_equal(key, STR("target"))) {
			if (!read_text(p, &p->now.entry.service))
				return;
		} else if (str_equal(key, STR("labels"))) {
			read_labels(p);
		} else {
			json_skip(p->r);
		}
	}
}

static bool read_enum(struct page_reader *p)
{
	struct str text;

	/* A number if the server does not print names. */
	if (json_peek(p->r) == JSON_NUMBER) {
		int64_t number = 0;

		if (!json_i64(p->r, &number))
			return false;
		if (number > STORED_UNKNOWN && number < STORED_TYPES)
			p->now.entry.type = (enum stored_type)number;
		return true;
	}
	if (!read_text(p, &text))
		return false;
	p->now.entry.type = type_read(text);
	return true;
}

static bool read_field(struct page_reader *p, struct str key)
{
	struct str text;

	if (str_equal(key, STR("name")))
		return read_text(p, &p->now.entry.name);
	if (str_equal(key, STR("profileType")))
		return read_enum(p);
	if (str_equal(key, STR("startTime"))) {
		if (!read_text(p, &text))
			return false;
		p->now.has_time = parse_rfc3339(text, &p->now.entry.start_ns);
		return true;
	}
	if (str_equal(key, STR("duration"))) {
		if (!read_text(p, &text))
			return false;
		if (!cloud_duration_parse(text, &p->now.entry.duration_ns))
			p->now.entry.duration_ns = 0;
		return true;
	}
	if (str_equal(key, STR("profileBytes"))) {
		struct str name = p->now.entry.name;

		/* Skipped unless wanted; if the name comes later, kept until
		 * then. */
		if (!p->take || json_peek(p->r) != JSON_STRING ||
		    (name.len && !p->take->is_wanted(p->take->context, name))) {
			json_skip(p->r);
			return true;
		}
		buf_clear(&p->now.base64);
		return json_string_long(p->r, &p->now.base64);
	}
	if (str_equal(key, STR("deployment")))
		read_deployment(p);
	else if (str_equal(key, STR("labels")))
		read_labels(p);
	else
		json_skip(p->r);
	return true;
}

static bool page_reader_give(struct page_reader *p)
{
	struct profile_text *t = &p->now;
	struct str name = t->entry.name;
	size_t len = 0;

	if (!t->base64.len || !name.len ||
	    !p->take->is_wanted(p->take->context, name))
		return true;
	/* Decoded in place, since base64 is longer than its content. */
	if (buf_check(&t->base64, "a profile", &p->err) &&
	    !base64_decode(buf_str(&t->base64), (unsigned char *)t->base64.data,
			   t->base64.len, &len))
		(void)error_set(&p->err, ERROR_FORMAT, "damaged base64");
	if (p->err.code != ERROR_NONE)
		return error_prefix(&p->err, "%.*s", STR_ARGS(name));
	return p->take->take(p->take->context, name,
			     str_slice(buf_str(&t->base64), 0, len), &p->err);
}

static bool read_profile(struct page_reader *p, uint32_t index)
{
	struct profile_text *t = &p->now;
	struct str key;

	arena_release(&p->texts);
	buf_clear(&t->base64);
	t->entry.name = t->entry.service = STR("");
	t->entry.type = STORED_UNKNOWN;
	t->entry.start_ns = t->entry.duration_ns = 0;
	t->entry.label_count = 0;
	t->entry.page = index;
	t->has_time = false;
	if (!json_enter(p->r, JSON_OBJECT))
		return false;
	while (json_next_key(p->r, &key))
		if (!read_field(p, key) || p->err.code != ERROR_NONE)
			return false;
	if (json_failed(p->r))
		return false;
	p->page->profile_count++;
	if (!p->list)
		return page_reader_give(p);
	if (t->entry.name.len && t->entry.service.len && t->has_time)
		return profile_list_add(p->list, &t->entry, &p->err);
	p->page->nameless++;
	return true;
}

/* ---- the page ---- */

static bool read_profiles(struct page_reader *p, uint32_t index)
{
	if (!json_enter_if(p->r, JSON_ARRAY))
		return !json_failed(p->r);
	while (json_next_item(p->r))
		if (!read_profile(p, index))
			return false;
	return true;
}

static bool read_page(struct page_reader *p, uint32_t index)
{
	struct str key;
	struct buf *token = &p->page->next_token;
	bool is_ok = json_enter(p->r, JSON_OBJECT);

	while (is_ok && json_next_key(p->r, &key)) {
		if (str_equal(key, STR("profiles"))) {
			is_ok = read_profiles(p, index);
		} else if (str_equal(key, STR("skippedProfiles"))) {
			is_ok = json_i64(p->r, &p->page->skipped);
		} else if (!str_equal(key, STR("nextPageToken")) ||
			   json_peek(p->r) != JSON_STRING) {
			json_skip(p->r);
		} else {
			buf_clear(token);
			is_ok = json_string_long(p->r, token) &&
				buf_check(token, "the name of a page", &p->err);
		}
	}
	if (is_ok)
		json_expect_end(p->r, "answer");
	return is_ok && p->err.code == ERROR_NONE;
}

static bool page_reader_decode(struct page_reader *p, struct str bytes,
			       uint32_t index, struct error *err)
{
	bool is_ok;

	p->r = json_new(bytes, err);
	if (!p->r)
		return false;
	arena_init(&p->texts, LIMIT_CONTEXT_BYTES);
	buf_init(&p->now.base64, LIMIT_BODY_WIRE_BYTES);
	is_ok = read_page(p, index);
	/* After an error of our own the parser reports misuse. */
	if (p->err.code != ERROR_NONE)
		*err = p->err;
	else if (!json_check(p->r, err))
		is_ok = error_prefix(err, "damaged or cut-off " WHAT);
	arena_release(&p->texts);
	buf_release(&p->now.base64);
	json_free(p->r);
	return is_ok;
}

bool cloud_page_decode(struct str bytes, uint32_t index,
		       struct profile_list *list, struct cloud_page *page,
		       struct error *err)
{
	struct page_reader p = { .page = page, .list = list };

	return page_reader_decode(&p, bytes, index, err);
}

bool cloud_page_take(struct str bytes, const struct cloud_take *take,
		     struct cloud_page *page, struct error *err)
{
	struct page_reader p = { .page = page, .take = take };

	return page_reader_decode(&p, bytes, 0, err);
}
