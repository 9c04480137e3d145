/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of translated code. QEMU translates a piece of code again whenever it threw the
 * translation away, so records are kept by their content; all go when QEMU flushes its buffer,
 * whose size is thus their bound. */
#include <stdlib.h>
#include <string.h>

#include "base/golden.h"
#include "machine/qemu/core.h"
#include "machine/qemu/plugin.h"

enum {
    BUCKETS = 1 << 16,
    INSTRUCTIONS_MAX = 1024, /* of a TB; QEMU stops at 512 */
    BYTES_MAX = 4 * INSTRUCTIONS_MAX,
    HANDLERS_MAX = 1024,
    T_BIT = 1 << 5,          /* of the CPSR */
    T32_FIRST_OF_TWO = 0xe8, /* high byte of a first halfword, DDI0487 F3.1 */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cairn_qemu_tb *buckets[BUCKETS];
static cairn_entry handlers[HANDLERS_MAX];
static size_t handler_count;

/* What is gathered of one TB; under the lock. */
static struct draft {
    uint64_t address;
    size_t size;
    size_t last_at; /* of the last instruction */
    size_t count;   /* of blocks */
    enum cairn_isa isa;
    uint8_t it;
    struct cairn_insn last;
    uint8_t last_it;
    uint8_t bytes[BYTES_MAX];
    struct cairn_block blocks[INSTRUCTIONS_MAX];
} draft;

static bool is_handler(cairn_entry entry)
{
    for (size_t i = 0; i < handler_count; i++)
        if (handlers[i] == entry)
            return true;
    return false;
}

bool cairn_qemu_is_handler(cairn_entry entry)
{
    pthread_mutex_lock(&lock);
    const bool answer = is_handler(entry);
    pthread_mutex_unlock(&lock);
    return answer;
}

void cairn_qemu_handler(cairn_entry entry)
{
    pthread_mutex_lock(&lock);
    if (handler_count == HANDLERS_MAX && !is_handler(entry)) {
        /* A signal that it is for may then look like a branch. */
        atomic_fetch_add(&cairn_qemu.control->discontinuities, 1);
    } else if (!is_handler(entry)) {
        handlers[handler_count++] = entry;
        for (size_t i = 0; i < BUCKETS; i++)
            for (struct cairn_qemu_tb *tb = buckets[i]; tb; tb = tb->chain)
                if (tb->entry == entry)
                    tb->special = true;
    }
    pthread_mutex_unlock(&lock);
}

/* The bytes of the instructions, in the order of fetch. False where QEMU shows none: code of its
 * own in place of the kernel's (AArch32's helpers at 0xffff0fc0). Before the end of a page QEMU
 * looks at the next T32 instruction, and shows what it looked at as bytes of the one before:
 * addresses, not sizes, tell how long an instruction is. */
static bool gather(const struct qemu_tb *tb)
{
    const size_t count = qemu_plugin_tb_n_insns(tb);

    draft.address = qemu_plugin_tb_vaddr(tb);
    draft.size = 0;
    draft.count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct qemu_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        const size_t size = qemu_plugin_insn_size(insn);
        const uint64_t far = qemu_plugin_insn_vaddr(insn) - draft.address;
        if (size == 0 || far > draft.size || size > BYTES_MAX - far)
            return false;
        const size_t at = (size_t)far;
        memcpy(draft.bytes + at, qemu_plugin_insn_data(insn), size);
        draft.last_at = at;
        draft.size = at + size;
    }
    return count > 0;
}

static cairn_entry make_entry(uint64_t address, enum cairn_isa isa)
{
    return address | (isa == CAIRN_ISA_T32);
}

/* Where registers cannot be read: a direct branch to here tells, and so does an instruction of two
 * bytes. A guess that is wrong shows: its entry does not fit what leads here. */
