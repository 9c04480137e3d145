/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/etmv4/registers.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "unit/etmv4/register_table.h"

/* TRCIDR0: branch broadcasting, cycle counting, return stack, four ETEEvents, filtered Q elements
 * with and without count, 64-bit timestamps, COMMOPT 1; COMMTRANS 0 as MAXSPEC 0 demands. */
#define TRCIDR0_ALL 0x2801cea1u
#define TRCIDR0_TSMARK (1u << 23)
/* DESIGNER 0: the code that is reserved for software. */
#define TRCIDR1_ETE 0x0000fff0u
#define TRCIDR1_ETMV4_4 0x0000f440u
#define TRCIDR2_CCSIZE_20_BITS (8u << 25)
#define TRCIDR2_IDS_OF_32_BITS (4u << 5 | 4u << 10)
#define TRCIDR2_VMIDOPT_CHOICE (1u << 29) /* TRCCONFIGR.VMIDOPT */
#define TRCIDR2_VMIDOPT_FIXED (2u << 29)  /* CONTEXTIDR_EL2 */
#define TRCIDR3_CCITMIN_1 0x001u
#define TRCIDR3_LEVELS 0x007f0000u /* EL0 to EL3 Secure, EL0 to EL2 Non-secure */
#define TRCIDR3_TRCERR (1u << 24)
#define TRCIDR3_STALLING 0x8c000000u /* STALLCTL, SYSSTALL, NOOVERFLOW */
/* 8 ARCs, 16 pairs of selectors, 8 single-shots, 8 CID and 8 VMID comparators; no PE comparators. */
#define TRCIDR4_ALL 0x888f0008u
#define TRCIDR4_NO_IDS 0x008f0008u
#define TRCIDR5_EXTIN_ETMV4 0x00000004u /* four inputs */
#define TRCIDR5_EXTIN_ETE 0x000001ffu   /* PMU events */
/* Four External Input Selectors, 7-bit trace ID, ATBTRIG, LPOVERRIDE, sequencer, four counters. */
#define TRCIDR5_ALL 0x48c70800u
#define TRCIDR6_REALM_LEVELS 0x7u
#define TRCDEVARCH_ETE_1_1 0x47715a13u
#define TRCDEVARCH_ETE_1_2 0x47725a13u
#define TRCDEVARCH_ETMV4_4 0x47744a13u
#define TRCDEVTYPE_PE_TRACE 0x13u
#define TRCAUTHSTATUS_NON_INVASIVE 0xccu

#define TRCCONFIGR_RES1 0x1u
#define TRCVICTLR_TRACE_ALL 0x201u /* selector 1 is TRUE; start/stop is active */
#define TRCSYNCPR_4096_BYTES 12u
#define TRCTRACEIDR_DEFAULT 1u

#define TRCVICTLR_SSSTATUS (UINT64_C(1) << 9)
#define TRCRSR_EXTIN UINT64_C(0xf)
#define TRCRSR_EVENT_SHIFT 8
#define TRCRSR_EVENT (UINT64_C(0xf) << TRCRSR_EVENT_SHIFT)
#define TRCRSR_TA (UINT64_C(1) << 12)
#define TRCSSCSR_PENDING (UINT64_C(1) << 30)
#define TRCSSCSR_STATUS (UINT64_C(1) << 31)
#define TRCPRGCTLR_EN UINT64_C(1)
#define TRCSTATR_IDLE_AND_STABLE UINT64_C(3)

/* Armv9.2 brought the Realm Management Extension, and ETE 1.2 with it. */
static bool has_realms(const struct cairn_arch *arch)
{
    return arch->major > 9 || (arch->major == 9 && arch->minor >= 2);
}

/* No version given: an architecture with everything. */
static bool is_32_bit(const struct cairn_arch *arch)
{
    return arch->profile == CAIRN_PROFILE_M || (arch->major != 0 && arch->major < 8);
}

void cairn_unit_registers_reset(struct cairn_unit_registers *registers,
                                enum cairn_protocol_id protocol, const struct cairn_arch *arch)
{
    bool is_ete = protocol == CAIRN_PROTOCOL_ETE;
    bool has_ids = is_ete || arch->profile != CAIRN_PROFILE_M;
    *registers = (struct cairn_unit_registers){.protocol = protocol};
    uint64_t *values = registers->values;
    uint64_t *idr = &values[CAIRN_REG_TRCIDR];

