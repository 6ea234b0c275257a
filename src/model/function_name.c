/* SPDX-License-Identifier: Apache-2.0 */
#include "model/function_name.h"

#include <limits.h>
#include <string.h>

#include "base/num.h"
#include "model/source_path.h"

/* ---- marks of how code ran ---- */

/* Suffixes in .NET's perf maps (DOTNET_PerfMapEnabled=1), after the
 * parameters. */
static const char *const dotnet_tiers[] = {
	"PreJIT",
	"QuickJitted",
	"Optimized",
	"OptimizedTier1",
	"OptimizedTier0",
	"OptimizedTier1OSR",
	"Tier0",
	"Tier1",
	"InstrumentedTier0",
	"InstrumentedTier1",
	"Instrumented",
	"InstrumentedTier0Optimized",
	"MinOptJitted",
};

/* Prefixes of V8 with perf (node --perf-basic-prof), before the mark. Functions
 * compiled on their first call have "LazyCompile:", others of that version
 * "Function:", and "JS:" from V8 10 on. */
static const struct {
	struct str front;
	struct str shown;
} v8_fronts[] = {
	{ { "JS:", 3 }, { "JS:", 3 } },
	{ { "LazyCompile:", 12 }, { "JS:", 3 } },
	{ { "Function:", 9 }, { "JS:", 3 } },
	{ { "Script:", 7 }, { "Script:", 7 } },
	{ { "Eval:", 5 }, { "Eval:", 5 } },
};

struct name_pieces function_name_unmarked(struct str name)
{
	/* async-profiler and perf-map-agent: compiled, inlined, interpreted, by
	 * the first compiler. "_[k]" is kept, since kernel functions always
	 * have it. */
	static const char java_marks[] = "ji01";

	if (name.len && name.ptr[name.len - 1] == ']') {
		struct str tier;
		size_t at;

		if (name.len > 4 && name.ptr[name.len - 3] == '[' &&
		    name.ptr[name.len - 4] == '_' &&
		    memchr(java_marks, name.ptr[name.len - 2],
			   sizeof java_marks - 1))
			name.len -= 4;
		/* "int32 [shop] Price::Calc(int32)[Tier0]". */
		tier = str_slice(name, str_behind_last(name, '['), name.len);
		at = name.len - tier.len;
		tier.len--;
		if (at > 1 && name.ptr[at - 2] == ')' &&
		    str_is_one_of(tier, dotnet_tiers, COUNT_OF(dotnet_tiers)))
			name.len = at - 1;
		return (struct name_pieces){ .rest = name };
	}
	for (size_t i = 0; name.len && i < COUNT_OF(v8_fronts); i++) {
		struct str front = v8_fronts[i].front, rest;
		size_t marks;

		if (*name.ptr != *front.ptr || !str_starts(name, front))
			continue;
		rest = str_slice(name, front.len, name.len);
		/* Interpreted, or compiled by Sparkplug, Maglev or TurboFan; '
		 * for context-specialized code. */
		marks = rest.len && memchr("~^+*", rest.ptr[0], 4);
		if (marks && rest.len > 1 && rest.ptr[1] == '\'')
			marks++;
		rest = str_slice(rest, marks, rest.len);
		/* In these names the file follows after a space. */
		if (str_until(rest, 0, ' ') < rest.len)
			return (struct name_pieces){ v8_fronts[i].shown, rest };
	}
	return (struct name_pieces){ .rest = name };
}

/* ---- unstable numbers ---- */

/* Minimum hex digits of a process address "0x..."; offsets in a module, such as
 * "[app+0x1f3a]", are shorter and distinguish functions. */
#define ADDRESS_DIGITS 8

/* Limit for the search for the end of type arguments, so that names full of
 * opening brackets do not take quadratic time. */
#define SHAPE_MAX_BYTES 1024

/* Length of the hash that rustc appends: "::h" and 16 hex digits. */
#define RUST_HASH_DIGITS 16

