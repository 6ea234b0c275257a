/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/profile_sides.h"

#include "investigate/version_baseline.h"

static bool set_service_sides(struct profile_inquiry *q, struct comparison *c,
			      struct error *err)
{
	const struct symptom *s = q->s;
	bool is_instance = s->instance.ptr && q->service.instance_label.ptr;

	c->slow.range = s->slow;
	c->base.range = is_instance ? s->slow : s->base;
	c->slow.selector = c->base.selector = q->service.selector;
	c->has_base = s->has_base || is_instance;
	if (!is_instance)
		return version_baseline_select(s, q->v, &q->service,
					       &c->slow.selector,
					       &c->base.selector, err);
	c->scope = SCOPE_INSTANCE;
	c->slow.selector =
		selector_with(q->v, q->service.selector,
			      q->service.instance_label, s->instance, false);
	c->base.selector =
		selector_with(q->v, q->service.selector,
			      q->service.instance_label, s->instance, true);
	return (c->slow.selector.ptr && c->base.selector.ptr) ||
	       error_memory(err, "the selector");
}

void inquiry_set_cohort(const struct profile_inquiry *q, struct comparison *c)
{
	const struct symptom *s = q->s;

	c->slow.range = s->slow;
	c->base.range = s->is_base_fast ? s->slow : s->base;
	c->slow.selector = c->base.selector = q->service.selector;
	c->slow.span_ids = s->slow_ids;
	c->slow.span_id_count = s->slow_id_count;
	c->slow.requests = (double)s->slow_id_count;
	c->base.span_ids = s->base_ids;
	c->base.span_id_count = s->base_id_count;
	c->base.requests = (double)s->base_id_count;
	c->has_base = s->base_id_count > 0;
}

bool inquiry_begin_service(struct profile_inquiry *q, struct comparison *c,
			   const char *type_id, struct error *err)
{
	comparison_init(c, type_id, SCOPE_SERVICE);
	return set_service_sides(q, c, err);
}

void inquiry_begin_cohort(const struct profile_inquiry *q, struct comparison *c,
			  const char *type_id)
{
	comparison_init(c, type_id, SCOPE_COHORT);
	inquiry_set_cohort(q, c);
}
