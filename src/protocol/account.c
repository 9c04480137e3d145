/* SPDX-License-Identifier: BSD-2-Clause */
#include <cairn/packet.h>

const char *cairn_account_name(enum cairn_account account)
{
    switch (account) {
    case CAIRN_ACCOUNT_FLOW: return "flow";
    case CAIRN_ACCOUNT_METADATA: return "metadata";
    case CAIRN_ACCOUNT_PADDING: return "padding";
    case CAIRN_GAP_NO_SYNC: return "gap: no synchronisation";
    case CAIRN_GAP_RESERVED: return "gap: reserved packet";
    case CAIRN_GAP_CUT: return "gap: packet cut by synchronisation";
    case CAIRN_GAP_TRUNCATED: return "gap: truncated at the end";
    case CAIRN_GAP_NOT_DECODED: return "gap: not decoded";
    case CAIRN_GAP_NO_ADDRESS: return "gap: no address or context yet";
    case CAIRN_GAP_NO_IMAGE: return "gap: no image at the address";
    case CAIRN_GAP_RETURN_STACK: return "gap: return stack empty";
    case CAIRN_GAP_OVERFLOW: return "gap: trace unit overflow";
    case CAIRN_GAP_DISCARD: return "gap: discarded by the trace unit";
    case CAIRN_GAP_UNRESOLVED: return "gap: never committed";
    case CAIRN_GAP_LIMIT: return "gap: limit reached";
    case CAIRN_GAP_INCONSISTENT: return "gap: trace and image disagree";
    case CAIRN_GAP_FILTERED: return "gap: filtered";
    case CAIRN_GAP_LOST: return "gap: trace lost before the capture";
    }
    return "unknown account";
}
