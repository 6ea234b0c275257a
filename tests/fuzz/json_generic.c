/* SPDX-License-Identifier: Apache-2.0 */
#include "json_generic.h"

#include <jansson.h>

bool json_generic_takes(struct str bytes, bool *is_comparable)
{
	json_error_t error;
	json_t *root = json_loadb(bytes.ptr, bytes.len,
				  JSON_DECODE_ANY | JSON_ALLOW_NUL |
					  JSON_DECODE_INT_AS_REAL,
				  &error);
	enum json_error_code code =
		root ? json_error_unknown : json_error_code(&error);

	*is_comparable = root || code == json_error_invalid_syntax ||
			 code == json_error_premature_end_of_input ||
			 code == json_error_end_of_input_expected;
	json_decref(root);
	return root != NULL;
}
