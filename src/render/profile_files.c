/* SPDX-License-Identifier: Apache-2.0
 *
 * The profile as files of pprof, packed, and of OpenTelemetry, which has the
 * same otherwise.
 */
#include "base/gz.h"
#include "render/formats.h"

/* Ordered stacks are so alike that much effort makes large files smaller by a
 * twentieth only, in more time than all the rest of writing them takes. */
#define THOROUGH_BYTES ((size_t)MIB)

static bool pack(const struct buf *plain, struct out *out)
{
	struct error err = { 0 };
	struct buf packed;
	bool is_done;

	buf_init(&packed, LIMIT_DECODE_HEAP_BYTES);
	is_done = plain->len < THOROUGH_BYTES
			  ? gz_deflate(buf_str(plain), &packed, &err)
			  : gz_deflate_fast(buf_str(plain), &packed, &err);
	if (is_done)
		out_str(out, buf_str(&packed));
	buf_release(&packed);
	return is_done;
}

void render_pprof(const struct render_input *in, struct out *out)
{
	struct buf plain;

	buf_init(&plain, LIMIT_DECODE_HEAP_BYTES);
	if (!pprof_plain(in, &plain) || !pack(&plain, out))
		out_fail_memory(out);
	buf_release(&plain);
}

void otlp_profile(const struct render_input *in, struct out *out)
{
	struct error err = { 0 };
	struct buf pprof, otlp;

	buf_init(&pprof, LIMIT_DECODE_HEAP_BYTES);
	buf_init(&otlp, LIMIT_DECODE_HEAP_BYTES);
	if (pprof_plain(in, &pprof) &&
	    in->write_otlp(buf_str(&pprof), NULL, 0, 0, &otlp, &err) &&
	    otlp.state == BUF_OK)
		out_str(out, buf_str(&otlp));
	else
		out_fail_memory(out);
	buf_release(&pprof);
	buf_release(&otlp);
}
