/* SPDX-License-Identifier: Apache-2.0
 *
 * Attribute and label names that identify an instance of a service, one process
 * of several. The only list of them.
 */
#ifndef BASE_INSTANCE_H
#define BASE_INSTANCE_H

#include <stdbool.h>

#include "base/str.h"

/* Resource attributes in traces. */
#define INSTANCE_POD "k8s.pod.name"
#define INSTANCE_ID "service.instance.id"
#define INSTANCE_HOST "host.name"

/* All of them, the most specific first. */
#define INSTANCE_ATTRS 3
extern const char *const instance_attrs[INSTANCE_ATTRS];

/* Profile labels, as agents and SDKs call them: the attributes and older forms,
 * the most specific first. */
#define INSTANCE_LABELS 8
extern const char *const instance_labels[INSTANCE_LABELS];

/* Returns whether name is one of instance_labels, which include the
 * attributes. */
bool instance_is_name(struct str name);

#endif
