/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of a PE's trace buffer: its addresses translated by the owning translation regime (DDI0608
 * E1.2.1.2 to E1.2.1.5, E1.2.2.4), what lanes keep of translations, and TLB maintenance (E1.2.1.11). */
#ifndef CAIRN_PE_MEMORY_H
#define CAIRN_PE_MEMORY_H

#include <cairn/pe.h>

#include "pe/tables.h"
#include "pe/translate_cache.h"
#include "pe/trbe.h"

/* TLB maintenance that is not complete. */
#define CAIRN_PE_MAINTENANCE_MOST 16u
struct cairn_pe_maintenance {
    enum cairn_pe_TLBI operation;
    uint8_t security;
    uint64_t argument;
};

/* A lane's. */
struct cairn_pe_lane_memory {
    struct cairn_pe_translation_cache cache;
    struct cairn_pe_maintenance waiting[CAIRN_PE_MAINTENANCE_MOST];
    unsigned count;
};

struct cairn_pe;
struct cairn_pe_lane;

/* Addresses are translated: the caller gave a walk, or a script has mapped something. */
bool cairn_pe_translates(const struct cairn_pe *pe);
/* A cairn_pe_trbe_store; its context is the struct cairn_pe_lane. */
size_t cairn_pe_lane_write(void *context, const struct cairn_pe_trbe_write *write,
                           struct cairn_pe_trbe_answer *answer);
/* Where software at the present level reads, or writes, at that address; false: a fault. */
bool cairn_pe_software_address(struct cairn_pe *pe, uint64_t address, enum cairn_pe_access access,
                               struct cairn_pe_translation *to);

/* The encoding of a TLBI instruction by its name behind TLBI: "VMALLE1", "VAE1IS"; 0: none. */
uint32_t cairn_pe_TLBI_encoding(const char *name);
/* Executes it, if it is one. */
bool cairn_pe_TLBI(struct cairn_pe *pe, uint32_t encoding, uint64_t argument,
                   enum cairn_pe_answer *answer);
/* A DSB: TLB maintenance before it is complete. */
void cairn_pe_complete_maintenance(struct cairn_pe *pe);

/* Maps, or with CAIRN_PE_PAGE_NONE unmaps, pages in tables that are the PE's; the first time registers of
 * EL1 and EL2 are set to them. Addresses and size are multiples of 4KB, of one range. */
cairn_status cairn_pe_map(struct cairn_pe *pe, uint64_t VA, uint64_t PA, uint64_t size,
                          enum cairn_pe_page kind);

#endif
