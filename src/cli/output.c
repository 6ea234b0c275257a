/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/output.h"

#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "base/terminal.h"
#include "cli/message.h"
#include "cli/run.h"
#include "decode/otlp_profiles.h"
#include "render/page.h"
#include "render/reduce.h"
#include "render/render.h"
#include "render/units.h"
#include "report/answers.h"
#include "tui/tui.h"
#include "wire/har.h"

static bool check_stdout(const struct options *o,
			 const struct output_option *output, size_t *on_stdout,
			 struct error *err)
{
	if (!output->path && o->interactive)
		return error_set(err, ERROR_USAGE,
				 "--interactive uses the whole terminal: write "
				 "the format to a file (-o %s=FILE)",
				 output->format);
	if (output->path || ++*on_stdout == 1)
		return true;
	return error_set(err, ERROR_USAGE,
			 "two formats on standard output: write one to a file "
			 "(-o %s=FILE)",
			 output->format);
}

bool output_check_as(const struct options *o, const struct command *command,
		     const char *called, struct error *err)
{
	size_t count, on_stdout = 0;
	const struct output_option *list = output_wanted(o, &count);

	for (size_t i = 0; i < count; i++) {
		const char *format = list[i].format;
		struct buf names;

		if (!output_gives(command, format)) {
			buf_init(&names, LIMIT_ERROR_BYTES);
			output_list_formats(command, &names);
			error_set(err, ERROR_USAGE, "-o %s: %s supports %s",
				  format, called, buf_text(&names));
			buf_release(&names);
			return false;
		}
		if (!check_stdout(o, &list[i], &on_stdout, err))
			return false;
		if (!list[i].path &&
		    output_format_needs(format, RENDER_IS_BINARY) &&
		    isatty(STDOUT_FILENO))
			return error_set(err, ERROR_USAGE,
					 "-o %s is binary: write it to a file "
					 "(-o %s=FILE) or into a pipe",
					 format, format);
	}
	return true;
}

bool output_prepare(const struct options *o, struct error *err)
{
	return !o->interactive || tui_prepare(err);
}

bool output_check(const struct options *o, const char *command,
		  struct error *err)
{
	const struct command *c = command_find(str_from(command));

	if (o->embed_case && !output_needs(o, RENDER_TAKES_ALL))
		return error_set(err, ERROR_USAGE,
				 "--embed-case needs a page: add -o html=FILE");
	return (c ||
		error_set(err, ERROR_INTERNAL, "no command %s", command)) &&
	       output_check_as(o, c, command, err) &&
	       (!o->interactive || tui_check(err));
}

bool output_check_answer(const struct options *o, const char *called,
			 struct error *err)
{
	static const struct command plain = { .formats = FORMATS_OF_ANSWERS };

	if (o->interactive)
		return error_set(err, ERROR_USAGE,
				 "--interactive cannot be combined with "
				 "%s", called);
	return output_check_as(o, &plain, called, err);
}

/* Pipes and files get the same bytes wherever the run happens: full names,
 * UTF-8, times in UTC, no colour unless asked for. Only a locale without UTF-8
 * says that a pipe's reader has none. */
static struct render_style style_for(const struct options *o, bool is_stdout)
{
	bool is_terminal = is_stdout && isatty(STDOUT_FILENO);

	return (struct render_style){
		.width = is_terminal ? terminal_width() : 0,
		.use_color = is_stdout && terminal_wants_color(o->color, is_terminal),
		.has_truecolor = terminal_has_truecolor(),
		.has_256_colors = terminal_has_256_colors(),
		.use_unicode = !is_stdout || terminal_is_unicode(!is_terminal),
		.use_local_time = is_terminal,
		.limit = (size_t)o->limit,
		.has_limit = options_given(o, "limit"),
		.brief_tokens = (size_t)o->budget,
		.is_quiet = o->quiet,
		.has_callers = o->callers,
	};
}

