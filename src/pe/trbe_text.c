/* SPDX-License-Identifier: BSD-2-Clause */
/* TRBSR_EL1 and TRBLIMITR_EL1 in words. Fault status codes are those of Data Aborts (the Arm
 * Architecture Reference Manual's TRBSR_EL1), which DDI0608 refers to. */
#include <stdio.h>

#include "base/sizes.h"
#include "pe/trbe_dump.h"

#define HEX(value) ((unsigned long long)(value))

const char *cairn_trbe_mode_name(unsigned FM)
{
    switch (FM) {
    case CAIRN_TRBE_FILL: return "Fill mode";
    case CAIRN_TRBE_WRAP: return "Wrap mode";
    case CAIRN_TRBE_CIRCULAR: return "Circular Buffer mode";
    default: return "a reserved mode";
    }
}

const char *cairn_trbe_trigger_mode_name(unsigned TM)
{
    switch (TM) {
    case CAIRN_TRBE_STOP_ON_TRIGGER: return "Stop on trigger";
    case CAIRN_TRBE_IRQ_ON_TRIGGER: return "IRQ on trigger";
    case CAIRN_TRBE_IGNORE_TRIGGER: return "Ignore trigger";
    default: return "a reserved trigger mode";
    }
}

/* ---- fault status codes ---- */

/* What the trace buffer unit makes of it. */
enum fault {
    RESERVED = 0,
    MMU,
    ALIGNMENT,
    ABORT,      /* handled synchronously: the pointer is the address */
    ABORT_LATE, /* asynchronously */
};

static const struct {
    const char *name;
    enum fault fault;
} faults[1u << 6] = {
    [0x00] = {"Address Size fault, level 0", MMU},
    [0x01] = {"Address Size fault, level 1", MMU},
    [0x02] = {"Address Size fault, level 2", MMU},
    [0x03] = {"Address Size fault, level 3", MMU},
    [0x04] = {"Translation fault, level 0", MMU},
    [0x05] = {"Translation fault, level 1", MMU},
    [0x06] = {"Translation fault, level 2", MMU},
    [0x07] = {"Translation fault, level 3", MMU},
    [0x08] = {"Access Flag fault, level 0", MMU},
    [0x09] = {"Access Flag fault, level 1", MMU},
    [0x0a] = {"Access Flag fault, level 2", MMU},
    [0x0b] = {"Access Flag fault, level 3", MMU},
    [0x0c] = {"Permission fault, level 0", MMU},
    [0x0d] = {"Permission fault, level 1", MMU},
    [0x0e] = {"Permission fault, level 2", MMU},
    [0x0f] = {"Permission fault, level 3", MMU},
    [0x10] = {"synchronous External Abort", ABORT},
    [0x11] = {"asynchronous External Abort", ABORT_LATE},
    [0x13] = {"synchronous External Abort on a translation table walk, level -1", ABORT},
    [0x14] = {"synchronous External Abort on a translation table walk, level 0", ABORT},
    [0x15] = {"synchronous External Abort on a translation table walk, level 1", ABORT},
    [0x16] = {"synchronous External Abort on a translation table walk, level 2", ABORT},
    [0x17] = {"synchronous External Abort on a translation table walk, level 3", ABORT},
    [0x21] = {"Alignment fault", ALIGNMENT},
    [0x29] = {"Address Size fault, level -1", MMU},
    [0x2b] = {"Translation fault, level -1", MMU},
    [0x30] = {"TLB Conflict fault", MMU},
    [0x31] = {"Unsupported atomic hardware update fault", MMU},
};
#define FSC_COUNT (sizeof faults / sizeof faults[0])

const char *cairn_trbe_fault_name(unsigned FSC)
{
    return FSC < FSC_COUNT ? faults[FSC].name : NULL;
}

/* ---- the status ---- */

static enum cairn_trbe_reason reason_of_fault(enum fault fault)
{
    switch (fault) {
    case MMU: return CAIRN_TRBE_MMU_FAULT;
    case ALIGNMENT: return CAIRN_TRBE_ALIGNMENT_FAULT;
    case ABORT:
    case ABORT_LATE: return CAIRN_TRBE_EXTERNAL_ABORT;
    case RESERVED: break;
    }
    return CAIRN_TRBE_RESERVED;
}

