/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "demangle/demangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "demangle/cpp.h"

static struct demangler *d;

static int set_up(void **state)
{
	(void)state;
	d = demangler_new();
	return d ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	demangler_free(d);
	return 0;
}

struct pair {
	const char *mangled;
	const char *name; /* NULL: it stays */
};

static void check(const struct pair *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct str name = str_from(pairs[i].mangled);
		struct str want = str_from(pairs[i].name ? pairs[i].name
							 : pairs[i].mangled);
		struct str is = demangle(d, name);

		if (!str_equal(is, want))
			fail_msg("%s: %.*s, not %.*s", pairs[i].mangled,
				 STR_ARGS(is), STR_ARGS(want));
	}
}

#define CHECK(pairs) check(pairs, sizeof(pairs) / sizeof *(pairs))

static void test_plain_names_stay(void **state)
{
	static const struct pair pairs[] = {
		{ "main", NULL },
		{ "", NULL },
		{ "_Z", NULL },
		{ "__libc_start_main", NULL },
		{ "std::vector<int>::push_back(int)", NULL },
		{ "runtime.mallocgc", NULL },
		{ "_start", NULL },
		{ "_Reader", NULL },
	};

	(void)state;
	CHECK(pairs);
	assert_false(is_mangled(STR("main")));
	assert_true(is_mangled(STR("_ZN1aE")));
	assert_true(is_mangled(STR("__RNvC1a1b")));
}

static void test_cpp_names(void **state)
{
	static const struct pair pairs[] = {
		{ "_Z3addii", "add" },
		{ "_ZN4shop4Cart3addEi", "shop::Cart::add" },
		{ "_ZNK4shop4Cart5totalEv", "shop::Cart::total" },
		{ "_ZN4shop4CartC2Ei", "shop::Cart::Cart" },
		{ "_ZN4shop4CartD0Ev", "shop::Cart::~Cart" },
		{ "_ZN4shop12_GLOBAL__N_13mixEm",
		  "shop::(anonymous namespace)::mix" },
		/* Substitutions: S_ is shop, S0_ shop::Cart. */
		{ "_ZN4shop4Cart3addERKS0_RKNS_5PriceE", "shop::Cart::add" },
		{ "_ZNSt6vectorIiSaIiEE9push_backERKi",
		  "std::vector::push_back" },
		{ "_ZNSsC1EPKcRKSaIcE", "std::basic_string::basic_string" },
		{ "_ZNSs6appendEPKc", "std::string::append" },
		{ "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
		  "std::operator<<" },
		{ "_ZNK5PriceltERKS_", "Price::operator<" },
		{ "_Znwm", "operator new" },
		{ "_ZN1aclEv", "a::operator()" },
		{ "_Zli3_kmy", "operator\"\" _km" },
		{ "_ZN1fB5cxx11Ev", "f[abi:cxx11]" },
		{ "_ZL6hiddenv", "hidden" },
		{ "__ZN4shop4Cart3addEi", "shop::Cart::add" },
	};

	(void)state;
	CHECK(pairs);
}

static void test_cpp_conversions(void **state)
{
	static const struct pair pairs[] = {
		{ "_ZNK5PricecvbEv", "Price::operator bool" },
		{ "_ZNK5PricecvNSt7__cxx1112basic_stringIcSt11char_traitsIc"
		  "ESaIcEEEEv",
		  "Price::operator std::__cxx11::basic_string" },
		{ "_ZN1acvPKcEv", "a::operator char const*" },
		{ "_ZN1acvPFviEEv", "a::operator void (*)(int)" },
		{ "_ZN1acvRA3_iEv", "a::operator int (&) [3]" },
		{ "_ZN1acvM1bFiiEEv", "a::operator int (b::*)(int)" },
		/* The argument behind the conversion is its type. */
		{ "_ZN1acvT_IiEEv", "a::operator int" },
		{ "_ZN1acvT_IJiEEEv", "a::operator int" },
		/* There is none. */
		{ "_ZN1acvT_Ev", NULL },
	};

	(void)state;
	CHECK(pairs);
}

