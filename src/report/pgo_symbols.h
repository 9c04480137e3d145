/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of a binary under the names that BOLT has for them: a global one by its symbol; a local one by symbol,
 * source file if the symbol table has it, and a number that tells those of one name apart: "helper/parse.c/1". Without
 * a source file, and with that of LTO, the number is that among all local ones of the name: "helper/2". */
#ifndef CAIRN_REPORT_PGO_SYMBOLS_H
#define CAIRN_REPORT_PGO_SYMBOLS_H

#include "image/file.h"

struct cairn_pgo_function {
    uint64_t first, last; /* addresses in the file, both included */
    const char *name;     /* of the symbol */
    const char *source;   /* of a local one; NULL: not known */
    uint32_t number;      /* of a local one, from 1 on; 0: it is global */
};

struct cairn_pgo_functions {
    struct Elf *elf;
    struct cairn_pgo_function *list; /* by address, disjoint */
    size_t count;
};

/* CAIRN_E_MEMORY. Without symbols there are none. */
CAIRN_MUST_CHECK cairn_status cairn_pgo_functions_read(const struct cairn_file *file,
                                                       struct cairn_pgo_functions *functions);
void cairn_pgo_functions_clear(struct cairn_pgo_functions *functions);
/* The one that has the address, or NULL. */
const struct cairn_pgo_function *
cairn_pgo_functions_find(const struct cairn_pgo_functions *functions, uint64_t address);

#endif
