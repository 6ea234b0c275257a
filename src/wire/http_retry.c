/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/http_retry.h"

#include <stdio.h>

#include "base/limits.h"
#include "base/num.h"
#include "base/timefmt.h"

#define BACKOFF_FIRST_MS 500
#define BACKOFF_MAX_MS 8000

static int month_number(struct str name)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (int i = 0; i < 12; i++)
		if (str_equal(name, (struct str){ months + i * 3, 3 }))
			return i + 1;
	return 0;
}

bool parse_http_date(struct str text, int64_t *out_ns)
{
	char iso[TIME_RFC3339_BYTES];
	int month;

	text = str_trim(text);
	if (text.len != 29 || !str_ends(text, STR(" GMT")) ||
	    text.ptr[3] != ',' || text.ptr[4] != ' ')
		return false;
	month = month_number(str_slice(text, 8, 3));
	if (month == 0)
		return false;
	snprintf(iso, sizeof iso, "%.4s-%02d-%.2sT%.8sZ", text.ptr + 12, month,
		 text.ptr + 5, text.ptr + 17);
	return parse_rfc3339(str_from(iso), out_ns);
}

/* What the server asked for in milliseconds, or RETRY_NEVER when it said
 * nothing that can be read. */
static int64_t asked_ms(const struct retry_facts *f)
{
	int64_t until_ns, now_ns, wait_ns;
	uint64_t seconds;

	if (parse_u64(str_trim(f->retry_after), &seconds))
		return seconds > INT64_MAX / 1000 ? INT64_MAX
						  : (int64_t)seconds * 1000;
	if (!parse_http_date(f->retry_after, &until_ns))
		return RETRY_NEVER;
	if (!parse_http_date(f->date, &now_ns))
		now_ns = f->now_ns;
	wait_ns = sat_sub_i64(until_ns, now_ns);
	return wait_ns <= 0 ? 0 : (wait_ns - 1) / NS_PER_MS + 1;
}

/* Doubling, the upper half of each step at random: clients that failed
 * together do not come back together. */
static int64_t backoff_ms(unsigned tries, uint32_t random)
{
	int64_t step = BACKOFF_FIRST_MS;

	while (--tries > 0 && step < BACKOFF_MAX_MS)
		step *= 2;
	return step / 2 + (int64_t)(random % (uint32_t)(step / 2 + 1));
}

static bool is_worth_it(const struct retry_facts *f)
{
	switch (f->status) {
	case 0:
		return f->is_broken;
	case 429:
	case 502:
	case 503:
	case 504:
		return true;
	case 500:
		return f->is_google || f->is_broken;
	default:
		return f->is_broken;
	}
}

int64_t retry_delay_ms(const struct retry_facts *f)
{
	int64_t delay_ms;

	if (!is_worth_it(f) || f->tries > f->retries)
		return RETRY_NEVER;
	delay_ms = f->retry_after.len ? asked_ms(f) : RETRY_NEVER;
	if (delay_ms > (int64_t)LIMIT_RETRY_AFTER_MS)
		return RETRY_NEVER;
	if (delay_ms == RETRY_NEVER)
		delay_ms = backoff_ms(f->tries, f->random);
	return delay_ms < f->left_ms ? delay_ms : RETRY_NEVER;
}
