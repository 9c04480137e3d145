/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of translated code, as the plugins of whole machines keep them: instructions of A64 at addresses in a row,
 * divided into blocks. QEMU translates a piece of code again whenever it threw the translation away, so records are kept
 * by their content; all go when QEMU flushes its buffer, whose size is thus their bound. */
#ifndef CAIRN_MACHINE_HOST_CODE_H
#define CAIRN_MACHINE_HOST_CODE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/unit.h>

#include "machine/pages.h"
#include "machine/qemu/abi.h"

#define CAIRN_HOST_CODE_BYTES CAIRN_PAGE_BYTES /* QEMU's code does not go on into another page */

struct cairn_host_code {
    uint64_t address;
    uint64_t next;   /* behind it; of src/machine/system where it always branches, `target` */
    uint64_t target; /* of a direct branch at its end; else `next` */
    uint32_t page;   /* cairn_versions_page */
    _Atomic uint32_t version; /* one that has it */
    uint32_t instructions;
    uint32_t size;  /* 0: code of which nothing is told */
    uint32_t count; /* of blocks */
    uint32_t last;  /* from `address` to the last instruction */
    bool anywhere;  /* its end may lead anywhere */
    bool always;    /* what is at its end is taken, whatever follows */
    bool guarded;   /* where it leads does not tell whether its end was reached */
    bool returns;   /* ERET */
    bool writes;    /* a System register that the plugin looks at */
    bool plain;     /* one block, and it writes none */
    uint64_t hash;
    const uint8_t *bytes; /* behind the blocks */
    struct cairn_host_code *chain;
    struct cairn_block blocks[];
};

/* What is gathered of one translation. */
struct cairn_host_draft {
    uint64_t address;
    uint32_t page, version;
    size_t size; /* 0: nothing is told of it */
    size_t count;
    bool atomic; /* an instruction that QEMU may give up, to execute it alone */
    bool writes;
    uint8_t bytes[CAIRN_HOST_CODE_BYTES];
    struct cairn_block blocks[CAIRN_HOST_CODE_BYTES / 4];
};

/* The translation, divided as `scanner` divides code. Code in AArch32 state has instructions of other sizes, or none
 * of these: it has no size. `is_looked_at`: of the encoding of a System register. Other threads wait until the draft is kept. */
struct cairn_host_draft *cairn_host_draft(const struct qemu_tb *tb, bool is_A64,
                                          struct cairn_unit *scanner,
                                          bool (*is_looked_at)(uint32_t encoding));
/* Nothing is told of it after all. */
void cairn_host_draft_empty(struct cairn_host_draft *draft);
/* The draft's record, new or old. `describe`: sets what a plugin knows better of a new one that has a size, `guarded`
 * among it. NULL: memory is out. */
struct cairn_host_code *cairn_host_keep(const struct cairn_host_draft *draft,
                                        void (*describe)(struct cairn_host_code *code,
                                                         const struct cairn_host_draft *draft));
/* QEMU has thrown its translations away: all records go but those being executed. */
void cairn_host_flush(bool (*is_executed)(const struct cairn_host_code *code));

#endif
