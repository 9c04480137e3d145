/* SPDX-License-Identifier: BSD-2-Clause */
/* What memory answers, and what comes of it: E1.2.2.1, E1.2.2.4, E1.2.2.5. */
#include "pe/trbe.h"

size_t cairn_pe_trbe_send(struct cairn_pe_trbe *trbe, const uint8_t *bytes, size_t size,
                          struct cairn_pe_trbe_answer *answer)
{
    const struct cairn_pe_view view = cairn_pe_trbe_view(trbe);
    const struct cairn_pe_trbe_write write = {
        .address = *cairn_pe_trbe_at(trbe, CAIRN_PE_TRBPTR_EL1),
        .bytes = bytes,
        .size = size,
        .nVM = CAIRN_GETS(trbe->registers, TRBLIMITR_EL1, TRBLIMITR_nVM),
        .SH = (uint8_t)CAIRN_GETS(trbe->registers, TRBMAR_EL1, TRBMAR_SH),
        .Attr = (uint8_t)CAIRN_GETS(trbe->registers, TRBMAR_EL1, TRBMAR_ATTR),
        .observed = trbe->options.choices & CAIRN_PE_TRBE_OBSERVED,
        .regime = cairn_pe_trace_buffer_regime(&view),
    };
    size_t sent;

    if (write.regime.disagrees)
        cairn_pe_trbe_find(trbe, CAIRN_PE_TRBE_STATES_DISAGREE);
    *answer = (struct cairn_pe_trbe_answer){0};
    sent = trbe->outside.store(trbe->outside.context, &write, answer);
    sent = sent < size ? sent : size;
    trbe->counts.written += sent;
    trbe->counts.lost += sent < size;
    return sent;
}

static unsigned class_of(uint8_t stage)
{
    return stage == 2 ? CAIRN_PE_TRBE_EC_STAGE2 : CAIRN_PE_TRBE_EC_STAGE1;
}

/* An External abort that is reported to this unit (R_XRLSC). If collection had stopped it is no management
 * event, and sets EA alone. */
static void report(struct cairn_pe_trbe *trbe, uint8_t stage, uint8_t FSC)
{
    trbe->had_abort = true;
    cairn_pe_trbe_set_status(trbe, CAIRN_MASK(TRBSR_EA));
    if (!cairn_pe_trbe_is_stopped(trbe))
        cairn_pe_trbe_stop(trbe, class_of(stage), FSC);
}

/* Writes go on until it is handled, and the pointer with them (R_TVKJR). Of two on their way the first is
 * the one that is reported. */
static void delay(struct cairn_pe_trbe *trbe, uint8_t stage, uint8_t FSC)
{
    if (trbe->abort.is_pending)
        return;
    trbe->abort.is_pending = true;
    trbe->abort.stage = stage;
    trbe->abort.FSC = FSC;
    trbe->abort.bytes_left = trbe->options.abort_delay + 1; /* this byte as well */
}

void cairn_pe_trbe_report_abort(struct cairn_pe_trbe *trbe)
{
    trbe->abort.is_pending = false;
    report(trbe, trbe->abort.stage, trbe->abort.FSC);
}

void cairn_pe_trbe_abort_nears(struct cairn_pe_trbe *trbe, uint32_t bytes)
{
    trbe->abort.bytes_left -= bytes;
    if (trbe->abort.bytes_left == 0)
        cairn_pe_trbe_report_abort(trbe);
}

/* Where collection stops at once the pointer stays, and is the fault address. A store that gives no reason
 * is taken as one that aborts. */
bool cairn_pe_trbe_failed(struct cairn_pe_trbe *trbe, const struct cairn_pe_trbe_answer *answer)
{
    if (answer->fault.stage) { /* R_FSPBK; before an abort: R_MCKCHT */
        if (answer->fault.FSC == CAIRN_PE_TRBE_FSC_ALIGNMENT)
            trbe->had_abort = true; /* leaves a fault value as well: R_XZWXQ */
        cairn_pe_trbe_stop(trbe, class_of(answer->fault.stage), answer->fault.FSC);
        return false;
    }
    switch (trbe->options.aborts) {
    case CAIRN_PE_TRBE_ABORTS_ASYNCHRONOUS:
        delay(trbe, answer->abort.stage, answer->abort.FSC);
        return true;
    case CAIRN_PE_TRBE_ABORTS_SYSTEM_ERROR:
        trbe->had_abort = true;
        if (trbe->outside.system_error)
            trbe->outside.system_error(trbe->outside.context,
                                       *cairn_pe_trbe_at(trbe, CAIRN_PE_TRBPTR_EL1),
                                       answer->abort.FSC);
        return true;
    default: report(trbe, answer->abort.stage, answer->abort.FSC); return false;
    }
}
