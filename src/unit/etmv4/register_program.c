/* SPDX-License-Identifier: BSD-2-Clause */
/* Programmed values -> struct cairn_unit_program. */
#include "unit/etmv4/register_table.h"

#define IDR(n) ((unsigned)CAIRN_REG_TRCIDR + (n))
#define SEQUENCER_STATES 0xf0u /* of group 2 */
#define TYPE_PAIR 0x80u

static uint32_t field(const struct cairn_unit_registers *registers, unsigned index, unsigned high,
                      unsigned low)
{
    return cairn_register_bits(registers->values[index], high, low);
}

static bool bit(const struct cairn_unit_registers *registers, unsigned index, unsigned position)
{
    return field(registers, index, position, position) != 0;
}

/* The resource event in byte `byte` of a register. */
static struct cairn_unit_selection selection(const struct cairn_unit_registers *registers,
                                             unsigned index, unsigned byte)
{
    uint32_t event = field(registers, index, 8 * byte + 7, 8 * byte);
    bool pair = event & TYPE_PAIR;
    return (struct cairn_unit_selection){.select = (uint8_t)(event & (pair ? 0xfu : 0x1fu)),
                                         .pair = pair};
}

static void read_built(const struct cairn_unit_registers *registers,
                       const struct cairn_unit_built *built, struct cairn_unit_program *program)
{
    bool is_ete = built->is_ete;
    program->is_ete = is_ete;
    program->maxspec = (uint32_t)registers->values[CAIRN_REG_TRCIDR8];
    /* As decoders read them: an ETMv4 unit without cycle counting may have anything in COMMOPT. */
    program->commopt = bit(registers, IDR(0), 29) && (is_ete || bit(registers, IDR(0), 7));
    program->commtrans_is_p0 = is_ete && !bit(registers, IDR(0), 30);
    program->wfx_is_p0 = bit(registers, IDR(2), 31) && (is_ete || built->revision >= 3);
    program->realm = is_ete && built->revision >= 2;
    program->timestamp_markers = bit(registers, IDR(0), 23) && (is_ete || built->revision >= 6);
    program->pe_comparators = (uint8_t)built->pcs;
    program->selector_count = (uint8_t)built->selectors;
    program->cycle_minimum = (uint16_t)field(registers, IDR(3), 11, 0);
    program->cycle_max = (UINT32_C(1) << (12 + field(registers, IDR(2), 28, 25))) - 1;
}

static void read_options(const struct cairn_unit_registers *registers,
                         const struct cairn_unit_built *built, struct cairn_unit_program *program)
{
    const unsigned configr = CAIRN_REG_TRCCONFIGR;
    program->branch_broadcast = bit(registers, configr, 3);
    program->broadcast_includes = bit(registers, CAIRN_REG_TRCBBCTLR, 8);
    program->broadcast_ranges = (uint8_t)field(registers, CAIRN_REG_TRCBBCTLR, 7, 0);
    program->cycle_counting = bit(registers, configr, 4);
    program->cycle_threshold = field(registers, CAIRN_REG_TRCCCCTLR, 11, 0);
    if (program->cycle_threshold < program->cycle_minimum)
        program->cycle_threshold = program->cycle_minimum;
    program->context_id = bit(registers, configr, 6);
    program->vmid = bit(registers, configr, 7);
    program->vmid_allowed = true;
    program->timestamps = bit(registers, configr, 11);
    program->timestamp_event = selection(registers, CAIRN_REG_TRCTSCTLR, 0);
    program->return_stack = bit(registers, configr, 12);
    program->q = (uint8_t)field(registers, configr, 14, 13);
    program->q_includes = bit(registers, CAIRN_REG_TRCQCTLR, 8);
    program->q_ranges = (uint8_t)field(registers, CAIRN_REG_TRCQCTLR, 7, 0);
    uint32_t period = field(registers, CAIRN_REG_TRCSYNCPR, 4, 0);
    program->sync_period = period == 0 ? 0 : UINT32_C(1) << period;
    /* SYSSTALL 0: the PE does not let itself be stalled (R_MYMKW). ISTALL is not looked at: with it
     * 0 NOOVERFLOW may work or not (R_JYYLV). */
    program->no_overflow = bit(registers, CAIRN_REG_TRCSTALLCTLR, 13) && bit(registers, IDR(3), 27);
    program->events_traced = (uint8_t)field(registers, CAIRN_REG_TRCEVENTCTL1R, 3, 0);
    for (unsigned i = 0; i < CAIRN_UNIT_ETE_EVENTS; i++)
        program->events[i] = selection(registers, CAIRN_REG_TRCEVENTCTL0R, i);
    program->event_count = (uint8_t)built->events;
    program->atb_trigger = bit(registers, CAIRN_REG_TRCEVENTCTL1R, 11);
    program->low_power_override = bit(registers, CAIRN_REG_TRCEVENTCTL1R, 12);
}

