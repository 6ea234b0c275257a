/* SPDX-License-Identifier: Apache-2.0
 *
 * The pprof reader against protobuf-c's generated one: where both take the
 * input, the values are the same. Ours does not look into messages that it has
 * no use for, such as labels, so it takes some that protobuf-c refuses.
 */
#include "base/num.h"
#include "decode/decode.h"
#include "fuzz.h"
#include "profile.pb-c.h"

/* Saturating sum over samples with frames, of the last type. */
static bool sum_of(const Pproftest__Profile *m, int64_t *sum)
{
	*sum = 0;
	for (size_t i = 0; i < m->n_sample; i++) {
		const Pproftest__Sample *s = m->sample[i];

		if (s->n_value != m->n_sample_type)
			return false;
		*sum = sat_add_i64(*sum, s->value[s->n_value - 1]);
	}
	return true;
}

static void compare(const struct profile *p, const uint8_t *data, size_t size)
{
	Pproftest__Profile *m = pproftest__profile__unpack(NULL, size, data);
	int64_t sum;

	if (!m)
		return;
	/* Sums beyond 64 bits depend on the order; samples that are counted
	 * stand for their period. */
	if (m->default_sample_type == 0 && sum_of(m, &sum) &&
	    sum < INT64_MAX / 2 && sum > INT64_MIN / 2 &&
	    p->whole_total < INT64_MAX / 2)
		FUZZ_CHECK(p->total == sum ||
				   p->total == sat_mul_i64(sum, m->period),
			   "%lld, not %lld",
			   (long long)p->total, (long long)sum);
	pproftest__profile__free_unpacked(m, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile_want want = { .type = STR("") };
	struct error err = { 0 };
	struct notes notes;
	struct profile p;

	notes_init(&notes);
	profile_init(&p);
	if (decode_profile(FORMAT_PPROF, fuzz_str(data, size), &want, &p,
			   &notes, &err))
		compare(&p, data, size);
	profile_release(&p);
	return 0;
}
