/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/mem.h"
#include "base/redact.h"

/* Escaping makes at most six bytes of one, redacting at most twelve of three;
 * the prefix is short. */
#define LINE_BYTES (24 * (size_t)LIMIT_ERROR_BYTES + 64)

/* In one write, so that lines of several programs do not mix. A message that
 * cannot be written has nobody to tell. */
static void write_line(const char *data, size_t len)
{
	while (len) {
		ssize_t done = write(STDERR_FILENO, data, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return;
		data += done;
		len -= (size_t)done;
	}
}

static bool has_told_error;
static bool has_told_memory; /* in the place of messages */

static void message_write(const char *prefix, const char *text)
{
	struct buf line, shown;

	buf_init(&line, LINE_BYTES);
	buf_init(&shown, LINE_BYTES);
	message_redact(&shown, str_from(text));
	buf_add_text(&line, prefix);
	escape_terminal_buf(&line, buf_str(&shown));
	buf_add_char(&line, '\n');
	if (line.state == BUF_OK && shown.state == BUF_OK)
		write_line(line.data, line.len);
	else if (!has_told_memory)
		write_line("tracefind: out of memory\n", 25);
	if (line.state != BUF_OK || shown.state != BUF_OK)
		has_told_memory = has_told_error = true;
	buf_release(&shown);
	buf_release(&line);
}

/* Prints an error; what could not be read for lack of memory may look like
 * something that is not there, or like another server. */
void message_error(const struct error *err)
{
	struct error told = *err;

	has_told_error = true;
	if (mem_has_failed() && err->code != ERROR_MEMORY)
		error_prefix(&told, "out of memory, which may be why");
	message_write("tracefind: ", told.message);
}

bool message_has_told_error(void)
{
	return has_told_error;
}

void message_info(const char *format, ...)
{
	struct error text;
	va_list args;

	va_start(args, format);
	vsnprintf(text.message, sizeof text.message, format, args);
	va_end(args);
	message_write("tracefind: ", text.message);
}
