/* SPDX-License-Identifier: Apache-2.0
 *
 * Markers around the recorded case inside an HTML report: gzip in base64, once
 * per page. Foreign text in a page is escaped, so neither marker occurs in it.
 */
#ifndef BASE_PAGE_CASE_H
#define BASE_PAGE_CASE_H

#define PAGE_CASE_BEGIN "<script id=\"case\" type=\"application/gzip\">"
#define PAGE_CASE_END "</script>"

#endif
