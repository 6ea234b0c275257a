/* SPDX-License-Identifier: Apache-2.0
 *
 * What grew in a fleet, as a list. Knows no options.
 */
#ifndef REPORT_FLEET_ANSWER_H
#define REPORT_FLEET_ANSWER_H

#include "analyze/gates.h"
#include "model/fleet.h"
#include "render/answer_writer.h"

struct fleet_answer {
	const struct fleet *fleet;
	const struct gate_limits *limits;
	size_t limit;          /* rows for people; 0: all */
	bool is_lack_accepted; /* too little data is no failure */
	struct str servers; /* options of commands to go on with; NULL ptr: none
			     * can be told */
	const struct notes *notes;
};

extern const struct answer_writer fleet_writer; /* struct fleet_answer */

#endif
