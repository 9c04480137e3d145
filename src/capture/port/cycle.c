/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/port/cycle.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define BIT(n) (UINT64_C(1) << (n))
#define NIBBLE 0xfu
#define V1_STATUS 0x7u
#define PACKET 0xffffu

static const char *const types[] = {NULL, "ETMv1", "ETMv2", "ETMv3"};

/* Words that captures use. ETM10RV and ETM11RV are ETMv3, and named so. */
static const struct {
    const char *prefix;
    enum cairn_port_kind kind;
} prefixes[] = {
    {"ETMv1", CAIRN_PORT_V1}, {"ETM1", CAIRN_PORT_V1},  {"ETM7", CAIRN_PORT_V1},
    {"ETM9", CAIRN_PORT_V1},  {"ETMv2", CAIRN_PORT_V2}, {"ETM2", CAIRN_PORT_V2},
    {"ETMv3", CAIRN_PORT_V3}, {"ETM3", CAIRN_PORT_V3},
};

enum cairn_port_kind cairn_port_kind_of_type(const char *type)
{
    for (size_t i = 0; type && i < sizeof prefixes / sizeof prefixes[0]; i++) {
        const size_t length = strlen(prefixes[i].prefix);
        if (!strncasecmp(type, prefixes[i].prefix, length) && !isdigit((unsigned char)type[length]))
            return prefixes[i].kind;
    }
    return CAIRN_PORT_UNKNOWN;
}

const char *cairn_port_type(enum cairn_port_kind kind)
{
    return types[kind];
}

struct cairn_port_rule cairn_port_rule(enum cairn_port_kind kind, uint64_t cycle)
{
    const unsigned status = (unsigned)cycle & (kind == CAIRN_PORT_V1 ? V1_STATUS : NIBBLE);
    const bool data0 = cycle & BIT(0), data1 = cycle & BIT(1);

    if (kind != CAIRN_PORT_V3)
        return (struct cairn_port_rule){
            .store = status != CAIRN_PORT_TD || cycle & BIT(CAIRN_PORT_PACKET),
            .trigger = status == CAIRN_PORT_TR,
        };
    if (!(cycle & BIT(CAIRN_PORT_CTL)))
        return (struct cairn_port_rule){.store = true};
    return (struct cairn_port_rule){.store = !data0 && !data1, .trigger = !data0};
}

struct cairn_sample cairn_port_sample(enum cairn_port_kind kind, uint64_t cycle)
{
    const bool v1 = kind == CAIRN_PORT_V1;

    return (struct cairn_sample){
        .pipestat = (uint8_t)(cycle & (v1 ? V1_STATUS : NIBBLE)),
        .flags = v1 && cycle & BIT(CAIRN_PORT_SYNC) ? CAIRN_SAMPLE_SYNC : 0,
        .packet = (uint16_t)(cycle >> CAIRN_PORT_PACKET & PACKET),
    };
}

uint64_t cairn_port_cycle(enum cairn_port_kind kind, struct cairn_sample sample)
{
    const bool v1 = kind == CAIRN_PORT_V1;

    return (sample.pipestat & (v1 ? V1_STATUS : NIBBLE)) |
           (v1 && sample.flags & CAIRN_SAMPLE_SYNC ? BIT(CAIRN_PORT_SYNC) : 0) |
           (uint64_t)sample.packet << CAIRN_PORT_PACKET;
}

/* --- widths --- */

bool cairn_port_has_width(enum cairn_port_kind kind, unsigned width)
{
    if (kind == CAIRN_PORT_V3)
        return width >= 1 && width <= CAIRN_PORT_DATA_MAX;
    return width == 4 || width == 8 || width == 16;
}

/* Table 3-6: bits [21, 6:4] of ETMCR. Codes from 3 on came with ETMv3.0. */
static const struct {
    uint8_t code, width;
} sizes[] = {{0, 4}, {1, 8}, {2, 16}, {3, 24}, {4, 32}, {8, 1}, {9, 2}};
#define LAST_OLD_CODE 2u
#define LOW_SHIFT 4
#define LOW_MASK 0x7u
#define HIGH_SHIFT 21
#define HIGH_CODE 0x8u

unsigned cairn_port_width_of_etmcr(enum cairn_port_kind kind, uint64_t etmcr)
{
    const bool v3 = kind == CAIRN_PORT_V3;
    const unsigned code =
        (unsigned)(etmcr >> LOW_SHIFT & LOW_MASK) | (v3 && etmcr >> HIGH_SHIFT & 1 ? HIGH_CODE : 0);

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i].code == code && (v3 || code <= LAST_OLD_CODE))
            return sizes[i].width;
    return 0;
}

uint32_t cairn_port_etmcr_of_width(enum cairn_port_kind kind, unsigned width)
{
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i].width == width && (kind == CAIRN_PORT_V3 || sizes[i].code <= LAST_OLD_CODE))
            return (sizes[i].code & LOW_MASK) << LOW_SHIFT | (uint32_t)(sizes[i].code >= HIGH_CODE)
                                                                 << HIGH_SHIFT;
    return 0;
}
