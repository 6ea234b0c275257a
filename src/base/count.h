/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_COUNT_H
#define BASE_COUNT_H

/* Items of an array, not of a pointer. */
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#endif
