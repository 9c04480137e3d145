/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/audit/call_instructions.h"

#include <stdlib.h>
#include <string.h>

#define NAME "Call" /* of the exception: DDI0608 D5.13 */
#define A64_SIZE 4u
#define A64_CALL_MASK 0xffe0001cu /* SVC, HVC, SMC differ in the last two bits, and 0 is none */
#define A64_CALL 0xd4000000u
#define CONTEXT_SF 0x10u /* of a Context record's value */

struct cli_calls {
    struct cli_audit_source *source;
    struct cairn_space *space;
    struct cairn_place place;
    bool is_a64;
};

bool cli_calls_is_one(const struct cairn_config *config, uint64_t type)
{
    return type <= UINT32_MAX && !strcmp(cairn_exception_name(config, (unsigned)type), NAME);
}

bool cli_calls_makes_one(const struct cairn_insn *insn)
{
    return (insn->opcode & A64_CALL_MASK) == A64_CALL && (insn->opcode & 3u) != 0;
}

static void look_at(struct cli_calls *calls, uint64_t offset, uint64_t address)
{
    struct cairn_insn insn;

    calls->place.offset = offset;
    if (cairn_space_select(calls->space, &calls->place) == CAIRN_OK &&
        cairn_space_insn(calls->space, &calls->source->info.arch, CAIRN_ISA_A64, address - A64_SIZE,
                         &insn) &&
        !cli_calls_makes_one(&insn))
        calls->source->impossible_calls++;
}

static cairn_status take(void *context, const struct cairn_flow_batch *batch)
{
    struct cli_calls *calls = context;

    for (size_t i = 0; i < batch->count; i++) {
        if (batch->kind[i] == CAIRN_FLOW_CONTEXT) {
            calls->place = cairn_flow_place(calls->place.source, batch->offset[i],
                                            batch->address[i], batch->value[i]);
            calls->is_a64 = (batch->value[i] & CONTEXT_SF) != 0;
        } else if (batch->kind[i] == CAIRN_FLOW_EXCEPTION && calls->is_a64 &&
                   !(batch->flags[i] & CAIRN_FLOW_UNKNOWN) &&
                   cli_calls_is_one(calls->source->config, batch->value[i])) {
            look_at(calls, batch->offset[i], batch->address[i]);
        }
    }
    return CAIRN_OK;
}

cairn_status cli_calls_watch(struct cairn_pipeline *pipeline, struct cli_audit_source *source,
                             struct cairn_image *image, struct cli_calls **calls)
{
    struct cli_calls *made = calloc(1, sizeof *made);
    if (!made)
        return CAIRN_E_MEMORY;
    made->source = source;
    made->place.source = cairn_config_source(source->config);
    const struct cairn_consumer consumer = {
        .size = sizeof consumer, .context = made, .events = take};
    cairn_status status = cairn_space_new(image, &made->space);
    if (!status)
        status = cairn_pipeline_add(pipeline, &consumer);
    if (status) {
        cli_calls_free(made);
        return status;
    }
    *calls = made;
    return CAIRN_OK;
}

void cli_calls_free(struct cli_calls *calls)
{
    if (!calls)
        return;
    cairn_space_free(calls->space);
    free(calls);
}
