/* SPDX-License-Identifier: BSD-2-Clause */
/* A source's flow, as the blocks of its threads. Where ranges are cut depends on the trace unit, and on interrupts; blocks
 * do not: they end at branches, and at places from which control went elsewhere without one. */
#include "report/diff.h"

#include <stdlib.h>
#include <string.h>

#include "calls/calls.h"
#include "image/space.h"

/* Pieces of a range: up to each branch in it. */
struct diff_piece {
    uint64_t end;
    uint32_t block; /* from where the piece begins; 0: it does not end by a branch */
};
struct diff_range {
    uint64_t address, end;
    uint64_t identity, from; /* of the memory */
    size_t first;            /* piece */
    uint32_t count;
    uint8_t isa;
};

struct cairn_diff_reader {
    struct cairn_diff *diff;
    struct cairn_diff_run *run;
    struct cairn_config *config;
    const struct cairn_arch *arch;
    struct cairn_calls *calls;
    struct cairn_consumer follow; /* of `calls` */
    struct cairn_place place;
    unsigned side;
    uint32_t source;
    uint32_t first_thread; /* of the run: the first one of this source */
    uint32_t now;          /* thread; NONE: not wanted */
    bool has_wanted;
    uint32_t wanted;
    uint32_t last; /* block executed last, for cycles */
    uint64_t last_timestamp;
    uint64_t losses; /* gaps in which any thread may have executed */
    struct cairn_table by_range;
    struct diff_range *ranges;
    size_t range_count, range_room;
    struct diff_piece *pieces;
    size_t piece_count, piece_room;
};

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
        return CAIRN_OK;
    }
    for (size_t i = reader->first_thread; i < run->thread_count; i++)
        if ((run->threads[i].vmid == vmid && run->threads[i].context_id == context_id) ||
            run->threads[i].others) {
            reader->now = (uint32_t)i;
            return CAIRN_OK;
        }
    if (cairn_grow((void **)&run->threads, run->thread_count, &run->thread_room,
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
    thread->instructions += block->instructions;
    reader->last = number;
    return cairn_diff_add_token(reader->run, thread, number);
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
    if (status || (thread->count && thread->tokens[thread->count - 1] == CAIRN_DIFF_GAP))
        return status;
    thread->gaps++;
    thread->after_exception = false;
    status = cairn_diff_add_mark(thread, CAIRN_MARK_GAP, account, thread->count);
    return status ? status : cairn_diff_add_token(reader->run, thread, CAIRN_DIFF_GAP);
}

/* A gap is not known to be another thread's. */
static cairn_status choose(struct cairn_diff_reader *reader, uint32_t vmid, uint32_t context_id)
{
    const cairn_status status = select_thread(reader, vmid, context_id);
    const struct cairn_diff_thread *const thread = now_of(reader);

    if (status || !thread || thread->losses == reader->losses)
        return status;
    reader->losses--;
    return take_lost(reader, CAIRN_GAP_OVERFLOW);
}

/* --- ranges --- */

static cairn_status cut_range(struct cairn_diff_reader *reader, struct diff_range *range)
{
    const struct cairn_space *const space = reader->run->space;
    const enum cairn_isa isa = (enum cairn_isa)range->isa;
    uint64_t at = range->address, first = at;
    cairn_status status = CAIRN_OK;

    range->first = reader->piece_count;
    while (at != range->end && !status) {
        struct cairn_insn insn = {.size = isa == CAIRN_ISA_T32 ? 2 : 4};
        const bool is_there = cairn_space_insn(space, reader->arch, isa, at, &insn);
        const bool is_branch = is_there && (insn.kind == CAIRN_INSN_BRANCH_DIRECT ||
                                            insn.kind == CAIRN_INSN_BRANCH_INDIRECT);

        at += insn.size;
        if (isa != CAIRN_ISA_A64)
            at &= UINT32_MAX;
        if (range->end - at > range->end - range->address)
            at = range->end;
        if (!is_branch && at != range->end)
            continue;
        if (cairn_grow((void **)&reader->pieces, reader->piece_count, &reader->piece_room,
                       sizeof *reader->pieces))
            return CAIRN_E_MEMORY;
        struct diff_piece *const piece = &reader->pieces[reader->piece_count++];
        *piece = (struct diff_piece){.end = at};
        if (is_branch)
            status = cairn_diff_block_of(reader->diff, reader->side, reader->arch, isa, first, at,
                                         &piece->block);
        first = at;
        range->count++;
    }
    return status;
}

static cairn_status know_range(struct cairn_diff_reader *reader, uint8_t isa, uint64_t address,
                               uint64_t end, uint64_t offset, const struct diff_range **found)
{
    const struct cairn_space *const space = reader->run->space;
    const uint32_t hash = cairn_table_hash(address, end * 4 + isa);
    size_t at = cairn_table_begin(&reader->by_range, hash);
    uint64_t from = 0, until = 0;
    uint32_t item;

    reader->place.offset = offset;
    cairn_status status = cairn_space_select(reader->run->space, &reader->place);
    if (status)
        return status;
    const uint64_t identity = cairn_space_identity(space);
    cairn_space_hold(space, &from, &until);
    while ((item = cairn_table_next(&reader->by_range, hash, &at)) != CAIRN_TABLE_NONE) {
        const struct diff_range *const one = &reader->ranges[item];

        if (one->address == address && one->end == end && one->isa == isa &&
            one->identity == identity && one->from == from) {
            *found = one;
            return CAIRN_OK;
        }
    }
    item = (uint32_t)reader->range_count;
    if (reader->range_count >= CAIRN_DIFF_NONE - 1)
        return CAIRN_E_LIMIT;
    if (cairn_grow((void **)&reader->ranges, reader->range_count, &reader->range_room,
                   sizeof *reader->ranges) ||
        cairn_table_add(&reader->by_range, hash, item))
        return CAIRN_E_MEMORY;
    struct diff_range *const made = &reader->ranges[reader->range_count++];
    *made = (struct diff_range){
        .address = address, .end = end, .isa = isa, .identity = identity, .from = from};
    *found = made;
    return cut_range(reader, made);
}

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

/* Trace units have names of their own for these. */
static const char *name_exception(const struct cairn_diff_reader *reader, uint64_t type)
{
    const char *const name =
        cairn_exception_name(reader->config, type <= UINT32_MAX ? (unsigned)type : UINT32_MAX);

    if (strcmp(name, "Supervisor Call") == 0 || strcmp(name, "SVCall") == 0)
        return "SVC";
    return strcmp(name, "Secure Monitor Call") == 0 ? "SMC" : name;
}

static const char *exception_of(const struct cairn_diff_reader *reader,
                                const struct cairn_call *call)
{
    return call->kind == CAIRN_CALL_SIGNAL ? "signal" : name_exception(reader, call->exception);
}

/* The exception whose handler is apart and executes now; NONE: the thread itself does. */
static cairn_status find_handler(struct cairn_diff_reader *reader,
                                 const struct cairn_diff_thread *thread, uint32_t *handler)
{
    struct cairn_call call;
    cairn_status status;

    *handler = thread->handlers ? thread->handler : CAIRN_DIFF_NONE;
    if (thread->handlers || !cairn_calls_untold(reader->calls, &call))
        return CAIRN_OK;
    status = cairn_diff_find_exception(reader->diff, exception_of(reader, &call), handler);
    if (!status && !reader->diff->exceptions[*handler].is_apart)
        *handler = CAIRN_DIFF_NONE;
    return status;
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

    if (!thread || !batch->instructions[index])
        return CAIRN_OK;
    status = find_handler(reader, thread, &handler);
    if (status)
        return status;
    if (handler != CAIRN_DIFF_NONE) {
        thread->handled += batch->instructions[index];
        reader->diff->exceptions[handler].instructions[reader->side] += batch->instructions[index];
        return cairn_diff_add_mark(thread, CAIRN_MARK_HANDLED, batch->instructions[index],
                                   thread->count);
    }
    status = know_range(reader, isa, first, batch->value[index], batch->offset[index], &range);
    if (!status)
        status = go_on(reader, thread, isa, first);
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
    thread->after_exception = true;
    const cairn_status status =
        cairn_diff_find_exception(reader->diff, name_exception(reader, type), &which);
    if (!status)
        reader->diff->exceptions[which].times[reader->side]++;
    return status;
}

/* --- calls --- */

static cairn_status enter_call(void *context, const struct cairn_call *call)
{
    struct cairn_diff_reader *const reader = context;
    struct cairn_diff_thread *const thread = now_of(reader);
    struct cairn_calls_function function = {.size = sizeof function};
    const bool handles = call->kind == CAIRN_CALL_EXCEPTION || call->kind == CAIRN_CALL_SIGNAL;
    cairn_status status = CAIRN_OK;

    if (!thread)
        return CAIRN_OK;
    if (handles) {
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

    if (!thread)
        return CAIRN_OK;
    if (thread->handlers) {
        thread->handlers -= handles;
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
        return cairn_diff_add_mark(thread, CAIRN_MARK_TIMESTAMP, value, thread->count);
    case CAIRN_FLOW_CYCLES:
        if (flags & CAIRN_FLOW_UNKNOWN)
            return CAIRN_OK;
        reader->run->has_cycles = true;
        if (reader->last && thread && !thread->handlers) {
            reader->diff->blocks[reader->last].seen[reader->side].cycles += value;
            reader->run->cycles += value;
        }
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
    made->now = CAIRN_DIFF_NONE;
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
        if (thread->handlers)
            cairn_text_to_utf8(reader->diff->exceptions[thread->handler].name, thread->ended_in,
                               sizeof thread->ended_in);
    }
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
    free(reader->ranges);
    free(reader->pieces);
    free(reader);
}
