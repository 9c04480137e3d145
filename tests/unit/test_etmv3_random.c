/* SPDX-License-Identifier: BSD-2-Clause */
/* Random programs through the ETMv3 model and back: every instruction, its condition, its context
 * and its cycle, every exception, every transfer's address and value are what the model was told;
 * and so is the flow that the program's bytes and the trace give.
 * CAIRN_SEEDS=N runs N programs. */
#include "etmv3_bench.h"
#include "etmv3_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/flow.h>

#define STEPS 400u
#define LIST 8192u
#define WORD 4u

struct executed {
    uint32_t address; /* bit 0: Thumb */
    bool passed;
    uint32_t context_id;
    uint8_t security;
    uint64_t cycles; /* told up to here */
};

struct moved {
    uint32_t address, value;
    size_t insn; /* in the list of what was executed */
    bool known;  /* its value */
    uint64_t packet;
};

struct taken {
    size_t insn; /* in front of this one */
    unsigned type;
};

struct history {
    size_t insns, moves, exceptions;
    struct executed insn[LIST];
    struct moved move[LIST];
    struct taken exception[LIST];
};

static struct program program;
static struct history told, seen;

static struct setting {
    uint32_t id, control;
    bool filters; /* ETMTECR1 includes the first half of each program only */
    bool cycles, value, address;
    uint32_t context_mask;
} setting;

static uint32_t below(uint32_t limit)
{
    return program_below(&program, limit);
}

static bool one_in(uint32_t n)
{
    return program_one_in(&program, n);
}

static const struct program_insn *insn_at(uint32_t address)
{
    const struct program_insn *insn = program_at(&program, address);

    assert_non_null(insn);
    return insn;
}

static bool is_filtered_out(uint32_t address)
{
    const uint32_t a = address & ~1u;

    return setting.filters && a >= PROGRAM_ARM + WORD * PROGRAM_SLOTS / 2 && a < PROGRAM_THUMB;
}

/* --- telling --- */

static struct cairn_context now;
static uint64_t cycles;

static void note_move(uint32_t address, uint32_t value)
{
    assert_true(told.moves < LIST);
    told.move[told.moves++] =
        (struct moved){address, setting.value ? value : 0, told.insns - 1, true, 0};
}

static void tell_transfers(bool traced)
{
    const uint32_t words = one_in(3) ? 1 + below(5) : 1;
    const uint32_t bytes = words > 1 ? WORD : one_in(4) ? 8 : 1u << below(3);
    uint32_t address = 0x20000000 + bytes * below(1u << (1 + below(20)));
    const bool is_store = one_in(2);

    for (uint32_t i = 0; i < words; i++, address += bytes) {
        const uint32_t value = below(UINT32_MAX) >> 8 * below(4);
        const uint64_t whole = bytes == 8 ? (uint64_t)~value << 32 | value : value;
        const uint32_t low = bytes < WORD ? value & ((1u << 8 * bytes) - 1) : value;

        transfer(address, bytes, whole, is_store ? CAIRN_UNIT_DATA_STORE : 0);
        if (!traced || !(setting.value || setting.address))
            continue;
        note_move(address, low);
        if (bytes == 8)
            note_move(address + WORD, ~value);
    }
}

static void tell_time(void)
{
    const uint64_t passed = one_in(4) ? 0 : one_in(10) ? below(40) : 1;

    cycles += passed;
    cairn_unit_cycles(bench.unit, passed);
    cairn_unit_time(bench.unit, cycles);
}

static void note_insn(uint32_t address, bool passed)
{
    assert_true(told.insns < LIST);
    told.insn[told.insns++] = (struct executed){
        address, passed, now.context_id & setting.context_mask, now.security, cycles};
}

