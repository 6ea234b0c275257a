/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/git_log.h"

#include "base/num.h"

/* Digits of SHA-1 and SHA-256. */
#define HASH_DIGITS_LEAST 40u
#define HASH_DIGITS_MOST 64u

static bool prefix_take(struct str *rest, struct str front)
{
	if (!str_starts(*rest, front))
		return false;
	*rest = str_slice(*rest, front.len, rest->len);
	return true;
}

static struct str take_word(struct str *rest)
{
	size_t end = str_until(*rest, 0, ' ');
	struct str word = str_slice(*rest, 0, end);

	*rest = str_slice(*rest, end + 1, rest->len);
	return word;
}

/* Reads "commit HASH SECONDS MARKS", and "subject ..." in the next line. */
static bool read_head(struct str line, struct str *rest, struct commit *c,
		      bool *is_cut)
{
	uint64_t seconds;

	if (!prefix_take(&line, STR("commit ")))
		return false;
	c->hash = take_word(&line);
	for (size_t i = 0; i < c->hash.len; i++)
		if (!ascii_is_hex(c->hash.ptr[i]))
			return false;
	if (c->hash.len < HASH_DIGITS_LEAST || c->hash.len > HASH_DIGITS_MOST ||
	    !parse_u64(take_word(&line), &seconds) ||
	    seconds > INT64_MAX / NS_PER_S)
		return false;
	c->time_ns = (int64_t)seconds * NS_PER_S;
	*is_cut = str_starts(line, STR("grafted"));
	line = str_take_line(rest);
	if (!prefix_take(&line, STR("subject ")) && line.len)
		return false;
	c->subject = line;
	return true;
}

static struct str without_return(struct str line)
{
	if (str_ends(line, STR("\r")))
		line.len--;
	return line;
}

/* Skips the diff of a commit; with `lines`, returns whether they are its
 * result. */
static bool skip_change(struct str *rest, struct str *lines)
{
	bool is_inside = false, is_same = true;
	size_t files = 0;

	while (rest->len && !str_starts(*rest, STR("commit "))) {
		struct str line = str_take_line(rest);

		if (str_starts(line, STR("diff --"))) {
			is_inside = false;
			files++;
		}
		if (!is_inside || files > 1 ||
		    !(str_starts(line, STR(" ")) ||
		      str_starts(line, STR("+")))) {
			is_inside |= str_starts(line, STR("@@"));
			continue;
		}
		line = str_slice(line, 1, line.len);
		is_same = is_same && lines->len &&
			  str_equal(without_return(line),
				    without_return(str_take_line(lines)));
	}
	return is_same && !lines->len;
}

enum commits_gap git_log_decode(struct str text, struct str lines,
				struct commit commits[COMMITS_MOST],
				size_t *count)
{
	bool is_cut = false;

	*count = 0;
	while (text.len && *count < COMMITS_MOST) {
		struct commit c = { .time_ns = 0 };
		struct str line = str_take_line(&text);

		/* If a limit truncated the output, the last commit is
		 * incomplete. */
		if (!read_head(line, &text, &c, &is_cut) || !text.len) {
			if (*count)
				break;
			return COMMITS_NO_FORMAT;
		}
		if (!skip_change(&text, &lines) && !*count && !is_cut)
			return COMMITS_CHANGED;
		if (is_cut)
			break;
		commits[(*count)++] = c;
		lines.len = 0;
	}
	if (*count)
		return COMMITS_GAP_NONE;
	return is_cut ? COMMITS_SHALLOW : COMMITS_NO_TREE;
}
