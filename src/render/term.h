/* SPDX-License-Identifier: Apache-2.0
 *
 * Colours of pictures as near as a terminal of fewer colours has them.
 */
#ifndef RENDER_TERM_H
#define RENDER_TERM_H

#include <stdint.h>

/* Of the 256 colours of xterm the nearest from 16 on: the first 16 are the
 * user's own. */
unsigned ansi_256(uint32_t rgb);

/* Of the 16 one that text in black is read on: 2, 3, 5, 6, 7, 9 or 14. */
unsigned ansi_16(uint32_t rgb);

/* A little darker: rows of a picture that touch each other take turns. */
uint32_t ansi_shade(uint32_t rgb);

#endif
