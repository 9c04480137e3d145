/* SPDX-License-Identifier: BSD-2-Clause */
/* Register values -> struct cairn_etmv2_config (IHI0014 3.5.1, 3.5.2, 3.5.18). Only what makes decoding
 * impossible is refused; everything odd becomes a note. */
#include "protocol/etmv2/etmv2.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "protocol/registers.h"

enum reg {
    REG_ETMCR,
    REG_ETMIDR,
    REG_ETMCCR,
    REG_HIVECS, /* none, but a pin of the core, given like one: docs/formats.md */
    REG_COUNT,
};

static const char *const reg_names[REG_COUNT] = {"ETMCR", "ETMIDR", "ETMCCR", "HIVECS"};

static_assert(REG_COUNT <= CAIRN_REGISTERS_MAX, "too many registers");

#define ETMIDR_ASSUMED 0x41002110u /* ETMv2.1, of an ARM10 */
#define MAJOR_ETMV2 1u             /* ETMIDR[11:8]; ETMv1 is 0, ETMv3 is 2, PFTv1 is 3 */
#define MINOR_NEWEST 1u
#define PORT_SIZES 3u /* Table 3-6: 4, 8 and 16 pins */

static cairn_status decode_version(const struct cairn_registers *regs, struct cairn_config *config,
                                   struct cairn_etmv2_config *etm, struct cairn_error *error)
{
    const uint32_t id = regs->value[REG_ETMIDR];
    const uint32_t major = cairn_register_bits(id, 11, 8);

    if (regs->given[REG_ETMCCR] && !cairn_register_bit(regs->value[REG_ETMCCR], 31))
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMCCR is 0x%08" PRIx32 ": bit 31 is 0, so the trace unit has no ETMIDR "
                          "and is an ETMv1; give the protocol of the source as ETMv1",
                          regs->value[REG_ETMCCR]);
    if (major != MAJOR_ETMV2)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMIDR is 0x%08" PRIx32 ": major version (bits 11:8) is %" PRIu32
                          ", but ETMv2 has 1 (ETMv3 2, PTM 3); check the value or the protocol of "
                          "the source",
                          id, major);
    etm->minor = (uint8_t)cairn_register_bits(id, 7, 4);
    if (etm->minor > MINOR_NEWEST) {
        cairn_config_add_note(config,
                              "ETMIDR is 0x%08" PRIx32 ": ETMv2.%u is not known; it is read as "
                              "ETMv2.%u",
                              id, etm->minor, MINOR_NEWEST);
        etm->minor = MINOR_NEWEST;
    }
    etm->loads_pc_first = cairn_register_bit(id, 16) && etm->minor >= 1;
    if (cairn_register_bit(id, 16) && !etm->loads_pc_first)
        cairn_config_add_note(config,
                              "ETMIDR is 0x%08" PRIx32 ": bit 16, the PC loaded first, is there "
                              "from ETMv2.1 on only, and is ignored",
                              id);
    return CAIRN_OK;
}

static cairn_status decode_port(const struct cairn_registers *regs, struct cairn_etmv2_config *etm,
                                struct cairn_error *error)
{
    static const uint8_t pins[PORT_SIZES] = {4, 8, 16};
    const uint32_t control = regs->value[REG_ETMCR];
    const uint32_t port = cairn_register_bits(control, 6, 4);

    if (port >= PORT_SIZES)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMCR is 0x%08" PRIx32 ": port size (bits 6:4) is %" PRIu32
                          ", but an ETMv2 has 0 (4 pins of TRACEPKT), 1 (8) or 2 (16); check the "
                          "value",
                          control, port);
    etm->pins = pins[port];
    return CAIRN_OK;
}

static void decode_control(const struct cairn_registers *regs, struct cairn_config *config,
                           struct cairn_etmv2_config *etm)
{
    static const uint8_t context_bytes[] = {0, 1, 2, 4};
    const uint32_t control = regs->value[REG_ETMCR];

    etm->cprt = cairn_register_bit(control, 1);
    etm->data_value = cairn_register_bit(control, 2);
    etm->data_address = cairn_register_bit(control, 3);
    etm->branch_output = cairn_register_bit(control, 8);
    etm->cycle_accurate = cairn_register_bit(control, 12);
    etm->context_bytes = context_bytes[cairn_register_bits(control, 15, 14)];
    if (cairn_register_bits(control, 31, 18))
        cairn_config_add_note(config,
                              "ETMCR is 0x%08" PRIx32 ": bits 31:18 are there from ETMv3.0 on "
                              "only, and are ignored; is it the register of this trace unit?",
                              control);
    if (etm->cprt && !etm->data_value)
        cairn_config_add_note(config,
                              "ETMCR is 0x%08" PRIx32 ": coprocessor transfers are traced (bit 1) "
                              "but no data values (bit 2): their packets are taken to have none",
                              control);
}

static void decode_vectors(const struct cairn_registers *regs, struct cairn_config *config,
                           struct cairn_etmv2_config *etm)
{
    const uint32_t pin = regs->value[REG_HIVECS];

    if (!regs->given[REG_HIVECS])
        return; /* both places are taken for vectors: nothing to be told where neither is code */
    if (pin > 1)
        cairn_config_add_note(config,
                              "HIVECS is 0x%" PRIx32 ", but a pin is 0 (vectors at 0) or 1 (at "
                              "0xffff0000); it is taken for 1",
                              pin);
    etm->vectors = pin ? CAIRN_ETMV2_VECTORS_HIGH : CAIRN_ETMV2_VECTORS_LOW;
}

cairn_status cairn_etmv2_configure(const struct cairn_source_config *source,
                                   struct cairn_config *config, struct cairn_error *error)
{
    struct cairn_registers regs = {.names = reg_names, .count = REG_COUNT};
    struct cairn_etmv2_config *etm = calloc(1, sizeof *etm);

    if (!etm)
        return cairn_fail(error, CAIRN_E_MEMORY, "no memory for the configuration of a source");
    config->decoded = etm;
    cairn_registers_take(&regs, source, config);
    cairn_registers_assume(&regs, config, REG_ETMCR, 0,
                           "4 pins of TRACEPKT, no data, no context ids, not cycle-accurate");
    cairn_registers_assume(&regs, config, REG_ETMIDR, ETMIDR_ASSUMED, "ETMv2.1");
    cairn_status status = decode_version(&regs, config, etm, error);
    if (status == CAIRN_OK)
        status = decode_port(&regs, etm, error);
    if (status != CAIRN_OK)
        return status;
    decode_control(&regs, config, etm);
    decode_vectors(&regs, config, etm);
    config->rules.every_instruction = true;
    config->rules.undefined[0] = CAIRN_ETMV2_UNDEFINED;
    config->rules.thumb_halves = true; /* a Thumb BL is two instructions (4.5.4) */
    config->rules.half_addresses = true;
    config->arch.features &= ~CAIRN_FEATURE_THUMB2; /* no core with an ETMv2 has it */
    config->rules.coprocessor_data = etm->cprt;
    config->rules.return_packets = true;
    config->untold.EL = true;
    config->untold.security = true; /* no core with an ETMv2 has the Security Extensions (4.5.3) */
    config->cycles = etm->cycle_accurate;
    return CAIRN_OK;
}