    idr[0] = TRCIDR0_ALL | (is_ete ? TRCIDR0_TSMARK : 0);
    idr[1] = is_ete ? TRCIDR1_ETE : TRCIDR1_ETMV4_4;
    idr[2] = TRCIDR2_CCSIZE_20_BITS | (has_ids ? TRCIDR2_IDS_OF_32_BITS : 0);
    if (is_ete)
        idr[2] |= TRCIDR2_VMIDOPT_FIXED;
    else if (has_ids)
        idr[2] |= TRCIDR2_VMIDOPT_CHOICE;
    idr[2] |= !is_ete && is_32_bit(arch) ? 4 : 8; /* IASIZE */
    idr[3] = TRCIDR3_CCITMIN_1 | TRCIDR3_LEVELS | TRCIDR3_TRCERR | TRCIDR3_STALLING;
    idr[4] = has_ids ? TRCIDR4_ALL : TRCIDR4_NO_IDS;
    idr[5] = TRCIDR5_ALL | (is_ete ? TRCIDR5_EXTIN_ETE : TRCIDR5_EXTIN_ETMV4);
    if (is_ete) {
        idr[6] = has_realms(arch) ? TRCIDR6_REALM_LEVELS : 0;
        values[CAIRN_REG_TRCDEVARCH] = has_realms(arch) ? TRCDEVARCH_ETE_1_2 : TRCDEVARCH_ETE_1_1;
    } else {
        values[CAIRN_REG_TRCDEVARCH] = TRCDEVARCH_ETMV4_4;
    }
    values[CAIRN_REG_TRCDEVTYPE] = TRCDEVTYPE_PE_TRACE;
    values[CAIRN_REG_TRCAUTHSTATUS] = TRCAUTHSTATUS_NON_INVASIVE;

    values[CAIRN_REG_TRCCONFIGR] = TRCCONFIGR_RES1;
    values[CAIRN_REG_TRCVICTLR] = TRCVICTLR_TRACE_ALL;
    values[CAIRN_REG_TRCSYNCPR] = TRCSYNCPR_4096_BYTES;
    values[CAIRN_REG_TRCTRACEIDR] = TRCTRACEIDR_DEFAULT;
    values[CAIRN_REG_TRCSTATR] = TRCSTATR_IDLE_AND_STABLE;
}

static bool is_of_protocol(const struct cairn_unit_registers *registers, unsigned index)
{
    unsigned protocol =
        registers->protocol == CAIRN_PROTOCOL_ETE ? CAIRN_REGISTER_ETE : CAIRN_REGISTER_ETMV4;
    return (cairn_register_rows[index].protocols & protocol) != 0;
}

/* CAIRN_REG_COUNT when this protocol has no such register, or there is no name. */
static unsigned find(const struct cairn_unit_registers *registers, const char *name)
{
    static const char prefix[] = "TRC"; /* of every one */
    const size_t skipped = sizeof prefix - 1;

    if (!name || strncasecmp(name, prefix, skipped) != 0)
        return CAIRN_REG_COUNT;
    for (unsigned i = 0; i < CAIRN_REG_COUNT; i++) {
        const char *row = cairn_register_rows[i].name + skipped;
        if ((row[0] ^ name[skipped]) & ~('a' ^ 'A')) /* most of them, and cheaper to see */
            continue;
        if (is_of_protocol(registers, i) && strcasecmp(name + skipped, row) == 0)
            return i;
    }
    return CAIRN_REG_COUNT;
}

cairn_status cairn_unit_registers_read(const struct cairn_unit_registers *registers,
                                       const char *name, uint64_t *value)
{
    unsigned index = find(registers, name);
    if (index == CAIRN_REG_COUNT)
        return CAIRN_E_NOT_FOUND;
    *value = registers->values[index];
    return CAIRN_OK;
}

static cairn_status refuse_bits(const struct cairn_register_row *row, uint64_t value,
                                uint64_t implemented, struct cairn_error *error)
{
    if (implemented == 0)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "%s is 0x%" PRIx64 ", but this unit does not have the register (%s): it "
                          "can only be 0",
                          row->name, value, row->needs ? row->needs : "reserved");
    return cairn_fail(error, CAIRN_E_CONFIG,
                      "%s is 0x%" PRIx64 ": bits 0x%" PRIx64 " are reserved, or absent from this "
                      "unit%s%s; they must be 0",
                      row->name, value, value & ~implemented, row->needs ? ": see " : "",
                      row->needs ? row->needs : "");
}

