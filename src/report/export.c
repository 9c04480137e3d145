/* SPDX-License-Identifier: BSD-2-Clause */
/* What comes in the order of time. Calls are told by words of the engine, the rest by records: the same flow twice,
 * a batch of it at a time, so that nothing that is numbered here may depend on which of them comes first. */
#include "report/export.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline/counted.h"
#include "report/call_list.h"
#include "report/event.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

cairn_status cairn_export_row(struct cairn_export *data, enum cairn_export_table table,
                              const struct cairn_export_value *values, size_t count)
{
    if (!data->wanted[table])
        return CAIRN_OK;
    if (data->most && cairn_export_schemas[table].grows && data->rows[table] >= data->most) {
        data->left_out[table]++;
        return CAIRN_OK;
    }
    data->rows[table]++;
    const cairn_status status = data->writer.row(data->writer.context, table, values, count);
    data->is_failed |= status != CAIRN_OK;
    return status;
}

/* Cycles so far: none were told before the first count. */
static struct cairn_export_value cycles_of(uint64_t cycles)
{
    return cairn_export_number_if(cycles != 0, cycles);
}

static struct cairn_export_value time_of(uint64_t timestamp)
{
    return cairn_export_number_if(timestamp != 0, timestamp);
}

/* The thread that executes. Before the first context nothing is known of it, unless it has executed something. */
static struct cairn_export_value thread_now(struct cairn_export *data)
{
    return cairn_export_thread_id(data, data->has_context || data->at ? data->thread : 0);
}

/* --- calls --- */

static const char *kind_word(uint32_t kind)
{
    switch ((enum cairn_call_kind)kind) {
    case CAIRN_CALL_FOUND: return "found";
    case CAIRN_CALL_CALLED: return "called";
    case CAIRN_CALL_JUMPED_TO: return "jumped_to";
    case CAIRN_CALL_EXCEPTION: return "exception";
    case CAIRN_CALL_SIGNAL: return "signal";
    case CAIRN_CALL_RESUMED: return "resumed";
    }
    return "other";
}

static const char *ending_word(uint32_t end)
{
    const char *const word = cairn_call_end_word(end);

    if (end == CAIRN_CALL_RETURNED)
        return "returned";
    return word ? word : "other";
}

static cairn_status stack_of(struct cairn_export *data, uint32_t thread,
                             struct cairn_export_stack **stack)
{
    if (thread >= data->stack_count) {
        const size_t count = (size_t)thread + thread / 2 + 8;
        struct cairn_export_stack *const grown = realloc(data->stacks, count * sizeof *grown);

        if (!grown)
            return CAIRN_E_MEMORY;
        memset(grown + data->stack_count, 0, (count - data->stack_count) * sizeof *grown);
        data->stacks = grown;
        data->stack_count = count;
    }
    *stack = &data->stacks[thread];
    return CAIRN_OK;
}

static cairn_status enter_call(void *context, const struct cairn_call *call)
{
    struct cairn_export *const data = context;
    struct cairn_export_stack *stack;
    cairn_status status = stack_of(data, call->thread, &stack);

    if (!status)
        status = cairn_grow((void **)&stack->list, stack->count, &stack->room, sizeof *stack->list);
    if (!status)
        stack->list[stack->count++] = ++data->call_count;
    return status;
}

/* A call is written when it ends, under the number that it had from its beginning: where there is no room for all,
 * those that began first are there, and so those that they are inside of. */
