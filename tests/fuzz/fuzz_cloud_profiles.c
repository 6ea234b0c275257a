/* SPDX-License-Identifier: Apache-2.0
 *
 * A page of Cloud Profiler's list, read for what it tells and for its bytes.
 */
#include "base/limits.h"
#include "decode/cloud_profiles_json.h"
#include "fuzz.h"

static bool is_wanted(void *context, struct str name)
{
	(void)context;
	return name.len % 2;
}

static bool take(void *context, struct str name, struct str bytes,
		 struct error *err)
{
	size_t *sum_bytes = context;

	(void)name;
	(void)err;
	for (size_t i = 0; i < bytes.len; i++)
		*sum_bytes += (unsigned char)bytes.ptr[i];
	return true;
}

static void read_list(struct str bytes)
{
	struct error err = { 0 };
	struct profile_list list;
	struct cloud_page page;

	FUZZ_CHECK(profile_list_init(&list, &err), "%s", err.message);
	cloud_page_init(&page);
	fuzz_check_outcome(cloud_page_decode(bytes, 0, &list, &page, &err),
			   &err);
	for (uint32_t i = 0; i < list.count; i++)
		FUZZ_CHECK(list.profiles[i].series < list.series_count,
			   "profile %u", i);
	cloud_page_release(&page);
	profile_list_release(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t sum_bytes = 0;
	struct cloud_take taking = { is_wanted, take, &sum_bytes };
	struct str bytes = fuzz_str(data, size);
	struct error err = { 0 };
	struct cloud_page page;

	read_list(bytes);
	cloud_page_init(&page);
	fuzz_check_outcome(cloud_page_take(bytes, &taking, &page, &err), &err);
	cloud_page_release(&page);
	return 0;
}