static struct picture_style picture_for(const struct options *o)
{
	static const char *const palettes[] = {
		[PALETTE_AUTO] = "auto", [PALETTE_HOT] = "hot",
		[PALETTE_JAVA] = "java", [PALETTE_KIND] = "kind",
		[PALETTE_DIFF] = "diff",
	};
	struct picture_style style = {
		.width_px = (unsigned)o->width_px,
		.columns = terminal_columns_asked(),
		.min_width_cpx = options_centipixels(o->min_width),
		.has_root_below = o->layout && !strcmp(o->layout, "flame"),
	};

	for (size_t i = 0; o->palette && i < sizeof palettes / sizeof *palettes;
	     i++)
		if (!strcmp(o->palette, palettes[i]))
			style.palette = (enum palette)i;
	return style;
}

/* An answer and the function that writes it. */
struct writing {
	void (*write)(const struct writing *w, struct out *out);
	const struct render_format *format; /* with input, or else: */
	const struct render_input *input;
	const struct answer_writer *writer; /* with name, answer and style */
	const char *name;
	const void *answer;
	const struct render_style *style;
};

static void write_rendered(const struct writing *w, struct out *out)
{
	w->format->render(w->input, out);
}

/* Writes a format that is made of the machine's answer. */
static void write_from_json(const struct writing *w, struct out *out)
{
	struct buf json;
	struct out memory;

	buf_init(&json, LIMIT_RESULT_BYTES);
	out_init_memory(&memory, &json);
	w->writer->json(w->answer, &memory);
	if (json.state != BUF_OK)
		out_fail_memory(out);
	else if (!strcmp(w->name, "brief"))
		brief_write(buf_str(&json), w->style->brief_tokens, out);
	else
		openmetrics_write(buf_str(&json), out);
	out_release(&memory);
	buf_release(&json);
}

static void write_answered(const struct writing *w, struct out *out)
{
	const struct answer_format *other = w->writer->others;
	struct render_style style = *w->style;

	/* A format that only this answer has. */
	while (other && other->name && strcmp(other->name, w->name) != 0)
		other++;

	if (!strcmp(w->name, "markdown"))
		style = render_style_markdown(w->style);
	if (other && other->name)
		other->write(w->answer, out);
	else if (!strcmp(w->name, "json"))
		w->writer->json(w->answer, out);
	else if (!strcmp(w->name, "brief") || !strcmp(w->name, "openmetrics"))
		write_from_json(w, out);
	else if (!strcmp(w->name, "csv"))
		w->writer->csv(w->answer, out);
	else if (!strcmp(w->name, "html"))
		w->writer->html(w->answer, out);
	else if (!strcmp(w->name, "id"))
		w->writer->id(w->answer, out);
	else
		w->writer->table(w->answer, &style, out);
}

/* A reader that went away is no failure. */
static bool write_fd(int fd, const struct writing *w, struct error *err)
{
	struct out out;
	bool done;

	if (!out_init_fd(&out, fd, err))
		return false;
	w->write(w, &out);
	done = out_finish(&out, "standard output", err);
	if (!done && out_is_broken_pipe(&out)) {
		error_clear(err);
		done = true;
	}
	out_release(&out);
	return done;
}

static bool write_stdout(const struct options *o, const struct writing *w,
			 struct error *err)
{
	const char *command = pager_command(o->no_pager, o->pager);
	struct pager pager;
	bool done;

	if (!command || !pager_start(&pager, command))
		return write_fd(STDOUT_FILENO, w, err);
	done = write_fd(pager.fd, w, err);
	return pager_finish(&pager) ? done : write_fd(STDOUT_FILENO, w, err);
}

static bool write_file(const char *path, const struct writing *w,
		       struct error *err)
{
	struct outfile file;

	if (!outfile_open(&file, path, 0666, err))
		return false;
	w->write(w, &file.out);
	return outfile_commit(&file, err);
}

/* ---- what was written ---- */

