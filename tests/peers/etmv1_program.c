/* SPDX-License-Identifier: BSD-2-Clause */
#include "etmv1_program.h"

#include <stdlib.h>
#include <string.h>

/* What an instruction transfers: so many units of so many bytes, or as its register list says. */
enum moves { NOTHING, BYTE, HALF, WORD, LIST, TWO_WORDS, TWO_BYTES };

struct pattern {
    uint32_t opcode;
    uint32_t list; /* bits of the opcode that are a register list, of which one at least is 1 */
    enum moves moves;
    bool store;
    bool branch; /* its displacement is to be filled in */
};

/* ARM state, always executed; conditions are put in. */
static const struct pattern arm[] = {
    {0xe1a00000, 0, NOTHING, false, false},   /* MOV r0, r0 */
    {0xe0811002, 0, NOTHING, false, false},   /* ADD r1, r1, r2 */
    {0xe5910000, 0, WORD, false, false},      /* LDR r0, [r1] */
    {0xe5d10000, 0, BYTE, false, false},      /* LDRB */
    {0xe1d100b0, 0, HALF, false, false},      /* LDRH */
    {0xe1d100d0, 0, BYTE, false, false},      /* LDRSB */
    {0xe1d100f0, 0, HALF, false, false},      /* LDRSH */
    {0xe5810000, 0, WORD, true, false},       /* STR */
    {0xe5c10000, 0, BYTE, true, false},       /* STRB */
    {0xe1c100b0, 0, HALF, true, false},       /* STRH */
    {0xe8910000, 0x0ffd, LIST, false, false}, /* LDMIA r1 */
    {0xe8810000, 0x0ffd, LIST, true, false},  /* STMIA r1 */
    {0xea000000, 0, NOTHING, false, true},    /* B */
    {0xeb000000, 0, NOTHING, false, true},    /* BL */
    {0xe12fff1e, 0, NOTHING, false, false},   /* BX lr */
    {0xe1a0f00e, 0, NOTHING, false, false},   /* MOV pc, lr */
    {0xe591f000, 0, WORD, false, false},      /* LDR pc, [r1] */
    {0xe8bd8000, 0x1fff, LIST, false, false}, /* LDMIA sp!, {..., pc} */
    {0xe1010092, 0, TWO_WORDS, false, false}, /* SWP r0, r2, [r1]: the last two are swaps */
    {0xe1410092, 0, TWO_BYTES, false, false}, /* SWPB */
};
#define SWAPS 2u

static const struct pattern thumb[] = {
    {0x1c00, 0, NOTHING, false, false}, /* ADD r0, r0, #0 */
    {0x2001, 0, NOTHING, false, false}, /* MOV r0, #1 */
    {0x6808, 0, WORD, false, false},    /* LDR r0, [r1] */
    {0x6008, 0, WORD, true, false},     /* STR */
    {0x4801, 0, WORD, false, false},    /* LDR r0, [pc, #4] */
    {0x9801, 0, WORD, false, false},    /* LDR r0, [sp, #4] */
    {0xc900, 0xfd, LIST, false, false}, /* LDMIA r1! */
    {0xc100, 0xfd, LIST, true, false},  /* STMIA r1! */
    {0xb400, 0x1ff, LIST, true, false}, /* PUSH */
    {0xbc00, 0xff, LIST, false, false}, /* POP */
    {0xbd00, 0xff, LIST, false, false}, /* POP {..., pc} */
    {0x4770, 0, NOTHING, false, false}, /* BX lr */
    {0xd000, 0, NOTHING, false, true},  /* Bcond */
    {0xe000, 0, NOTHING, false, true},  /* B */
    {0x7808, 0, BYTE, false, false},    /* LDRB: the last four are of less than a word */
    {0x8808, 0, HALF, false, false},    /* LDRH */
    {0x7008, 0, BYTE, true, false},     /* STRB */
    {0x8008, 0, HALF, true, false},     /* STRH */
};
#define SYNC_PERIOD 300u /* cycles between TFOs of an ETMv2 */
#define NARROW 4u
#define UNTIL_THE_END 10u /* POP {..., pc} */
#define COUNT(table) ((unsigned)(sizeof(table) / sizeof *(table)))
#define PUSH_OR_POP 0xb400u

