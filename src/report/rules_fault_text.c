/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rules_fault_text.h"

#include "base/buf.h"
#include "base/limits.h"

/* Of a word that is none; more of it would hide the list. */
#define WORD_BYTES 40

/* "unknown test 'x' (one of pkg, name-is)" */
static void explain_word(const struct rules_fault *f, struct error *err)
{
	static const char *const places[] = {
		[RULES_LANGUAGE] = "language",
		[RULES_KIND] = "kind",
		[RULES_TEST] = "test",
	};
	const char *what = places[f->place], *word;
	struct str given = str_slice(f->word, 0, WORD_BYTES);
	struct buf list;

	buf_init(&list, LIMIT_ERROR_BYTES);
	for (unsigned i = 0; (word = code_rules_word(f->place, i)); i++)
		buf_addf(&list, "%s%s", i ? ", " : "", word);
	if (given.len)
		error_set(err, ERROR_USAGE, "unknown %s '%.*s' (one of %s)",
			  what, STR_ARGS(given), buf_text(&list));
	else
		error_set(err, ERROR_USAGE,
			  "no %s: a rule is LANGUAGE KIND TEST TEXT, the %s "
			  "one of %s",
			  what, what, buf_text(&list));
	buf_release(&list);
}

static void explain(const struct rules_fault *f, struct error *err)
{
	switch (f->kind) {
	case RULES_FAULT_NONE:
		break;
	case RULES_FAULT_WORD:
		explain_word(f, err);
		break;
	case RULES_FAULT_NO_TEXT:
		error_set(err, ERROR_USAGE,
			  "no text to compare with: a rule is LANGUAGE KIND "
			  "TEST TEXT");
		break;
	case RULES_FAULT_TEXT:
		error_set(err, ERROR_USAGE,
			  "the text is %zu bytes long (at most %u)", f->bytes,
			  LIMIT_RULE_TEXT_BYTES);
		break;
	case RULES_FAULT_COUNT:
		error_set(err, ERROR_USAGE, "more than %u rules", LIMIT_RULES);
		break;
	case RULES_FAULT_FILE:
		error_set(err, ERROR_USAGE,
			  "the rules are %zu bytes long (at most %zu)",
			  f->bytes, LIMIT_RULE_FILE_BYTES);
		break;
	}
}

bool rules_fault_explain(const struct rules_fault *fault, const char *name,
			 struct error *err)
{
	explain(fault, err);
	if (fault->line)
		return error_prefix(err, "%s:%zu", name, fault->line);
	return error_prefix(err, "%s", name);
}
