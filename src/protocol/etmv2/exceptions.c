/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions are not told: they are branches to a vector (IHI0014 4.5.3), of which those that cancel
 * the last instruction have the E bit (6.7.1). They have the numbers that ETMv3 tells them by. */
#include "protocol/etmv2/etmv2.h"

enum {
    ASYNCHRONOUS_ABORT = 4, /* imprecise, from v2.1 (6.8.1) */
    RESET = 8,
    SUPERVISOR_CALL = 10,
    PREFETCH_ABORT = 11,
    DATA_ABORT = 12,
    GENERIC = 13,
    IRQ = 14,
    FIQ = 15,
    EXCEPTIONS = 16,
    VECTORS = 8,
};

#define HIGH_VECTORS UINT32_C(0xffff0000)
#define VECTOR_BITS UINT32_C(0x1c)

static bool is_base(const struct cairn_etmv2_config *config, uint32_t base)
{
    return (base == 0 && config->vectors != CAIRN_ETMV2_VECTORS_HIGH) ||
           (base == HIGH_VECTORS && config->vectors != CAIRN_ETMV2_VECTORS_LOW);
}

unsigned cairn_etmv2_vector(const struct cairn_etmv2_config *config, uint32_t address,
                            enum cairn_packet_state state, bool cancels)
{
    static const uint8_t numbers[VECTORS] = {
        RESET, CAIRN_ETMV2_UNDEFINED, SUPERVISOR_CALL, PREFETCH_ABORT, DATA_ABORT, 0, IRQ, FIQ};
    const unsigned slot = address >> 2 & (VECTORS - 1);
    const unsigned number =
        state == CAIRN_STATE_ARM && is_base(config, address & ~VECTOR_BITS) ? numbers[slot] : 0;

    if (!cancels)
        return number;
    if (number == DATA_ABORT)
        return ASYNCHRONOUS_ABORT;
    return number ? number : GENERIC;
}

bool cairn_etmv2_is_data_abort(unsigned type)
{
    return type == DATA_ABORT || type == ASYNCHRONOUS_ABORT;
}

bool cairn_etmv2_goes_on_again(unsigned type)
{
    return type == DATA_ABORT;
}

const char *cairn_etmv2_exception_name(const struct cairn_config *config, unsigned type)
{
    static const char *const names[EXCEPTIONS] = {
        [ASYNCHRONOUS_ABORT] = "Asynchronous Data Abort",
        [RESET] = "Processor reset",
        [CAIRN_ETMV2_UNDEFINED] = "Undefined Instruction",
        [SUPERVISOR_CALL] = "Supervisor Call",
        [PREFETCH_ABORT] = "Prefetch Abort or software breakpoint",
        [DATA_ABORT] = "Data Abort or software watchpoint",
        [GENERIC] = "Generic",
        [IRQ] = "IRQ",
        [FIQ] = "FIQ",
    };

    (void)config;
    return type < EXCEPTIONS && names[type] ? names[type] : "Reserved";
}
