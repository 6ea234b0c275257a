/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cmd_cost.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/num.h"
#include "base/out.h"
#include "base/redact.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/output_wanted.h"
#include "cli/pages.h"
#include "cli/run.h"
#include "cli/suggest_next.h"
#include "cli/window.h"
#include "report/comparison_notes.h"
#include "report/cost_answer.h"
#include "report/texts.h"

/* Prices and amounts as a user writes them. */

/* Nobody pays a million for a second; a slip of the units is more likely. */
#define PRICE_MOST 1e6
#define AMOUNT_MOST 1e15
#define CURRENCY_BYTES 16

/* A number above 0: of requests, instances, vCPU. */
static bool amount_parse(const char *text, double *out, struct error *err)
{
	if (parse_f64(str_from(text), out) && *out > 0 && *out <= AMOUNT_MOST)
		return true;
	return error_set(err, ERROR_USAGE, "'%s' is not a number above 0",
			 value_quote(text).text);
}

/* 0 or more; has_time: of a second, with "/h" of an hour. */
static bool price_parse(const char *text, bool has_time, double *out,
			struct error *err)
{
	struct str number = str_from(text);
	double seconds = 1;

	if (has_time && str_ends(number, STR("/h"))) {
		number.len -= 2;
		seconds = 3600;
	} else if (has_time && str_ends(number, STR("/s"))) {
		number.len -= 2;
	}
	if (!parse_f64(number, out) || !(*out >= 0) || *out > PRICE_MOST)
		return error_set(err, ERROR_USAGE,
				 has_time ? "'%s' is not a price: a number of "
					    "your currency a second, or with "
					    "/h an hour"
					  : "'%s' is not a price: a number of "
					    "your currency",
				 value_quote(text).text);
	*out /= seconds;
	return true;
}

bool currency_check(const char *text, struct error *err)
{
	size_t len = strlen(text);
	bool is_good = len > 0 && len <= CURRENCY_BYTES;

	for (size_t i = 0; i < len; i++)
		is_good &= (unsigned char)text[i] > ' ' && text[i] != 127;
	return is_good || error_set(err, ERROR_USAGE,
				    "'%s' is not the name of a currency: up to "
				    "%d bytes without blanks",
				    value_quote(text).text, CURRENCY_BYTES);
}

double amount_of(const char *text)
{
	struct error ignored;
	double value;

	return text && amount_parse(text, &value, &ignored) ? value : 0;
}

bool amount_check(const char *text, struct error *err)
{
	double ignored;

	return amount_parse(text, &ignored, err);
}

bool price_check(const char *text, struct error *err)
{
	double ignored;

	return price_parse(text, true, &ignored, err);
}

bool price_request_check(const char *text, struct error *err)
{
	double ignored;

	return price_parse(text, false, &ignored, err);
}

/* The user's prices: of options, of the configuration, or of a file. None are
 * built in, and those of one place are taken together: a price in one currency
 * does not go with one in another. */

/* Where the values of a file, or of options, go. */
struct texts {
	const char *cpu, *memory, *request, *currency, *note;
};

struct price_key {
	const char *name;
	size_t at; /* in struct texts */
	bool (*check)(const char *text, struct error *err);
};

static const struct price_key keys[] = {
	{ "cpu", offsetof(struct texts, cpu), price_check },
	{ "memory", offsetof(struct texts, memory), price_check },
	{ "request", offsetof(struct texts, request), price_request_check },
	{ "currency", offsetof(struct texts, currency), currency_check },
	{ "note", offsetof(struct texts, note), NULL },
};

static const struct price_key *find_key(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		if (str_equal(str_from(keys[i].name), name))
			return &keys[i];
	return NULL;
}

static bool read_line(struct texts *t, struct str line, struct arena *arena,
		      struct error *err)
{
	size_t equals = str_find(line, STR("="));
	const struct price_key *key;
	struct str name, value;
	const char **at;

	if (!line.len || line.ptr[0] == '#' || line.ptr[0] == ';')
		return true;
	if (equals == SIZE_MAX)
		return error_set(err, ERROR_USAGE,
				 "neither KEY = VALUE nor a comment");
	name = str_trim(str_slice(line, 0, equals));
	value = str_trim(str_slice(line, equals + 1, line.len));
	key = find_key(name);
	if (!key)
		return error_set(err, ERROR_USAGE,
				 "unknown key '%s': there are cpu, memory, "
				 "request, currency and note",
				 text_quote(name).text);
	at = (const char **)(void *)((char *)t + key->at);
	if (*at)
		return error_set(err, ERROR_USAGE, "%s stands there twice",
				 key->name);
	*at = arena_str(arena, value).ptr;
	if (!*at)
		return arena_fail(arena, "the prices", err);
	return !key->check || key->check(*at, err);
}

