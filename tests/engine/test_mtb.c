/* SPDX-License-Identifier: BSD-2-Clause */
/* A core with a Micro Trace Buffer, in a few lines: it runs random Thumb code, with interrupts,
 * faults and returns, and writes a packet wherever the PC changes, and sometimes where it does not.
 * What is decoded is what ran, by both decoders; and of damaged dumps both make the same. Sections
 * are DDI0486's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../house/share.h"
#include "compare.h"

enum {
    ROUNDS = TEST_PART(300),
    DAMAGED = 120,
    CODE = 1024,   /* bytes of program */
    PACKETS = 256, /* at most; a run has a few instructions */
    RUN = 64,      /* instructions between two packets, at most */
    NEST = 6,      /* exceptions */
    RECORDS = 64,
    WORD = 4,
    PACKET = 8,
};

#define BASE UINT32_C(0x8000)
#define EXC_RETURN UINT32_C(0xfffffff8)
#define NOWHERE UINT32_C(0x60000000) /* no memory: a branch to it faults there */

enum opcode {
    NOP = 0xbf00,
    NOP_WIDE = 0xf3af, /* 8000 */
    ISB = 0xf3bf,      /* 8f6f */
    BNE = 0xd100,
    CBZ = 0xb100,
    B = 0xe000,
    BX_LR = 0x4770,
    BL = 0xf000, /* f800 */
    SVC = 0xdf00,
    UDF = 0xde00,
    IT = 0xbf08,
    ITT = 0xbf04,
};

struct packet {
    uint32_t source; /* with A */
    uint32_t destination;
    uint32_t run[RUN]; /* what ran since the packet before, its own source included */
    unsigned count;
    bool ran; /* the source is an instruction, and ran */
};

struct core {
    uint64_t seed;
    uint64_t random;
    uint8_t code[CODE];
    uint32_t pc;
    unsigned it; /* instructions that are still in an IT block */
    struct {
        uint32_t pc;
        unsigned it;
    } stacked[NEST];
    unsigned nested;
    bool starts; /* the next packet is the first of a session */
    struct packet now;
    struct packet packets[PACKETS];
    unsigned count;
};

static uint32_t below(struct core *core, uint32_t limit)
{
    core->random ^= core->random >> 12;
    core->random ^= core->random << 25;
    core->random ^= core->random >> 27;
    return (uint32_t)((core->random * UINT64_C(0x2545f4914f6cdd1d)) >> 33) % limit;
}

/* --- the program --- */

static void put_halfword(struct core *core, unsigned *at, unsigned value)
{
    core->code[(*at)++] = (uint8_t)value;
    core->code[(*at)++] = (uint8_t)(value >> 8);
}

static void put_random(struct core *core, unsigned *at)
{
    static const uint16_t kinds[] = {NOP, NOP,   NOP, NOP_WIDE, ISB, BNE, BNE, CBZ,
                                     B,   BX_LR, BL,  SVC,      UDF, IT,  ITT};
    const unsigned kind = kinds[below(core, sizeof kinds / sizeof *kinds)];

    switch (kind) {
    case NOP_WIDE:
        put_halfword(core, at, kind);
        put_halfword(core, at, 0x8000);
        break;
    case ISB:
        put_halfword(core, at, kind);
        put_halfword(core, at, 0x8f6f);
        break;
    case BL:
        put_halfword(core, at, kind);
        put_halfword(core, at, 0xf800 | below(core, 20));
        break;
    case BNE: put_halfword(core, at, kind | (below(core, 40) - 20) % 256); break;
    case CBZ: put_halfword(core, at, kind | below(core, 16) << 3); break;
    case B: put_halfword(core, at, kind | (below(core, 60) - 30) % 2048); break;
    case IT:
    case ITT: /* instructions that may stand there: the last may branch */
        put_halfword(core, at, kind);
        if (kind == ITT)
            put_halfword(core, at, NOP);
        put_halfword(core, at, below(core, 2) ? BX_LR : B | below(core, 20));
        break;
    default: put_halfword(core, at, kind); break;
    }
}

static void make_program(struct core *core)
{
    unsigned at = 0;

    while (at + 8 <= CODE)
        put_random(core, &at);
    while (at < CODE)
        put_halfword(core, &at, NOP);
}

static unsigned halfword(const struct core *core, uint32_t address)
{
    const uint32_t at = (address - BASE) % CODE;

    return core->code[at] | (unsigned)core->code[at + 1] << 8;
}