static uint32_t roll(struct etmv1_walk *walk, uint32_t below)
{
    walk->random = walk->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((walk->random >> 33) % below);
}

static uint32_t any_word(struct etmv1_walk *walk)
{
    return roll(walk, UINT32_C(1) << 30) << 2 ^ roll(walk, 256);
}

static uint8_t *bytes_at(struct etmv1_walk *walk, uint32_t address)
{
    return address < ETMV1_VECTORS ? walk->vectors + address : walk->code + (address - ETMV1_CODE);
}

static void put(struct etmv1_walk *walk, uint32_t address, uint32_t opcode, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        bytes_at(walk, address)[i] = (uint8_t)(opcode >> (8 * i));
}

static uint32_t opcode_at(struct etmv1_walk *walk, uint32_t address, unsigned size)
{
    uint32_t opcode = 0;

    for (unsigned i = 0; i < size; i++)
        opcode |= (uint32_t)bytes_at(walk, address)[i] << (8 * i);
    return opcode;
}

/* --- code --- */

static uint32_t with_list(struct etmv1_walk *walk, const struct pattern *pattern)
{
    uint32_t list = 0;

    while (pattern->list && list == 0)
        list = any_word(walk) & pattern->list & (roll(walk, 2) ? 0xffff : 0x00ff);
    return pattern->opcode | list;
}

static void make_arm(struct etmv1_walk *walk, uint32_t address)
{
    const unsigned count = COUNT(arm) - (walk->features & ETMV1_SWAPS ? 0 : SWAPS);
    const bool is_last = address + 4 == ETMV1_THUMB;
    const struct pattern *pattern = &arm[is_last ? 12 : roll(walk, count)];
    const uint32_t target = ETMV1_CODE + 4 * roll(walk, (ETMV1_THUMB - ETMV1_CODE) / 4);
    uint32_t opcode = with_list(walk, pattern);

    if (pattern->branch)
        opcode |= (target - address - 8) >> 2 & 0xffffff;
    if (!is_last && roll(walk, 3) == 0)
        opcode = (opcode & 0x0fffffff) | roll(walk, 14) << 28;
    put(walk, address, opcode, 4);
}

static void make_thumb(struct etmv1_walk *walk, uint32_t address)
{
    const unsigned count = COUNT(thumb) - (walk->features & ETMV1_NARROW ? 0 : NARROW);
    const bool is_last = address + 2 == ETMV1_END;
    const struct pattern *pattern = &thumb[is_last ? UNTIL_THE_END : roll(walk, count)];
    const uint32_t target = ETMV1_THUMB + 2 * roll(walk, (ETMV1_END - ETMV1_THUMB) / 2);
    uint32_t opcode = with_list(walk, pattern);

    if (pattern->opcode == 0xd000) /* back by some, on one of 14 conditions; the first go on */
        opcode |= roll(walk, 14) << 8 |
                  (address < ETMV1_THUMB + 256 ? roll(walk, 64) : 255 - roll(walk, 64));
    else if (pattern->branch)
        opcode |= (target - address - 4) >> 1 & 0x7ff;
    put(walk, address, opcode, 2);
}

/* A pair that calls some Thumb code. */
static void make_pair(struct etmv1_walk *walk, uint32_t address)
{
    const uint32_t target = ETMV1_THUMB + 2 * roll(walk, (ETMV1_END - ETMV1_THUMB) / 2);
    const uint32_t offset = target - address - 4;

    put(walk, address, 0xf000 | (offset >> 12 & 0x7ff), 2);
    put(walk, address + 2, 0xf800 | (offset >> 1 & 0x7ff), 2);
}

