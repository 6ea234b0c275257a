/* SPDX-License-Identifier: Apache-2.0
 *
 * The one place through which foreign text (span names, function names,
 * server messages) reaches an output. Each target has its own danger:
 * a terminal obeys escape sequences, JSON breaks on quotes, a folded line on
 * ';' and newline, a spreadsheet computes formulas. Also measures display
 * width, since only what is shown is measured.
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/out.h"
#include "base/str.h"

/* For a terminal or any human-readable text: C0, DEL, C1, bidi and zero-width
 * controls and damaged UTF-8 become visible stand-ins (\n as "\n", ESC as
 * "\x1b", U+202E as "\u202e", a bad byte as "\xff"); newlines too. */
void escape_terminal(struct out *out, struct str text);

/* Same, into a buffer (for laying out columns). */
void escape_terminal_buf(struct buf *out, struct str text);

/* The inside of a JSON string, without quotes. Output is UTF-8; damaged
 * UTF-8 becomes U+FFFD; C0, DEL, C1, U+2028/2029, bidi controls and '<' are
 * written as \u escapes. */
void escape_json(struct out *out, struct str text);

/* Text or the value of an attribute in XML and HTML: & < > " and ' as
 * references, controls and damaged UTF-8 as in escape_terminal(), and so what
 * no XML may hold (U+FFFE, U+FFFF). */
void escape_xml(struct out *out, struct str text);

/* A frame name in a folded line: ';' becomes ':', controls and newlines
 * a blank, damaged UTF-8 U+FFFD, the empty name "[empty]"; leading and trailing
 * blanks are kept off the separator. */
void escape_folded(struct out *out, struct str name);

/* Text where it is kept, as a string of protobuf: U+FFFD for damaged UTF-8, and
 * nothing else is changed. */
void escape_utf8(struct out *out, struct str text);

/* A field of comma-separated values (RFC 4180), always in quotes; controls as
 * in escape_terminal(). What a spreadsheet would take for a formula (a first
 * = + - or @) gets an apostrophe in front. */
void escape_csv(struct out *out, struct str text);

/* Prose within a line of Markdown, that of GitHub and GitLab included: no mark
 * up, HTML, link, mention or number of an issue comes of it. Controls as in
 * escape_terminal(). */
void escape_markdown(struct out *out, struct str text);

/* A name as code within a line of Markdown, or within a cell of a table, where
 * '|' is marked and a '\' before it becomes visible as "\x5c". Nothing for
 * empty text. */
void escape_markdown_code(struct out *out, struct str text, bool is_cell);

/* The inside of a quoted text of Graphviz, where a backslash begins an escape:
 * marks and controls come out as they are in escape_terminal(). */
void escape_dot(struct out *out, struct str text);

/* How many '`' follow each other in text at most: a fence around it needs
 * more. */
size_t text_backticks(struct str text);

/* Columns that escaped text takes on a terminal (East Asian wide = 2,
 * combining = 0). */
size_t text_width(struct str escaped);

/* Length in bytes of the longest prefix of escaped text that fits into
 * `columns`. */
size_t text_fit(struct str escaped, size_t columns);

/* Words of commands that are printed to be pasted. Knows no command. */

/* Appends a blank and the word, in single quotes where a shell would read more
 * than one plain word. */
void shell_word_add(struct buf *out, struct str word);

#endif