static enum cairn_isa guess_isa(const struct qemu_tb *tb)
{
    const struct cairn_qemu_tb *previous =
        cairn_qemu_self ? cairn_qemu_self->previous : &cairn_qemu_nothing;
    const cairn_entry entry = make_entry(draft.address, CAIRN_ISA_T32);

    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++)
        if (qemu_plugin_insn_size(qemu_plugin_tb_get_insn(tb, i)) == 2)
            return CAIRN_ISA_T32;
    return entry == previous->target || entry == previous->next ? CAIRN_ISA_T32 : CAIRN_ISA_A32;
}

/* The registers are exact during a translation, since what is translated is executed next. */
static void find_isa(const struct qemu_tb *tb)
{
    uint64_t cpsr = 0;

    draft.isa = CAIRN_ISA_A64;
    draft.it = 0;
    if (cairn_qemu.is_a64)
        return;
    if (!cairn_qemu_guest_register(CAIRN_QEMU_CPSR, &cpsr)) {
        draft.isa = guess_isa(tb);
        return;
    }
    draft.isa = cairn_qemu.is_machine || (cpsr & T_BIT) ? CAIRN_ISA_T32 : CAIRN_ISA_A32;
    /* ITSTATE[7:2] is in bits 15:10, ITSTATE[1:0] in bits 26:25 */
    draft.it = (uint8_t)((cpsr >> 8 & 0xfc) | (cpsr >> 25 & 3));
}

/* What QEMU looked at behind the last instruction is not executed. */
static void cut_last(void)
{
    const uint8_t *last = draft.bytes + draft.last_at;

    if (draft.isa == CAIRN_ISA_T32 && draft.size - draft.last_at > 2 && last[1] < T32_FIRST_OF_TWO)
        draft.size = draft.last_at + 2;
}

static bool divide(void)
{
    for (size_t at = 0; at < draft.size;) {
        const size_t size =
            cairn_unit_scan(cairn_qemu.scanner, draft.isa, draft.address + at, draft.bytes + at,
                            draft.size - at, &draft.blocks[draft.count]);
        if (size == 0)
            break;
        draft.count++;
        at += size;
    }
    return draft.count > 0;
}

static size_t decode(size_t at, struct cairn_insn *insn)
{
    return cairn_insn_decode(&cairn_qemu.arch, draft.isa, draft.address + at, draft.bytes + at,
                             draft.size - at, insn);
}

/* QEMU gives up only instructions that access memory, to execute them again alone. */
static bool may_be_given_up(const struct cairn_insn *insn)
{
    return (insn->flags & (CAIRN_INSN_LOAD | CAIRN_INSN_STORE)) != 0;
}

/* Finds the last instruction with the ITSTATE it runs under; true if another one in front of it may
 * be given up. */
static bool walk(void)
{
    uint8_t it = draft.it;
    bool found = false;

    for (size_t at = 0; at < draft.size;) {
        const size_t size = decode(at, &draft.last);
        if (size == 0)
            break;
        draft.last_it = it;
        it = draft.last.it ? draft.last.it : cairn_it_advance(it);
        at += size;
        if (at < draft.size && may_be_given_up(&draft.last))
            found = true;
    }
    return found;
}

static bool is_svc(const struct cairn_insn *insn)
{
    switch (draft.isa) {
    case CAIRN_ISA_A64: return (insn->opcode & 0xffe0001fu) == 0xd4000001u;
    case CAIRN_ISA_A32:
        return (insn->opcode & 0x0f000000u) == 0x0f000000u && insn->opcode >> 28 != 0xf;
    case CAIRN_ISA_T32: return insn->size == 2 && (insn->opcode & 0xff00u) == 0xdf00u;
    case CAIRN_ISA_UNKNOWN: break;
    }
    return false;
}

/* A machine's code is also left by interrupts, where it leads to. */
static bool is_ambiguous(const struct cairn_qemu_tb *tb, const struct cairn_block *end)
{
    return tb->anywhere ||
           (end->kind == CAIRN_INSN_BRANCH_DIRECT && cairn_qemu_contains(tb, tb->target));
}