static void test_cpp_local_names(void **state)
{
	static const struct pair pairs[] = {
		{ "_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()" },
		{ "_ZZN4shop4CartC4EiENKUliE_clEi",
		  "shop::Cart::Cart()::{lambda(int)#1}::operator()" },
		{ "_ZZNK1a1fEvENKUlRKSsE0_clES0_",
		  "a::f() const::{lambda(std::string const&)#2}::operator()" },
		{ "_ZZ1fvENKUlT_E_clIiEEDaS_",
		  "f()::{lambda(auto:1)#1}::operator()" },
		{ "_ZZN1aclEiENKUlvE_clEv",
		  "a::operator()()::{lambda()#1}::operator()" },
		/* Tn, Ty: names that a lambda's parameters may have. */
		{ "_ZZ1fIJEEvDpT_E1n", "f()::n" },
		{ "_ZZ1fvE1n_0", "f()::n" },
		{ "_ZZ1fiEd_NKUlvE_clEv",
		  "f()::{default arg#1}::{lambda()#1}::operator()" },
		{ "_ZN1aUt_1fEv", "a::{unnamed type#1}::f" },
	};

	(void)state;
	CHECK(pairs);
}

static void test_cpp_special_names(void **state)
{
	static const struct pair pairs[] = {
		{ "_ZThn16_N1a1fEiPKc",
		  "non-virtual thunk to a::f(int, char const*)" },
		{ "_ZTv0_n24_NK1a1fEv", "virtual thunk to a::f() const" },
		{ "_ZTch0_h8_N1a1fEv", "covariant return thunk to a::f()" },
		{ "_ZTV1a", "vtable for a" },
		{ "_ZGVZ1fvE1n", "guard variable for f()::n" },
		{ "_ZTX1a", NULL },
	};

	(void)state;
	CHECK(pairs);
}

/* Template arguments hold whole expressions; what follows counts. */
static void test_cpp_expressions(void **state)
{
	static const struct pair pairs[] = {
		{ "_ZN1aILi5EE1bILb1ELPKc0EE1cE", "a::b::c" },
		{ "_ZN1aIXadL_Z1fvEEE1bEv", "a::b" },
		{ "_ZN1aIXsr3std7is_sameIiiEE5valueEE1bEv", "a::b" },
		{ "_ZN1aIXplLi1EmiLi2ELi3EEE1bEv", "a::b" },
		{ "_ZN1aIXclL_Z1fvEEEE1bEv", "a::b" },
		{ "_ZN1aIDTcl3fooLi1EEEE1bEv", "a::b" },
		{ "_ZN1aIXnw_iEEE1bEv", "a::b" },
		{ "_ZN1aIXtliLi1ELi2EEEE1bEv", "a::b" },
		{ "_ZN1aIXrsLi8ELi2EEE1bEv", "a::b" },
		{ "_ZN1aIXgtLi8ELi2EEE1bEv", "a::b" },
		{ "_ZN1aIXsZT_EE1bEv", NULL },
		{ "_ZN1aIX??EE1bEv", NULL },
	};

	(void)state;
	CHECK(pairs);
}

static void test_cpp_malformed(void **state)
{
	static const struct pair pairs[] = {
		{ "_ZN4shop", NULL },   { "_ZN9999shopE", NULL },
		{ "_ZN4shopC", NULL },  { "_ZNC1Ev", NULL },
		{ "_ZN1aS9_Ev", NULL }, { "_ZNE", NULL },
		{ "_ZN1aIiE", NULL },   { "_ZIiE", NULL },
		{ "_ZZ1fE", NULL },     { "_ZN99999999999E", NULL },
	};

	(void)state;
	CHECK(pairs);
}

static void test_rust_legacy(void **state)
{
	static const struct pair pairs[] = {
		{ "_ZN4core3fmt5write17h0123456789abcdefE",
		  "core::fmt::write" },
		{ "_ZN4core3fmt5write17h0123456789abcdefE.llvm.123",
		  "core::fmt::write" },
		{ "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo.."
		  "Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
		  "<Test + 'static as foo::Bar<Test>>::bar" },
		{ "_ZN3foo17h05af221e174051e9E", "foo" },
		/* No hash: the name is of C++. */
		{ "_ZN3foo17h0000000000000000E", "foo::h0000000000000000" },
		{ "_ZN3foo17h05af221e174051exE", "foo::h05af221e174051ex" },
	};

	(void)state;
	CHECK(pairs);
}

