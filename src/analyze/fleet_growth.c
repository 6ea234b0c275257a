/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/growth.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/diff.h"
#include "analyze/function_table.h"
#include "analyze/gates.h"
#include "analyze/stats.h"
#include "base/num.h"
#include "model/fleet.h"
#include "model/profile.h"

/* Functions that are sampled worse do not tell how far a service wanders. */
#define WANDER_SAMPLES 20.0

/* How much more than by sampling the logarithm of a function's ratio varies
 * from one side to the other, as a variance: its service's excess. Looked for in
 * steps of a root of two, from a drift of 0.2 % on to functions that double and
 * halve by themselves. */
#define LEAST_EXCESS 1e-5
#define STEPS 32u
/* Assumed fraction of a service's functions that changed. */
#define CHANGED_PART 0.05
/* Beside those that answered, a few services may be like any. */
#define UNKNOWN_SERVICES 2.0
#define ROUNDS 50
/* Probabilities below this are ignored. */
#define LEAST_PART 1e-12
#define MOST_DISTANCE 64.0
#define HALVINGS 40

/* From here on Student's distribution is the normal one, but takes long. */
#define AS_GOOD_AS_KNOWN_DF 500

/* A growth that is seen in four of five cases lies so far beyond the level. */
#define SEEN_BEYOND 0.84

/* Added so that zero has a logarithm. */
#define HALF_A_SAMPLE 0.5

/* One function on its way. */
struct row {
	struct fleet_function *function;
	double log_ratio; /* of shares, after to before, without the drift */
	double sampling;  /* its variance by sampling alone */
	double sampling_df;
};

/* The rows of a service stand together. */
struct judging {
	struct fleet *fleet;
	const struct gate_limits *limits;
	struct row *rows;
	size_t *first; /* by service, and one behind the last */
	size_t row_count;
	double *likelihoods; /* STEPS of each service */
	double mix[STEPS];   /* part of the services that have such an excess */
	/* Scratch of as many doubles as there are rows. */
	double *values;
};

/* ---- one function ---- */

static struct counts counts_of(const struct fleet_service *s,
			       const struct fleet_function *f)
{
	return (struct counts){
		.a = f->after,
		.b = fleet_before(f),
		.n_a = s->after_samples * s->drift,
		.n_b = fleet_before_samples(s),
		.exposure = EXPOSURE_RATE,
	};
}

/* The parts of the time before that have samples: runs of one side. */
struct before {
	struct replicate_runs runs;
	double wholes[FLEET_PARTS];
	size_t parts[FLEET_PARTS];
};

static void before_of(const struct fleet_service *s, struct before *out)
{
	size_t n = 0;

	for (size_t i = 0; i < FLEET_PARTS; i++) {
		if (!(s->before_samples[i] > 0))
			continue;
		out->wholes[n] = s->before_samples[i];
		out->parts[n++] = i;
	}
	out->runs = (struct replicate_runs){ .count = { n },
					     .sizes = { out->wholes },
					     .value = { 1, 1 } };
}

/* ---- how functions vary within a side ---- */

static bool list_rows(struct judging *j, struct error *err)
{
	struct fleet *f = j->fleet;
	size_t count = 0;

	for (size_t i = 0; i < f->count; i++)
		if (f->items[i].state == FLEET_COMPARED)
			count += f->items[i].count;
	j->rows = arena_array(&f->arena, count + 1, sizeof *j->rows);
	j->first = arena_array(&f->arena, f->count + 1, sizeof *j->first);
	j->values = arena_array(&f->arena, count + 1, sizeof *j->values);
	if (!j->rows || !j->first || !j->values)
		return arena_fail(&f->arena, "the fleet", err);
	for (size_t i = 0; i < f->count; i++) {
		struct fleet_service *s = &f->items[i];

		j->first[i] = j->row_count;
		s->drift = 1;
		s->grown = 0;
		for (size_t k = 0; s->state == FLEET_COMPARED && k < s->count;
		     k++)
			j->rows[j->row_count++].function = &s->functions[k];
	}
	j->first[f->count] = j->row_count;
	return true;
}

static struct replicate_row row_of(const struct before *before,
				   const struct fleet_function *f,
				   double values[FLEET_PARTS])
{
	for (size_t p = 0; p < before->runs.count[0]; p++)
		values[p] = f->before[before->parts[p]];
	return (struct replicate_row){ { values } };
}

