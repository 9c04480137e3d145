/* SPDX-License-Identifier: BSD-2-Clause */
/* What every page of coverage has: how it looks, and the script that sorts its tables. Nothing of it comes
 * from elsewhere; without the script all is there, in its first order. */
#ifndef CAIRN_REPORT_COVERAGE_PAGE_H
#define CAIRN_REPORT_COVERAGE_PAGE_H

extern const char cairn_coverage_page_head[];
extern const char cairn_coverage_page_end[];

#endif
