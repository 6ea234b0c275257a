/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_profile.h"

FUZZ_PROFILE(FORMAT_CALLGRIND)