static void test_rust_v0(void **state)
{
	static const struct pair pairs[] = {
		{ "_RNvC6mycrate3foo", NULL }, /* six of seven letters */
		{ "_RNvC7mycrate3foo", "mycrate::foo" },
		{ "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
		{ "_RNvNtC7mycrate3foo3bar.llvm.99", "mycrate::foo::bar" },
		{ "_RNCNvC7mycrate4main0", "mycrate::main::{closure#0}" },
		{ "_RNCNCNvC7mycrate4mains_00",
		  "mycrate::main::{closure#1}::{closure#0}" },
		/* No number begins with a zero, so these are two. */
		{ "_RNCNCNvC7mycrate4main00",
		  "mycrate::main::{closure#0}::{closure#0}" },
		{ "_RINvC7mycrate3fooiE", "mycrate::foo::<>" },
		{ "_RNvMC7mycrateNtB2_3Foo3bar", "<mycrate::Foo>::bar" },
		{ "_RNvXC7mycrateNtB2_3FooNtB2_3Bar3baz",
		  "<mycrate::Foo as mycrate::Bar>::baz" },
		{ "_RNvYReNtC7mycrate3Bar3baz", "<&str as mycrate::Bar>::baz" },
		{ "_RNvYTlmENtC1c1t1f", "<(i32, u32) as c::t>::f" },
		{ "_RNvYTlENtC1c1t1f", "<(i32,) as c::t>::f" },
		{ "_RNvYAhj8_NtC1c1t1f", "<[u8; 8] as c::t>::f" },
		{ "_RNvYShNtC1c1t1f", "<[u8] as c::t>::f" },
		{ "_RNvYFUKChEmNtC1c1t1f",
		  "<unsafe extern \"C\" fn(u8) -> u32 as c::t>::f" },
		{ "_RNvYDNtC1c1tEL_NtC1c1t1f", "<dyn c::t as c::t>::f" },
		{ "_RNvYDINtC1c1tuEp1olEL_NtC1c1t1f",
		  "<dyn c::t<, o = i32> as c::t>::f" },
		{ "_RNvYPOhNtC1c1t1f", "<*const *mut u8 as c::t>::f" },
		{ "_RNvB_", NULL },
		{ "_R0NvC1c1f", NULL },
		{ "_RNvC1c1fX", NULL },
	};

	(void)state;
	CHECK(pairs);
}

/* ---- limits ---- */

static void test_longest_name(void **state)
{
	static char text[LIMIT_MANGLED_BYTES + 2];
	struct str name = { text, 0 };

	(void)state;
	memset(text, 'i', sizeof text);
	memcpy(text, "_Z3add", 6);
	name.len = LIMIT_MANGLED_BYTES;
	assert_true(str_equal(demangle(d, name), STR("add")));
	name.len++;
	assert_int_equal(demangle(d, name).len, name.len);
}

static void test_longest_cpp_name(void **state)
{
	static char text[LIMIT_CPP_BYTES + 2];
	struct str name = { text, 0 };

	(void)state;
	memset(text, 'i', sizeof text);
	memcpy(text, "_Z1018i", 7);
	assert_int_equal(LIMIT_CPP_BYTES, 1024);
	name.len = 6 + 1018;
	assert_int_equal(demangle(d, name).len, 1018);
	memcpy(text, "_Z1019i", 7);
	name.len++;
	assert_int_equal(demangle(d, name).len, name.len);
}

/* Pointers to pointers. */
static void test_deepest_type(void **state)
{
	static char text[512];

	(void)state;
	for (unsigned extra = 0; extra < 2; extra++) {
		/* The name, its argument, the type itself. */
		unsigned depth = LIMIT_MANGLED_DEPTH - 3 + extra;
		size_t len = 0;
		struct str name = { text, 0 };

		memcpy(text, "_ZN1aIPPP", 6);
		len = 6;
		memset(text + len, 'P', depth);
		len += depth;
		memcpy(text + len, "iE1bEv", 6);
		name.len = len + 6;
		if (extra)
			assert_int_equal(demangle(d, name).len, name.len);
		else
			assert_true(str_equal(demangle(d, name), STR("a::b")));
	}
}

/* Each tuple is twice the one before it. */
static void test_endless_output(void **state)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct buf b;
	size_t last = 2, at;

	(void)state;
	buf_init(&b, KIB);
	buf_add_text(&b, "_RNvYTTuuE");
	for (unsigned i = 0; i < 12; i++) {
		at = b.len - 2;
		buf_addf(&b, "TB%c_B%c_E", digits[last - 1], digits[last - 1]);
		last = at;
		if (last > 60)
			break;
	}
	while (b.len < 900) {
		at = b.len - 2;
		buf_addf(&b, "TB%c%c_B%c%c_E", digits[(last - 1) / 62],
			 digits[(last - 1) % 62], digits[(last - 1) / 62],
			 digits[(last - 1) % 62]);
		last = at;
	}
	buf_add_text(&b, "ENtC1c1t1f");
	assert_int_equal(b.state, BUF_OK);
	assert_int_equal(demangle(d, buf_str(&b)).len, b.len);
	buf_release(&b);
}

