/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace buffer modes and triggers: E1.2.2.2, E1.2.2.3, E1.2.2.6. Of TRBSR_EL1 only those fields change that
 * the text lists, so that what was set stays until software clears it. */
#include "pe/trbe.h"

enum { FM_FILL = 0, FM_WRAP = 1, MODE_RESERVED = 2, TM_STOP = 0, TM_IRQ = 1 };

static unsigned buffer_mode(const struct cairn_pe_trbe *trbe)
{
    const unsigned FM = (unsigned)CAIRN_GETS(trbe->registers, TRBLIMITR_EL1, TRBLIMITR_FM);

    return FM == MODE_RESERVED ? trbe->options.reserved_FM : FM;
}

static unsigned trigger_mode(const struct cairn_pe_trbe *trbe)
{
    const unsigned TM = (unsigned)CAIRN_GETS(trbe->registers, TRBLIMITR_EL1, TRBLIMITR_TM);

    return TM == MODE_RESERVED ? trbe->options.reserved_TM : TM;
}

static void count_event(struct cairn_pe_trbe *trbe, unsigned number)
{
    if (number == CAIRN_PE_TRBE_EVENT_WRAP)
        trbe->counts.wraps++;
    else
        trbe->counts.triggers++;
    if (trbe->outside.event)
        trbe->outside.event(trbe->outside.context, number);
}

/* TRBIRQ is a level driven by TRBSR_EL1.IRQ, whoever wrote that (R_LRTPB). */
void cairn_pe_trbe_set_status(struct cairn_pe_trbe *trbe, uint64_t bits)
{
    uint64_t *const TRBSR = cairn_pe_trbe_at(trbe, CAIRN_PE_TRBSR_EL1);
    bool level;

    *TRBSR |= bits;
    level = CAIRN_GET(*TRBSR, TRBSR_IRQ);
    if (level == trbe->level)
        return;
    trbe->level = level;
    if (trbe->outside.line)
        trbe->outside.line(trbe->outside.context, level);
}

void cairn_pe_trbe_stop(struct cairn_pe_trbe *trbe, unsigned EC, unsigned code)
{
    uint64_t *const TRBSR = cairn_pe_trbe_at(trbe, CAIRN_PE_TRBSR_EL1);

    if (!cairn_pe_trbe_is_stopped(trbe)) {
        *TRBSR = CAIRN_PUT(*TRBSR, TRBSR_EC, EC);
        *TRBSR = CAIRN_PUT(*TRBSR, TRBSR_BSC, code);
        *TRBSR |= CAIRN_MASK(TRBSR_S);
    }
    cairn_pe_trbe_set_status(trbe, CAIRN_MASK(TRBSR_IRQ));
}

/* --- the end of the buffer --- */

void cairn_pe_trbe_wrap_pointer(struct cairn_pe_trbe *trbe)
{
    *cairn_pe_trbe_at(trbe, CAIRN_PE_TRBPTR_EL1) = cairn_pe_trbe_base(trbe);
    cairn_pe_trbe_set_status(trbe, CAIRN_MASK(TRBSR_WRAP));
    count_event(trbe, CAIRN_PE_TRBE_EVENT_WRAP);
}

void cairn_pe_trbe_wrap(struct cairn_pe_trbe *trbe)
{
    cairn_pe_trbe_wrap_pointer(trbe);
    switch (buffer_mode(trbe)) {
    case FM_FILL: /* R_MBSHC */
        cairn_pe_trbe_stop(trbe, CAIRN_PE_TRBE_EC_OTHER, CAIRN_PE_TRBE_BSC_FILLED);
        break;
    case FM_WRAP: /* R_VBDJZ */ cairn_pe_trbe_set_status(trbe, CAIRN_MASK(TRBSR_IRQ)); break;
    default: break; /* Circular Buffer mode: I_GDSTS */
    }
}

/* --- triggers --- */

