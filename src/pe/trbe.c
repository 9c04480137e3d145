/* SPDX-License-Identifier: BSD-2-Clause */
#include "pe/trbe.h"

#include <string.h>

/* --- states --- */

struct cairn_pe_view cairn_pe_trbe_view(const struct cairn_pe_trbe *trbe)
{
    return (struct cairn_pe_view){trbe->features, trbe->registers, trbe->state,
                                  trbe->authentication, trbe->prohibit_choices};
}

enum cairn_pe_trbe_state cairn_pe_trbe_state(const struct cairn_pe_trbe *trbe)
{
    const struct cairn_pe_view view = cairn_pe_trbe_view(trbe);

    if (!cairn_pe_trace_buffer_enabled(&view))
        return CAIRN_PE_TRBE_DISABLED;
    return cairn_pe_trbe_is_stopped(trbe) ? CAIRN_PE_TRBE_STOPPED : CAIRN_PE_TRBE_RUNNING;
}

bool cairn_pe_trbe_in_range(const struct cairn_pe_trbe *trbe, uint64_t pointer)
{
    const uint64_t base = cairn_pe_trbe_base(trbe), limit = cairn_pe_trbe_limit(trbe);

    return pointer >= base && pointer < limit && pointer >> 56 == base >> 56 &&
           pointer >> 56 == limit >> 56;
}

void cairn_pe_trbe_find(struct cairn_pe_trbe *trbe, enum cairn_pe_trbe_finding finding)
{
    if (trbe->told >> finding & 1)
        return;
    trbe->told |= 1u << finding;
    if (trbe->outside.finding)
        trbe->outside.finding(trbe->outside.context, finding);
}

/* --- what was collected into a unit --- */

static size_t write_out(struct cairn_pe_trbe *trbe, const uint8_t *bytes, size_t size)
{
    return trbe->options.choices & CAIRN_PE_TRBE_BY_BYTE
               ? cairn_pe_trbe_by_byte(trbe, bytes, size)
               : cairn_pe_trbe_by_block(trbe, bytes, size);
}

static void write_held(struct cairn_pe_trbe *trbe)
{
    const size_t size = trbe->held_size;

    trbe->held_size = 0;
    trbe->counts.lost += size - write_out(trbe, trbe->held, size);
}

/* Up to the next aligned address; returns how many were accepted when collection stopped. */
static size_t collect(struct cairn_pe_trbe *trbe, const uint8_t *bytes, size_t size)
{
    const uint64_t unit = UINT64_C(1) << trbe->options.align;
    size_t done = 0;

    while (done < size && !cairn_pe_trbe_is_stopped(trbe)) {
        const uint64_t low = *cairn_pe_trbe_at(trbe, CAIRN_PE_TRBPTR_EL1) % unit;
        size_t space = (size_t)(unit - low);

        /* The pointer may have been written while something was held. */
        space = space > trbe->held_size ? space - trbe->held_size : 0;
        if (space > size - done)
            space = size - done;
        memcpy(trbe->held + trbe->held_size, bytes + done, space);
        trbe->held_size += space;
        done += space;
        if (low + trbe->held_size >= unit)
            write_held(trbe);
    }
    return done;
}

/* --- enabling and disabling --- */

static bool is_reserved(const struct cairn_pe_trbe *trbe)
{
    return CAIRN_GETS(trbe->registers, TRBLIMITR_EL1, TRBLIMITR_FM) == 2 ||
           CAIRN_GETS(trbe->registers, TRBLIMITR_EL1, TRBLIMITR_TM) == 2;
}

static void become_enabled(struct cairn_pe_trbe *trbe)
{
    const bool stopped = cairn_pe_trbe_is_stopped(trbe);

    /* What a direct write did before this one has been told of it. */
    trbe->told &= 1u << CAIRN_PE_TRBE_WRITE_WHILE_ON;
    if (is_reserved(trbe))
        cairn_pe_trbe_find(trbe, CAIRN_PE_TRBE_RESERVED_MODE);
    if (trbe->trigger_low)
        cairn_pe_trbe_find(trbe, CAIRN_PE_TRBE_MISALIGNED_TRIGGER);
    if (trbe->had_abort && !stopped)
        cairn_pe_trbe_find(trbe, CAIRN_PE_TRBE_FAULT_VALUE);
}

static void become_disabled(struct cairn_pe_trbe *trbe)
{
    trbe->told &= ~(1u << CAIRN_PE_TRBE_WRITE_WHILE_ON);
    if (trbe->held_size == 0)
        return;
    cairn_pe_trbe_find(trbe, CAIRN_PE_TRBE_BYTES_CUT);
    if (trbe->options.choices & CAIRN_PE_TRBE_DISABLING_WRITES)
        write_held(trbe);
    trbe->counts.lost += trbe->held_size;
    trbe->held_size = 0;
}