/* Standard output is for what was asked for: with all of it in files a terminal
 * or the log of a pipeline would show nothing. */
static bool is_in_files_alone(const struct options *o)
{
	size_t count;
	const struct output_option *list = output_wanted(o, &count);

	for (size_t i = 0; i < count; i++)
		if (!list[i].path)
			return false;
	return count && !o->interactive && !o->quiet;
}

/* The answer's first line, as the table has it, and the files; nothing where memory was
 * lacking, which is an error of its own. */
static void tell_written(const struct options *o, const struct writing *table)
{
	size_t count;
	const struct output_option *list = output_wanted(o, &count);
	struct buf text;
	struct out memory;
	struct str line;

	buf_init(&text, LIMIT_RESULT_BYTES);
	if (table) {
		out_init_memory(&memory, &text);
		table->write(table, &memory);
		out_release(&memory);
		line = buf_str(&text);
		line.len = str_until(line, 0, '\n');
		if (!mem_has_failed() && line.len)
			message_info("%.*s", STR_ARGS(line));
		buf_clear(&text);
	}
	for (size_t i = 0; i < count; i++)
		buf_addf(&text, "%s%s", i ? ", " : "", list[i].path);
	if (!mem_has_failed())
		message_info("written: %s", buf_text(&text));
	buf_release(&text);
}

struct rendering {
	const struct run *r;
	struct drawings drawings;
	struct buf repeat;
	struct buf packed_case;
	struct render_input in;
};

/* Answers of servers are of the minute in which they were asked. */
static void add_origin(struct rendering *g)
{
	const struct run *r = g->r;

	buf_clear(&g->repeat);
	suggest_repeat(r, &g->repeat);
	if (g->repeat.state == BUF_OK)
		g->in.repeat = buf_str(&g->repeat);
	g->in.asked_ns = r->result.request_count ? r->ctx.backends.now_ns : 0;
	g->in.is_replay = r->ctx.replay != NULL;
	g->in.source_pattern = r->ctx.options->source_url;
	g->in.trace_link = r->ctx.options->trace_link;
	g->in.profile_link = r->ctx.options->profile_link;
	g->in.embedded_case = buf_str(&g->packed_case);
}

/* Packs the case; one too large for a mail is left out, with a message, since
 * the page is worth more. */
static bool pack_case(struct rendering *g, struct error *err)
{
	const struct context *ctx = &g->r->ctx;
	const struct har *har = ctx->replay ? ctx->replay : ctx->record;
	char size[UNIT_TEXT_BYTES], most[UNIT_TEXT_BYTES];

	if (!ctx->options->embed_case || !har || g->packed_case.len)
		return true;
	if (!har_pack(har, &g->packed_case, err))
		return false;
	if (g->packed_case.len <= LIMIT_EMBEDDED_CASE_BYTES)
		return true;
	format_size((int64_t)g->packed_case.len, size);
	format_size((int64_t)LIMIT_EMBEDDED_CASE_BYTES, most);
	message_info("--embed-case: the case has %s, a page holds at most %s: "
		     "use --record FILE.har.gz",
		     size, most);
	buf_clear(&g->packed_case);
	return true;
}

static bool render_one(struct rendering *g, const struct output_option *wanted,
		       struct error *err)
{
	const struct options *o = g->r->ctx.options;
	const struct render_format *f = render_find(str_from(wanted->format));
	const struct writing w = { .write = write_rendered,
				   .format = f,
				   .input = &g->in };

	if (!drawings_possible(&g->in, f, err))
		return false;
	if (f->needs & RENDER_TAKES_ALL) {
		if (!pack_case(g, err))
			return false;
		add_origin(g);
	}
	if (!drawings_add(&g->drawings, f->needs, err))
		return false;
	g->in.style = style_for(o, !wanted->path);
	g->in.picture = picture_for(o);
	return wanted->path ? write_file(wanted->path, &w, err)
			    : write_stdout(o, &w, err);
}

