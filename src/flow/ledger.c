/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes per account. Packets enter the account of their kind; a gap in the flow moves a packet's
 * bytes out of the flow account. */
#include <cairn/flow.h>

void cairn_ledger_packets(struct cairn_ledger *ledger, const struct cairn_packet_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        ledger->total += batch->length[i];
        ledger->account[batch->account[i]].bytes += batch->length[i];
        ledger->account[batch->account[i]].packets++;
    }
}

/* Gaps that the packet alone already is; their bytes are in that account from the start. */
static bool is_packet_gap(uint64_t account)
{
    return account >= CAIRN_GAP_NO_SYNC && account < CAIRN_GAP_NOT_DECODED;
}

void cairn_ledger_flow(struct cairn_ledger *ledger, const struct cairn_flow_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        const uint64_t account = batch->value[i];

        if (batch->kind[i] != CAIRN_FLOW_GAP || is_packet_gap(account) ||
            account >= CAIRN_LEDGER_ACCOUNTS)
            continue;
        if (account == CAIRN_GAP_LOST) { /* no packet is there */
            ledger->account[account].packets++;
            continue;
        }
        ledger->account[CAIRN_ACCOUNT_FLOW].bytes -= batch->length[i];
        ledger->account[CAIRN_ACCOUNT_FLOW].packets--;
        ledger->account[account].bytes += batch->length[i];
        ledger->account[account].packets++;
    }
}
