/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/code_kind.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"

/* STR() for tables, which take constants only. */
#define TEXT(literal)                                                          \
	{                                                                      \
		literal, sizeof(literal) - 1                                   \
	}

/* The bytes of a text. Some thirty words are looked for in a name, and most of
 * them have a letter that it has not. */
struct letters {
	bool has[UCHAR_MAX + 1];
};

static struct letters letters_of(struct str s)
{
	struct letters l = { { 0 } };

	for (size_t i = 0; i < s.len; i++)
		l.has[(unsigned char)s.ptr[i]] = true;
	return l;
}

/* Where it is in s, a part of a text of these letters; or SIZE_MAX. Inline, so
 * that of a literal its letters are known. */
static inline size_t letters_find(const struct letters *l, struct str s,
				  struct str part)
{
	for (size_t i = 0; i < part.len; i++)
		if (!l->has[(unsigned char)part.ptr[i]])
			return SIZE_MAX;
	return str_find(s, part);
}

static inline bool letters_has(const struct letters *l, struct str s,
			       struct str part)
{
	return letters_find(l, s, part) != SIZE_MAX;
}

static inline bool text_starts(struct str s, struct str prefix)
{
	return s.len >= prefix.len && !memcmp(s.ptr, prefix.ptr, prefix.len);
}

static inline bool text_ends(struct str s, struct str suffix)
{
	return s.len >= suffix.len &&
	       !memcmp(s.ptr + (s.len - suffix.len), suffix.ptr, suffix.len);
}

/* ---- languages ---- */

struct suffix_language {
	struct str suffix;
	unsigned int language;
};

static const struct suffix_language suffixes[] = {
	{ TEXT(".go"), LANGUAGE_GO },      { TEXT(".s"), LANGUAGE_GO },
	{ TEXT(".java"), LANGUAGE_JVM },   { TEXT(".kt"), LANGUAGE_JVM },
	{ TEXT(".scala"), LANGUAGE_JVM },  { TEXT(".clj"), LANGUAGE_JVM },
	{ TEXT(".groovy"), LANGUAGE_JVM }, { TEXT(".py"), LANGUAGE_PYTHON },
	{ TEXT(".pyx"), LANGUAGE_PYTHON }, { TEXT(".pyi"), LANGUAGE_PYTHON },
	{ TEXT(".pyc"), LANGUAGE_PYTHON }, { TEXT(".js"), LANGUAGE_NODE },
	{ TEXT(".mjs"), LANGUAGE_NODE },   { TEXT(".cjs"), LANGUAGE_NODE },
	{ TEXT(".jsx"), LANGUAGE_NODE },   { TEXT(".ts"), LANGUAGE_NODE },
	{ TEXT(".mts"), LANGUAGE_NODE },   { TEXT(".tsx"), LANGUAGE_NODE },
	{ TEXT(".cs"), LANGUAGE_DOTNET },  { TEXT(".fs"), LANGUAGE_DOTNET },
	{ TEXT(".vb"), LANGUAGE_DOTNET },  { TEXT(".razor"), LANGUAGE_DOTNET },
	{ TEXT(".rb"), LANGUAGE_RUBY },    { TEXT(".erb"), LANGUAGE_RUBY },
	{ TEXT(".rake"), LANGUAGE_RUBY },  { TEXT(".rs"), LANGUAGE_RUST },
	{ TEXT(".c"), LANGUAGE_NATIVE },   { TEXT(".cc"), LANGUAGE_NATIVE },
	{ TEXT(".cpp"), LANGUAGE_NATIVE }, { TEXT(".cxx"), LANGUAGE_NATIVE },
	{ TEXT(".h"), LANGUAGE_NATIVE },   { TEXT(".hh"), LANGUAGE_NATIVE },
	{ TEXT(".hpp"), LANGUAGE_NATIVE }, { TEXT(".inl"), LANGUAGE_NATIVE },
	{ TEXT(".S"), LANGUAGE_NATIVE },   { TEXT(".asm"), LANGUAGE_NATIVE },
	{ TEXT(".tcc"), LANGUAGE_NATIVE },
};

