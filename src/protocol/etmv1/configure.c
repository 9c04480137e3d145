/* SPDX-License-Identifier: BSD-2-Clause */
/* Register values -> struct cairn_etmv1_config (IHI0014 1.2, 3.5.1, 3.5.2). Only what makes decoding
 * impossible is refused; everything odd becomes a note. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "protocol/etmv1/etmv1.h"
#include "protocol/registers.h"

enum reg {
    REG_ETMCR,
    REG_ETMCCR,
    REG_ETMIDR,
    /* no registers */
    REG_HIVECS,
    REG_BIGENDIAN,
    REG_VECTORQUIRK,
    REG_LDCWORDS,
    REG_LDCWORDS_HIGH,
    REG_COUNT,
};

static const char *const reg_names[REG_COUNT] = {
    "ETMCR", "ETMCCR", "ETMIDR", "HIVECS", "BIGENDIAN", "VECTORQUIRK", "LDCWORDS", "LDCWORDSHIGH",
};

static_assert(REG_COUNT <= CAIRN_REGISTERS_MAX, "too many registers");

enum {
    MINOR_NEWEST = 3,
    PROTOCOL_RESERVED = 6, /* of ETMCCR[30:28] */
    WORDS_BITS = 4,        /* of LDCWORDS, for each coprocessor */
    WORDS_MASK = 15,
    WORDS_COPROCESSORS = 8, /* in each of the two */
};

/* What the versions differ in, by minor version. */
static const struct cairn_etmv1_version versions[MINOR_NEWEST + 1] = {
    {.context_ids = false, .java = false},
    {.context_ids = false, .java = false},
    {.context_ids = true, .java = false},
    {.context_ids = true, .java = true},
};

/* ETMCCR[30:28] where bit 31 is 0 (1.2). */
static const uint8_t minor_of_protocol[8] = {0, 1, 2, 3, 2, 3, MINOR_NEWEST, 3};

static cairn_status decode_id(uint32_t id, struct cairn_config *config,
                              struct cairn_etmv1_config *etm, struct cairn_error *error)
{
    const uint32_t major = cairn_register_bits(id, 11, 8);

    if (major != 0)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMIDR is 0x%08" PRIx32 ": major version (bits 11:8) is %" PRIu32
                          ", but ETMv1 has 0 (ETMv2 1, ETMv3 2, PTM 3); check the value or the "
                          "protocol of the source",
                          id, major);
    etm->minor = (uint8_t)cairn_register_bits(id, 7, 4);
    if (etm->minor <= MINOR_NEWEST)
        return CAIRN_OK;
    cairn_config_add_note(
        config, "ETMIDR is 0x%08" PRIx32 ": ETMv1.%u is not known; it is read as ETMv1.%u", id,
        etm->minor, MINOR_NEWEST);
    etm->minor = MINOR_NEWEST;
    return CAIRN_OK;
}

static void decode_protocol(uint32_t ccr, struct cairn_config *config,
                            struct cairn_etmv1_config *etm)
{
    const uint32_t protocol = cairn_register_bits(ccr, 30, 28);

    etm->minor = minor_of_protocol[protocol];
    if (protocol == PROTOCOL_RESERVED)
        cairn_config_add_note(config,
                              "ETMCCR is 0x%08" PRIx32 ": the protocol version (bits 30:28) is 6, "
                              "which is reserved; it is read as ETMv1.%u",
                              ccr, etm->minor);
}

/* Bit 31 of ETMCCR says that there is an ETMIDR. */
static cairn_status decode_version(const struct cairn_registers *regs, struct cairn_config *config,
                                   struct cairn_etmv1_config *etm, struct cairn_error *error)
{
    const uint32_t ccr = regs->value[REG_ETMCCR];
    const bool by_ccr = regs->given[REG_ETMCCR] && !cairn_register_bit(ccr, 31);

    if (by_ccr) {
        decode_protocol(ccr, config, etm);
        return CAIRN_OK;
    }
    if (regs->given[REG_ETMIDR])
        return decode_id(regs->value[REG_ETMIDR], config, etm, error);
    etm->minor = MINOR_NEWEST;
    if (regs->given[REG_ETMCCR])
        cairn_config_add_note(config,
                              "ETMCCR is 0x%08" PRIx32 ": bit 31 says that ETMIDR has the version, "
                              "but that is missing: ETMv1.%u is assumed",
                              ccr, MINOR_NEWEST);
    else
        cairn_config_add_note(config, "ETMCCR is missing: ETMv1.%u is assumed", MINOR_NEWEST);
    return CAIRN_OK;
}