static cairn_status leave_call(void *context, const struct cairn_call *call)
{
    struct cairn_export *const data = context;
    struct cairn_calls_thread text = {.size = sizeof text};
    struct cairn_export_stack *stack;
    uint32_t thread = 0, function = 0;
    cairn_status status = stack_of(data, call->thread, &stack);

    if (status || !stack->count)
        return status;
    const uint64_t id = stack->list[--stack->count];
    const uint64_t parent = stack->count ? stack->list[stack->count - 1] : 0;
    if (!data->wanted[CAIRN_EXPORT_CALLS])
        return CAIRN_OK;
    if (data->most && id > data->most) {
        data->left_out[CAIRN_EXPORT_CALLS]++;
        return CAIRN_OK;
    }
    (void)cairn_calls_thread(data->profile.calls, call->thread, &text);
    if (!text.others)
        status = cairn_export_thread_of(data, data->source, text.vmid, text.context_id, &thread);
    if (!status)
        status = cairn_export_function_of(data, call->function, &function);
    if (status)
        return status;
    const bool is_taken = call->kind == CAIRN_CALL_EXCEPTION || call->kind == CAIRN_CALL_SIGNAL;
    const struct cairn_export_value values[] = {
        cairn_export_number(id),
        cairn_export_number(data->source),
        cairn_export_thread_id(data, thread),
        cairn_export_number_if(parent != 0, parent),
        cairn_export_number(text.stack),
        cairn_export_number(call->depth),
        cairn_export_function_id(data, function),
        cairn_export_word(kind_word(call->kind)),
        cairn_export_word(ending_word(call->end)),
        cairn_export_word(is_taken ? cairn_exception_name(data->config, call->exception) : NULL),
        cairn_export_number_if(call->address != 0, call->address),
        cairn_export_number_if(call->site != 0, call->site),
        cairn_export_number_if(call->return_address != 0, call->return_address),
        cairn_export_number(call->began.executed),
        cairn_export_number(call->ended.executed),
        cairn_export_number(call->ended.instructions - call->began.instructions),
        cycles_of(call->began.total_cycles),
        cycles_of(call->ended.total_cycles),
        cairn_export_number_if(call->ended.total_cycles != 0,
                               call->ended.cycles - call->began.cycles),
        time_of(call->began.timestamp),
        time_of(call->ended.timestamp),
    };
    data->rows[CAIRN_EXPORT_CALLS]++;
    status = data->writer.row(data->writer.context, CAIRN_EXPORT_CALLS, values, COUNT(values));
    data->is_failed |= status != CAIRN_OK;
    return status;
}

/* --- records --- */

static cairn_status end_gap(struct cairn_export *data)
{
    const struct cairn_export_gap gap = data->gap;

    if (gap.packets == 0)
        return CAIRN_OK;
    data->gap.packets = 0;
    const bool has_address = gap.account == CAIRN_GAP_NO_IMAGE || gap.address != 0;
    const struct cairn_export_value values[] = {
        cairn_export_number(data->rows[CAIRN_EXPORT_GAPS] + 1),
        cairn_export_number(data->source),
        cairn_export_thread_id(data, gap.thread),
        cairn_export_number(gap.at),
        cairn_export_word(cairn_account_word(gap.account)),
        cairn_export_number(gap.bytes),
        cairn_export_number(gap.packets),
        cairn_export_number_if(has_address, gap.address),
        cairn_export_number(gap.offset),
        cairn_export_number_if(gap.file_offset != UINT64_MAX, gap.file_offset),
        cycles_of(gap.cycles),
        time_of(gap.timestamp),
    };

    return cairn_export_row(data, CAIRN_EXPORT_GAPS, values, COUNT(values));
}

static cairn_status take_gap(struct cairn_export *data, const struct cairn_flow_batch *batch,
                             size_t i)
{
    struct cairn_export_gap *const gap = &data->gap;

    if (gap->packets && gap->account == batch->value[i] && gap->end == batch->offset[i] &&
        gap->address == batch->address[i]) {
        gap->packets++;
        gap->bytes += batch->length[i];
        gap->end += batch->length[i];
        return CAIRN_OK;
    }
    const cairn_status status = end_gap(data);
    *gap = (struct cairn_export_gap){
        .account = (uint32_t)batch->value[i],
        .thread = data->has_context || data->at ? data->thread : 0,
        .at = data->at,
        .offset = batch->offset[i],
        .end = batch->offset[i] + batch->length[i],
        .file_offset = cairn_pipeline_file_offset(data->pipeline, batch->offset[i]),
        .address = batch->address[i],
        .bytes = batch->length[i],
        .packets = 1,
        .cycles = data->cycles,
        .timestamp = data->timestamp,
    };
    return status;
}

static cairn_status take_exception(struct cairn_export *data, const struct cairn_flow_batch *batch,
                                   size_t i)
{
    const bool has_return = !(batch->flags[i] & CAIRN_FLOW_UNKNOWN);
    const struct cairn_export_value values[] = {
        cairn_export_number(data->rows[CAIRN_EXPORT_EXCEPTIONS] + 1),
        cairn_export_number(data->source),
        thread_now(data),
        cairn_export_number(data->at),
        cairn_export_number(batch->value[i]),
        cairn_export_word(cairn_exception_name(data->config, (unsigned)batch->value[i])),
        cairn_export_number_if(has_return, batch->address[i]),
        cairn_export_number(batch->offset[i]),
        cycles_of(data->cycles),
        time_of(data->timestamp),
    };

    return cairn_export_row(data, CAIRN_EXPORT_EXCEPTIONS, values, COUNT(values));
}