/* "<(c::x, c::x)>::f", in which the second x refers to the first. */
static void add_twice(struct buf *b, unsigned len, const char *method)
{
	buf_clear(b);
	buf_addf(b, "_RNvMC1aTNtC1c%u", len);
	while (len--)
		buf_add_char(b, 'x');
	buf_addf(b, "B6_E%zu%s", strlen(method), method);
	assert_int_equal(b->state, BUF_OK);
}

static void test_longest_output(void **state)
{
	const unsigned len = (LIMIT_DEMANGLED_BYTES - 16) / 2;
	struct buf b;

	(void)state;
	buf_init(&b, LIMIT_MANGLED_BYTES);
	add_twice(&b, len, "ff");
	assert_int_equal(demangle(d, buf_str(&b)).len, LIMIT_DEMANGLED_BYTES);
	assert_true(demangle(d, buf_str(&b)).ptr != b.data);
	add_twice(&b, len, "fff");
	assert_true(demangle(d, buf_str(&b)).ptr == b.data);
	buf_release(&b);
}

static void test_work_of_all_names(void **state)
{
	struct demangler *other = demangler_new();
	struct str name = STR("_ZN1a1bEv");

	(void)state;
	assert_non_null(other);
	demangler_limit_work(other, 60);
	/* Nine bytes, four more, and some steps. */
	assert_true(str_equal(demangle(other, name), STR("a::b")));
	while (!str_equal(demangle(other, name), name))
		assert_false(demangler_is_exhausted(other));
	assert_true(demangler_is_exhausted(other));
	assert_true(demangle(other, STR("main")).len == 4);
	demangler_free(other);
}

/* ---- work that the length of a name does not tell ---- */

static void check_stays(struct buf *name)
{
	assert_int_equal(name->state, BUF_OK);
	assert_true(demangle(d, buf_str(name)).ptr == name->data);
	buf_clear(name);
}

static void add_times(struct buf *b, const char *text, unsigned times)
{
	while (times--)
		buf_add_text(b, text);
}

/* "S_", "S0_", "S10_". */
static void add_substitution(struct buf *b, unsigned index)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	buf_add_char(b, 'S');
	if (index > 36)
		buf_add_char(b, digits[(index - 1) / 36]);
	if (index)
		buf_add_char(b, digits[(index - 1) % 36]);
	buf_add_char(b, '_');
}

/* A reference to one, to that, and so on: each is looked through to its end. */
static void add_references(struct buf *b, unsigned count)
{
	buf_add_text(b, "_ZZ1fvENKUlR1a");
	for (unsigned i = 1; i < count; i++) {
		buf_add_char(b, 'R');
		add_substitution(b, i);
	}
	buf_add_text(b, "E_clEv");
}

/* Each argument of a pack is looked for from its beginning. */
static void add_pack(struct buf *b, unsigned count)
{
	buf_add_text(b, "_ZN1acvPFvDpT_EIJ");
	add_times(b, "i", count);
	buf_add_text(b, "EEEv");
}

static void test_references_to_references(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, LIMIT_MANGLED_BYTES);
	add_references(&b, 2);
	assert_true(str_equal(demangle(d, buf_str(&b)),
			      STR("f()::{lambda(a&, a&)#1}::operator()")));
	buf_clear(&b);
	add_references(&b, 1000);
	check_stays(&b);
	add_pack(&b, 2);
	assert_true(str_equal(demangle(d, buf_str(&b)),
			      STR("a::operator void (*)(int, int)")));
	buf_release(&b);
}