static void find_row(struct row *row, const struct fleet_service *s,
		     const struct before *before,
		     const struct replicate_noise *n)
{
	double values[FLEET_PARTS];
	const struct replicate_row one =
		row_of(before, row->function, values);
	struct replicate_sums sums =
		replicates_sums(&before->runs, &one, n->drift);
	struct counts c = counts_of(s, row->function);
	double sampled = counts_log_variance(&c);
	struct noise own = replicates_row_noise(n, &sums, sampled, 0);

	row->sampling = own.phi * sampled;
	row->sampling_df = own.df < AS_GOOD_AS_KNOWN_DF ? own.df : INFINITY;
	row->log_ratio = log((c.a + HALF_A_SAMPLE) / c.n_a) -
			 log((c.b + HALF_A_SAMPLE) / c.n_b);
}

/* By a trend that the functions of all services share. */
static bool find_sampling(struct judging *j, struct error *err)
{
	struct replicate_noise noise = { .least = 1, .between_df = INFINITY };
	struct replicate_seen *seen = arena_array(
		&j->fleet->arena, j->row_count + 1, sizeof *seen);
	double values[FLEET_PARTS];
	struct before before;

	if (!seen)
		return arena_fail(&j->fleet->arena, "the fleet", err);
	for (size_t i = 0; i < j->fleet->count; i++) {
		before_of(&j->fleet->items[i], &before);
		for (size_t k = j->first[i]; k < j->first[i + 1]; k++) {
			const struct replicate_row one = row_of(
				&before, j->rows[k].function, values);

			seen[k] = replicates_see(&before.runs, &one, 1);
		}
	}
	replicates_trend_of(seen, j->row_count, &noise);
	for (size_t i = 0; i < j->fleet->count; i++) {
		before_of(&j->fleet->items[i], &before);
		for (size_t k = j->first[i]; k < j->first[i + 1]; k++)
			find_row(&j->rows[k], &j->fleet->items[i], &before,
				 &noise);
	}
	return true;
}

/* ---- how they vary between the sides ---- */

static bool is_peer(const struct row *r)
{
	return 2 >= WANDER_SAMPLES * r->sampling;
}

/* Takes what most functions of a service did out of its rows. Returns how many
 * tell of it. */
static size_t centre_rows(struct judging *j, size_t service)
{
	struct fleet_service *s = &j->fleet->items[service];
	size_t from = j->first[service], to = j->first[service + 1];
	size_t peers = 0;
	double centre;

	for (size_t k = from; k < to; k++)
		if (is_peer(&j->rows[k]))
			j->values[peers++] = j->rows[k].log_ratio;
	if (peers < FLEET_PEERS)
		return 0;
	centre = stats_median(j->values, peers);
	for (size_t k = from; k < to; k++)
		j->rows[k].log_ratio -= centre;
	s->drift = exp(centre);
	return peers;
}

/* ---- how far services wander ---- */

static double excess_at(size_t step)
{
	return step ? LEAST_EXCESS * exp2((double)(step - 1) / 2) : 0;
}

/* Density of where a row lies, were the excess so large; a few rows changed and
 * may lie anywhere. */
static double row_density(const struct row *r, double excess)
{
	double variance = r->sampling + excess, far = variance + 1;
	double square = r->log_ratio * r->log_ratio / 2;

	return (1 - CHANGED_PART) * exp(-square / variance) / sqrt(variance) +
	       CHANGED_PART * exp(-square / far) / sqrt(far);
}

/* How likely the rows of a service are by excess; the largest is 1. */
static void find_likelihood(struct judging *j, size_t service)
{
	double *out = j->likelihoods + service * STEPS, most = -INFINITY;

	for (size_t g = 0; g < STEPS; g++) {
		out[g] = 0;
		for (size_t k = j->first[service]; k < j->first[service + 1];
		     k++)
			if (is_peer(&j->rows[k]))
				out[g] += log(
					row_density(&j->rows[k], excess_at(g)));
		most = fmax(most, out[g]);
	}
	for (size_t g = 0; g < STEPS; g++)
		out[g] = exp(out[g] - most);
}

/* One step of expectation and maximisation. */
static void improve_mix(struct judging *j)
{
	double next[STEPS], services = UNKNOWN_SERVICES;

	for (size_t g = 0; g < STEPS; g++)
		next[g] = UNKNOWN_SERVICES / STEPS;
	for (size_t i = 0; i < j->fleet->count; i++) {
		const double *own = j->likelihoods + i * STEPS;
		double all = 0;

		if (j->fleet->items[i].state != FLEET_COMPARED)
			continue;
		for (size_t g = 0; g < STEPS; g++)
			all += own[g] * j->mix[g];
		for (size_t g = 0; g < STEPS; g++)
			next[g] += own[g] * j->mix[g] / all;
		services++;
	}
	for (size_t g = 0; g < STEPS; g++)
		j->mix[g] = next[g] / services;
}

