/* SPDX-License-Identifier: Apache-2.0
 *
 * Protobuf messages altered at one field after the other (altered.h).
 *
 * They are written as text: the number of a field, then {message}, 'text',
 * #bytes in hex, =number, !number of 64 fixed bits, [packed numbers].
 */
#include "../unit.h"
#include "altered.h"

#include <limits.h>

#include "base/wirew.h"

#define ID "#00112233445566778899aabbccddeeff"
#define UNKNOWN_FIELD 999u

/* A KeyValue with a text. */
#define PAIR(key, text) "{1'" key "'2{1'" text "'}}"

#define OTLP_GROUP                                                                                                  \
	"{1{1" PAIR("service.name", "shop") "1" PAIR(                                                               \
		"host.name",                                                                                        \
		"h1") "}"                                                                                           \
		      "2{1{1'lib'}2{1" ID                                                                           \
		      " 2#00000000000000a1 5'GET /cart' 6=2 "                                                       \
		      "7!1700000000000000000 8!1700000000250000000 "                                                \
		      "9" PAIR(                                                                                     \
			      "http.route",                                                                         \
			      "/cart") "9{1'http.status_code'2{3=200}}9{1'app.flag'2{2=1}}"                         \
				       "9{1'app.share'2{4!4602678819172646912}}9{1'app.raw'2{7#000102}}"            \
				       "9{1'app.list'2{5{1{1'one'}1{3=2}1{5{1{2=0}}}}}}"                            \
				       "9{1'app.map'2{6{1{1'k'2{4!4608308318706860032}}}}}"                         \
				       "9{1'app.none'2{}}"                                                          \
				       "11{1!1700000000100000000 2'retry'3{1'n'2{3=3}}}"                            \
				       "13{1#ffeeddccbbaa99887766554433221100 2#00000000000000b7 "                  \
				       "4" PAIR(                                                                    \
					       "why",                                                               \
					       "batch") "}15{2'late'3=2}}"                                          \
							"2{1" ID                                                    \
							" 2#00000000000000a2 4'' 4#00000000000000a1 5'SELECT' 6=3 " \
							"7!1700000000010000000 8!1700000000200000000 15{3=1}}}}"

#define TEMPO_SEARCH                                                           \
	"1{1'00112233445566778899aabbccddeeff'2'shop'3'GET /cart'"             \
	"4=1700000000000000000 5=250 7{1{1'00000000000000a1'2'GET /cart'"      \
	"3=1700000000000000000 4=250000000 "                                   \
	"5" PAIR("service.name", "shop") "5" PAIR("kind", "server") "5" PAIR(  \
		"status",                                                      \
		"error") "5" PAIR("host.name",                                 \
				  "h1") "}2=1}8{1'shop'2{1=2 2=1}}}2{1=5}"

#define PPROF                                                                  \
	"1{1=1 2=2}1{1=3 2=4}2{1[2,1]2[1,10]3{1=5 2=6}}2{1[1]2[3,30]}"         \
	"3{1=1 2=4096 3=8192 5=7 7=1}4{1=1 2=1 3=4100 4{1=1 2=12}}"            \
	"4{1=2 2=1 3=4200 4{1=2 2=7}4{1=1 2=13}}5{1=1 2=8 3=8 4=9}"            \
	"5{1=2 2=10 4=9}6''6'samples'6'count'6'cpu'6'nanoseconds'6'key'"       \
	"6'value'6'/bin/app'6'main'6'a.c'6'work'9=1700000000000000000 "        \
	"10=5000000000 11{1=3 2=4}12=10 14=3"

/* Samples in three forms, of main and of work called by it. */
#define OTLP_PROFILES(sample, other, last)                                     \
	"1{2{2{1{1=1 2=2}2{1=1 " sample "}2{1=2 " other "}2{1=2 " last         \
	"}4=5000000000}}}"                                      \
	"2{1{}1{1=4096 2=8192 4=5}2{}2{1=1 2=4100 3{1=1 2=7 3=2}}2{3{1=2}}"    \
	"3{}3{1=6 2=6 3=7 4=5}3{1=8 2=8}4{}5''5'samples'5'count'5''"           \
	"5''5'/bin/app'5'main'5'a.c'5'work'5'key'6{}6{1=9 2{3=4}}"             \
	"7{}7{1[1]}7{1[2,1]}}"

