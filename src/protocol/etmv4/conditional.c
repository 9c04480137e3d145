/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/etmv4/conditional.h"

#include <cairn/etmv4.h>

#define ONE_RESULT 4u /* bit 2 of the header of a result of format 1 */
#define INSTRUCTION_2_SAME 1u
#define INSTRUCTION_2_BOTH 2u

unsigned cairn_etmv4_conditional_count(unsigned kind, const struct cairn_packet_fields *fields)
{
    return kind == CAIRN_ETMV4_COND_RESULT_F1 && !(fields->type & ONE_RESULT) ? 2 : 1;
}

/* Format 2: the next key, the same one, or the next one for two instructions. */
static void instructions_2(unsigned ci, struct cairn_element_data *data)
{
    data->info = CAIRN_CONDITIONAL_INSTRUCTIONS;
    data->value = ci != INSTRUCTION_2_SAME;
    data->cycles = ci == INSTRUCTION_2_SAME || ci == INSTRUCTION_2_BOTH;
}

void cairn_etmv4_conditional(unsigned kind, const struct cairn_packet_fields *fields,
                             unsigned index, struct cairn_element_data *data)
{
    switch (kind) {
    case CAIRN_ETMV4_COND_INSTRUCTION_F1:
        data->info = CAIRN_CONDITIONAL_INSTRUCTION;
        data->value = fields->value;
        break;
    case CAIRN_ETMV4_COND_INSTRUCTION_F2: instructions_2(fields->type, data); break;
    case CAIRN_ETMV4_COND_INSTRUCTION_F3: /* NUM in 6:1, Z in 0 */
        data->info = CAIRN_CONDITIONAL_INSTRUCTIONS;
        data->value = fields->value >> 1 & 0x3f;
        data->cycles = fields->value & 1;
        break;
    case CAIRN_ETMV4_COND_RESULT_F1:
        data->info = CAIRN_CONDITIONAL_RESULT;
        data->value = fields->value >> (32 * index) & UINT32_MAX;
        data->cycles =
            (uint32_t)((fields->info >> (4 * index) & 0xf) | (fields->type >> index & 1) << 4);
        break;
    case CAIRN_ETMV4_COND_RESULT_F2: /* K in bit 2, the token below */
        data->info = CAIRN_CONDITIONAL_RESULT_NEXT;
        data->value = 1 + (fields->type >> 2 & 1);
        data->cycles = fields->type & 3;
        break;
    case CAIRN_ETMV4_COND_RESULT_F3:
        data->info = CAIRN_CONDITIONAL_RESULT_TOKENS;
        data->value = fields->value;
        break;
    case CAIRN_ETMV4_COND_RESULT_F4:
        data->info = CAIRN_CONDITIONAL_RESULT_TOKEN;
        data->cycles = fields->type & 3;
        break;
    default: break; /* a flush */
    }
}
