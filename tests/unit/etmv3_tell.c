/* SPDX-License-Identifier: BSD-2-Clause */
/* A random program under a random setting, told to the bench's ETMv3 model and noted in `told`. */
#include "etmv3_history.h"

#include <stdio.h>
#include <string.h>

#define STEPS 400u
#define DATA_BASE 0x20000000u
#define DATA_LIMIT 0x20010000u /* of what filters of data addresses tell apart */
#define DATA_RANGE "ETMACVR3=20000000 ETMACVR4=20010000 ETMACTR3=1c ETMACTR4=1c"
#define DATA_ABORT 0xcu /* IHI0014 table 7-11 */

cairn_unit_watch *tell_watch;

static uint32_t below(uint32_t limit)
{
    return program_below(&program, limit);
}

static bool one_in(uint32_t n)
{
    return program_one_in(&program, n);
}

/* The last transfer was inside of the range of addresses by which trace goes. */
static bool is_on_by_data;

static bool is_filtered_out(uint32_t address)
{
    if (setting.by_data)
        return !is_on_by_data;
    const uint32_t a = address & ~1u;

    return setting.filters && a >= PROGRAM_ARM + WORD * PROGRAM_SLOTS / 2 && a < PROGRAM_THUMB;
}

static struct cairn_context now;
static uint64_t cycles;

static void note_move(uint32_t address, uint32_t value, size_t insn)
{
    assert_true(told.moves < LIST);
    told.move[told.moves++] = (struct moved){address, setting.value ? value : 0, insn, true, 0};
}

static bool has_data(void)
{
    return setting.value || setting.address;
}

/* By the filter of data addresses. */
static bool is_viewed(uint32_t address)
{
    return setting.view == VIEW_ALL || (address < DATA_LIMIT) == (setting.view == VIEW_INCLUDE);
}

/* Not from one side of the filter's bound to the other: the second half of an instruction whose
 * first half was traced has packets of its own kind (7.4.5). */
static uint32_t choose_data_address(uint32_t bytes, uint32_t count)
{
    const uint32_t address = DATA_BASE + bytes * below(1u << (1 + below(20)));

    return address < DATA_LIMIT && address + bytes * count > DATA_LIMIT ? DATA_LIMIT : address;
}

static void note_insn(uint32_t address, bool passed)
{
    assert_true(told.insns < LIST);
    told.insn[told.insns++] = (struct executed){
        address, passed, false, false, now.context_id & setting.context_mask, now.security, cycles};
}

/* An instruction, and its transfers that are still to come. */
struct moving {
    const struct program_transfers *form;
    uint32_t address, left;
    uint32_t from; /* where it is */
    bool traced;
    bool beneath; /* others were told since */
    size_t insn;  /* in `told`, if it is traced */
};

/* What the last instruction was, besides. */
static struct {
    uint32_t address;
    bool passed;
    bool returned; /* from an exception, and nothing was popped */
    bool aborted;  /* perhaps behind some of its transfers */
    bool traced;
} last_told;

/* Trace begins with the instruction whose transfer it is, or beneath it with the last one. */
static void note_on_by_data(struct moving *moving, bool inside)
{
    is_on_by_data = inside;
    if (!setting.by_data || !inside || moving->traced)
        return;
    moving->traced = true;
    moving->insn = told.insns;
    note_insn(moving->from, true);
    last_told.traced = true;
    if (!moving->beneath)
        return;
    told.insn[moving->insn].implied = true;
    note_insn(last_told.address, last_told.passed);
}

/* Between registers: ViewData counts only if the filter of coprocessors is on, and no data address
 * includes it. */
static void tell_coprocessor(struct moving *moving)
{
    const uint32_t value = below(UINT32_MAX) >> 8 * below(4);

    transfer(0, WORD, value,
             CAIRN_UNIT_DATA_COPROCESSOR | (moving->form->store ? CAIRN_UNIT_DATA_STORE : 0));
    note_on_by_data(moving, false);
    if (moving->traced && setting.coprocessor &&
        (!setting.coprocessor_viewed || setting.view != VIEW_INCLUDE))
        note_move(0, value, moving->insn);
}

static void tell_memory(struct moving *moving)
{
    const uint32_t bytes = moving->form->bytes;
    const uint32_t value = below(UINT32_MAX) >> 8 * below(4);
    const uint64_t whole = bytes == 8 ? (uint64_t)~value << 32 | value : value;
    const uint32_t low = bytes < WORD ? value & ((1u << 8 * bytes) - 1) : value;

    transfer(moving->address, bytes, whole, moving->form->store ? CAIRN_UNIT_DATA_STORE : 0);
    note_on_by_data(moving, moving->address < DATA_LIMIT);
    if (!moving->traced || !has_data() || !is_viewed(moving->address))
        return;
    note_move(moving->address, low, moving->insn);
    if (bytes == 8)
        note_move(moving->address + WORD, ~value, moving->insn);
}

