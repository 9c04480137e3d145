/* SPDX-License-Identifier: BSD-2-Clause */
/* Sources that the hot loop is not for, since Atoms may be taken back or packets of another kind
 * stand between most of them: the protocol's scan resolves them into tokens, a batch at a time, and
 * these are taken in order, from the first byte to the last. What the loop over the tokens does not
 * do itself goes to the follower of the reference path. */
#include "flow/scanned.h"

#include "flow/engine.h"
#include "flow/follow.h"

#include <stdlib.h>

enum {
    TOKENS = 4096,
    TOKENS_FEW = 96,    /* of a scan for what stands between bytes, */
    TOKENS_MANY = 1024, /* and where that is not rare */
    BRANCH_TOKENS = 16, /* the same of P-headers and branch packets: these are taken without the
                           scan again as soon as it stands */
    DATA = 1024,
};

cairn_status cairn_scanned_begin(struct cairn_engine *engine)
{
    const struct cairn_protocol *protocol = engine->config->protocol;
    struct cairn_scanned *scanned = &engine->scanned;
    struct cairn_scan_batch *tokens = &scanned->tokens;

    tokens->capacity = TOKENS;
    tokens->data_capacity = DATA;
    tokens->token = malloc(TOKENS * sizeof *tokens->token); /* a short trace fills little of it */
    tokens->data = malloc(DATA * sizeof *tokens->data);
    if (!tokens->token || !tokens->data)
        return CAIRN_E_MEMORY;
    scanned->has_bytes =
        cairn_scanned_has_branches(scanned) ||
        (engine->can_be_hot && protocol->hot_cycles(engine->config, &scanned->cycles));
    scanned->few = TOKENS;
    scanned->many = TOKENS;
    if (cairn_scanned_has_branches(scanned)) {
        scanned->few = BRANCH_TOKENS;
        scanned->many = BRANCH_TOKENS;
    } else if (scanned->has_bytes) {
        scanned->few = TOKENS_FEW;
        scanned->many = TOKENS_MANY;
    }
    tokens->capacity = scanned->many;
    engine->turn = CAIRN_TURN_TAKE;
    return protocol->scan_new(engine->config, &scanned->scan);
}

void cairn_scanned_end(struct cairn_engine *engine)
{
    struct cairn_scanned *scanned = &engine->scanned;

    if (scanned->scan)
        engine->config->protocol->scan_free(scanned->scan);
    free(scanned->tokens.token);
    free(scanned->tokens.data);
}

cairn_status cairn_scanned_rewind(struct cairn_engine *engine)
{
    struct cairn_scanned *scanned = &engine->scanned;
    const struct cairn_protocol *protocol = engine->config->protocol;
    void *scan;
    cairn_status status;

    if (!scanned->scan)
        return CAIRN_OK;
    status = protocol->scan_new(engine->config, &scan);
    if (status != CAIRN_OK)
        return status;
    protocol->scan_free(scanned->scan);
    *scanned = (struct cairn_scanned){.scan = scan,
                                      .tokens = scanned->tokens,
                                      .cycles = scanned->cycles,
                                      .has_bytes = scanned->has_bytes,
                                      .branches = scanned->branches,
                                      .waits = scanned->waits,
                                      .waypoints = scanned->waypoints,
                                      .narrow = scanned->narrow,
                                      .few = scanned->few,
                                      .many = scanned->many};
    scanned->tokens.count = 0;
    scanned->tokens.data_count = 0;
    engine->turn = CAIRN_TURN_TAKE;
    cairn_engine_to_lane(engine);
    return CAIRN_OK;
}

/* --- through the follower --- */

/* Puts Atoms of a token up to be followed, or what else it is. */
static void put_up(struct cairn_element_batch *elements, const struct cairn_scan_batch *tokens,
                   const struct cairn_token *token, unsigned skip, unsigned count)
{
    const bool atom = token->kind == CAIRN_ELEMENT_ATOM;
    unsigned flags = token->flags & ~CAIRN_TOKEN_ODD;

    for (unsigned i = 0; i < count; i++) {
        const size_t n = elements->count++;

        if (atom && !(token->flags & CAIRN_TOKEN_ODD)) {
            flags = token->flags;
            if ((token->value >> (skip + i)) & 1)
                flags |= CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E;
        }
        elements->offset[n] = token->offset + (atom ? cairn_token_apart(token) * (skip + i) : 0);
        elements->length[n] = token->length;
        elements->kind[n] = token->kind;
        elements->flags[n] = (uint16_t)flags;
        elements->data[n] = cairn_token_data(tokens, token);
    }
}

