/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that were executed, by number. */
#ifndef CAIRN_CALLS_FUNCTIONS_H
#define CAIRN_CALLS_FUNCTIONS_H

#include <cairn/image.h>

struct cairn_function {
    const char *name;         /* as the symbol table has it; NULL: no symbol */
    const char *object;       /* or NULL */
    uint64_t address;         /* of its beginning; 0 without a symbol */
    struct cairn_place place; /* that it was first seen at: for its file and line */
    bool is_stub;   /* a veneer, or without a symbol: it may stand in for what it jumps to */
    bool is_label;  /* of assembly: a branch to it need not be a call of any kind */
    bool is_part;   /* what the compiler moved out of another function: .cold */
    bool is_setjmp; /* returns more than once */
    bool is_resume; /* goes on unwinding: never back into its caller */
};

struct cairn_functions {
    struct cairn_function *list; /* 0 is none: nothing is known of the code */
    uint32_t count, capacity;
    uint32_t *slots; /* 0 is empty */
    unsigned bits;
    bool failed; /* memory was short: what was asked for is 0 */
};

/* Zero it first. */
void cairn_functions_free(struct cairn_functions *functions);

/* The function of the code at an address under the space's place. *starts: it begins there. */
uint32_t cairn_functions_at(struct cairn_functions *functions, const struct cairn_space *space,
                            uint64_t address, bool *starts);

#endif