static void make_code(struct etmv1_walk *walk)
{
    for (uint32_t at = 0; at < ETMV1_VECTORS; at += 4) {
        const uint32_t target = ETMV1_CODE + 4 * roll(walk, (ETMV1_THUMB - ETMV1_CODE) / 4);

        put(walk, at, 0xea000000 | ((target - at - 8) >> 2 & 0xffffff), 4);
    }
    for (uint32_t at = ETMV1_CODE; at < ETMV1_THUMB; at += 4)
        make_arm(walk, at);
    for (uint32_t at = ETMV1_THUMB; at < ETMV1_END; at += 2)
        make_thumb(walk, at);
    for (uint32_t at = ETMV1_THUMB; walk->features & ETMV1_PAIRS && at + 32 < ETMV1_END; at += 16)
        make_pair(walk, at);
    if (!(walk->features & ETMV1_DATA_FIRST))
        put(walk, ETMV1_CODE, arm[0].opcode, 4);
}

/* --- the way --- */

static const struct pattern *pattern_of(uint32_t opcode, bool is_thumb)
{
    const struct pattern *table = is_thumb ? thumb : arm;
    const unsigned count = is_thumb ? COUNT(thumb) : COUNT(arm);

    for (unsigned i = 0; i < count; i++) {
        uint32_t mask = ~table[i].list;

        if (!is_thumb)
            mask &= 0x0fffffff;
        if (table[i].branch)
            mask &= is_thumb ? (table[i].opcode == 0xd000 ? 0xf000u : 0xf800u) : 0xff000000u;
        if (((opcode ^ table[i].opcode) & mask) == 0)
            return &table[i];
    }
    return NULL;
}

static unsigned transfers_of(const struct pattern *pattern, uint32_t opcode, bool is_thumb)
{
    uint32_t list = opcode & (is_thumb ? 0xff : 0xffff);

    if (pattern->moves == NOTHING)
        return 0;
    if (pattern->moves == TWO_WORDS || pattern->moves == TWO_BYTES)
        return 2;
    if (pattern->moves != LIST)
        return 1;
    if (is_thumb && (opcode & 0xf600) == PUSH_OR_POP)
        list = opcode & 0x1ff; /* LR or PC */
    return (unsigned)__builtin_popcount(list);
}

static void say(const struct etmv1_walk *walk, const char *what, uint32_t value)
{
    if (walk->truth)
        fprintf(walk->truth, "%s 0x%08x\n", what, (unsigned)value);
}

static void move_data(struct etmv1_walk *walk, const struct pattern *pattern, unsigned count)
{
    static const uint8_t sizes[] = {0, 1, 2, 4, 4, 4, 1};
    const uint32_t bytes = sizes[pattern->moves];
    const uint32_t address = UINT32_C(0x20000000) + (any_word(walk) >> roll(walk, 32)) * 4;
    const bool swaps = pattern->moves >= TWO_WORDS;

    for (unsigned i = 0; i < count; i++) {
        const uint32_t value = any_word(walk) & (bytes == 4 ? UINT32_MAX : (1u << 8 * bytes) - 1);
        const struct cairn_unit_transfer told = {
            .address = swaps ? address : address + bytes * i,
            .value = value,
            .bytes = bytes,
            .flags = pattern->store || (swaps && i) ? CAIRN_UNIT_DATA_STORE : 0};

        if (i == 0 && walk->control & 8u)
            say(walk, "address", address);
        if (walk->control & 4u)
            say(walk, "data", value);
        cairn_unit_data(walk->unit, &told);
        if (roll(walk, 2))
            cairn_unit_cycles(walk->unit, roll(walk, 8));
    }
}

/* Before ARMv5 BX alone changes the state. */
static bool exchanges(uint32_t opcode, bool is_thumb)
{
    return is_thumb ? opcode == 0x4770 : (opcode & 0x0fffffff) == 0x012fff1e;
}

static uint32_t next_target(struct etmv1_walk *walk, bool exchanging, enum cairn_isa *isa)
{
    if (exchanging)
        *isa = roll(walk, 2) ? CAIRN_ISA_T32 : CAIRN_ISA_A32;
    return *isa == CAIRN_ISA_T32 ? ETMV1_THUMB + 2 * roll(walk, (ETMV1_END - ETMV1_THUMB) / 2)
                                 : ETMV1_CODE + 4 * roll(walk, (ETMV1_THUMB - ETMV1_CODE) / 4);
}

