/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/files/files_answers.h"

#include "backend/fetch_profile.h"
#include "backend/files/fetch_file.h"
#include "backend/files/fetch_files.h"

static struct profile_fetch *fetch_of(struct job *job)
{
	struct profile_fetch *f = (struct profile_fetch *)job;

	return job->type->question == QUESTION_PROFILE && !job->is_done &&
			       f->path_count
		       ? f
		       : NULL;
}

static struct str type_of(const struct profile_fetch *f)
{
	return str_from(f->query.type_id);
}

static void read(struct backends *b, struct profile_fetch *f)
{
	f->job.is_done = true;
	f->job.has_answer =
		f->path_count > 1
			? fetch_profile_files(b, f->paths, f->path_count,
					      type_of(f), f->into, &f->job.err)
			: fetch_profile_file(b, f->paths[0], type_of(f),
					     f->like, f->into, &f->job.err);
}

/* What is read for its own type first may be what is wanted. */
static void read_both(struct backends *b, struct profile_fetch *first,
		      struct profile_fetch *second)
{
	struct file_ahead ahead;
	struct type_name like;

	file_ahead_init(&ahead);
	if (first->path_count == 1)
		file_ahead_start(&ahead, b, first->paths[0], second->paths[0],
				 type_of(second), NULL, second->into);
	read(b, first);
	if (!first->job.has_answer) {
		(void)file_ahead_take(&ahead, b, NULL);
		second->job.err = first->job.err;
		second->job.is_done = true;
		return;
	}
	like = (struct type_name){ profile_type_name(first->into),
				   profile_unit(first->into) };
	second->job.is_done = second->job.has_answer =
		file_ahead_take(&ahead, b, &like);
	if (second->job.is_done)
		return;
	second->like = &like;
	read(b, second);
	second->like = NULL;
}

/* The second file of a batch is read for the type that the first one has, and
 * not at all when that could not be read. */
static bool answer_jobs(struct backends *b, struct job *const *jobs, size_t n,
			struct error *err)
{
	struct profile_fetch *first = NULL;

	(void)err;

	for (size_t i = 0; i < n; i++) {
		struct profile_fetch *f = fetch_of(jobs[i]);

		if (f && first) {
			read_both(b, first, f);
			first = NULL;
		} else if (f) {
			first = f;
		}
	}
	if (first)
		read(b, first);
	return true;
}

const struct profile_backend profile_files = {
	.name = "file",
	.title = "file",
	.answer_jobs = answer_jobs,
	.each = files_each,
};