void cairn_pe_trbe_trigger_event(struct cairn_pe_trbe *trbe)
{
    const enum cairn_pe_trbe_state state = cairn_pe_trbe_state(trbe);

    if (state == CAIRN_PE_TRBE_DISABLED) /* I_ZGFSK */
        return;
    count_event(trbe, CAIRN_PE_TRBE_EVENT_TRIG);
    if (state == CAIRN_PE_TRBE_STOPPED) /* R_MWWHM */
        return;
    switch (trigger_mode(trbe)) {
    case TM_STOP: /* R_XRRWP */ trbe->stop_wanted = true; break;
    case TM_IRQ: /* R_XYPYF */ break;
    default: return; /* Ignore trigger: I_LMQHK */
    }
    trbe->flush_wanted = true;
    if (trbe->outside.flush)
        trbe->outside.flush(trbe->outside.context);
}

void cairn_pe_trbe_count_down(struct cairn_pe_trbe *trbe, uint64_t bytes)
{
    uint64_t *const TRBTRG = cairn_pe_trbe_at(trbe, CAIRN_PE_TRBTRG_EL1);
    const uint64_t left = CAIRN_GET(*TRBTRG, TRBTRG_TRG) - bytes;
    bool occurs = left == 0;

    *TRBTRG = CAIRN_PUT(*TRBTRG, TRBTRG_TRG, left);
    if (trbe->trigger_low && trbe->options.misaligned_trigger == CAIRN_PE_TRBE_TRIGGER_NEVER)
        occurs = false;
    if (trbe->trigger_low && trbe->options.misaligned_trigger == CAIRN_PE_TRBE_TRIGGER_WITH_UNIT)
        occurs = left == trbe->trigger_low;
    if (occurs)
        cairn_pe_trbe_trigger_event(trbe);
}

void cairn_pe_trbe_detected_trigger(struct cairn_pe_trbe *trbe)
{
    const bool again = CAIRN_GETS(trbe->registers, TRBSR_EL1, TRBSR_TRG);
    const uint64_t counter = CAIRN_GETS(trbe->registers, TRBTRG_EL1, TRBTRG_TRG);
    uint64_t over = trbe->options.over_decrement;

    cairn_pe_trbe_update(trbe);
    if (!trbe->was_enabled)
        return;
    cairn_pe_trbe_set_status(trbe, CAIRN_MASK(TRBSR_TRG)); /* R_KSQJW */
    if (again)
        return;
    if (counter == 0) {
        cairn_pe_trbe_trigger_event(trbe);
        return;
    }
    over = over < counter ? over : counter;
    if (over > 0) /* R_QFGNQ */
        cairn_pe_trbe_count_down(trbe, over);
}

/* More trace came while the trace unit wrote out; if that stopped collection, for another reason, that reason
 * stands (I_JLZDN). */
void cairn_pe_trbe_flushed(struct cairn_pe_trbe *trbe)
{
    const bool stops = trbe->stop_wanted;

    if (!trbe->flush_wanted)
        return;
    cairn_pe_trbe_drain(trbe);
    trbe->flush_wanted = false;
    trbe->stop_wanted = false;
    if (stops)
        cairn_pe_trbe_stop(trbe, CAIRN_PE_TRBE_EC_OTHER, CAIRN_PE_TRBE_BSC_TRIGGER);
    else
        cairn_pe_trbe_set_status(trbe, CAIRN_MASK(TRBSR_IRQ));
}

/* It says of whatever stopped collection before that it was this (R_CHNSL). */
void cairn_pe_trbe_event(struct cairn_pe_trbe *trbe, uint16_t MSS)
{
    uint64_t *TRBSR;

    cairn_pe_trbe_drain(trbe);
    TRBSR = cairn_pe_trbe_at(trbe, CAIRN_PE_TRBSR_EL1);
    *TRBSR = CAIRN_PUT(*TRBSR, TRBSR_EC, CAIRN_PE_TRBE_EC_IMPLEMENTATION);
    *TRBSR = CAIRN_PUT(*TRBSR, TRBSR_MSS, MSS);
    cairn_pe_trbe_set_status(trbe, CAIRN_MASK(TRBSR_S) | CAIRN_MASK(TRBSR_IRQ));
}
