/* SPDX-License-Identifier: BSD-2-Clause */
#include "said.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    CHUNK_MOST = 200,
    BATCH = 256,
};

struct listener {
    const struct trip_program *program;
    struct trip_said *said;
    unsigned forgiven;
    bool announced;
    uint32_t last_op; /* behind the last instruction, if that is known */
};

static void complain(struct listener *l, const char *what, uint64_t offset, uint64_t address)
{
    if (!l->said->problem[0])
        snprintf(l->said->problem, sizeof l->said->problem,
                 "%s at offset %" PRIu64 ", address %" PRIx64, what, offset, address);
}

static struct trip_said_entry *add(struct listener *l, unsigned kind)
{
    struct trip_said *said = l->said;
    struct trip_said_entry *entry = &said->entries[said->count];

    if (said->count < TRIP_SAID_MAX - 1)
        said->count++;
    else
        complain(l, "more than could have been executed", 0, 0);
    *entry = (struct trip_said_entry){.kind = (uint8_t)kind,
                                      .announced = l->announced,
                                      .op = TRIP_NO_OP,
                                      .context = said->context_count - 1};
    l->announced = false;
    return entry;
}

static void add_range(struct listener *l, const struct cairn_flow_batch *batch, size_t i)
{
    const uint64_t end = batch->value[i];
    const unsigned flags = batch->flags[i];
    const unsigned last = !(flags & CAIRN_FLOW_P0)     ? TRIP_PLAIN
                          : (flags & CAIRN_FLOW_TAKEN) ? TRIP_TAKEN
                                                       : TRIP_NOT_TAKEN;
    uint64_t address = batch->address[i];

    while (address < end) {
        const uint32_t op = trip_program_find(l->program, address, (enum cairn_isa)batch->isa[i]);
        struct trip_said_entry *entry;

        if (op == TRIP_NO_OP) {
            complain(l, "an instruction that the program has not", batch->offset[i], address);
            return;
        }
        address += trip_op(l->program, op)->size;
        entry = add(l, address >= end ? last : TRIP_PLAIN);
        entry->op = op;
        entry->transaction = flags & CAIRN_FLOW_TRANSACTION;
    }
}

static void add_value(struct listener *l, struct trip_said_value *values, uint32_t *count,
                      uint64_t value)
{
    if (*count == TRIP_SAID_VALUES) {
        complain(l, "more values than could have been told", 0, 0);
        return;
    }
    values[(*count)++] = (struct trip_said_value){
        .value = value, .entry = l->said->count, .event = l->said->event_count};
}

static void set_context(struct listener *l, uint64_t ids, uint64_t state)
{
    struct trip_said *said = l->said;

    if (said->context_count == TRIP_SAID_MAX) {
        complain(l, "more contexts than could have been told", 0, 0);
        return;
    }
    said->contexts[said->context_count++] = (struct cairn_context){.EL = state & 3,
                                                                   .security = (state >> 2) & 3,
                                                                   .SF = (state >> 4) & 1,
                                                                   .vmid = (uint32_t)(ids >> 32),
                                                                   .context_id = (uint32_t)ids};
}

/* The youngest branch may be told wrong. */
static void lose(struct listener *l)
{
    struct trip_said *said = l->said;

    l->announced = true;
    if (said->count > 0 && (said->entries[said->count - 1].kind == TRIP_TAKEN ||
                            said->entries[said->count - 1].kind == TRIP_NOT_TAKEN))
        said->entries[said->count - 1].uncertain = true;
}

static bool is_gap_forgiven(const struct listener *l, uint64_t account)
{
    switch ((enum cairn_account)account) {
    case CAIRN_GAP_OVERFLOW:
    case CAIRN_GAP_DISCARD:
    case CAIRN_GAP_UNRESOLVED: return l->forgiven & TRIP_MAY_LOSE;
    case CAIRN_GAP_NO_ADDRESS:
    case CAIRN_GAP_RETURN_STACK: return l->forgiven & TRIP_MAY_BEGIN_LATE;
    default: return false;
    }
}

static bool is_warning_forgiven(const struct listener *l, uint64_t warning)
{
    switch ((enum cairn_flow_warning)warning) {
    case CAIRN_WARNING_IMPRECISE: return true; /* System Error, Debug halt */
    case CAIRN_WARNING_UNCERTAIN: return l->forgiven & TRIP_MAY_LOSE;
    case CAIRN_WARNING_STALE_RETURN: return l->forgiven & TRIP_MAY_LOSE;
    default: return l->forgiven & TRIP_MAY_BEGIN_LATE;
    }
}

static void hear_exception(struct listener *l, const struct cairn_flow_batch *batch, size_t i)
{
    struct trip_said_entry *entry = add(l, TRIP_EXCEPT);

    entry->type = (uint16_t)batch->value[i];
    entry->value = batch->flags[i] & CAIRN_FLOW_UNKNOWN ? 0 : batch->address[i];
}