static bool find_wander(struct judging *j, struct error *err)
{
	struct fleet *f = j->fleet;

	j->likelihoods =
		arena_array(&f->arena, f->count + 1, STEPS * sizeof(double));
	if (!j->likelihoods)
		return arena_fail(&f->arena, "the fleet", err);
	for (size_t i = 0; i < f->count; i++) {
		struct fleet_service *s = &f->items[i];

		if (s->state != FLEET_COMPARED)
			continue;
		if (centre_rows(j, i)) {
			find_likelihood(j, i);
			continue;
		}
		s->state = s->after_samples < GATES_MIN_SAMPLES ||
					   fleet_before_samples(s) <
						   GATES_MIN_SAMPLES
				   ? FLEET_FEW_SAMPLES
				   : FLEET_FEW_FUNCTIONS;
		for (size_t k = j->first[i]; k < j->first[i + 1]; k++)
			j->rows[k].sampling = INFINITY;
	}
	for (size_t g = 0; g < STEPS; g++)
		j->mix[g] = 1.0 / STEPS;
	for (size_t i = 0; i < ROUNDS; i++)
		improve_mix(j);
	return true;
}

/* ---- tests ---- */

/* The distribution of a row's variance: values with their probabilities. */
struct known {
	double variance[STEPS];
	double part[STEPS];
	double df;
};

/* By the rows of its service beside it: what it did is what is asked. */
static struct known known_of(const struct judging *j, size_t service,
			     const struct row *r)
{
	const double *own = j->likelihoods + service * STEPS;
	struct known k = { .df = r->sampling_df };
	double all = 0;

	for (size_t g = 0; g < STEPS; g++) {
		k.variance[g] = r->sampling + excess_at(g);
		k.part[g] = own[g] * j->mix[g];
		if (is_peer(r) && r->function)
			k.part[g] /= fmax(1e-300, row_density(r, excess_at(g)));
		all += k.part[g];
	}
	for (size_t g = 0; g < STEPS; g++)
		k.part[g] /= all;
	return k;
}

/* That chance alone brings a row so far from what most did, either way. */
static double chance_of(const struct known *k, double distance)
{
	double p = 0;

	for (size_t g = 0; g < STEPS; g++)
		if (k->part[g] > LEAST_PART)
			p += k->part[g] *
			     student_two_sided(distance / sqrt(k->variance[g]),
					       k->df);
	return p;
}

/* The distance that chance reaches as seldom as that. */
static double distance_of(const struct known *k, double p)
{
	double low = 0, high = MOST_DISTANCE;

	for (int i = 0; i < HALVINGS; i++) {
		double next = (low + high) / 2;

		if (chance_of(k, next) > p)
			low = next;
		else
			high = next;
	}
	return high;
}

/* Simes' test of "nothing grew": the least of the adjusted p values. */
static void test_service(struct judging *j, size_t service, double *p, double *q,
			 size_t *order)
{
	const struct noise sampled = { 1, INFINITY };
	struct fleet_service *s = &j->fleet->items[service];
	size_t from = j->first[service], count = j->first[service + 1] - from;

	s->p = 1;
	for (size_t k = 0; k < count; k++) {
		const struct row *r = &j->rows[from + k];
		struct fleet_function *f = r->function;
		struct counts c = counts_of(s, f);
		struct known known = known_of(j, service, r);
		/* Exact where counts are small. */
		double distance = counts_deviation(&c, sampled) *
				  sqrt(counts_log_variance(&c));
		double chance = chance_of(&known, distance) / 2;

		f->p = c.a / c.n_a > c.b / c.n_b ? chance : 1 - chance;
		f->is_new = c.b <= 0;
		f->growth = expm1(r->log_ratio);
		f->added = f->is_new ? c.a : c.a - c.a / (1 + f->growth);
		p[k] = f->p;
	}
	false_discovery_adjust(p, q, order, count);
	for (size_t k = 0; k < count; k++) {
		j->rows[from + k].function->q = q[k];
		s->p = fmin(s->p, q[k]);
	}
}

/* ---- claims ---- */

/* Sorts by contribution, largest first. */
static int compare_functions(const void *left, const void *right)
{
	const struct fleet_function *a = left, *b = right;
	int order = b->is_grown - a->is_grown;

	if (!order && a->is_grown)
		order = compare_f64(b->added, a->added);
	return order ? order : str_compare(a->name, b->name);
}