/* p<p<int, int>, p<int, int> > and so on: twice the types a level, and five
 * bytes; p is substitution `first`. */
static void add_doubled(struct buf *b, unsigned first, unsigned levels)
{
	buf_add_text(b, "1pI");
	for (unsigned i = 1; i < levels; i++) {
		add_substitution(b, first);
		buf_add_char(b, 'I');
	}
	buf_add_text(b, "iiE");
	for (unsigned i = 1; i < levels; i++) {
		add_substitution(b, first + i);
		buf_add_char(b, 'E');
	}
}

/* As what an expansion in a lambda's parameters expands. */
static void add_doubled_pack(struct buf *b, unsigned levels)
{
	buf_add_text(b, "_ZZ1fvENKUlDp");
	add_doubled(b, 0, levels);
	buf_add_text(b, "E_clEv");
}

static void add_doubled_argument(struct buf *b, unsigned levels)
{
	buf_add_text(b, "_Z1fIDp");
	add_doubled(b, 1, levels);
	buf_add_text(b, "Evv");
}

/* Functions that take the one before twice. */
static void add_doubled_function(struct buf *b, unsigned levels)
{
	buf_add_text(b, "_ZZ1fvENKUl");
	add_times(b, "Fi", levels);
	buf_add_text(b, "iE");
	for (unsigned i = 1; i < levels; i++) {
		add_substitution(b, i - 1);
		buf_add_char(b, 'E');
	}
	buf_add_text(b, "E_clEv");
}

/* How much the name unfolds into, at most; UINT64_MAX: too much. */
static uint64_t unfolded(const struct buf *name)
{
	struct cpp_bound bound;

	return cpp_bound(buf_str(name), &bound) ? bound.bytes : UINT64_MAX;
}

/* Names that grow by a level until they are too much. */
static void check_levels(void (*add)(struct buf *b, unsigned levels))
{
	uint64_t last = 0, bytes;
	struct buf b;

	buf_init(&b, LIMIT_MANGLED_BYTES);
	for (unsigned levels = 2; levels < 40; levels++) {
		buf_clear(&b);
		add(&b, levels);
		bytes = unfolded(&b);
		if (bytes == UINT64_MAX)
			break;
		/* Twice as much a level: there is one close to the limit. */
		assert_true(bytes <= LIMIT_UNFOLDED_BYTES && bytes > last);
		last = bytes;
	}
	assert_true(last > LIMIT_UNFOLDED_BYTES / 4);
	check_stays(&b);
	buf_release(&b);
}

static void test_exponential_cpp(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, LIMIT_MANGLED_BYTES);
	add_doubled_pack(&b, 3);
	assert_true(str_equal(demangle(d, buf_str(&b)),
			      STR("f()::{lambda((p)...)#1}::operator()")));
	buf_clear(&b);
	add_doubled_argument(&b, 3);
	assert_true(str_equal(demangle(d, buf_str(&b)), STR("f")));
	buf_clear(&b);
	add_doubled_function(&b, 2);
	assert_true(str_equal(demangle(d, buf_str(&b)),
			      STR("f()::{lambda(int (int (int), int (int)))#1}"
				  "::operator()")));
	buf_release(&b);
	check_levels(add_doubled_pack);
	check_levels(add_doubled_argument);
	check_levels(add_doubled_function);
}

/* What a conversion's parameter means stands behind it; one such may mean
 * another. */
static void test_parameters_before_arguments(void **state)
{
	static const struct pair pairs[] = {
		{ "_ZN1acvPT_IiEEv", "a::operator int*" },
		{ "_ZZN1acvT_IiEEvE1x", NULL },
		{ "_ZN1acvT_IiE1ccvT_IiEEv", NULL },
	};

	(void)state;
	CHECK(pairs);
}

