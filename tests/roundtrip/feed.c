/* SPDX-License-Identifier: BSD-2-Clause */
#include "feed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../peers/random.h"

enum {
    BYTES_FIRST = 4096,
    MARKS_MAX = TRIP_STEPS_MAX,
};

struct feeder {
    const struct trip_case *trip;
    struct trip_trace *trace;
    struct cairn_unit *unit;
    uint32_t count; /* marks: the point in front of a block or exception not taken back */
    uint32_t ids[MARKS_MAX];
    uint64_t marks[MARKS_MAX];
    struct peer_random random; /* the port's */
    bool ended;                /* it takes everything */
};

static cairn_status take(void *context, const uint8_t *bytes, size_t size)
{
    struct trip_trace *trace = (struct trip_trace *)context;

    if (trace->size + size > trace->capacity) {
        size_t capacity = trace->capacity ? trace->capacity : BYTES_FIRST;
        uint8_t *more;

        while (capacity < trace->size + size)
            capacity *= 2;
        more = realloc(trace->bytes, capacity);
        if (!more)
            return CAIRN_E_MEMORY;
        trace->bytes = more;
        trace->capacity = capacity;
    }
    memcpy(trace->bytes + trace->size, bytes, size);
    trace->size += size;
    return CAIRN_OK;
}

static void complain(struct trip_trace *trace, const char *what, const struct trip_step *step)
{
    if (!trace->problem[0])
        snprintf(trace->problem, sizeof trace->problem, "%s (step kind %u, id %" PRIu32 ")", what,
                 step->kind, step->id);
}

/* A port that takes some, and often nothing. */
static size_t take_some(void *context, const uint8_t *bytes, size_t size, uint64_t cycles)
{
    struct feeder *f = (struct feeder *)context;
    size_t count = size;

    (void)cycles;
    if (!f->ended) {
        count = peer_random_percent(&f->random, 40)
                    ? 0
                    : peer_random_range(&f->random, 0, f->trip->options.port);
        count = count < size ? count : size;
    }
    if (count > 0 && take(f->trace, bytes, count) != CAIRN_OK)
        complain(f->trace, "no memory", &f->trip->steps[0]);
    return count;
}

/* The scanned block must be what the program's maker knows of it. */
static bool is_block(const struct trip_case *trip, const struct trip_step *step,
                     const struct cairn_block *block, size_t size)
{
    const struct peer_op *last = trip_op(trip->program, step->first + step->count - 1);
    const bool p0 = trip_op_is_p0(last, trip->options.waits_are_p0);
    const bool direct = p0 && last->kind == PEER_OP_DIRECT;

    return block->size == size && block->count == step->count && block->isa == last->isa &&
           block->address == trip_op(trip->program, step->first)->address &&
           (block->kind != CAIRN_INSN_OTHER) == p0 && (!p0 || block->last_size == last->size) &&
           ((block->flags & CAIRN_INSN_LINK) != 0) == (p0 && (last->flags & PEER_OP_LINK)) &&
           ((block->flags & CAIRN_INSN_ERET) != 0) == (p0 && (last->flags & PEER_OP_ERET)) &&
           block->target == (direct ? trip_op(trip->program, last->target)->address : 0);
}

static void execute(struct feeder *f, const struct trip_step *step)
{
    const struct peer_op *first = trip_op(f->trip->program, step->first);
    struct cairn_block block;
    size_t size = 0;

    for (uint32_t i = 0; i < step->count; i++)
        size += trip_op(f->trip->program, step->first + i)->size;
    if (cairn_unit_scan(f->unit, (enum cairn_isa)first->isa, first->address,
                        trip_op_bytes(f->trip->program, step->first), size, &block) != size ||
        !is_block(f->trip, step, &block, size)) {
        complain(f->trace, "cairn_unit_scan makes another block", step);
        return;
    }
    cairn_unit_execute(f->unit, &block, step->on);
}

static void remember(struct feeder *f, const struct trip_step *step)
{
    f->ids[f->count] = step->id;
    f->marks[f->count++] = cairn_unit_mark(f->unit);
}

/* The mark in front of the first one with this id or a later one. */
static uint32_t find(const struct feeder *f, uint32_t id, uint64_t *mark)
{
    uint32_t i = f->count;

    while (i > 0 && f->ids[i - 1] >= id)
        i--;
    *mark = i < f->count ? f->marks[i] : cairn_unit_mark(f->unit);
    return i;
}

static void resolve(struct feeder *f, const struct trip_step *step)
{
    uint64_t mark;

    find(f, step->id, &mark);
    if (cairn_unit_resolve(f->unit, mark) != CAIRN_OK && f->trip->options.fifo_bytes == 0)
        complain(f->trace, "cairn_unit_resolve refuses a mark", step);
}

static void cancel(struct feeder *f, const struct trip_step *step)
{
    uint64_t mark;
    const uint32_t at = find(f, step->id, &mark);

    if (cairn_unit_cancel(f->unit, mark) != CAIRN_OK)
        complain(f->trace, "cairn_unit_cancel refuses a mark", step);
    f->count = at;
}

