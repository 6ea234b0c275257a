/* SPDX-License-Identifier: Apache-2.0 */
#include "demangle/demangle.h"

#include "base/mem.h"
#include "demangle/cpp.h"

struct demangler {
	struct buf out;
	uint64_t work_left;
	bool is_exhausted;
};

struct demangler *demangler_new(void)
{
	struct demangler *d = mem_calloc(1, sizeof *d);

	if (!d)
		return NULL;
	buf_init(&d->out, LIMIT_DEMANGLED_BYTES);
	d->work_left = LIMIT_DEMANGLE_WORK;
	return d;
}

void demangler_free(struct demangler *d)
{
	if (!d)
		return;
	buf_release(&d->out);
	mem_free(d);
}

void demangler_limit_work(struct demangler *d, uint64_t work)
{
	d->work_left = work;
}

bool demangler_is_exhausted(const struct demangler *d)
{
	return d->is_exhausted;
}

/* macOS prefixes every name with another '_'. */
static struct str without_underscore(struct str name)
{
	if (str_starts(name, STR("__Z")) || str_starts(name, STR("__R")))
		return str_slice(name, 1, name.len);
	return name;
}

bool is_mangled(struct str name)
{
	/* Fast path: most names are not mangled. */
	if (!name.len || name.ptr[0] != '_')
		return false;
	name = without_underscore(name);
	return name.len > 3 && (name.ptr[1] == 'Z' || name.ptr[1] == 'R');
}

struct str demangle(struct demangler *d, struct str name)
{
	uint64_t work = name.len;
	struct str text;
	bool is_read;

	if (!is_mangled(name) || name.len > LIMIT_MANGLED_BYTES)
		return name;
	d->is_exhausted |= d->work_left == 0;
	if (d->is_exhausted)
		return name;
	buf_clear(&d->out);
	text = without_underscore(name);
	if (text.ptr[1] == 'R') {
		is_read = rust_demangle(text, &d->out, &work);
	} else if (rust_demangle_legacy(text, &d->out)) {
		is_read = true;
	} else {
		buf_clear(&d->out);
		is_read = cpp_demangle(text, &d->out, &work);
	}
	is_read = is_read && d->out.state == BUF_OK && d->out.len;
	work += d->out.len;
	d->work_left -= work < d->work_left ? work : d->work_left;
	return is_read ? buf_str(&d->out) : name;
}
