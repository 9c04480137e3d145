/* SPDX-License-Identifier: BSD-2-Clause */
/* Transactions (DDI0608 D2.7, D6.9.9 to D6.9.11). Their end is generated only when it is known not
 * to be speculative: a Cancel cannot take a Transaction Commit or Failure back once it is out. */
#include "unit/etmv4/core.h"

void cairn_unit_fail_started(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;

    if (!path->started)
        return;
    cairn_unit_generate_resolved(unit, CAIRN_ELEMENT_TRANSACTION_FAILURE);
    path->barrier = unit->told;
    path->started = false;
    if (path->in_transaction)
        path->owed |= CAIRN_OWED_START;
}

void cairn_etmv4_unit_transaction_start(struct cairn_unit *base)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    struct cairn_unit_path *path = &unit->path;

    cairn_unit_begin(unit);
    if (path->in_transaction || unit->registers.protocol != CAIRN_PROTOCOL_ETE)
        return;
    cairn_unit_settle_path(unit);
    path->in_transaction = true;
    path->transaction_matches = 0;
    path->start_stop_at_start = path->start_stop;
    path->owed |= CAIRN_OWED_START;
}

void cairn_etmv4_unit_transaction_commit(struct cairn_unit *base)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    struct cairn_unit_path *path = &unit->path;

    cairn_unit_begin(unit);
    if (!path->in_transaction)
        return;
    cairn_unit_settle_path(unit);
    if (path->started) {
        cairn_unit_land(unit);
        cairn_unit_generate_resolved(unit, CAIRN_ELEMENT_TRANSACTION_COMMIT);
        path->barrier = unit->told;
    }
    path->started = false;
    path->in_transaction = false;
    path->owed &= ~(uint32_t)CAIRN_OWED_START;
    cairn_unit_shots_executed(unit, path->transaction_matches);
    path->transaction_matches = 0;
}

void cairn_etmv4_unit_transaction_fail(struct cairn_unit *base)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    struct cairn_unit_path *path = &unit->path;

    cairn_unit_begin(unit);
    if (!path->in_transaction)
        return;
    path->in_transaction = false;
    path->transaction_matches = 0; /* R_SDDWY */
    if (!path->started)            /* outside for decoders */
        cairn_unit_settle_path(unit);
    cairn_unit_fail_started(unit);
    path->start_stop = path->start_stop_at_start;
    path->owed &= ~(uint32_t)(CAIRN_OWED_START | CAIRN_OWED_LANDING);
    path->owed |= CAIRN_OWED_TARGET | CAIRN_OWED_EXPLICIT | CAIRN_OWED_CONTEXT;
    path->blocks = 0;
    path->omitted = 0;
    path->q = 0;
    path->next.isa = CAIRN_ISA_UNKNOWN;
    cairn_unit_returns_clear(&path->returns);
    if (!(unit->mode & CAIRN_MODE_DISABLED))
        cairn_unit_end(unit);
}