static void read_view(const struct cairn_unit_registers *registers,
                      const struct cairn_unit_built *built, struct cairn_unit_program *program)
{
    const unsigned victlr = CAIRN_REG_TRCVICTLR;
    program->view_event = selection(registers, victlr, 0);
    /* Without selectors there is no such term in ViewInst. */
    if (built->selectors == 0)
        program->view_event = (struct cairn_unit_selection){.select = 1};
    program->levels_secure = (uint8_t)field(registers, victlr, 19, 16);
    program->levels_nonsecure = (uint8_t)field(registers, victlr, 22, 20);
    program->levels_realm = (uint8_t)field(registers, victlr, 26, 24);
    program->force_resets = bit(registers, victlr, 10);
    program->force_errors = bit(registers, victlr, 11);
    program->include = (uint8_t)field(registers, CAIRN_REG_TRCVIIECTLR, 7, 0);
    program->exclude = (uint8_t)field(registers, CAIRN_REG_TRCVIIECTLR, 23, 16);
    program->start = (uint16_t)field(registers, CAIRN_REG_TRCVISSCTLR, 15, 0);
    program->stop = (uint16_t)field(registers, CAIRN_REG_TRCVISSCTLR, 31, 16);
    program->pe_start = (uint8_t)field(registers, CAIRN_REG_TRCVIPCSSCTLR, 7, 0);
    program->pe_stop = (uint8_t)field(registers, CAIRN_REG_TRCVIPCSSCTLR, 23, 16);
    program->views_all = !program->view_event.pair && program->view_event.select == 1 &&
                         program->levels_secure == 0 && program->levels_nonsecure == 0 &&
                         program->levels_realm == 0 && program->include == 0 &&
                         program->exclude == 0 && program->stop == 0 && program->pe_stop == 0 &&
                         bit(registers, victlr, 9);
}

/* TRCCIDCCTLR0, 1 and TRCVMIDCCTLR0, 1: a set bit leaves a byte out. */
static uint32_t compared_bits(const struct cairn_unit_registers *registers, unsigned first,
                              unsigned comparator)
{
    uint32_t left_out =
        field(registers, first + comparator / 4, 8 * (comparator % 4) + 7, 8 * (comparator % 4));
    uint32_t mask = 0;
    for (unsigned byte = 0; byte < 4; byte++)
        if (!(left_out >> byte & 1))
            mask |= UINT32_C(0xff) << (8 * byte);
    return mask;
}

static void read_comparators(const struct cairn_unit_registers *registers,
                             struct cairn_unit_program *program)
{
    for (unsigned i = 0; i < CAIRN_UNIT_SACS; i++) {
        const unsigned acatr = CAIRN_REG_TRCACATR + i;
        program->comparators[i] = (struct cairn_unit_comparator){
            .address = registers->values[CAIRN_REG_TRCACVR + i],
            .context_type = (uint8_t)field(registers, acatr, 3, 2),
            .context = (uint8_t)field(registers, acatr, 6, 4),
            .levels_secure = (uint8_t)field(registers, acatr, 11, 8),
            .levels_nonsecure = (uint8_t)field(registers, acatr, 14, 12),
            .levels_realm = (uint8_t)field(registers, acatr, 18, 16),
        };
    }
    for (unsigned i = 0; i < CAIRN_UNIT_CIDS; i++) {
        program->context_values[i] = registers->values[CAIRN_REG_TRCCIDCVR + i];
        program->context_masks[i] = compared_bits(registers, CAIRN_REG_TRCCIDCCTLR, i);
    }
    for (unsigned i = 0; i < CAIRN_UNIT_VMIDS; i++) {
        program->vmid_values[i] = registers->values[CAIRN_REG_TRCVMIDCVR + i];
        program->vmid_masks[i] = compared_bits(registers, CAIRN_REG_TRCVMIDCCTLR, i);
    }
}

