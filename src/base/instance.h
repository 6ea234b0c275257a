/* SPDX-License-Identifier: Apache-2.0
 *
 * What names an instance of a service, one process of several: the only list of
 * these names, for all that ask for them or look for them.
 */
#ifndef BASE_INSTANCE_H
#define BASE_INSTANCE_H

#include <stdbool.h>

#include "base/str.h"

/* Attributes of a process in a trace. */
#define INSTANCE_POD "k8s.pod.name"
#define INSTANCE_ID "service.instance.id"
#define INSTANCE_HOST "host.name"

/* The same, the most particular first. */
#define INSTANCE_ATTRS 3
extern const char *const instance_attrs[INSTANCE_ATTRS];

/* Labels of profiles, as agents and SDKs call them: those and older forms, the
 * most particular first. */
#define INSTANCE_LABELS 8
extern const char *const instance_labels[INSTANCE_LABELS];

/* Returns whether it is one of the labels, of which the attributes are some. */
bool instance_is_name(struct str name);

#endif