static void describe_end(struct cairn_qemu_tb *tb)
{
    const struct cairn_block *block = &draft.blocks[draft.count - 1];
    const bool memory = walk();
    const bool direct = block->kind == CAIRN_INSN_BRANCH_DIRECT;
    const unsigned by_it =
        draft.isa == CAIRN_ISA_T32 ? cairn_it_condition(draft.last_it) : CAIRN_COND_AL;
    const bool in_it = by_it != CAIRN_COND_AL;

    tb->anywhere = block->kind == CAIRN_INSN_BRANCH_INDIRECT;
    tb->may_skip = in_it || draft.last.cond != CAIRN_COND_AL ||
                   (draft.last.flags & CAIRN_INSN_CONDITIONAL) != 0;
    tb->always = !(direct || tb->anywhere) || !tb->may_skip;
    tb->calls_kernel = !cairn_qemu.is_machine && is_svc(&draft.last);
    tb->returns = cairn_qemu.is_machine && tb->anywhere && !(block->flags & CAIRN_INSN_LINK);
    tb->last = (uint32_t)draft.last_at;
    tb->transfers = cairn_qemu.data && may_be_given_up(&draft.last);
    tb->moves = cairn_qemu.data && cairn_qemu_moves(draft.isa, &draft.last);
    tb->condition = (uint8_t)(in_it ? by_it : draft.last.cond);
    tb->next = cairn_qemu_behind(tb);
    tb->target = direct ? make_entry(block->target, block->target_isa) : tb->next;
    if (direct && tb->always)
        tb->next = tb->target;
    if (cairn_qemu.is_machine) {
        tb->guarded = is_ambiguous(tb, block);
    } else if (tb->calls_kernel) {
        tb->guarded = true;
    } else if (tb->anywhere) {
        tb->guarded = memory;
    } else if (direct && cairn_qemu_contains(tb, tb->target)) {
        struct cairn_insn again;
        const size_t at = (size_t)(tb->target - tb->entry);
        tb->guarded = memory && decode(at, &again) > 0 && may_be_given_up(&again);
    }
}

