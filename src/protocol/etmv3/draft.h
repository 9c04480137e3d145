/* SPDX-License-Identifier: BSD-2-Clause */
/* One packet under construction: bytes, and the compression state as it will be behind it. Every
 * function that returns bool returns false when the fields cannot be expressed; what is in the
 * draft is worthless then. */
#ifndef CAIRN_PROTOCOL_ETMV3_DRAFT_H
#define CAIRN_PROTOCOL_ETMV3_DRAFT_H

#include "protocol/etmv3/etmv3.h"

#define CAIRN_ETMV3_DRAFT_BYTES 32u /* the longest, an LSiP I-sync with all there is, 22 */

struct cairn_etmv3_draft {
    const struct cairn_etmv3_config *config;
    const struct cairn_packet_fields *fields;
    struct cairn_etmv3_state state;
    size_t size;
    uint8_t bytes[CAIRN_ETMV3_DRAFT_BYTES];
};

static inline bool cairn_etmv3_has(const struct cairn_etmv3_draft *draft, uint32_t flag)
{
    return (draft->fields->flags & flag) != 0;
}

/* Always true, so that a packet of one byte is `return cairn_etmv3_put(...)`. */
static inline bool cairn_etmv3_put(struct cairn_etmv3_draft *draft, unsigned byte)
{
    draft->bytes[draft->size++] = (uint8_t)byte;
    return true;
}

/* write_branch.c: the compressed `address`; all else is the fields'. */
bool cairn_etmv3_put_branch(struct cairn_etmv3_draft *draft, uint64_t address, bool is_lsip);

#endif