/* Where an instruction begins: reading on from the first one. */
static uint32_t any_place(struct core *core)
{
    const uint32_t wanted = below(core, CODE / 2);
    uint32_t at = BASE;

    while (at < BASE + wanted)
        at += halfword(core, at) >= 0xe800 ? 4 : 2;
    return at;
}

/* --- the MTB --- */

static void give_packet(struct core *core, uint32_t source, uint32_t destination)
{
    struct packet *packet = &core->packets[core->count];

    if (core->count == PACKETS)
        return;
    core->count++;
    *packet = core->now;
    packet->source = source;
    packet->destination = destination | core->starts;
    packet->ran = !(source & 1);
    if (core->starts) { /* what ran before is not told */
        packet->count = 0;
        if (packet->ran)
            packet->run[packet->count++] = source;
    }
    core->starts = false;
    core->now.count = 0;
}

static void run_one(struct core *core)
{
    core->now.run[core->now.count++] = core->pc;
}

/* --- the core --- */

static void take_exception(struct core *core, uint32_t return_address)
{
    const uint32_t handler = any_place(core);

    core->stacked[core->nested].pc = return_address;
    core->stacked[core->nested++].it = core->it;
    give_packet(core, return_address | 1, handler);
    core->pc = handler;
    core->it = 0;
}

static void leave_exception(struct core *core)
{
    const unsigned top = core->nested - 1;

    give_packet(core, core->pc, EXC_RETURN);
    if (below(core, 5) == 0) { /* tail-chained */
        core->pc = any_place(core);
        core->it = 0;
    } else {
        core->nested = top;
        core->pc = core->stacked[top].pc;
        core->it = core->stacked[top].it;
    }
    give_packet(core, EXC_RETURN | 1, core->pc);
}

static void go(struct core *core, uint32_t target)
{
    give_packet(core, core->pc, target);
    core->pc = target;
    core->it = 0;
}

static uint32_t signed_offset(unsigned value, unsigned bits)
{
    const uint32_t sign = UINT32_C(1) << (bits - 1);

    return ((value & (2 * sign - 1)) ^ sign) - sign;
}

/* Where a branch goes. */
static uint32_t target_of(struct core *core, unsigned insn)
{
    if (insn >> 8 == BNE >> 8)
        return core->pc + 4 + 2 * signed_offset(insn, 8);
    if (insn >> 8 == CBZ >> 8)
        return core->pc + 4 + 2 * (insn >> 3 & 0x1f);
    if (insn >> 11 == B >> 11)
        return core->pc + 4 + 2 * signed_offset(insn, 11);
    if (insn == BL)
        return core->pc + 4 + 2 * (halfword(core, core->pc + 2) & 0x7ff);
    return any_place(core);
}

static bool is_conditional(unsigned insn)
{
    return insn >> 8 == BNE >> 8 || insn >> 8 == CBZ >> 8;
}

static bool is_branch(unsigned insn)
{
    return is_conditional(insn) || insn >> 11 == B >> 11 || insn == BL || insn == BX_LR;
}

static void execute(struct core *core, unsigned insn, unsigned size)
{
    const bool passes = (core->it > 0 || is_conditional(insn)) && below(core, 2);

    if (is_branch(insn) && !passes) {
        run_one(core);
        if (insn == BX_LR && core->nested > 0 && below(core, 2))
            leave_exception(core);
        else
            go(core, target_of(core, insn));
        return;
    }
    run_one(core);
    if (core->it > 0)
        core->it--;
    if (insn == IT || insn == ITT)
        core->it = insn == IT ? 1 : 2;
    if (insn == SVC && core->nested < NEST) {
        take_exception(core, core->pc + size);
        return;
    }
    /* A packet of an instruction that is no branch; the first of all does not begin in an IT block.
     */
    if (!is_branch(insn) && below(core, 12) == 0)
        give_packet(core, core->pc, core->pc + size);
    core->pc += size;
}

/* Outside of the program is no memory: what goes there faults. */
static bool is_code(uint32_t pc)
{
    return pc >= BASE && pc < BASE + CODE - 4;
}

static void restart(struct core *core)
{
    core->pc = any_place(core);
    core->it = 0;
    core->nested = 0;
    core->starts = true;
    core->now.count = 0;
}

