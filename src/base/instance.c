/* SPDX-License-Identifier: Apache-2.0 */
#include "base/instance.h"

const char *const instance_attrs[INSTANCE_ATTRS] = {
	INSTANCE_POD,
	INSTANCE_ID,
	INSTANCE_HOST,
};

const char *const instance_labels[INSTANCE_LABELS] = {
	"pod",	    INSTANCE_POD, "k8s_pod_name", "container_id",
	"instance", "hostname",	  INSTANCE_ID,	  INSTANCE_HOST,
};

bool instance_is_name(struct str name)
{
	return str_is_one_of(name, instance_labels, INSTANCE_LABELS);
}
