/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference: one turn of the loop of R_PLYXP a byte. */
#include "pe/trbe.h"

bool cairn_pe_trbe_is_astray(struct cairn_pe_trbe *trbe)
{
    const uint64_t pointer = *cairn_pe_trbe_at(trbe, CAIRN_PE_TRBPTR_EL1);
    const uint64_t low = pointer & ((UINT64_C(1) << trbe->options.align) - 1);

    if (!cairn_pe_trbe_in_range(trbe, pointer)) {
        cairn_pe_trbe_find(trbe, CAIRN_PE_TRBE_OUT_OF_RANGE);
        return true;
    }
    if (trbe->strays && low) {
        cairn_pe_trbe_find(trbe, CAIRN_PE_TRBE_MISALIGNED_POINTER);
        return true;
    }
    trbe->strays = false;
    return false;
}

/* A management event with a reason that means nothing (R_MGZWR). */
static void unknown_event(struct cairn_pe_trbe *trbe)
{
    uint64_t *const TRBSR = cairn_pe_trbe_at(trbe, CAIRN_PE_TRBSR_EL1);
    const uint64_t unknown = trbe->options.unknown;

    *TRBSR = CAIRN_PUT(*TRBSR, TRBSR_EC, CAIRN_GET(unknown, TRBSR_EC));
    *TRBSR = CAIRN_PUT(*TRBSR, TRBSR_MSS, CAIRN_GET(unknown, TRBSR_MSS));
    if (CAIRN_GET(unknown, TRBSR_WRAP))
        cairn_pe_trbe_wrap_pointer(trbe);
    cairn_pe_trbe_set_status(trbe, (unknown & CAIRN_MASK(TRBSR_S)) | CAIRN_MASK(TRBSR_IRQ));
}

/* Before a write by a pointer that is astray. False: the byte is not written. */
static bool go_astray(struct cairn_pe_trbe *trbe)
{
    const bool ranges = cairn_pe_trbe_in_range(trbe, *cairn_pe_trbe_at(trbe, CAIRN_PE_TRBPTR_EL1));
    const struct cairn_pe_trbe_answer alignment = {.fault = {1, CAIRN_PE_TRBE_FSC_ALIGNMENT}};

    switch (trbe->options.astray) {
    case CAIRN_PE_TRBE_ASTRAY_WRAPS_BEFORE:
        if (!ranges)
            cairn_pe_trbe_wrap_pointer(trbe);
        return true;
    case CAIRN_PE_TRBE_ASTRAY_FAULTS:
        if (!ranges)
            return true;
        cairn_pe_trbe_failed(trbe, &alignment);
        return false;
    case CAIRN_PE_TRBE_ASTRAY_EVENT: unknown_event(trbe); return false;
    default: return true;
    }
}

static bool wraps_after(const struct cairn_pe_trbe *trbe, uint64_t pointer)
{
    return pointer == cairn_pe_trbe_limit(trbe) - 1 ||
           (trbe->options.astray == CAIRN_PE_TRBE_ASTRAY_WRAPS_AFTER &&
            !cairn_pe_trbe_in_range(trbe, pointer));
}

static void turn(struct cairn_pe_trbe *trbe, const uint8_t *byte)
{
    struct cairn_pe_trbe_answer answer;
    uint64_t *pointer;

    if (cairn_pe_trbe_is_astray(trbe) && !go_astray(trbe)) {
        trbe->counts.lost++;
        return;
    }
    /* Translate, and write if that is permitted. */
    if (cairn_pe_trbe_send(trbe, byte, 1, &answer) == 0 && !cairn_pe_trbe_failed(trbe, &answer)) {
        if (trbe->options.choices & CAIRN_PE_TRBE_FAULTS_COUNT && cairn_pe_trbe_counting(trbe))
            cairn_pe_trbe_count_down(trbe, 1);
        return;
    }
    /* Collection is not stopped: increment the pointer. */
    pointer = cairn_pe_trbe_at(trbe, CAIRN_PE_TRBPTR_EL1);
    if (wraps_after(trbe, *pointer))
        cairn_pe_trbe_wrap(trbe);
    else
        ++*pointer;
    /* Decrement the Trigger Counter, if necessary. */
    if (cairn_pe_trbe_counting(trbe))
        cairn_pe_trbe_count_down(trbe, 1);
    if (trbe->abort.is_pending)
        cairn_pe_trbe_abort_nears(trbe, 1);
}

size_t cairn_pe_trbe_by_byte(struct cairn_pe_trbe *trbe, const uint8_t *bytes, size_t size)
{
    size_t done = 0;

    while (done < size && !cairn_pe_trbe_is_stopped(trbe))
        turn(trbe, &bytes[done++]);
    return done;
}
