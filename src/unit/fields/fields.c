/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables as data, and finding what a name means. */
#include "unit/fields/fields.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/letters.h"
#include "unit/etm/registers.h"
#include "unit/etmv3/registers.h"
#include "unit/etmv4/register_table.h"
#include "unit/fields/etm_table.h"
#include "unit/fields/etmv4_table.h"

#define PREFIX_MTB "MTB_"
#define NO_OFFSET 0xffffu
#define NAMES_FAR 3u /* letters between a slip and what was meant */

static const struct cairn_register_field fields[] = {
#define ROW(of, units, high, low, name, meaning, section, text)                                    \
    {#of, #name, section, text, CAIRN_OF_##units, high, low, CAIRN_MEANS_##meaning},
    CAIRN_ETMV4_FIELDS(ROW) CAIRN_ETMV4_BUILT_FIELDS(ROW) CAIRN_ETM_FIELDS(ROW)
        CAIRN_MTB_FIELDS(ROW)
#undef ROW
};
#define FIELD_COUNT (sizeof fields / sizeof fields[0])

/* What the tables of the models call access. */
enum {
    FROM_PROGRAM = CAIRN_FAMILY_PROGRAM,
    FROM_BUILT = CAIRN_FAMILY_BUILT,
    FROM_STATUS = CAIRN_FAMILY_STATUS,
    FROM_STATE = CAIRN_FAMILY_STATE,
};
#define UNITS_OF(protocols)                                                                        \
    (((protocols)&CAIRN_REGISTER_ETE ? CAIRN_OF_ETE : 0) |                                         \
     ((protocols)&CAIRN_REGISTER_ETMV4 ? CAIRN_OF_ETMV4 : 0))
/* TRCRSCTLR begins with 2: selectors 0 and 1 are fixed. */
#define FIRST_OF(name, count)                                                                      \
    ((count) == 1 ? CAIRN_NO_NUMBER : CAIRN_REG_##name == CAIRN_REG_TRCRSCTLR ? 2 : 0)
#define FIRST_FROM_1(count) ((count) == 1 ? CAIRN_NO_NUMBER : 1)
#define FIRST_NONE CAIRN_NO_NUMBER
#define FIRST_0 0
#define FIRST_1 1
#define FIRST_4 4

static const struct cairn_register_family families[] = {
#define ETMV4(name, count, offset, step, bits, protocols, access, mask, needs)                     \
    {#name,        mask,                                                                           \
     offset,       step,                                                                           \
     count,        FIRST_OF(name, count),                                                          \
     bits,         UNITS_OF(CAIRN_REGISTER_##protocols),                                           \
     FROM_##access},
#define EXTRA(name, count, first, offset, step, bits, units, access)                               \
    {#name, 0, offset, step, count, FIRST_##first, bits, CAIRN_OF_##units, CAIRN_FAMILY_##access},
#define PTM(name, count, offset, mask, access)                                                     \
    {#name, mask, offset, 4, count, FIRST_FROM_1(count), 32, CAIRN_OF_PTM, FROM_##access},
#define ETMV3(name, count, number, step, mask, access, decoder)                                    \
    {#name, mask,           4 * (number), 4 * (step), count, FIRST_FROM_1(count),                  \
     32,    CAIRN_OF_ETMV3, FROM_##access},
#define MTB(name, offset, mask, access)                                                            \
    {#name, mask, offset, 0, 1, CAIRN_NO_NUMBER, 32, CAIRN_OF_MTB, CAIRN_FAMILY_##access},
    CAIRN_UNIT_REGISTER_LIST(ETMV4) CAIRN_ETMV4_FAMILIES(EXTRA) CAIRN_ETM_REGISTER_LIST(PTM)
        CAIRN_ETMV3_REGISTERS(ETMV3) CAIRN_ETM_FAMILIES(EXTRA) CAIRN_MTB_FAMILIES(MTB)};
#define FAMILY_COUNT (sizeof families / sizeof families[0])

static const struct {
    enum cairn_protocol_id protocol;
    unsigned unit;
} protocols[] = {
    {CAIRN_PROTOCOL_ETE, CAIRN_OF_ETE}, {CAIRN_PROTOCOL_ETMV4, CAIRN_OF_ETMV4},
    {CAIRN_PROTOCOL_PTM, CAIRN_OF_PTM}, {CAIRN_PROTOCOL_ETMV3, CAIRN_OF_ETMV3},
    {CAIRN_PROTOCOL_MTB, CAIRN_OF_MTB},
};

unsigned cairn_of_protocol(enum cairn_protocol_id protocol)
{
    for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++)
        if (protocols[i].protocol == protocol)
            return protocols[i].unit;
    return 0;
}

enum cairn_protocol_id cairn_protocol_of(unsigned unit)
{
    for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++)
        if (protocols[i].unit & unit)
            return protocols[i].protocol;
    return CAIRN_PROTOCOL_UNKNOWN;
}

const struct cairn_register_family *cairn_register_family_at(size_t index)
{
    return index < FAMILY_COUNT ? &families[index] : NULL;
}

const struct cairn_register_field *cairn_register_field_at(size_t index)
{
    return index < FIELD_COUNT ? &fields[index] : NULL;
}

/* True, with the number, where `name` is a register of the family. */
static bool is_of_family(const struct cairn_register_family *family, const char *name,
                         unsigned *number)
{
    const size_t length = strlen(family->name);
    unsigned value = 0;

    /* Most begin with the same three letters: the fourth tells most of them apart. */
    if (!name[0] || !name[1] || !name[2] || ((name[3] ^ family->name[3]) & ~('a' ^ 'A')) ||
        strncasecmp(name, family->name, length) != 0)
        return false;
    name += length;
    *number = 0;
    if (family->first == CAIRN_NO_NUMBER)
        return !*name;
    if (!*name || (name[0] == '0' && name[1]))
        return false;
    for (; *name; name++) {
        if (*name < '0' || *name > '9' || value > 99)
            return false;
        value = 10 * value + (unsigned)(*name - '0');
    }
    *number = value;
    return value >= family->first && value - family->first < family->count;
}

/* "0x080", as memory maps have it. */
static bool is_at_offset(const struct cairn_register_family *family, const char *name,
                         unsigned *number)
{
    unsigned offset = 0;

    if (name[0] != '0' || (name[1] | 0x20) != 'x' || !name[2] || family->offset == NO_OFFSET)
        return false;
    for (name += 2; *name; name++) {
        const char c = (char)(*name | 0x20);
        const bool digit = *name >= '0' && *name <= '9';
        if ((!digit && (c < 'a' || c > 'f')) || offset > 0xfff)
            return false;
        offset = 16 * offset + (unsigned)(digit ? *name - '0' : c - 'a' + 10);
    }
    if (offset < family->offset)
        return false;
    const unsigned distance = offset - family->offset;
    if (family->count == 1 || !family->step) {
        *number = 0;
        return distance == 0;
    }
    *number = distance / family->step + family->first;
    return distance % family->step == 0 && distance / family->step < family->count;
}

static struct cairn_register_place find(unsigned units, const char *name)
{
    struct cairn_register_place place = {NULL, 0};

    const bool by_offset = name[0] == '0';

    for (size_t i = 0; i < FAMILY_COUNT; i++)
        if ((families[i].units & units) &&
            (by_offset ? is_at_offset(&families[i], name, &place.number)
                       : is_of_family(&families[i], name, &place.number))) {
            place.family = &families[i];
            return place;
        }
    place.number = 0;
    return place;
}

struct cairn_register_place cairn_register_place_of(unsigned units, const char *name)
{
    char prefixed[CAIRN_REGISTER_NAME];
    const size_t before = sizeof PREFIX_MTB - 1, length = strlen(name);
    const struct cairn_register_place place = find(units, name);

    if (place.family || !(units & CAIRN_OF_MTB) || before + length >= sizeof prefixed)
        return place;
    memcpy(prefixed, PREFIX_MTB, before);
    memcpy(prefixed + before, name, length + 1);
    return find(CAIRN_OF_MTB, prefixed);
}

unsigned cairn_register_units(const char *name)
{
    unsigned units = 0;

    for (unsigned unit = 1; unit <= CAIRN_OF_ANY; unit <<= 1)
        if (cairn_register_place_of(unit, name).family)
            units |= unit;
    return units;
}

void cairn_register_name(struct cairn_register_place place, char name[CAIRN_REGISTER_NAME])
{
    if (place.family->first == CAIRN_NO_NUMBER)
        snprintf(name, CAIRN_REGISTER_NAME, "%s", place.family->name);
    else
        snprintf(name, CAIRN_REGISTER_NAME, "%s%u", place.family->name, place.number);
}

unsigned cairn_register_slot(struct cairn_register_place place)
{
    unsigned slot = place.family->first == CAIRN_NO_NUMBER ? 0 : place.number - place.family->first;

    for (const struct cairn_register_family *at = families; at != place.family; at++)
        slot += at->count;
    return slot;
}

size_t cairn_register_names_near(unsigned units, const char *name,
                                 char (*names)[CAIRN_REGISTER_NAME], size_t most)
{
    size_t count = 0;

    for (unsigned wanted = 0; wanted <= NAMES_FAR && count < most; wanted++)
        for (size_t i = 0; i < FAMILY_COUNT && count < most; i++) {
            const struct cairn_register_family *family = &families[i];
            for (unsigned n = 0; n < family->count && count < most; n++) {
                const unsigned first = family->first == CAIRN_NO_NUMBER ? 0 : family->first;
                const struct cairn_register_place place = {family, first + n};
                bool known = !(family->units & units);
                cairn_register_name(place, names[count]);
                for (size_t j = 0; j < count; j++)
                    known |= strcmp(names[j], names[count]) == 0;
                if (!known && cairn_letters_apart(name, names[count]) == wanted)
                    count++;
            }
        }
    return count;
}

static bool is_field_of(const struct cairn_register_field *field, unsigned unit,
                        struct cairn_register_place place, const char *name)
{
    if (!(field->units & unit) ||
        (strcmp(field->of, place.family->name) != 0 && strcmp(field->of, name) != 0))
        return false;
    /* of the lower one of a pair of selectors (R_KTNJM), of the higher one of a pair of counters */
    if (field->meaning == CAIRN_MEANS_PAIRINV)
        return place.number % 2 == 0;
    return field->meaning != CAIRN_MEANS_CNTCHAIN || place.number % 2 == 1;
}

size_t cairn_register_fields(unsigned unit, struct cairn_register_place place,
                             const struct cairn_register_field *list[CAIRN_FIELDS_MOST])
{
    char name[CAIRN_REGISTER_NAME];
    size_t count = 0;

    cairn_register_name(place, name);
    for (size_t i = 0; i < FIELD_COUNT && count < CAIRN_FIELDS_MOST; i++)
        if (is_field_of(&fields[i], unit, place, name))
            list[count++] = &fields[i];
    return count;
}

const struct cairn_register_field *
cairn_register_field_of(unsigned unit, struct cairn_register_place place, const char *name)
{
    const struct cairn_register_field *list[CAIRN_FIELDS_MOST];
    const size_t count = cairn_register_fields(unit, place, list);

    for (size_t i = 0; i < count; i++)
        if (list[i]->meaning != CAIRN_MEANS_RESERVED && strcasecmp(list[i]->name, name) == 0)
            return list[i];
    return NULL;
}

uint64_t cairn_register_reserved(unsigned unit, struct cairn_register_place place)
{
    const struct cairn_register_field *list[CAIRN_FIELDS_MOST];
    const size_t count = cairn_register_fields(unit, place, list);
    uint64_t reserved = UINT64_MAX;

    if (count == 0) /* whose fields are not known */
        return 0;
    for (size_t i = 0; i < count; i++)
        if (list[i]->meaning != CAIRN_MEANS_RESERVED)
            reserved &= ~cairn_field_mask(list[i]);
    return reserved;
}
