/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/request_roots.h"

#include "base/ascii.h"
#include "base/count.h"
#include "base/mem.h"

/* Different outermost functions among the samples; a program whose requests
 * begin in more places has no such roots. */
#define ROOTS_SEEN 64u

struct seen {
	struct str name;
	int64_t value;
};

/* What Go's compiler makes of `go f(x)`: some types of profiles have it as the
 * outermost function, others do not. */
static bool is_go_wrapper(struct str name)
{
	size_t end = name.len;

	while (end && ascii_is_digit(name.ptr[end - 1]))
		end--;
	return end < name.len &&
	       str_ends(str_slice(name, 0, end), STR(".gowrap"));
}

static struct str root_of(const struct profile *p, const struct stack *s)
{
	const uint32_t *ids = &p->frame_ids[s->frame_first];
	struct str name = function_name(p, p->frames[ids[0]].function);

	return s->frame_count > 1 && is_go_wrapper(name)
		       ? function_name(p, p->frames[ids[1]].function)
		       : name;
}

/* What is known of a profile's functions so far: each is classified once. */
enum known { KNOWN_NOT = 0, KNOWN_APPLICATION, KNOWN_OTHER };

struct reader {
	const struct profile *p;
	const struct code_rules *rules;
	unsigned char *known; /* by function, enum known */
};

static bool is_application(const struct reader *r, uint32_t function)
{
	unsigned char *known = &r->known[function];

	if (*known == KNOWN_NOT)
		*known = code_classify(r->rules, function_name(r->p, function),
				       function_file(r->p, function), 0)
						 .kind == CODE_APPLICATION
				 ? KNOWN_APPLICATION
				 : KNOWN_OTHER;
	return *known == KNOWN_APPLICATION;
}

static bool has_application(const struct reader *r, const struct stack *s)
{
	const uint32_t *ids = &r->p->frame_ids[s->frame_first];

	for (uint32_t i = 0; i < s->frame_count; i++)
		if (is_application(r, r->p->frames[ids[i]].function))
			return true;
	return false;
}

/* False when there are too many. */
static bool see(struct seen *seen, size_t *count, struct str name,
		int64_t value)
{
	size_t i = 0;

	while (i < *count && !str_equal(seen[i].name, name))
		i++;
	if (i == ROOTS_SEEN)
		return false;
	if (i == *count)
		seen[(*count)++] = (struct seen){ name, 0 };
	seen[i].value = sat_add_i64(seen[i].value, value);
	return true;
}

static bool is_read(const struct profile *p)
{
	return p && !p->packed && p->stack_count > 0;
}

static bool see_stacks(const struct reader *r, struct seen *seen, size_t *count,
		       int64_t *total)
{
	for (uint32_t i = 0; i < r->p->stack_count; i++) {
		const struct stack *s = &r->p->stacks[i];

		if (s->value <= 0 || !s->frame_count || !has_application(r, s))
			continue;
		if (!see(seen, count, root_of(r->p, s), s->value))
			return false;
		*total = sat_add_i64(*total, s->value);
	}
	return true;
}

/* Adds what one profile says; false when there are too many roots, or no
 * memory to tell. */
static bool see_profile(const struct profile *p, const struct code_rules *rules,
			struct seen *seen, size_t *count, int64_t *total)
{
	struct reader r = { .p = p, .rules = rules };
	bool is_done;

	if (!is_read(p))
		return true;
	r.known = mem_calloc(p->function_count, sizeof *r.known);
	is_done = r.known && see_stacks(&r, seen, count, total);
	mem_free(r.known);
	return is_done;
}

static int64_t samples_of(const struct profile *const *profiles, size_t count)
{
	int64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		if (is_read(profiles[i]) && profiles[i]->sample_count > 0)
			sum = sat_add_i64(sum, profiles[i]->sample_count);
	return sum;
}

void request_roots_find(const struct profile *const *profiles, size_t count,
			const struct code_rules *rules,
			struct request_roots *out)
{
	struct seen seen[ROOTS_SEEN];
	size_t seen_count = 0;
	int64_t total = 0;

	*out = (struct request_roots){ .count = 0 };
	if (samples_of(profiles, count) < REQUEST_ROOT_SAMPLES)
		return;
	for (size_t i = 0; i < count; i++)
		if (!see_profile(profiles[i], rules, seen, &seen_count, &total))
			return;
	for (size_t i = 0; i < seen_count; i++)
		if ((double)seen[i].value >=
			    REQUEST_ROOT_SHARE * (double)total &&
		    out->count < REQUEST_ROOTS)
			out->names[out->count++] = seen[i].name;
}

/* Where servers of Go begin with a request, each in a thread of its own. */
static const char *const known_roots[] = {
	"net/http.(*conn).serve",
	"net/http.(*http2serverConn).runHandler",
	"golang.org/x/net/http2.(*serverConn).runHandler",
	"google.golang.org/grpc.(*Server).handleStream",
	"google.golang.org/grpc.(*Server).serveStreams.func2.1",
	"google.golang.org/grpc.(*Server).serveStreams.func1.1",
	"github.com/valyala/fasthttp.(*workerPool).workerFunc",
};

static bool is_root(const struct request_roots *roots, struct str name)
{
	return roots->count ? str_is_among(name, roots->names, roots->count)
			    : str_is_one_of(name, known_roots,
					    COUNT_OF(known_roots));
}

static bool serves(const struct request_roots *roots, const struct profile *p,
		   const struct stack *s)
{
	return s->frame_count && is_root(roots, root_of(p, s));
}

double request_roots_keep(const struct request_roots *roots, struct profile *p)
{
	int64_t before = p->whole_total, sum = 0, magnitude = 0;
	uint32_t kept = 0;
	double part;

	if (!is_read(p) || before <= 0)
		return 0;
	for (uint32_t i = 0; i < p->stack_count; i++)
		kept += serves(roots, p, &p->stacks[i]);
	if (!kept || kept == p->stack_count)
		return 0;
	kept = 0;
	for (uint32_t i = 0; i < p->stack_count; i++) {
		const struct stack *s = &p->stacks[i];

		if (!serves(roots, p, s))
			continue;
		sum = sat_add_i64(sum, s->value);
		magnitude = sat_add_i64(magnitude, sat_magnitude_i64(s->value));
		p->stacks[kept++] = *s;
	}
	part = (double)magnitude / (double)before;
	p->stack_count = kept;
	p->total = sum;
	p->whole_total = magnitude;
	p->omitted = p->filtered = 0;
	if (p->sample_count > 0)
		p->sample_count =
			(int64_t)((double)p->sample_count * part + 0.5);
	return 1 - part;
}