static bool is_identifier(char c)
{
	return ascii_is_alnum(c) || c == '_' || (unsigned char)c >= 0x80;
}

static size_t count_while(struct str s, size_t at, bool (*is)(char))
{
	size_t end = at;

	while (end < s.len && is(s.ptr[end]))
		end++;
	return end - at;
}

static struct str strip_digits(struct str s)
{
	while (s.len && ascii_is_digit(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

/* Strips the numbers of parts that GCC and LLVM split functions into. All marks
 * end with a dot. */
static struct str strip_clone(struct str s)
{
	static const char *const marks[] = { ".isra.", ".constprop.",
					     ".part.", ".cold.",
					     ".llvm.", ".lto_priv." };
	struct str bare = strip_digits(s);

	if (str_ends(s, STR(".cold")))
		return str_slice(s, 0, s.len - 5);
	if (bare.len == s.len || !bare.len || bare.ptr[bare.len - 1] != '.')
		return s;
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (str_ends(bare, str_from(marks[i])))
			return str_slice(s, 0,
					 bare.len - str_from(marks[i]).len);
	return s;
}

/* Strips "::h0123456789abcdef", or mangled "17h0123456789abcdefE". */
static struct str strip_rust_hash(struct str s)
{
	struct str whole = s;
	size_t start;

	if (str_starts(s, STR("_ZN")) && str_ends(s, STR("E")))
		s.len--;
	start = s.len - RUST_HASH_DIGITS;

	if (s.len <= RUST_HASH_DIGITS + 3 ||
	    count_while(s, start, ascii_is_hex) < RUST_HASH_DIGITS ||
	    !str_equal(str_slice(s, start - 3, 3),
		       s.len < whole.len ? STR("17h") : STR("::h")))
		return whole;
	return str_slice(s, 0, start - 3);
}

/* Returns the length of a mark after which the JVM, Spring and others put a
 * number or a hash. */
static size_t generated_prefix(struct str rest)
{
	static const char *const marks[] = {
		"$$Lambda",
		"$Proxy",
		"GeneratedMethodAccessor",
		"GeneratedConstructorAccessor",
		"GeneratedSerializationConstructorAccessor",
		"$$SpringCGLIB$$",
		"$$EnhancerBySpringCGLIB$$",
		"$$FastClassBySpringCGLIB$$",
		"$HibernateProxy$",
	};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (str_starts(rest, str_from(marks[i])))
			return str_from(marks[i]).len;
	return 0;
}

static bool is_number_part(char c)
{
	return ascii_is_hex(c) || c == '$' || c == '/' || c == '+' || c == 'x';
}

/* Replacement for a generated part, and the length of that part. */
struct generated {
	struct str text;
	size_t len; /* 0: nothing generated here */
	/* Distinguishes functions within a build: part of the exact key. */
	bool tells_apart;
};

/* Shapes of type arguments in Go: binaries have "[go.shape.int]" or
 * "[go.shape.int_0]" depending on the version; Go's profiler writes "[...]". */
static struct generated go_shape(struct str s, size_t at)
{
	size_t depth = 0, end = at;

	if (!str_starts(str_slice(s, at, s.len), STR("[go.shape.")))
		return (struct generated){ 0 };
	do {
		depth += s.ptr[end] == '[';
		depth -= s.ptr[end] == ']';
		end++;
	} while (depth && end < s.len && end - at < SHAPE_MAX_BYTES);
	return (struct generated){ STR("[...]"), depth ? 0 : end - at };
}

/* Numbers of the C# compiler, which counts methods of a class with lambdas,
 * iterators and async methods: "<>c__DisplayClass5_0", "<Place>d__12",
 * "<Place>b__5_0". The lambda's number within its method is kept. */
static struct generated csharp_number(struct str s, size_t at)
{
	static const struct {
		const char *mark;
		/* A second number, which distinguishes lambdas. */
		bool has_lambda;
	} marks[] = {
		{ ">c__DisplayClass", false },
		{ ">d__", false },
		{ ">b__", true },
	};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		struct str mark = str_from(marks[i].mark);
		size_t end = at + mark.len, digits;

		if (!str_starts(str_slice(s, at, s.len), mark))
			continue;
		digits = count_while(s, end, ascii_is_digit);
		if (end + digits < s.len && s.ptr[end + digits] == '_')
			digits++;
		else if (marks[i].has_lambda)
			digits = 0;
		if (!marks[i].has_lambda)
			digits += count_while(s, end + digits, ascii_is_digit);
		if (digits)
			return (struct generated){ mark, mark.len + digits };
	}
	return (struct generated){ 0 };
}

/* "<Place>g__Check|5_0": a local function of Place, by name. */
static struct generated csharp_local(struct str s, size_t at)
{
	size_t digits = count_while(s, at + 1, ascii_is_digit);
	size_t end = at + 1 + digits;

	if (!digits || end >= s.len || s.ptr[end] != '_')
		return (struct generated){ 0 };
	digits = count_while(s, end + 1, ascii_is_digit);
	return (struct generated){ STR("|"),
				   digits ? end + 1 + digits - at : 0 };
}

/* "lambda$place$7": javac numbers the lambdas of a class, so that an additional
 * one renumbers those after it. */
static struct generated java_lambda(struct str s, size_t at)
{
	struct str mark = STR("lambda$");
	size_t end = at + mark.len, digits;

	if (!str_starts(str_slice(s, at, s.len), mark))
		return (struct generated){ 0 };
	while (end < s.len && is_identifier(s.ptr[end]))
		end++;
	digits = count_while(s, end + 1, ascii_is_digit);
	if (end >= s.len || s.ptr[end] != '$' || !digits)
		return (struct generated){ 0 };
	return (struct generated){ str_slice(s, at, end + 1 - at),
				   end + 1 + digits - at };
}

static struct generated jvm_number(struct str s, size_t at)
{
	size_t mark = generated_prefix(str_slice(s, at, s.len));
	size_t digits, end;

	if (!mark)
		return (struct generated){ 0 };
	/* "$14/0x00ff", "7", "". */
	digits = count_while(s, at + mark, is_number_part);
	end = at + mark + digits;
	/* Letters of a following word are not part of it. */
	if (end < s.len && s.ptr[end] != '.' && s.ptr[end] != ':')
		digits = count_while(s, at + mark, ascii_is_digit);
	return (struct generated){ str_slice(s, at, mark), mark + digits };
}

/* "[perf-123.map]" and "[jitted-123-4.so]": frames without a name. */
static struct generated process_file(struct str s, size_t at)
{
	static const struct {
		struct str front, end, text;
	} files[] = {
		{ { "[perf-", 6 }, { ".map", 4 }, { "[perf-?.map", 11 } },
		{ { "[jitted-", 8 }, { ".so", 3 }, { "[jitted-?.so", 12 } },
	};
	struct str rest = str_slice(s, at, s.len);

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		size_t end = files[i].front.len;

		if (!str_starts(rest, files[i].front))
			continue;
		while (end < rest.len &&
		       (ascii_is_digit(rest.ptr[end]) || rest.ptr[end] == '-'))
			end++;
		if (end > files[i].front.len &&
		    str_starts(str_slice(rest, end, rest.len), files[i].end))
			return (struct generated){ files[i].text,
						   end + files[i].end.len,
						   false };
	}
	return (struct generated){ 0 };
}

/* Numbers or lines of anonymous functions: "handler$fn__1834" in Clojure,
 * "__lambda_L12_C5" in D, "__anon_1234" in Zig. */
static struct generated nameless_number(struct str s, size_t at)
{
	struct str rest = str_slice(s, at, s.len), lambda = STR("__lambda_L");
	struct str before = str_slice(s, 0, at), anon = STR("__anon_");
	size_t end;