#define FLAME_ROWS                                                             \
	"1{1'total'1'main'1'work'2{1[0,10,0,0]}2{1[0,8,3,1,0,2,2,2]}"          \
	"2{1=0 1=5 1=5 1=2}3=10 4=5}"

static const struct subject {
	const char *name;
	teller tell;
	const char *text;
	unsigned unread; /* messages that nobody looks into, beside one */
} subjects[] = {
	{ "OTLP", tell_otlp_pb, "1" OTLP_GROUP },
	{ "answer of Tempo", tell_tempo_pb,
	  "1{1" OTLP_GROUP "}3=1 4'too large'" },
	{ "search of Tempo", tell_tempo_pb_hits, TEMPO_SEARCH },
	{ "history of Tempo", tell_tempo_pb_history, TEMPO_SEARCH },
	{ "pprof", tell_pprof, PPROF },
	{ "pprof that drops frames", tell_pprof, PPROF " 7=10 8=8" },
	{ "pprof, numbers one by one", tell_pprof, PPROF " 2{1=2 2=1 2=2}" },
	{ "pprof by labels", tell_labelled, PPROF },
	{ "profile of OTLP", tell_otlp_profiles,
	  OTLP_PROFILES("2[1] 4[7]", "4[5]", "4=9"), 8 },
	{ "profile of OTLP before 1.10", tell_otlp_profiles,
	  OTLP_PROFILES("2[7] 3[1]", "2[5]", "2=9"), 8 },
	{ "flame graph of Pyroscope", tell_pyroscope, FLAME_ROWS },
	{ "tree of Pyroscope", tell_pyroscope,
	  "2#000001046d61696e030104776f726b0500" },
	{ "pprof of Pyroscope", tell_pyroscope, "5{1{" PPROF "}}" },
};

/* ---- messages out of text ---- */

/* What is done to the message or field of this number. */
struct edit {
	unsigned message; /* with `extra` in it */
	bool is_in_front;
	struct str extra;
	unsigned field; /* dropped, or of another type */
	bool is_retyped;
	uint32_t type; /* of the field then */
	/* out: */
	unsigned messages, fields;
	bool was_packed; /* the field holds packed numbers */
};

#define NO_EDIT                                                                \
	{                                                                      \
		.message = UINT_MAX, .field = UINT_MAX                         \
	}

static void put_fixed(struct buf *b, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		buf_add_char(b, (char)(i == 0));
}

/* A value of any type at all. */
static void put_of_type(struct buf *b, uint32_t field, uint32_t type)
{
	if (type == 0) {
		wirew_varint(b, field, 1);
	} else if (type == 2) {
		wirew_str(b, field, STR("w"));
	} else {
		wirew_element(b, field << 3 | type);
		put_fixed(b, type == 1 ? 8 : 4);
	}
}

static uint64_t take_number(const char **at)
{
	char *end;
	uint64_t number = strtoull(*at, &end, 10);

	assert_true(end > *at);
	*at = end;
	return number;
}

static void put_message(struct buf *b, const char **at, struct edit *e);

static void put_hex(struct buf *b, uint32_t field, const char **at)
{
	char bytes[64];
	size_t len = 0;

	for (; strspn(*at, "0123456789abcdef") >= 2; *at += 2) {
		char digits[3] = { (*at)[0], (*at)[1], '\0' };

		assert_true(len < sizeof bytes);
		bytes[len++] = (char)strtoul(digits, NULL, 16);
	}
	wirew_str(b, field, (struct str){ bytes, len });
}

static void put_packed(struct buf *b, uint32_t field, const char **at)
{
	size_t opened = wirew_open(b, field);

	while (**at != ']') {
		*at += **at == ',';
		wirew_element(b, take_number(at));
	}
	++*at;
	wirew_close(b, opened);
}