static bool read_lines(struct texts *t, struct str rest, const char *path,
		       struct arena *arena, struct error *err)
{
	for (unsigned line = 1; rest.len; line++) {
		size_t end = str_find(rest, STR("\n"));
		struct str text = str_trim(str_slice(rest, 0, end));

		if (memchr(text.ptr, '\0', text.len))
			error_set(err, ERROR_USAGE, "this is no text");
		else if (read_line(t, text, arena, err))
			goto next;
		return error_prefix(err, "%s:%u", path, line);
	next:
		rest = end == SIZE_MAX ? STR("")
				       : str_slice(rest, end + 1, rest.len);
	}
	return true;
}

static bool read_file(struct texts *t, const char *path, struct arena *arena,
		      struct error *err)
{
	struct buf text;
	bool done;

	buf_init(&text, LIMIT_PRICE_FILE_BYTES);
	done = file_read(path, &text, err) &&
	       read_lines(t, buf_str(&text), path, arena, err);
	buf_release(&text);
	return done;
}

static bool settle(const struct texts *t, struct cost_prices *out,
		   struct error *err)
{
	*out = (struct cost_prices){ .cpu = -1,
				     .memory = -1,
				     .request = -1,
				     .currency = t->currency,
				     .note = t->note };
	return (!t->cpu || price_parse(t->cpu, true, &out->cpu, err)) &&
	       (!t->memory ||
		price_parse(t->memory, true, &out->memory, err)) &&
	       (!t->request ||
		price_parse(t->request, false, &out->request, err));
}

/* Reads the file where one was named; texts live in the options or the arena.
 */
static bool prices_read(const struct options *o, struct arena *arena,
			struct cost_prices *out, struct error *err)
{
	struct texts t = { o->price_cpu, o->price_memory, o->price_request,
			   o->currency, o->price_note };

	if (!o->prices)
		return settle(&t, out, err);
	if (t.cpu || t.memory || t.request || t.currency || t.note)
		return error_set(err, ERROR_USAGE,
				 "--prices and single prices (--price-cpu, "
				 "--currency, ...) exclude each other");
	if (!read_file(&t, o->prices, arena, err))
		return error_prefix(err, "--prices");
	return settle(&t, out, err);
}

/* Formats that are nothing but the size of an instance. */
static bool has_output(const struct options *o, const char *format)
{
	size_t count;
	const struct output_option *list = output_wanted(o, &count);

	for (size_t i = 0; i < count; i++)
		if (str_equal(str_from(list[i].format), str_from(format)))
			return true;
	return false;
}

static bool wants_document(const struct options *o)
{
	return has_output(o, "gcloud") || has_output(o, "kubernetes");
}

static bool check_files(const struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;

	if (o->service || o->selector || o->name)
		return error_set(err, ERROR_USAGE,
				 "files and --service, --selector or --name "
				 "exclude each other");
	if (o->right_size || wants_document(o))
		return error_set(err, ERROR_USAGE,
				 "--right-size takes days of metrics of a "
				 "service, not a file");
	return window_refuse_file(o, o->args[0], err);
}

static bool check_service(const struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;

	if (r->ctx.backends.profiles.path)
		return error_set(
			err, ERROR_USAGE,
			"%s is a file: name it as an argument, without "
			"--profiles-url",
			r->ctx.backends.profiles.path);
	return o->service ||
	       error_set(err, ERROR_USAGE,
			 "cost of what? give --service NAME (tracefind "
			 "services lists them), or profiles with --requests N");
}

static bool check_window(struct time_range window, struct error *err)
{
	int64_t length_ns = window.to_ns - window.from_ns;

	if (length_ns > COST_MOST_NS)
		return error_set(err, ERROR_USAGE,
				 "cost looks at 7 days at most; ask for a "
				 "shorter window with --since or --from");
	return length_ns >= COST_LEAST_NS ||
	       error_set(err, ERROR_USAGE,
			 "cost needs a minute at least, better an hour: widen "
			 "the window with --since");
}

static bool read_baseline(struct run *r, const struct cost_want *want,
			  struct error *err)
{
	struct baseline_want *baseline = &r->question.baseline;
	bool is_file;