static unsigned int language_of_file(struct str file)
{
	if (!file.len)
		return 0;
	if (text_starts(file, STR("node:")))
		return LANGUAGE_NODE;
	if (text_starts(file, STR("<frozen ")))
		return LANGUAGE_PYTHON;
	if (text_starts(file, STR("<internal:")))
		return LANGUAGE_RUBY;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
		if (text_ends(file, suffixes[i].suffix))
			return suffixes[i].language;
	return 0;
}

/* Modules that C++ has no namespace of the name of. */
static bool has_rust_module(struct str name)
{
	static const struct str modules[] = {
		TEXT("core::"),      TEXT("alloc::"),
		TEXT("std::sync::"), TEXT("std::sys"),
		TEXT("std::io::"),   TEXT("std::collections::"),
		TEXT("std::panic"),  TEXT("std::rt::"),
		TEXT("std::fs::"),   TEXT("tokio::"),
	};

	for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
		if (text_starts(name, modules[i]))
			return true;
	return false;
}

static unsigned int language_of_scoped(const struct letters *l, struct str name)
{
	size_t hash = letters_find(l, name, STR("#"));

	/* "Shop::Cart#total"; but C++ and Rust count what has no name:
	 * "main::{lambda(int)#1}", "main::{closure#0}". */
	if (hash != SIZE_MAX && hash + 1 < name.len &&
	    !ascii_is_digit(name.ptr[hash + 1]))
		return LANGUAGE_RUBY;
	if ((name.len > 19 &&
	     str_equal(str_slice(name, name.len - 19, 3), STR("::h"))) ||
	    letters_has(l, name, STR("{{closure}}")) ||
	    letters_has(l, name, STR("{closure#")) ||
	    letters_has(l, name, STR(" as ")) || has_rust_module(name))
		return LANGUAGE_RUST;
	if (letters_has(l, name, STR("operator")) ||
	    letters_has(l, name, STR("(anonymous namespace)")) ||
	    letters_has(l, name, STR("::{lambda(")) ||
	    letters_has(l, name, STR("{unnamed type#")) ||
	    letters_has(l, name, STR("::~")) ||
	    letters_has(l, name, STR("std::__")) ||
	    letters_has(l, name, STR(">::")) || str_ends(name, STR(")")))
		return LANGUAGE_NATIVE;
	return LANGUAGE_NATIVE | LANGUAGE_RUST | LANGUAGE_RUBY;
}

/* "java/util/HashMap.get" has a class after the last '/' that counts,
 * "net/http.(*conn).serve" a package. */
static unsigned int language_of_path(struct str name)
{
	size_t first = 0, i;

	for (i = 0; i < name.len && name.ptr[i] != '.' && name.ptr[i] != '(' &&
		    name.ptr[i] != '$';
	     i++)
		if (name.ptr[i] == '/')
			first = i + 1;
	if (i < name.len && name.ptr[i] == '$')
		return LANGUAGE_JVM;
	if (first && first < name.len && ascii_is_upper(name.ptr[first]))
		return LANGUAGE_JVM;
	return LANGUAGE_GO;
}

struct dotted {
	size_t words;
	size_t lower_words; /* in front of the first capital one */
	bool is_first_upper;
	bool is_last_upper;
};

static struct dotted split_dotted(struct str name)
{
	struct dotted d = { .words = 0 };
	bool is_start = true, has_upper = false;

	for (size_t i = 0; i < name.len && name.ptr[i] != '('; i++) {
		if (is_start) {
			d.is_last_upper = ascii_is_upper(name.ptr[i]);
			has_upper = has_upper || d.is_last_upper;
			d.is_first_upper |= d.words == 0 && d.is_last_upper;
			d.words++;
			d.lower_words += !has_upper;
		}
		is_start = name.ptr[i] == '.';
	}
	return d;
}

