/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON documents altered at one place after the other (altered.h).
 */
#include "../unit.h"
#include "altered_documents.h"

#include <jansson.h>

static const struct json_subject *now;
static json_t *document;
static struct told whole;

/* ---- one place ---- */

/* A value within the document, and how to put another there. */
struct place {
	json_t *parent; /* NULL: the document itself */
	const char *key;
	size_t index;
};

static json_t *place_value(const struct place *p)
{
	if (!p->parent)
		return document;
	return p->key ? json_object_get(p->parent, p->key)
		      : json_array_get(p->parent, p->index);
}

static void place_set(const struct place *p, json_t *owned_value)
{
	if (!p->parent) {
		json_decref(document);
		document = owned_value;
	} else if (p->key) {
		json_object_set_new(p->parent, p->key, owned_value);
	} else {
		json_array_set_new(p->parent, p->index, owned_value);
	}
}

/* "spans[]", "attributes" or the like. */
static const char *place_name(const struct place *p)
{
	return p->key ? p->key : "[]";
}

static char *document_text(void)
{
	char *text = json_dumps(document, JSON_COMPACT | JSON_ENCODE_ANY);

	assert_non_null(text);
	return text;
}

static void read_document(struct told *t)
{
	char *text = document_text();

	told_read(t, now->tell, str_from(text));
	free(text);
}

/* cmocka's own messages are cut to a line or two. */
static void fail_at(const struct place *p, const char *what,
		    const struct told *t, const struct told *expected)
{
	char *text = document_text();

	fprintf(stderr, "%s\n-- read:\n%.*s%s\n-- expected:\n%.*s%s\n", text,
		(int)t->text.len, t->text.data, t->err.message,
		(int)expected->text.len, expected->text.data,
		expected->err.message);
	fail_msg("%s, %s at %s", now->name, what, place_name(p));
}

static void expect_equal(const struct place *p, const char *what,
			 const struct told *expected)
{
	struct told t;

	read_document(&t);
	if (!told_equal(&t, expected))
		fail_at(p, what, &t, expected);
	told_release(&t);
}

/* ---- all places ---- */

typedef void (*alter)(const struct place *p);

static void each_place(json_t *value, alter call);

static void at_place(const struct place *p, alter call)
{
	each_place(place_value(p), call);
	call(p);
}

/* Documents of a test are as deep as they look. */
static void each_place(json_t *value, alter call)
{
	char *keys[64];
	const char *key;
	json_t *member;
	size_t count = 0;

	json_object_foreach(value, key, member)
	{
		assert_true(count < 64);
		keys[count] = strdup(key);
		assert_non_null(keys[count++]);
	}
	for (size_t i = 0; i < count; i++) {
		at_place(&(struct place){ value, keys[i], 0 }, call);
		free(keys[i]);
	}
	for (size_t i = 0; i < json_array_size(value); i++)
		at_place(&(struct place){ value, NULL, i }, call);
}

static void each_subject(alter call)
{
	for (now = json_subjects; now->name; now++) {
		const struct place top = { NULL, NULL, 0 };
		char *text = strdup(now->text);
		json_error_t why;

		assert_non_null(text);
		for (char *c = text; *c; c++)
			if (*c == '\'')
				*c = '"';
		document = json_loads(text, 0, &why);
		if (!document)
			fail_msg("%s: %s at %d", now->name, why.text,
				 why.position);
		told_read(&whole, now->tell, str_from(text));
		if (!whole.is_read)
			fail_msg("%s: %s", now->name, whole.err.message);
		each_place(document, call);
		call(&top);
		told_release(&whole);
		json_decref(document);
		free(text);
	}
}

/* ---- what must not matter ---- */

static json_t *unknown_value(void)
{
	return json_pack("[{s:[n,b,s]}]", "zz", 1, "zz");
}

/* What its members are called is data. */
static bool is_named_map(const struct place *p)
{
	static const char *const maps[] = {
		"processes",   "serviceStats", "labels",     "tags", "http",
		"request",     "response",     "aws",        "ecs",  "sql",
		"annotations", "metadata",     "default",    "own",  "meta",
		"metrics",     "args",         "attributes", "id2",
	};

	for (size_t i = 0; p->key && i < sizeof maps / sizeof *maps; i++)
		if (!strcmp(p->key, maps[i]))
			return true;
	return false;
}

/* In the front and at the end of every object. */
static void add_unknown(const struct place *p)
{
	json_t *object = json_incref(place_value(p));
	json_t *front = json_pack("{s:o}", "zz.unknown", unknown_value());

	if (json_is_object(object) && !is_named_map(p)) {
		json_object_set_new(object, "zz.unknown", unknown_value());
		expect_equal(p, "an unknown member behind", &whole);
		json_object_del(object, "zz.unknown");
		json_object_update(front, object);
		place_set(p, json_incref(front));
		expect_equal(p, "an unknown member in front", &whole);
		place_set(p, json_incref(object));
	}
	json_decref(front);
	json_decref(object);
}

static void test_unknown_members(void **state)
{
	(void)state;
	each_subject(add_unknown);
}

static json_t *reversed(json_t *object)
{
	json_t *result = json_object(), *member;
	const char *keys[64], *key;
	size_t count = 0;

	json_object_foreach(object, key, member)
	{
		assert_true(count < 64);
		keys[count++] = key;
	}
	while (count--)
		json_object_set(result, keys[count],
				json_object_get(object, keys[count]));
	return result;
}

static void reverse(const struct place *p)
{
	json_t *object = json_incref(place_value(p));

	if (json_is_object(object) && !now->is_exact && !is_named_map(p)) {
		place_set(p, reversed(object));
		expect_equal(p, "another order", &whole);
		place_set(p, json_incref(object));
	}
	json_decref(object);
}

