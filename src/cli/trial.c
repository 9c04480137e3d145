/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/trial.h"

#include <stdlib.h>
#include <strings.h>

#include "cli/pipeline.h"

/* Registers that tell the protocol's version would insist on the one that is in doubt. */
static bool tells_version(const char *name)
{
    return !strcasecmp(name, "TRCDEVARCH") || !strcasecmp(name, "TRCIDR1") ||
           !strcasecmp(name, "ETMIDR");
}

static struct cairn_register *other_registers(const struct cairn_source_info *info, size_t *count)
{
    struct cairn_register *registers = calloc(info->register_count + 1, sizeof *registers);

    *count = 0;
    for (size_t i = 0; registers && i < info->register_count; i++)
        if (!tells_version(info->registers[i].name))
            registers[(*count)++] = info->registers[i];
    return registers;
}

static struct cairn_config *other_config(const struct cairn_source_info *info, size_t source,
                                         enum cairn_protocol_id protocol)
{
    struct cairn_source_config wanted = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;
    size_t count;
    struct cairn_register *registers = other_registers(info, &count);

    if (!registers)
        return NULL;
    wanted.protocol = protocol;
    wanted.arch = info->arch;
    wanted.source = (uint32_t)source;
    wanted.registers = registers;
    wanted.register_count = count;
    if (cairn_config_new(&wanted, &config, NULL))
        config = NULL;
    free(registers);
    return config;
}

bool cli_trial_run(struct cli_session *session, size_t source, enum cairn_protocol_id protocol,
                   uint64_t *reserved)
{
    struct cairn_source_info info;
    struct cli_pipeline *pipeline = NULL;

    if (cairn_capture_source(session->capture, source, &info))
        return false;
    struct cairn_config *config = other_config(&info, source, protocol);
    if (!config)
        return false;
    const struct cli_pipeline_options options = {.level = CLI_LEVEL_PACKETS};
    cairn_status status =
        cli_pipeline_new(session->capture, source, config, NULL, &options, &pipeline, NULL);
    while (!status) {
        status = cli_pipeline_next(pipeline);
        if (!cli_pipeline_packets(pipeline)->count || !cli_session_goes_on(session))
            break;
    }
    if (!status) {
        const struct cairn_ledger *ledger = cli_pipeline_ledger(pipeline);
        *reserved = ledger->packets[CAIRN_GAP_RESERVED];
        /* nothing is reserved in what is never synchronised */
        if (ledger->bytes[CAIRN_GAP_NO_SYNC] > ledger->total / 2)
            status = CAIRN_E_NOT_FOUND;
    }
    cli_pipeline_free(pipeline);
    cairn_config_unref(config);
    return !status;
}
