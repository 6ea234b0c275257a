/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_trace.h"

FUZZ_TRACE(FORMAT_CHROME_SPANS)
