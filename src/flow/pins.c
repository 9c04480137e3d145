/* SPDX-License-Identifier: BSD-2-Clause */
/* Data that only the instructions tell apart. The protocol cuts it into transfers, and the
 * follower says which transfers each instruction makes: see pins_... in protocol/protocol.h. */
#include <assert.h>

#include "flow/data.h"
#include "flow/follow.h"

enum { RECORDS = 8 /* transfers that one step gives */ };

static_assert(RECORDS < CAIRN_FLOW_PENDING, "a step has room for them");

static void say_need(struct cairn_flow *flow, uint64_t address, enum cairn_isa isa,
                     const struct cairn_insn *insn)
{
    const struct cairn_pins_owner owner = {.address = (uint32_t)address, .isa = (uint8_t)isa};
    struct cairn_transfers transfers;

    cairn_insn_transfers(&flow->config->arch, isa, insn, 0, &transfers);
    flow->config->protocol->pins_need(flow->pins, &owner, &transfers);
}

static void say_unknown(struct cairn_flow *flow)
{
    flow->config->protocol->pins_need(flow->pins, &(struct cairn_pins_owner){0}, NULL);
}

void cairn_follow_pins_lost(struct cairn_flow *flow)
{
    if (flow->pins && (flow->element_flags & CAIRN_ELEMENT_HERE))
        say_unknown(flow);
}

bool cairn_follow_pins_executed(struct cairn_flow *flow, const struct cairn_walk *w)
{
    const struct cairn_config *config = flow->config;

    if (!flow->pins || !(flow->element_flags & CAIRN_ELEMENT_HERE))
        return true;
    if (cairn_data_has(&config->rules, &config->arch, w->isa, &w->insn)) {
        say_need(flow, w->last, w->isa, &w->insn);
        return true;
    }
    say_unknown(flow);
    return false;
}

/* The instruction that execution stands at transferred, but is cancelled. */
static cairn_status cancelled(struct cairn_flow *flow)
{
    const struct cairn_config *config = flow->config;
    struct cairn_insn insn;
    enum cairn_isa isa = CAIRN_ISA_UNKNOWN;
    bool found;
    const cairn_status status = cairn_follow_look(flow, &insn, &isa, &found);

    if (found && cairn_data_has(&config->rules, &config->arch, isa, &insn))
        say_need(flow, flow->address, isa, &insn);
    else
        say_unknown(flow);
    return status;
}

cairn_status cairn_follow_pins(struct cairn_flow *flow)
{
    cairn_status status = CAIRN_OK;

    if (!flow->pins)
        return CAIRN_OK;
    if (flow->element.address & CAIRN_PINS_HERE)
        status = cancelled(flow);
    flow->config->protocol->pins_take(flow->pins, &flow->element);
    flow->task = CAIRN_TASK_PINS;
    return status;
}

void cairn_follow_pins_end(struct cairn_flow *flow)
{
    if (!flow->pins || flow->task != CAIRN_TASK_NONE)
        return;
    flow->config->protocol->pins_end(flow->pins);
    flow->task = CAIRN_TASK_PINS;
}

void cairn_follow_give_pins(struct cairn_flow *flow)
{
    struct cairn_pins_owner owner;
    struct cairn_element_data data;

    for (unsigned i = 0; i < RECORDS; i++) {
        struct cairn_word_event made = {0};

        if (!flow->config->protocol->pins_give(flow->pins, &owner, &data)) {
            flow->task = CAIRN_TASK_NONE;
            return;
        }
        cairn_data_record(&data, 0, &made);
        struct cairn_record *record = cairn_follow_record(flow, CAIRN_FLOW_DATA);

        record->flags = made.flags;
        record->instructions = made.instructions | owner.transfer;
        record->address = made.address | owner.address;
        record->value = made.value;
        record->isa = owner.isa;
    }
}
