/* SPDX-License-Identifier: BSD-2-Clause */
/* What a unit has to be built with (DDI0608 D16, D6.10.8, D6.10.9, D1.5), and what the architecture
 * recommends (D4.1). */
#include <inttypes.h>

#include "base/error.h"
#include "unit/etmv4/register_table.h"

#define IDR(n) ((unsigned)CAIRN_REG_TRCIDR + (n))
#define EL2_NONSECURE 22u /* TRCIDR3.EXLEVEL_NS */
#define EL2_SECURE 18u    /* EXLEVEL_S */

struct demand {
    const char *what;
    unsigned index;
    uint8_t high, low;
    uint32_t value;
};

/* Of every ETE. */
static const struct demand of_ete[] = {
    {"INSTP0: loads and stores are no P0 instructions", IDR(0), 2, 1, 0},
    {"TRCDATA: there is no data trace", IDR(0), 4, 3, 0},
    {"TRCBB: branch broadcasting is there", IDR(0), 5, 5, 1},
    {"TRCCOND: there is no conditional trace", IDR(0), 6, 6, 0},
    {"TRCCCI: cycle counting is there", IDR(0), 7, 7, 1},
    {"TSSIZE: timestamps are there, of 64 bits", IDR(0), 28, 24, 8},
    {"TRARCHMIN: TRCDEVARCH tells the version", IDR(1), 7, 4, 0xf},
    {"NUMPROC: the unit is of one PE", IDR(3), 13, 12, 0},
    {"TRCERR: System Errors can be forced to be traced", IDR(3), 24, 24, 1},
    {"SYNCPR: TRCSYNCPR can be written", IDR(3), 25, 25, 0},
    {"NUMPROC: the unit is of one PE", IDR(3), 30, 28, 0},
    {"NUMEXTIN: external inputs are PMU events", IDR(5), 8, 0, 0x1ff},
    {"it is 0: there are no P0 keys", CAIRN_REG_TRCIDR9, 31, 0, 0},
    {"PRESENT", CAIRN_REG_TRCDEVARCH, 20, 20, 1},
};

/* Of every unit with an ATB port (R_RWPFQ). */
static const struct demand of_atb[] = {
    {"ATBTRIG: an ATB port takes triggers", IDR(5), 22, 22, 1},
    {"TRACEIDSIZE: an ATB port takes trace IDs of 7 bits", IDR(5), 21, 16, 7},
};

static cairn_status check(const struct cairn_unit_registers *registers, const struct demand *demand,
                          const char *of, struct cairn_error *error)
{
    const uint64_t value = registers->values[demand->index];

    if ((value >> demand->low & (UINT64_MAX >> (63 - (demand->high - demand->low)))) ==
        demand->value)
        return CAIRN_OK;
    return cairn_fail(error, CAIRN_E_CONFIG,
                      "%s is 0x%" PRIx64 ": of %s, bits %u:%u are 0x%" PRIx32 " (%s)",
                      cairn_register_rows[demand->index].name, value, of, (unsigned)demand->high,
                      (unsigned)demand->low, demand->value, demand->what);
}

/* R_PTVYD, R_BRDYF. */
static cairn_status check_vmid(const struct cairn_unit_registers *registers,
                               struct cairn_error *error)
{
    const uint64_t levels = registers->values[IDR(3)];
    const bool has_EL2 = (levels >> EL2_NONSECURE & 1) || (levels >> EL2_SECURE & 1);
    const bool has_ids = cairn_register_bits(registers->values[IDR(2)], 14, 10) != 0;

    if (has_EL2 == has_ids)
        return CAIRN_OK;
    return cairn_fail(error, CAIRN_E_CONFIG,
                      "TRCIDR2 is 0x%" PRIx64 ": VMIDSIZE (bits 14:10) of an ETE is %s EL2, which "
                      "TRCIDR3 says there %s",
                      registers->values[IDR(2)], has_EL2 ? "4 with" : "0 without",
                      has_EL2 ? "is" : "is not");
}

cairn_status cairn_unit_check_built(const struct cairn_unit_registers *registers, uint32_t choices,
                                    struct cairn_error *error)
{
    const bool is_ete = registers->protocol == CAIRN_PROTOCOL_ETE;
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; is_ete && status == CAIRN_OK && i < sizeof of_ete / sizeof *of_ete; i++)
        status = check(registers, &of_ete[i], "an ETE", error);
    if (is_ete && status == CAIRN_OK)
        status = check_vmid(registers, error);
    if (!(choices & CAIRN_UNIT_HAS_ATB))
        return status;
    for (size_t i = 0; status == CAIRN_OK && i < sizeof of_atb / sizeof *of_atb; i++)
        status = check(registers, &of_atb[i], "a unit with an ATB port", error);
    return status;
}

cairn_status cairn_unit_recommended(size_t index, struct cairn_register *value)
{
    static const struct cairn_register list[] = {
        {.name = "TRCIDR0", .value = 0x2881cea1}, /* return stack, four ETEEvents */
        {.name = "TRCIDR2", .value = 0xc0001088}, /* 12-bit cycle counter, WFX are P0 */
        {.name = "TRCIDR3", .value = 0x0d7f0004}, /* CCITMIN 4, stalling */
        {.name = "TRCIDR4", .value = 0x11170004}, /* 4 pairs, 8 pairs of selectors, 1 of the rest */
        {.name = "TRCIDR5", .value = 0x28c709ff}, /* 2 counters, sequencer, 4 inputs, ATB */
    };

    if (index >= sizeof list / sizeof *list)
        return CAIRN_E_NOT_FOUND;
    *value = list[index];
    return CAIRN_OK;
}