static uint32_t behind(uint32_t address, const struct program_insn *insn, bool passed)
{
    if (!passed ||
        (insn->kind != CAIRN_INSN_BRANCH_DIRECT && insn->kind != CAIRN_INSN_BRANCH_INDIRECT))
        return address + insn->size;
    return insn->kind == CAIRN_INSN_BRANCH_DIRECT ? insn->target : program_place(&program);
}

static uint32_t tell_insn(uint32_t address)
{
    const struct program_insn *insn = insn_at(address);
    const bool passed = insn->must_pass || !one_in(5) || insn->kind == CAIRN_INSN_ISB;
    const bool traced = !is_filtered_out(address);
    const struct cairn_block block = {
        .address = address & ~1u,
        .target = insn->kind == CAIRN_INSN_BRANCH_DIRECT ? insn->target & ~1u : 0,
        .size = insn->size,
        .count = 1,
        .isa = address & 1u ? CAIRN_ISA_T32 : CAIRN_ISA_A32,
        .kind = insn->kind,
        .last_size = insn->size,
        .target_isa = insn->target & 1u ? CAIRN_ISA_T32 : CAIRN_ISA_A32,
    };

    tell_time();
    cairn_unit_execute(bench.unit, &block, passed);
    if (traced)
        note_insn(address, passed);
    if (passed && insn->transfers)
        tell_transfers(traced);
    return behind(address, insn, passed);
}

/* An interrupt in front of the next instruction, or of the last one, which is taken back. */
static uint32_t tell_exception(uint32_t last, uint32_t next, bool can_cancel)
{
    const bool was_traced = !is_filtered_out(last);
    const bool cancels = can_cancel && one_in(3) && next != last;
    const uint32_t returns_to = cancels ? last : next;

    cairn_unit_exception(bench.unit, cancels ? CAIRN_EXCEPTION_DATA_FAULT : CAIRN_EXCEPTION_IRQ,
                         returns_to & ~1u, returns_to & 1u ? CAIRN_ISA_T32 : CAIRN_ISA_A32);
    if (cancels && was_traced)
        told.insns--;
    if (was_traced)
        told.exception[told.exceptions++] = (struct taken){told.insns, cancels ? 0xc : 0xe};
    return program_place(&program);
}

static void tell_context(void)
{
    if (one_in(2))
        now.context_id = below(1u << 20);
    else if (setting.id == BENCH_A)
        now.security = one_in(2) ? CAIRN_SECURE : CAIRN_NONSECURE;
    cairn_unit_context(bench.unit, &now);
}

static void tell(void)
{
    uint32_t address = program_place(&program);
    bool fresh = true; /* nothing was told of the place before */

    cairn_unit_cycles(bench.unit, 2); /* a count of 0 would be unknown */
    cycles = 2;
    for (unsigned step = 0; step < STEPS; step++) {
        const uint32_t last = address;

        if (one_in(30))
            tell_context();
        address = tell_insn(address);
        const struct program_insn *insn = insn_at(last);
        const bool plain = insn->kind == CAIRN_INSN_OTHER && !insn->transfers;
        if (one_in(12))
            address = tell_exception(last, address, plain && !fresh);
        if (one_in(60))
            cairn_unit_flush(bench.unit);
        fresh = false;
    }
    tell_insn(address); /* a branch packet waits for its target */
    cairn_unit_disable(bench.unit);
}

/* --- seeing --- */

struct walk {
    uint32_t address;
    bool known;
    struct cairn_context context;
    uint64_t cycles;
    size_t data_insn;
    uint32_t next_data;
    bool in_half; /* the first atom of a 32-bit Thumb instruction was seen; a Cancel takes only the
                     second one back */
    bool wide_is_one;
};