/* Sixteen pins keep a lone packet until the next status, and what is behind it; not for so long that an ETMv2
 * misses a TFO. */
static uint32_t longest_wait(const struct etmv1_walk *walk)
{
    return walk->v2 ? SYNC_PERIOD / 2 : 2000;
}

/* Before the instruction at *pc: it is cancelled. */
static bool interrupt(struct etmv1_walk *walk, uint32_t *pc, enum cairn_isa *isa)
{
    static const struct {
        unsigned type;
        uint32_t vector;
    } kinds[] = {{CAIRN_EXCEPTION_IRQ, 0x18},
                 {CAIRN_EXCEPTION_FIQ, 0x1c},
                 {CAIRN_EXCEPTION_INST_FAULT, 0xc}};
    const unsigned kind = roll(walk, 3);

    if (!(walk->features & ETMV1_EXCEPTIONS) || roll(walk, 25))
        return false;
    cairn_unit_exception(walk->unit, kinds[kind].type, *pc, *isa);
    *pc = kinds[kind].vector;
    *isa = CAIRN_ISA_A32;
    return true;
}

/* The instruction was told, and ends with it. */
static bool trap(struct etmv1_walk *walk, uint32_t *pc, enum cairn_isa *isa)
{
    if (!(walk->features & ETMV1_EXCEPTIONS) || roll(walk, 25))
        return false;
    cairn_unit_exception(walk->unit, CAIRN_EXCEPTION_TRAP, *pc, *isa);
    *pc = 4;
    *isa = CAIRN_ISA_A32;
    return true;
}

/* The core halts, and goes on where it stood. */
static void halt(struct etmv1_walk *walk)
{
    if (!(walk->features & ETMV1_DEBUG) || roll(walk, 30))
        return;
    cairn_unit_debug_state(walk->unit, true);
    cairn_unit_cycles(walk->unit, 10 + roll(walk, 50));
    cairn_unit_debug_state(walk->unit, false);
}

static void set_inputs(struct etmv1_walk *walk, uint32_t inputs)
{
    walk->inputs = inputs;
    cairn_unit_inputs(walk->unit, inputs);
}

/* One instruction; moves on. */
static void step(struct etmv1_walk *walk, uint32_t *pc, enum cairn_isa *isa)
{
    const bool is_thumb = *isa == CAIRN_ISA_T32;
    const unsigned size = is_thumb ? 2 : 4;
    const uint32_t opcode = opcode_at(walk, *pc, size);
    const struct pattern *pattern = pattern_of(opcode, is_thumb);
    const bool has_condition =
        is_thumb ? (opcode & 0xf000) == 0xd000 : opcode >> 28 != CAIRN_COND_AL;
    const bool passes = !has_condition || roll(walk, 2);
    struct cairn_block block;

    halt(walk);
    if (interrupt(walk, pc, isa))
        return;
    (void)cairn_unit_scan(walk->unit, *isa, *pc, bytes_at(walk, *pc), ETMV1_END - *pc < 4 ? 2 : 4,
                          &block);
    if (block.count > 1) { /* one at a time */
        block.size = block.last_size = (uint8_t)size;
        block.count = 1;
        block.kind = CAIRN_INSN_OTHER;
    }
    cairn_unit_execute(walk->unit, &block, passes);
    say(walk, passes ? "executed" : "skipped", *pc);
    if (block.size > size)
        say(walk, "executed", *pc + size);
    if (roll(walk, 4) == 0)
        cairn_unit_cycles(walk->unit, roll(walk, roll(walk, 20) ? 30 : longest_wait(walk)));
    if (passes && pattern && walk->control & 12u)
        move_data(walk, pattern, transfers_of(pattern, opcode, is_thumb));
    if (walk->features & ETMV1_TRIGGERS && roll(walk, 30) == 0)
        set_inputs(walk, walk->inputs | 1);
    if (walk->features & ETMV1_FILTERS && roll(walk, 20) == 0)
        set_inputs(walk, walk->inputs ^ 2);
    if (passes && block.kind == CAIRN_INSN_OTHER && pattern && pattern->moves == NOTHING &&
        trap(walk, pc, isa))
        return;
    if (passes && block.kind == CAIRN_INSN_BRANCH_INDIRECT) {
        *pc = next_target(walk, exchanges(opcode, is_thumb) || walk->features & ETMV1_LOADS_STATE,
                          isa);
        return;
    }
    *pc += block.size;
    if (passes && block.kind == CAIRN_INSN_BRANCH_DIRECT)
        *pc = (uint32_t)block.target;
}

