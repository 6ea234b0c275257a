/* SPDX-License-Identifier: Apache-2.0
 *
 * How many requests by steps of time: Tempo's metrics, Jaeger's summaries.
 */
#include "base/json.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/timefmt.h"
#include "decode/gather.h"

struct counting {
	struct json_reader *r;
	struct step_counts *out;
	int64_t server_step_ns;
	uint32_t *parts; /* the server's steps that fell into each of ours */
	uint32_t trace_count;
};

static bool counting_init(struct counting *c, struct str bytes,
			  struct step_counts *out, struct error *err)
{
	*c = (struct counting){ .out = out };
	c->r = json_new(bytes, err);
	if (!c->r)
		return false;
	c->parts = mem_calloc((size_t)out->step_count + 1, sizeof *c->parts);
	if (c->parts)
		return true;
	json_free(c->r);
	return error_memory(err, "counts");
}

static bool counting_finish(struct counting *c, const char *what,
			    struct error *err)
{
	bool is_read;

	json_expect_end(c->r, "answer");
	is_read = json_check(c->r, err) ||
		  error_prefix(err, "damaged or cut-off %s", what);
	json_free(c->r);
	mem_free(c->parts);
	return is_read;
}

/* False when the time is in no step. */
static bool step_of(const struct step_counts *out, int64_t time_ns,
		    uint32_t *step)
{
	int64_t since_ns = sat_sub_i64(time_ns, out->from_ns);

	if (since_ns < 0 || since_ns / out->step_ns >= out->step_count)
		return false;
	*step = (uint32_t)(since_ns / out->step_ns);
	return true;
}

static void add(struct step_counts *out, uint32_t step, int64_t count)
{
	if (out->counts[step] < 0)
		out->counts[step] = 0;
	out->counts[step] = sat_add_i64(out->counts[step], count);
}

/* A document whose one list, `name`, holds objects. */
static void read_member(struct counting *c, struct str name,
			void (*read)(struct counting *c))
{
	if (!json_enter(c->r, JSON_OBJECT))
		return;
	while (json_next_named(c->r, name))
		if (json_enter_nullable(c->r, JSON_ARRAY))
			while (json_next_object(c->r))
				read(c);
}

/* ---- Tempo ---- */

/* The value of a sample is what happened in the step that ends at its time;
 * without a value, nothing did. Counts come as doubles. */
static void read_sample(struct counting *c)
{
	uint64_t end_ms = 0;
	double value = 0;
	int64_t middle_ns;
	struct str key;
	uint32_t step;

	while (json_next_key(c->r, &key))
		if (str_equal(key, STR("timestampMs")))
			end_ms = json_u64_capped(c->r);
		else if (!str_equal(key, STR("value")))
			json_skip(c->r);
		else if (!json_f64(c->r, &value))
			return;
	if (end_ms > INT64_MAX / NS_PER_MS || !(value >= 0 && value < 1e15))
		return;
	middle_ns = (int64_t)end_ms * NS_PER_MS - c->server_step_ns / 2;
	if (step_of(c->out, middle_ns, &step)) {
		add(c->out, step, (int64_t)(value + 0.5));
		c->parts[step]++;
	}
}

static void read_series(struct counting *c)
{
	while (json_next_named(c->r, STR("samples")))
		if (json_enter_nullable(c->r, JSON_ARRAY))
			while (json_next_object(c->r))
				read_sample(c);
}

/* The newest of the server's steps may be missing: what they would add to is
 * then a part only. */
static void forget_parts(struct counting *c)
{
	int64_t step_ns = c->out->step_ns;

	for (uint32_t i = 0; i < c->out->step_count; i++)
		if (c->parts[i] && sat_mul_i64(c->parts[i] + (int64_t)1,
					       c->server_step_ns) <= step_ns)
			c->out->counts[i] = -1;
}

bool decode_tempo_counts(struct str bytes, int64_t server_step_ns,
			 struct step_counts *out, struct error *err)
{
	struct counting c;

	if (!counting_init(&c, bytes, out, err))
		return false;
	c.server_step_ns = server_step_ns;
	read_member(&c, STR("series"), read_series);
	forget_parts(&c);
	return counting_finish(&c, "TraceQL metrics", err);
}

/* ---- Jaeger ---- */

static void read_summary(struct counting *c)
{
	uint64_t start_ns = 0;
	uint32_t step;

	while (json_next_named(c->r, STR("minStartTimeUnixNano")))
		start_ns = json_u64_capped(c->r);
	c->trace_count++;
	if (start_ns && step_of(c->out, history_time(start_ns), &step))
		add(c->out, step, 1);
}

bool decode_jaeger_counts(struct str bytes, struct step_counts *out,
			  uint32_t *trace_count, struct error *err)
{
	struct counting c;

	if (!counting_init(&c, bytes, out, err))
		return false;
	for (uint32_t i = 0; i < out->step_count; i++)
		add(out, i, 0);
	read_member(&c, STR("summaries"), read_summary);
	*trace_count = c.trace_count;
	return counting_finish(&c, "trace summaries", err);
}
