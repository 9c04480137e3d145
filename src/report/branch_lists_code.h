/* SPDX-License-Identifier: BSD-2-Clause */
/* The code of a binary, as branch lists go through it: from where execution is to the first instruction that a list has a
 * bit for. Those are branches and ISB; that is all that its readers know. */
#ifndef CAIRN_REPORT_BRANCH_LISTS_CODE_H
#define CAIRN_REPORT_BRANCH_LISTS_CODE_H

#include <stdbool.h>

#include <cairn/isa.h>

#include "flow/returnstack.h"
#include "image/file.h"

struct cairn_listed_code;

struct cairn_listed_block {
    uint64_t first, last;   /* instructions; `last` has the bit */
    uint64_t next;          /* behind it */
    uint64_t target;        /* of a direct branch */
    uint64_t taken, passed; /* the caller's; 0 to begin with */
    uint32_t instructions;  /* 0: there is no such instruction, or none that is near */
    uint32_t flags;         /* CAIRN_INSN_... of the last one */
    uint8_t kind;           /* enum cairn_insn_kind of the last one */
    uint8_t isa;            /* enum cairn_isa */
    uint8_t target_isa;
};

/* Of an ELF file for Arm, which must live as long. `with_wfx`: WFI and WFE have bits, too. CAIRN_E_FORMAT,
 * CAIRN_E_UNSUPPORTED: it is none that can be gone through. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_listed_code_new(const struct cairn_file *file, const char *path,
                                                    bool with_wfx, struct cairn_listed_code **code);
void cairn_listed_code_free(struct cairn_listed_code *code); /* NULL is fine */

/* In which instruction set a list at this address begins (bit 0: T32), and the address without that bit. */
uint8_t cairn_listed_code_begin(const struct cairn_listed_code *code, uint64_t *address);
/* Valid until the next call. NULL: memory is out. */
struct cairn_listed_block *cairn_listed_code_block(struct cairn_listed_code *code, uint64_t address,
                                                   uint8_t isa);
/* All that there are so far. */
const struct cairn_listed_block *cairn_listed_code_blocks(const struct cairn_listed_code *code,
                                                          size_t *count);
/* Whether it has code there. */
bool cairn_listed_code_has(const struct cairn_listed_code *code, uint64_t address);

/* Where the bit behind a block's is: *address and *isa. False: a list alone does not tell. `stack` has the calls of the
 * list: where a trace unit leaves out targets of returns, these are the calls' that it has itself. */
bool cairn_listed_follow(const struct cairn_listed_block *block, bool is_taken,
                         struct cairn_return_stack *stack, uint64_t *address, uint8_t *isa);

#endif
