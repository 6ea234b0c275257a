/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/code_kind.h"

#include <string.h>

#include "base/ascii.h"

enum rule_kind {
	RULE_LIBRARY = CODE_LIBRARY,
	RULE_STDLIB = CODE_STDLIB,
	RULE_RUNTIME = CODE_RUNTIME,
	RULE_KERNEL,
};

enum rule_op {
	OP_PKG,
	OP_PKG_BARE,
	OP_NAME_PREFIX,
	OP_NAME_SUFFIX,
	OP_NAME_IS,
	OP_NAME_IS_BARE,
	OP_NAME_HAS,
	OP_FILE_PREFIX,
	OP_FILE_HAS,
};

struct rule {
	unsigned int languages;
	enum rule_kind kind;
	enum rule_op op;
	const char *words;
};

#define GO LANGUAGE_GO
#define JVM LANGUAGE_JVM
#define PYTHON LANGUAGE_PYTHON
#define NODE LANGUAGE_NODE
#define DOTNET LANGUAGE_DOTNET
#define RUBY LANGUAGE_RUBY
#define RUST LANGUAGE_RUST
#define NATIVE LANGUAGE_NATIVE
#define ANY LANGUAGE_ANY
#define R(languages, kind, op, words)                                          \
	{ languages, RULE_##kind, OP_##op, words },

static const struct rule rules[] = {
#include "analyze/code_rules.def"
};

/* Longest mangled name that is read; what decides stands at its front. */
#define MANGLED_BYTES 128

/* A function as the rules see it. */
struct subject {
	struct str name;
	struct str file;
	unsigned int languages;
};

static bool is_word(char c)
{
	return ascii_is_alnum(c) || c == '_' || c == '-';
}

static bool has(struct str s, const char *part)
{
	return str_find(s, str_from(part)) != SIZE_MAX;
}

static bool starts(struct str s, const char *prefix)
{
	return str_starts(s, str_from(prefix));
}

/* ---- languages ---- */

struct suffix_language {
	const char *suffix;
	unsigned int language;
};

static const struct suffix_language suffixes[] = {
	{ ".go", LANGUAGE_GO },      { ".s", LANGUAGE_GO },
	{ ".java", LANGUAGE_JVM },   { ".kt", LANGUAGE_JVM },
	{ ".scala", LANGUAGE_JVM },  { ".clj", LANGUAGE_JVM },
	{ ".groovy", LANGUAGE_JVM }, { ".py", LANGUAGE_PYTHON },
	{ ".pyx", LANGUAGE_PYTHON }, { ".pyi", LANGUAGE_PYTHON },
	{ ".pyc", LANGUAGE_PYTHON }, { ".js", LANGUAGE_NODE },
	{ ".mjs", LANGUAGE_NODE },   { ".cjs", LANGUAGE_NODE },
	{ ".jsx", LANGUAGE_NODE },   { ".ts", LANGUAGE_NODE },
	{ ".mts", LANGUAGE_NODE },   { ".tsx", LANGUAGE_NODE },
	{ ".cs", LANGUAGE_DOTNET },  { ".fs", LANGUAGE_DOTNET },
	{ ".vb", LANGUAGE_DOTNET },  { ".razor", LANGUAGE_DOTNET },
	{ ".rb", LANGUAGE_RUBY },    { ".erb", LANGUAGE_RUBY },
	{ ".rake", LANGUAGE_RUBY },  { ".rs", LANGUAGE_RUST },
	{ ".c", LANGUAGE_NATIVE },   { ".cc", LANGUAGE_NATIVE },
	{ ".cpp", LANGUAGE_NATIVE }, { ".cxx", LANGUAGE_NATIVE },
	{ ".h", LANGUAGE_NATIVE },   { ".hh", LANGUAGE_NATIVE },
	{ ".hpp", LANGUAGE_NATIVE }, { ".inl", LANGUAGE_NATIVE },
	{ ".S", LANGUAGE_NATIVE },   { ".asm", LANGUAGE_NATIVE },
	{ ".tcc", LANGUAGE_NATIVE },
};

static unsigned int language_of_file(struct str file)
{
	if (starts(file, "node:"))
		return LANGUAGE_NODE;
	if (starts(file, "<frozen "))
		return LANGUAGE_PYTHON;
	if (starts(file, "<internal:"))
		return LANGUAGE_RUBY;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
		if (str_ends(file, str_from(suffixes[i].suffix)))
			return suffixes[i].language;
	return 0;
}

static bool ends_in_rust_hash(struct str s)
{
	return s.len > 19 && str_equal(str_slice(s, s.len - 19, 3), STR("::h"));
}

static unsigned int language_of_scoped(struct str name)
{
	if (has(name, "#"))
		return LANGUAGE_RUBY;
	if (ends_in_rust_hash(name) || has(name, "{{closure}}") ||
	    has(name, "{closure#") || has(name, " as ") ||
	    starts(name, "core::") || starts(name, "alloc::"))
		return LANGUAGE_RUST;
	if (has(name, "operator") || has(name, "(anonymous namespace)") ||
	    has(name, "::~") || has(name, "std::__") || has(name, ">::") ||
	    str_ends(name, STR(")")))
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

static unsigned int language_of_name(struct str name)
{
	if (starts(name, "_ZN") || starts(name, "_R"))
		return LANGUAGE_NATIVE | LANGUAGE_RUST;
	if (has(name, "$$Lambda") || has(name, ".<init>") ||
	    has(name, ".lambda$"))
		return LANGUAGE_JVM;
	if (has(name, ".(*") || has(name, "[go.shape") || has(name, "[...]"))
		return LANGUAGE_GO;
	if (has(name, "::"))
		return language_of_scoped(name);
	if (has(name, "#"))
		return LANGUAGE_RUBY;
	if (has(name, "!"))
		return LANGUAGE_DOTNET;
	if (starts(name, "<module>") || starts(name, "<frozen"))
		return LANGUAGE_PYTHON;
	if (starts(name, "(anon") || starts(name, "(root)") ||
	    starts(name, "(program)") || starts(name, "node:"))
		return LANGUAGE_NODE;
	if (has(name, "/"))
		return language_of_path(name);
	if (has(name, "."))
		return language_of_dotted(name);
	return LANGUAGE_ANY & ~(unsigned int)(LANGUAGE_JVM | LANGUAGE_DOTNET);
}

/* ---- names that carry a file or a decoration ---- */

/* Profilers for scripts put the file into the name: "flask/app.py run",
 * "run - /app/lib/x.rb", "./src/x.js:run:12". */
static size_t embedded_file_end(struct str name)
{
	static const char *const marks[] = { ".py", ".rb",  ".js",
					     ".ts", ".mjs", ".cjs" };

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		struct str mark = str_from(marks[i]);
		size_t at = str_find(name, mark);

		if (at == SIZE_MAX)
			continue;
		at += mark.len;
		if (at == name.len || name.ptr[at] == ' ' ||
		    name.ptr[at] == ':')
			return at;
	}
	return 0;
}

static void take_embedded_file(struct subject *s)
{
	size_t end = s->file.len ? 0 : embedded_file_end(s->name);
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

/* Words such as "void" and "unsigned long" before a demangled name. */
static struct str without_return_type(struct str name)
{
	size_t start = 0;

	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (c == ' ')
			start = i + 1;
		else if (!is_word(c) && c != '*' && c != '&')
			break;
	}
	return str_slice(name, start, name.len);
}

/* "<alloc::vec::Vec<T> as core::ops::Drop>::drop" is about alloc. */
static struct str without_decoration(struct str name)
{
	if (!has(name, "::"))
		return name;
	while (name.len &&
	       (name.ptr[0] == '<' || name.ptr[0] == '&' || name.ptr[0] == '*'))
		name = str_slice(name, 1, name.len);
	if (starts(name, "dyn ") || starts(name, "mut "))
		name = str_slice(name, 4, name.len);
	return without_return_type(name);
}

/* "_ZN4core3fmt5write17h..E" as "core::fmt::write"; only the nested form
 * without substitutions, which is what Rust and namespaces give. */
static struct str demangle(struct str name, char *text, size_t size)
{
	size_t at = 3, len = 0;

	if (!starts(name, "_ZN"))
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

/* ---- rules ---- */

static char slash_as_dot(char c)
{
	return c == '/' ? '.' : c;
}

/* Begins with the package, and something follows it that is no word. */
static bool is_in_package(struct str text, struct str package)
{
	char last = package.ptr[package.len - 1];

	if (text.len <= package.len)
		return false;
	for (size_t i = 0; i < package.len; i++)
		if (slash_as_dot(text.ptr[i]) != slash_as_dot(package.ptr[i]))
			return false;
	return last == '-' || !is_word(text.ptr[package.len]);
}

static bool str_matches(struct str text, struct str word)
{
	if (text.len != word.len)
		return false;
	for (size_t i = 0; i < word.len; i++)
		if (text.ptr[i] != (word.ptr[i] == '%' ? ' ' : word.ptr[i]))
			return false;
	return true;
}

static bool is_relative(struct str file)
{
	return file.len && file.ptr[0] != '/' && file.ptr[0] != '<';
}

static bool word_matches(const struct subject *s, enum rule_op op,
			 struct str word)
{
	switch (op) {
	case OP_PKG:
		return is_in_package(s->name, word) ||
		       (is_relative(s->file) && is_in_package(s->file, word));
	case OP_PKG_BARE:
		return s->file.len == 0 && is_in_package(s->name, word);
	case OP_NAME_PREFIX:
		return str_matches(str_slice(s->name, 0, word.len), word);
	case OP_NAME_SUFFIX:
		return str_ends(s->name, word);
	case OP_NAME_IS:
		return str_matches(s->name, word);
	case OP_NAME_IS_BARE:
		return s->file.len == 0 && str_matches(s->name, word);
	case OP_NAME_HAS:
		return str_find(s->name, word) != SIZE_MAX;
	case OP_FILE_PREFIX:
		return str_matches(str_slice(s->file, 0, word.len), word);
	case OP_FILE_HAS:
		return str_find(s->file, word) != SIZE_MAX;
	}
	return false;
}

static bool rule_matches(const struct subject *s, const struct rule *rule)
{
	const char *word = rule->words;

	if (!(s->languages & rule->languages))
		return false;
	while (*word) {
		size_t len = strcspn(word, " ");

		if (word_matches(s, rule->op, (struct str){ word, len }))
			return true;
		word += len;
		word += *word == ' ';
	}
	return false;
}

/* Generated Go wrappers name no real file. */
static struct subject subject_of(struct str name, struct str file)
{
	struct subject s = { .name = name, .file = file };

	if (str_equal(file, STR("<autogenerated>")))
		s.file = STR("");
	take_embedded_file(&s);
	s.languages = language_of_file(s.file);
	if (!s.languages)
		s.languages = language_of_name(s.name);
	return s;
}

unsigned int code_languages_of(struct str name, struct str file)
{
	return subject_of(name, file).languages;
}

/* Code of an interpreter or a virtual machine shows as C or C++. */
static bool is_beneath_managed(const struct subject *s, unsigned int profile)
{
	unsigned int managed = LANGUAGE_JVM | LANGUAGE_PYTHON | LANGUAGE_NODE |
			       LANGUAGE_DOTNET | LANGUAGE_RUBY;
	unsigned int others = profile & ~(unsigned int)LANGUAGE_NATIVE;

	return (profile & managed) && (s->languages & LANGUAGE_NATIVE) &&
	       !(s->languages & others);
}

/* Every Go function of a package has a dot; assembler and C do not. */
static bool is_bare_in_go(const struct subject *s)
{
	return s->languages == LANGUAGE_GO && !has(s->name, ".");
}

struct code_class code_classify(struct str name, struct str file,
				unsigned int profile_languages)
{
	struct subject s = subject_of(name, file);
	struct code_class out = { CODE_APPLICATION, false };
	char text[MANGLED_BYTES];

	if (s.languages & profile_languages)
		s.languages &= profile_languages;
	if (s.languages & (LANGUAGE_RUST | LANGUAGE_NATIVE))
		s.name =
			without_decoration(demangle(s.name, text, sizeof text));
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		if (!rule_matches(&s, &rules[i]))
			continue;
		out.is_kernel_entry = rules[i].kind == RULE_KERNEL;
		out.kind = out.is_kernel_entry ? CODE_RUNTIME
					       : (enum code_kind)rules[i].kind;
		return out;
	}
	if (is_beneath_managed(&s, profile_languages) || is_bare_in_go(&s))
		out.kind = CODE_RUNTIME;
	return out;
}

/* ---- the languages of a profile ---- */

void language_votes_add(struct language_votes *v, struct str name,
			struct str file)
{
	unsigned int languages = code_languages_of(name, file);
	bool is_sure = !(languages & (languages - 1));

	v->with_file += file.len > 0;
	v->native_without_file +=
		file.len == 0 && (languages & LANGUAGE_NATIVE);
	for (unsigned int i = 0; i < LANGUAGE_COUNT; i++) {
		if (!(languages >> i & 1))
			continue;
		v->possible[i]++;
		v->sure[i] += is_sure;
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
