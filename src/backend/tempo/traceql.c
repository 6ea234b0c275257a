/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/tempo/traceql.h"

/* The server's scanner takes a query in by pieces of this size and looks
 * ahead on a copy of itself behind "resource." and in durations. A copy that
 * has to take in the next piece leaves the original without it: "syntax error:
 * unexpected $end". */
#define SCANNER_BYTES ((size_t)1024)

void traceql_add_word(struct buf *q, const char *word)
{
	size_t left = SCANNER_BYTES - q->len % SCANNER_BYTES;

	/* The scanner peeks at what follows, too. */
	if (str_from(word).len + 2 > left)
		buf_addf(q, "%*s", (int)left, "");
	buf_add_text(q, word);
}

void traceql_add_string(struct buf *q, struct str text)
{
	buf_add_char(q, '"');
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c == '"' || c == '\\')
			buf_addf(q, "\\%c", c);
		else if (c < ' ' || c > '~')
			buf_addf(q, "\\x%02x", c);
		else
			buf_add_char(q, (char)c);
	}
	buf_add_char(q, '"');
}

void traceql_add_and(struct buf *q, size_t start)
{
	if (q->len > start)
		buf_add_text(q, "&&");
}

void traceql_add_equal(struct buf *q, const char *field, struct str text)
{
	traceql_add_word(q, field);
	buf_add_char(q, '=');
	traceql_add_string(q, text);
}

void traceql_add_least(struct buf *q, const char *field, int64_t duration_ns)
{
	struct buf word;

	buf_init(&word, 64);
	buf_addf(&word, "%s>=%lldns", field, (long long)duration_ns);
	traceql_add_word(q, buf_text(&word));
	buf_release(&word);
}

void traceql_select(struct buf *q, const char *const *fields,
		    size_t field_count)
{
	buf_add_text(q, "|select(");
	traceql_add_word(q, fields[0]);
	for (size_t i = 1; i < field_count; i++)
		traceql_select_more(q, fields[i]);
}

void traceql_select_more(struct buf *q, const char *field)
{
	buf_add_char(q, ',');
	traceql_add_word(q, field);
}
