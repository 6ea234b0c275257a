/* SPDX-License-Identifier: Apache-2.0 */
#include "model/checks.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/num.h"

void checks_init(struct checks *c, struct arena *arena)
{
	c->arena = arena;
	c->count = c->dropped = 0;
	c->is_failed = false;
}

static PRINTF_LIKE(2, 0) struct str
	print(struct checks *c, const char *format, va_list args)
{
	char text[LIMIT_CHECK_BYTES + 4]; /* long enough to notice truncation */
	struct str copy;
	int len = vsnprintf(text, sizeof text, format, args);
	size_t size = len < 0 ? 0 : min_size((size_t)len, sizeof text - 1);

	if (size > LIMIT_CHECK_BYTES - 1)
		size = utf8_floor(text, size, LIMIT_CHECK_BYTES - 1);
	copy = arena_str(c->arena, (struct str){ text, size });
	if (copy.ptr)
		return copy;
	c->is_failed = true;
	return STR("");
}

static PRINTF_LIKE(3, 0) void add(struct checks *c, struct check check,
				  const char *format, va_list args)
{
	if (c->count == LIMIT_CHECKS) {
		c->dropped++;
		return;
	}
	check.text = print(c, format, args);
	c->items[c->count++] = check;
}

void check_ok(struct checks *c, const char *side, const char *name,
	      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(c, (struct check){ .side = side, .name = name }, format, args);
	va_end(args);
}

void check_warn(struct checks *c, const char *side, const char *name,
		const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(c,
	    (struct check){
		    .status = CHECK_WARNING, .side = side, .name = name },
	    format, args);
	va_end(args);
}

void check_fail(struct checks *c, enum error_code code, const char *side,
		const char *name, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(c,
	    (struct check){ .status = CHECK_FAILED,
			    .code = code,
			    .side = side,
			    .name = name },
	    format, args);
	va_end(args);
}

void check_fix(struct checks *c, const char *format, ...)
{
	va_list args;

	if (!c->count || c->dropped)
		return;
	va_start(args, format);
	c->items[c->count - 1].fix = print(c, format, args);
	va_end(args);
}

bool checks_end(const struct checks *c, struct error *err)
{
	return !c->is_failed || arena_fail(c->arena, "the checks", err);
}

size_t checks_count(const struct checks *c, enum check_status status)
{
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++)
		count += c->items[i].status == status;
	return count;
}

int checks_exit_code(const struct checks *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->items[i].status == CHECK_FAILED)
			return error_exit_code(c->items[i].code);
	return 0;
}

const char *check_status_name(enum check_status status)
{
	static const char *const names[] = { "ok", "warning", "failed" };

	return names[status];
}
