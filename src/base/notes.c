/* SPDX-License-Identifier: Apache-2.0 */
#include "base/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

void notes_init(struct notes *n)
{
	memset(n, 0, sizeof *n);
}

static void note_keep(struct notes *n, const char *text)
{
	for (size_t i = 0; i < n->count; i++)
		if (!strcmp(n->text[i], text))
			return;
	if (n->count == LIMIT_NOTES) {
		n->dropped++;
		return;
	}
	memcpy(n->text[n->count++], text, strlen(text) + 1);
}

void notes_add(struct notes *n, const char *format, ...)
{
	char text[LIMIT_NOTE_BYTES];
	va_list args;
	int len;

	if (!n)
		return;
	va_start(args, format);
	len = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (len < 0)
		return;
	if ((size_t)len >= sizeof text)
		memcpy(text + utf8_floor(text, sizeof text - 1,
					 sizeof text - 4),
		       "...", 4);
	note_keep(n, text);
}

void notes_drop(struct notes *n, const char *text)
{
	size_t kept = 0;

	if (!n || !text || !*text)
		return;
	for (size_t i = 0; i < n->count; i++)
		if (!strstr(n->text[i], text)) {
			memmove(n->text[kept], n->text[i], sizeof n->text[i]);
			kept++;
		}
	n->count = kept;
}

void notes_append(struct notes *dst, const struct notes *src)
{
	if (!dst || !src || dst == src)
		return;
	for (size_t i = 0; i < src->count; i++)
		note_keep(dst, src->text[i]);
	dst->dropped += src->dropped;
}