static cairn_status take_event(struct cairn_export *data, const struct cairn_flow_batch *batch,
                               size_t i)
{
    const enum cairn_flow_kind kind = (enum cairn_flow_kind)batch->kind[i];
    const bool is_unknown = batch->flags[i] & CAIRN_FLOW_UNKNOWN;
    bool has_value = false, has_address = false;
    const char *meaning = NULL;

    switch (kind) {
    case CAIRN_FLOW_TIMESTAMP:
    case CAIRN_FLOW_Q: has_value = !is_unknown; break;
    case CAIRN_FLOW_EVENT:
    case CAIRN_FLOW_TRANSACTION_FAILURE: has_value = true; break;
    case CAIRN_FLOW_INSTRUMENTATION: has_value = has_address = true; break;
    case CAIRN_FLOW_WARNING:
        has_value = has_address = true;
        meaning = cairn_flow_warning_text((unsigned)batch->value[i]);
        break;
    default: break;
    }
    const struct cairn_export_value values[] = {
        cairn_export_number(data->rows[CAIRN_EXPORT_EVENTS] + 1),
        cairn_export_number(data->source),
        thread_now(data),
        cairn_export_number(data->at),
        cairn_export_word(cairn_flow_kind_name(kind)),
        cairn_export_number_if(has_value, batch->value[i]),
        cairn_export_number_if(has_address, batch->address[i]),
        cairn_export_word(meaning),
        cairn_export_number(batch->offset[i]),
        cycles_of(data->cycles),
        time_of(data->timestamp),
    };

    return cairn_export_row(data, CAIRN_EXPORT_EVENTS, values, COUNT(values));
}

static cairn_status take_range(struct cairn_export *data, const struct cairn_flow_batch *batch,
                               size_t i)
{
    const uint64_t at = data->at;
    const unsigned flags = batch->flags[i];
    uint32_t binary = 0, function = 0;

    data->at += batch->instructions[i];
    if (!data->wanted[CAIRN_EXPORT_RANGES])
        return CAIRN_OK;
    if (data->most && data->rows[CAIRN_EXPORT_RANGES] >= data->most) {
        data->left_out[CAIRN_EXPORT_RANGES]++;
        return CAIRN_OK;
    }
    data->place.offset = batch->offset[i];
    const cairn_status status =
        cairn_export_spot_of(data, &data->place, batch->address[i], &binary, &function);
    if (status)
        return status;
    const bool has_EL =
        data->has_context && ((data->tells & CAIRN_TELLS_EL) || data->place.EL != 0);
    const bool has_security = data->has_context && (data->tells & CAIRN_TELLS_SECURITY);
    const struct cairn_export_value values[] = {
        cairn_export_number(data->rows[CAIRN_EXPORT_RANGES] + 1),
        cairn_export_number(data->source),
        cairn_export_thread_id(data, data->thread),
        cairn_export_number(at),
        cairn_export_number(batch->address[i]),
        cairn_export_number(batch->value[i]),
        cairn_export_number(batch->instructions[i]),
        cairn_export_word(cairn_isa_name((enum cairn_isa)batch->isa[i])),
        cairn_export_number_if(flags & CAIRN_FLOW_P0, (flags & CAIRN_FLOW_TAKEN) != 0),
        cairn_export_number_if(has_EL, data->place.EL),
        cairn_export_word(has_security ? cairn_security_name(data->place.security) : NULL),
        cairn_export_binary_id(data, binary),
        cairn_export_function_id(data, function),
        cairn_export_number(batch->offset[i]),
        cycles_of(data->cycles),
        time_of(data->timestamp),
    };

    return cairn_export_row(data, CAIRN_EXPORT_RANGES, values, COUNT(values));
}

static cairn_status choose_thread(struct cairn_export *data, uint64_t address, uint32_t *thread)
{
    const struct cairn_context context = cairn_flow_context(address, 0);

    return cairn_export_thread_of(data, data->source, context.vmid, context.context_id, thread);
}

static cairn_status take_record(struct cairn_export *data, const struct cairn_flow_batch *batch,
                                size_t i)
{
    cairn_status status = CAIRN_OK;

    if (batch->kind[i] == CAIRN_FLOW_GAP)
        return take_gap(data, batch, i);
    /* gaps next to each other with no instructions between are one row, whatever else was told there */
    if (batch->kind[i] == CAIRN_FLOW_RANGE && data->gap.packets)
        status = end_gap(data);
    if (status)
        return status;
    switch ((enum cairn_flow_kind)batch->kind[i]) {
    case CAIRN_FLOW_RANGE: return batch->instructions[i] ? take_range(data, batch, i) : CAIRN_OK;
    case CAIRN_FLOW_EXCEPTION: return take_exception(data, batch, i);
    case CAIRN_FLOW_CONTEXT:
        data->place =
            cairn_flow_place(data->source, batch->offset[i], batch->address[i], batch->value[i]);
        data->has_context = true;
        return choose_thread(data, batch->address[i], &data->thread);
    case CAIRN_FLOW_CYCLES: data->cycles = batch->address[i]; return CAIRN_OK;
    case CAIRN_FLOW_SYNC:
    case CAIRN_FLOW_DATA: return CAIRN_OK;
    case CAIRN_FLOW_TIMESTAMP:
        if (!(batch->flags[i] & CAIRN_FLOW_UNKNOWN)) {
            data->timestamp = batch->value[i];
            if (!data->first_timestamp)
                data->first_timestamp = batch->value[i];
        }
        break;
    default: break;
    }
    return take_event(data, batch, i);
}