static void step(struct core *core)
{
    const unsigned insn = halfword(core, core->pc);

    if (core->now.count >= RUN - 1 || core->nested == NEST) {
        restart(core); /* tracing was off for a while */
        return;
    }
    if (!is_code(core->pc)) {
        if (core->now.count > 0) /* straight on: nothing told of it yet */
            restart(core);
        else
            take_exception(core, core->pc);
        return;
    }
    if (below(core, 25) == 0 || insn == UDF)
        take_exception(core, core->pc);
    else
        execute(core, insn, insn >= 0xe800 ? 4 : 2);
}

static void run(struct core *core, uint64_t seed)
{
    memset(core, 0, sizeof *core);
    core->seed = seed;
    core->random = seed;
    make_program(core);
    restart(core);
    for (unsigned i = 0; i < 4000 && core->count < PACKETS; i++)
        step(core);
    assert_true(core->count > 30);
}

/* --- the dump --- */

static void put_word(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < WORD; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

struct dump {
    uint8_t bytes[PACKETS * PACKET];
    size_t size;
    unsigned first; /* the oldest packet that is still there */
    struct cairn_config *config;
};

/* Two in three are what a ring of 2^(MASK + 4) bytes has of it; its bytes in the order of the
 * trace. */
static void make_dump(struct core *core, struct dump *dump)
{
    const unsigned mask = 3 + below(core, 5);
    const unsigned slots = 2u << mask;
    const bool ring = below(core, 3) > 0;
    const bool wrapped = ring && core->count >= slots;
    const uint32_t position = core->count % slots * PACKET | (wrapped ? 4 : 0);
    const struct cairn_register registers[] = {
        {"POSITION", position}, {"MASTER", mask}, {"FLOW", 0}, {"BASE", 0x20000000}};
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_span spans[CAIRN_SPANS_MAX];
    uint8_t memory[PACKETS * PACKET] = {0};
    size_t count = 0;

    source.protocol = CAIRN_PROTOCOL_MTB;
    source.registers = registers;
    source.register_count = ring ? sizeof registers / sizeof *registers : 0;
    assert_int_equal(cairn_arch_from_name("Cortex-M33", &source.arch), CAIRN_OK);
    assert_int_equal(cairn_config_new(&source, &dump->config, NULL), CAIRN_OK);
    dump->first = wrapped ? core->count - slots : 0;
    dump->size = (wrapped ? slots : core->count) * PACKET;
    for (unsigned i = dump->first; i < core->count; i++) {
        uint8_t *at = memory + (wrapped ? i % slots : i) * PACKET;

        put_word(at, core->packets[i].source);
        put_word(at + WORD, core->packets[i].destination);
    }
    assert_int_equal(cairn_config_spans(dump->config, dump->size, spans, &count, NULL), CAIRN_OK);
    dump->size = 0;
    for (size_t i = 0; i < count; i++) {
        memcpy(dump->bytes + dump->size, memory + spans[i].offset, (size_t)spans[i].length);
        dump->size += (size_t)spans[i].length;
    }
}

static struct cairn_image *image_of(const struct core *core)
{
    const struct cairn_scope any = cairn_scope_any();
    struct cairn_image *image;

    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    assert_int_equal(cairn_image_add_bytes(image, "program", &any, CAIRN_ORDER_LITTLE, BASE,
                                           core->code, CODE, NULL),
                     CAIRN_OK);
    return image;
}

/* --- what ran --- */

struct truth {
    uint32_t at[PACKETS * RUN];
    size_t count;
    size_t seen;
};

static void make_truth(const struct core *core, unsigned first, struct truth *truth)
{
    truth->count = 0;
    truth->seen = 0;
    for (unsigned i = first; i < core->count; i++) {
        const struct packet *packet = &core->packets[i];
        const unsigned from = i > first ? 0 : packet->count - (packet->ran && packet->count > 0);

        for (unsigned k = i == first && !packet->ran ? packet->count : from; k < packet->count; k++)
            truth->at[truth->count++] = packet->run[k];
    }
}

static void check_records(const struct core *core, const struct cairn_flow_batch *records,
                          struct truth *truth)
{
    for (size_t i = 0; i < records->count; i++) {
        uint32_t at = (uint32_t)records->address[i];

        if (records->kind[i] == CAIRN_FLOW_GAP || records->kind[i] == CAIRN_FLOW_WARNING)
            fail_msg("seed %llu: kind %u, value %llu, at %x, packet %llu",
                     (unsigned long long)core->seed, records->kind[i],
                     (unsigned long long)records->value[i], (unsigned)at,
                     (unsigned long long)records->offset[i] / PACKET);
        if (records->kind[i] != CAIRN_FLOW_RANGE)
            continue;
        for (unsigned k = 0; k < records->instructions[i]; k++) {
            assert_true(truth->seen < truth->count);
            if (truth->at[truth->seen] != at)
                fail_msg("seed %llu: %x ran, not %x, packet %llu", (unsigned long long)core->seed,
                         truth->at[truth->seen], at,
                         (unsigned long long)records->offset[i] / PACKET);
            truth->seen++;
            at += halfword(core, at) >= 0xe800 ? 4 : 2;
        }
    }
}

static void check_reference(const struct core *core, const struct engine_case *input,
                            struct truth *truth)
{
    struct cairn_decoder *decoder;
    struct cairn_flow_batch *records;
    size_t position = 0;

    assert_int_equal(cairn_decoder_new(input->config, input->image, &decoder), CAIRN_OK);
    assert_int_equal(cairn_flow_batch_new(RECORDS, &records), CAIRN_OK);
    do {
        records->count = 0;
        assert_int_equal(cairn_decoder_run(decoder, input->data, input->size, &position, records),
                         CAIRN_OK);
        check_records(core, records, truth);
    } while (records->count > 0);
    do {
        records->count = 0;
        assert_int_equal(cairn_decoder_finish(decoder, records), CAIRN_OK);
        check_records(core, records, truth);
    } while (records->count > 0);
    assert_int_equal(truth->seen, truth->count);
    cairn_flow_batch_free(records);
    cairn_decoder_free(decoder);
}

static void test_what_ran(void **state)
{
    static struct core core;
    static struct truth truth;
    size_t instructions = 0;
    (void)state;

    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct dump dump;

        run(&core, seed);
        make_dump(&core, &dump);
        make_truth(&core, dump.first, &truth);
        const struct engine_case input = {
            .config = dump.config, .image = image_of(&core), .data = dump.bytes, .size = dump.size};

        check_reference(&core, &input, &truth);
        if (!engine_compare_ways(&input, UINT32_C(0x1001) << seed % 4, seed, stdout))
            fail_msg("seed %llu", (unsigned long long)seed);
        instructions += truth.count;
        cairn_image_unref(input.image);
        cairn_config_unref(dump.config);
    }
    print_message("# %zu instructions\n", instructions);
    assert_true(instructions > ROUNDS * 100);
}

