/* SPDX-License-Identifier: Apache-2.0 */
#include "base/shell.h"

#include <string.h>

static bool is_plain(struct str word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_./:=@%+,";

	for (size_t i = 0; i < word.len; i++)
		if (!word.ptr[i] || !strchr(plain, word.ptr[i]))
			return false;
	return word.len > 0;
}

void shell_word_add(struct buf *out, struct str word)
{
	buf_add_char(out, ' ');
	if (is_plain(word)) {
		buf_add_str(out, word);
		return;
	}
	buf_add_char(out, '\'');
	for (size_t i = 0; i < word.len; i++)
		if (word.ptr[i] == '\'')
			buf_add_text(out, "'\\''");
		else
			buf_add_char(out, word.ptr[i]);
	buf_add_char(out, '\'');
}