/* Between two batches: each has been told to all or to nobody, so that sums fit together. */
static bool is_stopped(const struct cairn_export *data)
{
    return data->is_stopped && data->is_stopped();
}

static cairn_status take_records(void *context, const struct cairn_flow_batch *batch)
{
    struct cairn_export *const data = context;
    cairn_status status = CAIRN_OK;

    if (!data->has_words && is_stopped(data))
        return CAIRN_E_LIMIT;
    for (size_t i = 0; i < batch->count && !status; i++)
        status = take_record(data, batch, i);
    return status;
}

/* The threads of a batch get their numbers before its calls are told. */
static cairn_status look_ahead(void *context, const struct cairn_word_batch *batch)
{
    struct cairn_export *const data = context;
    cairn_status status = is_stopped(data) ? CAIRN_E_LIMIT : CAIRN_OK;

    data->has_words = true;
    for (size_t i = 0; i < batch->event_count && !status; i++) {
        const struct cairn_word_event *const event = cairn_word_event_at(batch, i);

        if (event->kind == CAIRN_FLOW_CONTEXT)
            status = choose_thread(data, event->address, &data->seen_thread);
    }
    return status;
}

/* --- sources --- */

cairn_status cairn_export_begin(struct cairn_export *data)
{
    struct cairn_image *const image = cairn_capture_image(data->capture);

    data->sink = (struct cairn_calls_sink){
        .size = sizeof data->sink, .context = data, .enter = enter_call, .leave = leave_call};
    data->profile.has_calls = true;
    data->profile.also = &data->sink;
    data->naming = cairn_naming_new();
    data->coverage.of_program = data->of_program;
    cairn_status status = cairn_space_new(image, &data->space);
    if (!status)
        status = cairn_profile_begin(&data->profile, image);
    if (!status)
        status = cairn_coverage_capture(&data->coverage, image);
    return status;
}

cairn_status cairn_export_source(struct cairn_export *data, const struct cairn_source_info *info,
                                 struct cairn_pipeline *pipeline)
{
    const struct cairn_consumer records = {
        .size = sizeof records, .context = data, .words = look_ahead, .events = take_records};
    struct cairn_config *const config = cairn_pipeline_config(pipeline);

    data->pipeline = pipeline;
    data->config = config;
    data->tells = cairn_config_tells(config);
    data->source = cairn_config_source(config);
    data->has_context = data->has_words = false;
    data->place = (struct cairn_place){.source = data->source};
    data->at = data->cycles = data->timestamp = data->first_timestamp = 0;
    data->gap = (struct cairn_export_gap){0};
    cairn_status status = cairn_export_thread_of(data, data->source, 0, 0, &data->first_thread);
    data->thread = data->seen_thread = data->first_thread;
    if (!status)
        status = cairn_pipeline_add(pipeline, &records);
    if (!status)
        status = cairn_profile_add(&data->profile, info->name, pipeline);
    if (!status)
        status = cairn_coverage_begin(&data->coverage, "", info->name, pipeline);
    if (!status && data->wanted[CAIRN_EXPORT_JUMPS]) {
        status = cairn_counted_new(cairn_capture_image(data->capture), config, &data->counted);
        if (!status) {
            const struct cairn_consumer counts = cairn_counted_consumer(data->counted);

            status = cairn_pipeline_add(pipeline, &counts);
        }
    }
    return status;
}

static cairn_status write_accounts(struct cairn_export *data, size_t source,
                                   const struct cairn_ledger *ledger)
{
    cairn_status status = CAIRN_OK;

    for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS && !status; i++) {
        if (!ledger->account[i].bytes && !ledger->account[i].packets && !ledger->lost[i])
            continue;
        const struct cairn_export_value values[] = {
            cairn_export_number(source),
            cairn_export_word(cairn_account_word(i)),
            cairn_export_number(CAIRN_ACCOUNT_IS_GAP(i)),
            cairn_export_number(ledger->account[i].bytes),
            cairn_export_number(ledger->account[i].packets),
            /* counts tell whether there were any */
            cairn_export_number_if(data->capture || !ledger->lost[i], ledger->lost[i]),
        };

        status = cairn_export_row(data, CAIRN_EXPORT_ACCOUNTS, values, COUNT(values));
    }
    return status;
}

