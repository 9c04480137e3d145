/* SPDX-License-Identifier: BSD-2-Clause */
#include "pe/abort.h"

#include <string.h>

#include "pe/pe.h"

/* Fault status codes, as in Data Aborts, of aborts that are not on a walk. */
#define FSC_SYNCHRONOUS 0x10
#define FSC_ASYNCHRONOUS 0x11

/* --- which memory --- */

static bool meets(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a_size > 0 && b_size > 0 && (a >= b ? a - b < b_size : b - a < a_size);
}

/* False: there is no room. Of no size: nothing to keep. */
static bool keep(struct cairn_pe_abort_areas *areas, uint64_t address, uint64_t size,
                 enum cairn_pe_abort how)
{
    if (size == 0)
        return true;
    if (areas->count == CAIRN_PE_ABORT_AREAS)
        return false;
    areas->areas[areas->count].address = address;
    areas->areas[areas->count].size = size;
    areas->areas[areas->count++].how = how;
    return true;
}

cairn_status cairn_pe_abort_add(struct cairn_pe *pe, uint64_t address, uint64_t size,
                                enum cairn_pe_abort how)
{
    return keep(&pe->abort_areas, address, size, how) ? CAIRN_OK : CAIRN_E_LIMIT;
}

cairn_status cairn_pe_abort_remove(struct cairn_pe *pe, uint64_t address, uint64_t size)
{
    const uint64_t last = address + (size - 1);
    struct cairn_pe_abort_areas kept = {.count = 0};
    bool fits = true;

    for (unsigned i = 0; i < pe->abort_areas.count; i++) {
        const uint64_t from = pe->abort_areas.areas[i].address;
        const uint64_t whole = pe->abort_areas.areas[i].size, to = from + (whole - 1);
        const enum cairn_pe_abort how = pe->abort_areas.areas[i].how;

        if (!meets(from, whole, address, size)) {
            fits = fits && keep(&kept, from, whole, how);
            continue;
        }
        fits = fits && keep(&kept, from, from < address ? address - from : 0, how) &&
               keep(&kept, last + 1, to > last ? to - last : 0, how);
    }
    if (!fits)
        return CAIRN_E_LIMIT;
    pe->abort_areas = kept;
    return CAIRN_OK;
}

/* How many bytes of a write are in front of the first one that aborts. */
static size_t taken(const struct cairn_pe *pe, uint64_t address, size_t size,
                    enum cairn_pe_abort *how)
{
    const struct cairn_pe_abort_areas *areas = &pe->abort_areas;

    if (pe->aborts) {
        const size_t told = pe->aborts(pe->caller, address, size, how);

        size = told < size ? told : size;
    }
    for (unsigned i = 0; i < areas->count; i++) {
        const uint64_t from = areas->areas[i].address;

        if (!meets(from, areas->areas[i].size, address, size))
            continue;
        size = from > address ? (size_t)(from - address) : 0;
        *how = areas->areas[i].how;
    }
    return size;
}

/* --- what comes of it --- */

static uint8_t as_unit_has_it(enum cairn_pe_abort how)
{
    switch (how) {
    case CAIRN_PE_ABORT_ASYNCHRONOUS: return CAIRN_PE_TRBE_ABORTS_ASYNCHRONOUS;
    case CAIRN_PE_ABORT_SYSTEM_ERROR: return CAIRN_PE_TRBE_ABORTS_SYSTEM_ERROR;
    case CAIRN_PE_ABORT_SYNCHRONOUS: break;
    }
    return CAIRN_PE_TRBE_ABORTS_SYNCHRONOUS;
}

size_t cairn_pe_abort_write(struct cairn_pe_lane *lane, uint64_t address,
                            const struct cairn_pe_trbe_write *write,
                            struct cairn_pe_trbe_answer *answer)
{
    enum cairn_pe_abort how = CAIRN_PE_ABORT_SYNCHRONOUS;
    const size_t size = taken(lane->pe, address, write->size, &how);

    if (size > 0)
        cairn_lane_store(&lane->pe->order, lane->lane, address, write->bytes, size);
    if (size == write->size)
        return size;
    answer->abort.stage = 1;
    answer->abort.FSC = how == CAIRN_PE_ABORT_ASYNCHRONOUS ? FSC_ASYNCHRONOUS : FSC_SYNCHRONOUS;
    lane->trbe.options.aborts = as_unit_has_it(how);
    if (!lane->trbe.abort.is_pending)
        lane->abort_operation = lane->lane->performing;
    if (how == CAIRN_PE_ABORT_ASYNCHRONOUS)
        lane->aborts_late = lane->lane->performing;
    return size;
}

void cairn_pe_abort_complete(struct cairn_pe *pe, uint64_t last)
{
    for (unsigned i = 0; pe->has_trbe && i < pe->order.lane_count; i++) {
        struct cairn_pe_lane *lane = &pe->lanes[i];
        const uint64_t before = lane->lane->seen.value[CAIRN_PE_TRBSR_EL1];

        if (!lane->trbe.abort.is_pending || lane->abort_operation > last)
            continue;
        cairn_pe_trbe_complete(&lane->trbe);
        if (lane->lane->seen.value[CAIRN_PE_TRBSR_EL1] != before)
            cairn_lane_completed(lane->lane, CAIRN_PE_TRBSR_EL1);
    }
}

void cairn_pe_abort_depend(struct cairn_pe *pe, uint32_t reg)
{
    uint64_t last = 0;

    if (!pe->has_trbe || (reg != CAIRN_PE_TRBSR_EL1 && reg != CAIRN_PE_TRBPTR_EL1))
        return;
    for (unsigned i = 0; i < pe->order.lane_count; i++)
        last = pe->lanes[i].aborts_late > last ? pe->lanes[i].aborts_late : last;
    cairn_order_answer(&pe->order, last, reg);
}

void cairn_pe_abort_system_error(void *context, uint64_t address, uint8_t FSC)
{
    struct cairn_pe_lane *lane = context;
    struct cairn_pe *pe = lane->pe;
    /* Bytes in a row are one interrupt. */
    const bool goes_on = pe->has_system_error && address == pe->error_address + 1;

    (void)FSC;
    if (lane->lane->index != 0)
        return;
    pe->has_system_error = true;
    pe->error_address = address;
    if (!goes_on && pe->system_error)
        pe->system_error(pe->caller, address);
}