static void see_atom(struct walk *walk, bool passed)
{
    const struct program_insn *insn = insn_at(walk->address);
    const bool branches = passed && (insn->kind == CAIRN_INSN_BRANCH_DIRECT ||
                                     insn->kind == CAIRN_INSN_BRANCH_INDIRECT);

    assert_true(walk->known);
    assert_true(seen.insns < LIST);
    if (!walk->wide_is_one && (walk->address & 1u) && insn->size == 4 && !walk->in_half) {
        walk->in_half = true;
        return;
    }
    walk->in_half = false;
    seen.insn[seen.insns++] = (struct executed){walk->address, passed, walk->context.context_id,
                                                walk->context.security, walk->cycles};
    if (passed && insn->transfers)
        walk->data_insn = seen.insns - 1;
    if (!branches)
        walk->address += insn->size;
    else if (insn->kind == CAIRN_INSN_BRANCH_DIRECT)
        walk->address = insn->target;
    walk->known = !branches || insn->kind == CAIRN_INSN_BRANCH_DIRECT;
}

static void see_late(const struct cairn_element_data *data)
{
    for (size_t i = 0; i < seen.moves; i++)
        if (!seen.move[i].known && seen.move[i].packet == data->address) {
            seen.move[i].value = (uint32_t)data->value;
            seen.move[i].known = true;
            return;
        }
    fail_msg("a value without a placeholder");
}

static void see_data(struct walk *walk, uint64_t offset, const struct cairn_element_data *data)
{
    const unsigned kind = CAIRN_DATA_KIND(data->cycles);

    if (kind == CAIRN_DATA_LATE) {
        see_late(data);
        return;
    }
    assert_true(kind == CAIRN_DATA_NORMAL || kind == CAIRN_DATA_PLACEHOLDER);
    if (data->info & CAIRN_DATA_HAS_ADDRESS)
        walk->next_data = (uint32_t)data->address;
    assert_true(seen.moves < LIST);
    seen.move[seen.moves++] =
        (struct moved){walk->next_data, (uint32_t)data->value, walk->data_insn,
                       kind == CAIRN_DATA_NORMAL || !setting.value, offset};
    walk->next_data += WORD;
}

static void see_address(struct walk *walk, uint16_t flags, const struct cairn_element_data *data)
{
    const uint32_t address = (uint32_t)data->address | data->sub_isa;

    assert_false(flags & CAIRN_ELEMENT_UNKNOWN);
    if ((flags & CAIRN_ELEMENT_CHECK) && walk->known)
        assert_int_equal(walk->address, address);
    walk->address = address;
    walk->known = true;
    walk->in_half = false;
}

static void see_element(struct walk *walk, const struct cairn_element_batch *batch, size_t i)
{
    const struct cairn_element_data *data = &batch->data[i];

    switch (batch->kind[i]) {
    case CAIRN_ELEMENT_ATOM: see_atom(walk, (batch->flags[i] & CAIRN_ELEMENT_E) != 0); break;
    case CAIRN_ELEMENT_TARGET_ADDRESS: see_address(walk, batch->flags[i], data); break;
    case CAIRN_ELEMENT_CONTEXT: walk->context = data->context; break;
    case CAIRN_ELEMENT_CYCLE_COUNT:
        assert_false(batch->flags[i] & CAIRN_ELEMENT_UNKNOWN);
        walk->cycles += data->value;
        break;
    case CAIRN_ELEMENT_EXCEPTION:
        assert_true(seen.exceptions < LIST);
        seen.exception[seen.exceptions++] = (struct taken){seen.insns, (unsigned)data->value};
        break;
    case CAIRN_ELEMENT_DATA: see_data(walk, batch->offset[i], data); break;
    case CAIRN_ELEMENT_TRACE_ON: walk->known = false; break;
    case CAIRN_ELEMENT_GAP: fail_msg("a gap at %llu", (unsigned long long)batch->offset[i]); break;
    default: break;
    }
}

