/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of functions as people write them (image/written.h), and short ones. */
#ifndef CAIRN_REPORT_NAMING_H
#define CAIRN_REPORT_NAMING_H

#include "image/written.h"

struct cairn_naming; /* remembers what it has taken apart; one thread */

struct cairn_naming *cairn_naming_new(void); /* NULL when memory is short: names stay as they are */
void cairn_naming_free(struct cairn_naming *naming); /* NULL is fine */

/* With parameters and all that was written. Valid until the next call, as the symbol is. */
const char *cairn_naming_whole(struct cairn_naming *naming, const char *symbol);

/* For a column (cairn_written_shorten). The same, for as long. */
const char *cairn_naming_short(struct cairn_naming *naming, const char *symbol);
#define CAIRN_NAMING_SHORT CAIRN_WRITTEN_SHORT

#endif