cairn_status cairn_export_source_row(struct cairn_export *data, size_t source,
                                     const struct cairn_source_info *info,
                                     const struct cairn_export_outcome *outcome)
{
    const bool is_there = outcome->ledger != NULL;
    const struct cairn_export_value values[] = {
        cairn_export_number(source),
        cairn_export_text(info->name ? info->name : ""),
        cairn_export_text(info->core),
        cairn_export_text(info->core_type),
        cairn_export_word(cairn_protocol_name(info->protocol)),
        cairn_export_number_if(info->trace_id >= 0, (uint64_t)info->trace_id),
        cairn_export_word(outcome->state),
        cairn_export_number_if(is_there, data->at),
        is_there ? cycles_of(data->cycles) : cairn_export_word(NULL),
        is_there ? time_of(data->first_timestamp) : cairn_export_word(NULL),
        is_there ? time_of(data->timestamp) : cairn_export_word(NULL),
        cairn_export_number_if(is_there, is_there ? outcome->ledger->total : 0),
        cairn_export_number_if(is_there, outcome->lost_bytes),
        cairn_export_text(data->capture_name),
    };
    const cairn_status status = cairn_export_row(data, CAIRN_EXPORT_SOURCES, values, COUNT(values));

    return status || !is_there ? status : write_accounts(data, source, outcome->ledger);
}

cairn_status cairn_export_source_end(struct cairn_export *data,
                                     const struct cairn_source_info *info,
                                     const struct cairn_export_outcome *outcome)
{
    cairn_status status = end_gap(data);
    cairn_status other = cairn_export_source_row(data, data->source, info, outcome);

    for (size_t i = 0; i < data->stack_count; i++)
        free(data->stacks[i].list);
    free(data->stacks);
    data->stacks = NULL;
    data->stack_count = 0;
    status = status ? status : other;
    other = cairn_profile_added(&data->profile);
    status = status ? status : other;
    other = cairn_coverage_end(&data->coverage, outcome->ledger, outcome->lost_bytes);
    status = status ? status : other;
    if (data->counted && !status)
        status = cairn_export_add_jumps(data);
    cairn_counted_free(data->counted);
    data->counted = NULL;
    data->pipeline = NULL;
    return status;
}

/* --- the end --- */

cairn_status cairn_export_meta(struct cairn_export *data, const char *key, const char *value)
{
    const struct cairn_export_value values[] = {cairn_export_word(key), cairn_export_text(value)};

    return cairn_export_row(data, CAIRN_EXPORT_META, values, COUNT(values));
}

cairn_status cairn_export_end(struct cairn_export *data)
{
    cairn_status status = cairn_export_counts(data);

    for (unsigned i = 0; i < CAIRN_EXPORT_TABLES && !status; i++) {
        /* the list is one of the tables that it tells of */
        const uint64_t rows =
            i == CAIRN_EXPORT_CONTENTS ? (uint64_t)CAIRN_EXPORT_TABLES : data->rows[i];
        const struct cairn_export_value values[] = {
            cairn_export_word(cairn_export_schemas[i].name), cairn_export_number(data->wanted[i]),
            cairn_export_number(rows), cairn_export_number(data->left_out[i])};

        status = cairn_export_row(data, CAIRN_EXPORT_CONTENTS, values, COUNT(values));
    }
    return status ? status : data->writer.finish(data->writer.context);
}

void cairn_export_free(struct cairn_export *data)
{
    for (size_t i = 0; i < data->stack_count; i++)
        free(data->stacks[i].list);
    free(data->stacks);
    free(data->spots);
    free(data->binaries);
    free(data->functions);
    free(data->threads);
    free(data->function_of);
    free(data->jumps);
    cairn_table_clear(&data->by_path);
    cairn_table_clear(&data->by_function);
    cairn_table_clear(&data->by_thread);
    cairn_table_clear(&data->by_id);
    cairn_table_clear(&data->by_binary_id);
    cairn_counted_free(data->counted);
    cairn_profile_free(&data->profile);
    cairn_coverage_free(&data->coverage);
    cairn_naming_free(data->naming);
    cairn_space_free(data->space);
    cairn_arena_free(&data->arena);
}
