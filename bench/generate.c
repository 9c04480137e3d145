/* SPDX-License-Identifier: BSD-2-Clause */
#include "generate.h"

#include <stdlib.h>
#include <string.h>

#include <cairn/unit.h>

enum {
    FEW_WORDS = 1 << 17,  /* instructions of a program */
    MANY_WORDS = 1 << 23, /* and of one that no cache holds */
    TAIL = 64,            /* its last ones are all indirect branches */
    BLOCK_BYTES = 256,    /* longest block, but for chance: the unit goes on behind it */
    STARTS = 512,         /* of a speculative walk */
    SPECULATION = 24,     /* P0 elements that a speculative walk leaves open */
    WRONG_PATH = 4,       /* blocks on a path that was predicted wrong */
    REGISTERS_MAX = 64,
};

#define BASE UINT64_C(0x400000)
#define STRIDE UINT64_C(0x9e3779b1) /* odd: i * STRIDE mod 2^n visits all once */

/* A64 words. */
#define A64_ADD UINT32_C(0x91000400)    /* add x0, x0, #1 */
#define A64_BR UINT32_C(0xd61f0060)     /* br x3 */
#define A64_B_COND UINT32_C(0x54000000) /* b.eq and others, imm19 at bit 5 */
#define A64_CBZ UINT32_C(0xb4000000)    /* cbz x0, imm19 at bit 5 */

struct walker {
    enum bench_walk walk;
    uint64_t random;
    uint32_t *words;
    size_t word_count;
    struct cairn_unit *unit;
    uint8_t *bytes;
    size_t size;
    size_t room;
    uint64_t marks[SPECULATION]; /* of the last blocks; a ring */
    unsigned told;
};

const char *bench_walk_name(enum bench_walk walk)
{
    static const char *const names[BENCH_WALK_COUNT] = {"distinct", "scattered", "speculative"};

    return names[walk];
}

/* xorshift: the same program and walk each time. */
static uint64_t next_random(struct walker *walker)
{
    uint64_t x = walker->random;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    walker->random = x;
    return x >> 16;
}

static uint32_t random_word(struct walker *walker, size_t at)
{
    const uint64_t chance = next_random(walker) % 64;
    const uint32_t far = 2 + (uint32_t)(next_random(walker) % 2000);
    const bool ends = chance < 2 && (walker->walk != BENCH_WALK_DISTINCT || far % 4 == 0);

    if (at >= walker->word_count - TAIL || ends)
        return A64_BR;
    if (chance >= 2 && chance < 22 && at + far < walker->word_count)
        return (chance & 1 ? A64_B_COND | (uint32_t)(chance >> 1 & 7) : A64_CBZ) | far << 5;
    return A64_ADD;
}

static cairn_status keep(void *context, const uint8_t *bytes, size_t size)
{
    struct walker *walker = context;

    if (size > walker->room - walker->size) {
        uint8_t *grown = realloc(walker->bytes, 2 * walker->room + size);

        if (!grown)
            return CAIRN_E_MEMORY;
        walker->bytes = grown;
        walker->room = 2 * walker->room + size;
    }
    memcpy(walker->bytes + walker->size, bytes, size);
    walker->size += size;
    return CAIRN_OK;
}

static bool scan(const struct walker *walker, uint64_t address, struct cairn_block *block)
{
    const uint64_t at = address - BASE;
    const uint64_t left = 4 * (uint64_t)walker->word_count - at;

    return cairn_unit_scan(walker->unit, CAIRN_ISA_A64, address,
                           (const uint8_t *)walker->words + at,
                           left < BLOCK_BYTES ? left : BLOCK_BYTES, block) != 0;
}

/* Where an outcome leads; 0 behind an indirect branch. */
static uint64_t follow(const struct cairn_block *block, bool taken)
{
    return taken ? block->target : block->address + block->size;
}

static bool outcome(struct walker *walker, const struct cairn_block *block)
{
    if (!block->target)
        return block->kind == CAIRN_INSN_BRANCH_INDIRECT;
    if (walker->walk != BENCH_WALK_SPECULATIVE)
        return next_random(walker) & 1;
    /* one way mostly, which way depends on the branch */
    return (block->address >> 2 & 1) != (next_random(walker) % 64 == 0);
}

/* What is known to be right is resolved some blocks later. */
static void resolve_old(struct walker *walker)
{
    const unsigned slot = walker->told++ % SPECULATION;

    if (walker->told > SPECULATION)
        bench_must(cairn_unit_resolve(walker->unit, walker->marks[slot]), NULL, "resolving");
    walker->marks[slot] = cairn_unit_mark(walker->unit);
}