/* Words changed, packets taken away and put in. */
static void damage(struct core *core, struct dump *dump)
{
    static const uint32_t special[] = {0,          UINT32_MAX, EXC_RETURN, EXC_RETURN | 1,
                                       0xfefffffe, 0xfffffffe, NOWHERE,    0xe0000000};

    for (unsigned i = 1 + below(core, 12); i > 0; i--) {
        const size_t at = below(core, (uint32_t)dump->size / WORD) * WORD;
        const size_t packet = at / PACKET * PACKET;

        switch (below(core, 4)) {
        case 0: dump->bytes[at + below(core, WORD)] ^= (uint8_t)(1u << below(core, 8)); break;
        case 1: put_word(dump->bytes + at, special[below(core, 8)]); break;
        case 2: put_word(dump->bytes + at, BASE + below(core, CODE)); break;
        default:
            memmove(dump->bytes + packet, dump->bytes + packet + PACKET,
                    dump->size - packet - PACKET);
        }
    }
    dump->size -= below(core, PACKET);
}

static void test_damaged(void **state)
{
    static struct core core;
    (void)state;

    for (uint64_t seed = 1; seed <= DAMAGED; seed++) {
        struct dump dump;

        run(&core, seed + ROUNDS);
        make_dump(&core, &dump);
        damage(&core, &dump);
        const struct engine_case input = {
            .config = dump.config, .image = image_of(&core), .data = dump.bytes, .size = dump.size};

        if (!engine_compare_ways(&input, UINT32_C(0x1111) << seed % 4, seed, stdout))
            fail_msg("seed %llu", (unsigned long long)seed);
        cairn_image_unref(input.image);
        cairn_config_unref(dump.config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_ran),
        cmocka_unit_test(test_damaged),
    };

    return cmocka_run_group_tests_name("engine mtb", tests, NULL, NULL);
}
