/* SPDX-License-Identifier: BSD-2-Clause */
#include "walker.h"

#define NOP 0xd503201fu
#define RET 0xd65f03c0u
#define BLR_X1 0xd63f0020u
#define BR_X1 0xd61f0020u
#define ISB 0xd5033fdfu

uint32_t walk_random(struct walker *w, uint32_t below)
{
    w->seed ^= w->seed << 13;
    w->seed ^= w->seed >> 17;
    w->seed ^= w->seed << 5;
    return below ? w->seed % below : 0;
}

bool walk_chance(struct walker *w, unsigned percent)
{
    return walk_random(w, 100) < percent;
}

cairn_status walk_sink(void *walker, const uint8_t *bytes, size_t size)
{
    struct walker *w = walker;

    if (w->capacity - w->size < size) {
        w->capacity = 2 * (w->size + size);
        w->bytes = realloc(w->bytes, w->capacity);
        assert_non_null(w->bytes);
    }
    memcpy(w->bytes + w->size, bytes, size);
    w->size += size;
    return CAIRN_OK;
}

static uint64_t random_address(struct walker *w)
{
    return WALK_BASE + 4 * (uint64_t)walk_random(w, WALK_WORDS - 16);
}

static void make_program(struct walker *w)
{
    uint8_t bytes[4 * WALK_WORDS];
    const struct cairn_scope any = cairn_scope_any();

    for (uint32_t i = 0; i < WALK_WORDS; i++) {
        const uint32_t kind = i >= WALK_WORDS - 16 ? 99 : walk_random(w, 30);
        const int32_t offset = (int32_t)walk_random(w, WALK_WORDS - 16) - (int32_t)i;
        uint32_t word = NOP;

        if (i == WALK_WORDS - 1 || kind == 0)
            word = 0x14000000u | ((uint32_t)offset & 0x3ffffffu); /* B */
        else if (kind <= 2)
            word = 0x94000000u | ((uint32_t)offset & 0x3ffffffu); /* BL */
        else if (kind <= 7)
            word = 0x54000000u | ((uint32_t)offset & 0x7ffffu) << 5; /* B.EQ */
        else if (kind <= 9)
            word = RET;
        else if (kind == 10)
            word = BLR_X1;
        else if (kind == 11)
            word = BR_X1;
        else if (kind == 12)
            word = ISB;
        w->words[i] = word;
        for (unsigned b = 0; b < 4; b++)
            bytes[4 * i + b] = (uint8_t)(word >> 8 * b);
    }
    assert_int_equal(cairn_image_new(&w->image), CAIRN_OK);
    assert_int_equal(cairn_image_add_bytes(w->image, "program", &any, CAIRN_ORDER_LITTLE, WALK_BASE,
                                           bytes, sizeof bytes, NULL),
                     CAIRN_OK);
}