/* The branch was predicted wrong: some blocks of the wrong path, all taken back. */
static void go_wrong(struct walker *walker, const struct cairn_block *branch, bool taken)
{
    struct cairn_block block;
    uint64_t address = follow(branch, !taken), mark;

    cairn_unit_execute(walker->unit, branch, !taken);
    mark = cairn_unit_mark(walker->unit);
    for (unsigned i = 0; i < WRONG_PATH && address && scan(walker, address, &block); i++) {
        const bool way = outcome(walker, &block);

        cairn_unit_execute(walker->unit, &block, way);
        address = follow(&block, way);
    }
    bench_must(cairn_unit_cancel(walker->unit, mark), NULL, "cancelling");
    bench_must(cairn_unit_mispredict(walker->unit), NULL, "mispredicting");
}

static void walk_from(struct walker *walker, uint64_t address)
{
    struct cairn_block block;

    while (address && scan(walker, address, &block)) {
        const bool taken = outcome(walker, &block);

        if (walker->walk == BENCH_WALK_SPECULATIVE && block.target && next_random(walker) % 32 == 0)
            go_wrong(walker, &block, taken);
        else
            cairn_unit_execute(walker->unit, &block, taken);
        if (walker->walk == BENCH_WALK_SPECULATIVE)
            resolve_old(walker);
        address = follow(&block, taken);
    }
}

static void make_unit(struct walker *walker)
{
    static const struct cairn_register speculative[] = {{"TRCIDR8", 2 * SPECULATION}};
    const struct cairn_context context = {.EL = 1, .security = CAIRN_NONSECURE, .SF = 1};
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_error error = {0};

    options.arch = cairn_arch_any_a();
    options.sink = keep;
    options.sink_context = walker;
    if (walker->walk == BENCH_WALK_SPECULATIVE) {
        options.registers = speculative;
        options.register_count = 1;
    }
    bench_must(cairn_unit_new(&options, &walker->unit, &error), &error, "trace unit");
    cairn_unit_enable(walker->unit);
    cairn_unit_context(walker->unit, &context);
    cairn_unit_speculate(walker->unit, walker->walk == BENCH_WALK_SPECULATIVE);
}

static void run(struct walker *walker, size_t bytes)
{
    for (uint64_t i = 0; walker->size < bytes; i++) {
        const uint64_t start =
            walker->walk == BENCH_WALK_SPECULATIVE ? next_random(walker) % STARTS : i;

        if (walker->walk == BENCH_WALK_SCATTERED && i == walker->word_count)
            bench_must(CAIRN_E_LIMIT, NULL, "every start was walked from: too many bytes");
        walk_from(walker, BASE + 4 * (start * STRIDE % walker->word_count));
    }
    cairn_unit_disable(walker->unit);
    bench_must(cairn_unit_status(walker->unit), NULL, "trace unit");
}

static void describe(const struct walker *walker, struct bench_source *source)
{
    struct cairn_register *registers = calloc(REGISTERS_MAX, sizeof *registers);
    size_t count = 0;

    bench_must(registers ? CAIRN_OK : CAIRN_E_MEMORY, NULL, "registers");
    while (count < REGISTERS_MAX &&
           cairn_unit_register(walker->unit, count, &registers[count]) == CAIRN_OK)
        count++;
    source->config = cairn_unit_config(walker->unit);
    source->bytes = walker->bytes;
    source->size = walker->size;
    source->registers = registers;
    source->info.name = bench_walk_name(walker->walk);
    source->info.protocol = cairn_config_protocol(source->config);
    source->info.arch = *cairn_config_arch(source->config);
    source->info.registers = registers;
    source->info.register_count = count;
}

void bench_generate(enum bench_walk walk, size_t bytes, struct bench_capture *loaded)
{
    struct walker walker = {.walk = walk, .random = UINT64_C(0x243f6a8885a308d3)};
    struct cairn_error error = {0};

    *loaded = (struct bench_capture){0};
    walker.word_count = walk == BENCH_WALK_SCATTERED ? MANY_WORDS : FEW_WORDS;
    walker.words = calloc(walker.word_count, sizeof *walker.words);
    loaded->sources = calloc(1, sizeof *loaded->sources);
    bench_must(walker.words && loaded->sources ? CAIRN_OK : CAIRN_E_MEMORY, NULL, "generating");
    for (size_t i = 0; i < walker.word_count; i++)
        walker.words[i] = random_word(&walker, i);
    make_unit(&walker);
    run(&walker, bytes);
    describe(&walker, &loaded->sources[0]);
    bench_must(cairn_image_new(&loaded->image), NULL, "generating");
    bench_must(cairn_image_add_bytes(loaded->image, "program", NULL, CAIRN_ORDER_LITTLE, BASE,
                                     walker.words, walker.word_count * sizeof *walker.words,
                                     &error),
               &error, "generating");
    loaded->source_count = 1;
    loaded->bytes = walker.size;
    cairn_unit_free(walker.unit);
    free(walker.words);
}
