/* SPDX-License-Identifier: BSD-2-Clause */
/* Names: of BRBINF<n>_EL1.TYPE, and of what is wrong with a record. */
#include "protocol/brbe/brbe.h"

static const char *known_name(unsigned type)
{
    switch (type) {
#define CASE(NAME, CODE, TEXT)                                                                     \
    case CODE: return TEXT;
        CAIRN_BRANCH_TYPES(CASE)
#undef CASE
    default: return NULL;
    }
}

bool cairn_branch_type_is_known(unsigned type)
{
    return known_name(type) != NULL;
}

const char *cairn_branch_type_name(unsigned type)
{
    const char *name = known_name(type);

    return name ? name : "reserved";
}

const char *cairn_branch_finding_text(uint32_t findings)
{
    static const char *const texts[] = {
        "reserved bits of BRBINF are not zero",
        "VALID says that there is no record, but there is data",
        "CCU says that the cycle count is unknown, but CC is not zero",
        "CC is more than a cycle counter of 20 bits can hold",
        "TYPE is a reserved value",
        "the record has data of a half that VALID says is missing",
        "an exception is marked as mispredicted",
        "a record of this type cannot have the halves that VALID says",
        "a valid record lies behind an invalid one",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (findings >> i & 1)
            return texts[i];
    return "";
}