static void tell_transfers(struct moving *moving, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (moving->form->coprocessor)
            tell_coprocessor(moving);
        else
            tell_memory(moving);
        moving->address += moving->form->bytes;
        moving->left--;
    }
}

/* A and R profiles: beneath which others execute. */
static struct moving pending;

static void finish_pending(void)
{
    tell_transfers(&pending, pending.left);
}

/* M profile: eight registers, by the core itself. */
static void tell_stacking(bool store, bool traced)
{
    const uint32_t address = DATA_BASE + 32 * below(1000);

    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t value = below(UINT32_MAX) >> 8 * below(4);

        transfer(address + WORD * i, WORD, value,
                 CAIRN_UNIT_DATA_STACKING | (store ? CAIRN_UNIT_DATA_STORE : 0));
        if (traced && has_data() && is_viewed(address))
            note_move(address + WORD * i, value, store ? MOVED_BY_ENTRY : MOVED_BY_RETURN);
    }
}

static void tell_time(void)
{
    const uint64_t passed = one_in(4) ? 0 : one_in(10) ? below(40) : 1;

    cycles += passed;
    cairn_unit_cycles(bench.unit, passed);
    cairn_unit_time(bench.unit, cycles);
}

static uint32_t behind(uint32_t address, const struct program_insn *insn, bool passed)
{
    if (!passed ||
        (insn->kind != CAIRN_INSN_BRANCH_DIRECT && insn->kind != CAIRN_INSN_BRANCH_INDIRECT))
        return address + insn->size;
    return insn->kind == CAIRN_INSN_BRANCH_DIRECT ? insn->target : program_place(&program);
}

static void note_exception(unsigned type)
{
    assert_true(told.exceptions < LIST);
    told.exception[told.exceptions++] = (struct taken){told.insns, type};
}

/* M profile: where instructions wait that were interrupted between two transfers. */
static uint32_t paused[STEPS];
static unsigned paused_count;

/* M profile: some indirect branches return from an exception. */
static bool returns(const struct program_insn *insn, bool passed)
{
    return setting.m_profile && passed && insn->kind == CAIRN_INSN_BRANCH_INDIRECT && one_in(2);
}

static void tell_return(bool traced)
{
    if (traced)
        note_exception(TYPE_RETURN);
    last_told.returned = one_in(3);
    if (!last_told.returned)
        tell_stacking(false, traced);
}

/* Not if its one implied Atom would be that of the first half alone. */
static bool may_wait(uint32_t address)
{
    const bool halves = !(setting.id >> 18 & 1u);

    return has_data() && !setting.m_profile &&
           !(halves && (address & 1u) && insn_at(address)->size == 4);
}

/* A load or store; on the A and R profiles it may end in a Data Abort, or go on beneath others. */
static void tell_data(uint32_t address, const struct program_transfers *form, bool traced)
{
    struct moving moving = {.form = form,
                            .address = choose_data_address(form->bytes, form->count),
                            .left = form->count,
                            .from = address,
                            .traced = traced,
                            .insn = told.insns - 1};

    last_told.aborted = setting.aborts && !form->coprocessor && one_in(8);
    if (last_told.aborted) {
        tell_transfers(&moving, below(form->count));
    } else if (may_wait(address) && one_in(4)) {
        tell_transfers(&moving, below(form->count));
        pending = moving;
        cairn_unit_data_pending(bench.unit, pending.left);
    } else {
        tell_transfers(&moving, form->count);
    }
}

/* Whether the instruction is traced: as it is by the filter, or beneath one that is. Where it is
 * the first one, the other is told in front of it, by the I-sync. */
static bool note_beneath(uint32_t address)
{
    if (pending.left == 0)
        return !is_filtered_out(address);
    pending.beneath = true;
    if (!pending.traced && !is_filtered_out(address)) {
        pending.traced = true;
        pending.insn = told.insns;
        note_insn(pending.from, true);
        told.insn[pending.insn].implied = true;
    }
    return pending.traced;
}