/* Without a profile what there is is printed. */
static bool rendering_explore(struct rendering *g, struct error *err)
{
	static const struct output_option table = { "table", NULL };
	const struct options *o = g->r->ctx.options;

	if (!g->in.result->has_profile)
		return render_one(g, &table, err) &&
		       error_set(err, ERROR_NOT_FOUND,
				 "--interactive needs a profile, and there is "
				 "none");
	if (!drawings_add(&g->drawings, RENDER_NEEDS_FLAME, err))
		return false;
	g->in.style = style_for(o, true);
	g->in.picture = picture_for(o);
	return tui_run(&g->in, err);
}

/* The first, but one that could not be written before one without data. */
static void keep_worst(struct error *worst, const struct error *next)
{
	if (worst->code == ERROR_NONE ||
	    (worst->code == ERROR_NOT_FOUND && next->code != ERROR_NOT_FOUND))
		*worst = *next;
}

bool output_render(const struct run *r, struct error *err)
{
	struct rendering g = { .r = r,
			       .in = { .result = &r->result,
				       .trace = &r->trace,
				       .write_otlp = otlp_profiles_write } };
	const struct flame_want want = {
		.rules = &r->rules,
		.is_plain = r->question.rows.is_plain,
		.is_reversed = r->ctx.options->reverse,
	};
	const struct writing table = { .write = write_rendered,
				       .format = render_find(STR("table")),
				       .input = &g.in };
	size_t count;
	const struct output_option *list =
		output_wanted(r->ctx.options, &count);
	struct error worst = { 0 }, each;

	if (r->shown) {
		g.in.profile = &r->shown->slow.profile;
		if (r->shown->has_base)
			g.in.baseline = &r->shown->base.profile;
		g.in.own_samples = r->own_samples;
		g.in.own_span = r->own_span;
	}
	buf_init(&g.repeat, LIMIT_OPTION_VALUE_BYTES);
	buf_init(&g.packed_case, LIMIT_HAR_BYTES);
	drawings_init(&g.drawings, &g.in, &want);
	for (size_t i = 0; i < count; i++)
		if (!render_one(&g, &list[i], &each))
			keep_worst(&worst, &each);
	if (r->ctx.options->interactive && !rendering_explore(&g, &each))
		keep_worst(&worst, &each);
	if (worst.code == ERROR_NONE && is_in_files_alone(r->ctx.options)) {
		g.in.style = style_for(r->ctx.options, false);
		/* Functions that nobody asked for were not ranked. */
		tell_written(r->ctx.options, output_shows_ranks(r->ctx.options)
						     ? &table
						     : NULL);
	}
	drawings_release(&g.drawings);
	buf_release(&g.repeat);
	buf_release(&g.packed_case);
	if (worst.code != ERROR_NONE)
		*err = worst;
	return worst.code == ERROR_NONE;
}

bool output_is_table_alone(const struct options *o)
{
	size_t count;
	const struct output_option *list = output_wanted(o, &count);

	return count == 1 && !list->path && !strcmp(list->format, "table") &&
	       !pager_command(o->no_pager, o->pager);
}

bool output_answer(const struct options *o, const struct answer_writer *writer,
		   const void *answer, struct error *err)
{
	size_t count;
	const struct output_option *list = output_wanted(o, &count);
	struct render_style style;
	struct writing w = { .write = write_answered,
			     .writer = writer,
			     .answer = answer,
			     .style = &style };
	bool done = true;

	for (size_t i = 0; i < count; i++) {
		struct error each = { 0 };
		const char *path = list[i].path;

		style = style_for(o, !path);
		w.name = list[i].format;
		if ((path ? write_file(path, &w, &each)
			  : write_stdout(o, &w, &each)) ||
		    !done)
			continue;
		*err = each;
		done = false;
	}
	if (done && is_in_files_alone(o)) {
		style = style_for(o, false);
		w.name = "table";
		tell_written(o, writer->table && !writer->is_list ? &w : NULL);
	}
	return done;
}
