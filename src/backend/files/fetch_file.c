/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/files/fetch_file.h"

#include <string.h>
#include <sys/stat.h>

#include "backend/input.h"

/* Smaller files are read before a thread has begun. */
#define AHEAD_BYTES ((off_t)(32 * KIB))

/* Sums of smaller files are ordered, so that they look the same whatever the
 * order of the files is. Larger ones may say the same stack more often than
 * there is memory for before equal ones meet. */
#define LOOSE_MIN_BYTES (256 * KIB)
#define LOOSE_MAX_BYTES (64 * MIB)

static void allow_packed(enum stack_order order, struct profile_want *want)
{
	want->packed_min_bytes = order == STACKS_SUMMED ? 0 : LOOSE_MIN_BYTES;
	want->packed_max_bytes = order == STACKS_SUMMED      ? UINT64_MAX
				 : order == STACKS_ANY_ORDER ? LOOSE_MAX_BYTES
							     : 0;
}

static bool read_file(const char *path, struct profile_want want,
		      enum stack_order order, struct profile *profile,
		      struct notes *notes, struct error *err)
{
	struct input in;
	bool done = input_open_profile(&in, path, err);

	if (done) {
		allow_packed(order, &want);
		done = (in.feed ? decode_profile_feed(in.format, in.feed, &want,
						      profile, notes, err)
				: decode_profile(in.format, in.bytes, &want,
						 profile, notes, err)) ||
		       error_prefix(err, "%s", in.name);
	}
	input_release(&in);
	return done;
}

bool fetch_profile_file(struct backends *b, const char *path, struct str type,
			const struct type_name *like, struct profile *profile,
			struct error *err)
{
	struct profile_want want = b->want;

	want.type = type;
	want.like = like;
	return read_file(path, want, b->file_order, profile, b->notes, err);
}

/* ---- two files ---- */

static bool is_large(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) &&
	       st.st_size >= AHEAD_BYTES;
}

static void read_ahead(void *task)
{
	struct file_ahead *a = task;

	a->is_read = read_file(a->path, a->want, a->order, a->profile,
			       &a->notes, &a->err);
}

void file_ahead_init(struct file_ahead *a)
{
	a->path = NULL;
}

/* Filters of labels remember the sample at hand: they serve one file. */
void file_ahead_start(struct file_ahead *a, const struct backends *b,
		      const char *first, const char *second, struct str type,
		      const struct type_name *like, struct profile *profile)
{
	file_ahead_init(a);
	a->is_read = false;
	if (!thread_is_worth_it() || b->want.labels || !is_large(first) ||
	    !is_large(second))
		return;
	a->path = second;
	a->want = b->want;
	a->want.type = type;
	a->want.like = like;
	a->order = b->file_order;
	a->profile = profile;
	notes_init(&a->notes);
	error_clear(&a->err);
	thread_start(&a->thread, read_ahead, a);
}

/* Another one that is equal might have been meant. */
static bool is_only_type(const struct profile *p, const struct type_name *like)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < p->type_count; i++)
		count += type_name_equal(
			(struct type_name){ profile_text(p, p->types[i].type),
					    profile_text(p, p->types[i].unit) },
			*like);
	return count == 1 &&
	       type_name_equal((struct type_name){ profile_type_name(p),
						   profile_unit(p) },
			       *like);
}

bool file_ahead_take(struct file_ahead *a, struct backends *b,
		     const struct type_name *like)
{
	if (!a || !a->path)
		return false;
	thread_join(&a->thread);
	a->path = NULL;
	if (a->is_read && like && is_only_type(a->profile, like)) {
		notes_append(b->notes, &a->notes);
		return true;
	}
	profile_release(a->profile);
	return false;
}
