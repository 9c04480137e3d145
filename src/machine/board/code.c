/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of translated code. QEMU translates a piece of code again whenever it threw the translation away, so records
 * are kept by their content; all go when QEMU flushes its buffer, whose size is thus their bound. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "machine/board/board.h"
#include "pe/sysreg.h"

enum {
    BUCKETS = 1 << 16,
    INSTRUCTIONS_MAX = 1024, /* of a translation; QEMU stops at 512 */
    BYTES_MAX = 4 * INSTRUCTIONS_MAX,
};
#define SYS_TLBI_CRN 8u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cairn_board_code *buckets[BUCKETS];

/* What is gathered of one translation; under the lock. */
static struct draft {
    uint64_t address;
    size_t size;
    size_t count;
    bool mirrors;
    uint8_t bytes[BYTES_MAX];
    struct cairn_block blocks[INSTRUCTIONS_MAX];
} draft;

/* Code in AArch32 state has instructions of other sizes, or none of these: nothing is told of it. */
static void gather(const struct qemu_tb *tb, bool is_A64)
{
    const size_t count = qemu_plugin_tb_n_insns(tb);

    draft.address = qemu_plugin_tb_vaddr(tb);
    draft.size = 0;
    draft.count = 0;
    draft.mirrors = false;
    for (size_t i = 0; is_A64 && i < count && i < INSTRUCTIONS_MAX; i++) {
        const struct qemu_insn *insn = qemu_plugin_tb_get_insn(tb, i);

        if (qemu_plugin_insn_size(insn) != 4 ||
            qemu_plugin_insn_vaddr(insn) != draft.address + draft.size) {
            draft.size = 0;
            return;
        }
        memcpy(draft.bytes + draft.size, qemu_plugin_insn_data(insn), 4);
        const struct cairn_pe_instruction instruction =
            cairn_pe_instruction_of(cairn_load_le32(draft.bytes + draft.size));
        if (instruction.kind == CAIRN_PE_MSR && cairn_board_is_mirrored(instruction.encoding))
            draft.mirrors = true;
        draft.size += 4;
    }
}

static void divide(void)
{
    for (size_t at = 0; at < draft.size;) {
        const size_t size =
            cairn_unit_scan(cairn_board.scanner, CAIRN_ISA_A64, draft.address + at,
                            draft.bytes + at, draft.size - at, &draft.blocks[draft.count]);

        if (size == 0) {
            draft.size = 0;
            draft.count = 0;
            return;
        }
        draft.count++;
        at += size;
    }
}

static void describe_end(struct cairn_board_code *code)
{
    const struct cairn_block *last = &code->blocks[code->count - 1];
    const bool direct = last->kind == CAIRN_INSN_BRANCH_DIRECT;

    code->anywhere = last->kind == CAIRN_INSN_BRANCH_INDIRECT;
    code->returns = (last->flags & CAIRN_INSN_ERET) != 0;
    code->always = !direct || !(last->flags & CAIRN_INSN_CONDITIONAL);
    code->target = direct ? last->target : code->next;
    code->guarded = code->anywhere || (direct && code->target - code->address < code->size);
}

static uint64_t hash_draft(void)
{
    uint64_t hash = draft.address * UINT64_C(0x9e3779b97f4a7c15);

    for (size_t at = 0; at < draft.size; at += 4)
        hash = (hash ^ cairn_load_le32(draft.bytes + at)) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

static struct cairn_board_code *make(uint64_t hash)
{
    const size_t blocks = draft.count * sizeof *draft.blocks;
    struct cairn_board_code *code = calloc(1, sizeof *code + blocks + draft.size);

    if (!code)
        return NULL;
    code->address = draft.address;
    code->next = draft.address + draft.size;
    code->target = code->next;
    code->size = (uint32_t)draft.size;
    code->count = (uint32_t)draft.count;
    code->mirrors = draft.mirrors;
    code->hash = hash;
    code->bytes = (const uint8_t *)code->blocks + blocks;
    if (draft.count > 0) {
        memcpy(code->blocks, draft.blocks, blocks);
        memcpy((uint8_t *)code->blocks + blocks, draft.bytes, draft.size);
        code->last = code->size - 4;
        describe_end(code);
    }
    code->chain = buckets[hash % BUCKETS];
    buckets[hash % BUCKETS] = code;
    return code;
}

static struct cairn_board_code *keep(void)
{
    divide();

    const uint64_t hash = hash_draft();
    struct cairn_board_code *code = buckets[hash % BUCKETS];
    while (code && !(code->hash == hash && code->address == draft.address &&
                     code->size == draft.size && memcmp(code->bytes, draft.bytes, draft.size) == 0))
        code = code->chain;
    return code ? code : make(hash);
}

/* Each is told in front of it. */
static void watch_instructions(const struct qemu_tb *tb, const struct cairn_board_code *code)
{
    for (size_t at = 0; at < code->size; at += 4) {
        const struct cairn_pe_instruction instruction =
            cairn_pe_instruction_of(cairn_load_le32(code->bytes + at));
        if (cairn_board_watches())
            qemu_plugin_register_vcpu_mem_cb(
                qemu_plugin_tb_get_insn(tb, at / 4), cairn_board_on_access, QEMU_REGISTERS_NONE,
                QEMU_LOADS_AND_STORES, (void *)(uintptr_t)(code->bytes + at));
        const bool is_TLBI =
            instruction.kind == CAIRN_PE_SYS && (instruction.encoding >> 7 & 15) == SYS_TLBI_CRN;

        if (is_TLBI || instruction.kind == CAIRN_PE_TSB_CSYNC || instruction.kind == CAIRN_PE_DSB)
            qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, at / 4),
                                                   cairn_board_on_instruction, QEMU_REGISTERS_NONE,
                                                   (void *)(uintptr_t)(code->bytes + at));
    }
}

void cairn_board_translated(qemu_id id, struct qemu_tb *tb)
{
    const size_t count = qemu_plugin_tb_n_insns(tb);
    struct cairn_board_core *core;

    (void)id;
    if (!cairn_board_start() || count == 0)
        return;
    core = cairn_board_here();
    pthread_mutex_lock(&lock);
    gather(tb, core && *core->host.is_A64 != 0);
    struct cairn_board_code *code = keep();
    pthread_mutex_unlock(&lock);
    if (!code) {
        cairn_board_fail("out of memory for what is executed");
        return;
    }
    qemu_plugin_register_vcpu_tb_exec_cb(tb, cairn_board_on_code, QEMU_REGISTERS_READ, code);
    watch_instructions(tb, code);
    if (code->guarded)
        qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, count - 1),
                                               cairn_board_on_end, QEMU_REGISTERS_NONE, code);
}

static bool is_being_executed(const struct cairn_board_code *code)
{
    for (unsigned i = 0; i < cairn_board.count; i++)
        if (cairn_board.cores[i].code == code)
            return true;
    return false;
}

void cairn_board_flushed(qemu_id id)
{
    (void)id;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < BUCKETS; i++) {
        struct cairn_board_code **link = &buckets[i];

        while (*link) {
            struct cairn_board_code *code = *link;

            if (is_being_executed(code)) {
                link = &code->chain;
            } else {
                *link = code->chain;
                free(code);
            }
        }
    }
    pthread_mutex_unlock(&lock);
}