	if (str_starts(rest, lambda)) {
		end = lambda.len +
		      count_while(rest, lambda.len, ascii_is_digit);
		if (str_starts(str_slice(rest, end, rest.len), STR("_C")))
			end += 2 + count_while(rest, end + 2, ascii_is_digit);
		return (struct generated){ STR("__lambda"), end, true };
	}
	if (str_starts(rest, anon)) {
		end = count_while(rest, anon.len, ascii_is_digit);
		return (struct generated){ STR("__anon"),
					   end ? anon.len + end : 0, true };
	}
	end = str_starts(rest, STR("__")) ? count_while(rest, 2, ascii_is_digit)
					  : 0;
	if (!end ||
	    (!str_ends(before, STR("$fn")) && !str_ends(before, STR("$reify"))))
		return (struct generated){ 0 };
	return (struct generated){ STR("__"), 2 + end, true };
}

/* Returns whether it is "Shop", "Stdlib.List", or "camlShop" as written by
 * ocamlopt. */
static bool is_ocaml_module(struct str s)
{
	bool is_start = true;

	if (str_starts(s, STR("caml")))
		s = str_slice(s, 4, s.len);
	for (size_t i = 0; i < s.len; i++) {
		if (is_start ? !ascii_is_upper(s.ptr[i])
			     : !is_identifier(s.ptr[i]) && s.ptr[i] != '.')
			return false;
		is_start = s.ptr[i] == '.';
	}
	return s.len && !is_start;
}

/* "Shop.parse_151", "Shop.fun_538": ocamlopt numbers all definitions of a file,
 * so that an additional one renumbers those after it. */
static struct generated ocaml_stamp(struct str s, size_t at)
{
	size_t digits = count_while(s, at + 1, ascii_is_digit);
	size_t name = str_behind_last(str_slice(s, 0, at), '.');

