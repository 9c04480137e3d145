/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/naming.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEPT 1024 /* names; a call returns to one that was there a moment ago */

struct kept_name {
    const char *symbol;                 /* lives as long as the image */
    char *whole;                        /* NULL: as the symbol */
    char brief[CAIRN_NAMING_SHORT + 1]; /* "": not made yet */
};

struct cairn_naming {
    struct kept_name names[KEPT];
};

struct cairn_naming *cairn_naming_new(void)
{
    return calloc(1, sizeof(struct cairn_naming));
}

void cairn_naming_free(struct cairn_naming *naming)
{
    for (size_t i = 0; naming && i < KEPT; i++)
        free(naming->names[i].whole);
    free(naming);
}

static struct kept_name *keep(struct cairn_naming *naming, const char *symbol)
{
    struct kept_name *kept = &naming->names[((uintptr_t)symbol ^ (uintptr_t)symbol >> 11) % KEPT];

    if (kept->symbol == symbol)
        return kept;
    free(kept->whole);
    kept->symbol = symbol;
    kept->whole = cairn_written(symbol);
    kept->brief[0] = '\0';
    return kept;
}

const char *cairn_naming_whole(struct cairn_naming *naming, const char *symbol)
{
    const struct kept_name *const kept = naming ? keep(naming, symbol) : NULL;

    return kept && kept->whole ? kept->whole : symbol;
}

const char *cairn_naming_short(struct cairn_naming *naming, const char *symbol)
{
    struct kept_name *const kept = naming ? keep(naming, symbol) : NULL;

    if (!kept)
        return symbol;
    if (kept->brief[0])
        return kept->brief;
    if (kept->whole || strlen(symbol) > CAIRN_NAMING_SHORT)
        cairn_written_shorten(kept->whole ? kept->whole : symbol, kept->brief, sizeof kept->brief);
    else
        snprintf(kept->brief, sizeof kept->brief, "%s", symbol);
    return kept->brief;
}
