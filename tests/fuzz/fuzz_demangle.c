/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of linkers. Twice the same name is twice the same answer, of bounded
 * length.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "demangle/demangle.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct demangler *d = demangler_new();
	struct str name = fuzz_str(data, size);
	struct buf first;

	FUZZ_CHECK(d != NULL, "no memory");
	buf_init(&first, LIMIT_DEMANGLED_BYTES + size + 1);
	buf_add_str(&first, demangle(d, name));
	FUZZ_CHECK(first.state == BUF_OK, "too long");
	FUZZ_CHECK(str_equal(buf_str(&first), demangle(d, name)),
		   "not the same again");
	buf_release(&first);
	demangler_free(d);
	return 0;
}