static void put_text(struct buf *b, uint32_t field, const char **at)
{
	size_t len = strcspn(*at, "'");

	wirew_str(b, field, (struct str){ *at, len });
	*at += len + 1;
}

static void put_value(struct buf *b, uint32_t field, char form, const char **at,
		      struct edit *e)
{
	size_t opened;
	uint64_t bits;

	switch (form) {
	case '{':
		opened = wirew_open(b, field);
		put_message(b, at, e);
		wirew_close(b, opened);
		break;
	case '\'':
		put_text(b, field, at);
		break;
	case '#':
		put_hex(b, field, at);
		break;
	case '=':
		wirew_varint(b, field, take_number(at));
		break;
	case '[':
		put_packed(b, field, at);
		break;
	default:
		assert_int_equal(form, '!');
		bits = take_number(at);
		wirew_element(b, field << 3 | 1);
		for (unsigned i = 0; i < 8; i++)
			buf_add_char(b, (char)(unsigned char)(bits >> 8 * i));
		break;
	}
}

static uint32_t type_of(char form)
{
	return form == '=' ? 0 : form == '!' ? 1 : 2;
}

static void put_field(struct buf *b, const char **at, struct edit *e)
{
	unsigned index = e->fields++;
	uint32_t field = (uint32_t)take_number(at);
	char form = *(*at)++;
	size_t before = b->len;

	put_value(b, field, form, at, e);
	if (index != e->field)
		return;
	/* Numbers may come packed or one by one. */
	e->was_packed = form == '[' || (e->is_retyped && e->type != 1 &&
					e->type != 5 && form == '=');
	b->len = before;
	if (e->is_retyped && e->type != type_of(form))
		put_of_type(b, field, e->type);
}

/* To its '}', which is taken, or the end of the text. */
static void put_message(struct buf *b, const char **at, struct edit *e)
{
	bool is_edited = e->messages++ == e->message;

	if (is_edited && e->is_in_front)
		buf_add_str(b, e->extra);
	while (**at == ' ' || (**at && **at != '}'))
		if (**at == ' ')
			++*at;
		else
			put_field(b, at, e);
	*at += **at == '}';
	if (is_edited && !e->is_in_front)
		buf_add_str(b, e->extra);
}

/* ---- all subjects ---- */

static const struct subject *now;
static struct told whole;

static void make(struct buf *b, struct edit *e)
{
	const char *at = now->text;

	buf_init(b, MIB);
	put_message(b, &at, e);
	assert_int_equal(b->state, BUF_OK);
}

static void read_edited(struct told *t, struct edit *e)
{
	struct buf b;

	make(&b, e);
	told_read(t, now->tell, buf_str(&b));
	buf_release(&b);
}

/* Hands the subject over, and how many messages and fields it has. */
static void each_subject(void (*call)(unsigned messages, unsigned fields))
{
	for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
		struct edit none = NO_EDIT;

		now = &subjects[i];
		read_edited(&whole, &none);
		if (!whole.is_read)
			fail_msg("%s: %s", now->name, whole.err.message);
		call(none.messages, none.fields);
		told_release(&whole);
	}
}

static void fail_with(const char *what, unsigned index, const struct told *t,
		      const struct told *expected)
{
	fprintf(stderr, "-- read:\n%.*s%s\n-- expected:\n%.*s%s\n",
		(int)t->text.len, t->text.data, t->err.message,
		(int)expected->text.len, expected->text.data,
		expected->err.message);
	fail_msg("%s, %s %u", now->name, what, index);
}

/* ---- what must not matter ---- */

static void expect_unknown(unsigned message, uint32_t type, bool is_in_front)
{
	struct edit e = NO_EDIT;
	struct told t;
	struct buf extra;

	buf_init(&extra, MIB);
	put_of_type(&extra, UNKNOWN_FIELD, type);
	e.message = message;
	e.extra = buf_str(&extra);
	e.is_in_front = is_in_front;
	read_edited(&t, &e);
	if (!told_equal(&t, &whole))
		fail_with("an unknown field in message", message, &t, &whole);
	told_release(&t);
	buf_release(&extra);
}