	if (!digits || at + 1 + digits < s.len || name < 2 || name == at ||
	    ascii_is_upper(s.ptr[name]) ||
	    count_while(s, name, is_identifier) < at - name ||
	    !is_ocaml_module(str_slice(s, 0, name - 1)))
		return (struct generated){ 0 };
	return (struct generated){ STR(""), 1 + digits, true };
}

/* Dispatches on the first character. */
static struct generated generated_at(struct str s, size_t at)
{
	struct generated g = { 0 };
	size_t digits;

	switch (s.ptr[at]) {
	case '$':
	case 'G':
		return jvm_number(s, at);
	case '0':
		digits = count_while(s, at + 2, ascii_is_hex);
		g.text = STR("0x?");
		if (str_starts(str_slice(s, at, 2), STR("0x")) &&
		    digits >= ADDRESS_DIGITS)
			g.len = digits + 2;
		return g;
	case '>':
		return csharp_number(s, at);
	case '|':
		return csharp_local(s, at);
	case 'l':
		return java_lambda(s, at);
	case '[':
		g = go_shape(s, at);
		if (!g.len)
			g = process_file(s, at);
		/* Rust's crate hash: "core[f3a1b2c3d4e5f607]::fmt". */
		digits = count_while(s, at + 1, ascii_is_hex);
		if (!g.len && digits == RUST_HASH_DIGITS &&
		    at + 1 + digits < s.len && s.ptr[at + 1 + digits] == ']')
			g = (struct generated){ STR(""), digits + 2 };
		return g;
	case '_':
		g = nameless_number(s, at);
		return g.len ? g : ocaml_stamp(s, at);
	default:
		return g;
	}
}

/* Returns whether generated_at() handles this character. */
static bool may_begin_generated(char c)
{
	static const bool may[UCHAR_MAX + 1] = {
		['$'] = true, ['G'] = true, ['0'] = true, ['>'] = true,
		['|'] = true, ['l'] = true, ['['] = true, ['_'] = true,
	};

	return may[(unsigned char)c];
}

/* Returns whether the exact and the stable key differ. */
static bool add_numbered(struct str s, enum name_key key, struct buf *out)
{
	bool tells_apart = false;

	for (size_t at = 0; at < s.len;) {
		struct generated g = generated_at(s, at);
		size_t used = g.len;

		tells_apart |= used && g.tells_apart;
		if (used && !(g.tells_apart && key == NAME_KEY_EXACT)) {
			buf_add_str(out, g.text);
		} else {
			used += !used;
			while (at + used < s.len &&
			       !may_begin_generated(s.ptr[at + used]))
				used++;
			buf_add(out, s.ptr + at, used);
		}
		at += used;
	}
	return tells_apart;
}

/* ---- files and lines ---- */

/* Suffixes of source files. */
static const char *const source_ends[] = {
	"py",  "pyx",    "pyi",  "rb",    "erb",   "rake",   "ru",  "php",
	"js",  "mjs",    "cjs",  "jsx",   "ts",    "mts",    "cts", "tsx",
	"vue", "svelte", "java", "kt",    "scala", "groovy", "clj", "go",
	"rs",  "c",      "cc",   "cpp",   "cxx",   "h",      "hpp", "cs",
	"fs",  "vb",     "lua",  "pl",    "pm",    "ex",     "exs", "erl",
	"jl",  "R",      "r",    "swift", "m",     "mm",     "d",   "hs",
	"ml",  "nim",    "zig",  "cr",    "dart",
};

static bool is_source(struct str file)
{
	size_t dot = str_behind_last(file, '.');

	if (str_starts(file, STR("node:")) ||
	    (str_starts(file, STR("<")) && str_ends(file, STR(">"))))
		return true;
	return dot > 1 && str_is_one_of(str_slice(file, dot, file.len),
					source_ends, COUNT_OF(source_ends));
}

/* Returns whether it is like "com/acme/Cart.total", "Work.main", "Cart.<init>":
 * classes are capitalised. */
static bool is_java_method(struct str s)
{
	size_t dot = str_behind_last(s, '.');
	bool has_class = false, is_start = true;

	if (!dot || dot == s.len)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (!is_identifier(s.ptr[i]) && !memchr("./$<>+", s.ptr[i], 6))
			return false;
		has_class |=
			is_start && i + 1 < dot && ascii_is_upper(s.ptr[i]);
		is_start = s.ptr[i] == '.' || s.ptr[i] == '/';
	}
	return has_class && !is_source(s);
}

