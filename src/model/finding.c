/* SPDX-License-Identifier: Apache-2.0 */
#include "model/result.h"

const char *finding_kind_name(enum finding_kind kind)
{
	static const char *const names[FINDING_KINDS] = {
		[FINDING_N_PLUS_ONE] = "n_plus_one",
		[FINDING_RETRY] = "retry",
		[FINDING_SLOW_SHARD] = "slow_shard",
		[FINDING_FAN_OUT] = "fan_out",
		[FINDING_COLD_CALL] = "cold_call",
		[FINDING_SLOW_QUERY] = "slow_query",
		[FINDING_CONSECUTIVE] = "consecutive_http",
		[FINDING_QUEUE_GAP] = "queue_gap",
		[FINDING_GAP] = "gap",
		[FINDING_ERROR] = "error",
		[FINDING_MESSAGE_DELAY] = "message_delay",
		[FINDING_ASYNC_WORK] = "async_work",
		[FINDING_AWAITED_JOB] = "awaited_job",
		[FINDING_OTHER_ROOTS] = "other_roots",
		[FINDING_SESSION] = "session",
		[FINDING_CLOCK_SKEW] = "clock_skew",
		[FINDING_WHOLE_STARTS] = "whole_milliseconds",
	};

	return names[kind];
}
