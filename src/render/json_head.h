/* SPDX-License-Identifier: Apache-2.0
 *
 * How every JSON answer begins (tracefind-json(5)).
 */
#ifndef RENDER_JSON_HEAD_H
#define RENDER_JSON_HEAD_H

#include "base/jsonw.h"

/* The schema's version, the tool and the command, in an object already
 * begun. */
void json_head(struct jsonw *w, const char *command);

#endif
