/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "cli/simulate.h"

const struct cli_trace_unit *cli_simulate_unit_for(struct cli_session *session,
                                                   const struct cli_programmed *programmed,
                                                   const char *source,
                                                   enum cairn_protocol_id protocol,
                                                   struct cairn_unit_options *wanted)
{
    const struct cli_trace_unit *found = NULL;

    for (size_t i = 0; i < programmed->unit_count; i++) {
        const struct cli_trace_unit *unit = &programmed->units[i];

        if (unit->protocol && (!unit->name || !strcmp(unit->name, source)))
            found = unit;
    }
    if (!found && programmed->unit_count == 1)
        found = &programmed->units[0];
    if (!found) {
        cli_session_say(session, "%s: the registers are of several trace units, and none of them is "
                                 "called so: choose one with --source",
                        source);
        return NULL;
    }
    wanted->protocol = found->protocol ? found->protocol : protocol;
    wanted->registers = found->registers;
    wanted->register_count = found->register_count;
    return found;
}

bool cli_simulate_unit_new(struct cli_session *session, const struct cli_trace_unit *unit,
                           const struct cairn_unit_options *wanted, struct cairn_unit **made)
{
    struct cairn_error error = {.status = CAIRN_OK};

    (void)unit;
    if (cairn_unit_new(wanted, made, &error) == CAIRN_OK)
        return true;
    cli_session_say(session, "%s", error.text);
    return false;
}
