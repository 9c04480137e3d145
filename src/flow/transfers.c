/* SPDX-License-Identifier: BSD-2-Clause */
/* What elements say of data transfers, and of whose they are (IHI0014 7.3.5, 7.4, 7.5.3, 7.7.3). */
#include "flow/data.h"
#include "flow/follow.h"
#include "flow/walk.h"

enum {
    HALFWORD = 2, /* bytes of a Thumb instruction: where it is looked for, no core has Thumb-2 */
    WORD = 4,     /* and of an ARM one */
};

/* Whose the data up to the next instruction is. */
static struct cairn_record *say_whose(struct cairn_flow *flow, enum cairn_data_whose whose,
                                      enum cairn_isa isa)
{
    struct cairn_record *mark = cairn_follow_record(flow, (enum cairn_flow_kind)CAIRN_WORD_DATA);

    mark->address = flow->address;
    mark->value = whose;
    mark->isa = (uint8_t)isa;
    return mark;
}

/* Of the instruction that execution stands at, if it is one that has data. It executed, at least in
 * part, and no atom tells of it. */
static cairn_status say_standing(struct cairn_flow *flow)
{
    const struct cairn_config *config = flow->config;
    struct cairn_insn insn;
    enum cairn_isa isa = CAIRN_ISA_UNKNOWN;
    bool found;
    const cairn_status status = cairn_follow_look(flow, &insn, &isa, &found);

    if (found && cairn_data_has(&config->rules, &config->arch, isa, &insn))
        (void)say_whose(flow, CAIRN_DATA_OF_PAUSED, isa);
    return status;
}

cairn_status cairn_follow_data(struct cairn_flow *flow)
{
    struct cairn_word_event made = {0};
    struct cairn_record *record;

    if (!flow->config->rules.every_instruction)
        return CAIRN_OK;
    if (CAIRN_DATA_KIND(flow->element.cycles) == CAIRN_DATA_PINS)
        return cairn_follow_pins(flow);
    if (flow->element_flags & CAIRN_ELEMENT_HERE) {
        const cairn_status status = say_standing(flow);
        if (status != CAIRN_OK)
            return status;
    }
    cairn_data_record(&flow->element, flow->element_flags, &made);
    record = cairn_follow_record(flow, CAIRN_FLOW_DATA);
    record->flags = made.flags;
    record->instructions = made.instructions;
    record->address = made.address;
    record->value = made.value;
    return CAIRN_OK;
}

void cairn_follow_stacking(struct cairn_flow *flow)
{
    if (flow->config->rules.every_instruction)
        (void)say_whose(flow, CAIRN_DATA_OF_CORE, CAIRN_ISA_UNKNOWN);
}

/* The last instruction did not execute: data behind it is its, if it is one that has any. It has
 * none if it was told as N, which such an instruction may be for that very reason (7.3.2). */
cairn_status cairn_follow_cancelled(struct cairn_flow *flow)
{
    const struct cairn_config *config = flow->config;
    struct cairn_insn insn;
    enum cairn_isa isa = CAIRN_ISA_UNKNOWN;
    bool found;
    cairn_status status;

    if (!config->rules.every_instruction)
        return CAIRN_OK;
    if (!(flow->element_flags & CAIRN_ELEMENT_E)) {
        (void)say_whose(flow, CAIRN_DATA_OF_LAST, isa);
        return CAIRN_OK;
    }
    status = cairn_follow_look(flow, &insn, &isa, &found);
    if (status != CAIRN_OK)
        return status;
    if (!found)
        (void)say_whose(flow, CAIRN_DATA_OF_UNKNOWN, isa);
    else if (!cairn_data_has(&config->rules, &config->arch, isa, &insn))
        (void)say_whose(flow, CAIRN_DATA_OF_LAST, isa);
    else if (flow->element_flags & CAIRN_ELEMENT_PAUSED)
        (void)say_whose(flow, CAIRN_DATA_OF_PAUSED, isa);
    else
        (void)say_whose(flow, CAIRN_DATA_OF_CANCELLED, isa);
    return CAIRN_OK;
}

/* The instruction at the Target Address in hand was paused, and goes on. */
void cairn_follow_resume(struct cairn_flow *flow)
{
    const unsigned resumed = CAIRN_ELEMENT_PAUSED | CAIRN_ELEMENT_UNKNOWN;

    if (flow->config->rules.every_instruction &&
        (flow->element_flags & resumed) == CAIRN_ELEMENT_PAUSED) {
        struct cairn_record *mark = say_whose(flow, CAIRN_DATA_RESUMES, CAIRN_ISA_UNKNOWN);

        mark->instructions = flow->element.info;
    }
}

bool cairn_follow_behind_transfer(struct cairn_flow *flow, uint64_t *address)
{
    const enum cairn_isa isa = cairn_walk_isa(flow);
    const unsigned size = isa == CAIRN_ISA_T32 ? HALFWORD : WORD;
    struct cairn_insn insn;

    *address = cairn_walk_wrap(flow, flow->address - size);
    return flow->context_known && cairn_follow_select(flow) == CAIRN_OK &&
           cairn_fetch_insn(&flow->fetch, isa, *address, &insn) == size &&
           (insn.flags & (CAIRN_INSN_LOAD | CAIRN_INSN_STORE));
}

/* Behind a load or store multiple that was under way when trace began, the address of what comes next is in
 * the trace, though it is no branch (IHI0014 6.5.5). */
bool cairn_follow_is_announced(struct cairn_flow *flow)
{
    uint64_t address;

    return (flow->element_flags & CAIRN_ELEMENT_HERE) &&
           cairn_follow_behind_transfer(flow, &address);
}
