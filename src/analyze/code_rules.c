/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/code_rules.h"

#include <stdint.h>
#include <string.h>

#include "base/buf.h"

struct word {
	const char *text;
	unsigned int value;
};

static const struct word language_words[] = {
	{ "any", LANGUAGE_ANY },       { "go", LANGUAGE_GO },
	{ "jvm", LANGUAGE_JVM },       { "python", LANGUAGE_PYTHON },
	{ "node", LANGUAGE_NODE },     { "dotnet", LANGUAGE_DOTNET },
	{ "ruby", LANGUAGE_RUBY },     { "rust", LANGUAGE_RUST },
	{ "native", LANGUAGE_NATIVE }, { NULL, 0 },
};

static const struct word test_words[] = {
	{ "pkg", OP_PKG },
	{ "name-prefix", OP_NAME_PREFIX },
	{ "name-suffix", OP_NAME_SUFFIX },
	{ "name-is", OP_NAME_IS },
	{ "name-has", OP_NAME_HAS },
	{ "file-prefix", OP_FILE_PREFIX },
	{ "file-has", OP_FILE_HAS },
	{ NULL, 0 },
};

/* A line being read. */
struct reader {
	const char *name;
	size_t line; /* from 1 */
	struct str rest;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool fail(const struct reader *r, struct error *err)
{
	return error_prefix(err, "%s:%zu", r->name, r->line);
}

/* '#' within a word is none: "Array#each" is a name of Ruby's. */
static struct str without_comment(struct str line)
{
	for (size_t i = 0; i < line.len; i++)
		if (line.ptr[i] == '#' && (!i || is_blank(line.ptr[i - 1])))
			return str_slice(line, 0, i);
	return line;
}

static struct str next_word(struct reader *r)
{
	struct str word;
	size_t len = 0;

	while (len < r->rest.len && !is_blank(r->rest.ptr[len]))
		len++;
	word = str_slice(r->rest, 0, len);
	r->rest = str_trim(str_slice(r->rest, len, r->rest.len));
	return word;
}

static bool find_word(const struct word *words, struct str text,
		      unsigned int *value)
{
	for (; words->text; words++) {
		if (!str_equal(text, str_from(words->text)))
			continue;
		*value = words->value;
		return true;
	}
	return false;
}

/* "unknown test 'x' (one of pkg, name-is)"; list is released. */
static bool fail_word(const char *what, struct str word, struct buf *list,
		      struct error *err)
{
	if (word.len > 40)
		word.len = 40;
	if (word.len)
		error_set(err, ERROR_USAGE, "unknown %s '%.*s' (one of %s)",
			  what, STR_ARGS(word), buf_text(list));
	else
		error_set(err, ERROR_USAGE,
			  "no %s: a rule is LANGUAGE KIND TEST TEXT, the %s "
			  "one of %s",
			  what, what, buf_text(list));
	buf_release(list);
	return false;
}

static bool fail_known(const char *what, struct str word,
		       const struct word *words, struct error *err)
{
	struct buf list;

	buf_init(&list, LIMIT_ERROR_BYTES);
	for (const struct word *w = words; w->text; w++)
		buf_addf(&list, "%s%s", list.len ? ", " : "", w->text);
	return fail_word(what, word, &list, err);
}

static bool fail_kind(struct str word, struct error *err)
{
	struct buf list;

	buf_init(&list, LIMIT_ERROR_BYTES);
	for (int i = 0; i < CODE_KIND_COUNT; i++)
		buf_addf(&list, "%s%s", i ? ", " : "",
			 code_kind_name((enum code_kind)i));
	return fail_word("kind", word, &list, err);
}

/* "rust,native" */
static bool parse_languages(struct str word, unsigned int *languages,
			    struct error *err)
{
	struct str rest = word;

	*languages = 0;
	do {
		size_t comma = str_find(rest, STR(","));
		struct str one = str_slice(rest, 0, comma);
		unsigned int bits;

		if (!find_word(language_words, one, &bits))
			return fail_known("language", one, language_words, err);
		*languages |= bits;
		rest = comma == SIZE_MAX ? STR("")
					 : str_slice(rest, comma + 1, rest.len);
		if (comma != SIZE_MAX && !rest.len)
			return fail_known("language", rest, language_words,
					  err);
	} while (rest.len);
	return true;
}

static bool parse_text(struct str text, struct error *err)
{
	if (!text.len)
		return error_set(err, ERROR_USAGE,
				 "no text to compare with: a rule is LANGUAGE "
				 "KIND TEST TEXT");
	if (text.len > LIMIT_RULE_TEXT_BYTES)
		return error_set(err, ERROR_USAGE,
				 "the text is %zu bytes long (at most %u)",
				 text.len, LIMIT_RULE_TEXT_BYTES);
	return true;
}

static bool parse_rule(struct reader *r, struct code_rule *rule,
		       struct error *err)
{
	struct str word = next_word(r);
	unsigned int op;

	if (!parse_languages(word, &rule->languages, err))
		return fail(r, err);
	word = next_word(r);
	if (!code_kind_parse(word, &rule->kind)) {
		fail_kind(word, err);
		return fail(r, err);
	}
	word = next_word(r);
	if (!find_word(test_words, word, &op)) {
		fail_known("test", word, test_words, err);
		return fail(r, err);
	}
	rule->op = (enum rule_op)op;
	rule->text = r->rest;
	return parse_text(rule->text, err) || fail(r, err);
}

static bool rule_add(struct code_rules *rules, size_t *cap, struct arena *arena,
		     struct reader *r, struct error *err)
{
	struct code_rule rule;

	if (!parse_rule(r, &rule, err))
		return false;
	if (rules->count == LIMIT_RULES) {
		error_set(err, ERROR_USAGE, "more than %u rules", LIMIT_RULES);
		return fail(r, err);
	}
	rule.text = arena_str(arena, rule.text);
	if (!rule.text.ptr ||
	    !arena_reserve(arena, (void **)&rules->items, cap, rules->count + 1,
			   sizeof *rules->items))
		return arena_fail(arena, "the rules", err);
	rules->items[rules->count++] = rule;
	return true;
}

bool code_rules_parse(struct code_rules *rules, struct arena *arena,
		      const char *name, struct str text, struct error *err)
{
	struct reader r = { .name = name };
	size_t cap = 0;

	*rules = (struct code_rules){ .count = 0 };
	if (text.len > LIMIT_RULE_FILE_BYTES)
		return error_set(err, ERROR_USAGE,
				 "%s: the rules are %zu bytes long (at most "
				 "%zu)",
				 name, text.len, LIMIT_RULE_FILE_BYTES);
	while (text.len) {
		size_t end = str_find(text, STR("\n"));

		r.line++;
		r.rest = str_trim(without_comment(str_slice(text, 0, end)));
		text = end == SIZE_MAX ? STR("")
				       : str_slice(text, end + 1, text.len);
		if (r.rest.len && !rule_add(rules, &cap, arena, &r, err))
			return false;
	}
	return true;
}