enum name_file {
	FILE_SOURCE, /* a file with one of source_ends */
	FILE_ANY,
	FILE_NONE,
	FILE_JAVA_METHOD, /* no file, after a Java method */
};

/* Syntax of a file, line and optional column at the end of a name: open, file,
 * colon, line, column's mark, column, close. */
struct line_form {
	struct str front; /* of the name */
	struct str open;
	struct str colon; /* empty: no line */
	struct str column;
	struct str close;
	enum name_file file;
	/* The line is that of the definition, which distinguishes anonymous
	 * functions of a file. Otherwise it is the line executing, which is not
	 * part of the name. */
	bool is_of_definition;
};

#define T(text) { text, sizeof(text) - 1 }

static const struct line_form line_forms[] = {
	/* tracefind itself, where V8 has no name: "(anonymous a.js:10)" */
	{ T("(anonymous "), T("(anonymous "), T(":"), T(""), T(")"), FILE_ANY,
	  true },
	{ T("(anonymous "), T("(anonymous "), T(""), T(""), T(")"), FILE_ANY,
	  true },
	/* @datadog/pprof: "(anonymous:L#12:C#5)", "a.js:(anonymous):L12" */
	{ T(""), T(""), T(":L#"), T(":C#"), T(")"), FILE_NONE, true },
	{ T(""), T(""), T(":L"), T(":C"), T(""), FILE_NONE, true },
	/* Excimer: "{closure:/srv/a.php(5)}" */
	{ T(""), T("{closure:"), T("("), T(""), T(")}"), FILE_ANY, true },
	/* PHP 8.4: "{closure:/srv/a.php:5}", "{closure:Cart::total():5}" */
	{ T(""), T("{closure:"), T(":"), T(""), T("}"), FILE_ANY, true },
	/* py-spy record -f raw: "parse (app.py:12)" */
	{ T(""), T(" ("), T(":"), T(""), T(")"), FILE_SOURCE, false },
	/* rbspy record --format collapsed: "parse - app.rb:12" */
	{ T(""), T(" - "), T(":"), T(""), T(""), FILE_SOURCE, false },
	/* V8 with perf: "JS:parse /app/w.js:3:15", "JS:run node:vm:1:2" */
	{ T("JS:"), T(" "), T(":"), T(":"), T(""), FILE_ANY, true },
	{ T("Script:"), T(" "), T(":"), T(":"), T(""), FILE_ANY, true },
	{ T("Eval:"), T(" "), T(":"), T(":"), T(""), FILE_ANY, true },
	/* node --prof-process, phpspy: "parse /app/w.js:3:15" */
	{ T(""), T(" "), T(":"), T(":"), T(""), FILE_SOURCE, true },
	/* Firefox stacks: "parse@https://x/w.js:3:15" */
	{ T(""), T("@"), T(":"), T(":"), T(""), FILE_SOURCE, true },
	/* Python's perf trampoline (-X perf): "py::parse:/srv/app.py" */
	{ T("py::"), T(":"), T(""), T(""), T(""), FILE_SOURCE, true },
	/* jfrconv --lines: "com/acme/Cart.total:42" */
	{ T(""), T(""), T(":"), T(""), T(""), FILE_JAVA_METHOD, false },
};

