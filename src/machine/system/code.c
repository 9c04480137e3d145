/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of translated code. QEMU translates a piece of code again whenever it threw the translation away, so records
 * are kept by their content; all go when QEMU flushes its buffer, whose size is thus their bound. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "machine/system/system.h"
#include "pe/sysreg.h"

enum {
    BUCKETS = 1 << 16,
    BYTES_MAX = CAIRN_PAGE_BYTES, /* QEMU's code does not go on into another page */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cairn_system_code *buckets[BUCKETS];

/* What is gathered of one translation; under the lock. */
static struct draft {
    uint64_t address;
    uint32_t page;
    size_t size;
    size_t count;
    bool atomic; /* an instruction that QEMU may give up, to execute it alone */
    bool contexts;
    uint8_t bytes[BYTES_MAX];
    struct cairn_block blocks[BYTES_MAX / 4];
} draft;

/* Exclusives, compare and swap; atomic operations (DDI0487 C4.1.88). */
static bool is_atomic(uint32_t word)
{
    return (word & 0x3f000000u) == 0x08000000u || (word & 0x3b200c00u) == 0x38200000u;
}

/* Code in AArch32 state has instructions of other sizes, or none of these: nothing is told of it. */
static void gather(const struct qemu_tb *tb, bool is_A64)
{
    const size_t count = qemu_plugin_tb_n_insns(tb);

    draft.address = qemu_plugin_tb_vaddr(tb);
    draft.size = 0;
    draft.count = 0;
    draft.atomic = false;
    draft.contexts = false;
    for (size_t i = 0; is_A64 && i < count; i++) {
        const struct qemu_insn *insn = qemu_plugin_tb_get_insn(tb, i);

        if (draft.size == BYTES_MAX || qemu_plugin_insn_size(insn) != 4 ||
            qemu_plugin_insn_vaddr(insn) != draft.address + draft.size) {
            draft.size = 0;
            return;
        }
        memcpy(draft.bytes + draft.size, qemu_plugin_insn_data(insn), 4);
        const uint32_t word = cairn_load_le32(draft.bytes + draft.size);
        const struct cairn_pe_instruction instruction = cairn_pe_instruction_of(word);

        draft.contexts |=
            instruction.kind == CAIRN_PE_MSR && cairn_system_is_of_context(instruction.encoding);
        draft.atomic |= is_atomic(word);
        draft.size += 4;
    }
}

static void divide(void)
{
    for (size_t at = 0; at < draft.size;) {
        const size_t size =
            cairn_unit_scan(cairn_system.scanner, CAIRN_ISA_A64, draft.address + at,
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

/* QEMU leaves code in front of its end because of exceptions, which say where, and to execute an atomic instruction alone,
 * which looks like the end if that leads there. A return to the same level looks like an exception. */
static void describe_end(struct cairn_system_code *code)
{
    const struct cairn_block *last = &code->blocks[code->count - 1];
    const bool direct = last->kind == CAIRN_INSN_BRANCH_DIRECT;

    code->anywhere = last->kind == CAIRN_INSN_BRANCH_INDIRECT;
    code->returns = (last->flags & CAIRN_INSN_ERET) != 0;
    code->always = !direct || !(last->flags & CAIRN_INSN_CONDITIONAL);
    code->target = direct ? last->target : code->next;
    if (direct && code->always)
        code->next = code->target;
    code->guarded =
        code->returns ||
        (draft.atomic && (code->anywhere || (direct && code->target - code->address < code->size)));
}

static uint64_t hash_draft(void)
{
    uint64_t hash = (draft.address ^ (uint64_t)draft.page << 40) * UINT64_C(0x9e3779b97f4a7c15);

    for (size_t at = 0; at < draft.size; at += 4)
        hash = (hash ^ cairn_load_le32(draft.bytes + at)) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

static struct cairn_system_code *make(uint64_t hash)
{
    const size_t blocks = draft.count * sizeof *draft.blocks;
    struct cairn_system_code *code = calloc(1, sizeof *code + blocks + draft.size);

    if (!code)
        return NULL;
    code->address = draft.address;
    code->next = draft.address + draft.size;
    code->target = code->next;
    code->page = draft.page;
    code->size = (uint32_t)draft.size;
    code->instructions = code->size / 4;
    code->count = (uint32_t)draft.count;
    code->contexts = draft.contexts;
    code->plain = draft.count == 1 && !draft.contexts;
    code->hash = hash;
    code->bytes = (uint8_t *)code->blocks + blocks;
    if (draft.count > 0) {
        memcpy(code->blocks, draft.blocks, blocks);
        memcpy(code->bytes, draft.bytes, draft.size);
        code->last = code->size - 4;
        describe_end(code);
    }
    code->chain = buckets[hash % BUCKETS];
    buckets[hash % BUCKETS] = code;
    return code;
}

static struct cairn_system_code *find(uint64_t hash)
{
    struct cairn_system_code *code = buckets[hash % BUCKETS];

    while (code &&
           !(code->hash == hash && code->address == draft.address && code->page == draft.page &&
             code->size == draft.size && memcmp(code->bytes, draft.bytes, draft.size) == 0))
        code = code->chain;
    return code;
}

/* The record of the draft, whose bytes some version of the page has. NULL: memory is out. */
static struct cairn_system_code *keep(const struct cairn_system_core *core)
{
    uint32_t version = 0;

    divide();
    draft.page = 0;
    if (draft.size > 0) {
        const unsigned EL = cairn_system_context(core).EL;
        /* Which of two security states a translation is for does not show: it may serve both. */
        const uint32_t space = EL == 3   ? CAIRN_PAGES_EL3
                               : EL == 2 ? CAIRN_PAGES_EL2
                                         : CAIRN_PAGES_EL1;

        draft.page = cairn_versions_page(cairn_system.versions, space, draft.address);
        version =
            draft.page == CAIRN_VERSIONS_NONE
                ? CAIRN_VERSIONS_NONE
                : cairn_versions_find(cairn_system.versions, draft.page, draft.address, draft.bytes,
                                      (uint32_t)draft.size, core->versions[draft.page]);
        if (version == CAIRN_VERSIONS_NONE) {
            atomic_fetch_add_explicit(&cairn_system.control->no_room, 1, memory_order_relaxed);
            draft.page = 0;
            draft.size = 0;
            draft.count = 0;
        }
    }
    const uint64_t hash = hash_draft();
    struct cairn_system_code *code = find(hash);
    if (!code)
        code = make(hash);
    if (code && code->size > 0)
        atomic_store_explicit(&code->version, version, memory_order_relaxed);
    return code;
}

void cairn_system_translated(qemu_id id, struct qemu_tb *tb)
{
    const size_t count = qemu_plugin_tb_n_insns(tb);

    (void)id;
    if (atomic_load_explicit(&cairn_system.stopped, memory_order_relaxed) || count == 0 ||
        !cairn_system_start())
        return;
    const struct cairn_system_core *core = cairn_system_here();
    if (!core)
        return;
    const bool is_A64 = *core->host.is_A64 != 0;
    if (!is_A64)
        atomic_fetch_add_explicit(&cairn_system.control->in_AArch32, 1, memory_order_relaxed);
    pthread_mutex_lock(&lock);
    gather(tb, is_A64);
    struct cairn_system_code *code = keep(core);
    pthread_mutex_unlock(&lock);
    if (!code) {
        cairn_system_complain("out of memory for what is executed: tracing ends here");
        cairn_system_quit();
        return;
    }
    qemu_plugin_register_vcpu_tb_exec_cb(tb, cairn_system_on_code, QEMU_REGISTERS_READ, code);
    if (code->guarded)
        qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, count - 1),
                                               cairn_system_on_end, QEMU_REGISTERS_NONE, code);
}

static bool is_being_executed(const struct cairn_system_code *code)
{
    for (unsigned i = 0; i < CAIRN_SYSTEM_CORES; i++)
        if (cairn_system.cores[i].code == code)
            return true;
    return false;
}

void cairn_system_flushed(qemu_id id)
{
    (void)id;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < BUCKETS; i++) {
        struct cairn_system_code **link = &buckets[i];

        while (*link) {
            struct cairn_system_code *code = *link;

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
