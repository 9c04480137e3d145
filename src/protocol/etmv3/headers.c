/* SPDX-License-Identifier: BSD-2-Clause */
/* Which packet each header byte begins (IHI0014 7.2, 7.3.1). */
#include <string.h>

#include "protocol/etmv3/etmv3.h"

const uint8_t cairn_etmv3_accounts[] = {
#define ROW(NAME, MASK, MATCH, ACCOUNT, TEXT, SECTION) ACCOUNT,
    CAIRN_ETMV3_PACKETS(ROW)
#undef ROW
};

enum cairn_account cairn_etmv3_account(unsigned kind)
{
    return (enum cairn_account)cairn_etmv3_accounts[kind];
}

/* The kinds of data-only mode (7.4.10; 7.4.10 and 7.7.1 of issue Q). Value not traced is up to the
 * implementation, and Ignore the port's. */
static bool is_data_only(unsigned kind)
{
    switch (kind) {
    case CAIRN_ETMV3_A_SYNC:
    case CAIRN_ETMV3_I_SYNC:
    case CAIRN_ETMV3_CONTEXT_ID:
    case CAIRN_ETMV3_VMID:
    case CAIRN_ETMV3_TIMESTAMP:
    case CAIRN_ETMV3_TRIGGER:
    case CAIRN_ETMV3_IGNORE:
    case CAIRN_ETMV3_NORMAL_DATA:
    case CAIRN_ETMV3_OUT_OF_ORDER_DATA:
    case CAIRN_ETMV3_OUT_OF_ORDER_PLACEHOLDER:
    case CAIRN_ETMV3_VALUE_NOT_TRACED: return true;
    default: return false;
    }
}

/* Whether a trace unit so configured can write a packet of this kind. */
static bool exists(const struct cairn_etmv3_config *config, unsigned kind)
{
    if (config->data_only && !is_data_only(kind))
        return false;
    switch (kind) {
    /* A value comes late, or of a STREX that failed, only if values come at all (7.4.7). */
    case CAIRN_ETMV3_OUT_OF_ORDER_DATA: return config->data_value;
    case CAIRN_ETMV3_STORE_FAILED: return config->data_value && config->minor >= 1;
    case CAIRN_ETMV3_NORMAL_DATA:
    case CAIRN_ETMV3_OUT_OF_ORDER_PLACEHOLDER:
    case CAIRN_ETMV3_VALUE_NOT_TRACED:
    case CAIRN_ETMV3_DATA_SUPPRESSED:
        return config->data_value || config->data_address || config->cprt;
    case CAIRN_ETMV3_VMID: return config->vmid;
    case CAIRN_ETMV3_TIMESTAMP: return config->timestamp_bits != 0;
    case CAIRN_ETMV3_CONTEXT_ID: return config->context_bytes != 0;
    case CAIRN_ETMV3_EXCEPTION_EXIT:
        return config->minor >= 5 || (config->minor >= 4 && config->m_profile);
    case CAIRN_ETMV3_EXCEPTION_ENTRY: return config->minor >= 4 && config->m_profile;
    case CAIRN_ETMV3_P_HEADER_F1:
    case CAIRN_ETMV3_P_HEADER_F2: return !config->cycle_accurate;
    case CAIRN_ETMV3_P_HEADER_CYCLES_F1:
    case CAIRN_ETMV3_P_HEADER_CYCLES_F2:
    case CAIRN_ETMV3_P_HEADER_CYCLES_F3: return config->cycle_accurate;
    case CAIRN_ETMV3_P_HEADER_CYCLES_F4: return config->cycle_accurate && config->minor >= 3;
    case CAIRN_ETMV3_P_HEADER_CYCLES_F0: return config->cycle_accurate && config->minor == 0;
    default: return true;
    }
}

/* Tag 0 is none: the headers that would have it are other packets', or reserved where the unit
 * does not write those (7.4.3). */
static bool lacks_tag(unsigned kind, unsigned header)
{
    switch (kind) {
    case CAIRN_ETMV3_OUT_OF_ORDER_DATA: return (header >> 5 & 3) == 0;
    case CAIRN_ETMV3_OUT_OF_ORDER_PLACEHOLDER: return (header >> 2 & 3) == 0;
    default: return false;
    }
}

void cairn_etmv3_headers(const struct cairn_etmv3_config *config, uint8_t kinds[256])
{
    static const struct {
        uint8_t kind, mask, match;
    } table[] = {
#define ROW(NAME, MASK, MATCH, ACCOUNT, TEXT, SECTION) {CAIRN_ETMV3_##NAME, MASK, MATCH},
        CAIRN_ETMV3_PACKETS(ROW)
#undef ROW
    };

    for (unsigned header = 0; header < 256; header++) {
        unsigned kind = CAIRN_ETMV3_RESERVED;

        for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
            if ((header & table[i].mask) == table[i].match && exists(config, table[i].kind) &&
                !lacks_tag(table[i].kind, header))
                kind = table[i].kind;
        kinds[header] = (uint8_t)kind;
    }
    /* Without a count of any atom it is a W, and that only in v3.0. */
    if (config->cycle_accurate && config->minor != 0)
        kinds[0x80] = CAIRN_ETMV3_RESERVED;
}
