/* SPDX-License-Identifier: BSD-2-Clause */
/* A source's flow, as the blocks of its threads. Where ranges are cut depends on the trace unit, and on interrupts; blocks
 * do not: they end at branches, and at places from which control went elsewhere without one. */
#include "report/diff.h"

#include <stdlib.h>
#include <string.h>

#include "calls/calls.h"
#include "image/space.h"
#include "report/diff_reader.h"

/* --- threads --- */

static struct cairn_diff_thread *now_of(struct cairn_diff_reader *reader)
{
    return reader->now == CAIRN_DIFF_NONE ? NULL : &reader->run->threads[reader->now];
}

static cairn_status select_thread(struct cairn_diff_reader *reader, uint32_t vmid,
                                  uint32_t context_id)
{
    struct cairn_diff_run *const run = reader->run;
    struct cairn_diff_thread *const before = now_of(reader);
    const size_t own = run->thread_count - reader->first_thread;
    const uint32_t hash = cairn_table_hash(context_id, vmid);

    if (reader->has_wanted && context_id != reader->wanted) {
        reader->now = CAIRN_DIFF_NONE;
        return CAIRN_OK;
    }
    if (before && before->vmid == vmid && before->context_id == context_id)
        return CAIRN_OK;
    /* Nothing was executed before the first context that is told: that is the first thread's. */
    if (before && own == 1 && !before->count && !before->handled && !before->is_open) {
        before->vmid = vmid;
        before->context_id = context_id;
        return cairn_table_add(&reader->by_thread, hash, reader->now) ? CAIRN_E_MEMORY : CAIRN_OK;
    }
    size_t at = cairn_table_begin(&reader->by_thread, hash);
    uint32_t item;
    while ((item = cairn_table_next(&reader->by_thread, hash, &at)) != CAIRN_TABLE_NONE)
        if (run->threads[item].vmid == vmid && run->threads[item].context_id == context_id)
            break;
    if (item == CAIRN_TABLE_NONE && own == CAIRN_DIFF_THREADS_MAX)
        item = (uint32_t)run->thread_count - 1; /* the others */
    if (item != CAIRN_TABLE_NONE) {
        reader->now = item;
        return CAIRN_OK;
    }
    if (cairn_table_add(&reader->by_thread, hash, (uint32_t)run->thread_count) ||
        cairn_grow((void **)&run->threads, run->thread_count, &run->thread_room,
                   sizeof *run->threads))
        return CAIRN_E_MEMORY;
    reader->now = (uint32_t)run->thread_count;
    run->threads[run->thread_count++] = (struct cairn_diff_thread){
        .side = reader->side,
        .source = reader->source,
        .vmid = vmid,
        .context_id = context_id,
        .others = own + 1 == CAIRN_DIFF_THREADS_MAX,
        .losses = reader->losses,
    };
    return CAIRN_OK;
}

/* --- tokens --- */

static cairn_status emit(struct cairn_diff_reader *reader, struct cairn_diff_thread *thread,
                         uint32_t number)
{
    struct cairn_diff_block *const block = &reader->diff->blocks[number];

    if (reader->run->is_full)
        return CAIRN_OK;
    block->seen[reader->side].times++;
    block->seen[reader->side].cycles += thread->cycles;
    reader->run->cycles += thread->cycles;
    thread->cycles = 0;
    thread->instructions += block->instructions;
    reader->last = number;
    return cairn_diff_add_token(reader->diff, reader->run, thread, number);
}

/* The block that was not ended by a branch ends here. */
static cairn_status flush_open(struct cairn_diff_reader *reader, struct cairn_diff_thread *thread)
{
    uint32_t block;
    cairn_status status;

    if (!thread->is_open)
        return CAIRN_OK;
    thread->is_open = false;
    status = cairn_space_select(reader->run->space, &thread->place);
    if (!status)
        status =
            cairn_diff_block_of(reader->diff, reader->side, reader->arch,
                                (enum cairn_isa)thread->isa, thread->first, thread->end, &block);
    return status ? status : emit(reader, thread, block);
}

static cairn_status take_lost(struct cairn_diff_reader *reader, uint64_t account)
{
    struct cairn_diff_thread *const thread = now_of(reader);
    cairn_status status;

    if (account != CAIRN_GAP_NO_IMAGE)
        reader->losses++;
    if (!thread)
        return CAIRN_OK;
    thread->losses = reader->losses;
    status = flush_open(reader, thread);
    if (status || (thread->count && thread->last_token == CAIRN_DIFF_GAP))
        return status;
    thread->gaps++;
    thread->after_exception = false;
    status = cairn_diff_add_mark(reader->run, thread, CAIRN_MARK_GAP, account, thread->count);
    return status ? status
                  : cairn_diff_add_token(reader->diff, reader->run, thread, CAIRN_DIFF_GAP);
}