static uint32_t tell_insn(uint32_t address)
{
    const struct program_insn *insn = insn_at(address);
    const bool passed = insn->must_pass || !one_in(5) || insn->kind == CAIRN_INSN_ISB;
    const bool is_return = returns(insn, passed);
    const struct cairn_block block = {
        .address = address & ~1u,
        .target = insn->kind == CAIRN_INSN_BRANCH_DIRECT ? insn->target & ~1u : 0,
        .size = insn->size,
        .count = 1,
        .isa = address & 1u ? CAIRN_ISA_T32 : CAIRN_ISA_A32,
        .kind = insn->kind,
        .flags = is_return ? CAIRN_INSN_ERET : 0,
        .last_size = insn->size,
        .target_isa = insn->target & 1u ? CAIRN_ISA_T32 : CAIRN_ISA_A32,
    };

    if (insn->transfers)
        finish_pending();
    else if (pending.left > 0 && one_in(2))
        tell_transfers(&pending, 1);
    tell_time();
    const bool traced = note_beneath(address);
    cairn_unit_execute(bench.unit, &block, passed);
    if (traced)
        note_insn(address, passed);
    last_told.traced = traced;
    last_told.address = address;
    last_told.passed = passed;
    last_told.returned = false;
    last_told.aborted = false;
    if (passed && insn->transfers)
        tell_data(address, insn->transfers, traced);
    if (is_return)
        tell_return(traced);
    if (is_return && !last_told.returned && paused_count > 0 && one_in(2))
        return paused[--paused_count];
    return behind(address, insn, passed);
}

/* An exception as the model is told, and as packets have it. */
static unsigned choose_type(bool cancels, unsigned *in_packet)
{
    static const struct {
        uint16_t number, in_packet;
    } m[] = {{15, 0xf}, {16, 8}, {19, 3}, {24, 24}, {40, 40}, {14, 0xe}};
    const unsigned n = below(6);

    if (!setting.m_profile) {
        *in_packet = cancels ? DATA_ABORT : 0xe;
        return cancels ? CAIRN_EXCEPTION_DATA_FAULT : CAIRN_EXCEPTION_IRQ;
    }
    *in_packet = cancels ? 0xd : m[n].in_packet;
    return cancels ? 4 : m[n].number;
}

/* In front of the next instruction, or of the last one, which is taken back. */
static uint32_t tell_exception(uint32_t last, uint32_t next, bool can_cancel)
{
    finish_pending();
    const bool was_traced = last_told.traced;
    const bool cancels = can_cancel && one_in(3) && next != last;
    const uint32_t returns_to = cancels ? last : next;
    unsigned in_packet = 0;
    const unsigned type = choose_type(cancels, &in_packet);

    cairn_unit_exception(bench.unit, type, returns_to & ~1u,
                         returns_to & 1u ? CAIRN_ISA_T32 : CAIRN_ISA_A32);
    if (cancels && was_traced)
        told.insns--;
    if (was_traced)
        note_exception(in_packet);
    if (setting.m_profile && !last_told.returned)
        tell_stacking(true, was_traced);
    return program_place(&program);
}

/* The last instruction was traced, and is taken back. */
static void note_cancel(void)
{
    told.insns--;
    for (size_t i = told.moves; i > 0 && told.move[i - 1].insn == told.insns; i--)
        told.move[i - 1].insn = MOVED_BY_CANCELLED;
}

/* A and R profiles: a Data Abort takes the last instruction back, with what it has transferred. */
static uint32_t tell_abort(uint32_t address)
{
    cairn_unit_exception(bench.unit, CAIRN_EXCEPTION_DATA_FAULT, address & ~1u,
                         address & 1u ? CAIRN_ISA_T32 : CAIRN_ISA_A32);
    if (last_told.traced) {
        note_cancel();
        note_exception(DATA_ABORT);
        told.aborts++;
    }
    return program_place(&program);
}

/* M profile: the last instruction made some of its transfers, and goes on later. */
static uint32_t tell_pause(uint32_t address)
{
    unsigned in_packet = 0;
    const unsigned type = choose_type(false, &in_packet);

    note_cancel();
    cairn_unit_exception(bench.unit, type, address & ~1u, CAIRN_ISA_T32);
    note_exception(in_packet);
    tell_stacking(true, true);
    paused[paused_count++] = address;
    return program_place(&program);
}

static void tell_context(void)
{
    finish_pending();
    if (one_in(2))
        now.context_id = below(1u << 20);
    else if (setting.id == BENCH_A)
        now.security = one_in(2) ? CAIRN_SECURE : CAIRN_NONSECURE;
    cairn_unit_context(bench.unit, &now);
}