void walk_begin(struct walker *w, uint32_t seed, struct cairn_unit_options *options)
{
    struct cairn_error error = {.text = ""};

    w->seed = seed * 2654435761u + 1;
    options->arch = cairn_arch_any_a();
    options->sink = walk_sink;
    options->sink_context = w;
    make_program(w);
    if (cairn_unit_new(options, &w->unit, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    w->truth = calloc(WALK_TRUTH, sizeof *w->truth);
    w->state.pc = random_address(w);
    w->splits = 20;
}

void walk_end(struct walker *w)
{
    cairn_unit_free(w->unit);
    cairn_image_unref(w->image);
    free(w->truth);
    free(w->bytes);
}

static void note(struct walker *w, uint64_t what)
{
    assert_true(w->state.truth < WALK_TRUTH);
    w->truth[w->state.truth++] = what;
}

/* Where an indirect branch goes. */
static uint64_t indirect(struct walker *w, bool returns)
{
    if (returns && w->state.depth > 0 && !walk_chance(w, 10))
        return w->state.calls[--w->state.depth % WALK_CALLS];
    return random_address(w);
}

static void block_at(struct walker *w, struct cairn_block *block)
{
    uint8_t bytes[64];
    const uint32_t first = (uint32_t)(w->state.pc - WALK_BASE) / 4;
    uint32_t count = walk_chance(w, w->splits) ? 1 + walk_random(w, 3) : 16;

    if (count > WALK_WORDS - first)
        count = WALK_WORDS - first;
    for (uint32_t i = 0; i < 4 * count; i++)
        bytes[i] = (uint8_t)(w->words[first + i / 4] >> 8 * (i % 4));
    assert_true(cairn_unit_scan(w->unit, CAIRN_ISA_A64, w->state.pc, bytes, 4 * count, block) > 0);
}

static bool outcome(struct walker *w, const struct cairn_block *block)
{
    if (block->kind == CAIRN_INSN_OTHER)
        return false;
    return !(block->flags & CAIRN_INSN_CONDITIONAL) || walk_chance(w, 50);
}

static void move(struct walker *w, const struct cairn_block *block, bool taken)
{
    struct walk_state *s = &w->state;
    const uint64_t after = block->address + block->size;

    s->pc = after;
    s->taken = taken;
    if (taken && (block->flags & CAIRN_INSN_LINK))
        s->calls[s->depth++ % WALK_CALLS] = after;
    if (taken && block->kind == CAIRN_INSN_BRANCH_DIRECT)
        s->pc = block->target;
    if (taken && block->kind == CAIRN_INSN_BRANCH_INDIRECT)
        s->pc = indirect(w, (block->flags & CAIRN_INSN_RETURN) != 0);
}

static void step_block(struct walker *w)
{
    struct cairn_block block;
    bool taken;

    block_at(w, &block);
    taken = outcome(w, &block);
    for (uint32_t i = 0; i < block.count; i++)
        note(w, block.address + 4 * i);
    if (block.kind != CAIRN_INSN_OTHER)
        w->state.sure = w->state.truth;
    if (w->cycles > 0)
        cairn_unit_cycles(w->unit, walk_random(w, w->cycles));
    if (block.kind != CAIRN_INSN_OTHER && (block.flags & CAIRN_INSN_CONDITIONAL) &&
        walk_chance(w, w->mispredicts)) {
        cairn_unit_execute(w->unit, &block, !taken);
        if (walk_chance(w, 30)) {
            const uint64_t mark = cairn_unit_mark(w->unit);
            const struct walk_state before = w->state;

            move(w, &block, !taken);
            w->mispredicts /= 2;
            step_block(w);
            w->mispredicts *= 2;
            assert_int_equal(cairn_unit_cancel(w->unit, mark), CAIRN_OK);
            w->state = before;
        }
        assert_int_equal(cairn_unit_mispredict(w->unit), CAIRN_OK);
    } else {
        cairn_unit_execute(w->unit, &block, taken);
    }
    move(w, &block, taken);
}

static void step_exception(struct walker *w)
{
    note(w, 1 + CAIRN_EXCEPTION_IRQ);
    w->state.taken = false;
    w->state.sure = w->state.truth;
    cairn_unit_exception(w->unit, CAIRN_EXCEPTION_IRQ, w->state.pc, CAIRN_ISA_A64);
    w->state.pc = random_address(w);
}

static void step(struct walker *w)
{
    if (w->state.truth > 0 && walk_chance(w, w->exceptions))
        step_exception(w);
    else
        step_block(w);
    if (walk_chance(w, w->syncs))
        cairn_unit_request_sync(w->unit);
    if (walk_chance(w, w->events))
        cairn_unit_event(w->unit, walk_random(w, 4));
    if (w->state.in_transaction ? walk_chance(w, 30) : walk_chance(w, w->transactions)) {
        struct walk_state *s = &w->state;

        if (!s->in_transaction && s->taken) { /* behind what might be a TSTART */
            cairn_unit_transaction_start(w->unit);
            s->in_transaction = true;
            s->truth_at_start = s->truth;
            s->pc_at_start = s->pc;
            s->depth_at_start = s->depth;
        } else if (s->in_transaction && walk_chance(w, 50)) {
            cairn_unit_transaction_commit(w->unit);
            s->in_transaction = false;
        } else if (s->in_transaction) {
            cairn_unit_transaction_fail(w->unit);
            s->in_transaction = false;
            s->pc = s->pc_at_start;
            s->depth = s->depth_at_start;
            s->truth = s->truth_at_start;
            s->sure = s->truth;
        }
    }
    cairn_unit_time(w->unit, 1 + w->state.truth);
}

/* A path that is taken back. */
static void guess(struct walker *w, unsigned nesting)
{
    const uint64_t mark = cairn_unit_mark(w->unit);
    const struct walk_state before = w->state;
    const unsigned steps = walk_random(w, 6);
    uint64_t *truth = malloc((before.truth + 1) * sizeof *truth);

    assert_non_null(truth); /* a transaction that fails on the way rewrites it */
    memcpy(truth, w->truth, before.truth * sizeof *truth);
    if (walk_chance(w, 50))
        w->state.pc = random_address(w);
    for (unsigned i = 0; i < steps; i++) {
        step(w);
        if (nesting < 2 && walk_chance(w, 20))
            guess(w, nesting + 1);
    }
    assert_int_equal(cairn_unit_cancel(w->unit, mark), CAIRN_OK);
    w->state = before;
    memcpy(w->truth, truth, before.truth * sizeof *truth);
    free(truth);
}

void walk_run(struct walker *w, unsigned steps)
{
    const struct cairn_context context = {.EL = 1, .security = CAIRN_NONSECURE, .SF = 1};
    uint64_t resolved = 0;

    cairn_unit_enable(w->unit);
    assert_int_equal(cairn_unit_status(w->unit), CAIRN_OK);
    cairn_unit_context(w->unit, &context);
    for (unsigned i = 0; i < steps; i++) {
        step(w);
        if (w->guesses > 0 && walk_chance(w, w->guesses))
            guess(w, 0);
        if (w->lag > 0 && walk_random(w, w->lag) == 0) {
            const uint64_t mark = cairn_unit_mark(w->unit);

            resolved += mark > resolved ? walk_random(w, (uint32_t)(mark - resolved) + 1) : 0;
            assert_int_equal(cairn_unit_resolve(w->unit, resolved), CAIRN_OK);
        }
        if (walk_chance(w, w->prohibits)) {
            cairn_unit_prohibit(w->unit, true);
            w->state.truth = w->state.sure;
            w->state.pc = random_address(w);
            cairn_unit_prohibit(w->unit, false);
        }
    }
    if (w->lag > 0)
        assert_int_equal(cairn_unit_resolve(w->unit, cairn_unit_mark(w->unit)), CAIRN_OK);
    if (w->state.in_transaction) {
        cairn_unit_transaction_commit(w->unit);
        w->state.in_transaction = false;
    }
    if (w->lag > 0)
        assert_int_equal(cairn_unit_resolve(w->unit, cairn_unit_mark(w->unit)), CAIRN_OK);
    cairn_unit_disable(w->unit);
    assert_int_equal(cairn_unit_status(w->unit), CAIRN_OK);
}

/* An Exception that the unit made up for want of a P0 instruction says no more than addresses do.
 */
static bool is_made_up(const struct cairn_flow_batch *batch, size_t i)
{
    return batch->value[i] == CAIRN_EXCEPTION_IMPLEMENTATION_DEFINED;
}

static void compare(struct walker *w, const struct cairn_flow_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->kind[i] == CAIRN_FLOW_GAP)
            fail_msg("gap %u at 0x%x, offset %u: after %zu", (unsigned)batch->value[i],
                     (unsigned)batch->address[i], (unsigned)batch->offset[i], w->decoded);
        if (batch->kind[i] == CAIRN_FLOW_WARNING)
            fail_msg("warning %s at offset %u", cairn_flow_warning_text((unsigned)batch->value[i]),
                     (unsigned)batch->offset[i]);
        w->cycle_counts += batch->kind[i] == CAIRN_FLOW_CYCLES;
        w->timestamps += batch->kind[i] == CAIRN_FLOW_TIMESTAMP;
        if (batch->kind[i] == CAIRN_FLOW_EXCEPTION && !is_made_up(batch, i)) {
            if (w->decoded >= w->state.sure || w->truth[w->decoded] != 1 + batch->value[i])
                fail_msg("exception %u to 0x%x at offset %u, after %zu, expected 0x%x",
                         (unsigned)batch->value[i], (unsigned)batch->address[i],
                         (unsigned)batch->offset[i], w->decoded, (unsigned)w->truth[w->decoded]);
            w->decoded++;
        }
        if (batch->kind[i] != CAIRN_FLOW_RANGE)
            continue;
        for (uint64_t at = batch->address[i]; at < batch->value[i]; at += 4, w->decoded++)
            if (w->decoded >= w->state.truth || w->truth[w->decoded] != at)
                fail_msg("0x%x at offset %u, expected 0x%x, after %zu", (unsigned)at,
                         (unsigned)batch->offset[i], (unsigned)w->truth[w->decoded], w->decoded);
    }
}

void walk_check(struct walker *w)
{
    struct cairn_config *config = cairn_unit_config(w->unit);
    struct cairn_decoder *decoder;
    struct cairn_flow_batch *batch;
    size_t position = 0;

    assert_non_null(config);
    assert_int_equal(cairn_decoder_new(config, w->image, &decoder), CAIRN_OK);
    assert_int_equal(cairn_flow_batch_new(256, &batch), CAIRN_OK);
    do {
        batch->count = 0;
        assert_int_equal(cairn_decoder_run(decoder, w->bytes, w->size, &position, batch), CAIRN_OK);
        compare(w, batch);
    } while (position < w->size || batch->count > 0);
    do {
        batch->count = 0;
        assert_int_equal(cairn_decoder_finish(decoder, batch), CAIRN_OK);
        compare(w, batch);
    } while (batch->count > 0);
    if (w->decoded < w->state.sure)
        fail_msg("%zu of %zu decoded", w->decoded, w->state.sure);
    cairn_flow_batch_free(batch);
    cairn_decoder_free(decoder);
    cairn_config_unref(config);
}