static cairn_status mark_time(const struct cairn_diff_reader *reader,
                              struct cairn_diff_thread *thread)
{
    if (thread->timestamp == reader->last_timestamp || reader->run->is_full)
        return CAIRN_OK;
    thread->timestamp = reader->last_timestamp;
    return cairn_diff_add_mark(reader->run, thread, CAIRN_MARK_TIMESTAMP, thread->timestamp,
                               thread->count);
}

/* A gap is not known to be another thread's. */
static cairn_status choose(struct cairn_diff_reader *reader, uint32_t vmid, uint32_t context_id)
{
    cairn_status status = select_thread(reader, vmid, context_id);
    const struct cairn_diff_thread *const thread = now_of(reader);

    if (!status && thread && reader->last_timestamp)
        status = mark_time(reader, now_of(reader));
    if (status || !thread || thread->losses == reader->losses)
        return status;
    reader->losses--;
    return take_lost(reader, CAIRN_GAP_OVERFLOW);
}

/* --- ranges --- */

/* The thread goes on at an address. What it executed last may go on there too; behind an exception also from within:
 * the instruction that the trace tells a second time was not executed the first time. */
static cairn_status go_on(struct cairn_diff_reader *reader, struct cairn_diff_thread *thread,
                          uint8_t isa, uint64_t address)
{
    const bool is_same = thread->is_open && thread->isa == isa;

    if (is_same && thread->end == address)
        return CAIRN_OK;
    if (is_same && thread->after_exception &&
        address - thread->first < thread->end - thread->first) {
        thread->end = address;
        thread->is_open = address != thread->first;
        return CAIRN_OK;
    }
    return flush_open(reader, thread);
}

static const char *exception_of(const struct cairn_diff_reader *reader,
                                const struct cairn_call *call)
{
    return call->kind == CAIRN_CALL_SIGNAL
               ? "signal"
               : cairn_diff_exception_name(reader->config, call->exception);
}

/* Where the trace says of an exception only that there was one (MTB). */
#define NO_EXCEPTION_NUMBER 0xffffu

/* A topmost call that is not told yet, as what it is taken for. */
enum diff_untold { UNTOLD_NONE = 0, UNTOLD_HANDLER = 1, UNTOLD_FLOW = 2 };

/* What is returned to from an exception elsewhere than to where that came from need not be a handler: it is one of a
 * signal if that is a program's, and another exception's if one was taken, or if the trace does not tell of all. */
static enum diff_untold judge(const struct cairn_diff_reader *reader, bool is_taken,
                              const struct cairn_call *call)
{
    if (call->kind == CAIRN_CALL_SIGNAL)
        return reader->place.EL == 0 ? UNTOLD_HANDLER : UNTOLD_FLOW;
    return is_taken || call->exception == NO_EXCEPTION_NUMBER ? UNTOLD_HANDLER : UNTOLD_FLOW;
}

/* The exception whose handler is apart and executes now; NONE: the thread itself does. */
static cairn_status find_handler(struct cairn_diff_reader *reader, struct cairn_diff_thread *thread,
                                 uint32_t *handler)
{
    struct cairn_call call;

    *handler = thread->handlers ? thread->handler : CAIRN_DIFF_NONE;
    if (thread->handlers)
        return CAIRN_OK;
    if (!cairn_calls_untold(reader->calls, &call)) {
        thread->untold = UNTOLD_NONE;
        return CAIRN_OK;
    }
    if (thread->untold == UNTOLD_NONE)
        thread->untold = judge(reader, thread->is_taken, &call);
    if (thread->untold == UNTOLD_FLOW)
        return CAIRN_OK;
    const cairn_status status =
        cairn_diff_find_exception(reader->diff, exception_of(reader, &call), handler);
    if (!status && !reader->diff->exceptions[*handler].is_apart)
        *handler = CAIRN_DIFF_NONE;
    return status;
}

static void note_other(struct cairn_diff_run *run, uint32_t context_id)
{
    for (size_t i = 0; i < run->other_count; i++)
        if (run->others[i] == context_id)
            return;
    if (run->other_count < CAIRN_DIFF_OTHERS)
        run->others[run->other_count++] = context_id;
}

