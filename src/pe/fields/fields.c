/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables as data, and finding fields. */
#include "pe/fields/fields.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/letters.h"
#include "pe/fields/control_table.h"
#include "pe/fields/trace_table.h"

#define NAMES_FAR 3u /* letters between a slip and what was meant */

static const struct cairn_register_field fields[] = {
#define R(of, high, low, name, meaning, section, text)                                             \
    {#of, #name, section, text, CAIRN_OF_PE, high, low, CAIRN_MEANS_##meaning},
    CAIRN_PE_TRACE_FIELDS(R) CAIRN_PE_CONTROL_FIELDS(R) CAIRN_PE_FINE_FIELDS(R)
#undef R
};
#define FIELD_COUNT (sizeof fields / sizeof fields[0])

const struct cairn_register_field *cairn_pe_field_at(size_t index)
{
    return index < FIELD_COUNT ? &fields[index] : NULL;
}

size_t cairn_pe_fields(struct cairn_pe_sysreg_place place,
                       const struct cairn_register_field *list[CAIRN_FIELDS_MOST])
{
    size_t count = 0;

    for (size_t i = 0; i < FIELD_COUNT && count < CAIRN_FIELDS_MOST; i++)
        if (strcmp(fields[i].of, place.sysreg->name) == 0)
            list[count++] = &fields[i];
    return count;
}

const struct cairn_register_field *cairn_pe_field_of(struct cairn_pe_sysreg_place place,
                                                     const char *name)
{
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (strcmp(fields[i].of, place.sysreg->name) == 0 && strcasecmp(fields[i].name, name) == 0)
            return &fields[i];
    return NULL;
}

uint64_t cairn_pe_reserved(struct cairn_pe_sysreg_place place)
{
    return ~place.sysreg->bits;
}

size_t cairn_pe_names_near(const char *name, char (*names)[CAIRN_REGISTER_NAME], size_t most)
{
    const struct cairn_pe_sysreg *sysreg;
    size_t count = 0;

    for (unsigned wanted = 0; wanted <= NAMES_FAR && count < most; wanted++)
        for (size_t i = 0; (sysreg = cairn_pe_sysreg_at(i)) != NULL; i++)
            for (unsigned n = 0; n < sysreg->count && count < most; n++) {
                const struct cairn_pe_sysreg_place place = {.sysreg = sysreg, .number = n};
                cairn_pe_sysreg_name(place, names[count]);
                if (cairn_letters_apart(name, names[count]) == wanted)
                    count++;
            }
    return count;
}