static unsigned int language_of_dotted(struct str name)
{
	struct dotted d = split_dotted(name);

	if (d.is_first_upper && d.is_last_upper && d.words > 2)
		return LANGUAGE_DOTNET;
	if (d.is_first_upper)
		return LANGUAGE_NODE | LANGUAGE_DOTNET | LANGUAGE_PYTHON |
		       LANGUAGE_RUBY | LANGUAGE_JVM;
	if (d.lower_words >= 2 && d.lower_words < d.words)
		return LANGUAGE_JVM | LANGUAGE_PYTHON;
	if (d.words > 3)
		return LANGUAGE_PYTHON;
	return LANGUAGE_GO | LANGUAGE_PYTHON | LANGUAGE_NODE;
}

static bool is_go_name(const struct letters *l, struct str name)
{
	size_t literal = letters_find(l, name, STR(".func"));

	if (letters_has(l, name, STR(".(*")) ||
	    letters_has(l, name, STR("[go.shape")) ||
	    letters_has(l, name, STR("[...]")))
		return true;
	/* "runtime.gcMarkDone.forEachP.func5" */
	return literal != SIZE_MAX && literal + 5 < name.len &&
	       ascii_is_digit(name.ptr[literal + 5]);
}

static unsigned int language_of_name(const struct letters *l, struct str name)
{
	if (text_starts(name, STR("_ZN")) || text_starts(name, STR("_R")))
		return LANGUAGE_NATIVE | LANGUAGE_RUST;
	if (letters_has(l, name, STR("$$Lambda")) ||
	    letters_has(l, name, STR(".<init>")) ||
	    letters_has(l, name, STR(".lambda$")))
		return LANGUAGE_JVM;
	if (text_starts(name, STR("[lib")) && letters_has(l, name, STR(".so")))
		return LANGUAGE_NATIVE;
	if (is_go_name(l, name))
		return LANGUAGE_GO;
	if (letters_has(l, name, STR("::")))
		return language_of_scoped(l, name);
	if (letters_has(l, name, STR("#")))
		return LANGUAGE_RUBY;
	if (letters_has(l, name, STR("!")))
		return LANGUAGE_DOTNET;
	if (text_starts(name, STR("<module>")) ||
	    text_starts(name, STR("<frozen")))
		return LANGUAGE_PYTHON;
	if (text_starts(name, STR("(anon")) ||
	    text_starts(name, STR("(root)")) ||
	    text_starts(name, STR("(program)")) ||
	    text_starts(name, STR("node:")))
		return LANGUAGE_NODE;
	if (letters_has(l, name, STR("/")))
		return language_of_path(name);
	if (letters_has(l, name, STR(".")))
		return language_of_dotted(name);
	return LANGUAGE_ANY & ~(unsigned int)(LANGUAGE_JVM | LANGUAGE_DOTNET);
}

/* ---- names that carry a file or a decoration ---- */

/* Profilers for scripts put the file into the name: "flask/app.py run",
 * "run - /app/lib/x.rb", "./src/x.js:run:12". */
static size_t embedded_file_end(const struct letters *l, struct str name)
{
	static const struct str marks[] = { TEXT(".py"),  TEXT(".rb"),
					    TEXT(".js"),  TEXT(".ts"),
					    TEXT(".mjs"), TEXT(".cjs") };

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		size_t at = letters_find(l, name, marks[i]);

		if (at == SIZE_MAX)
			continue;
		at += marks[i].len;
		if (at == name.len || name.ptr[at] == ' ' ||
		    name.ptr[at] == ':')
			return at;
	}
	return 0;
}

static void take_embedded_file(const struct letters *l, struct code_subject *s)
{
	size_t end = s->file.len ? 0 : embedded_file_end(l, s->name);
	size_t start = end;

	if (!end)
		return;
	while (start && s->name.ptr[start - 1] != ' ')
		start--;
	s->file = str_slice(s->name, start, end - start);
	if (start)
		s->name = str_slice(s->name, 0, start);
	else if (end < s->name.len)
		s->name = str_slice(s->name, end + 1, s->name.len);
}