static cairn_status take_range(struct cairn_diff_reader *reader,
                               const struct cairn_flow_batch *batch, size_t index)
{
    struct cairn_diff_thread *const thread = now_of(reader);
    const unsigned flags = batch->flags[index];
    const uint8_t isa = batch->isa[index];
    const struct diff_range *range = NULL;
    uint64_t first = batch->address[index];
    uint32_t handler;
    cairn_status status;

    if (!batch->instructions[index])
        return CAIRN_OK;
    if (!thread) {
        note_other(reader->run, reader->place.context_id);
        return CAIRN_OK;
    }
    status = cairn_diff_turn(reader, thread, cairn_calls_running(reader->calls));
    if (!status)
        status = find_handler(reader, thread, &handler);
    thread->is_taken = false;
    if (status)
        return status;
    thread->is_within = handler != CAIRN_DIFF_NONE;
    reader->last = 0;
    reader->last_thread = reader->now;
    if (handler != CAIRN_DIFF_NONE) {
        thread->handler = handler;
        reader->run->other_cycles += reader->ahead;
        reader->ahead = 0;
        thread->handled += batch->instructions[index];
        reader->diff->exceptions[handler].instructions[reader->side] += batch->instructions[index];
        return reader->run->is_full
                   ? CAIRN_OK
                   : cairn_diff_add_mark(reader->run, thread, CAIRN_MARK_HANDLED,
                                         batch->instructions[index], thread->count);
    }
    status = cairn_diff_know_range(reader, isa, first, batch->value[index], batch->offset[index],
                                   &range);
    if (!status)
        status = go_on(reader, thread, isa, first);
    if (!status && thread->pending && !thread->is_open && !reader->run->is_full)
        status = cairn_diff_add_mark(reader->run, thread, CAIRN_MARK_EXCEPTION, thread->pending - 1,
                                     thread->count);
    if (!status && thread->back && thread->back != first && !thread->is_open &&
        !reader->run->is_full)
        status = cairn_diff_add_mark(reader->run, thread, CAIRN_MARK_ELSEWHERE, thread->handler,
                                     thread->count);
    thread->pending = 0;
    thread->back = 0;
    thread->cycles += reader->ahead;
    reader->ahead = 0;
    thread->after_exception = false;
    for (uint32_t i = 0; !status && i < range->count; i++) {
        const struct diff_piece *const piece = &reader->pieces[range->first + i];
        uint32_t block = piece->block;

        if (thread->is_open)
            first = thread->first;
        if (block && thread->is_open)
            status = cairn_diff_block_of(reader->diff, reader->side, reader->arch,
                                         (enum cairn_isa)isa, first, piece->end, &block);
        if (status)
            return status;
        thread->is_open = !block;
        thread->first = first;
        thread->end = piece->end;
        thread->isa = isa;
        if (!block)
            thread->place = reader->place;
        else
            status = emit(reader, thread, block);
        if (block && i + 1 == range->count && (flags & CAIRN_FLOW_P0) &&
            !(flags & CAIRN_FLOW_UNKNOWN)) {
            struct cairn_diff_seen *const seen = &reader->diff->blocks[block].seen[reader->side];

            seen->told++;
            seen->taken += (flags & CAIRN_FLOW_TAKEN) != 0;
        }
        first = piece->end;
    }
    return status;
}

/* --- exceptions --- */

static cairn_status take_exception(struct cairn_diff_reader *reader, uint64_t type)
{
    struct cairn_diff_thread *const thread = now_of(reader);
    uint32_t which;

    if (!thread)
        return CAIRN_OK;
    thread->after_exception = thread->is_taken = true;
    const cairn_status status = cairn_diff_find_exception(
        reader->diff, cairn_diff_exception_name(reader->config, type), &which);
    if (status)
        return status;
    reader->diff->exceptions[which].times[reader->side]++;
    if (!thread->handlers && !reader->diff->exceptions[which].is_apart)
        thread->pending = which + 1;
    return CAIRN_OK;
}

/* --- calls --- */