/* Whether the lane can stand for the follower. It does not know ITSTATE. */
bool cairn_scanned_fits_lane(const struct cairn_flow *flow)
{
    return flow->context_known && !flow->q.pending && !flow->config->rules.any_source;
}

/* What the loop has to do with; the rest it would only hand over again. */
static bool is_for_loop(const struct cairn_token *token)
{
    switch (token->kind) {
    case CAIRN_ELEMENT_ATOM:
    case CAIRN_ELEMENT_TARGET_ADDRESS:
    case CAIRN_ELEMENT_CYCLE_COUNT:
    case CAIRN_ELEMENT_TIMESTAMP:
    case CAIRN_ELEMENT_TIMESTAMP_MARKER:
    case CAIRN_ELEMENT_EVENT: return true;
    default: return false;
    }
}

/* Puts tokens up to be followed, from the one at hand on: up to the next that is for the loop, or,
 * where the loop cannot be until an address or a context came, up to that. `lost`: it cannot. */
static void put_up_tokens(struct cairn_engine *engine, bool lost)
{
    struct cairn_scanned *scanned = &engine->scanned;
    const struct cairn_scan_batch *tokens = &scanned->tokens;
    struct cairn_element_batch *elements = engine->elements;
    bool first = true;

    while (scanned->next < tokens->count &&
           elements->capacity - elements->count >= CAIRN_TOKEN_ATOMS) {
        const struct cairn_token *token = &tokens->token[scanned->next];
        const unsigned count = token->kind == CAIRN_ELEMENT_ATOM ? token->count - scanned->skip : 1;

        if (!first && !lost && is_for_loop(token))
            break;
        put_up(elements, tokens, token, scanned->skip, count);
        scanned->next++;
        scanned->skip = 0;
        first = false;
        if (lost &&
            (token->kind == CAIRN_ELEMENT_TARGET_ADDRESS || token->kind == CAIRN_ELEMENT_CONTEXT))
            break;
    }
}

static void begin_following(struct cairn_engine *engine)
{
    engine->elements->count = 0;
    engine->element_at = 0;
    engine->turn = CAIRN_TURN_FOLLOW;
    cairn_engine_from_lane(engine);
}

static void follow_tokens(struct cairn_engine *engine)
{
    const bool lost =
        engine->lane.code == CAIRN_CODE_LOST || !cairn_scanned_fits_lane(engine->levels->flow);

    begin_following(engine);
    put_up_tokens(engine, lost);
}

static void follow_atom(struct cairn_engine *engine)
{
    struct cairn_scanned *scanned = &engine->scanned;
    const struct cairn_token *token = &scanned->tokens.token[scanned->next];

    begin_following(engine);
    put_up(engine->elements, &scanned->tokens, token, scanned->skip, 1);
    if (++scanned->skip == token->count) {
        scanned->skip = 0;
        scanned->next++;
    }
}

/* --- the tokens --- */

struct cairn_scanned_job cairn_scanned_job_of(struct cairn_engine *engine)
{
    const struct cairn_flow *flow = engine->levels->flow;
    const bool counting = (engine->options.flags & CAIRN_ENGINE_COUNTS) != 0;
    const bool selected = engine->view && flow->space_current &&
                          engine->view_generation == flow->generation &&
                          engine->view->SF == flow->context.SF;

    return (struct cairn_scanned_job){
        .memo = selected ? &engine->view->memo : NULL,
        .builder = {.dictionary = engine->dictionary,
                    .blocks = &engine->blocks,
                    .bits = engine->table.bits,
                    .return_stack = engine->config->rules.return_stack,
                    .pop_first = engine->config->rules.pop_first},
        .out = engine->out,
        .flow = engine->levels->flow,
        .from = selected ? flow->selected_from : UINT64_MAX,
        .span = selected ? flow->selected_until - flow->selected_from : 0,
        .counting = counting,
        .listing = !counting && !(engine->options.flags & CAIRN_ENGINE_NO_PACKETS),
    };
}

void cairn_scanned_end_dictionary(struct cairn_engine *engine, bool *again)
{
    engine->out->dictionary_ends = true;
    engine->stuck = true;
    *again = false;
}

/* Takes the tokens at hand as far as the batch has room and nothing is to be followed. `*again`
 * false: it has none, or the dictionary. */
