/* SPDX-License-Identifier: BSD-2-Clause */
/* Direct reads and writes of the registers of the Trace Buffer Unit, and its reset: E1.2.1.8. */
#include "pe/trbe.h"

static uint64_t fields_of(enum cairn_pe_register number)
{
    switch (number) {
    case CAIRN_PE_TRBLIMITR_EL1:
        return CAIRN_MASK(TRBLIMITR_LIMIT) | CAIRN_MASK(TRBLIMITR_nVM) | CAIRN_MASK(TRBLIMITR_TM) |
               CAIRN_MASK(TRBLIMITR_FM) | CAIRN_MASK(TRBLIMITR_E);
    case CAIRN_PE_TRBPTR_EL1: return ~UINT64_C(0);
    case CAIRN_PE_TRBBASER_EL1: return CAIRN_MASK(TRBBASER_BASE);
    case CAIRN_PE_TRBSR_EL1:
        return CAIRN_MASK(TRBSR_EC) | CAIRN_MASK(TRBSR_IRQ) | CAIRN_MASK(TRBSR_TRG) |
               CAIRN_MASK(TRBSR_WRAP) | CAIRN_MASK(TRBSR_EA) | CAIRN_MASK(TRBSR_S) |
               CAIRN_MASK(TRBSR_MSS);
    case CAIRN_PE_TRBMAR_EL1: return CAIRN_MASK(TRBMAR_SH) | CAIRN_MASK(TRBMAR_ATTR);
    case CAIRN_PE_TRBTRG_EL1: return CAIRN_MASK(TRBTRG_TRG);
    default: return 0;
    }
}

/* --- restart values: R_HXZZM, R_XZWXQ --- */

static unsigned left_of(enum cairn_pe_register number)
{
    return number == CAIRN_PE_TRBPTR_EL1 ? 0 : 1;
}

static uint64_t low_bits(const struct cairn_pe_trbe *trbe, uint64_t value)
{
    return value & ((UINT64_C(1) << trbe->options.align) - 1);
}

static void remember(struct cairn_pe_trbe *trbe, enum cairn_pe_register number, uint64_t value)
{
    const unsigned which = left_of(number);
    const unsigned at = trbe->left_next[which]++ % CAIRN_PE_TRBE_LEFT;

    trbe->left[which][at].value = value;
    trbe->left[which][at].is_fault = trbe->had_abort;
}

/* The youngest read of that value; CAIRN_PE_TRBE_LEFT: none is remembered. */
static unsigned recall(const struct cairn_pe_trbe *trbe, enum cairn_pe_register number,
                       uint64_t value)
{
    const unsigned which = left_of(number);

    for (unsigned i = 1; i <= CAIRN_PE_TRBE_LEFT; i++) {
        const unsigned at = (trbe->left_next[which] - i) % CAIRN_PE_TRBE_LEFT;

        if (i <= trbe->left_next[which] && trbe->left[which][at].value == value)
            return at;
    }
    return CAIRN_PE_TRBE_LEFT;
}

static void write_aligned(struct cairn_pe_trbe *trbe, enum cairn_pe_register number, uint64_t value)
{
    const bool is_pointer = number == CAIRN_PE_TRBPTR_EL1;
    uint64_t low = low_bits(trbe, value);
    bool is_fault = false;

    if (low) {
        const unsigned at = recall(trbe, number, value);

        if (at < CAIRN_PE_TRBE_LEFT) {
            is_fault = trbe->left[left_of(number)][at].is_fault;
            low = 0;
        } else if (trbe->options.choices & CAIRN_PE_TRBE_LOW_BITS_FIXED) {
            value -= low;
            low = 0;
        }
    }
    if (is_pointer) {
        trbe->strays = low != 0;
        trbe->had_abort = is_fault;
    } else {
        trbe->trigger_low = (uint32_t)low;
    }
    *cairn_pe_trbe_at(trbe, number) = value;
}

/* --- accesses --- */

