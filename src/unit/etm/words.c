/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/etm/words.h"

static uint32_t low_bytes(uint64_t value, unsigned bytes)
{
    return bytes >= CAIRN_ETM_WORD ? (uint32_t)value
                                   : (uint32_t)value & ((UINT32_C(1) << 8 * bytes) - 1);
}

unsigned cairn_etm_words(const struct cairn_unit_transfer *transfer, struct cairn_etm_word words[2])
{
    const bool big = (transfer->flags & CAIRN_UNIT_DATA_BIG_ENDIAN) != 0;
    const bool failed = (transfer->flags & CAIRN_UNIT_DATA_FAILED) != 0;
    const unsigned count = transfer->bytes > CAIRN_ETM_WORD ? 2 : 1;

    for (unsigned i = 0; i < count; i++) {
        const bool upper = count == 2 && (i == 1) != big;
        const uint64_t value = upper ? transfer->value >> 32 : transfer->value;

        words[i] = (struct cairn_etm_word){
            .address = (uint32_t)transfer->address + CAIRN_ETM_WORD * i,
            .bytes = count == 2 ? (uint8_t)CAIRN_ETM_WORD : (uint8_t)transfer->bytes,
            .has_address = !(transfer->flags & CAIRN_UNIT_DATA_COPROCESSOR),
            .has_value = !(transfer->flags & CAIRN_UNIT_DATA_NO_VALUE),
            .big_endian = big,
        };
        if (words[i].has_value && !failed)
            words[i].value = low_bytes(value, words[i].bytes);
    }
    return count;
}