/* "<alloc::vec::Vec<T> as core::ops::Drop>::drop" is about alloc. */
static struct str without_decoration(struct str name)
{
	size_t start = 0;

	if (str_find(name, STR("::")) == SIZE_MAX)
		return name;
	while (name.len &&
	       (name.ptr[0] == '<' || name.ptr[0] == '&' || name.ptr[0] == '*'))
		name = str_slice(name, 1, name.len);
	if (text_starts(name, STR("dyn ")) || text_starts(name, STR("mut ")))
		name = str_slice(name, 4, name.len);
	/* Words such as "void" and "unsigned long" before the name itself. */
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (c == ' ')
			start = i + 1;
		else if (!ascii_is_alnum(c) && c != '_' && c != '-' &&
			 c != '*' && c != '&')
			break;
	}
	return str_slice(name, start, name.len);
}

/* "_ZN4core3fmt5write17h..E" as "core::fmt::write"; only the nested form
 * without substitutions, which is what Rust and namespaces give. */
static struct str name_demangle(struct str name, char *text, size_t size)
{
	size_t at = 3, len = 0;

	if (!text_starts(name, STR("_ZN")))
		return name;
	while (at < name.len && (name.ptr[at] == 'K' || name.ptr[at] == 'V'))
		at++;
	while (at < name.len && ascii_is_digit(name.ptr[at])) {
		size_t part = 0;

		while (at < name.len && ascii_is_digit(name.ptr[at]) &&
		       part < size)
			part = part * 10 + (size_t)(name.ptr[at++] - '0');
		if (part > name.len - at || part + 2 > size - len)
			break;
		memcpy(text + len, name.ptr + at, part);
		memcpy(text + len + part, "::", 2);
		len += part + 2;
		at += part;
	}
	return len ? (struct str){ text, len - 2 } : name;
}

/* Strips the suffixes that linkers and compilers append to names of C: the
 * version of a symbol, the kind of a clone. */
static struct str without_suffix(const struct letters *l, struct str name)
{
	static const struct str suffixes_of_c[] = {
		TEXT("@@GLIBC"),     TEXT("@GLIBC"),    TEXT("@plt"),
		TEXT(".constprop."), TEXT(".lto_priv"), TEXT(".isra."),
		TEXT(".part."),      TEXT(".cold"),
	};

	bool may_have = l->has['@'];

	/* By their first two letters. */
	for (size_t i = 0; !may_have && l->has['.'] && i + 1 < name.len; i++)
		may_have = name.ptr[i] == '.' &&
			   strchr("clip", name.ptr[i + 1]) != NULL;
	if (!may_have)
		return name;
	for (size_t i = 0; i < sizeof suffixes_of_c / sizeof *suffixes_of_c;
	     i++) {
		size_t at = letters_find(l, name, suffixes_of_c[i]);

		if (at != SIZE_MAX && at)
			name = str_slice(name, 0, at);
	}
	return name;
}

/* ---- the file within its package ---- */

/* Where package managers and languages keep packages. is_versioned: one more
 * folder ("python3.11", "3.3.0", an index) lies in between. */
static const struct package_root {
	struct str path;
	bool is_versioned;
} package_roots[] = {
	{ TEXT("node_modules/"), false },  { TEXT("site-packages/"), false },
	{ TEXT("dist-packages/"), false }, { TEXT("/gems/"), false },
	{ TEXT("/lib/python2"), true },    { TEXT("/lib/python3"), true },
	{ TEXT("/lib64/python3"), true },  { TEXT("/lib/ruby/"), true },
	{ TEXT("registry/src/"), true },
};

static struct str module_of(struct str file)
{
	struct letters l;
	size_t start = 0;

