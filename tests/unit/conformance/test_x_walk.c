/* SPDX-License-Identifier: BSD-2-Clause */
#include "test_x_walk.h"

#include <inttypes.h>
#include <stdlib.h>

void walk_begin(struct walk *w, struct bench *b, uint64_t address, uint64_t seed)
{
    memset(w, 0, sizeof(*w));
    w->bench = b;
    w->next = address;
    w->random = seed * 2654435761u + 88172645463325252u;
    walk_block(w, 1, CAIRN_INSN_OTHER, 0, 0, TAKEN);
}

uint32_t walk_random(struct walk *w, uint32_t below)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return (uint32_t)(w->random >> 16) % below;
}

static struct walk_step *new_step(struct walk *w)
{
    assert_true(w->count < WALK_STEPS);
    w->steps[w->count] = (struct walk_step){
        .address = w->next,
        .context_id = w->bench->context.context_id,
        .kind = CAIRN_INSN_OTHER,
        .loose = w->loose,
        .block = w->blocks,
    };
    return &w->steps[w->count++];
}

void walk_block(struct walk *w, unsigned count, enum cairn_insn_kind kind, uint32_t flags,
                uint64_t target, int taken)
{
    struct cairn_block block = {
        .address = w->next,
        .target = kind == CAIRN_INSN_BRANCH_DIRECT ? target : 0,
        .size = 4 * count,
        .count = count,
        .flags = flags,
        .isa = CAIRN_ISA_A64,
        .kind = (uint8_t)kind,
        .last_size = 4,
        .target_isa = kind == CAIRN_INSN_BRANCH_DIRECT ? CAIRN_ISA_A64 : CAIRN_ISA_UNKNOWN,
    };
    struct walk_step *last = NULL;

    w->blocks++;
    for (unsigned i = 0; i < count; i++) {
        last = new_step(w);
        w->next += 4;
    }
    last->kind = (uint8_t)kind;
    last->flags = flags;
    last->p0 = kind != CAIRN_INSN_OTHER;
    last->taken = taken != 0;
    if (taken && (kind == CAIRN_INSN_BRANCH_DIRECT || kind == CAIRN_INSN_BRANCH_INDIRECT))
        w->next = target;
    if (kind == CAIRN_INSN_ISB || (flags & CAIRN_INSN_ERET) != 0)
        w->loose = false;
    cairn_unit_execute(w->bench->unit, &block, taken != 0);
}

void walk_exception(struct walk *w, unsigned type, uint64_t vector, uint32_t context_id_behind)
{
    w->blocks++;
    new_step(w)->exception = true;
    exception(w->bench, type, w->next);
    w->next = vector;
    w->loose = false;
    if (context_id_behind != w->bench->context.context_id)
        context_id(w->bench, context_id_behind);
}

void walk_context(struct walk *w, uint32_t id, bool synchronized)
{
    if (id == w->bench->context.context_id)
        return;
    w->loose = !synchronized;
    context_id(w->bench, id);
}

void walk_any(struct walk *w)
{
    uint64_t target = 0x1000 + 4 * (uint64_t)walk_random(w, 0x800);
    unsigned count = 1 + walk_random(w, 4);

    switch (walk_random(w, 10)) {
    case 0: walk_block(w, count, CAIRN_INSN_OTHER, 0, 0, TAKEN); break;
    case 1:
    case 2: walk_block(w, count, CAIRN_INSN_BRANCH_INDIRECT, 0, target, TAKEN); break;
    case 3: walk_block(w, count, CAIRN_INSN_ISB, 0, 0, TAKEN); break;
    case 4:
        walk_exception(w, CAIRN_EXCEPTION_IRQ, 0x8000 + 0x80 * (uint64_t)walk_random(w, 8),
                       1 + walk_random(w, 3));
        break;
    case 5:
        walk_block(w, count, CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_ERET, target, TAKEN);
        walk_context(w, 1 + walk_random(w, 3), true);
        break;
    default:
        walk_block(w, count, CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_CONDITIONAL, target,
                   (int)walk_random(w, 2));
        break;
    }
}

struct reader {
    struct walk *w;
    size_t at;      /* the next step */
    size_t element; /* P0 elements so far */
    uint32_t context_id;
    bool needs_address;
    bool needs_context; /* execution went on in another context behind a Q */
};

static struct walk_step *take(struct reader *r, enum walk_by by)
{
    struct walk_step *step;

