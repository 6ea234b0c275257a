/* SPDX-License-Identifier: Apache-2.0 */
#include "render/openmetrics.h"

#include <stddef.h>

#define NS 1e9
#define PER_HOUR (1 / 3600.0)

#define SIDE(which) "service=/span.service", "profile=/profile.selector",      \
		    "per=/compared.per", "side:" which
#define FUNCTION_SIDE(which) "function=name", "file=file", SIDE(which)

/* What is compared, in all and by function; the unit is in the name. */
#define COMPARED(command, unit, divisor, suffix)                               \
	{ command, NULL, "compared.now", NULL, "compared.unit=" unit, divisor, \
	  "profile_" suffix, "All of the profile.", { SIDE("now") } },         \
	{ command, NULL, "compared.before", NULL, "compared.unit=" unit,       \
	  divisor, "profile_" suffix, NULL, { SIDE("before") } },              \
	{ command, "functions", "now", NULL, "compared.unit=" unit, divisor,   \
	  "function_" suffix, "A function with what it calls.",                \
	  { FUNCTION_SIDE("now") } },                                          \
	{ command, "functions", "before", NULL, "compared.unit=" unit,         \
	  divisor, "function_" suffix, NULL, { FUNCTION_SIDE("before") } }

#define COMPARED_UNITS(command)                                                \
	COMPARED(command, "nanoseconds", NS, "seconds"),                       \
	COMPARED(command, "bytes", 0, "bytes"),                                \
	COMPARED(command, "count", 0, "counts")

#define CHECKED "candidate=/candidate.name", "baseline=/baseline.name"
#define GROWING(what) "service=/service", what
#define OBJECTIVE "service=/service", "operation=/operation"
#define BURN "long_ns=long_ns", "severity=severity", OBJECTIVE