static void see(void)
{
    struct cairn_config *config = cairn_unit_config(bench.unit);
    struct cairn_packet_batch *packets;
    struct cairn_element_batch *raw, *resolved;
    struct cairn_packets *parser;
    struct cairn_elements *elements;
    struct cairn_resolver *resolver;
    struct walk walk = {.wide_is_one = (setting.id >> 18 & 1u) != 0};
    size_t position = 0;

    assert_int_equal(cairn_packet_batch_new(BENCH_BYTES, &packets), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(BENCH_BYTES, &raw), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(BENCH_BYTES, &resolved), CAIRN_OK);
    assert_int_equal(cairn_packets_new(config, &parser), CAIRN_OK);
    assert_int_equal(cairn_elements_new(config, &elements), CAIRN_OK);
    assert_int_equal(cairn_resolver_new(config, &resolver), CAIRN_OK);
    assert_int_equal(cairn_packets_run(parser, bench.bytes, bench.size, &position, packets),
                     CAIRN_OK);
    assert_int_equal(cairn_packets_finish(parser, packets), CAIRN_OK);
    position = 0;
    assert_int_equal(cairn_elements_run(elements, packets, &position, raw), CAIRN_OK);
    assert_int_equal(position, packets->count);
    position = 0;
    assert_int_equal(cairn_resolver_run(resolver, raw, &position, resolved), CAIRN_OK);
    assert_int_equal(position, raw->count);
    assert_int_equal(cairn_resolver_finish(resolver, resolved), CAIRN_OK);
    for (size_t i = 0; i < resolved->count; i++)
        see_element(&walk, resolved, i);
    cairn_resolver_free(resolver);
    cairn_elements_free(elements);
    cairn_packets_free(parser);
    cairn_element_batch_free(resolved);
    cairn_element_batch_free(raw);
    cairn_packet_batch_free(packets);
    cairn_config_unref(config);
}

/* --- comparing --- */

static void compare(void)
{
    for (size_t i = 0; i < told.insns && i < seen.insns; i++) {
        assert_int_equal(seen.insn[i].address, told.insn[i].address);
        assert_int_equal(seen.insn[i].passed, told.insn[i].passed);
        assert_int_equal(seen.insn[i].context_id, told.insn[i].context_id);
        if (setting.id == BENCH_A)
            assert_int_equal(seen.insn[i].security, told.insn[i].security);
        if (setting.cycles)
            assert_int_equal(seen.insn[i].cycles, told.insn[i].cycles);
    }
    assert_int_equal(seen.insns, told.insns);
    for (size_t i = 0; i < told.exceptions && i < seen.exceptions; i++) {
        assert_int_equal(seen.exception[i].insn, told.exception[i].insn);
        assert_int_equal(seen.exception[i].type, told.exception[i].type);
    }
    assert_int_equal(seen.exceptions, told.exceptions);
    for (size_t i = 0; i < told.moves && i < seen.moves; i++) {
        if (setting.address)
            assert_int_equal(seen.move[i].address, told.move[i].address);
        assert_true(seen.move[i].known);
        assert_int_equal(seen.move[i].value, told.move[i].value);
        assert_int_equal(seen.move[i].insn, told.move[i].insn);
    }
    assert_int_equal(seen.moves, told.moves);
}

static void choose(void)
{
    static const uint32_t ids[] = {BENCH_R, BENCH_A, 0x4100f230u, 0x411cf240u};
    static const uint32_t masks[] = {0, 0xff, 0xffff, 0xffffffff};
    const uint32_t context = below(4);
    setting.id = ids[below(4)];
    setting.cycles = one_in(2);
    setting.value = one_in(2);
    setting.address = one_in(2);
    setting.filters = one_in(3);
    setting.context_mask = masks[context];
    setting.control = (setting.cycles ? 1u << 12 : 0) | (setting.value ? 1u << 2 : 0) |
                      (setting.address ? 1u << 3 : 0) | context << 14 | (one_in(4) ? 1u << 8 : 0) |
                      (setting.id == BENCH_A && one_in(2) ? 1u << 28 : 0);
}

/* --- the same through the image --- */

