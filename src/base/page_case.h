/* SPDX-License-Identifier: Apache-2.0
 *
 * How a page of HTML holds the case that it was made from: gzip in base64
 * between these two, once. Foreign text of a page is escaped, so that neither
 * is within it.
 */
#ifndef BASE_PAGE_CASE_H
#define BASE_PAGE_CASE_H

#define PAGE_CASE_BEGIN "<script id=\"case\" type=\"application/gzip\">"
#define PAGE_CASE_END "</script>"

#endif
