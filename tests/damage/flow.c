/* SPDX-License-Identifier: BSD-2-Clause */
#include "damage.h"

#include <string.h>

#include <cairn/engine.h>
#include <cairn/isa.h>

#include "../../bench/flow_hash.h"
#include "flow/cursor.h"

enum {
    RECORDS = 4096,
    WORDS = 4096,
};

/* What the flow has to fit: the memory, and the range before. */
struct fitting {
    struct cairn_space *space;
    const struct bench_source *source;
    struct cairn_context context;
    bool known; /* where execution has to go on: at `next` */
    uint64_t next;
    uint64_t misfits;
};

static void see_context(struct fitting *f, uint64_t address, uint64_t value)
{
    f->context.vmid = (uint32_t)(address >> 32);
    f->context.context_id = (uint32_t)address;
    f->context.EL = value & 3;
    f->context.security = value >> 2 & 3;
    f->context.SF = value >> 4 & 1;
}

/* The instruction in front of `end`: of T32 that with four bytes, if there is one. */
static bool last_instruction(struct fitting *f, const struct cairn_flow_batch *batch, size_t i,
                             struct cairn_insn *insn)
{
    const struct cairn_place place = {.source = 0,
                                      .EL = f->context.EL,
                                      .security = f->context.security,
                                      .vmid = f->context.vmid,
                                      .context_id = f->context.context_id,
                                      .offset = batch->offset[i]};
    const enum cairn_isa isa = (enum cairn_isa)batch->isa[i];
    struct cairn_window window;
    uint64_t at = batch->address[i];
    uint64_t end = batch->value[i];

    if (cairn_space_select(f->space, &place) != CAIRN_OK)
        return false;
    if (isa != CAIRN_ISA_T32)
        at = end - 4;
    while (at < end) {
        if (!cairn_space_window(f->space, at, &window) || window.order != CAIRN_ORDER_LITTLE)
            return false;
        const unsigned size =
            cairn_insn_decode(&f->source->info.arch, isa, at, window.bytes + (at - window.address),
                              (size_t)(window.size - (at - window.address)), insn);

        if (size == 0)
            return false;
        at += size;
    }
    return at == end;
}

/* Where it goes on has to be where the range before led, if that one tells. */
static void see_range(struct fitting *f, const struct cairn_flow_batch *batch, size_t i)
{
    const unsigned flags = batch->flags[i];
    struct cairn_insn insn = {0};

    if (f->known && !(flags & (CAIRN_FLOW_DISCONTINUITY | CAIRN_FLOW_INFERRED)) &&
        batch->address[i] != f->next)
        f->misfits++;
    f->known = true;
    f->next = batch->value[i];
    if (!(flags & CAIRN_FLOW_P0) || !last_instruction(f, batch, i, &insn))
        f->known = !(flags & CAIRN_FLOW_P0);
    else if (!(flags & CAIRN_FLOW_TAKEN))
        f->misfits += (insn.flags & CAIRN_INSN_NEVER_N) != 0;
    else if (insn.kind == CAIRN_INSN_BRANCH_DIRECT)
        f->next = insn.target;
    else
        f->known = insn.kind != CAIRN_INSN_BRANCH_INDIRECT;
}

static void see(struct fitting *f, const struct cairn_flow_batch *batch, struct damage_list *list)
{
    for (size_t i = 0; i < batch->count; i++) {
        switch ((enum cairn_flow_kind)batch->kind[i]) {
        case CAIRN_FLOW_RANGE:
            damage_list_range(list, batch->offset[i], batch->address[i], batch->value[i],
                              batch->isa[i] == CAIRN_ISA_T32);
            see_range(f, batch, i);
            break;
        case CAIRN_FLOW_CONTEXT: see_context(f, batch->address[i], batch->value[i]); break;
        case CAIRN_FLOW_GAP:
        case CAIRN_FLOW_WARNING:
            damage_list_doubt(list, batch->offset[i], batch->kind[i] == CAIRN_FLOW_GAP,
                              (unsigned)batch->value[i]);
            f->known = false;
            break;
        default: f->known = false; break;
        }
    }
}

static void take(struct cairn_flow_batch *records, struct cairn_flow_hash *hash, struct fitting *f,
                 struct damage_list *list)
{
    cairn_flow_hash_add(hash, records);
    if (list)
        see(f, records, list);
    records->count = 0;
}

static uint64_t by_reference(const struct bench_source *source, struct cairn_image *image,
                             struct cairn_flow_batch *records, struct fitting *f,
                             struct damage_list *list)
{
    struct cairn_flow_hash hash = {0};
    struct cairn_decoder *decoder = NULL;
    size_t added;

    bench_must(cairn_decoder_new(source->config, image, &decoder), NULL, "decoder");
    for (size_t at = 0; at < source->size; take(records, &hash, f, list))
        bench_must(cairn_decoder_run(decoder, source->bytes, source->size, &at, records), NULL,
                   "flow");
    do {
        bench_must(cairn_decoder_finish(decoder, records), NULL, "flow");
        added = records->count;
        take(records, &hash, f, list);
    } while (added);
    cairn_decoder_free(decoder);
    return cairn_flow_hash_end(&hash);
}

static size_t expand(struct cairn_word_batch *words, struct cairn_flow_batch *records,
                     struct cairn_flow_hash *hash)
{
    const size_t had = words->count + words->event_count + words->dictionary_ends;
    struct cairn_word_cursor cursor = {0};
    size_t added;

    do {
        bench_must(cairn_words_records(words, &cursor, records), NULL, "records");
        added = records->count;
        take(records, hash, NULL, NULL);
    } while (added);
    words->count = words->event_count = 0;
    return had;
}

static uint64_t by_engine(const struct bench_source *source, struct cairn_image *image,
                          struct cairn_flow_batch *records)
{
    struct cairn_flow_hash hash = {0};
    struct cairn_engine *engine = NULL;
    struct cairn_word_batch *words = NULL;

    bench_must(cairn_engine_new(source->config, image, NULL, &engine), NULL, "engine");
    bench_must(cairn_word_batch_new(WORDS, true, &words), NULL, "engine");
    for (size_t at = 0; at < source->size; expand(words, records, &hash))
        bench_must(cairn_engine_run(engine, source->bytes, source->size, &at, words), NULL,
                   "engine");
    do
        bench_must(cairn_engine_finish(engine, words), NULL, "engine");
    while (expand(words, records, &hash));
    cairn_word_batch_free(words);
    cairn_engine_free(engine);
    return cairn_flow_hash_end(&hash);
}

void damage_decode(const struct bench_source *source, struct cairn_image *image,
                   struct damage_list *list, bool *agrees, uint64_t *misfits)
{
    struct fitting f = {.source = source};
    struct cairn_flow_batch *records = NULL;

    bench_must(cairn_flow_batch_new(RECORDS, &records), NULL, "records");
    bench_must(cairn_space_new(image, &f.space), NULL, "memory");
    list->count = 0;
    list->doubt_count = 0;
    list->full = false;
    const uint64_t reference = by_reference(source, image, records, &f, list);

    *misfits = f.misfits;
    *agrees = reference == by_engine(source, image, records);
    cairn_space_free(f.space);
    cairn_flow_batch_free(records);
}
