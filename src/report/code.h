/* SPDX-License-Identifier: BSD-2-Clause */
/* The instructions of a flow's ranges, for listings: sizes, opcodes, disassembly, symbols. */
#ifndef CAIRN_REPORT_CODE_H
#define CAIRN_REPORT_CODE_H

#include <time.h>

#include <cairn/flow.h>

#include "image/frames.h"

#define CAIRN_CODE_TEXT 120
#define CAIRN_CODE_SHOWN 256

/* One instruction as a listing shows it. */
struct cairn_code_line {
    uint64_t address;
    uint32_t opcode;              /* as struct cairn_insn has it */
    uint8_t size;                 /* bytes: 2 or 4 */
    const char *symbol;           /* that covers the address, or NULL */
    uint64_t symbol_offset;       /* of the address from the symbol's start */
    const char *object;           /* without a symbol: the ELF file that it is of, or NULL */
    uint8_t bare;                 /* letters of `text` in front of that symbol */
    bool has_target;              /* it is a direct branch */
    uint64_t target;              /* of it */
    char text[CAIRN_CODE_TEXT];   /* disassembly; a direct branch's target with its symbol behind */
    uint16_t shown_size;          /* what a listing made of it, for the next time: 0 is nothing */
    uint16_t shown_flag;          /* where the outcome stands in it */
    char shown[CAIRN_CODE_SHOWN]; /* not terminated */
};

/* Where an instruction is in the sources: levels, innermost first. */
struct cairn_code_place {
    size_t count;
    struct timespec changed; /* when the program's file was written */
    struct cairn_frame frames[CAIRN_FRAMES_MAX];
};

/* Reads one source's image as its flow does: follows the Context records. One thread. */
struct cairn_code;

/* CAIRN_E_MEMORY, or what cairn_space_new says. Nothing is loaded until text is asked for. */
CAIRN_MUST_CHECK cairn_status cairn_code_new(struct cairn_config *config, struct cairn_image *image,
                                             struct cairn_code **code);
void cairn_code_free(struct cairn_code *code); /* NULL is fine */

/* Takes in a Context record of the flow. */
void cairn_code_context(struct cairn_code *code, uint64_t address, uint64_t value);

/* The next calls are about a range of the packet at `offset`. */
void cairn_code_select(struct cairn_code *code, uint64_t offset);
/* The same of any place: counts tell files apart by the source in it. */
void cairn_code_select_place(struct cairn_code *code, const struct cairn_place *place);

/* Size of the instruction at `address`: always 4 in A64 and A32; in T32 2 or 4 by the image, and 2
 * where there is no memory. */
unsigned cairn_code_size(struct cairn_code *code, enum cairn_isa isa, uint64_t address);

/* The instruction in words; NULL where there is no memory. Valid until the next call, and `shown`
 * is the caller's to fill. */
struct cairn_code_line *cairn_code_line(struct cairn_code *code, enum cairn_isa isa,
                                        uint64_t address);

/* Whether instructions had to be put in words that only LLVM has, and without it. */
bool cairn_code_lacks_llvm(const struct cairn_code *code);

/* The instruction at `address`, classified; false where there is no memory. */
bool cairn_code_insn(struct cairn_code *code, enum cairn_isa isa, uint64_t address,
                     struct cairn_insn *insn);

/* Whether the data of the code at `address` is big-endian, as its image has it. False where nothing
 * says so: there is no memory, or it is no ELF file's. */
bool cairn_code_data_order(struct cairn_code *code, uint64_t address, enum cairn_order *order);

/* What a listing shows behind the last instruction of the range in record `index`: 'E' or 'N', '?'
 * for an outcome that is not known, ' ' for none. Where every instruction has an Atom
 * (CAIRN_TELLS_CONDITIONS), E behind what is no branch is no news and left out. */
char cairn_code_outcome(struct cairn_code *code, const struct cairn_flow_batch *batch,
                        size_t index);

/* The symbol that covers an address under the selected place; NULL when none is known. */
const char *cairn_code_symbol(struct cairn_code *code, uint64_t address, uint64_t *offset);

/* Where the code at an address is in the sources, as far as debug information tells. Valid until the
 * next call. */
const struct cairn_code_place *cairn_code_place(struct cairn_code *code, uint64_t address);

/* A word of data under the selected place, of memory or of the file that names what is there. */
bool cairn_code_word(struct cairn_code *code, uint64_t address, uint32_t *word);

/* What it reads. */
struct cairn_image *cairn_code_image(const struct cairn_code *code);

#endif