    if (r->at >= r->w->count)
        fail_msg("element %zu is behind all that was executed", r->element);
    step = &r->w->steps[r->at++];
    step->by = by;
    step->element = r->element;
    return step;
}

/* What the element tells of, from a step on, was executed in the context that was told. Where it
 * was written without synchronization either may have been told for all of it (R_HXNXF). */
static void check_contexts(const struct reader *r, size_t from)
{
    for (size_t i = from; i < r->at; i++) {
        if (r->w->steps[i].loose)
            return;
    }
    for (size_t i = from; i < r->at; i++) {
        const struct walk_step *step = &r->w->steps[i];

        if (step->context_id != r->context_id)
            fail_msg("%" PRIx64 " was executed with context id %" PRIu32 ", told was %" PRIu32,
                     step->address, step->context_id, r->context_id);
    }
}

static void begin_p0(struct reader *r)
{
    if (r->needs_address)
        fail_msg("no address before element %zu", r->element);
    if (r->needs_context)
        fail_msg("no context between a Q and element %zu", r->element);
}

static void read_atom(struct reader *r, bool taken)
{
    const size_t from = r->at;
    struct walk_step *step;

    begin_p0(r);
    do {
        step = take(r, BY_ATOM);
        assert_false(step->exception);
    } while (!step->p0);
    check_contexts(r, from);
    assert_int_equal(step->taken, taken);
    r->needs_address = taken && step->kind == CAIRN_INSN_BRANCH_INDIRECT;
    r->element++;
    r->w->atoms++;
}

static void read_exception(struct reader *r, uint64_t address)
{
    const size_t from = r->at;
    struct walk_step *step;

    begin_p0(r);
    while (r->at < r->w->count && !r->w->steps[r->at].exception) {
        step = take(r, BY_EXCEPTION);
        assert_false(step->p0);
    }
    check_contexts(r, from); /* the exception itself is of none that counts */
    assert_true(r->at < r->w->count);
    step = &r->w->steps[r->at++];
    step->by = BY_EXCEPTION;
    step->element = r->element++;
    assert_int_equal(step->address, address);
    r->needs_address = true;
    r->w->exceptions++;
}

static void read_q(struct reader *r, const char *count)
{
    unsigned long instructions = strtoul(count, NULL, 10);
    const size_t from = r->at;

    begin_p0(r);
    assert_true(instructions >= 1);
    for (unsigned long i = 0; i < instructions; i++)
        assert_false(take(r, BY_Q)->exception);
    check_contexts(r, from);
    r->needs_address = true;
    r->needs_context = r->at < r->w->count && !r->w->steps[r->at].exception &&
                       r->w->steps[r->at].context_id != r->w->steps[r->at - 1].context_id;
    r->element++;
    r->w->qs++;
}

static void read_address(struct reader *r, uint64_t address)
{
    /* Where execution would go on, if nothing came any more. */
    const uint64_t executed = r->at < r->w->count ? r->w->steps[r->at].address : r->w->next;

    if (executed != address)
        fail_msg("address %" PRIx64 " told, %" PRIx64 " executed", address, executed);
    r->needs_address = false;
    r->w->addresses++;
}

void assert_followed(struct walk *w, const char *text)
{
    struct reader r = {.w = w, .needs_address = true, .context_id = UINT32_MAX};
    char *copy = strdup(text), *save, *word;

    assert_non_null(copy);
    for (word = strtok_r(copy, " ", &save); word != NULL; word = strtok_r(NULL, " ", &save)) {
        const char *cid = strstr(word, "cid=");

        if (strcmp(word, "E") == 0 || strcmp(word, "N") == 0) {
            read_atom(&r, word[0] == 'E');
        } else if (strncmp(word, "EXC(", 4) == 0) {
            read_exception(&r, strtoull(strchr(word, ',') + 1, NULL, 16));
        } else if (strncmp(word, "Q(", 2) == 0) {
            read_q(&r, word + 2);
        } else if (strncmp(word, "ADDR(", 5) == 0) {
            read_address(&r, strtoull(word + 5, NULL, 16));
        } else if (strncmp(word, "CTX(", 4) == 0) {
            r.context_id = cid != NULL ? (uint32_t)strtoul(cid + 4, NULL, 10) : 0;
            if (r.at < w->count && w->steps[r.at].context_id == r.context_id)
                r.needs_context = false;
            w->contexts++;
        } else if (strcmp(word, "BROKEN") == 0) {
            fail_msg("a broken packet");
        }
    }
    free(copy);
}