/* What the runtime prints, without it. */
static void test_shortening(void **state)
{
	static const struct pair pairs[] = {
		{ "a<int>::b<c<d>, (1)>>(2)>", "a::b" },
		{ "a<((1)>(2))>::b", "a::b" },
		/* An end, twice, behind an empty pack. */
		{ "a<b<c>>::d", "a::d" },
		{ "a<&(b::operator<)>::c", "a::c" },
		{ "a<decltype (b->c)>::d", "a::d" },
		{ "a::operator<< <int>", "a::operator<<" },
		{ "a::operator-><int>", "a::operator->" },
		{ "a::operator<=>", "a::operator<=>" },
		{ "a::operator()<int>", "a::operator()" },
		{ "my_operator<int>", "my_operator" },
		{ "a::operator b<int> (*)(int)", "a::operator b (*)(int)" },
		{ "a<int>::f(b<int>) const::{lambda(c<int>)#1}::operator()",
		  "a::f() const::{lambda(c)#1}::operator()" },
		{ "(anonymous namespace)::f(int)::x",
		  "(anonymous namespace)::f()::x" },
		{ "virtual thunk to a<int>::f(b<int>)",
		  "virtual thunk to a::f(b)" },
		{ "a<int", NULL },
		{ "a<(b>", NULL },
		{ "a<b)>", NULL },
	};
	struct buf b;

	(void)state;
	buf_init(&b, LIMIT_DEMANGLED_BYTES);
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		bool is_whole = cpp_shorten(str_from(pairs[i].mangled), &b);

		assert_int_equal(is_whole, pairs[i].name != NULL);
		if (pairs[i].name)
			assert_string_equal(buf_text(&b), pairs[i].name);
		buf_clear(&b);
	}
	buf_release(&b);
}

/* Lifetimes in a part that is not shown, in numbers of few digits. */
static void test_lifetimes_in_silence(void **state)
{
	static const struct pair pairs[] = {
		{ "_RNvMINvC1a1bFG_EuEu1f", "<()>::f" },
		{ "_RNvMINvC1a1bFGzzzzzz_EuEu1f", NULL },
		{ "_RNvMINvC1a1bFGzzzzzzzzzz_EuEu1f", NULL },
	};

	(void)state;
	CHECK(pairs);
}

static void add_long_name(struct buf *b, unsigned len, unsigned references)
{
	buf_addf(b, "_RNvMC1aTINtC1a1bNtC1c%u", len);
	add_times(b, "x", len);
	buf_add_text(b, "E");
	add_times(b, "B6_", references);
	buf_add_text(b, "E1f");
}

/* A thousand lifetimes, bound again and again. */
static void add_lifetimes(struct buf *b, unsigned times)
{
	buf_add_text(b, "_RINvC1a1b");
	add_times(b, "FGg6_Eu", times);
	add_times(b, "h", 1000);
	buf_add_text(b, "E");
}

static void test_quadratic_rust(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, LIMIT_MANGLED_BYTES);
	/* What is referred to is read once more, shown or not. */
	add_long_name(&b, 8000, 2);
	assert_true(str_equal(demangle(d, buf_str(&b)),
			      STR("<(a::b<>, a::b<>, a::b<>)>::f")));
	buf_clear(&b);
	add_long_name(&b, 8000, 100);
	check_stays(&b);
	add_lifetimes(&b, 20);
	assert_true(str_equal(demangle(d, buf_str(&b)), STR("a::b::<>")));
	buf_clear(&b);
	add_lifetimes(&b, 1000);
	check_stays(&b);
	buf_release(&b);
}

UNIT_TESTS(demangle)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_names_stay),
		cmocka_unit_test(test_cpp_names),
		cmocka_unit_test(test_cpp_conversions),
		cmocka_unit_test(test_cpp_local_names),
		cmocka_unit_test(test_cpp_special_names),
		cmocka_unit_test(test_cpp_expressions),
		cmocka_unit_test(test_cpp_malformed),
		cmocka_unit_test(test_rust_legacy),
		cmocka_unit_test(test_rust_v0),
		cmocka_unit_test(test_longest_name),
		cmocka_unit_test(test_longest_cpp_name),
		cmocka_unit_test(test_deepest_type),
		cmocka_unit_test(test_endless_output),
		cmocka_unit_test(test_longest_output),
		cmocka_unit_test(test_work_of_all_names),
		cmocka_unit_test(test_references_to_references),
		cmocka_unit_test(test_parameters_before_arguments),
		cmocka_unit_test(test_shortening),
		cmocka_unit_test(test_exponential_cpp),
		cmocka_unit_test(test_lifetimes_in_silence),
		cmocka_unit_test(test_quadratic_rust),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