static void hear(struct listener *l, const struct cairn_flow_batch *batch, size_t i)
{
    struct trip_said *said = l->said;
    const uint64_t value = batch->flags[i] & CAIRN_FLOW_UNKNOWN ? 0 : batch->value[i];

    switch ((enum cairn_flow_kind)batch->kind[i]) {
    case CAIRN_FLOW_RANGE: add_range(l, batch, i); break;
    case CAIRN_FLOW_CONTEXT: set_context(l, batch->address[i], batch->value[i]); break;
    case CAIRN_FLOW_EXCEPTION: hear_exception(l, batch, i); break;
    case CAIRN_FLOW_TIMESTAMP: add_value(l, said->timestamps, &said->timestamp_count, value); break;
    case CAIRN_FLOW_CYCLES: add_value(l, said->cycles, &said->cycle_count, value); break;
    case CAIRN_FLOW_EVENT:
        if (said->event_count < TRIP_SAID_VALUES)
            said->events[said->event_count++] = (uint8_t)batch->value[i];
        break;
    case CAIRN_FLOW_Q:
        if (batch->flags[i] & CAIRN_FLOW_UNKNOWN)
            add(l, TRIP_SAID_Q)->value = batch->value[i];
        break;
    case CAIRN_FLOW_TRACE_ON: l->announced = true; break;
    case CAIRN_FLOW_OVERFLOW:
        lose(l);
        said->overflows++;
        break;
    case CAIRN_FLOW_DISCARD: lose(l); break;
    case CAIRN_FLOW_GAP:
        l->announced = true;
        if (!is_gap_forgiven(l, batch->value[i]))
            complain(l, cairn_account_name((enum cairn_account)batch->value[i]), batch->offset[i],
                     batch->address[i]);
        break;
    case CAIRN_FLOW_WARNING:
        if (!is_warning_forgiven(l, batch->value[i]))
            complain(l, cairn_flow_warning_text((unsigned)batch->value[i]), batch->offset[i],
                     batch->address[i]);
        break;
    case CAIRN_FLOW_SYNC: said->syncs++; break;
    default: break;
    }
}

static size_t hear_all(struct listener *l, struct cairn_flow_batch *batch)
{
    const size_t count = batch->count;

    for (size_t i = 0; i < count; i++)
        hear(l, batch, i);
    batch->count = 0;
    return count;
}

static cairn_status run(struct cairn_decoder *decoder, struct listener *l, const uint8_t *bytes,
                        size_t size, struct cairn_flow_batch *batch)
{
    size_t at = 0;
    cairn_status status;

    do {
        status = cairn_decoder_run(decoder, bytes, size, &at, batch);
    } while (status == CAIRN_OK && (hear_all(l, batch) > 0 || at < size));
    return status;
}

static cairn_status decode(struct cairn_decoder *decoder, struct listener *l, const uint8_t *bytes,
                           size_t size, struct peer_random *random, struct cairn_flow_batch *batch)
{
    const bool whole = peer_random_percent(random, 60);
    cairn_status status = CAIRN_OK;

    for (size_t from = 0, end; from < size && status == CAIRN_OK; from = end) {
        end = whole ? size : from + peer_random_range(random, 1, CHUNK_MOST);
        if (end > size)
            end = size;
        status = run(decoder, l, bytes + from, end - from, batch);
    }
    while (status == CAIRN_OK) {
        status = cairn_decoder_finish(decoder, batch);
        if (hear_all(l, batch) == 0)
            break;
    }
    return status;
}

/* Only what was lost or began late may be in a gap. */
static void check_ledger(struct listener *l, const struct cairn_ledger *ledger, size_t size)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS; i++) {
        sum += ledger->account[i].bytes;
        if (CAIRN_ACCOUNT_IS_GAP(i) && ledger->account[i].bytes > 0 && !is_gap_forgiven(l, i))
            complain(l, cairn_account_name((enum cairn_account)i), ledger->account[i].bytes, 0);
    }
    if (ledger->total != size || sum != size)
        complain(l, "the ledger does not add up", sum, ledger->total);
}

bool trip_decode(const struct trip_trace *trace, size_t from, const struct trip_program *program,
                 struct peer_random *random, unsigned forgiven, struct trip_said *said)
{
    static _Thread_local struct cairn_flow_batch *batch;
    struct listener l = {.program = program, .said = said, .forgiven = forgiven};
    struct cairn_decoder *decoder = NULL;

    memset(said, 0, offsetof(struct trip_said, entries));
    memset(&said->contexts[0], 0, sizeof said->contexts[0]);
    said->context_count = 1;
    said->problem[0] = '\0';
    if ((!batch && cairn_flow_batch_new(BATCH, &batch) != CAIRN_OK) ||
        cairn_decoder_new(trace->config, program->image, &decoder) != CAIRN_OK ||
        decode(decoder, &l, trace->bytes + from, trace->size - from, random, batch) != CAIRN_OK)
        complain(&l, "the decoder fails", 0, 0);
    else
        check_ledger(&l, cairn_decoder_ledger(decoder), trace->size - from);
    cairn_decoder_free(decoder);
    return !said->problem[0];
}
