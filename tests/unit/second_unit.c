/* SPDX-License-Identifier: BSD-2-Clause */
#include "second_unit.h"

#include <string.h>

/* What is implemented: 16 SACs, 8 PE Comparator Inputs, 16 pairs of selectors, 8 single-shots and
 * comparators of each identifier; 4 external inputs, 4 counters, the sequencer. */
#define IDR4 UINT64_C(0x888f8008)
#define IDR5 UINT64_C(0x488701ff) /* and NUMEXTINSEL */
#define IDR5_NUMEXTINSEL_AT 9
#define IDR0 UINT64_C(0x2881c2a1) /* and NUMEVENT, one less */
#define IDR0_NUMEVENT_AT 10
#define MAXSPEC UINT64_C(0x40)
#define SMALL_BUFFER 64u
#define CC_THRESHOLD 16u

struct cairn_unit *second_unit(const struct second_program *program, cairn_unit_watch *watch,
                               cairn_unit_outputs *outputs)
{
    const struct second_name *names;
    const size_t count = second_names(&names);
    struct cairn_register registers[SECOND_NAMES + 7] = {
        {"TRCIDR4", IDR4},
        {"TRCIDR5", IDR5 | (uint64_t)program->choices.inputs << IDR5_NUMEXTINSEL_AT},
        {"TRCIDR0", IDR0 | (uint64_t)(program->choices.events - 1) << IDR0_NUMEVENT_AT},
        {"TRCCONFIGR", program->configr},
        {"TRCTSCTLR", program->tsctlr},
        {"TRCCCCTLR", CC_THRESHOLD}};
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_error error;
    struct cairn_unit *unit = NULL;
    size_t at = 6;

    if (program->speculative && program->seed % 2)
        registers[at++] = (struct cairn_register){"TRCIDR8", MAXSPEC};
    for (size_t i = 0; i < count; i++) {
        const uint64_t value = second_value(&program->reg, &names[i]);

        if (value || strcmp(names[i].name, "TRCVICTLR") == 0)
            registers[at++] = (struct cairn_register){names[i].name, value};
    }
    options.registers = registers;
    options.register_count = at;
    options.choices |= program->choices.forced_sets_ta ? CAIRN_UNIT_FORCED_SETS_TA : 0;
    options.choices |=
        program->choices.prohibited_forgets ? CAIRN_UNIT_PROHIBITED_FORGETS_MATCHES : 0;
    options.choices |= program->choices.pending_after_fired ? CAIRN_UNIT_PENDING_AFTER_FIRED : 0;
    if (program->overflows) {
        options.fifo_bytes = SMALL_BUFFER;
        options.fifo_drain = 1;
    }
    options.watch = watch;
    options.outputs = outputs;
    return cairn_unit_new(&options, &unit, &error) == CAIRN_OK ? unit : NULL;
}