const struct gauge openmetrics_gauges[] = {
	{ "slow", NULL, "", NULL, NULL, 0, "slow_info",
	  "What an answer is about.",
	  { "service=span.service", "span=span.name", "trace_id=trace.id",
	    "cause=cause.kind", "confidence=cause.confidence" } },
	{ "slow", NULL, "span.duration_ns", NULL, NULL, NS, "span_seconds",
	  "The span to blame, and what is usual.",
	  { "service=span.service", "span=span.name", "side:now" } },
	{ "slow", NULL, "span.typical_ns", NULL, NULL, NS, "span_seconds",
	  NULL, { "service=span.service", "span=span.name", "side:before" } },
	COMPARED_UNITS("slow"),
	COMPARED_UNITS("diff"),

	{ "search", NULL, "durations.count", NULL, NULL, 0, "traces",
	  "Traces whose durations were read.", { "service=search.service" } },
	{ "search", NULL, "durations.p50_ns", NULL, NULL, NS,
	  "trace_seconds", "Quantiles of durations.",
	  { "service=search.service", "quantile:0.5" } },
	{ "search", NULL, "durations.p90_ns", NULL, NULL, NS, "trace_seconds",
	  NULL, { "service=search.service", "quantile:0.9" } },
	{ "search", NULL, "durations.p95_ns", NULL, NULL, NS, "trace_seconds",
	  NULL, { "service=search.service", "quantile:0.95" } },
	{ "search", NULL, "durations.p99_ns", NULL, NULL, NS, "trace_seconds",
	  NULL, { "service=search.service", "quantile:0.99" } },

	{ "check", NULL, "outcome", "failed", NULL, 0, "check_failed",
	  "1: something grew beyond its limit and noise.", { CHECKED } },
	{ "check", NULL, "outcome", "passed", NULL, 0, "check_passed",
	  "1: nothing did. 0 beside a check that did not fail: too little to "
	  "tell.", { CHECKED } },
	{ "check", NULL, "total.growth", NULL, NULL, 0,
	  "check_total_growth_ratio", "By how much of itself the total grew.",
	  { CHECKED } },
	{ "check", "broken", "growth", NULL, NULL, 0, "check_growth_ratio",
	  "What grew beyond its limit, by how much of itself.",
	  { "function=function", "file=file", "limit=limit", CHECKED } },

	{ "when", NULL, "result", "step", NULL, 0, "step_found",
	  "1: it takes more, or less, since a moment.",
	  { "service=service", "measure=measure" } },
	{ "when", NULL, "step.ratio", NULL, NULL, 0, "step_ratio",
	  "After the step, of what was before.",
	  { "service=service", "measure=measure" } },

	{ "leak", NULL, "leak", NULL, NULL, 0, "leak",
	  "1: memory or goroutines grow without end.", { "service=service" } },
	{ "leak", NULL, "hours_left", NULL, NULL, PER_HOUR,
	  "leak_left_seconds", "Until memory reaches its limit.",
	  { "service=service" } },
	{ "leak", NULL, "memory.per_hour", NULL, NULL, 0,
	  "leak_bytes_per_hour", "How fast memory in use grows.",
	  { GROWING("bound:estimate") } },
	{ "leak", NULL, "memory.per_hour_low", NULL, NULL, 0,
	  "leak_bytes_per_hour", NULL, { GROWING("bound:low") } },
	{ "leak", NULL, "memory.per_hour_high", NULL, NULL, 0,
	  "leak_bytes_per_hour", NULL, { GROWING("bound:high") } },
	{ "leak", "memory.functions", "per_hour", NULL, NULL, 0,
	  "leak_function_bytes_per_hour", "Of what a function allocated.",
	  { "function=name", "file=file", "verdict=verdict",
	    "service=/service" } },
	{ "leak", NULL, "goroutines.per_hour", NULL, NULL, 0,
	  "leak_goroutines_per_hour", "How fast goroutines become more.",
	  { "service=service" } },

	{ "cost", NULL, "cpu.used.value", NULL, NULL, 0, "cost_vcpus",
	  "CPU that is used, and that is paid for.",
	  { "service=service", "which:used" } },
	{ "cost", NULL, "cpu.allocated.value", NULL, NULL, 0, "cost_vcpus",
	  NULL, { "service=service", "which:allocated" } },
	{ "cost", NULL, "memory.used.value", NULL, NULL, 0,
	  "cost_memory_bytes", "Memory that is used, and that is paid for.",
	  { "service=service", "which:used" } },
	{ "cost", NULL, "memory.allocated.value", NULL, NULL, 0,
	  "cost_memory_bytes", NULL,
	  { "service=service", "which:allocated" } },
	{ "cost", "rows", "money_per_million", NULL, NULL, 0,
	  "cost_per_million_requests", "What a million requests cost.",
	  { "kind=kind", "name=name", "resource=/resource",
	    "service=/service", "currency=/prices.currency" } },
	{ "cost", NULL, "difference.money_per_month", NULL, NULL, 0,
	  "cost_difference_per_month", "Beside the baseline.",
	  { "service=service", "currency=prices.currency" } },

	{ "alert", NULL, "fires", NULL, NULL, 0, "alert_fires",
	  "1: a service is above the threshold.", { NULL } },
	{ "alert", "services", "state", "fires", NULL, 0,
	  "alert_service_fires", "1: this service is.",
	  { "service=service" } },
	{ "alert", "services", "last_ns", NULL, NULL, NS,
	  "alert_latency_seconds", "Its latency in the last step.",
	  { "service=service", "quantile=/quantile" } },

	{ "slo", NULL, "good_share", NULL, NULL, 0, "slo_good_ratio",
	  "Requests that were good, of all in the window.", { OBJECTIVE } },
	{ "slo", NULL, "objective", NULL, NULL, 0, "slo_objective_ratio",
	  "What is wanted of it.", { OBJECTIVE } },
	{ "slo", NULL, "budget_left", NULL, NULL, 0, "slo_budget_left_ratio",
	  "Of the error budget; below 0: overspent.", { OBJECTIVE } },
	{ "slo", NULL, "forecast.seconds_left", NULL, NULL, 0,
	  "slo_budget_left_seconds", "Until it is used up at this rate.",
	  { OBJECTIVE } },
	{ "slo", "burn", "fires", NULL, NULL, 0, "slo_burn_fires",
	  "1: it burns too fast in both windows.", { BURN } },
	{ "slo", "burn", "long_rate", NULL, NULL, 0, "slo_burn_rate",
	  "How often the rate that uses it up exactly.", { BURN } },
	{ 0 },
};