static cairn_status enter_call(void *context, const struct cairn_call *call)
{
    struct cairn_diff_reader *const reader = context;
    struct cairn_diff_thread *const thread = now_of(reader);
    struct cairn_calls_function function = {.size = sizeof function};
    const bool handles = call->kind == CAIRN_CALL_EXCEPTION || call->kind == CAIRN_CALL_SIGNAL;
    cairn_status status = CAIRN_OK;

    if (thread)
        status = cairn_diff_turn(reader, thread, call->thread);
    if (status || !thread)
        return status;
    const bool is_flow =
        thread->untold ? thread->untold == UNTOLD_FLOW : judge(reader, true, call) == UNTOLD_FLOW;
    thread->untold = UNTOLD_NONE;
    if (handles && (thread->handlers || !is_flow)) {
        uint32_t which;

        status = cairn_diff_find_exception(reader->diff, exception_of(reader, call), &which);
        if (status)
            return status;
        if (call->kind == CAIRN_CALL_SIGNAL)
            reader->diff->exceptions[which].times[reader->side]++;
        if (thread->handlers || reader->diff->exceptions[which].is_apart) {
            if (!thread->handlers++)
                thread->handler = which;
            return CAIRN_OK;
        }
    }
    if (thread->handlers)
        return CAIRN_OK;
    const uint32_t before = thread->chain;
    if (cairn_calls_function(reader->calls, call->function, &function) || !function.name)
        function.name = function.object ? "[no symbol]" : "[unknown]";
    status = cairn_diff_chain_of(reader->diff, before, function.name, &thread->chain);
    thread->above += !status && thread->chain == before;
    return status;
}

static cairn_status leave_call(void *context, const struct cairn_call *call)
{
    struct cairn_diff_reader *const reader = context;
    struct cairn_diff_thread *const thread = now_of(reader);
    const bool handles = call->kind == CAIRN_CALL_EXCEPTION || call->kind == CAIRN_CALL_SIGNAL;

    const cairn_status status = thread ? cairn_diff_turn(reader, thread, call->thread) : CAIRN_OK;
    if (status || !thread)
        return status;
    if (thread->handlers) {
        thread->handlers -= handles;
        thread->back = thread->handlers ? 0 : call->site;
        thread->after_exception = true;
        return CAIRN_OK;
    }
    if (thread->above)
        thread->above--;
    else
        thread->chain = reader->diff->chains[thread->chain].parent;
    return CAIRN_OK;
}

/* --- records --- */

/* One record, for who follows the calls. */
static cairn_status follow_one(struct cairn_diff_reader *reader,
                               const struct cairn_flow_batch *batch, size_t index)
{
    const struct cairn_flow_batch one = {
        .size = sizeof one,
        .capacity = 1,
        .count = 1,
        .kind = batch->kind + index,
        .isa = batch->isa + index,
        .flags = batch->flags + index,
        .instructions = batch->instructions + index,
        .offset = batch->offset + index,
        .length = batch->length + index,
        .address = batch->address + index,
        .value = batch->value + index,
    };

    return reader->follow.events(reader->follow.context, &one);
}

/* What was never certain to be executed is none, nor what came before all that is known. */
static bool is_loss(const struct cairn_diff_thread *thread, uint64_t account)
{
    if (account == CAIRN_GAP_DISCARD || account == CAIRN_GAP_UNRESOLVED)
        return false;
    return (account != CAIRN_GAP_NO_SYNC && account != CAIRN_GAP_NO_ADDRESS) || !thread ||
           thread->count || thread->is_open;
}

/* They are of what was executed last, or of trace units that tell them ahead of what is executed next. */
static void count_cycles(struct cairn_diff_reader *reader, uint64_t cycles)
{
    struct cairn_diff_run *const run = reader->run;

    run->has_cycles = true;
    if (cairn_config_tells(reader->config) & CAIRN_TELLS_CYCLES_AHEAD) {
        reader->ahead += cycles;
    } else if (reader->last_thread != CAIRN_DIFF_NONE &&
               run->threads[reader->last_thread].is_open &&
               !run->threads[reader->last_thread].handlers) {
        run->threads[reader->last_thread].cycles += cycles;
    } else if (reader->last) {
        reader->diff->blocks[reader->last].seen[reader->side].cycles += cycles;
        run->cycles += cycles;
    } else {
        run->other_cycles += cycles;
    }
}