static cairn_status keep(void *context, const uint8_t *bytes, size_t size)
{
    struct etmv1_walk *walk = context;

    if (walk->size + size > ETMV1_SAMPLES_MOST)
        return CAIRN_E_LIMIT;
    memcpy(walk->samples + walk->size, bytes, size);
    walk->size += size;
    return CAIRN_OK;
}

void etmv1_walk_begin(struct etmv1_walk *walk, uint64_t seed, unsigned features)
{
    *walk = (struct etmv1_walk){.random = seed * 2 + 1, .features = features};
    for (unsigned i = 0; i < 8; i++)
        (void)roll(walk, 2);
    walk->control = roll(walk, 3) << 4 | roll(walk, 4) << 2 | roll(walk, 2) << 12 |
                    (roll(walk, 4) == 0 ? 1u << 8 : 0);
    if (features & ETMV1_CONTEXTS)
        walk->control |= 3u << 14;
    walk->depth = features & ETMV1_BUSY ? 64 : 0;
    walk->steps = 50 + roll(walk, 300);
    make_code(walk);
}

bool etmv1_walk_run(struct etmv1_walk *walk)
{
    const struct cairn_register registers[] = {
        {"ETMCR", walk->control},
        {"ETMTRIGGER", walk->features & ETMV1_TRIGGERS ? 0x60 : 0x406f},
        {"ETMTEEVR", walk->features & ETMV1_FILTERS ? 0x61 : 0x6f},
        {"ETMSYNCFR", SYNC_PERIOD}};
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_context context = {.security = CAIRN_NONSECURE, .context_id = 0x12345678};
    struct cairn_unit_counters counters = {.size = sizeof counters};
    enum cairn_isa isa = CAIRN_ISA_A32;
    uint32_t pc = ETMV1_CODE;

    walk->samples = malloc(ETMV1_SAMPLES_MOST);
    options.protocol = walk->v2 ? CAIRN_PROTOCOL_ETMV2 : CAIRN_PROTOCOL_ETMV1;
    options.choices = (walk->features & ETMV1_FOLDS ? CAIRN_UNIT_FOLD_BRANCHES : 0) |
                      (walk->features & ETMV1_MISSES ? CAIRN_UNIT_DATA_OUT_OF_ORDER : 0);
    options.arch = (struct cairn_arch){CAIRN_PROFILE_A, 4, 0, 0};
    options.registers = registers;
    options.register_count = walk->v2 ? 4 : 3;
    options.fifo_bytes = walk->depth;
    options.sink = keep;
    options.sink_context = walk;
    if (!walk->samples || cairn_unit_new(&options, &walk->unit, NULL) != CAIRN_OK)
        return false;
    cairn_unit_context(walk->unit, &context);
    cairn_unit_enable(walk->unit);
    for (unsigned i = 0; i < walk->steps; i++)
        step(walk, &pc, &isa);
    cairn_unit_disable(walk->unit);
    cairn_unit_counters(walk->unit, &counters);
    walk->overflows = counters.overflows;
    walk->exceptions = counters.exceptions;
    return cairn_unit_status(walk->unit) == CAIRN_OK;
}

void etmv1_walk_end(struct etmv1_walk *walk)
{
    cairn_unit_free(walk->unit);
    free(walk->samples);
}