static cairn_status decode_port(uint32_t control, struct cairn_etmv1_config *etm,
                                struct cairn_error *error)
{
    static const uint8_t pins[] = {4, 8, 16};
    const uint32_t size = cairn_register_bits(control, 6, 4);

    if (size >= sizeof pins)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMCR is 0x%08" PRIx32 ": the size of the trace port (bits 6:4) is "
                          "%" PRIu32
                          ", but ETMv1 has 0, 1 and 2 only (4, 8 and 16 pins); check the "
                          "value",
                          control, size);
    etm->pins = pins[size];
    return CAIRN_OK;
}

static void decode_control(uint32_t control, struct cairn_config *config,
                           struct cairn_etmv1_config *etm)
{
    static const uint8_t context_bytes[] = {0, 1, 2, 4};
    const uint32_t context = cairn_register_bits(control, 15, 14);

    etm->cprt = cairn_register_bit(control, 1);
    etm->data_value = cairn_register_bit(control, 2);
    etm->data_address = cairn_register_bit(control, 3);
    etm->branch_output = cairn_register_bit(control, 8);
    etm->cycle_accurate = cairn_register_bit(control, 12);
    etm->context_bytes = etm->version.context_ids ? context_bytes[context] : 0;
    if (context != 0 && !etm->version.context_ids)
        cairn_config_add_note(config,
                              "ETMCR is 0x%08" PRIx32
                              ": bits 15:14 are the size of Context IDs from "
                              "ETMv1.2 on only, and are ignored",
                              control);
    if (etm->cprt && !etm->data_value)
        cairn_config_add_note(config,
                              "ETMCR is 0x%08" PRIx32 ": coprocessor transfers are traced (bit 1) "
                              "but no data values (bit 2): they are taken to have no bytes",
                              control);
}

cairn_status cairn_etmv1_configure(const struct cairn_source_config *source,
                                   struct cairn_config *config, struct cairn_error *error)
{
    struct cairn_registers regs = {.names = reg_names, .count = REG_COUNT};
    struct cairn_etmv1_config *etm = calloc(1, sizeof *etm);

    if (!etm)
        return cairn_fail(error, CAIRN_E_MEMORY, "no memory for the configuration of a source");
    config->decoded = etm;
    cairn_registers_take(&regs, source, config);
    cairn_registers_assume(&regs, config, REG_ETMCR, 0,
                           "a port of 4 pins, no data, no Context IDs, not cycle-accurate");
    cairn_status status = decode_version(&regs, config, etm, error);
    if (status == CAIRN_OK)
        status = decode_port(regs.value[REG_ETMCR], etm, error);
    if (status != CAIRN_OK)
        return status;
    etm->version = versions[etm->minor];
    decode_control(regs.value[REG_ETMCR], config, etm);
    etm->high_vectors = regs.value[REG_HIVECS] != 0;
    etm->big_endian = regs.value[REG_BIGENDIAN] != 0;
    etm->executes_last = regs.value[REG_VECTORQUIRK] != 0;
    for (unsigned i = 0; i < CAIRN_ETMV1_COPROCESSORS; i++)
        etm->ldc_words[i] = (uint8_t)(regs.value[REG_LDCWORDS + i / WORDS_COPROCESSORS] >>
                                          (WORDS_BITS * (i % WORDS_COPROCESSORS)) &
                                      WORDS_MASK);
    config->rules.every_instruction = true;
    config->rules.undefined[0] = CAIRN_ETMV1_UNDEFINED;
    config->rules.thumb_halves = true; /* a Thumb BL is two instructions (4.5.4) */
    config->rules.half_addresses = true;
    config->arch.features &= ~CAIRN_FEATURE_THUMB2; /* no core with an ETMv1 has it */
    config->rules.coprocessor_data = etm->cprt;
    config->untold.EL = true;
    config->untold.security = true;
    config->cycles = etm->cycle_accurate;
    config->cycles_ahead = true; /* a status is in the last cycle of its instruction (5.7.2) */
    return CAIRN_OK;
}
