/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that were executed, by number. */
#ifndef CAIRN_CALLS_FUNCTIONS_H
#define CAIRN_CALLS_FUNCTIONS_H

#include <cairn/image.h>

#include "image/frames.h"
#include "image/handlers.h"
#include "image/space.h"

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

/* Addresses in a row that are one function's: what a file says of it, as far as the file is there in an era. */
struct cairn_function_span {
    uint64_t first, last;
    uint64_t start; /* where the function begins */
    uint64_t bias;
    uint64_t file_first, file_last; /* as the file has it */
    const struct cairn_file *file;
    const char *path;
    const struct cairn_handlers *handlers; /* NULL: no exception lands there */
    uint32_t function;
    uint32_t era;     /* of the table; 0: none */
    uint32_t next;    /* of `found` */
    bool has_a_start; /* it has a symbol */
};
#define CAIRN_FUNCTIONS_MAX (UINT32_C(1) << 28)
#define CAIRN_FUNCTION_SPANS (1u << 13)
/* Spans that are kept, and their pages. */
#define CAIRN_FUNCTION_SPANS_FOUND (1u << 16)
#define CAIRN_FUNCTION_PAGES (1u << 12)

struct cairn_functions {
    struct cairn_function *list; /* 0 is none: nothing is known of the code */
    uint32_t count, capacity;
    uint32_t *slots; /* 0 is empty */
    unsigned bits;
    bool failed; /* memory was short: what was asked for is 0 */
    /* What was asked for lately, by address; good while the space shows the same as in its era. */
    struct cairn_function_span *spans;
    const struct cairn_function_span *asked; /* of the address that was asked for last; or NULL */
    struct cairn_function_span
        *found; /* of all eras, each in the list of a page it was asked for; 0 is none */
    size_t found_count, found_room;
    uint32_t *pages; /* the last one found of each */
    uint32_t era;
    struct cairn_code_file code; /* that was found last, */
    uint32_t code_era;           /* in this era; 0: none */
    const struct cairn_space *space;
    struct cairn_held held;
    uint64_t identity;
};

/* Zero it first. */
void cairn_functions_free(struct cairn_functions *functions);
/* What was asked for lately: their numbers are others now. */
void cairn_functions_forget(struct cairn_functions *functions);

/* The function of the code at an address under the space's place. *starts: it begins there. */
uint32_t cairn_functions_at(struct cairn_functions *functions, const struct cairn_space *space,
                            uint64_t address, bool *starts);

/* Whether an exception lands at the address that was asked for last, under the same place. */
bool cairn_functions_lands(const struct cairn_functions *functions, uint64_t address);

/* Whether the file of the address that was asked for last has all up to `last` as well, in the same function. */
bool cairn_functions_holds(const struct cairn_functions *functions, uint64_t address,
                           uint64_t last);

#endif
