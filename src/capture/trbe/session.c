/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "capture/trbe/trbe.h"
#include "pe/fields.h"
#include "pe/registers.h"

/* "TRBPTR_EL1" and "TRBPTR" are the same. */
static bool is_name(const char *given, const char *name)
{
    const size_t length = strlen(name);

    return !strncasecmp(given, name, length) &&
           (!given[length] || !strcasecmp(given + length, "_EL1"));
}

/* The last one counts: options come behind what a file says, and may write the name otherwise. */
static bool find(const struct cairn_register *registers, size_t count, const char *name,
                 uint64_t *value)
{
    for (size_t i = count; i--;) {
        if (!is_name(registers[i].name, name))
            continue;
        *value = registers[i].value;
        return true;
    }
    return false;
}

bool cairn_trbe_is_given(const struct cairn_register *registers, size_t count)
{
    static const char *const names[] = {"TRBBASER", "TRBLIMITR", "TRBPTR", "TRBSR"};
    uint64_t value;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (find(registers, count, names[i], &value))
            return true;
    return false;
}

static bool is_granule(uint64_t size)
{
    return size == 4096 || size == 16384 || size == 65536;
}

cairn_status cairn_trbe_session_of(const struct cairn_register *registers, size_t count,
                                   struct cairn_trbe_session *session,
                                   struct cairn_trbe_place *dump, struct cairn_error *error)
{
    struct cairn_trbe_session found = {.size = sizeof found};
    const struct {
        const char *name;
        uint64_t *value;
    } needed[] = {
        {"TRBBASER", &found.TRBBASER},
        {"TRBLIMITR", &found.TRBLIMITR},
        {"TRBPTR", &found.TRBPTR},
        {"TRBSR", &found.TRBSR},
    };
    uint64_t granule = 0, mapping = 0;

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!find(registers, count, needed[i].name, needed[i].value))
            return cairn_fail(
                error, CAIRN_E_CONFIG,
                "%s_EL1 is missing: TRBBASER_EL1, TRBLIMITR_EL1, TRBPTR_EL1 and "
                "TRBSR_EL1 together say where in a trace buffer the trace is. Without "
                "any of them the file is trace from its first byte on",
                needed[i].name);
    found.has_TRBIDR = find(registers, count, "TRBIDR", &found.TRBIDR);
    found.has_TRBTRG = find(registers, count, "TRBTRG", &found.TRBTRG);
    found.has_TRBMAR = find(registers, count, "TRBMAR", &found.TRBMAR);
    found.has_start = find(registers, count, "START", &found.start);
    found.has_laps = find(registers, count, "LAPS", &found.laps);
    found.has_trigger = find(registers, count, "TRIGGER", &found.trigger);
    found.has_mapping = find(registers, count, "MAPPING", &mapping);
    found.mapping = (uint8_t)mapping;
    if (mapping > UINT8_MAX)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "MAPPING=0x%llx are no memory attributes: a byte, as in MAIR_EL1",
                          (unsigned long long)mapping);
    if (find(registers, count, "GRANULE", &granule) && !is_granule(granule))
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "GRANULE=0x%llx is no translation granule: 4096, 16384 or 65536 bytes",
                          (unsigned long long)granule);
    found.granule = (uint32_t)granule;
    dump->address = found.TRBBASER & CAIRN_MASK(TRBBASER_BASE);
    dump->is_given = find(registers, count, "DUMP", &dump->address);
    *session = found;
    return CAIRN_OK;
}
