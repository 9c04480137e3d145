/* SPDX-License-Identifier: BSD-2-Clause */
/* The named options of `cairn record` as register values: what a debugger would program. */
#include <stdio.h>
#include <string.h>

#include "capture/register_names.h"
#include "cli/options/protocols.h"
#include "cli/record/record.h"
#include "protocol/about.h"

/* TRCCONFIGR */
#define CONFIG_BB (1u << 3)
#define CONFIG_CCI (1u << 4)
#define CONFIG_CID (1u << 6)
#define CONFIG_VMID (1u << 7)
#define CONFIG_TS (1u << 11)
#define CONFIG_RS (1u << 12)

const char *cli_record_core(const struct cli_options *options)
{
    if (options->open.core)
        return options->open.core;
    if (options->record->machine && !cli_record_is_board(options->record))
        return cli_record_machine_core(options->record->machine);
    const char *core = cairn_about(cli_record_protocol(options))->record_core;
    return core ? core : "ARM-AA64";
}

enum cairn_protocol_id cli_record_protocol(const struct cli_options *options)
{
    if (options->open.protocol)
        return options->open.protocol;
    return cli_protocols_recorded(options->record->machine && !cli_record_is_board(options->record)
                                      ? CAIRN_RECORD_MACHINE_DEFAULT
                                      : CAIRN_RECORD_DEFAULT);
}

bool cli_record_change(struct cairn_unit *unit, const char *name, uint64_t clear, uint64_t set)
{
    struct cairn_error error = {0};
    uint64_t value = 0;

    cairn_status status = cairn_unit_read(unit, name, &value);
    if (status == CAIRN_OK)
        status = cairn_unit_write(unit, name, (value & ~clear) | set, &error);
    if (status != CAIRN_OK)
        fprintf(stderr, "cairn record: %s: %s\n", name,
                error.text[0] ? error.text : cairn_status_text(status));
    return status == CAIRN_OK;
}

static bool program_options(struct cairn_unit *unit, const struct cli_record *record)
{
    const uint64_t configr =
        (record->branch_broadcast ? CONFIG_BB : 0) | (record->cycle_counts ? CONFIG_CCI : 0) |
        (record->context_ids ? CONFIG_CID : 0) |
        (record->context_ids && cli_record_is_board(record) ? CONFIG_VMID : 0) |
        (record->timestamps ? CONFIG_TS : 0) | (record->return_stack ? CONFIG_RS : 0);
    unsigned period = 0;

    if (configr && !cli_record_change(unit, "TRCCONFIGR", 0, configr))
        return false;
    if (record->cycle_counts && record->cycle_threshold != UINT64_MAX &&
        !cli_record_change(unit, "TRCCCCTLR", UINT64_MAX, record->cycle_threshold))
        return false;
    for (uint64_t bytes = record->sync_period; bytes > 1; bytes >>= 1)
        period++;
    return !record->sync_given || cli_record_change(unit, "TRCSYNCPR", UINT64_MAX, period);
}

static bool has_no_data(const struct cli_record *record)
{
    if (record->data_addresses || record->data_values)
        fputs("cairn record: --data: only a trace unit of --protocol etmv3 traces data here\n",
              stderr);
    return !record->data_addresses && !record->data_values;
}

static bool has_no_options(const struct cli_record *record)
{
    if (!record->return_stack && !record->branch_broadcast && !record->cycle_counts &&
        !record->timestamps && !record->context_ids && !record->sync_given &&
        record->filter_count == 0)
        return true;
    fprintf(stderr,
            "cairn record: an MTB has no such options; --set MTB_MASTER=MASK says how large "
            "its buffer is, 2^(MASK + 4) bytes, and it keeps the newest packets\n");
    return false;
}

/* A register that no such unit has may be a slip of another one's name. */
static void refuse_unit(const struct cli_options *options, enum cairn_protocol_id protocol,
                        const struct cairn_error *error)
{
    const char *near = NULL;

    for (size_t i = 0; !near && i < options->open.register_count; i++)
        if (!cairn_register_name_exists(protocol, options->open.registers[i].name))
            near = cairn_register_name_near(protocol, options->open.registers[i].name);
    fprintf(stderr, "cairn record: %s%s%s%s\n", error->text, near ? "; did you mean " : "",
            near ? near : "", near ? "?" : "");
}

bool cli_record_unit(const struct cli_options *options, struct cairn_unit **unit)
{
    struct cairn_unit_options wanted = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_error error = {0};

    wanted.protocol = cli_record_protocol(options);
    if (cairn_arch_from_name(cli_record_core(options), &wanted.arch) != CAIRN_OK) {
        fprintf(stderr,
                "cairn record: --core %s: no such core is known; try Cortex-A53 or ARMv8.3-A\n",
                options->open.core);
        return false;
    }
    wanted.registers = options->open.registers;
    wanted.register_count = options->open.register_count;
    if (cairn_unit_new(&wanted, unit, &error) != CAIRN_OK) {
        refuse_unit(options, wanted.protocol, &error);
        return false;
    }
    if (cairn_register_name_exists(wanted.protocol, "ETMCR"))
        return cli_record_etm(options, *unit);
    if (!cairn_register_name_exists(wanted.protocol, "TRCCONFIGR"))
        return has_no_options(options->record) && has_no_data(options->record);
    return has_no_data(options->record) && program_options(*unit, options->record);
}