/* A name in parts: before the file, the file, and after it. */
struct name_parts {
	struct str front;
	struct str file;
	struct str end;
	bool is_of_definition;
};

/* Removes a number with the mark before it from the end. */
static bool take_number(struct str *s, struct str mark)
{
	struct str bare = strip_digits(*s);

	if (bare.len == s->len || !str_ends(bare, mark))
		return false;
	s->len = bare.len - mark.len;
	return true;
}

static bool is_wanted_file(enum name_file want, const struct name_parts *parts)
{
	switch (want) {
	case FILE_SOURCE:
		return is_source(parts->file);
	case FILE_ANY:
		return parts->file.len > 0;
	case FILE_JAVA_METHOD:
		return is_java_method(parts->front);
	default:
		return true;
	}
}

static bool form_match(const struct line_form *form, struct str name,
		       struct name_parts *parts)
{
	/* Anonymous functions of Python, which span few lines. */
	static const struct str lambdas[] = { T("<lambda>"), T("<genexpr>"),
					      T("<listcomp>"), T("<dictcomp>"),
					      T("<setcomp>") };
	struct str rest = name;
	size_t at;

	if (!str_ends(name, form->close) || !str_starts(name, form->front))
		return false;
	rest.len -= form->close.len;
	if (form->colon.len) {
		bool has_column =
			form->column.len && take_number(&rest, form->column);

		if (!take_number(&rest, form->colon) &&
		    !(has_column && str_equal(form->colon, form->column)))
			return false;
	}
	/* The last part begins behind `open`. */
	for (at = rest.len; form->open.len; at--) {
		if (at < form->open.len)
			return false;
		if (str_ends(str_slice(rest, 0, at), form->open))
			break;
	}
	*parts = (struct name_parts){
		.front = str_slice(rest, 0, at),
		.file = str_slice(rest, at, rest.len),
		.end = form->close,
	};
	/* Includes the bracket that opened the line. */
	if (str_equal(form->colon, STR("(")))
		parts->end = str_slice(parts->end, 1, parts->end.len);
	parts->is_of_definition = form->is_of_definition;
	for (size_t i = 0; i < COUNT_OF(lambdas); i++)
		parts->is_of_definition |= str_starts(parts->front, lambdas[i]);
	return is_wanted_file(form->file, parts);
}