/* Objects have no order. */
static void test_order_of_members(void **state)
{
	(void)state;
	each_subject(reverse);
}

/* Of values themselves, not of objects. */
static bool is_plain_item(const struct place *p)
{
	const json_t *value = place_value(p);

	return !p->key && !json_is_object(value) && !json_is_array(value);
}

static void drop_value(const struct place *p)
{
	if (p->key)
		json_object_del(p->parent, p->key);
	else
		json_array_remove(p->parent, p->index);
}

static json_t *empty_of(const json_t *value)
{
	if (json_is_object(value))
		return json_object();
	if (json_is_array(value))
		return json_array();
	if (json_is_string(value))
		return json_string("");
	return json_is_boolean(value) ? json_false() : json_integer(0);
}

static void put_back(const struct place *p, json_t *parent)
{
	json_object_clear(p->parent);
	json_array_clear(p->parent);
	json_object_update(p->parent, parent);
	json_array_extend(p->parent, parent);
}

/* null stands for nothing: as if the value were not there, or as if it were
 * empty. In a list it may be damage. */
static void forget(const struct place *p)
{
	json_t *parent = json_copy(p->parent);
	json_t *value = json_incref(place_value(p));
	struct told found, without, empty;

	if (parent && !is_plain_item(p) &&
	    !(now->is_exact && json_is_array(parent))) {
		drop_value(p);
		read_document(&without);
		put_back(p, parent);
		place_set(p, empty_of(value));
		read_document(&empty);
		place_set(p, json_null());
		read_document(&found);
		if (!told_equal(&found, &without) &&
		    !told_equal(&found, &empty) &&
		    ((p->key && !now->refuses_null) ||
		     found.err.code != ERROR_FORMAT))
			fail_at(p, "null", &found, &without);
		told_release(&found);
		told_release(&empty);
		told_release(&without);
		place_set(p, json_incref(value));
	}
	json_decref(value);
	json_decref(parent);
}

static void test_null_is_nothing(void **state)
{
	(void)state;
	each_subject(forget);
}

/* ---- what does damage ---- */

/* Details of a span are indented, and an attribute may become one. */
static size_t count_lines(const struct told *t)
{
	size_t count = 0;

	for (size_t i = 0; i < t->text.len; i++)
		count += t->text.data[i] != ' ' &&
			 (i == 0 || t->text.data[i - 1] == '\n');
	return count;
}

/* A value of another kind is refused or passed over; nothing comes of it
 * that was not there, but a span without its id is a trace of its own. */
static void expect_no_more(const struct place *p, json_t *owned_value)
{
	struct told t;

	place_set(p, owned_value);
	read_document(&t);
	if (t.is_read ? count_lines(&t) > count_lines(&whole) + 1
		      : t.err.code != ERROR_FORMAT &&
				t.err.code != ERROR_NOT_FOUND)
		fail_at(p, "another kind", &t, &whole);
	told_release(&t);
}

static void change_kind(const struct place *p)
{
	json_t *value = json_incref(place_value(p));

	expect_no_more(p, json_true());
	expect_no_more(p, json_false());
	expect_no_more(p, json_integer(5));
	expect_no_more(p, json_integer(-1));
	expect_no_more(p, json_real(1.5));
	expect_no_more(p, json_real(1e300));
	expect_no_more(p, json_string("zz"));
	expect_no_more(p, json_string(""));
	expect_no_more(p, json_array());
	expect_no_more(p, json_object());
	expect_no_more(p, json_pack("[{}]"));
	expect_no_more(p, json_pack("[n]"));
	expect_no_more(p, json_pack("{s:{}}", "zz"));
	place_set(p, json_incref(value));
	json_decref(value);
}

static void test_other_kinds(void **state)
{
	(void)state;
	each_subject(change_kind);
}

/* Ends in the middle, or goes on behind its end. */
static void cut(const struct place *p)
{
	char *text;

	if (p->parent)
		return;
	text = document_text();
	for (size_t len = 1; len < strlen(text); len++) {
		struct told t;

		told_read(&t, now->tell, (struct str){ text, len });
		if (t.is_read || t.err.code != ERROR_FORMAT)
			fail_msg("%s cut at %zu: %s", now->name, len,
				 t.err.message);
		told_release(&t);
	}
	free(text);
}

static void test_cuts(void **state)
{
	(void)state;
	each_subject(cut);
}

/* Another document behind: an answer has one, files may have many. */
static void follow(const struct place *p)
{
	struct told t;
	struct buf two;

	if (p->parent)
		return;
	buf_init(&two, MIB);
	for (int i = 0; i < 2; i++) {
		char *text = document_text();

		buf_add_text(&two, text);
		free(text);
	}
	told_read(&t, now->tell, buf_str(&two));
	if (!t.is_read && t.err.code != ERROR_FORMAT)
		fail_at(p, "the document again", &t, &whole);
	if (t.is_read && count_lines(&t) < count_lines(&whole))
		fail_at(p, "the document again", &t, &whole);
	told_release(&t);
	buf_release(&two);
}

static void test_two_documents(void **state)
{
	(void)state;
	each_subject(follow);
}

static void starve(const struct place *p)
{
	char *text;

	if (p->parent)
		return;
	text = document_text();
	expect_starving_told(now->name, now->tell, str_from(text));
	free(text);
}

static void test_every_allocation_may_fail(void **state)
{
	(void)state;
	each_subject(starve);
}

UNIT_TESTS(altered_json)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_members),
		cmocka_unit_test(test_order_of_members),
		cmocka_unit_test(test_null_is_nothing),
		cmocka_unit_test(test_other_kinds),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_two_documents),
		cmocka_unit_test(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
