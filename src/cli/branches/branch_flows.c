/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/branches/branch_flows.h"

#include <stdlib.h>
#include <string.h>

/* A capture may have sources that trace no core. */
static bool take_sources(struct cli_branch_flows *flows)
{
    const struct cli_session *session = flows->session;

    for (size_t i = 0; i < session->source_count; i++) {
        struct cairn_source_info info = {.size = sizeof info};

        if (cairn_capture_source(session->capture, session->sources[i], &info) != CAIRN_OK ||
            !cairn_protocol_decodes(info.protocol))
            continue;
        flows->names[flows->count] = strdup(info.name);
        flows->sources[flows->count] = session->sources[i];
        if (!flows->names[flows->count++])
            return false;
    }
    return true;
}

bool cli_branch_flows_open(struct cli_branch_flows *flows, struct cli_session *session)
{
    *flows = (struct cli_branch_flows){.session = session};
    if (!session->capture) {
        flows->log = session->options->capture;
        return cli_branch_log_names(flows);
    }
    flows->names = calloc(session->source_count + 1, sizeof *flows->names);
    flows->sources = calloc(session->source_count + 1, sizeof *flows->sources);
    if (!flows->names || !flows->sources || !take_sources(flows)) {
        cli_session_say(session, "out of memory");
        return false;
    }
    if (flows->count)
        return true;
    cli_session_say(session, "%s: no source of it is decoded to instructions",
                    session->options->capture);
    return false;
}

void cli_branch_flows_free(struct cli_branch_flows *flows)
{
    for (size_t i = 0; i < flows->count; i++)
        free(flows->names[i]);
    free(flows->names);
    free(flows->sources);
    *flows = (struct cli_branch_flows){0};
}