static cairn_status take(struct cairn_engine *engine, bool *again)
{
    struct cairn_scanned *scanned = &engine->scanned;
    struct cairn_flow *flow = engine->levels->flow;
    const size_t next = scanned->next;
    struct cairn_scanned_job job;
    enum cairn_scanned_stop stop;

    if (!cairn_scanned_fits_lane(flow)) {
        follow_tokens(engine);
        return CAIRN_OK;
    }
    engine->dictionary->full = false;
    job = cairn_scanned_job_of(engine);
    stop = cairn_scanned_take(scanned, &engine->lane, &job);
    engine->statistics.misses += job.misses;
    if (scanned->next > next)
        engine->stuck = false;
    switch (stop) {
    case CAIRN_SCANNED_TOKENS: break;
    case CAIRN_SCANNED_ROOM: *again = false; break;
    case CAIRN_SCANNED_FULL:
        if (engine->stuck) { /* there is no room for it in an empty dictionary either */
            follow_atom(engine);
            break;
        }
        cairn_scanned_end_dictionary(engine, again);
        break;
    case CAIRN_SCANNED_TOKEN: follow_tokens(engine); break;
    case CAIRN_SCANNED_ATOM: follow_atom(engine); break;
    case CAIRN_SCANNED_SELECT: {
        const struct cairn_token *token = &scanned->tokens.token[scanned->next];

        flow->offset = token->offset + cairn_token_apart(token) * scanned->skip;
        return cairn_engine_select(engine);
    }
    }
    return CAIRN_OK;
}

/* --- the scan --- */

/* Moves what the scan has counted since into the engine's ledger, in which bytes may have gone to
 * other accounts already. */
void cairn_scanned_count(struct cairn_engine *engine)
{
    struct cairn_scanned *scanned = &engine->scanned;
    struct cairn_ledger *ledger = &engine->levels->ledger;
    const struct cairn_scan_ledger *now = engine->config->protocol->scan_ledger(scanned->scan);

    ledger->total += now->total - scanned->counted.total;
    for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS; i++) {
        ledger->account[i].bytes += now->account[i].bytes - scanned->counted.account[i].bytes;
        ledger->account[i].packets += now->account[i].packets - scanned->counted.account[i].packets;
    }
    scanned->counted = *now;
}

static void empty(struct cairn_scanned *scanned)
{
    scanned->next = 0;
    scanned->skip = 0;
    scanned->tokens.count = 0;
    scanned->tokens.data_count = 0;
}

cairn_status cairn_scanned_run(struct cairn_engine *engine, size_t *position, bool *again)
{
    struct cairn_scanned *scanned = &engine->scanned;
    struct cairn_scan_batch *tokens = &scanned->tokens;
    cairn_status status;

    if (scanned->next < tokens->count)
        return take(engine, again);
    /* The caller comes again while its position is before the end: there may be tokens then. */
    if (!scanned->under_way)
        scanned->taken = *position;
    else if (scanned->taken < engine->size && scanned->taken > *position)
        *position = scanned->taken;
    empty(scanned);
    scanned->under_way = true;
    if (scanned->has_bytes && !scanned->by_scan) {
        bool went;

        status = cairn_scanned_has_branches(scanned)
                     ? cairn_scanned_past_branches(engine, again, &went)
                     : cairn_scanned_past_bytes(engine, again, &went);
        if (status != CAIRN_OK || went)
            return status;
    }
    const size_t before = scanned->taken;

    scanned->by_scan = false;
    status = engine->config->protocol->scan_run(scanned->scan, engine->data, engine->size,
                                                &scanned->taken, tokens);
    engine->offset += scanned->taken - before;
    engine->statistics.scanned_bytes += scanned->taken - before;
    cairn_scanned_count(engine);
    if (tokens->count == 0 && scanned->taken == engine->size) {
        *position = engine->size;
        scanned->under_way = false;
        *again = false;
    }
    return status;
}

cairn_status cairn_scanned_finish(struct cairn_engine *engine, bool *again)
{
    struct cairn_scanned *scanned = &engine->scanned;
    cairn_status status;

    if (scanned->next < scanned->tokens.count)
        return take(engine, again);
    empty(scanned);
    status = engine->config->protocol->scan_finish(scanned->scan, &scanned->tokens);
    cairn_scanned_count(engine);
    if (status != CAIRN_OK || scanned->tokens.count > 0)
        return status;
    cairn_engine_from_lane(engine);
    status = cairn_flow_finish(engine->levels->flow, engine->records);
    if (engine->records->count == 0)
        *again = false;
    cairn_engine_to_lane(engine);
    return status;
}
