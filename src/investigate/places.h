/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a process runs: namespace, environment, cluster and region, as traces
 * and profiles name them. One service mostly runs in several, whose profiles
 * differ in a label; those of another place say nothing of a trace. Nothing
 * here asks a server.
 */
#ifndef INVESTIGATE_PLACES_H
#define INVESTIGATE_PLACES_H

#include "backend/source.h"
#include "base/instance.h"
#include "model/trace.h"

/* Labels of profiles that name a place: as scrapers of Kubernetes, agents and
 * SDKs call them. */
#define PLACE_LABELS 19
extern const char *const place_labels[PLACE_LABELS];

/* The service's series: rows of a list whose labels hold instance_labels[] and
 * place_labels[], each as a block. */
struct place_rows {
	const struct str *values; /* label_count of them a row */
	size_t label_count;
	size_t count;
	size_t instance_first;
	size_t place_first;
	/* By row: of the service; places_choose() clears those elsewhere. */
	bool *is_ours;
};

/* A label by which the series differ, and the trace's value of it. */
struct place {
	const char *label;
	const char *attr; /* of the trace; of an instance: by its series */
	struct str value; /* of the label */
};

enum places_trouble {
	PLACES_FINE = 0,
	PLACES_UNTOLD, /* series differ, and the trace does not say which */
	PLACES_ABSENT, /* the trace says one of which there are none */
};

struct place_doubt {
	enum places_trouble trouble;
	const char *label;
	const char *attr;         /* PLACES_ABSENT: of the trace */
	struct str value;         /* the same */
	struct name_list present; /* values of the label */
};

struct places {
	struct place items[PLACE_LABELS];
	size_t count;
	struct place_doubt doubt; /* the first that nothing settles */
};

/* Whether the process has any attribute that names its place. */
bool places_are_told(const struct trace *trace, uint32_t resource);

/* By the attributes of a process, or by the series of its instance where its
 * attributes do not name it. is_near: of a process that is called by this one,
 * and that may as well be elsewhere. */
bool places_choose(struct place_rows *rows, const struct trace *trace,
		   uint32_t resource, bool is_near, struct arena *arena,
		   struct places *out, struct error *err) MUST_CHECK;

#endif
