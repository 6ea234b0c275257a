/* SPDX-License-Identifier: Apache-2.0 */
#include "base/outfile.h"
#include "base/shell.h"
#include "cli/check_fleet.h"
#include "cli/check_places.h"
#include "cli/check_sides.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/suggest_next.h"
#include "decode/snapshot.h"
#include "report/check_answer.h"
#include "report/check_latency_text.h"
#include "report/comparison_notes.h"
#include "report/shortfall_text.h"

/* As the contract has them, beside those of errors. */
#define EXIT_BROKEN 10
#define EXIT_UNKNOWN 5

static bool save(struct check *c, const struct options *o, struct error *err)
{
	struct snapshot s;
	struct outfile file;
	bool done;

	snapshot_init(&s);
	done = check_snapshot(c, &s, err) &&
	       (outfile_open(&file, o->save, 0666, err) ||
		error_prefix(err, "--save"));
	if (done) {
		snapshot_write(&s, &file.out);
		done = outfile_commit(&file, err);
	}
	if (done && !o->quiet)
		message_info("%zu functions of %u run%s kept in %s", s.count,
			     s.runs, &"s"[s.runs == 1], o -> save);
	snapshot_release(&s);
	return done;
}

/* A slow request of the operation that broke its limit first. */
static void add_slow(struct buf *out, const struct check *c,
		     struct context *ctx)
{
	struct str servers = suggest_servers(ctx, true);

	if (!c->gates.hits[0].operation || !servers.ptr)
		return;
	buf_add_text(out, "tracefind slow --service");
	shell_word_add(out, c->want->live.service);
	buf_add_text(out, " --name");
	shell_word_add(out, c->gates.hits[0].operation->name);
	buf_add_str(out, servers);
}

/* One run a side of several: that is where to look on. */
static void add_diff(struct buf *out, const struct check *c)
{
	const struct check_files *before = &c->want->baseline;
	const struct check_files *after = &c->want->candidate;

	if (!before->count || !after->count)
		return;
	buf_add_text(out, "tracefind diff");
	shell_word_add(out, str_from(before->paths[0]));
	shell_word_add(out, str_from(after->paths[0]));
}

static struct str next_command(const struct check *c, struct context *ctx)
{
	struct str none = { NULL, 0 }, line;
	struct buf text;

	if (c->gates.outcome != GATES_BROKEN)
		return none;
	buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
	add_diff(&text, c);
	add_slow(&text, c, ctx);
	line = text.len && text.state == BUF_OK
		       ? arena_str(&ctx->arena, buf_str(&text))
		       : none;
	buf_release(&text);
	return line;
}

static bool tell(struct run *r, struct check *c, struct error *err)
{
	const struct options *o = r->ctx.options;
	struct check_answer answer = { .check = c,
				       .result = &r->result,
				       .notes = &r->ctx.notes,
				       .is_lack_accepted = o->allow_empty };

	if (!check_places_find(o, &c->gates, &r->ctx.arena, &answer.places,
			       err))
		return false;
	if (!c->want->is_latency_alone)
		comparison_notes_report(&r->result, &r->ctx.notes,
					&r->result.reasons);
	check_latency_notes(&c->latency, &r->ctx.notes);
	answer.next = next_command(c, &r->ctx);
	if (!context_report(&r->ctx, &r->result, err))
		return false;
	answer.notes = &r->result.notes;
	r->ctx.has_told_notes = output_answer(o, &check_writer, &answer, err);
	return r->ctx.has_told_notes;
}

static bool check(struct run *r, struct check_sides *sides, struct check *c,
		  struct error *err)
{
	const struct options *o = r->ctx.options;

	run_ask(r);
	if (!check_sides_read(sides, r, err))
		return false;
	if (!check_fetch(c, err))
		return shortfall_explain(&r->investigation.shortfall, err);
	if (o->save && !save(c, o, err))
		return false;
	return sides->want.is_alone || (check_judge(c, err) && tell(r, c, err));
}

static int exit_of(const struct check *c, const struct options *o)
{
	switch (c->gates.outcome) {
	case GATES_BROKEN:
		return EXIT_BROKEN;
	case GATES_UNKNOWN:
		return o->allow_empty ? 0 : EXIT_UNKNOWN;
	case GATES_HELD:
		break;
	}
	return 0;
}

int cmd_check(const struct options *o)
{
	struct error err = { 0 };
	struct check_sides sides;
	struct check c;
	struct run r;
	bool done;
	int status, outcome;

	if (o->all)
		return check_fleet(o);
	check_sides_init(&sides);
	check_init(&c, &r.investigation, &sides.want);
	done = run_begin(&r, o, "check", &err) && check(&r, &sides, &c, &err);
	outcome = done && !sides.want.is_alone ? exit_of(&c, o) : 0;
	check_release(&c);
	check_sides_release(&sides);
	status = run_end(&r, done, &err);
	return status ? status : outcome;
}