static const uint32_t types[] = { 0, 1, 2, 5 };

static void add_unknown(unsigned messages, unsigned fields)
{
	(void)fields;
	for (unsigned i = 0; i < messages; i++)
		for (size_t k = 0; k < 4; k++) {
			expect_unknown(i, types[k], true);
			expect_unknown(i, types[k], false);
		}
}

static void test_unknown_fields(void **state)
{
	(void)state;
	each_subject(add_unknown);
}

static void expect_as_dropped(unsigned field, uint32_t type,
			      const struct told *dropped)
{
	struct edit e = NO_EDIT;
	struct told t;

	e.field = field;
	e.is_retyped = true;
	e.type = type;
	read_edited(&t, &e);
	if (!e.was_packed && !told_equal(&t, dropped))
		fail_with("another type of field", field, &t, dropped);
	told_release(&t);
}

/* A field of another type than it should have is unknown: as if it were not
 * there. */
static void retype(unsigned messages, unsigned fields)
{
	(void)messages;
	for (unsigned i = 0; i < fields; i++) {
		struct edit e = NO_EDIT;
		struct told dropped;

		e.field = i;
		read_edited(&dropped, &e);
		for (size_t k = 0; k < 4; k++)
			expect_as_dropped(i, types[k], &dropped);
		told_release(&dropped);
	}
}

static void test_other_types(void **state)
{
	(void)state;
	each_subject(retype);
}

/* ---- what does damage ---- */

/* What no message may end with. */
static const struct str damages[] = {
	{ "\x80", 1 },     /* a tag that does not end */
	{ "\x08\x80", 2 }, /* a number that does not end */
	{ "\x07", 1 },     /* no such field */
	{ "\x0f", 1 },     /* no such type */
	{ "\x0a\x7f", 2 }, /* longer than what is left */
	{ "\x0d\x01", 2 }, /* half a number of 32 bits */
	{ "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 11 },
};

/* Messages that nobody looks into, such as the scope of spans, may hold
 * anything. */
static void damage_message(unsigned message, unsigned *refused)
{
	for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
		struct edit e = NO_EDIT;
		struct told t;

		e.message = message;
		e.extra = damages[i];
		read_edited(&t, &e);
		if (t.is_read ? !told_equal(&t, &whole)
			      : t.err.code != ERROR_FORMAT)
			fail_with("damage in message", message, &t, &whole);
		*refused += !t.is_read;
		told_release(&t);
	}
}

static void damage(unsigned messages, unsigned fields)
{
	unsigned refused = 0, unread = 0;

	(void)fields;
	for (unsigned i = 0; i < messages; i++) {
		unsigned before = refused;

		damage_message(i, &refused);
		unread += refused == before;
	}
	if (unread > now->unread + 1)
		fail_msg("%s: %u messages of %u may be damaged", now->name,
			 unread, messages);
}

static void test_damage(void **state)
{
	(void)state;
	each_subject(damage);
}

static void cut(unsigned messages, unsigned fields)
{
	struct edit none = NO_EDIT;
	struct buf b;

	(void)messages;
	(void)fields;
	make(&b, &none);
	for (size_t len = 0; len < b.len; len++) {
		struct told t;

		told_read(&t, now->tell, str_slice(buf_str(&b), 0, len));
		if (!t.is_read && t.err.code != ERROR_FORMAT &&
		    t.err.code != ERROR_NOT_FOUND)
			fail_with("cut at", (unsigned)len, &t, &whole);
		told_release(&t);
	}
	buf_release(&b);
}

static void test_cuts(void **state)
{
	(void)state;
	each_subject(cut);
}

static void starve(unsigned messages, unsigned fields)
{
	struct edit none = NO_EDIT;
	struct buf b;

	(void)messages;
	(void)fields;
	make(&b, &none);
	expect_starving_told(now->name, now->tell, buf_str(&b));
	buf_release(&b);
}

static void test_every_allocation_may_fail(void **state)
{
	(void)state;
	each_subject(starve);
}

UNIT_TESTS(altered_pb)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_fields),
		cmocka_unit_test(test_other_types),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
