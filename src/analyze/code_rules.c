/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/code_kind.h"

#include <stdint.h>
#include <string.h>

#include "base/limits.h"

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
	size_t line; /* from 1 */
	struct str rest;
	struct rules_fault *fault;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool code_rules_fail(const struct reader *r, struct rules_fault fault)
{
	fault.line = r->line;
	*r->fault = fault;
	return false;
}

static bool fail_word(const struct reader *r, enum rules_place place,
		      struct str word)
{
	return code_rules_fail(r,
			       (struct rules_fault){ .kind = RULES_FAULT_WORD,
						     .place = place,
						     .word = word });
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

const char *code_rules_word(enum rules_place place, unsigned index)
{
	if (place == RULES_LANGUAGE)
		return language_words[index].text;
	if (place == RULES_TEST)
		return test_words[index].text;
	return index < CODE_KIND_COUNT ? code_kind_name((enum code_kind)index)
				       : NULL;
}

/* "rust,native" */
static bool parse_languages(const struct reader *r, struct str word,
			    unsigned int *languages)
{
	struct str rest = word;

	*languages = 0;
	do {
		size_t comma = str_find(rest, STR(","));
		struct str one = str_slice(rest, 0, comma);
		unsigned int bits;

		if (!find_word(language_words, one, &bits))
			return fail_word(r, RULES_LANGUAGE, one);
		*languages |= bits;
		rest = comma == SIZE_MAX ? STR("")
					 : str_slice(rest, comma + 1, rest.len);
		if (comma != SIZE_MAX && !rest.len)
			return fail_word(r, RULES_LANGUAGE, rest);
	} while (rest.len);
	return true;
}

static bool parse_rule(struct reader *r, struct code_rule *rule)
{
	unsigned int op;
	struct str word = next_word(r);

	if (!parse_languages(r, word, &rule->languages))
		return false;
	word = next_word(r);
	if (!code_kind_parse(word, &rule->kind))
		return fail_word(r, RULES_KIND, word);
	word = next_word(r);
	if (!find_word(test_words, word, &op))
		return fail_word(r, RULES_TEST, word);
	rule->op = (enum rule_op)op;
	rule->text = r->rest;
	if (!rule->text.len)
		return code_rules_fail(
			r, (struct rules_fault){ .kind = RULES_FAULT_NO_TEXT });
	if (rule->text.len > LIMIT_RULE_TEXT_BYTES)
		return code_rules_fail(
			r, (struct rules_fault){ .kind = RULES_FAULT_TEXT,
						 .bytes = rule->text.len });
	return true;
}

static bool rule_add(struct code_rules *rules, size_t *cap, struct arena *arena,
		     struct reader *r, struct error *err)
{
	struct code_rule rule;

	if (!parse_rule(r, &rule))
		return false;
	if (rules->count == LIMIT_RULES)
		return code_rules_fail(
			r, (struct rules_fault){ .kind = RULES_FAULT_COUNT });
	rule.text = arena_str(arena, rule.text);
	if (!rule.text.ptr ||
	    !arena_reserve(arena, (void **)&rules->items, cap, rules->count + 1,
			   sizeof *rules->items))
		return arena_fail(arena, "the rules", err);
	rules->items[rules->count++] = rule;
	return true;
}

static bool read_lines(struct code_rules *rules, struct arena *arena,
		       struct str text, struct reader *r, struct error *err)
{
	size_t cap = 0;

	while (text.len) {
		size_t end = str_find(text, STR("\n")), len = 0;
		struct str line = str_slice(text, 0, end);

		r->line++;
		/* '#' within a word is none: "Array#each" is a name of
		 * Ruby's. */
		while (len < line.len &&
		       (line.ptr[len] != '#' ||
			(len && !is_blank(line.ptr[len - 1]))))
			len++;
		r->rest = str_trim(str_slice(line, 0, len));
		text = end == SIZE_MAX ? STR("")
				       : str_slice(text, end + 1, text.len);
		if (r->rest.len && !rule_add(rules, &cap, arena, r, err))
			return false;
	}
	return true;
}

bool code_rules_parse(struct code_rules *rules, struct arena *arena,
		      struct str text, struct rules_fault *fault,
		      struct error *err)
{
	struct reader r = { .fault = fault };

	*rules = (struct code_rules){ .count = 0 };
	*fault = (struct rules_fault){ .kind = RULES_FAULT_NONE };
	if (text.len > LIMIT_RULE_FILE_BYTES)
		code_rules_fail(&r,
				(struct rules_fault){ .kind = RULES_FAULT_FILE,
						      .bytes = text.len });
	else if (read_lines(rules, arena, text, &r, err))
		return true;
	return fault->kind && error_set(err, ERROR_USAGE, "%s", "");
}