/* The program's bytes, and nothing that is told besides. */
static struct cairn_image *make_image(void)
{
    struct cairn_image *image = NULL;

    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    assert_int_equal(cairn_image_add_bytes(image, "arm", NULL, CAIRN_ORDER_LITTLE, PROGRAM_ARM,
                                           program.arm, sizeof program.arm, NULL),
                     CAIRN_OK);
    assert_int_equal(cairn_image_add_bytes(image, "thumb", NULL, CAIRN_ORDER_LITTLE, PROGRAM_THUMB,
                                           program.thumb, sizeof program.thumb, NULL),
                     CAIRN_OK);
    return image;
}

static void expect_record(const struct cairn_flow_batch *flow, size_t i, size_t *insn)
{
    const struct executed *wanted = &told.insn[*insn];

    if (flow->kind[i] == CAIRN_FLOW_GAP || flow->kind[i] == CAIRN_FLOW_WARNING)
        fail_msg("%s %llu at %llx", cairn_flow_kind_name(flow->kind[i]),
                 (unsigned long long)flow->value[i], (unsigned long long)flow->address[i]);
    if (flow->kind[i] != CAIRN_FLOW_RANGE)
        return;
    assert_true(*insn < told.insns);
    assert_int_equal(flow->address[i] | (flow->isa[i] == CAIRN_ISA_T32), wanted->address);
    assert_int_equal(flow->instructions[i], 1);
    assert_int_equal((flow->flags[i] & CAIRN_FLOW_TAKEN) != 0, wanted->passed);
    (*insn)++;
}

/* Each half of a 32-bit Thumb instruction would be a record of its own. */
static void expect_flow(void)
{
    struct cairn_config *config = cairn_unit_config(bench.unit);
    struct cairn_image *image = make_image();
    struct cairn_decoder *decoder;
    struct cairn_flow_batch *flow;
    size_t position = 0;
    size_t insn = 0;

    assert_int_equal(cairn_decoder_new(config, image, &decoder), CAIRN_OK);
    assert_int_equal(cairn_flow_batch_new(BENCH_BYTES, &flow), CAIRN_OK);
    assert_int_equal(cairn_decoder_run(decoder, bench.bytes, bench.size, &position, flow),
                     CAIRN_OK);
    assert_int_equal(position, bench.size);
    assert_int_equal(cairn_decoder_finish(decoder, flow), CAIRN_OK);
    for (size_t i = 0; i < flow->count; i++)
        expect_record(flow, i, &insn);
    assert_int_equal(insn, told.insns);
    cairn_flow_batch_free(flow);
    cairn_decoder_free(decoder);
    cairn_image_unref(image);
    cairn_config_unref(config);
}

static void run_seed(uint64_t seed)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    char registers[256];

    program.random = seed;
    program_make(&program);
    choose();
    memset(&told, 0, sizeof told);
    memset(&seen, 0, sizeof seen);
    now = (struct cairn_context){.security = CAIRN_SECURE};
    if (one_in(2))
        options.choices |= CAIRN_UNIT_DATA_OUT_OF_ORDER;
    snprintf(registers, sizeof registers, "ETMCR=%x ETMSYNCFR=%x %s", setting.control,
             40 + below(200),
             setting.filters ? "ETMTECR1=1000001 ETMACVR1=8400 ETMACVR2=20000 ETMACTR1=19 "
                               "ETMACTR2=19"
                             : "");
    bench_begin_with(setting.id, registers, options);
    tell();
    see();
    compare();
    if (setting.id >> 18 & 1u)
        expect_flow();
    bench_end();
}

static void test_random(void **state)
{
    const char *seeds = getenv("CAIRN_SEEDS");
    const uint64_t count = seeds ? strtoull(seeds, NULL, 10) : 300;

    (void)state;
    for (uint64_t seed = 0; seed < count; seed++) {
        if (seeds)
            print_message("seed %llu\n", (unsigned long long)seed);
        run_seed(seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