static void growth_claim(const struct judging *j, size_t service, double level)
{
	struct fleet_service *s = &j->fleet->items[service];

	for (size_t k = j->first[service]; k < j->first[service + 1]; k++) {
		const struct row *r = &j->rows[k];
		struct fleet_function *f = r->function;
		double limit = j->limits->limit[f->is_new ? GATE_NEW
							  : GATE_FUNCTION];
		double size = f->is_new ? f->after / s->after_samples
					: f->growth;
		struct known known;
		double far;

		f->is_grown = f->q <= level && limit >= 0 && size > limit;
		s->grown += f->is_grown;
		if (!f->is_grown)
			continue;
		known = known_of(j, service, r);
		far = distance_of(&known, 0.05);
		f->low = expm1(r->log_ratio - far);
		f->high = expm1(r->log_ratio + far);
	}
	j->fleet->grown += s->grown > 0;
	if (s->grown)
		qsort(s->functions, s->count, sizeof *s->functions,
		      compare_functions);
}

/* The growth of a function of GATES_BLIND_SHARE that would have been claimed in
 * four of five cases, were it the only one. */
static double seen_growth(const struct judging *j, size_t service, double level)
{
	const struct fleet_service *s = &j->fleet->items[service];
	struct counts c = { .a = GATES_BLIND_SHARE * s->after_samples,
			    .b = GATES_BLIND_SHARE * fleet_before_samples(s),
			    .n_a = s->after_samples,
			    .n_b = fleet_before_samples(s),
			    .exposure = EXPOSURE_RATE };
	const struct row r = { .sampling = counts_log_variance(&c),
			       .sampling_df = INFINITY };
	struct known k = known_of(j, service, &r);
	double p = level / (double)max_size(1, s->count), mean = 0;

	for (size_t g = 0; g < STEPS; g++)
		mean += k.part[g] * k.variance[g];
	return expm1(distance_of(&k, 2 * p) + SEEN_BEYOND * sqrt(mean));
}

/* Part of the services claimed that may be so by chance. */
#define FLEET_FALSE_DISCOVERY 0.01

static double added_cores(const struct fleet_service *s)
{
	return s->grown ? s->functions[0].added * s->sample_cores : -1;
}

/* By the function that adds most. */
static int compare_services(const void *left, const void *right)
{
	const struct fleet_service *a = left, *b = right;
	int order = compare_f64(added_cores(b), added_cores(a));

	return order ? order : str_compare(a->name, b->name);
}

/* Services first, by Benjamini and Hochberg over their Simes tests; then within
 * those that are selected what holds at the level that is left (Benjamini and
 * Bogomolov, Journal of the Royal Statistical Society B 76, 2014). */
static bool test_all(struct judging *j, struct error *err)
{
	struct fleet *f = j->fleet;
	size_t room = max_size(j->row_count, f->count) + 1;
	double *p = arena_array(&f->arena, room, sizeof *p), level;
	double *q = arena_array(&f->arena, room, sizeof *q);
	size_t *order = arena_array(&f->arena, room, sizeof *order);
	size_t n = 0, selected = 0, at = 0;

	if (!p || !q || !order)
		return arena_fail(&f->arena, "the fleet", err);
	for (size_t i = 0; i < f->count; i++)
		if (f->items[i].state == FLEET_COMPARED)
			test_service(j, i, p, q, order);
	for (size_t i = 0; i < f->count; i++)
		if (f->items[i].state == FLEET_COMPARED)
			p[n++] = f->items[i].p;
	false_discovery_adjust(p, q, order, n);
	for (size_t i = 0; i < n; i++)
		selected += q[i] <= FLEET_FALSE_DISCOVERY;
	level = FLEET_FALSE_DISCOVERY * (double)max_size(1, selected) /
		(double)max_size(1, n);
	for (size_t i = 0; i < f->count; i++) {
		struct fleet_service *s = &f->items[i];

		if (s->state != FLEET_COMPARED)
			continue;
		if (q[at++] <= FLEET_FALSE_DISCOVERY)
			growth_claim(j, i, level);
		s->seen_growth = seen_growth(j, i, level);
		if (!s->grown && !(s->seen_growth <= GATES_BLIND))
			s->state = FLEET_BLIND;
		f->compared += s->state == FLEET_COMPARED;
	}
	return true;
}

bool fleet_growth_find(struct fleet *f, const struct gate_limits *limits,
		       struct error *err)
{
	struct judging j = { .fleet = f, .limits = limits };

	f->compared = f->grown = 0;
	if (!list_rows(&j, err) || !find_sampling(&j, err) ||
	    !find_wander(&j, err) || !test_all(&j, err))
		return false;
	if (f->count)
		qsort(f->items, f->count, sizeof *f->items, compare_services);
	return true;
}

