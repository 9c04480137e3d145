/* SPDX-License-Identifier: BSD-2-Clause */
/* Which packet each header byte begins (DDI0608 D5.2; ETMv4's own by its profile and version). */
#include "protocol/etmv4/payload.h"

#include <string.h>

const uint8_t cairn_etmv4_accounts[] = {
#define ROW(NAME, FIRST, LAST, ACCOUNT, TEXT, SECTION) ACCOUNT,
    CAIRN_ETMV4_PACKETS(ROW)
#undef ROW
};

enum cairn_account cairn_etmv4_account(unsigned kind)
{
    return (enum cairn_account)cairn_etmv4_accounts[kind];
}

/* Whether a trace unit of this configuration can write a packet of this kind. */
static bool exists(const struct cairn_etmv4_config *config, unsigned kind)
{
    switch (kind) {
    case CAIRN_ETMV4_NOT_SYNC:
    case CAIRN_ETMV4_RESERVED:
    case CAIRN_ETMV4_CUT:
    case CAIRN_ETMV4_INCOMPLETE: return false;
    case CAIRN_ETMV4_FUNCTION_RETURN: return config->function_return;
    case CAIRN_ETMV4_EXCEPTION_RETURN: return config->exception_return;
    case CAIRN_ETMV4_INSTRUMENTATION: return config->instrumentation;
    case CAIRN_ETMV4_TRANSACTION_START:
    case CAIRN_ETMV4_TRANSACTION_COMMIT: return config->transactions;
    case CAIRN_ETMV4_DATA_SYNC_NUMBERED:
    case CAIRN_ETMV4_DATA_SYNC_UNNUMBERED:
    case CAIRN_ETMV4_COND_INSTRUCTION_F1:
    case CAIRN_ETMV4_COND_INSTRUCTION_F2:
    case CAIRN_ETMV4_COND_INSTRUCTION_F3:
    case CAIRN_ETMV4_COND_FLUSH:
    case CAIRN_ETMV4_COND_RESULT_F1:
    case CAIRN_ETMV4_COND_RESULT_F2:
    case CAIRN_ETMV4_COND_RESULT_F3:
    case CAIRN_ETMV4_COND_RESULT_F4: return !config->is_ete;
    case CAIRN_ETMV4_TIMESTAMP_MARKER: return config->timestamp_marker;
    case CAIRN_ETMV4_Q_EXACT:
    case CAIRN_ETMV4_Q_SHORT_IS0:
    case CAIRN_ETMV4_Q_SHORT_IS1:
    case CAIRN_ETMV4_Q_32_IS0:
    case CAIRN_ETMV4_Q_32_IS1:
    case CAIRN_ETMV4_Q_COUNT:
    case CAIRN_ETMV4_Q: return config->is_ete || config->qsupp != 0;
    case CAIRN_ETMV4_SOURCE_EXACT:
    case CAIRN_ETMV4_SOURCE_SHORT_IS0:
    case CAIRN_ETMV4_SOURCE_SHORT_IS1:
    case CAIRN_ETMV4_SOURCE_32_IS0:
    case CAIRN_ETMV4_SOURCE_32_IS1:
    case CAIRN_ETMV4_SOURCE_64_IS0:
    case CAIRN_ETMV4_SOURCE_64_IS1: return config->source_addresses;
    default: return true;
    }
}

void cairn_etmv4_find_headers(struct cairn_etmv4_config *config)
{
    static const struct {
        uint8_t kind, first, last;
    } table[] = {
#define ROW(NAME, FIRST, LAST, ACCOUNT, TEXT, SECTION) {CAIRN_ETMV4_##NAME, FIRST, LAST},
        CAIRN_ETMV4_PACKETS(ROW)
#undef ROW
    };
    uint8_t *kinds = config->headers;

    memset(kinds, CAIRN_ETMV4_RESERVED, sizeof config->headers);
    /* Later rows overwrite earlier ones: format 6 atoms span the headers of others. */
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].first <= table[i].last && exists(config, table[i].kind))
            memset(kinds + table[i].first, table[i].kind, table[i].last - table[i].first + 1u);
    kinds[0x00] = CAIRN_ETMV4_ALIGNMENT_SYNC;
    kinds[0x06] = CAIRN_ETMV4_EXCEPTION;
    kinds[0x47] = kinds[0x4b] = CAIRN_ETMV4_RESERVED; /* holes in conditional result formats */
}

void cairn_etmv4_headers(const struct cairn_etmv4_config *config, uint8_t kinds[256])
{
    memcpy(kinds, config->headers, sizeof config->headers);
}