static void read_selectors(const struct cairn_unit_registers *registers,
                           const struct cairn_unit_built *built, struct cairn_unit_program *program)
{
    const uint32_t members[16] = {
        [CAIRN_GROUP_INPUTS] = (1u << built->extinsels) - 1,
        [CAIRN_GROUP_PES] = (1u << built->pcs) - 1,
        [CAIRN_GROUP_DERIVED] =
            ((1u << built->counters) - 1) | (built->sequencer ? SEQUENCER_STATES : 0),
        [CAIRN_GROUP_SINGLE_SHOTS] = (1u << built->sscs) - 1,
        [CAIRN_GROUP_SACS] = (1u << (2 * built->arcs)) - 1,
        [CAIRN_GROUP_ARCS] = (1u << built->arcs) - 1,
        [CAIRN_GROUP_CIDS] = (1u << built->cids) - 1,
        [CAIRN_GROUP_VMIDS] = (1u << built->vmids) - 1,
    };
    for (unsigned i = 2; i < CAIRN_UNIT_SELECTORS; i++) {
        uint32_t value = (uint32_t)registers->values[CAIRN_REG_TRCRSCTLR + i - 2];
        uint32_t group = cairn_register_bits(value, 19, 16);
        program->selectors[i] = (value & ~UINT32_C(0xffff)) | (value & members[group]);
    }
}

/* ETE has a register for each External Input Selector, ETMv4 a byte of one. */
static void read_inputs(const struct cairn_unit_registers *registers,
                        const struct cairn_unit_built *built, struct cairn_unit_program *program)
{
    program->input_count = (uint8_t)built->extinsels;
    for (unsigned i = 0; i < CAIRN_UNIT_INPUTS; i++)
        program->selected_inputs[i] =
            (uint16_t)(built->is_ete ? field(registers, CAIRN_REG_TRCEXTINSELR0 + i, 15, 0)
                                     : field(registers, CAIRN_REG_TRCEXTINSELR, 8 * i + 7, 8 * i));
}

static void read_derived(const struct cairn_unit_registers *registers,
                         const struct cairn_unit_built *built, struct cairn_unit_program *program)
{
    for (unsigned i = 0; i < CAIRN_UNIT_COUNTERS && i < built->counters; i++) {
        const unsigned control = CAIRN_REG_TRCCNTCTLR + i;

        program->decrements[i] = selection(registers, control, 0);
        program->reloads[i] = selection(registers, control, 1);
        program->counters[i] = (struct cairn_counter_program){
            .reload_value = (uint16_t)registers->values[CAIRN_REG_TRCCNTRLDVR + i],
            .self_reload = bit(registers, control, 16),
            .chained = bit(registers, control, 17),
        };
    }
    for (unsigned i = 0; i < 3 && built->sequencer; i++) {
        program->forwards[i] = selection(registers, CAIRN_REG_TRCSEQEVR + i, 0);
        program->backwards[i] = selection(registers, CAIRN_REG_TRCSEQEVR + i, 1);
    }
    if (built->sequencer)
        program->sequencer_reset = selection(registers, CAIRN_REG_TRCSEQRSTEVR, 0);
}

static void read_single_shots(const struct cairn_unit_registers *registers,
                              const struct cairn_unit_built *built,
                              struct cairn_unit_program *program)
{
    for (unsigned i = 0; i < CAIRN_UNIT_SSCS && i < built->sscs; i++) {
        struct cairn_unit_single_shot *shot = &program->single_shots[i];
        const unsigned control = CAIRN_REG_TRCSSCCR + i;

        shot->sacs = (uint16_t)field(registers, control, 15, 0);
        shot->arcs = (uint8_t)field(registers, control, 23, 16);
        shot->pes = (uint8_t)field(registers, CAIRN_REG_TRCSSPCICR + i, 7, 0);
        if (bit(registers, control, 24))
            program->multi_shots |= (uint8_t)(1u << i);
        if (shot->sacs || shot->arcs || shot->pes)
            program->shots_used |= (uint8_t)(1u << i);
    }
}

void cairn_unit_program_read(const struct cairn_unit_registers *registers,
                             struct cairn_unit_program *program)
{
    struct cairn_unit_built built;
    cairn_unit_built_read(registers, &built);
    *program = (struct cairn_unit_program){0};
    read_built(registers, &built, program);
    read_options(registers, &built, program);
    read_view(registers, &built, program);
    read_comparators(registers, program);
    read_selectors(registers, &built, program);
    read_inputs(registers, &built, program);
    read_derived(registers, &built, program);
    read_single_shots(registers, &built, program);
}
