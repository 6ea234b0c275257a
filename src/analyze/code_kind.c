/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/code_kind.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "analyze/code_memo.h"
#include "base/ascii.h"
#include "base/count.h"

/* A row of code_rules.def: several words, one blank in between. */
struct rule {
	unsigned int languages;
	enum code_kind kind;
	enum rule_op op;
	const char *words;
	bool is_kernel_entry;
	bool is_leaf_only;
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

#define RULE(languages, kind, op, words, is_kernel_entry, is_leaf_only)        \
	{                                                                      \
		languages, CODE_##kind,     OP_##op,                           \
		words,     is_kernel_entry, is_leaf_only                       \
	},
#define R(languages, kind, op, words)                                          \
	RULE(languages, kind, op, words, false, false)
#define E(languages, op, words) RULE(languages, KERNEL, op, words, true, false)
#define K(languages, kind, op, words)                                          \
	RULE(languages, kind, op, words, false, false)
#define W(languages, kind, op, words)                                          \
	RULE(languages, kind, op, words, false, true)

/* Whose code it is. */
static const struct rule origins[] = {
#include "analyze/code_rules.def"
};

/* What other people's code is for. */
static const struct rule purposes[] = {
#include "analyze/code_purposes.def"
};

static bool is_word(char c)
{
	return ascii_is_alnum(c) || c == '_' || c == '-';
}

static char slash_as_dot(char c)
{
	return c == '/' ? '.' : c;
}

static bool is_same_name(struct str text, struct str word)
{
	if (text.len != word.len)
		return false;
	for (size_t i = 0; i < word.len; i++)
		if (slash_as_dot(text.ptr[i]) != slash_as_dot(word.ptr[i]) &&
		    !(word.ptr[i] == '%' && text.ptr[i] == ' '))
			return false;
	return true;
}

/* Begins with the package, and something follows it that is no word;
 * "pg-1.5.4/lib/pg.rb" is a file of the package "pg". */
static bool is_in_package(struct str text, struct str package)
{
	char last = package.ptr[package.len - 1];
	char next;

	if (text.len <= package.len ||
	    !is_same_name(str_slice(text, 0, package.len), package))
		return false;
	next = text.ptr[package.len];
	if (next == '-' && text.len > package.len + 1 &&
	    ascii_is_digit(text.ptr[package.len + 1]))
		return true;
	return last == '-' || !is_word(next);
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

/* "threading.py:wait": the function of a file, whatever path leads to it. */
static bool is_function_in(const struct code_subject *s, struct str word)
{
	size_t colon = str_find(word, STR(":"));
	struct str file = str_slice(word, 0, colon);
	struct str name = str_slice(word, colon + 1, word.len);

	if (!str_ends(s->file, file) || !str_ends(s->name, name))
		return false;
	if (s->file.len > file.len &&
	    s->file.ptr[s->file.len - file.len - 1] != '/')
		return false;
	return s->name.len == name.len ||
	       s->name.ptr[s->name.len - name.len - 1] == '.';
}

static bool word_matches(const struct code_subject *s, enum rule_op op,
			 struct str word)
{
	switch (op) {
	case OP_PKG:
		return is_in_package(s->name, word) ||
		       is_in_package(s->module, word);
	case OP_PKG_BARE:
		return s->file.len == 0 && is_in_package(s->name, word);
	case OP_NAME_PREFIX:
		return is_same_name(str_slice(s->name, 0, word.len), word);
	case OP_NAME_SUFFIX:
		return str_ends(s->name, word);
	case OP_NAME_IS:
		return is_same_name(s->name, word);
	case OP_NAME_IS_BARE:
		return s->file.len == 0 && is_same_name(s->name, word);
	case OP_NAME_HAS:
		return str_find(s->name, word) != SIZE_MAX;
	case OP_FILE_PREFIX:
		return str_matches(str_slice(s->file, 0, word.len), word);
	case OP_FILE_HAS:
		return str_find(s->file, word) != SIZE_MAX;
	case OP_FUNCTION_IN:
		return is_function_in(s, word);
	}
	return false;
}

/* ---- letters ---- */

static char letter_of(char c)
{
	c = slash_as_dot(c);
	/* A word's '%' is a blank. */
	return c == '%' ? ' ' : c;
}

static uint64_t letter_bit(char c)
{
	return UINT64_C(1) << (letter_of(c) & 63);
}

/* The letters of a text, 64 bits for all of them. A word cannot match where
 * one of its letters is missing, which is so for most. */
static uint64_t letters_of(struct str text)
{
	uint64_t letters = 0;

	for (size_t i = 0; i < text.len; i++)
		letters |= letter_bit(text.ptr[i]);
	return letters;
}

struct subject_letters {
	uint64_t name;
	uint64_t file; /* and of the module, which is a part of it */
};

/* ---- words by their letters ---- */

/* Most words differ from a name in its first letters, so only those are tried
 * that may begin as it does. Hundreds of packages are "github.com/..." or
 * "org.apache...": of long words some letters behind that are looked at. Words
 * that may match elsewhere have a bucket of their own, and so have those about
 * files, which many functions lack. */
#define STARTS 256
#define LONG_BYTES 13
#define ANYWHERE (2 * STARTS)
#define OF_FILES (ANYWHERE + 1)
#define BUCKETS (OF_FILES + 1)

#define LANGUAGES_MIXED LANGUAGE_COUNT

struct word {
	struct str text;
	const struct rule *rule;
	uint64_t letters; /* where it need not be the start */
	uint16_t next;    /* of its chain: number + 1, or 0 */
	char last;        /* letter */
};

/* Words of one language have a chain of their own, those of several share one.
 * A chain begins with the first rules. */
struct word_index {
	const struct rule *rules;
	size_t rule_count;
	struct word *words;
	uint16_t word_count;
	uint16_t first[BUCKETS][LANGUAGE_COUNT + 1]; /* as word.next */
};

/* A word and what ends it take two bytes at least. */
#undef RULE
#define RULE(languages, kind, op, words, is_kernel_entry, is_leaf_only)        \
	+sizeof(words) / 2
enum {
	ORIGIN_WORDS = 0
#include "analyze/code_rules.def"
	,
	PURPOSE_WORDS = 0
#include "analyze/code_purposes.def"
};

_Static_assert(ORIGIN_WORDS < UINT16_MAX && PURPOSE_WORDS < UINT16_MAX,
	       "numbers of words fit two bytes");

static struct word origin_words[ORIGIN_WORDS];
static struct word purpose_words[PURPOSE_WORDS];
static struct word_index origin_index = { .rules = origins,
					  .rule_count = COUNT_OF(origins),
					  .words = origin_words };
static struct word_index purpose_index = { .rules = purposes,
					   .rule_count = COUNT_OF(purposes),
					   .words = purpose_words };

static size_t start_of(char a, char b, char c)
{
	return ((size_t)(unsigned char)letter_of(a) * 5 +
		(size_t)(unsigned char)letter_of(b) * 11 +
		(size_t)(unsigned char)letter_of(c) * 23) %
	       STARTS;
}

/* Of a word or name of two letters at least. */
static size_t short_start(struct str s)
{
	return start_of(s.ptr[0], s.ptr[1], '.');
}

/* Of LONG_BYTES at least. */
static size_t long_start(struct str s)
{
	return STARTS +
	       start_of(s.ptr[0], s.ptr[LONG_BYTES - 2], s.ptr[LONG_BYTES - 1]);
}

static size_t bucket_of_start(struct str word)
{
	if (word.len >= LONG_BYTES)
		return long_start(word);
	return word.len > 1 ? short_start(word) : ANYWHERE;
}

/* Whether words of it are looked for at the start of names. */
static bool is_start(enum rule_op op)
{
	return op == OP_PKG || op == OP_PKG_BARE || op == OP_NAME_PREFIX ||
	       op == OP_NAME_IS || op == OP_NAME_IS_BARE;
}

static size_t bucket_of(const struct word *w)
{
	enum rule_op op = w->rule->op;

	if (is_start(op))
		return bucket_of_start(w->text);
	if (op == OP_FILE_PREFIX || op == OP_FILE_HAS ||
	    (op == OP_FUNCTION_IN && w->text.ptr[0] != ':'))
		return OF_FILES;
	return ANYWHERE;
}

static size_t chain_of(unsigned int languages)
{
	size_t i = 0;

	if (languages & (languages - 1))
		return LANGUAGES_MIXED;
	while (!(languages >> i & 1))
		i++;
	return i;
}

/* A function and its file are written with ':' between. */
static uint64_t letters_of_word(const struct word *w)
{
	uint64_t letters = letters_of(w->text);

	return w->rule->op == OP_FUNCTION_IN ? letters & ~letter_bit(':')
					     : letters;
}

/* *at is behind the last word; false at the end of the rule. */
static bool next_word(const char **at, struct word *w)
{
	const char *end = *at;

	while (*end && *end != ' ')
		end++;
	if (end == *at)
		return false;
	w->text = (struct str){ *at, (size_t)(end - *at) };
	w->last = letter_of(end[-1]);
	*at = *end ? end + 1 : end;
	return true;
}

/* Each word goes in front of its chain, hence the last rules first. */
static void index_fill(struct word_index *x)
{
	for (size_t i = x->rule_count; i-- > 0;) {
		struct word w = { .rule = &x->rules[i] };
		size_t chain = chain_of(w.rule->languages);

		for (const char *at = w.rule->words; next_word(&at, &w);) {
			uint16_t *first = &x->first[bucket_of(&w)][chain];

			w.letters =
				is_start(w.rule->op) ? 0 : letters_of_word(&w);
			w.next = *first;
			x->words[x->word_count++] = w;
			*first = x->word_count;
		}
	}
}

static void fill_indexes(void)
{
	index_fill(&origin_index);
	index_fill(&purpose_index);
}

/* Whether a text that begins with the word has its last letter there. */
static bool may_begin(struct str text, const struct word *w)
{
	return text.len >= w->text.len &&
	       letter_of(text.ptr[w->text.len - 1]) == w->last;
}

static bool may_match(const struct code_subject *s,
		      const struct subject_letters *letters,
		      const struct word *w)
{
	switch (w->rule->op) {
	case OP_PKG:
		return may_begin(s->name, w) || may_begin(s->module, w);
	case OP_PKG_BARE:
	case OP_NAME_PREFIX:
	case OP_NAME_IS:
	case OP_NAME_IS_BARE:
		return may_begin(s->name, w);
	case OP_FILE_PREFIX:
	case OP_FILE_HAS:
		return !(w->letters & ~letters->file);
	case OP_FUNCTION_IN:
		return !(w->letters & ~(letters->name | letters->file));
	default:
		return !(w->letters & ~letters->name);
	}
}

/* The first rule of a chain that matches, if it comes before `best`. */
static const struct rule *chain_find(const struct word_index *x, uint32_t first,
				     const struct code_subject *s,
				     const struct subject_letters *letters,
				     const struct rule *best)
{
	for (uint32_t i = first; i; i = x->words[i - 1].next) {
		const struct word *w = &x->words[i - 1];

		if (best && w->rule >= best)
			break;
		if (may_match(s, letters, w) &&
		    (s->languages & w->rule->languages) &&
		    word_matches(s, w->rule->op, w->text))
			return w->rule;
	}
	return best;
}

static const struct rule *bucket_find(const struct word_index *x, size_t bucket,
				      const struct code_subject *s,
				      const struct subject_letters *letters,
				      const struct rule *best)
{
	const uint16_t *first = x->first[bucket];

	for (unsigned int i = 0; i < LANGUAGE_COUNT; i++)
		if (s->languages >> i & 1)
			best = chain_find(x, first[i], s, letters, best);
	return chain_find(x, first[LANGUAGES_MIXED], s, letters, best);
}

/* Of the words that may begin as this name does. */
static const struct rule *start_find(const struct word_index *x,
				     struct str text,
				     const struct code_subject *s,
				     const struct subject_letters *letters,
				     const struct rule *best)
{
	if (text.len > 1)
		best = bucket_find(x, short_start(text), s, letters, best);
	if (text.len >= LONG_BYTES)
		best = bucket_find(x, long_start(text), s, letters, best);
	return best;
}

static const struct rule *rule_find(const struct word_index *x,
				    const struct code_subject *s,
				    const struct subject_letters *letters)
{
	const struct rule *best = start_find(x, s->name, s, letters, NULL);

	best = start_find(x, s->module, s, letters, best);
	if (s->file.len)
		best = bucket_find(x, OF_FILES, s, letters, best);
	return bucket_find(x, ANYWHERE, s, letters, best);
}

static const struct code_rule *user_rule_find(const struct code_rules *rules,
					      const struct code_subject *s)
{
	for (size_t i = 0; rules && i < rules->count; i++)
		if ((s->languages & rules->items[i].languages) &&
		    word_matches(s, rules->items[i].op, rules->items[i].text))
			return &rules->items[i];
	return NULL;
}

/* Code of an interpreter or a virtual machine shows as C or C++. */
static bool is_beneath_managed(const struct code_subject *s,
			       unsigned int profile)
{
	unsigned int managed = LANGUAGE_JVM | LANGUAGE_PYTHON | LANGUAGE_NODE |
			       LANGUAGE_DOTNET | LANGUAGE_RUBY;
	unsigned int others = profile & ~(unsigned int)LANGUAGE_NATIVE;

	return (profile & managed) && (s->languages & LANGUAGE_NATIVE) &&
	       !(s->languages & others);
}

/* Every Go function of a package has a dot; assembler and C do not. */
static bool is_bare_in_go(const struct code_subject *s)
{
	return s->languages == LANGUAGE_GO &&
	       str_find(s->name, STR(".")) == SIZE_MAX;
}

static struct code_class origin_of(const struct code_subject *s,
				   const struct subject_letters *letters,
				   unsigned int profile_languages)
{
	const struct rule *rule = rule_find(&origin_index, s, letters);
	struct code_class out = { CODE_APPLICATION, false, false };

	if (rule) {
		out.kind = rule->kind;
		out.is_kernel_entry = rule->is_kernel_entry;
	} else if (is_beneath_managed(s, profile_languages) ||
		   is_bare_in_go(s)) {
		out.kind = CODE_RUNTIME;
	}
	return out;
}

/* .NET puts the assembly in front: "System.Private.CoreLib!System.GC.Run". */
static const struct rule *purpose_find(const struct code_subject *s,
				       const struct subject_letters *letters)
{
	const struct rule *rule = rule_find(&purpose_index, s, letters);
	size_t mark = str_find(s->name, STR("!"));
	struct code_subject inner = *s;

	if (rule || mark == SIZE_MAX || !(s->languages & LANGUAGE_DOTNET))
		return rule;
	inner.name = str_slice(s->name, mark + 1, s->name.len);
	return rule_find(&purpose_index, &inner, letters);
}

static struct code_class classify(const struct code_rules *rules,
				  struct code_subject s,
				  unsigned int profile_languages)
{
	const struct code_rule *own;
	const struct rule *purpose;
	struct subject_letters letters;
	struct code_class out;
	char text[MANGLED_BYTES];

	code_subject_settle(&s, profile_languages, text);
	own = user_rule_find(rules, &s);
	if (own)
		return (struct code_class){ own->kind, false, false };
	letters.name = letters_of(s.name);
	letters.file = letters_of(s.file);
	out = origin_of(&s, &letters, profile_languages);
	if (out.kind == CODE_APPLICATION || out.is_kernel_entry)
		return out;
	purpose = purpose_find(&s, &letters);
	if (purpose) {
		out.kind = purpose->kind;
		out.is_leaf_only = purpose->is_leaf_only;
	}
	return out;
}

struct code_class code_classify_subject(const struct code_rules *rules,
					const struct code_subject *subject,
					unsigned int profile_languages)
{
	static pthread_once_t are_filled = PTHREAD_ONCE_INIT;

	pthread_once(&are_filled, fill_indexes);
	return classify(rules, *subject, profile_languages);
}

struct code_class code_classify(const struct code_rules *rules, struct str name,
				struct str file, unsigned int profile_languages)
{
	struct code_known *known = NULL;
	struct code_subject subject;
	struct code_class out;

	if (rules && rules->memo)
		known = code_memo_known(rules->memo, name, file);
	if (known && code_known_class(known, profile_languages, &out))
		return out;
	subject = known ? known->subject : code_subject_of(name, file);
	out = code_classify_subject(rules, &subject, profile_languages);
	if (known)
		code_known_keep(known, profile_languages, &out);
	return out;
}