static void tell(bool may_cancel)
{
    uint32_t address = program_place(&program);
    bool fresh = true; /* nothing was told of the place before */

    paused_count = 0;
    pending.left = 0;
    is_on_by_data = false;
    cairn_unit_cycles(bench.unit, 2); /* a count of 0 would be unknown */
    cycles = 2;
    for (unsigned step = 0; step < STEPS; step++) {
        const uint32_t last = address;

        if (one_in(30))
            tell_context();
        address = tell_insn(address);
        const struct program_insn *insn = insn_at(last);
        const bool plain = insn->kind == CAIRN_INSN_OTHER && !insn->transfers;
        if (last_told.aborted)
            address = tell_abort(last);
        else if (setting.m_profile && insn->transfers && last_told.passed && one_in(4))
            address = tell_pause(last);
        else if (one_in(12) || last_told.returned)
            address = tell_exception(last, address, may_cancel && plain && !fresh);
        if (one_in(60))
            cairn_unit_flush(bench.unit);
        fresh = false;
    }
    tell_insn(address); /* a branch packet waits for its target */
    cairn_unit_disable(bench.unit);
}

static void choose(unsigned what)
{
    static const uint32_t ids[] = {BENCH_R, BENCH_A, 0x4100f230u, 0x411cf240u};
    static const uint32_t old_ids[] = {0x4100f200u, 0x4100f210u, 0x4104f220u};
    static const uint32_t masks[] = {0, 0xff, 0xffff, 0xffffffff};
    const uint32_t context = below(4);

    if (!setting.m_profile)
        setting.id = what & TELL_OLD ? old_ids[below(3)] : ids[below(4)];
    /* Up to v3.2 no P-header says three instructions of one cycle, and no core has them. */
    setting.cycles = one_in(2) && (what & TELL_CYCLES) && !(what & TELL_OLD && !setting.m_profile);
    setting.value = one_in(2) && (what & TELL_DATA);
    setting.address = one_in(2) && (what & TELL_DATA);
    setting.coprocessor = setting.value && one_in(2);
    setting.coprocessor_viewed = setting.coprocessor && one_in(2);
    setting.filters = one_in(3);
    setting.by_data = !setting.filters && !setting.m_profile && has_data() && one_in(4);
    setting.view = one_in(2) ? VIEW_ALL : one_in(2) ? VIEW_INCLUDE : VIEW_EXCLUDE;
    setting.context_mask = masks[context];
    setting.control = (setting.cycles ? 1u << 12 : 0) | (setting.value ? 1u << 2 : 0) |
                      (setting.address ? 1u << 3 : 0) | (setting.coprocessor ? 1u << 1 : 0) |
                      (setting.coprocessor_viewed ? 1u << 19 : 0) | context << 14 |
                      (one_in(4) ? 1u << 8 : 0) |
                      (setting.id == BENCH_A && one_in(2) ? 1u << 28 : 0);
    if (what & TELL_DATA_ONLY)
        setting.control = (setting.control & ~(1u << 12)) | 1u << 20 | 1u << 3 | 1u << 2;
}

void tell_program(uint64_t seed, unsigned what)
{
    /* The second pair of comparators is on data addresses, of loads and stores. */
    static const char *const view[] = {
        [VIEW_ALL] = "",
        [VIEW_INCLUDE] = " ETMVDCR3=2 " DATA_RANGE,
        [VIEW_EXCLUDE] = " ETMVDCR3=10200 " DATA_RANGE,
    };
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    char registers[512];

    if (what & TELL_TOO_MUCH) {
        options.fifo_bytes = 96;
        options.fifo_drain = 12;
    }
    setting.m_profile = (what & TELL_M_PROFILE) != 0;
    setting.id = BENCH_M;
    program.random = seed;
    program.thumb_only = setting.m_profile;
    setting.aborts = !(what & (TELL_M_PROFILE | TELL_NO_CANCEL));
    program.keeps_state = (what & TELL_NO_EXCHANGE) != 0;
    program_make(&program);
    choose(what);
    told.insns = told.moves = told.exceptions = told.aborts = 0;
    seen.insns = seen.moves = seen.exceptions = seen.implied = 0;
    now = (struct cairn_context){.security = CAIRN_SECURE};
    if (one_in(2))
        options.choices |= CAIRN_UNIT_DATA_OUT_OF_ORDER;
    options.watch = tell_watch;
    snprintf(registers, sizeof registers, "ETMCR=%x ETMSYNCFR=%x %s%s", setting.control,
             (what & TELL_TOO_MUCH ? options.fifo_bytes : 40) + below(200),
             setting.filters
                 ? "ETMTECR1=1000001 ETMACVR1=8400 ETMACVR2=20000 ETMACTR1=19 ETMACTR2=19"
             : setting.by_data ? "ETMTECR1=2 " DATA_RANGE
                               : "",
             view[setting.view]);
    bench_begin_with(setting.id, registers, options);
    tell(!(what & TELL_NO_CANCEL));
}