/* What is RES1 reads as 1 whatever is written. */
static uint64_t with_res1(const struct cairn_unit_registers *registers, unsigned index,
                          uint64_t value)
{
    if (index == CAIRN_REG_TRCCONFIGR)
        return value | TRCCONFIGR_RES1;
    /* Without start and stop points the function is always active. */
    if (index == CAIRN_REG_TRCVICTLR &&
        !(cairn_register_implemented(registers, index) & TRCVICTLR_SSSTATUS))
        return value | TRCVICTLR_SSSTATUS;
    return value;
}

cairn_status cairn_unit_registers_write(struct cairn_unit_registers *registers, const char *name,
                                        uint64_t value, bool identification,
                                        struct cairn_error *error)
{
    unsigned index = find(registers, name);
    if (index == CAIRN_REG_COUNT)
        return cairn_fail(error, CAIRN_E_NOT_FOUND,
                          "an %s trace unit has no register %s, as far as it is modelled",
                          cairn_protocol_name(registers->protocol), name ? name : "(null)");
    const struct cairn_register_row *row = &cairn_register_rows[index];
    if (row->access == CAIRN_REGISTER_STATUS ||
        (row->access == CAIRN_REGISTER_BUILT && !identification))
        return cairn_fail(error, CAIRN_E_CONFIG, "%s is read-only", row->name);
    if (row->bits == 32 && value > UINT32_MAX)
        return cairn_fail(error, CAIRN_E_CONFIG, "%s is 0x%" PRIx64 ", but it has 32 bits",
                          row->name, value);
    uint64_t implemented = cairn_register_implemented(registers, index);
    /* A bit that reads as 1 may be written as it is read. */
    uint64_t excess = value & ~(implemented | with_res1(registers, index, 0));
    if (excess)
        return refuse_bits(row, value, implemented, error);
    cairn_status status = cairn_register_check(registers, index, value, error);
    if (status != CAIRN_OK)
        return status;
    registers->values[index] = with_res1(registers, index, value);
    return CAIRN_OK;
}

bool cairn_unit_registers_holds(const struct cairn_unit_registers *registers, unsigned index,
                                uint64_t value, uint64_t *held, struct cairn_error *error)
{
    const uint64_t there = value & cairn_register_implemented(registers, index);

    if (cairn_register_check(registers, index, there, error) != CAIRN_OK)
        return false;
    *held = with_res1(registers, index, there);
    return true;
}

cairn_status cairn_unit_registers_program(struct cairn_unit_registers *registers,
                                          const struct cairn_register *list, size_t count,
                                          struct cairn_error *error)
{
    if (count > 0 && !list)
        return cairn_fail(error, CAIRN_E_ARGUMENT, "a list of %zu registers is missing", count);
    /* Which version it is decides which bits TRCIDR6 gives; so those go before what is programmed.
     */
    for (int built = 1; built >= 0; built--) {
        for (size_t i = 0; i < count; i++) {
            unsigned index = find(registers, list[i].name);
            bool is_built = index < CAIRN_REG_COUNT &&
                            cairn_register_rows[index].access == CAIRN_REGISTER_BUILT;
            if (is_built != (built == 1))
                continue;
            cairn_status status =
                cairn_unit_registers_write(registers, list[i].name, list[i].value, true, error);
            if (status != CAIRN_OK)
                return status;
        }
    }
    return CAIRN_OK;
}

/* What a decoder reads, even where it is 0. */
static bool is_needed(unsigned index)
{
    switch (index) {
    case CAIRN_REG_TRCCONFIGR:
    case CAIRN_REG_TRCTRACEIDR:
    case CAIRN_REG_TRCIDR + 0:
    case CAIRN_REG_TRCIDR + 1:
    case CAIRN_REG_TRCIDR + 2:
    case CAIRN_REG_TRCIDR8:
    case CAIRN_REG_TRCIDR9:
    case CAIRN_REG_TRCIDR10:
    case CAIRN_REG_TRCIDR11:
    case CAIRN_REG_TRCIDR12:
    case CAIRN_REG_TRCIDR13: return true;
    default: return false;
    }
}