void cairn_pe_trbe_update(struct cairn_pe_trbe *trbe)
{
    const bool enabled = cairn_pe_trbe_state(trbe) != CAIRN_PE_TRBE_DISABLED;
    const bool was = trbe->was_enabled;

    trbe->was_enabled = enabled;
    if (enabled && !was)
        become_enabled(trbe);
    if (!enabled && was)
        become_disabled(trbe);
    cairn_pe_trbe_set_status(trbe, 0);
}

/* --- bytes --- */

static void pass_time(struct cairn_pe_trbe *trbe, uint64_t cycles)
{
    const uint64_t rate = trbe->options.rate;

    if (rate == 0 || cycles > trbe->waiting / rate)
        trbe->waiting = 0;
    else
        trbe->waiting -= cycles * rate;
}

/* How many bytes the internal buffer takes. */
static size_t room(const struct cairn_pe_trbe *trbe, size_t size)
{
    const uint64_t waiting = (trbe->waiting + 15) / 16;
    const uint64_t depth = trbe->options.depth;

    if (trbe->options.rate == 0 || size <= depth - waiting)
        return size;
    return (size_t)(depth - waiting);
}

static size_t pass_on(struct cairn_pe_trbe *trbe, const uint8_t *bytes, size_t size,
                      uint64_t cycles)
{
    size_t gone;

    if (!trbe->outside.bus) {
        trbe->counts.discarded += size;
        return size;
    }
    gone = trbe->outside.bus(trbe->outside.context, bytes, size, cycles);
    if (gone <= size) {
        trbe->counts.passed_on += gone;
        trbe->counts.rejected += size - gone;
    }
    return gone;
}

size_t cairn_pe_trbe_port(void *context, const uint8_t *bytes, size_t size, uint64_t cycles)
{
    struct cairn_pe_trbe *trbe = context;
    size_t done = 0;

    pass_time(trbe, cycles);
    cairn_pe_trbe_update(trbe);
    if (!trbe->was_enabled)
        return pass_on(trbe, bytes, size, cycles);
    if (!cairn_pe_trbe_is_stopped(trbe)) {
        const size_t taken = room(trbe, size);

        done = trbe->options.choices & CAIRN_PE_TRBE_COLLECTS ? collect(trbe, bytes, taken)
                                                              : write_out(trbe, bytes, taken);
        trbe->counts.accepted += done;
        trbe->waiting += trbe->options.rate ? 16 * (uint64_t)done : 0;
    }
    if (cairn_pe_trbe_is_stopped(trbe)) {
        trbe->counts.discarded += size - done;
        return size;
    }
    trbe->counts.rejected += size - done;
    return done;
}

void cairn_pe_trbe_outputs(void *context, uint64_t clock, uint32_t events)
{
    (void)clock;
    if (events & 1)
        cairn_pe_trbe_detected_trigger(context);
}

/* --- synchronization --- */

void cairn_pe_trbe_drain(struct cairn_pe_trbe *trbe)
{
    cairn_pe_trbe_update(trbe);
    write_held(trbe);
    trbe->waiting = 0;
}

void cairn_pe_trbe_complete(struct cairn_pe_trbe *trbe)
{
    cairn_pe_trbe_drain(trbe);
    if (trbe->abort.is_pending)
        cairn_pe_trbe_report_abort(trbe);
}

bool cairn_pe_trbe_is_finished(const struct cairn_pe_trbe *trbe)
{
    return trbe->held_size == 0 && !trbe->flush_wanted;
}

/* --- beginning --- */

static bool is_mode(uint8_t value)
{
    return value == 0 || value == 1 || value == 3;
}

static bool can_be(const struct cairn_pe_trbe_options *o)
{
    return o->align <= 11 && o->aborts <= CAIRN_PE_TRBE_ABORTS_SYSTEM_ERROR &&
           o->astray <= CAIRN_PE_TRBE_ASTRAY_EVENT &&
           o->misaligned_trigger <= CAIRN_PE_TRBE_TRIGGER_WITH_UNIT &&
           o->over_decrement <= 1u << o->align && is_mode(o->reserved_FM) &&
           is_mode(o->reserved_TM) && o->granule <= CAIRN_PE_TRBE_UNIT_MOST &&
           (o->rate == 0 || o->depth > 0) && o->abort_delay < UINT32_MAX;
}

cairn_status cairn_pe_trbe_begin(struct cairn_pe_trbe *trbe,
                                 const struct cairn_pe_trbe_options *options,
                                 const struct cairn_pe_trbe_outside *outside,
                                 const struct cairn_pe_features *features,
                                 const struct cairn_pe_state *state,
                                 const struct cairn_pe_authentication *authentication,
                                 struct cairn_pe_registers *registers)
{
    if (!can_be(options) || !outside->store)
        return CAIRN_E_ARGUMENT;
    *trbe = (struct cairn_pe_trbe){.options = *options,
                                   .outside = *outside,
                                   .features = features,
                                   .state = state,
                                   .authentication = authentication,
                                   .registers = registers};
    if (trbe->options.granule == 0)
        trbe->options.granule = CAIRN_PE_TRBE_UNIT_MOST;
    cairn_pe_trbe_reset(trbe, 0);
    return CAIRN_OK;
}
