/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions of M profile cores by their vector table: which number an exception has, and whether
 * the table leads to where the trace went on. */
#ifndef CAIRN_REPORT_VECTORS_H
#define CAIRN_REPORT_VECTORS_H

#include <cairn/packet.h>

#include "report/code.h"

#define CAIRN_VECTOR_TABLES_MAX 32
#define CAIRN_VECTOR_NAME 16
#define CAIRN_VECTOR_NONE 0u         /* the table's entry 0 is no exception's */
#define CAIRN_VECTORS_MAX (16 + 480) /* Armv8-M: as many interrupts as there can be */

struct cairn_vector_table {
    uint64_t address;
    unsigned count;                      /* entries that are there */
    uint32_t entries[CAIRN_VECTORS_MAX]; /* as they were when it was found */
};

struct cairn_vectors {
    bool looked;
    const struct cairn_register *registers; /* of the core; */
    size_t register_count;                  /* VTOR may be among them */
    size_t count;
    struct cairn_vector_table *tables; /* owned; CAIRN_VECTOR_TABLES_MAX. What is likely first */
};

void cairn_vectors_clear(struct cairn_vectors *vectors);

/* VTOR is written with this address. */
void cairn_vectors_moved(struct cairn_vectors *vectors, struct cairn_code *code, uint64_t table);

/* The number of an exception by its name in a protocol ("HardFault", "IRQ 3", "IRQ3"); or NONE. */
unsigned cairn_vectors_number(const char *name);

/* The name of a number: "HardFault", "IRQ22". */
void cairn_vectors_name(unsigned number, char name[CAIRN_VECTOR_NAME]);

/* Whether a table says that the exception is handled at `target`. */
bool cairn_vectors_confirm(struct cairn_vectors *vectors, struct cairn_code *code, unsigned number,
                           uint64_t target);

/* The only exception that is handled at `target` by a table; NONE if there is none, or several. */
unsigned cairn_vectors_find(struct cairn_vectors *vectors, struct cairn_code *code,
                            uint64_t target);

#endif