static cairn_status take_other(struct cairn_diff_reader *reader,
                               const struct cairn_flow_batch *batch, size_t index)
{
    struct cairn_diff_thread *const thread = now_of(reader);
    const unsigned flags = batch->flags[index];
    const uint64_t value = batch->value[index];

    switch (batch->kind[index]) {
    case CAIRN_FLOW_CONTEXT:
        reader->place = cairn_flow_place(reader->place.source, batch->offset[index],
                                         batch->address[index], value);
        return choose(reader, reader->place.vmid, reader->place.context_id);
    case CAIRN_FLOW_GAP: return is_loss(thread, value) ? take_lost(reader, value) : CAIRN_OK;
    case CAIRN_FLOW_OVERFLOW: return take_lost(reader, CAIRN_GAP_OVERFLOW);
    case CAIRN_FLOW_Q:
        return flags & CAIRN_FLOW_UNKNOWN ? take_lost(reader, CAIRN_GAP_UNRESOLVED) : CAIRN_OK;
    case CAIRN_FLOW_EXCEPTION: return take_exception(reader, value);
    case CAIRN_FLOW_TIMESTAMP:
        if (!thread || (flags & CAIRN_FLOW_UNKNOWN) || value == reader->last_timestamp)
            return CAIRN_OK;
        reader->last_timestamp = value;
        return mark_time(reader, thread);
    case CAIRN_FLOW_TRACE_ON: /* of a time without trace: nobody's */
        reader->run->other_cycles += reader->ahead;
        reader->ahead = 0;
        return CAIRN_OK;
    case CAIRN_FLOW_CYCLES:
        if (flags & CAIRN_FLOW_UNKNOWN)
            return CAIRN_OK;
        count_cycles(reader, value);
        return CAIRN_OK;
    default: return CAIRN_OK;
    }
}

static cairn_status take_records(void *context, const struct cairn_flow_batch *batch)
{
    struct cairn_diff_reader *const reader = context;
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < batch->count && !status; i++) {
        status = follow_one(reader, batch, i);
        if (!status && batch->kind[i] == CAIRN_FLOW_RANGE)
            status = take_range(reader, batch, i);
        else if (!status)
            status = take_other(reader, batch, i);
    }
    return status;
}

/* --- what others see --- */

cairn_status cairn_diff_reader_new(struct cairn_diff *diff, unsigned side, const char *source,
                                   struct cairn_config *config, const uint32_t *wanted,
                                   struct cairn_diff_reader **reader)
{
    struct cairn_diff_run *const run = &diff->runs[side];
    struct cairn_diff_reader *const made = calloc(1, sizeof *made);
    cairn_status status = made ? CAIRN_OK : CAIRN_E_MEMORY;

    if (!status)
        status = cairn_grow((void **)&run->sources, run->source_count, &run->source_room,
                            sizeof *run->sources);
    if (status) {
        free(made);
        return status;
    }
    const struct cairn_calls_sink sink = {
        .size = sizeof sink, .context = made, .enter = enter_call, .leave = leave_call};
    made->diff = diff;
    made->run = run;
    made->side = side;
    made->config = config;
    made->arch = cairn_config_arch(config);
    made->source = (uint32_t)run->source_count;
    made->first_thread = (uint32_t)run->thread_count;
    made->now = made->last_thread = CAIRN_DIFF_NONE;
    made->has_wanted = wanted != NULL;
    made->wanted = wanted ? *wanted : 0;
    made->place.source = cairn_config_source(config);
    run->sources[run->source_count++] =
        (struct cairn_diff_source){.name = source, .config = cairn_config_ref(config)};
    status = cairn_calls_new(config, run->image, &sink, &made->calls);
    if (!status)
        status = choose(made, 0, 0);
    if (status) {
        cairn_diff_reader_free(made);
        return status;
    }
    made->follow = cairn_calls_consumer(made->calls);
    *reader = made;
    return CAIRN_OK;
}

struct cairn_consumer cairn_diff_reader_consumer(struct cairn_diff_reader *reader)
{
    return (struct cairn_consumer){
        .size = sizeof(struct cairn_consumer), .context = reader, .events = take_records};
}

cairn_status cairn_diff_reader_end(struct cairn_diff_reader *reader, uint64_t lost_bytes)
{
    struct cairn_diff_run *const run = reader->run;
    cairn_status status = CAIRN_OK;

    for (size_t i = reader->first_thread; i < run->thread_count && !status; i++) {
        struct cairn_diff_thread *const thread = &run->threads[i];

        status = flush_open(reader, thread);
        if (!status)
            status = cairn_diff_flush_mark(run, thread);
        if (thread->is_within)
            cairn_text_to_utf8(reader->diff->exceptions[thread->handler].name, thread->ended_in,
                               sizeof thread->ended_in);
    }
    run->other_cycles += reader->ahead;
    run->sources[reader->source].lost_bytes = lost_bytes;
    run->lost_bytes += lost_bytes;
    return status;
}

void cairn_diff_reader_free(struct cairn_diff_reader *reader)
{
    if (!reader)
        return;
    cairn_calls_free(reader->calls);
    cairn_table_clear(&reader->by_range);
    cairn_table_clear(&reader->by_thread);
    free(reader->ranges);
    free(reader->pieces);
    free(reader->stacks);
    free(reader);
}