/* Whether TRBLIMITR_EL1.E keeps the write off. */
static bool is_ignored(struct cairn_pe_trbe *trbe, enum cairn_pe_register number, uint64_t value)
{
    if (!CAIRN_GETS(trbe->registers, TRBLIMITR_EL1, TRBLIMITR_E))
        return false;
    if (number == CAIRN_PE_TRBLIMITR_EL1 && !CAIRN_GET(value, TRBLIMITR_E))
        return false;
    cairn_pe_trbe_find(trbe, CAIRN_PE_TRBE_WRITE_WHILE_ON);
    return trbe->options.choices & CAIRN_PE_TRBE_IGNORES_WRITES;
}

bool cairn_pe_trbe_write(struct cairn_pe_trbe *trbe, enum cairn_pe_register number, uint64_t value)
{
    const uint64_t fields = fields_of(number);

    if (!fields || is_ignored(trbe, number, value))
        return false;
    if (number == CAIRN_PE_TRBPTR_EL1 || number == CAIRN_PE_TRBTRG_EL1)
        write_aligned(trbe, number, value & fields);
    else
        *cairn_pe_trbe_at(trbe, number) = value & fields;
    cairn_pe_trbe_update(trbe);
    return true;
}

/* Of a level below the owner's, or of another Security state, the buffer is not to be programmed. */
static bool is_for_others(const struct cairn_pe_trbe *trbe)
{
    const struct cairn_pe_view view = cairn_pe_trbe_view(trbe);
    const struct cairn_pe_owner owner = cairn_pe_trace_buffer_owner_programmed(&view);

    return trbe->state->EL < 3 &&
           (trbe->state->security != owner.security || trbe->state->EL < owner.EL);
}

/* Whether what is read now is a value to restart from, or a fault value: the unit is Disabled, memory has
 * answered, and nothing that was written misaligned is still there. */
static bool is_left(const struct cairn_pe_trbe *trbe, enum cairn_pe_register number)
{
    if (cairn_pe_trbe_state(trbe) != CAIRN_PE_TRBE_DISABLED || trbe->abort.is_pending)
        return false;
    return (number == CAIRN_PE_TRBPTR_EL1 && !trbe->strays) ||
           (number == CAIRN_PE_TRBTRG_EL1 && trbe->trigger_low == 0);
}

uint64_t cairn_pe_trbe_read(struct cairn_pe_trbe *trbe, enum cairn_pe_register number)
{
    const uint64_t value = *cairn_pe_trbe_at(trbe, number);

    if (number == CAIRN_PE_TRBIDR_EL1)
        return CAIRN_PUT(value, TRBIDR_P, is_for_others(trbe));
    if (low_bits(trbe, value) && is_left(trbe, number))
        remember(trbe, number, value);
    return value;
}

void cairn_pe_trbe_reset(struct cairn_pe_trbe *trbe, uint64_t unknown)
{
    uint64_t TRBIDR = 0;

    for (int number = CAIRN_PE_TRBLIMITR_EL1; number <= CAIRN_PE_TRBTRG_EL1; number++)
        *cairn_pe_trbe_at(trbe, (enum cairn_pe_register)number) =
            unknown & fields_of((enum cairn_pe_register)number);
    *cairn_pe_trbe_at(trbe, CAIRN_PE_TRBLIMITR_EL1) &= ~CAIRN_MASK(TRBLIMITR_E);
    *cairn_pe_trbe_at(trbe, CAIRN_PE_TRBSR_EL1) = 0;
    TRBIDR = CAIRN_PUT(TRBIDR, TRBIDR_ALIGN, trbe->options.align);
    TRBIDR = CAIRN_PUT(TRBIDR, TRBIDR_F, trbe->options.F);
    *cairn_pe_trbe_at(trbe, CAIRN_PE_TRBIDR_EL1) = TRBIDR;

    trbe->counts.lost += trbe->held_size;
    trbe->held_size = 0;
    trbe->waiting = 0;
    trbe->flush_wanted = trbe->stop_wanted = false;
    trbe->abort.is_pending = false;
    trbe->had_abort = trbe->strays = false;
    trbe->trigger_low = 0;
    trbe->was_enabled = false;
    trbe->told = 0;
    trbe->left_next[0] = trbe->left_next[1] = 0;
    cairn_pe_trbe_set_status(trbe, 0);
}
