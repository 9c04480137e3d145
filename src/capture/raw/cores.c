/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/raw/cores.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#define CORE_SIZE 32
#define FIRST_64_BIT 8 /* from Armv8 on there are ETMv4 and ETE only */

#define BIT(PROTOCOL) (1u << CAIRN_PROTOCOL_##PROTOCOL)

/* Those where the architecture does not tell; their reference manuals do. */
static const struct core {
    const char *name;
    unsigned protocols;
    const char *text;
} cores[] = {
    {"cortexm0+", BIT(MTB), "an MTB"},
    {"cortexm0plus", BIT(MTB), "an MTB"},
    {"cortexm23", BIT(MTB) | BIT(ETMV3), "an MTB or ETMv3"},
    {"cortexm3", BIT(ETMV3), "an ETMv3"},
    {"cortexm4", BIT(ETMV3), "an ETMv3"},
    {"cortexm4f", BIT(ETMV3), "an ETMv3"},
    {"cortexm7", BIT(ETMV4), "an ETMv4"},
    {"cortexm7f", BIT(ETMV4), "an ETMv4"},
    {"cortexm33", BIT(MTB) | BIT(ETMV4), "an MTB or ETMv4"},
    {"cortexm33f", BIT(MTB) | BIT(ETMV4), "an MTB or ETMv4"},
    {"cortexm35p", BIT(MTB) | BIT(ETMV4), "an MTB or ETMv4"},
    {"cortexm35pf", BIT(MTB) | BIT(ETMV4), "an MTB or ETMv4"},
    {"cortexm52", BIT(ETMV4), "an ETMv4"},
    {"cortexm55", BIT(ETMV4), "an ETMv4"},
    {"cortexm85", BIT(ETMV4), "an ETMv4"},
    {"cortexa5", BIT(ETMV3), "an ETMv3"},
    {"cortexa7", BIT(ETMV3), "an ETMv3"},
    {"cortexa8", BIT(ETMV3), "an ETMv3"},
    {"cortexa9", BIT(PTM), "a PTM"},
    {"cortexa12", BIT(PTM), "a PTM"},
    {"cortexa15", BIT(PTM), "a PTM"},
    {"cortexa17", BIT(PTM), "a PTM"},
    {"cortexr4", BIT(ETMV3), "an ETMv3"},
    {"cortexr4f", BIT(ETMV3), "an ETMv3"},
    {"cortexr5", BIT(ETMV3), "an ETMv3"},
    {"cortexr5f", BIT(ETMV3), "an ETMv3"},
    {"cortexr7", BIT(ETMV4), "an ETMv4"},
    {"cortexr8", BIT(ETMV4), "an ETMv4"},
};

/* Lower case, without what people put in or leave out; cut where it is long, for no core is. */
static void normalise(const char *name, char normal[CORE_SIZE])
{
    size_t length = 0;
    for (; *name && length + 1 < CORE_SIZE; name++) {
        if (*name != '-' && *name != '_' && *name != ' ')
            normal[length++] = (char)tolower((unsigned char)*name);
    }
    normal[length] = 0;
}

/* Where nothing more is known than the architecture. */
static const struct core of_m = {"", BIT(MTB) | BIT(ETMV3) | BIT(ETMV4), "an MTB, ETMv3 or ETMv4"};
static const struct core of_v7 = {"", BIT(ETMV3) | BIT(PTM) | BIT(ETMV4), "an ETMv3, PTM or ETMv4"};
static const struct core of_v8 = {"", BIT(ETMV4) | BIT(ETE), "an ETMv4 or ETE"};

static const struct core *find(const char *core_type)
{
    static const char maker[] = "armcortex";
    char normal[CORE_SIZE];
    struct cairn_arch arch;
    normalise(core_type, normal);
    const char *name = strncmp(normal, maker, sizeof maker - 1) ? normal : normal + 3;
    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++) {
        if (!strcmp(name, cores[i].name))
            return &cores[i];
    }
    if (cairn_arch_from_name(core_type, &arch) != CAIRN_OK)
        return NULL;
    if (arch.profile == CAIRN_PROFILE_M)
        return &of_m;
    return arch.major < FIRST_64_BIT ? &of_v7 : &of_v8;
}

const char *cairn_core_unit_instead(const char *core_type, enum cairn_protocol_id protocol)
{
    switch (protocol) {
    case CAIRN_PROTOCOL_STM: /* they stand beside cores */
    case CAIRN_PROTOCOL_ITM:
    case CAIRN_PROTOCOL_UNKNOWN: return NULL;
    default: break;
    }
    const struct core *core = find(core_type);
    return core && !(core->protocols >> protocol & 1) ? core->text : NULL;
}
