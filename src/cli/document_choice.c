/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/pages.h"

#include <string.h>

#include "base/redact.h"
#include "base/str.h"
#include "cli/context.h"
#include "cli/options.h"
#include "investigate/profile_service.h"
#include "report/texts.h"

/* Panels of flame graphs: each is a large answer whenever the page is loaded. */
#define PROFILES_MOST 6

/* Some service, whichever it is: the label is there. */
#define ANY_SERVICE ".+"

/* The name of nearly all senders for CPU time. */
#define TYPICAL_CPU "process_cpu:cpu:nanoseconds:cpu:nanoseconds"

/* ---- services ---- */

/* Dashboards and alerts fill in what looks like a variable. */
static bool check_name(const char *name, struct error *err)
{
	struct str rest = str_from(name);

	if (!rest.len)
		return error_set(err, ERROR_USAGE, "a service without a name");
	if (strchr(name, '$') || strstr(name, "{{") || strstr(name, "[["))
		return error_set(err, ERROR_USAGE,
				 "'%s': $, {{ and [[ start variables in "
				 "dashboards and alerts, so this service name "
				 "cannot be used there",
				 value_quote(name).text);
	while (rest.len) {
		size_t n = utf8_length(rest);

		if (!n || (unsigned char)*rest.ptr < 0x20 || *rest.ptr == 0x7f)
			return error_set(err, ERROR_USAGE,
					 "'%s' is not a service name: it has "
					 "control characters or is not UTF-8",
					 value_quote(name).text);
		rest = str_slice(rest, n, rest.len);
	}
	return true;
}

/* Those named behind the command, else --service, else all. */
static bool choose_services(struct document *d, struct context *ctx,
			    struct error *err)
{
	const struct options *o = ctx->options;
	bool is_one = !o->arg_count && o->service && !o->all;
	struct str pattern;
	struct buf text;

	if (o->all && o->arg_count)
		return error_set(err, ERROR_USAGE,
				 "--all covers every service: leave out '%s'",
				 value_quote(o->args[0]).text);
	d->services = is_one ? &o->service : o->args;
	d->service_count = is_one ? 1 : o->arg_count;
	for (size_t i = 0; i < d->service_count; i++)
		if (!check_name(d->services[i], err))
			return false;
	buf_init(&text, LIMIT_SELECTOR_BYTES);
	metric_services_pattern(&text, d->services, d->service_count);
	pattern = arena_str(&ctx->arena, buf_str(&text));
	buf_release(&text);
	d->pattern = pattern.ptr;
	return pattern.ptr || arena_fail(&ctx->arena, "the services", err);
}

/* ---- metrics that are told ---- */

static bool take_metric(struct document_choice *c, struct context *ctx,
			const char *text, struct error *err)
{
	struct metric_source source = { .is_native = false };
	struct str label;

	if (!metric_option_read(text, &source.name, &label, err))
		return false;
	source.label = metric_name_label(source.name);
	if (label.len)
		source.label = arena_str(&ctx->arena, label).ptr;
	if (!source.label)
		return arena_fail(&ctx->arena, "a label", err);
	metric_source_take(c->sources, &source);
	return true;
}

/* Single names come before what is typical of a platform. */
static bool take_told(struct document_choice *c, struct context *ctx,
		      struct error *err)
{
	const struct options *o = ctx->options;
	const struct metric_platform *p = metric_platforms;

	for (size_t i = 0; i < o->metric_count; i++)
		if (!take_metric(c, ctx, o->metrics[i], err))
			return false;
	c->is_told = o->metric_count || o->platform;
	while (o->platform && p->name && strcmp(p->name, o->platform) != 0)
		p++;
	for (size_t i = 0; o->platform && i < METRIC_PLATFORM_NAMES; i++)
		if (p->metrics[i] && !take_metric(c, ctx, p->metrics[i], err))
			return false;
	return true;
}

bool document_choose(struct document_choice *c, struct context *ctx,
		     struct error *err)
{
	const struct options *o = ctx->options;

	*c = (struct document_choice){
		.document = { .threshold_s = (double)o->threshold_ns /
					     NS_PER_S,
			      .datasource = o->datasource },
	};
	c->document.sources = c->sources;
	return choose_services(&c->document, ctx, err) &&
	       window_resolve(o, ctx->backends.now_ns, NS_PER_HOUR, &c->window,
			      err) &&
	       take_told(c, ctx, err);
}

bool document_choose_service(struct document_choice *c, struct context *ctx,
			     const char *const *service, struct error *err)
{
	*c = (struct document_choice){
		.document = { .services = service, .service_count = 1 },
	};
	c->document.sources = c->sources;
	return check_name(*service, err) && take_told(c, ctx, err);
}

/* ---- metrics that are found ---- */

static bool has_any(const struct document_choice *c)
{
	bool has_any = false;

	for (int i = 0; i < METRIC_MEANINGS; i++)
		has_any |= c->sources[i].name != NULL;
	return has_any;
}

static bool fail_none(const struct document_choice *c, struct context *ctx,
		      struct error *err)
{
	struct str server =
		backends_side_name(&ctx->backends, &ctx->backends.metrics);
	struct buf names;

