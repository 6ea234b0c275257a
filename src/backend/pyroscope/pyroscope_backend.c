/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/pyroscope/pyroscope.h"

#include "backend/checkups.h"
#include "backend/pyroscope/pyroscope_calls.h"

const struct profile_backend profile_pyroscope = {
	.name = "pyroscope",
	.title = "Pyroscope",
	.traits = { .has_span_samples = true },
	.checkup = &checkup_pyroscope,
	.services_request = pyroscope_services_request,
	.services_answer = pyroscope_services_answer,
	.types_request = pyroscope_types_request,
	.types_answer = pyroscope_types_answer,
	.series_request = pyroscope_series_request,
	.series_answer = pyroscope_series_answer,
	.kept_names = pyroscope_kept_names,
	.profile_attempts = pyroscope_profile_attempts,
	.names_attempt = pyroscope_names_attempt,
	.profile_request = pyroscope_profile_request,
	.profile_answer = pyroscope_profile_answer,
	.has_span_lines = pyroscope_has_span_lines,
	.node_limit = pyroscope_node_limit,
	.window_limit_ns = pyroscope_window_limit_ns,
	.snapshots_attempts = PYROSCOPE_SNAPSHOTS_ATTEMPTS,
	.snapshots_request = pyroscope_snapshots_request,
	.snapshots_answer = pyroscope_snapshots_answer,
	.totals_request = pyroscope_totals_request,
	.totals_answer = pyroscope_totals_answer,
};
