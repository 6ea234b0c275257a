/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes to a profile, and what has to hold of every profile.
 */
#ifndef TESTS_FUZZ_PROFILE_H
#define TESTS_FUZZ_PROFILE_H

#include "decode/decode.h"
#include "fuzz.h"

static inline int fuzz_profile(enum format format, const uint8_t *data,
			       size_t size)
{
	struct profile_want want = {
		.type = STR(""),
		.detail = (enum profile_detail)(size % 3),
		.omits_stackless = size % 2,
	};
	struct error err = { 0 };
	struct notes notes;
	struct profile p;
	bool is_done;

	notes_init(&notes);
	profile_init(&p);
	is_done = decode_profile(format, fuzz_str(data, size), &want, &p,
				 &notes, &err);
	fuzz_check_outcome(is_done, &err);
	if (is_done)
		FUZZ_CHECK(profile_check(&p, &err), "%s", err.message);
	profile_release(&p);
	return 0;
}

#define FUZZ_PROFILE(format)                                                   \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)           \
	{                                                                      \
		return fuzz_profile(format, data, size);                       \
	}

#endif
