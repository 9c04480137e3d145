/* SPDX-License-Identifier: BSD-2-Clause */
/* The named options of `cairn record` as register values of a PTM (IHI0035 3.16), an ETMv3, an ETMv2 or an
 * ETMv1 (IHI0014 3.5): what they have in common, they have in the same place. */
#include <stdio.h>

#include "cli/record/record.h"
#include "protocol/about.h"

#define CR_DATA_VALUE (1u << 2)
#define CR_DATA_ADDRESS (1u << 3)
#define CR_BROADCAST (1u << 8)
#define CR_CYCLES (1u << 12)
#define CR_CONTEXT_32 (3u << 14)
#define CR_TIMESTAMPS (1u << 28)
#define CR_RETURN_STACK (1u << 29)
#define SYNC_MOST 0xfffu

static bool refuse(const struct cli_options *options, const char *option, const char *why)
{
    fprintf(stderr, "cairn record: %s: %s %s\n", option,
            cairn_protocol_name(cli_record_protocol(options)), why);
    return false;
}

static uint64_t data_bits(const struct cli_record *record)
{
    return (record->data_values ? CR_DATA_VALUE : 0) |
           (record->data_addresses ? CR_DATA_ADDRESS : 0);
}

/* What one of them has, and others have not. */
static bool fits(const struct cli_options *options)
{
    const struct cli_record *record = options->record;
    const unsigned traits = cairn_about(cli_record_protocol(options))->record;
    struct cairn_arch arch;

    if (options->program[0] && !record->machine &&
        cairn_arch_from_name(cli_record_core(options), &arch) == CAIRN_OK &&
        arch.profile == CAIRN_PROFILE_M)
        return refuse(options, "--core", "of a Cortex-M is recorded of firmware only (--machine)");
    if (record->tarmac && data_bits(record))
        return refuse(options, "--data", "is not told of a log's loads and stores");
    if (!(traits & CAIRN_RECORD_DATA) && data_bits(record))
        return refuse(options, "--data", "traces no data; --protocol etmv3 does");
    if (!(traits & CAIRN_RECORD_RETURN_STACK) && record->return_stack)
        return refuse(options, "--return-stack", "has none");
    if (record->branch_broadcast && record->return_stack)
        return refuse(options, "--branch-broadcast and --return-stack",
                      "traces something unpredictable with both");
    return true;
}

static bool program_options(struct cairn_unit *unit, const struct cli_options *options)
{
    const struct cli_record *record = options->record;
    uint64_t period = 0;
    const uint64_t control =
        data_bits(record) | (record->branch_broadcast ? CR_BROADCAST : 0) |
        (record->cycle_counts ? CR_CYCLES : 0) | (record->context_ids ? CR_CONTEXT_32 : 0) |
        (record->timestamps ? CR_TIMESTAMPS : 0) | (record->return_stack ? CR_RETURN_STACK : 0);

    if (record->cycle_counts && record->cycle_threshold != UINT64_MAX)
        return refuse(options, "--cycle-counts", "has no threshold, it counts every cycle");
    if (record->sync_given && cairn_unit_read(unit, "ETMSYNCFR", &period) != CAIRN_OK)
        return refuse(options, "--sync-period", "has a period of its own, 1024 cycles");
    if (record->sync_given && record->sync_period > SYNC_MOST)
        return refuse(options, "--sync-period",
                      cairn_about(cli_record_protocol(options))->samples
                          ? "synchronises every 4095 cycles at the most (ETMSYNCFR)"
                          : "synchronises every 4095 bytes at the most (ETMSYNCFR)");
    if (control && !cli_record_change(unit, "ETMCR", 0, control))
        return false;
    return !record->sync_given ||
           cli_record_change(unit, "ETMSYNCFR", UINT64_MAX, record->sync_period);
}

bool cli_record_etm(const struct cli_options *options, struct cairn_unit *unit)
{
    return fits(options) && program_options(unit, options);
}