size_t cairn_unit_registers_list_all(const struct cairn_unit_registers *registers,
                                     struct cairn_register *list, size_t capacity)
{
    size_t count = 0;
    for (unsigned i = 0; i < CAIRN_REG_COUNT && count < capacity; i++) {
        const struct cairn_register_row *row = &cairn_register_rows[i];
        if (row->access != CAIRN_REGISTER_STATUS && is_of_protocol(registers, i) &&
            (registers->values[i] != 0 || is_needed(i)))
            list[count++] =
                (struct cairn_register){.name = row->name, .value = registers->values[i]};
    }
    return count;
}

cairn_status cairn_unit_registers_list(const struct cairn_unit_registers *registers, size_t index,
                                       struct cairn_register *value)
{
    struct cairn_register list[CAIRN_REG_COUNT];
    if (index >= cairn_unit_registers_list_all(registers, list, CAIRN_REG_COUNT))
        return CAIRN_E_NOT_FOUND;
    *value = list[index];
    return CAIRN_OK;
}

void cairn_unit_registers_load(const struct cairn_unit_registers *registers,
                               struct cairn_unit_state *state)
{
    const uint64_t *values = registers->values;
    const uint64_t RSR = values[CAIRN_REG_TRCRSR];

    *state = (struct cairn_unit_state){
        .enabled = values[CAIRN_REG_TRCPRGCTLR] & TRCPRGCTLR_EN,
        .start_stop = values[CAIRN_REG_TRCVICTLR] & TRCVICTLR_SSSTATUS,
        .traced = RSR & TRCRSR_TA,
        .kept_events = (uint8_t)((RSR & TRCRSR_EVENT) >> TRCRSR_EVENT_SHIFT),
        .kept_inputs = (uint8_t)(RSR & TRCRSR_EXTIN),
        .sequencer = (uint8_t)values[CAIRN_REG_TRCSEQSTR],
    };
    for (unsigned i = 0; i < CAIRN_UNIT_COUNTERS; i++)
        state->counters.value[i] = (uint16_t)values[CAIRN_REG_TRCCNTVR + i];
    for (unsigned i = 0; i < CAIRN_UNIT_SSCS; i++) {
        const uint64_t SSCSR = values[CAIRN_REG_TRCSSCSR + i];

        state->fired |= (uint8_t)(SSCSR & TRCSSCSR_STATUS ? 1u << i : 0);
        state->pending |= (uint8_t)(SSCSR & TRCSSCSR_PENDING ? 1u << i : 0);
    }
}

static void store_bits(uint64_t *value, uint64_t bits, bool set)
{
    *value = set ? *value | bits : *value & ~bits;
}

/* What is not there keeps its 0: nothing moves it. */
void cairn_unit_registers_store(struct cairn_unit_registers *registers,
                                const struct cairn_unit_state *state)
{
    uint64_t *values = registers->values;

    store_bits(&values[CAIRN_REG_TRCPRGCTLR], TRCPRGCTLR_EN, state->enabled);
    store_bits(&values[CAIRN_REG_TRCSTATR], TRCSTATR_IDLE_AND_STABLE, !state->enabled);
    store_bits(&values[CAIRN_REG_TRCVICTLR], TRCVICTLR_SSSTATUS, state->start_stop);
    store_bits(&values[CAIRN_REG_TRCRSR], TRCRSR_TA, state->traced);
    values[CAIRN_REG_TRCRSR] &= ~(TRCRSR_EVENT | TRCRSR_EXTIN);
    values[CAIRN_REG_TRCRSR] |=
        (uint64_t)state->kept_events << TRCRSR_EVENT_SHIFT | state->kept_inputs;
    values[CAIRN_REG_TRCSEQSTR] = state->sequencer;
    for (unsigned i = 0; i < CAIRN_UNIT_COUNTERS; i++)
        values[CAIRN_REG_TRCCNTVR + i] = state->counters.value[i];
    for (unsigned i = 0; i < CAIRN_UNIT_SSCS; i++) {
        store_bits(&values[CAIRN_REG_TRCSSCSR + i], TRCSSCSR_STATUS, state->fired >> i & 1u);
        store_bits(&values[CAIRN_REG_TRCSSCSR + i], TRCSSCSR_PENDING, state->pending >> i & 1u);
    }
}