	if (!want->is_compared)
		return true;
	if (!baseline_parse(r->ctx.options, r->ctx.backends.now_ns, baseline,
			    err))
		return false;
	is_file = baseline->kind == BASELINE_WANT_FILE;
	if (baseline->kind == BASELINE_WANT_FAST ||
	    baseline->kind == BASELINE_WANT_NONE ||
	    is_file != (want->profiles.path_count > 0))
		return error_set(err, ERROR_USAGE,
				 want->profiles.path_count
					 ? "--compare of files takes a file: "
					   "--baseline FILE"
					 : "--baseline of cost is a window or "
					   "version=V");
	return true;
}

static bool question(struct run *r, struct cost_want *want, struct error *err)
{
	const struct options *o = r->ctx.options;

	*want = (struct cost_want){
		.profiles = { .service = str_from(o->service),
			      .paths = o->args,
			      .path_count = o->arg_count,
			      .baseline_selector = o->baseline_selector,
			      .slices = COMPARISON_PARTS },
		.is_compared =
			o->compare || o->baseline || o->baseline_selector,
		.requests = amount_of(o->requests),
		.baseline_requests = amount_of(o->baseline_requests),
		.cores = amount_of(o->vcpu),
		.memory_bytes = (double)o->limit_bytes,
		.instances = amount_of(o->instances),
		.has_operations = !o->arg_count && !o->name && !o->selector,
		.has_size = o->right_size || wants_document(o),
	};
	want->profiles.is_baseline_wanted = want->is_compared;
	if (o->name && o->selector)
		return error_set(
			err, ERROR_USAGE,
			"--name takes the samples of requests wherever "
			"they were served: --selector would leave a "
			"part of them");
	if (o->name && want->is_compared)
		return error_set(err, ERROR_USAGE,
				 "--name looks at some requests of an "
				 "operation, and --compare at all of the "
				 "service");
	if (!o->arg_count && !r->question.type)
		r->question.type = "cpu";
	if (o->arg_count)
		return check_files(r, err) && read_baseline(r, want, err);
	return check_service(r, err) &&
	       window_resolve(o, r->ctx.backends.now_ns, COST_WINDOW_NS,
			      &want->profiles.window, err) &&
	       check_window(want->profiles.window, err) &&
	       read_baseline(r, want, err);
}

/* A document with nothing in it would be taken for advice. */
static bool check_document(const struct run *r, const struct cost *c,
			   struct error *err)
{
	struct buf text;

	if (!c->size.refusal || !wants_document(r->ctx.options))
		return true;
	buf_init(&text, LIMIT_ERROR_BYTES);
	cost_refusal_text(&c->size, &text);
	error_set(err, ERROR_NOT_FOUND, "no hint on the size: %s",
		  buf_text(&text));
	buf_release(&text);
	return false;
}

static bool tell(struct run *r, struct cost *c, struct cost_answer *a,
		 struct error *err)
{
	const struct options *o = r->ctx.options;

	if (!cost_rows_build(c, &a->prices, (size_t)o->limit, &r->ctx.arena,
			     &a->rows, err) ||
	    !check_document(r, c, err))
		return false;
	comparison_notes_report(&r->result, &r->ctx.notes, &r->result.reasons);
	cost_notes_add(a, &r->ctx.notes);
	a->limit = (size_t)o->limit;
	a->servers = suggest_servers(&r->ctx, true);
	if (!context_report(&r->ctx, &r->result, err))
		return false;
	a->notes = &r->result.notes;
	r->ctx.has_told_notes = output_answer(o, &cost_writer, a, err);
	return r->ctx.has_told_notes;
}

static bool cost(struct run *r, struct cost_want *want, struct cost *c,
		 struct error *err)
{
	struct cost_answer a = { .cost = c,
				 .result = &r->result,
				 .service = r->ctx.options->service,
				 .name = r->ctx.options->name };

	run_ask(r);
	if (!prices_read(r->ctx.options, &r->ctx.arena, &a.prices, err) ||
	    !question(r, want, err))
		return false;
	if ((a.name &&
	     !cost_choose_requests(&r->investigation, str_from(a.name),
				   &want->profiles, err)) ||
	    !cost_investigate(c, err))
		return shortfall_explain(&r->investigation.shortfall, err);
	return tell(r, c, &a, err);
}

int cmd_cost(const struct options *o)
{
	struct error err = { 0 };
	struct cost_want want = { .is_compared = false };
	struct cost c;
	struct run r;
	bool done;

	cost_init(&c, &r.investigation, &want);
	done = run_begin(&r, o, "cost", &err) && cost(&r, &want, &c, &err);
	cost_release(&c);
	return run_end(&r, done, &err);
}
