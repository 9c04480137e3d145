/* SPDX-License-Identifier: BSD-2-Clause */
#include "pe/tables.h"

#include <stdlib.h>

#define ENTRIES (CAIRN_PE_TABLES_PAGE / 8)
#define TABLE UINT64_C(3)
#define PAGE UINT64_C(0x703) /* attributes 0, writable at EL1, Inner Shareable, Access flag */
#define READ_ONLY UINT64_C(0x80)
#define ACCESSED UINT64_C(0x400)
#define ADDRESS UINT64_C(0xfffffffff000)
#define UPPER UINT64_C(0xffff000000000000)

/* Its number, or CAIRN_PE_TABLES_MOST. */
static unsigned add_table(struct cairn_pe_tables *tables)
{
    if (tables->count == CAIRN_PE_TABLES_MOST)
        return CAIRN_PE_TABLES_MOST;
    tables->pages[tables->count] = calloc(ENTRIES, sizeof tables->pages[0][0]);
    if (!tables->pages[tables->count])
        return CAIRN_PE_TABLES_MOST;
    return tables->count++;
}

struct cairn_pe_tables *cairn_pe_tables_new(void)
{
    struct cairn_pe_tables *tables = calloc(1, sizeof *tables);

    if (!tables)
        return NULL;
    if (add_table(tables) == 0 && add_table(tables) == 1)
        return tables;
    cairn_pe_tables_free(tables);
    return NULL;
}

void cairn_pe_tables_free(struct cairn_pe_tables *tables)
{
    if (!tables)
        return;
    for (unsigned i = 0; i < tables->count; i++)
        free(tables->pages[i]);
    free(tables);
}

bool cairn_pe_tables_hold(uint64_t VA)
{
    return (VA & UPPER) == 0 || (VA & UPPER) == UPPER;
}

static unsigned table_at(uint64_t address)
{
    return (unsigned)((address - CAIRN_PE_TABLES_BASE) / CAIRN_PE_TABLES_PAGE);
}

bool cairn_pe_tables_set(struct cairn_pe_tables *tables, uint64_t VA, uint64_t PA,
                         enum cairn_pe_page kind, uint64_t *was)
{
    static const uint64_t descriptors[] = {
        [CAIRN_PE_PAGE_NONE] = 0,
        [CAIRN_PE_PAGE_WRITABLE] = PAGE,
        [CAIRN_PE_PAGE_READ_ONLY] = PAGE | READ_ONLY,
        [CAIRN_PE_PAGE_UNUSED] = PAGE & ~ACCESSED,
    };
    const uint64_t value = descriptors[kind] | (kind ? PA & ADDRESS : 0);
    unsigned table = (VA & UPPER) != 0;
    uint64_t *entry = &tables->pages[table][VA >> 39 & (ENTRIES - 1)];

    *was = 0;
    for (unsigned shift = 30; shift >= 12; shift -= 9) {
        if (*entry == 0) {
            if (kind == CAIRN_PE_PAGE_NONE)
                return true;
            table = add_table(tables);
            if (table == CAIRN_PE_TABLES_MOST)
                return false;
            *entry = (CAIRN_PE_TABLES_BASE + (uint64_t)table * CAIRN_PE_TABLES_PAGE) | TABLE;
        }
        table = table_at(*entry & ADDRESS);
        entry = &tables->pages[table][VA >> shift & (ENTRIES - 1)];
    }
    *was = *entry == value ? 0 : *entry;
    *entry = value;
    return true;
}

bool cairn_pe_tables_read(const struct cairn_pe_tables *tables, uint64_t address, uint64_t *value)
{
    if (address < CAIRN_PE_TABLES_BASE ||
        (address - CAIRN_PE_TABLES_BASE) / CAIRN_PE_TABLES_PAGE >= tables->count)
        return false;
    *value = tables->pages[table_at(address)][address / 8 & (ENTRIES - 1)];
    return true;
}
