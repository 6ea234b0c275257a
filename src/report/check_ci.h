/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers of `check` as pipelines read them: JUnit's XML, SARIF, annotations of
 * GitHub.
 */
#ifndef REPORT_CHECK_CI_H
#define REPORT_CHECK_CI_H

#include "render/answer_writer.h"

extern const struct answer_format check_ci_formats[];

#endif