static void transact(struct feeder *f, const struct trip_step *step)
{
    switch ((enum trip_step_kind)step->kind) {
    case TRIP_TRANSACTION_START: cairn_unit_transaction_start(f->unit); break;
    case TRIP_TRANSACTION_COMMIT: cairn_unit_transaction_commit(f->unit); break;
    default: cairn_unit_transaction_fail(f->unit); break;
    }
}

static void tell(struct feeder *f, const struct trip_step *step)
{
    struct cairn_unit *unit = f->unit;
    const struct peer_op *op = trip_op(f->trip->program, step->first);

    switch ((enum trip_step_kind)step->kind) {
    case TRIP_ENABLE: cairn_unit_enable(unit); break;
    case TRIP_DISABLE:
        cairn_unit_disable(unit);
        f->count = 0;
        break;
    case TRIP_CONTEXT: cairn_unit_context(unit, &step->context); break;
    case TRIP_BLOCK:
        remember(f, step);
        execute(f, step);
        break;
    case TRIP_EXCEPTION:
        remember(f, step);
        cairn_unit_exception(unit, step->type, op->address, (enum cairn_isa)op->isa);
        break;
    case TRIP_SYNCHRONIZE: cairn_unit_synchronize_context(unit); break;
    case TRIP_PROHIBIT: cairn_unit_prohibit(unit, step->on); break;
    case TRIP_DEBUG: cairn_unit_debug_state(unit, step->on); break;
    case TRIP_LOW_POWER: cairn_unit_low_power(unit, step->on); break;
    case TRIP_CYCLES: cairn_unit_cycles(unit, step->value); break;
    case TRIP_TIME: cairn_unit_time(unit, step->value); break;
    case TRIP_CLOCK_STOPPED: cairn_unit_clock_stopped(unit); break;
    case TRIP_INPUTS: cairn_unit_inputs(unit, step->type); break;
    case TRIP_EVENT: cairn_unit_event(unit, step->type); break;
    case TRIP_SPECULATE: cairn_unit_speculate(unit, step->on); break;
    case TRIP_RESOLVE: resolve(f, step); break;
    case TRIP_CANCEL: cancel(f, step); break;
    case TRIP_MISPREDICT:
        if (cairn_unit_mispredict(unit) != CAIRN_OK && f->trip->options.fifo_bytes == 0)
            complain(f->trace, "cairn_unit_mispredict refuses", step);
        break;
    case TRIP_TRANSACTION_START:
    case TRIP_TRANSACTION_COMMIT:
    case TRIP_TRANSACTION_FAIL: transact(f, step); break;
    case TRIP_REQUEST_SYNC: cairn_unit_request_sync(unit); break;
    case TRIP_FLUSH: cairn_unit_flush(unit); break;
    case TRIP_POSITION: (void)cairn_unit_position(unit); break;
    case TRIP_STEP_KINDS: break;
    }
}

void trip_trace_clear(struct trip_trace *trace)
{
    cairn_config_unref(trace->config);
    trace->config = NULL;
    trace->size = 0;
    trace->problem[0] = '\0';
}

static bool create_unit(struct feeder *f)
{
    const struct trip_case *trip = f->trip;
    struct trip_trace *trace = f->trace;
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_register registers[TRIP_REGISTERS_MAX];
    struct cairn_error error = {0};

    options.protocol = trip->options.protocol;
    options.arch = cairn_arch_any_a();
    options.registers = registers;
    options.register_count = trip_options_registers(&trip->options, registers);
    options.choices = trip->options.choices;
    options.return_stack_depth = trip->options.stack_depth;
    options.fifo_bytes = trip->options.fifo_bytes;
    options.fifo_drain = trip->options.fifo_drain;
    options.q_instructions = trip->options.q_instructions;
    if (trip->options.port) {
        options.fifo_drain = 0;
        options.port = take_some;
        options.port_context = f;
    } else {
        options.sink = take;
        options.sink_context = trace;
    }
    if (cairn_unit_new(&options, &f->unit, &error) == CAIRN_OK)
        return true;
    snprintf(trace->problem, sizeof trace->problem, "cairn_unit_new refuses: %s", error.text);
    return false;
}

bool trip_feed(const struct trip_case *trip, struct trip_trace *trace)
{
    static _Thread_local struct feeder f;

    trip_trace_clear(trace);
    f.trip = trip;
    f.trace = trace;
    f.count = 0;
    f.ended = false;
    f.random.state = trip->seed;
    if (!create_unit(&f))
        return false;
    for (uint32_t i = 0; i < trip->count && !trace->problem[0]; i++)
        tell(&f, &trip->steps[i]);
    f.ended = true;
    if (cairn_unit_offer(f.unit) != 0 && !trace->problem[0])
        snprintf(trace->problem, sizeof trace->problem, "something is pending for ever");
    if (cairn_unit_status(f.unit) != CAIRN_OK && !trace->problem[0])
        snprintf(trace->problem, sizeof trace->problem, "cairn_unit_status is not CAIRN_OK");
    trace->config = cairn_unit_config(f.unit);
    trace->counters.size = sizeof trace->counters;
    cairn_unit_counters(f.unit, &trace->counters);
    cairn_unit_free(f.unit);
    return !trace->problem[0];
}
