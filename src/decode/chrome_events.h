/* SPDX-License-Identifier: Apache-2.0
 *
 * Events of a Chrome trace ("Trace Event Format"): one at a time, in the order
 * of the file.
 */
#ifndef DECODE_CHROME_EVENTS_H
#define DECODE_CHROME_EVENTS_H

#include "base/buf.h"
#include "base/json.h"

/* Ids and categories are cut there: real ones are shorter. */
#define CHROME_ID_BYTES ((size_t)64)

/* The format lets a list go without its end, for programs that break off. */
#define CHROME_OPEN_NOTE                                                       \
	"the list of the Chrome trace has no end: it may be cut off"

struct chrome_text {
	size_t len;
	char bytes[CHROME_ID_BYTES];
};

/* What tells where an event belongs. Names of events are cut likewise: those
 * that are looked at ("process_name") are short. */
struct chrome_event {
	char phase; /* 'X', 'B', ...; 0: none was told */
	struct chrome_text pid;
	struct chrome_text tid;
	struct chrome_text id;
	struct chrome_text scope;
	struct chrome_text category;
	struct chrome_text name;
	uint64_t span_id; /* as render/chrome.c writes them, or 0 */
	uint64_t parent_id;
	int64_t start_ns;
	int64_t duration_ns;
	bool has_duration;
	bool is_sum; /* of many, by clang -ftime-trace: it took place nowhere */
};

static inline struct str chrome_str(const struct chrome_text *text)
{
	return (struct str){ text->bytes, text->len };
}

/* The members of an event that is entered. named: args.name or args.labels,
 * which metadata has. */
void chrome_event_read(struct json_reader *r, struct chrome_event *e,
		       struct buf *named);

/* Whether it begins, or is, a span; and whether it ends one. */
bool chrome_event_begins(const struct chrome_event *e);
bool chrome_event_ends(const struct chrome_event *e);
/* It is how long was recorded (torch.profiler), or repeats what matters of the
 * others (the "Critical Path" of Bazel), and no work of its own. */
bool chrome_event_is_of_recorder(const struct chrome_event *e);
/* Its spans belong to an id, not to a thread. */
bool chrome_event_is_async(const struct chrome_event *e);

#endif
