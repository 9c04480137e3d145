/* SPDX-License-Identifier: BSD-2-Clause */
/* The records: how software reads, invalidates and injects them (DDI0608 F1.1.11 to F1.1.13). */
#include "pe/brbe_buffer.h"

#include "protocol/brbe/brbe.h"

#define BANKS (CAIRN_BRBE_RECORDS_MOST / CAIRN_BRBE_BANK)
#define ALL_PARTS ((1u << CAIRN_BRBE_PARTS) - 1)

#define KNOWN_BITS                                                                                 \
    (CAIRN_BRBINF_MASK(CCU) | CAIRN_BRBINF_MASK(CC) | CAIRN_BRBINF_MASK(LASTFAILED) |              \
     CAIRN_BRBINF_MASK(T) | CAIRN_BRBINF_MASK(TYPE) | CAIRN_BRBINF_MASK(EL) |                      \
     CAIRN_BRBINF_MASK(MPRED) | CAIRN_BRBINF_MASK(VALID))

void cairn_brbe_find(struct cairn_brbe *brbe, enum cairn_brbe_finding finding)
{
    if (brbe->host.finding)
        brbe->host.finding(brbe->host.context, finding);
}

void cairn_brbe_push(struct cairn_brbe *brbe, const struct cairn_branch_registers *record)
{
    const uint32_t records = brbe->features->records;

    brbe->youngest = (brbe->youngest + 1) % records;
    brbe->records[brbe->youngest] = *record;
    brbe->untold[brbe->youngest] = brbe->untold_next;
    if (brbe->valid < records)
        brbe->valid++;
    else if (brbe->old > 0)
        brbe->old--;
    if (brbe->fresh < records)
        brbe->fresh++;
    if (brbe->follower.added)
        brbe->follower.added(brbe->follower.context, record);
}

void cairn_brbe_keep(struct cairn_brbe *brbe, uint32_t youngest)
{
    if (youngest >= brbe->valid)
        return;
    /* What is kept is of now, since a reset leaves nothing fresh. */
    brbe->valid = youngest;
    brbe->old = 0;
    if (brbe->follower.dropped)
        brbe->follower.dropped(brbe->follower.context);
}

void cairn_brbe_synchronize(struct cairn_brbe *brbe)
{
    brbe->fresh = 0;
    brbe->swallow = 0;
}

/* --- BRB IALL, BRB INJ --- */

uint32_t cairn_brbe_invalidate(struct cairn_brbe *brbe, const struct cairn_brbe_side *now)
{
    const int32_t shift = brbe->options.invalidate_shift;

    if (now->state->transactional)
        return CAIRN_BRBE_TRANSACTION_ERR;
    if (shift < 0) {
        const uint32_t most = 0u - (uint32_t)shift;
        cairn_brbe_keep(brbe, brbe->fresh < most ? brbe->fresh : most);
    } else {
        cairn_brbe_keep(brbe, 0);
        brbe->swallow = (uint32_t)shift;
    }
    brbe->cycles_unknown = true;
    return 0;
}

static void inject(struct cairn_brbe *brbe, const struct cairn_brbe_side *now)
{
    const struct cairn_branch_registers record = {
        .BRBINF = brbe->injection[CAIRN_BRBE_INF] & KNOWN_BITS,
        .BRBSRC = brbe->injection[CAIRN_BRBE_SRC],
        .BRBTGT = brbe->injection[CAIRN_BRBE_TGT],
    };

    if (brbe->injection_written != ALL_PARTS)
        cairn_brbe_find(brbe, CAIRN_BRBE_INJECTS_UNKNOWN);
    /* An invalid record as the youngest would hide all others (R_SQLCX). */
    if (!CAIRN_BRBINF_GET(record.BRBINF, VALID)) {
        cairn_brbe_find(brbe, CAIRN_BRBE_INJECTS_NOTHING);
        return;
    }
    cairn_brbe_push(brbe, &record);
    /* BRB IALL invalidates injected records wherever they are, and with them what is older. */
    brbe->fresh = 0;
    if ((brbe->options.flags & CAIRN_BRBE_INJECTION_COUNTS) && brbe->host.captured)
        brbe->host.captured(brbe->host.context, now->state, false);
}

uint32_t cairn_brbe_inject(struct cairn_brbe *brbe, const struct cairn_brbe_side *now)
{
    if (now->state->transactional)
        return CAIRN_BRBE_TRANSACTION_ERR;
    cairn_brbe_look(brbe, now);
    if (!brbe->prohibited)
        cairn_brbe_find(brbe, CAIRN_BRBE_INJECTS_OUTSIDE);
    if (brbe->prohibited || (brbe->options.flags & CAIRN_BRBE_INJECTS_ANYWHERE))
        inject(brbe, now);
    for (unsigned i = 0; i < CAIRN_BRBE_PARTS; i++)
        brbe->injection[i] = brbe->options.unknown;
    brbe->injection_written = 0;
    return 0;
}

void cairn_brbe_write_injection(struct cairn_brbe *brbe, enum cairn_brbe_part part, uint64_t value)
{
    brbe->injection[part] = value;
    brbe->injection_written |= 1u << part;
}

uint64_t cairn_brbe_read_injection(const struct cairn_brbe *brbe, enum cairn_brbe_part part)
{
    return brbe->injection[part];
}

/* --- reading --- */

struct cairn_branch_registers cairn_brbe_record(const struct cairn_brbe *brbe, unsigned n)
{
    const uint32_t records = brbe->features->records;

    if (n >= brbe->valid)
        return (struct cairn_branch_registers){0, 0, 0};
    return brbe->records[(brbe->youngest + records - n) % records];
}

uint32_t cairn_brbe_untold(const struct cairn_brbe *brbe, unsigned n)
{
    const uint32_t records = brbe->features->records;
    const uint64_t halves = CAIRN_BRBINF_GET(cairn_brbe_record(brbe, n).BRBINF, VALID);
    const uint32_t untold =
        n < brbe->valid ? brbe->untold[(brbe->youngest + records - n) % records] : 0;

    return untold & ((halves & CAIRN_BRBINF_VALID_SOURCE ? CAIRN_BRANCH_SOURCE_UNKNOWN : 0) |
                     (halves & CAIRN_BRBINF_VALID_TARGET ? CAIRN_BRANCH_TARGET_UNKNOWN : 0));
}

uint64_t cairn_brbe_read(struct cairn_brbe *brbe, unsigned bank, unsigned n,
                         enum cairn_brbe_part part)
{
    if (bank >= BANKS)
        cairn_brbe_find(brbe, CAIRN_BRBE_RESERVED_BANK);
    if (bank >= BANKS || n >= CAIRN_BRBE_BANK)
        return 0;
    n += bank * CAIRN_BRBE_BANK;
    if (n < brbe->valid && n >= brbe->valid - brbe->old)
        cairn_brbe_find(brbe, CAIRN_BRBE_READS_OLD);
    const struct cairn_branch_registers record = cairn_brbe_record(brbe, n);
    switch (part) {
    case CAIRN_BRBE_INF: return record.BRBINF;
    case CAIRN_BRBE_SRC: return record.BRBSRC;
    case CAIRN_BRBE_TGT: return record.BRBTGT;
    case CAIRN_BRBE_PARTS: break;
    }
    return 0;
}