	if (!file.len)
		return STR("");
	l = letters_of(file);
	for (size_t i = 0; i < sizeof package_roots / sizeof *package_roots;
	     i++) {
		struct str path = package_roots[i].path;
		size_t at = 0, next;

		/* Behind the last of them. */
		while ((next = letters_find(&l, str_slice(file, at, file.len),
					    path)) != SIZE_MAX)
			at += next + path.len;
		if (!at)
			continue;
		while (package_roots[i].is_versioned && at < file.len &&
		       file.ptr[at++] != '/')
			;
		start = at > start ? at : start;
	}
	if (!start && (file.ptr[0] == '/' || file.ptr[0] == '<'))
		return STR("");
	return str_slice(file, start, file.len);
}

/* Generated Go wrappers name no real file. */
struct code_subject code_subject_of(struct str name, struct str file)
{
	const struct letters l = letters_of(name);
	struct code_subject s = { .file = file };

	/* "java/lang/Object.wait_[j]": profilers mark how the code was
	 * compiled. "[k]" is the kernel and stays. */
	if (name.len >= 5 &&
	    str_equal(str_slice(name, name.len - 4, 2), STR("_[")) &&
	    name.ptr[name.len - 1] == ']' && name.ptr[name.len - 2] != 'k')
		name = str_slice(name, 0, name.len - 4);
	s.name = without_suffix(&l, name);

	if (str_equal(file, STR("<autogenerated>")))
		s.file = STR("");
	take_embedded_file(&l, &s);
	s.module = module_of(s.file);
	s.languages = language_of_file(s.file);
	if (!s.languages)
		s.languages = language_of_name(&l, s.name);
	return s;
}

void code_subject_settle(struct code_subject *s, unsigned int profile_languages,
			 char text[MANGLED_BYTES])
{
	if (s->languages & profile_languages)
		s->languages &= profile_languages;
	if (s->languages & (LANGUAGE_RUST | LANGUAGE_NATIVE))
		s->name = without_decoration(
			name_demangle(s->name, text, MANGLED_BYTES));
}

unsigned int code_languages_of(struct str name, struct str file)
{
	return code_subject_of(name, file).languages;
}

/* ---- the languages of a profile ---- */

void language_votes_add(struct language_votes *v, unsigned int languages,
			bool has_file)
{
	bool is_sure = !(languages & (languages - 1));

	v->with_file += has_file;
	v->native_without_file += !has_file && (languages & LANGUAGE_NATIVE);
	for (unsigned int i = 0; i < LANGUAGE_COUNT; i++) {
		if (!(languages >> i & 1))
			continue;
		v->possible[i]++;
		v->sure[i] += is_sure;
	}
}

void language_votes_add_function(struct language_votes *v, struct str name,
				 struct str file)
{
	language_votes_add(v, code_languages_of(name, file), file.len > 0);
}

void language_votes_join(struct language_votes *v,
			 const struct language_votes *more)
{
	v->with_file += more->with_file;
	v->native_without_file += more->native_without_file;
	for (unsigned int i = 0; i < LANGUAGE_COUNT; i++) {
		v->possible[i] += more->possible[i];
		v->sure[i] += more->sure[i];
	}
}

static unsigned int with_votes(const size_t *votes, size_t least)
{
	unsigned int languages = 0;

	for (unsigned int i = 0; i < LANGUAGE_COUNT; i++)
		if (votes[i] && votes[i] >= least)
			languages |= 1u << i;
	return languages;
}

unsigned int language_votes_result(const struct language_votes *v)
{
	size_t most = 0;
	unsigned int languages = with_votes(v->sure, 1);

	for (size_t i = 0; i < LANGUAGE_COUNT; i++)
		if (v->possible[i] > most)
			most = v->possible[i];
	if (!languages)
		languages = with_votes(v->possible, most);
	if (v->with_file && v->native_without_file)
		languages |= LANGUAGE_NATIVE;
	return languages;
}