/* Reduces the profiles of a service to what a sweep keeps: samples by function,
 * current and in each part of the baseline. */

/* State of reducing a service's profiles, in memory of its own. */
struct counting {
	struct arena arena;
	struct fleet *fleet;
	struct fleet_service *service;
	struct profile before; /* the sum */
	const struct profile *const *parts;
	struct func_table table;
	struct slice_values values;
	double sample[SIDE_COUNT]; /* its value */
};

static bool is_kept(const struct counting *c, uint32_t id)
{
	const struct side_values *v = c->table.entries[id].values;

	return !func_is_nameless(&c->table, id) &&
	       side_share(c->parts[0], v[SIDE_SLOW].self_lib) +
			       side_share(&c->before,
					  v[SIDE_BASELINE].self_lib) >=
		       FLEET_LEAST_SHARE;
}

static bool keep_functions(struct counting *c, struct error *err)
{
	const struct slice_side *before = &c->values.sides[SIDE_BASELINE];
	struct arena *arena = &c->fleet->arena;
	struct fleet_service *s = c->service;
	size_t count = 0;

	for (uint32_t id = 0; id < c->table.count; id++)
		count += is_kept(c, id);
	s->functions = arena_array(arena, count + 1, sizeof *s->functions);
	if (!s->functions)
		return arena_fail(arena, "the fleet", err);
	for (uint32_t id = 0; id < c->table.count; id++) {
		const struct func_entry *e = &c->table.entries[id];
		struct fleet_function *f = &s->functions[s->count];

		if (!is_kept(c, id))
			continue;
		s->count++;
		*f = (struct fleet_function){
			.name = arena_str(arena, e->name),
			.file = e->file.ptr ? arena_str(arena, e->file)
					    : e->file,
			.line = e->line,
			.after = (double)e->values[SIDE_SLOW].self_lib /
				 c->sample[SIDE_SLOW],
		};
		for (size_t i = 0; i < before->count; i++)
			f->before[i] = before->values[id * before->count + i] /
				       c->sample[SIDE_BASELINE];
		if (!f->name.ptr || (!f->file.ptr && e->file.ptr))
			return arena_fail(arena, "the fleet", err);
	}
	return true;
}

static bool count_functions(struct counting *c, const struct code_rules *rules,
			    struct error *err)
{
	const struct rank_want want = {
		.by = RANK_SELF_LIB,
		.slow_slices = { .profiles = c->parts, .count = 1 },
		.baseline_slices = { .profiles = c->parts + 1,
				     .count = FLEET_PARTS },
	};
	const struct slice_side *before = &c->values.sides[SIDE_BASELINE];
	const struct profile *after = c->parts[0];
	struct fleet_service *s = c->service;

	if (!diff_sample_values(after, &c->before, c->sample) ||
	    !(c->sample[SIDE_SLOW] > 0)) {
		s->state = FLEET_NO_TEST;
		return true;
	}
	if (!func_table_build(&c->table, &c->arena, after, &c->before, rules,
			      FUNC_NAMES_MATCHED, err) ||
	    !slice_values_build(&c->values, &c->table, &want, true, err))
		return false;
	s->state = FLEET_COMPARED;
	s->after_samples =
		(double)after->whole_total / c->sample[SIDE_SLOW];
	for (size_t i = 0; i < before->count; i++)
		s->before_samples[i] =
			before->wholes[i] / c->sample[SIDE_BASELINE];
	s->sample_cores = c->sample[SIDE_SLOW] *
			  (double)time_unit_ns(profile_unit(after)) /
			  NS_PER_S / time_range_seconds(s->after.range);
	return keep_functions(c, err);
}

bool fleet_count(struct fleet *f, struct fleet_service *s,
		 const struct profile *const profiles[FLEET_QUESTIONS],
		 const struct code_rules *rules, struct notes *notes,
		 struct error *err)
{
	struct counting c = { .fleet = f, .service = s, .parts = profiles };
	bool done;

	arena_init(&c.arena, LIMIT_ANALYZE_HEAP_BYTES);
	profile_init(&c.before);
	done = profile_merge(&c.before, profiles + 1, FLEET_PARTS, notes, err);
	if (done && profiles[0]->whole_total <= 0)
		s->state = FLEET_NO_CANDIDATE;
	else if (done && c.before.whole_total <= 0)
		s->state = FLEET_NO_BASELINE;
	else
		done = done && count_functions(&c, rules, err);
	profile_release(&c.before);
	arena_release(&c.arena);
	return done;
}