static uint64_t hash_draft(void)
{
    uint64_t hash =
        (draft.address ^ (uint64_t)draft.isa << 56 ^ (uint64_t)draft.it << 48) * CAIRN_GOLDEN;

    for (size_t at = 0; at < draft.size; at++)
        hash = (hash ^ draft.bytes[at]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

static struct cairn_qemu_tb *find(uint64_t hash)
{
    struct cairn_qemu_tb *tb = buckets[hash % BUCKETS];

    while (tb && !(tb->hash == hash && tb->entry == make_entry(draft.address, draft.isa) &&
                   tb->isa == draft.isa && tb->it == draft.it && tb->size == draft.size &&
                   memcmp(tb->bytes, draft.bytes, draft.size) == 0))
        tb = tb->chain;
    return tb;
}

static struct cairn_qemu_tb *make(uint64_t hash)
{
    const size_t blocks = draft.count * sizeof *draft.blocks;
    struct cairn_qemu_tb *tb = calloc(1, sizeof *tb + blocks + draft.size);

    if (!tb)
        return NULL;
    tb->entry = make_entry(draft.address, draft.isa);
    tb->isa = (uint8_t)draft.isa;
    tb->it = draft.it;
    tb->hash = hash;
    tb->size = (uint32_t)draft.size;
    tb->count = (uint32_t)draft.count;
    tb->bytes = (uint8_t *)tb->blocks + blocks;
    if (draft.count > 0) {
        memcpy(tb->blocks, draft.blocks, blocks);
        memcpy(tb->bytes, draft.bytes, draft.size);
        for (size_t i = 0; i < draft.count; i++)
            tb->instructions += draft.blocks[i].count;
        describe_end(tb);
    }
    tb->special = tb->size == 0 || is_handler(tb->entry);
    tb->chain = buckets[hash % BUCKETS];
    buckets[hash % BUCKETS] = tb;
    return tb;
}

/* The record of the draft. */
static struct cairn_qemu_tb *keep(void)
{
    if (draft.size > 0 && !divide())
        draft.size = 0;

    const uint64_t hash = hash_draft();
    struct cairn_qemu_tb *tb = find(hash);
    if (!tb)
        tb = make(hash);
    /* Also where the record is an old one: the bytes may have been others in between. */
    if (tb && tb->size > 0) {
        const struct cairn_qemu_needs module = cairn_qemu_module(draft.address);
        const uint64_t code =
            cairn_recording_code(cairn_qemu.recording, draft.address, draft.bytes, draft.size);

        tb->epoch = code > module.epoch ? code : module.epoch;
        tb->program = module.program;
    }
    return tb;
}

static struct cairn_qemu_tb *record(const struct qemu_tb *translated)
{
    if (!gather(translated))
        draft.size = 0;
    if (cairn_qemu.every_one && qemu_plugin_tb_n_insns(translated) > 1) {
        /* QEMU was started without -singlestep */
        draft.size = 0;
        atomic_fetch_add(&cairn_qemu.control->discontinuities, 1);
    }
    find_isa(translated);
    cut_last();
    return keep();
}

const struct cairn_qemu_tb *cairn_qemu_stand_in(uint64_t address, const uint8_t *bytes, size_t size)
{
    pthread_mutex_lock(&lock);
    draft.address = address;
    draft.size = size;
    draft.count = 0;
    draft.last_at = 0;
    draft.isa = CAIRN_ISA_T32;
    draft.it = 0;
    memcpy(draft.bytes, bytes, size);
    const struct cairn_qemu_tb *tb = keep();
    pthread_mutex_unlock(&lock);
    return tb;
}

void cairn_qemu_translated(qemu_id id, struct qemu_tb *translated)
{
    (void)id;
    if (atomic_load_explicit(&cairn_qemu.stopped, memory_order_relaxed))
        return;

    const size_t count = qemu_plugin_tb_n_insns(translated);
    if (count == 0 || (cairn_qemu.is_machine && !cairn_qemu_core_is_here()))
        return;
    struct qemu_insn *first = qemu_plugin_tb_get_insn(translated, 0);
    cairn_qemu_guest_base((uint64_t)(uintptr_t)qemu_plugin_insn_haddr(first) -
                          qemu_plugin_insn_vaddr(first));

    pthread_mutex_lock(&lock);
    struct cairn_qemu_tb *tb = record(translated);
    pthread_mutex_unlock(&lock);
    if (!tb)
        return;
    qemu_plugin_register_vcpu_tb_exec_cb(translated,
                                         cairn_qemu.is_machine  ? cairn_qemu_on_machine_tb
                                         : cairn_qemu.every_one ? cairn_qemu_on_step
                                                                : cairn_qemu_on_tb,
                                         QEMU_REGISTERS_READ, tb);
    if (tb->transfers)
        cairn_qemu_watch_data(first);
    if (tb->guarded && !tb->calls_kernel)
        qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(translated, count - 1),
                                               cairn_qemu_on_end, QEMU_REGISTERS_NONE, tb);
}

void cairn_qemu_flushed(qemu_id id)
{
    (void)id;
    if (cairn_qemu.abandoned)
        return;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < BUCKETS; i++) {
        struct cairn_qemu_tb **link = &buckets[i];
        while (*link) {
            struct cairn_qemu_tb *tb = *link;
            if (cairn_qemu_is_previous(tb)) {
                link = &tb->chain;
            } else {
                *link = tb->chain;
                free(tb);
            }
        }
    }
    pthread_mutex_unlock(&lock);
}
