/* SPDX-License-Identifier: Apache-2.0
 *
 * The one place through which foreign text (span names, function names, server
 * messages) reaches an output. Each target has its own danger: a terminal obeys
 * escape sequences, JSON breaks on quotes, a folded line on ';' and newline, a
 * spreadsheet evaluates formulas. Also measures display width, which applies to
 * escaped text only.
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/out.h"
#include "base/str.h"

/* For terminals and plain text: C0, DEL, C1, bidi and zero-width controls,
 * newlines and invalid UTF-8 are replaced by visible escapes (\n as "\n", ESC
 * as "\x1b", U+202E as "\u202e", an invalid byte as "\xff"). */
void escape_terminal(struct out *out, struct str text);

/* Same, into a buffer (to lay out columns). */
void escape_terminal_buf(struct buf *out, struct str text);

/* The inside of a JSON string, without quotes. Output is UTF-8; invalid UTF-8
 * becomes U+FFFD; C0, DEL, C1, U+2028/2029, bidi controls and '<' are written
 * as \u escapes. */
void escape_json(struct out *out, struct str text);

/* Text or an attribute value in XML and HTML: & < > " and ' become references;
 * controls, invalid UTF-8 and characters not allowed in XML (U+FFFE, U+FFFF)
 * are escaped as in escape_terminal(). */
void escape_xml(struct out *out, struct str text);

/* A frame name in a folded stack: ';' becomes ':', controls and newlines a
 * space, invalid UTF-8 U+FFFD, the empty name "[empty]"; leading and trailing
 * spaces are kept away from the separator. */
void escape_folded(struct out *out, struct str name);

/* A protobuf string: invalid UTF-8 becomes U+FFFD, nothing else changes. */
void escape_utf8(struct out *out, struct str text);

/* A CSV field (RFC 4180), always quoted; controls as in escape_terminal(). Text
 * that a spreadsheet would take for a formula (first character = + - or @) is
 * prefixed with an apostrophe. */
void escape_csv(struct out *out, struct str text);

/* Prose within a line of Markdown, also as GitHub and GitLab extend it: the
 * text yields no markup, HTML, link, mention or issue reference. Controls as in
 * escape_terminal(). */
void escape_markdown(struct out *out, struct str text);

/* A name as inline code in Markdown. In a table cell (is_cell) '|' is escaped
 * and a '\' before it becomes "\x5c". Writes nothing for empty text. */
void escape_markdown_code(struct out *out, struct str text, bool is_cell);

/* The inside of a quoted Graphviz string, where a backslash begins an escape:
 * the escapes of escape_terminal() are shown as they are. */
void escape_dot(struct out *out, struct str text);

/* Returns the length of the longest run of '`' in text: a code fence must be
 * longer. */
size_t text_backticks(struct str text);

/* Returns the number of terminal columns of escaped text (East Asian wide = 2,
 * combining = 0). */
size_t text_width(struct str escaped);

/* Returns the length in bytes of the longest prefix of escaped text that fits
 * into `columns`. */
size_t text_fit(struct str escaped, size_t columns);

/* Words of shell commands that are printed for pasting. */

/* Appends a space and the word, single-quoted where the shell would otherwise
 * interpret it. */
void shell_word_add(struct buf *out, struct str word);

#endif
