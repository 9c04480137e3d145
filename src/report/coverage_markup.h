/* SPDX-License-Identifier: BSD-2-Clause */
/* Text in XML and HTML. */
#ifndef CAIRN_REPORT_COVERAGE_MARKUP_H
#define CAIRN_REPORT_COVERAGE_MARKUP_H

#include "report/output.h"

/* The text with & < > and quotes as entities; what is not UTF-8, and what XML has no place for, as
 * U+FFFD. */
void cairn_markup_text(struct cairn_output *output, const char *text, size_t length);

#endif