	buf_init(&names, LIMIT_ERROR_BYTES);
	document_name_services(&c->document, &names);
	error_set(err, ERROR_NOT_FOUND,
		  "%s has none of the known metrics of %s; name the platform "
		  "(--platform) or the metrics (--metric)",
		  server.ptr ? server.ptr : "the server",
		  text_quote(buf_str(&names)).text);
	buf_release(&names);
	return false;
}

bool document_find_metrics(struct document_choice *c, struct context *ctx,
			   struct error *err)
{
	const struct document *d = &c->document;
	struct service_metrics found;

	if (c->is_told)
		return true;
	if (!(d->service_count == 1
		      ? service_metrics_find(&found, &ctx->backends,
					     d->services[0], c->window, err)
		      : service_metrics_find_several(
				&found, &ctx->backends,
				d->service_count ? d->pattern : ANY_SERVICE,
				c->window, err)))
		return false;
	memcpy(c->sources, found.sources, sizeof c->sources);
	return has_any(c) || fail_none(c, ctx, err);
}

/* ---- profiles ---- */

static bool is_wanted(const struct document *d, struct str name)
{
	for (size_t i = 0; i < d->service_count; i++) {
		struct str service = str_from(d->services[i]);
		size_t skipped = name.len - service.len;

		/* Profiles may be of "namespace/service". */
		if (str_equal(name, service) ||
		    (name.len > service.len && str_ends(name, service) &&
		     name.ptr[skipped - 1] == '/'))
			return true;
	}
	return !d->service_count;
}

/* The type that is asked for, of those that it sends; of names without what
 * would end a text in an address. */
static struct str profile_type(const struct service_row *row, const char *wanted)
{
	struct str type = row->cpu_type;

	if (wanted && strcmp(wanted, "cpu") != 0) {
		type = STR("");
		for (size_t i = 0; i < row->types.count; i++)
			if (str_equal(row->types.items[i], str_from(wanted)))
				type = row->types.items[i];
	}
	for (size_t i = 0; i < type.len; i++)
		if (!ascii_is_alnum(type.ptr[i]) &&
		    !strchr(":_-./", type.ptr[i]))
			return STR("");
	return type;
}

static bool add_profile(struct document *d, struct context *ctx,
			struct document_profile *list, struct str service,
			struct str type_id, struct error *err)
{
	struct document_profile *p = &list[d->profile_count];

	p->service = arena_str(&ctx->arena, service).ptr;
	p->type_id = arena_str(&ctx->arena, type_id).ptr;
	if (!p->service || !p->type_id)
		return arena_fail(&ctx->arena, "the profiles", err);
	d->profile_count++;
	return true;
}

static bool take_profiles(struct document *d, struct context *ctx,
			  const struct services *s,
			  struct document_profile *list, struct error *err)
{
	size_t left_out = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct service_row *row = &s->rows[i];
		struct str type = profile_type(row, ctx->options->type);
		struct error ignored;
		struct str name = arena_str(&ctx->arena, row->name);

		if (!is_wanted(d, row->name) || !type.len || !name.ptr ||
		    !check_name(name.ptr, &ignored))
			continue;
		if (d->profile_count == PROFILES_MOST)
			left_out++;
		else if (!add_profile(d, ctx, list, name, type, err))
			return false;
	}
	if (left_out)
		notes_add(&ctx->notes,
			  "flame graphs of the %u services that use most CPU; "
			  "%zu more send profiles",
			  PROFILES_MOST, left_out);
	if (!d->profile_count)
		notes_add(&ctx->notes, "no flame graph: %s",
			  s->count ? "none of the services sends profiles of "
				     "this type"
				   : "no service sends profiles");
	return true;
}

static bool ask_profiles(struct document_choice *c, struct context *ctx,
			 struct document_profile *list, struct error *err)
{
	struct services s = { .backends = &ctx->backends,
			      .note = note_text_add,
			      .window = c->window };
	struct error why;

	if (services_fetch(&s, &why))
		return take_profiles(&c->document, ctx, &s, list, err);
	if (error_ends_run(&why)) {
		*err = why;
		return false;
	}
	notes_add(&ctx->notes, "no flame graph: %s", why.message);
	return true;
}

/* Without asking: of the services that are named, by the type that is. */
static bool tell_profiles(struct document_choice *c, struct context *ctx,
			  struct document_profile *list, struct error *err)
{
	struct document *d = &c->document;
	const char *type = ctx->options->type;

	for (size_t i = 0; type && i < d->service_count && i < PROFILES_MOST;
	     i++)
		if (!add_profile(d, ctx, list, str_from(d->services[i]),
				 strcmp(type, "cpu") ? str_from(type)
						     : STR(TYPICAL_CPU),
				 err))
			return false;
	if (!d->profile_count)
		notes_add(&ctx->notes, "no flame graph: --type cpu adds one "
				       "for each named service");
	return true;
}

bool document_find_profiles(struct document_choice *c, struct context *ctx,
			    struct error *err)
{
	struct document_profile *list =
		arena_array(&ctx->arena, PROFILES_MOST, sizeof *list);

	if (!list)
		return arena_fail(&ctx->arena, "the profiles", err);
	c->document.profiles = list;
	if (c->is_told)
		return tell_profiles(c, ctx, list, err);
	return ctx->backends.profiles.path || ask_profiles(c, ctx, list, err);
}