/* rbspy and py-spy in Pyroscope agents: "app.py:12 - parse". */
static bool leading_match(struct str name, struct name_parts *parts)
{
	size_t end = str_find(name, STR(" - "));

	if (end == SIZE_MAX)
		return false;
	*parts = (struct name_parts){
		.front = STR(""),
		.file = str_slice(name, 0, end),
		.end = str_slice(name, end, name.len),
	};
	return take_number(&parts->file, STR(":")) && is_source(parts->file);
}

static bool line_find(struct str name, struct name_parts *parts)
{
	char last = name.len ? name.ptr[name.len - 1] : '\0';

	/* Most names have neither, which their ends show. */
	if (ascii_is_digit(last) || last == ')' || last == '}' ||
	    str_starts(name, STR("py::")))
		for (size_t i = 0; i < COUNT_OF(line_forms); i++)
			if (form_match(&line_forms[i], name, parts))
				return true;
	return leading_match(name, parts);
}

/* Returns whether the exact and the stable key differ. */
static bool add_parts(const struct name_parts *parts, enum name_key key,
		      struct buf *out)
{
	bool tells_apart = add_numbered(parts->front, key, out);
	size_t before = out->len;

	source_path_stable(parts->file, out);
	if (!str_equal(parts->file,
		       str_slice(buf_str(out), before, out->len))) {
		tells_apart = true;
		if (key == NAME_KEY_EXACT) {
			buf_cut(out, before);
			buf_add_str(out, parts->file);
		}
	}
	return add_numbered(parts->end, key, out) || tells_apart;
}

/* ---- combined ---- */

/* py-spy's root frames: "process 123:python3 work.py", "thread (0x7F12):
 * worker". */
static struct str add_root(struct str s, struct buf *out)
{
	static const struct {
		struct str front, end, text;
	} roots[] = {
		{ T("process "), T(":"), T("process ?") },
		{ T("thread ("), T(")"), T("thread (?") },
	};

	for (size_t i = 0; i < COUNT_OF(roots); i++) {
		size_t end = roots[i].front.len;

		if (!str_starts(s, roots[i].front))
			continue;
		while (end < s.len && (ascii_is_hex(s.ptr[end]) ||
				       ascii_lower(s.ptr[end]) == 'x'))
			end++;
		if (end == roots[i].front.len ||
		    !str_starts(str_slice(s, end, s.len), roots[i].end))
			continue;
		buf_add_str(out, roots[i].text);
		return str_slice(s, end, s.len);
	}
	return s;
}

bool function_key(struct str name, enum name_key key, struct buf *out)
{
	struct str s = name, bare = strip_clone(strip_rust_hash(s));
	struct name_parts parts;

	while (bare.len != s.len) {
		s = bare;
		bare = strip_clone(strip_rust_hash(s));
	}
	s = add_root(s, out);
	/* "camlShop__parse_268": the OCaml compiler numbers the definitions of
	 * a module. */
	bare = strip_digits(s);
	if (str_starts(s, STR("caml")) && bare.len < s.len &&
	    str_ends(bare, STR("_"))) {
		bare.len--;
		buf_add_str(out, key == NAME_KEY_EXACT ? s : bare);
		return true;
	}
	if (!line_find(s, &parts))
		return add_numbered(s, key, out);
	if (!parts.is_of_definition)
		return add_parts(&parts, key, out);
	if (key == NAME_KEY_EXACT)
		add_numbered(s, key, out);
	else
		add_parts(&parts, key, out);
	return true;
}
