/* SPDX-License-Identifier: BSD-2-Clause */
/* The named options of `cairn record` as register values: what a debugger would program. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/register_names.h"
#include "cli/protocols.h"
#include "cli/record.h"
#include "protocol/about.h"

/* TRCCONFIGR */
#define CONFIG_BB (1u << 3)
#define CONFIG_CCI (1u << 4)
#define CONFIG_CID (1u << 6)
#define CONFIG_TS (1u << 11)
#define CONFIG_RS (1u << 12)
#define VICTLR_SSSTATUS (1u << 9)
#define VISSCTLR_STOP_SHIFT 16
#define VIIECTLR_EXCLUDE_SHIFT 16

const char *cli_record_core(const struct cli_options *options)
{
    if (options->open.core)
        return options->open.core;
    if (options->record->machine)
        return cli_record_machine_core(options->record->machine);
    const char *core = cairn_about(cli_record_protocol(options))->record_core;
    return core ? core : "ARM-AA64";
}

enum cairn_protocol_id cli_record_protocol(const struct cli_options *options)
{
    if (options->open.protocol)
        return options->open.protocol;
    return cli_protocols_recorded(options->record->machine ? CAIRN_RECORD_MACHINE_DEFAULT
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

bool cli_record_change_numbered(struct cairn_unit *unit, const char *name, unsigned number,
                                uint64_t value)
{
    char full[24];

    snprintf(full, sizeof full, "%s%u", name, number);
    return cli_record_change(unit, full, UINT64_MAX, value);
}

static bool program_options(struct cairn_unit *unit, const struct cli_record *record)
{
    const uint64_t configr =
        (record->branch_broadcast ? CONFIG_BB : 0) | (record->cycle_counts ? CONFIG_CCI : 0) |
        (record->context_ids ? CONFIG_CID : 0) | (record->timestamps ? CONFIG_TS : 0) |
        (record->return_stack ? CONFIG_RS : 0);
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

static bool program_ranges(struct cairn_unit *unit, const struct cli_record *record,
                           unsigned *comparators)
{
    uint64_t selected = 0;
    unsigned pair = 0;

    if (record->include_count + record->exclude_count > CLI_RECORD_RANGES) {
        fprintf(stderr,
                "cairn record: --include and --exclude: %u ranges, but the unit has "
                "comparators for 8\n",
                record->include_count + record->exclude_count);
        return false;
    }
    for (unsigned i = 0; i < record->include_count + record->exclude_count; i++, pair++) {
        const bool excludes = i >= record->include_count;
        const struct cli_address_range *range =
            excludes ? &record->exclude[i - record->include_count] : &record->include[i];

        selected |= UINT64_C(1) << (pair + (excludes ? VIIECTLR_EXCLUDE_SHIFT : 0));
        if (!cli_record_change_numbered(unit, "TRCACVR", 2 * pair, range->first) ||
            !cli_record_change_numbered(unit, "TRCACVR", 2 * pair + 1, range->last))
            return false;
    }
    *comparators = 2 * pair;
    return !selected || cli_record_change(unit, "TRCVIIECTLR", 0, selected);
}

struct point {
    uint64_t address;
    bool stop;
};

static int by_address(const void *a, const void *b)
{
    const struct point *left = a, *right = b;

    return left->address < right->address ? -1 : left->address > right->address;
}

/* Comparators of start and stop points must be in the order of their addresses (R_SFXZB). */
static bool program_points(struct cairn_unit *unit, const struct cli_record *record,
                           unsigned comparator)
{
    struct point points[2 * CLI_RECORD_ADDRESSES];
    const unsigned count = record->start_count + record->stop_count;
    uint64_t selected = 0;

    for (unsigned i = 0; i < count; i++)
        points[i] = i < record->start_count
                        ? (struct point){record->start[i], false}
                        : (struct point){record->stop[i - record->start_count], true};
    qsort(points, count, sizeof *points, by_address);
    if (comparator + count > CLI_RECORD_ADDRESSES) {
        fprintf(stderr,
                "cairn record: --start and --stop: %u addresses, but the unit has %u comparators "
                "left for them\n",
                count, CLI_RECORD_ADDRESSES - comparator);
        return false;
    }
    for (unsigned i = 0; i < count; i++, comparator++) {
        if (i && points[i].address == points[i - 1].address &&
            points[i].stop != points[i - 1].stop) {
            fprintf(stderr,
                    "cairn record: 0x%" PRIx64 " is both a --start and a --stop address: what a "
                    "trace unit does then is unpredictable\n",
                    points[i].address);
            return false;
        }
        selected |= UINT64_C(1) << (comparator + (points[i].stop ? VISSCTLR_STOP_SHIFT : 0));
        if (!cli_record_change_numbered(unit, "TRCACVR", comparator, points[i].address))
            return false;
    }
    if (count && !cli_record_change(unit, "TRCVISSCTLR", 0, selected))
        return false;
    return !record->start_count || cli_record_change(unit, "TRCVICTLR", VICTLR_SSSTATUS, 0);
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
        record->include_count + record->exclude_count + record->start_count + record->stop_count ==
            0)
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
    unsigned comparators;

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
    return has_no_data(options->record) && program_options(*unit, options->record) &&
           program_ranges(*unit, options->record, &comparators) &&
           program_points(*unit, options->record, comparators);
}
