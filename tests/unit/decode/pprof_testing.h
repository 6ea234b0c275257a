/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the pprof decoder share.
 */
#ifndef PPROF_TESTING_H
#define PPROF_TESTING_H

#include "pprof_packed.h"

static struct notes notes;

typedef bool decoder(struct str bytes, const struct profile_want *want,
		     struct profile *p, struct notes *notes,
		     struct error *error);

static inline void assert_alike(decoder *decode_so,
				void (*assert_same)(const struct profile *a,
						    const struct profile *b),
				struct str bytes,
				const struct profile_want *want,
				const struct profile *p, bool is_decoded)
{
	struct error again = { 0 };
	struct notes said;
	struct profile other;

	notes_init(&said);
	if (decode_so(bytes, want, &other, &said, &again) != is_decoded)
		fail_msg("packed: %s", again.message);
	if (is_decoded)
		assert_same(p, &other);
	else
		assert_int_equal(again.code, err.code);
	profile_release(&other);
}

/* Packed or not, or packed for a while, the same is read, or refused for the
 * same reason. */
static inline void assert_packed_alike(struct str bytes,
				       const struct profile_want *want,
				       const struct profile *p, bool is_decoded)
{
	assert_alike(decode_summed, assert_same_sums, bytes, want, p,
		     is_decoded);
	assert_alike(decode_later, assert_same_profile, bytes, want, p,
		     is_decoded);
}

/* However finely frames are told apart. */
static inline void assert_details_alike(struct str bytes,
					struct profile_want want)
{
	while (want.detail < PROFILE_DETAIL_ADDRESSES) {
		struct error failed = { 0 };
		struct notes said;
		struct profile p;
		bool is_decoded;

		want.detail++;
		notes_init(&said);
		profile_init(&p);
		is_decoded = decode_pprof(bytes, &want, &p, &said, &failed);
		assert_packed_alike(bytes, &want, &p, is_decoded);
		profile_release(&p);
	}
}

/* err is clear before it. */
static inline bool decode(struct str bytes, const char *type, struct profile *p)
{
	struct profile_want want = want_of(type);
	bool is_decoded;

	notes_init(&notes);
	profile_init(p);
	is_decoded = decode_pprof(bytes, &want, p, &notes, &err);
	assert_packed_alike(bytes, &want, p, is_decoded);
	assert_details_alike(bytes, want);
	return is_decoded;
}

#endif
