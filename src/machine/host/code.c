/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/host/code.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/golden.h"
#include "pe/sysreg.h"

enum { BUCKETS = 1 << 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cairn_host_code *buckets[BUCKETS];
static struct cairn_host_draft the_draft; /* under the lock */

/* --- drafts --- */

/* Exclusives, compare and swap; atomic operations (DDI0487 C4.1.88). */
static bool is_atomic(uint32_t word)
{
    return (word & 0x3f000000u) == 0x08000000u || (word & 0x3b200c00u) == 0x38200000u;
}

static void gather(struct cairn_host_draft *draft, const struct qemu_tb *tb,
                   bool (*is_looked_at)(uint32_t encoding))
{
    const size_t count = qemu_plugin_tb_n_insns(tb);

    for (size_t i = 0; i < count; i++) {
        const struct qemu_insn *insn = qemu_plugin_tb_get_insn(tb, i);

        if (draft->size == sizeof draft->bytes || qemu_plugin_insn_size(insn) != 4 ||
            qemu_plugin_insn_vaddr(insn) != draft->address + draft->size) {
            draft->size = 0;
            return;
        }
        memcpy(draft->bytes + draft->size, qemu_plugin_insn_data(insn), 4);
        const uint32_t word = cairn_load_le32(draft->bytes + draft->size);
        const struct cairn_pe_instruction instruction = cairn_pe_instruction_of(word);

        draft->writes |= instruction.kind == CAIRN_PE_MSR && is_looked_at(instruction.encoding);
        draft->atomic |= is_atomic(word);
        draft->size += 4;
    }
}

static void divide(struct cairn_host_draft *draft, struct cairn_unit *scanner)
{
    for (size_t at = 0; at < draft->size;) {
        const size_t size =
            cairn_unit_scan(scanner, CAIRN_ISA_A64, draft->address + at, draft->bytes + at,
                            draft->size - at, &draft->blocks[draft->count]);

        if (size == 0) {
            cairn_host_draft_empty(draft);
            return;
        }
        draft->count++;
        at += size;
    }
}

struct cairn_host_draft *cairn_host_draft(const struct qemu_tb *tb, bool is_A64,
                                          struct cairn_unit *scanner,
                                          bool (*is_looked_at)(uint32_t encoding))
{
    struct cairn_host_draft *draft = &the_draft;

    pthread_mutex_lock(&lock);
    draft->address = qemu_plugin_tb_vaddr(tb);
    draft->version = 0;
    draft->atomic = false;
    draft->writes = false;
    cairn_host_draft_empty(draft);
    if (is_A64)
        gather(draft, tb, is_looked_at);
    divide(draft, scanner);
    return draft;
}

void cairn_host_draft_empty(struct cairn_host_draft *draft)
{
    draft->page = 0;
    draft->size = 0;
    draft->count = 0;
}

/* --- records --- */

static uint64_t hash_of(const struct cairn_host_draft *draft)
{
    uint64_t hash = (draft->address ^ (uint64_t)draft->page << 40) * CAIRN_GOLDEN;

    for (size_t at = 0; at < draft->size; at += 4)
        hash = (hash ^ cairn_load_le32(draft->bytes + at)) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

static void describe_end(struct cairn_host_code *code)
{
    const struct cairn_block *last = &code->blocks[code->count - 1];
    const bool direct = last->kind == CAIRN_INSN_BRANCH_DIRECT;

    code->anywhere = last->kind == CAIRN_INSN_BRANCH_INDIRECT;
    code->returns = (last->flags & CAIRN_INSN_ERET) != 0;
    code->always = !direct || !(last->flags & CAIRN_INSN_CONDITIONAL);
    code->target = direct ? last->target : code->next;
}

static struct cairn_host_code *make(const struct cairn_host_draft *draft, uint64_t hash)
{
    const size_t blocks = draft->count * sizeof *draft->blocks;
    struct cairn_host_code *code = calloc(1, sizeof *code + blocks + draft->size);

    if (!code)
        return NULL;
    code->address = draft->address;
    code->next = draft->address + draft->size;
    code->target = code->next;
    code->page = draft->page;
    code->size = (uint32_t)draft->size;
    code->instructions = code->size / 4;
    code->count = (uint32_t)draft->count;
    code->writes = draft->writes;
    code->plain = draft->count == 1 && !draft->writes;
    code->hash = hash;
    code->bytes = (const uint8_t *)code->blocks + blocks;
    if (draft->count > 0) {
        memcpy(code->blocks, draft->blocks, blocks);
        memcpy((uint8_t *)code->blocks + blocks, draft->bytes, draft->size);
        code->last = code->size - 4;
        describe_end(code);
    }
    code->chain = buckets[hash % BUCKETS];
    buckets[hash % BUCKETS] = code;
    return code;
}

static struct cairn_host_code *find(const struct cairn_host_draft *draft, uint64_t hash)
{
    struct cairn_host_code *code = buckets[hash % BUCKETS];

    while (code &&
           !(code->hash == hash && code->address == draft->address && code->page == draft->page &&
             code->size == draft->size && memcmp(code->bytes, draft->bytes, draft->size) == 0))
        code = code->chain;
    return code;
}

struct cairn_host_code *cairn_host_keep(const struct cairn_host_draft *draft,
                                        void (*describe)(struct cairn_host_code *code,
                                                         const struct cairn_host_draft *draft))
{
    const uint64_t hash = hash_of(draft);
    struct cairn_host_code *code = find(draft, hash);

    if (!code) {
        code = make(draft, hash);
        if (code && code->size > 0)
            describe(code, draft);
    }
    if (code && code->size > 0)
        atomic_store_explicit(&code->version, draft->version, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
    return code;
}

void cairn_host_flush(bool (*is_executed)(const struct cairn_host_code *code))
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < BUCKETS; i++) {
        struct cairn_host_code **link = &buckets[i];

        while (*link) {
            struct cairn_host_code *code = *link;

            if (is_executed(code)) {
                link = &code->chain;
            } else {
                *link = code->chain;
                free(code);
            }
        }
    }
    pthread_mutex_unlock(&lock);
}
