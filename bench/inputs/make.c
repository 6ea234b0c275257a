/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/gz.h"
#include "base/num.h"
#include "make_input.h"

static const char usage[] =
	"usage: bench-make pprof|folded FILE KIND SIDE STACKS FUNCTIONS "
	"LOCATIONS DEPTH\n"
	"       bench-make otlp-pb|otlp-json|jaeger-json FILE KIND SPANS\n"
	"\n"
	"Writes one input; FILE is packed when it ends in .gz. SIDE is base or\n"
	"cur. KIND of profiles: real, one (stack), equal (stacks), unlike,\n"
	"same-name; of traces: many, one (trace), same-name, names, fan,\n"
	"chain.\n";

static const char *const stacks_kinds[] = {
	"real", "one", "equal", "unlike", "same-name", NULL,
};
static const char *const trace_kinds[] = {
	"many", "one", "same-name", "names", "fan", "chain", NULL,
};
static const char *const trace_formats[] = {
	"otlp-pb",
	"otlp-json",
	"jaeger-json",
	NULL,
};

static int find(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], word))
			return i;
	return -1;
}

static bool number(const char *text, uint32_t *out)
{
	uint64_t value;

	if (!parse_u64(str_from(text), &value) || value < 1 ||
	    value > UINT32_MAX / 16)
		return false;
	*out = (uint32_t)value;
	return true;
}

static bool put(struct buf *bytes, FILE *file, struct error *err)
{
	if (!buf_check(bytes, "the input", err))
		return false;
	if (fwrite(bytes->data, 1, bytes->len, file) != bytes->len)
		return error_set(err, ERROR_OUTPUT, "%s", strerror(errno));
	buf_clear(bytes);
	return true;
}

static bool put_profile(char **args, FILE *file, struct error *err)
{
	struct profile_shape shape = { 0 };
	int kind = find(stacks_kinds, args[2]);
	bool is_folded = !strcmp(args[0], "folded"), done;
	struct buf bytes, packed;

	if (kind < 0 || !number(args[4], &shape.stacks) ||
	    !number(args[5], &shape.functions) ||
	    !number(args[6], &shape.locations) ||
	    !number(args[7], &shape.depth) || shape.locations < shape.functions)
		return error_set(err, ERROR_USAGE, "%s", usage);
	shape.kind = (enum stacks_kind)kind;
	shape.is_later = !strcmp(args[3], "cur");
	buf_init(&bytes, MADE_BYTES);
	buf_init(&packed, MADE_BYTES);
	done = is_folded ? make_folded(&shape, &bytes)
			 : make_pprof(&shape, &bytes);
	if (!done)
		error_memory(err, "the input");
	else if (str_ends(str_from(args[1]), STR(".gz")))
		done = gz_deflate(buf_str(&bytes), &packed, err) &&
		       put(&packed, file, err);
	else
		done = put(&bytes, file, err);
	buf_release(&bytes);
	buf_release(&packed);
	return done;
}

static bool put_trace(char **args, int format, FILE *file, struct error *err)
{
	int kind = find(trace_kinds, args[2]);
	struct trace_maker *m;
	struct buf bytes;
	uint32_t spans;
	bool done = true;

	if (kind < 0 || !number(args[3], &spans))
		return error_set(err, ERROR_USAGE, "%s", usage);
	m = trace_maker_new((enum trace_kind)kind, spans,
			    (enum trace_format)format);
	if (!m)
		return error_memory(err, "the input");
	buf_init(&bytes, MADE_BYTES);
	while (done && trace_maker_step(m, &bytes))
		done = put(&bytes, file, err);
	buf_release(&bytes);
	trace_maker_free(m);
	return done;
}

static bool make(int count, char **args, struct error *err)
{
	int format = count > 3 ? find(trace_formats, args[0]) : -1;
	FILE *file;
	bool done;

	if (format < 0 && count != 8)
		return error_set(err, ERROR_USAGE, "%s", usage);
	file = fopen(args[1], "we");
	if (!file)
		return error_set(err, ERROR_OUTPUT, "%s: %s", args[1],
				 strerror(errno));
	done = format < 0 ? put_profile(args, file, err)
			  : put_trace(args, format, file, err);
	if (fclose(file) && done)
		done = error_set(err, ERROR_OUTPUT, "%s: %s", args[1],
				 strerror(errno));
	return done;
}

int main(int argc, char **argv)
{
	struct error err = { 0 };

	if (make(argc - 1, argv + 1, &err))
		return 0;
	fprintf(stderr, "%s\n", err.message);
	return 1;
}
