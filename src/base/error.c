/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

/* Ends a truncated message at a character boundary, with an ellipsis. */
static void mark_cut(char *text, size_t size)
{
	size_t len = utf8_floor(text, size - 1, size - 4);

	memcpy(text + len, "...", 4);
}

static PRINTF_LIKE(3, 0) void format_into(char *text, size_t size,
					  const char *format, va_list args)
{
	int len = vsnprintf(text, size, format, args);

	if (len < 0)
		text[0] = '\0';
	else if ((size_t)len >= size)
		mark_cut(text, size);
}

bool error_set(struct error *err, enum error_code code, const char *format, ...)
{
	va_list args;

	err->code = code;
	va_start(args, format);
	format_into(err->message, sizeof err->message, format, args);
	va_end(args);
	return false;
}

bool error_prefix(struct error *err, const char *format, ...)
{
	char old[sizeof err->message];
	va_list args;
	size_t len;

	memcpy(old, err->message, sizeof old);
	va_start(args, format);
	format_into(err->message, sizeof err->message, format, args);
	va_end(args);
	len = strlen(err->message);
	if (snprintf(err->message + len, sizeof err->message - len, ": %s",
		     old) >= (int)(sizeof err->message - len))
		mark_cut(err->message, sizeof err->message);
	return false;
}

bool error_memory(struct error *err, const char *what)
{
	return error_set(err, ERROR_MEMORY, "out of memory for %s", what);
}

void error_clear(struct error *err)
{
	err->code = ERROR_NONE;
	err->message[0] = '\0';
}

int error_exit_code(enum error_code code)
{
	switch (code) {
	case ERROR_NONE:
	case ERROR_STOPPED:
		return 0;
	case ERROR_USAGE:
		return 2;
	case ERROR_AUTH:
		return 3;
	case ERROR_PARTIAL:
		return 4;
	case ERROR_NOT_FOUND:
		return 5;
	case ERROR_NETWORK:
		return 6;
	case ERROR_FORMAT:
	case ERROR_LIMIT:
		return 7;
	case ERROR_INTERRUPTED:
		return 130;
	case ERROR_OUTPUT:
	case ERROR_MEMORY:
	case ERROR_INTERNAL:
		return 1;
	}
	return 1;
}