static enum cairn_trbe_reason reason_of(const struct cairn_trbe_status *status)
{
    if (!status->S)
        return CAIRN_TRBE_NOT_STOPPED;
    switch (status->EC) {
    case CAIRN_TRBE_EC_OTHER: break;
    case CAIRN_TRBE_EC_IMPLEMENTATION: return CAIRN_TRBE_IMPLEMENTATION;
    case CAIRN_TRBE_EC_STAGE_1:
    case CAIRN_TRBE_EC_STAGE_2: return reason_of_fault(faults[status->code].fault);
    default: return CAIRN_TRBE_RESERVED;
    }
    switch (status->code) {
    case CAIRN_TRBE_BSC_NOT_FILLED: return CAIRN_TRBE_NOT_FILLED;
    case CAIRN_TRBE_BSC_FILLED: return CAIRN_TRBE_FILLED;
    case CAIRN_TRBE_BSC_TRIGGER: return CAIRN_TRBE_TRIGGERED;
    default: return CAIRN_TRBE_RESERVED;
    }
}

cairn_status cairn_trbe_status_read(uint64_t TRBSR, struct cairn_trbe_status *status)
{
    struct cairn_trbe_status made = {
        .size = sizeof made,
        .EC = (uint8_t)CAIRN_GET(TRBSR, TRBSR_EC),
        .code = (uint8_t)CAIRN_GET(TRBSR, TRBSR_BSC),
        .MSS = (uint16_t)CAIRN_GET(TRBSR, TRBSR_MSS),
        .IRQ = CAIRN_GET(TRBSR, TRBSR_IRQ),
        .TRG = CAIRN_GET(TRBSR, TRBSR_TRG),
        .WRAP = CAIRN_GET(TRBSR, TRBSR_WRAP),
        .EA = CAIRN_GET(TRBSR, TRBSR_EA),
        .S = CAIRN_GET(TRBSR, TRBSR_S),
    };

    if (!status)
        return CAIRN_E_ARGUMENT;
    made.reason = reason_of(&made);
    if (made.S && (made.EC == CAIRN_TRBE_EC_STAGE_1 || made.EC == CAIRN_TRBE_EC_STAGE_2)) {
        const enum fault fault = faults[made.code].fault;
        made.stage = made.EC == CAIRN_TRBE_EC_STAGE_1 ? 1 : 2;
        made.exact = fault == MMU || fault == ALIGNMENT || fault == ABORT;
    }
    return cairn_info_write(status, &made, sizeof made);
}

static void fault_text(const struct cairn_trbe_status *status, uint64_t TRBPTR,
                       char text[CAIRN_TRBE_TEXT])
{
    const char *name = cairn_trbe_fault_name(status->code);
    char reserved[40];

    snprintf(reserved, sizeof reserved, "a fault with the reserved code 0x%02x", status->code);
    snprintf(text, CAIRN_TRBE_TEXT, "collection stopped on a stage %u %s %s 0x%llx%s",
             status->stage, name ? name : reserved, status->exact ? "at" : "near", HEX(TRBPTR),
             status->exact ? "" : ", which need not be the address that failed");
}

static void reserved_text(const struct cairn_trbe_status *status, char text[CAIRN_TRBE_TEXT])
{
    if (status->EC == CAIRN_TRBE_EC_OTHER)
        snprintf(text, CAIRN_TRBE_TEXT,
                 "collection stopped, and TRBSR_EL1.BSC says why with the reserved value 0x%02x",
                 status->code);
    else
        snprintf(text, CAIRN_TRBE_TEXT,
                 "collection stopped, and TRBSR_EL1.EC says why with the reserved value 0x%02x%s",
                 status->EC,
                 status->EC == 0x1e ? " (of newer architectures: a Granule Protection Check fault)"
                                    : "");
}

void cairn_trbe_status_text(const struct cairn_trbe_status *status, uint64_t TRBPTR,
                            char text[CAIRN_TRBE_TEXT])
{
    text[0] = 0;
    if (!status->S)
        return;
    if (status->stage) {
        fault_text(status, TRBPTR, text);
        return;
    }
    switch (status->reason) {
    case CAIRN_TRBE_FILLED:
        snprintf(text, CAIRN_TRBE_TEXT, "collection stopped because the buffer was full");
        return;
    case CAIRN_TRBE_TRIGGERED:
        snprintf(text, CAIRN_TRBE_TEXT, "collection stopped on a Trigger Event");
        return;
    case CAIRN_TRBE_NOT_FILLED:
        snprintf(
            text, CAIRN_TRBE_TEXT,
            "collection was stopped while the buffer was not full: by software, or the unit was "
            "disabled before its trace was written");
        return;
    case CAIRN_TRBE_IMPLEMENTATION:
        snprintf(text, CAIRN_TRBE_TEXT,
                 "collection stopped for a reason of this core's own, MSS 0x%04x", status->MSS);
        return;
    case CAIRN_TRBE_RESERVED: reserved_text(status, text); return;
    case CAIRN_TRBE_NOT_STOPPED:
    case CAIRN_TRBE_ALIGNMENT_FAULT:
    case CAIRN_TRBE_MMU_FAULT:
    case CAIRN_TRBE_EXTERNAL_ABORT: return; /* told above */
    }
}
