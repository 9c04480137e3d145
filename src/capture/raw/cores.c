/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/raw/cores.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "protocol/about.h"

#define CORE_SIZE 32
#define FIRST_CORTEX 7 /* ARM7 to ARM11 are before it */
#define FIRST_64_BIT 8 /* from Armv8 on there are ETMv4 and ETE only */

/* Those where the architecture does not tell; their reference manuals do. */
static const struct core {
    const char *name;
    const char *units; /* for a sentence, and to look for a protocol's name in */
} cores[] = {
    {"cortexm0+", "an MTB"},
    {"cortexm0plus", "an MTB"},
    {"cortexm23", "an MTB or ETMv3"},
    {"cortexm3", "an ETMv3"},
    {"cortexm4", "an ETMv3"},
    {"cortexm4f", "an ETMv3"},
    {"cortexm7", "an ETMv4"},
    {"cortexm7f", "an ETMv4"},
    {"cortexm33", "an MTB or ETMv4"},
    {"cortexm33f", "an MTB or ETMv4"},
    {"cortexm35p", "an MTB or ETMv4"},
    {"cortexm35pf", "an MTB or ETMv4"},
    {"cortexm52", "an ETMv4"},
    {"cortexm55", "an ETMv4"},
    {"cortexm85", "an ETMv4"},
    {"cortexa5", "an ETMv3"},
    {"cortexa7", "an ETMv3"},
    {"cortexa8", "an ETMv3"},
    {"cortexa9", "a PTM"},
    {"cortexa12", "a PTM"},
    {"cortexa15", "a PTM"},
    {"cortexa17", "a PTM"},
    {"cortexr4", "an ETMv3"},
    {"cortexr4f", "an ETMv3"},
    {"cortexr5", "an ETMv3"},
    {"cortexr5f", "an ETMv3"},
    {"cortexr7", "an ETMv4"},
    {"cortexr8", "an ETMv4"},
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
static const struct core of_m = {"", "an MTB, ETMv3 or ETMv4"};
static const struct core of_v6 = {"", "an ETMv1, ETMv2 or ETMv3"};
static const struct core of_v7 = {"", "an ETMv3, PTM or ETMv4"};
static const struct core of_v8 = {"", "an ETMv4 or ETE"};

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
    if (arch.major < FIRST_CORTEX)
        return &of_v6;
    return arch.major < FIRST_64_BIT ? &of_v7 : &of_v8;
}

static bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at++) {
        if (!isalnum((unsigned char)at[length]) && (at == text || !isalnum((unsigned char)at[-1])))
            return true;
    }
    return false;
}

const char *cairn_core_unit_instead(const char *core_type, enum cairn_protocol_id protocol)
{
    if (!protocol || cairn_about(protocol)->beside_cores)
        return NULL;
    const struct core *core = find(core_type);
    return core && !has_word(core->units, cairn_protocol_name(protocol)) ? core->units : NULL;
}
