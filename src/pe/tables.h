/* SPDX-License-Identifier: BSD-2-Clause */
/* Translation tables of stage 1 made in memory of their own: granule of 4KB, addresses of 48 bits in both
 * ranges. For scripts: software brings its own (cairn_pe_options.walk). */
#ifndef CAIRN_PE_TABLES_H
#define CAIRN_PE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_PE_TABLES_PAGE 4096u
#define CAIRN_PE_TABLES_MOST 1024u /* tables, of one page each */
/* Of the first table. What memory there is else at these addresses, walks do not see. */
#define CAIRN_PE_TABLES_BASE UINT64_C(0xf0000000)

struct cairn_pe_tables {
    uint64_t *pages[CAIRN_PE_TABLES_MOST];
    unsigned count; /* 0 and 1 are the first tables of the lower and the upper range */
};

enum cairn_pe_page {
    CAIRN_PE_PAGE_NONE,      /* Translation fault */
    CAIRN_PE_PAGE_WRITABLE,  /* by EL1 and EL2 */
    CAIRN_PE_PAGE_READ_ONLY, /* Permission fault */
    CAIRN_PE_PAGE_UNUSED,    /* the Access flag is 0: Access flag fault */
};

/* NULL: no memory. */
struct cairn_pe_tables *cairn_pe_tables_new(void);
void cairn_pe_tables_free(struct cairn_pe_tables *tables);
/* An address is of one of the ranges. */
bool cairn_pe_tables_hold(uint64_t VA);
/* One page. *was is what stood there: 0, or a descriptor that differs from the new one. false: no memory, or
 * too many tables. */
bool cairn_pe_tables_set(struct cairn_pe_tables *tables, uint64_t VA, uint64_t PA,
                         enum cairn_pe_page kind, uint64_t *was);
/* The descriptor at a physical address; false: there is no table. */
bool cairn_pe_tables_read(const struct cairn_pe_tables *tables, uint64_t address, uint64_t *value);

#endif
