/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/simulate/simulate.h"
#include "machine/recording.h"

#define REGISTERS_MOST 512u
#define READ_AT_ONCE 256u

static bool grow(struct cli_simulated *simulated)
{
    const size_t capacity = simulated->list_capacity ? 2 * simulated->list_capacity : 256;
    struct cairn_explained *grown = realloc(simulated->list, capacity * sizeof *grown);

    if (!grown)
        return false;
    simulated->list = grown;
    simulated->list_capacity = capacity;
    return true;
}

static void keep(struct cli_simulated *simulated, const struct cairn_explained *record)
{
    if (!simulated->keeps_list)
        return;
    if (simulated->list_count == CAIRN_EXPLAINED_MOST ||
        (simulated->list_count == simulated->list_capacity && !grow(simulated)))
        simulated->list_lost++;
    else
        simulated->list[simulated->list_count++] = *record;
}

static cairn_status take(void *context, const struct cairn_explained *record)
{
    struct cli_simulated *simulated = context;

    switch ((enum cairn_explained_kind)record->kind) {
    case CAIRN_EXPLAINED_RUN:
    case CAIRN_EXPLAINED_OUTPUT:
    case CAIRN_EXPLAINED_CHANGE: keep(simulated, record); break;
    case CAIRN_EXPLAINED_TOTAL:
        simulated->counters.instructions = record->instructions;
        simulated->counters.traced = record->pieces;
        simulated->counters.bytes = record->bytes;
        simulated->counters.exceptions = record->exceptions;
        simulated->counters.discontinuities = record->discontinuities;
        simulated->counters.overflows = record->overflows;
        simulated->counters.syncs = record->syncs;
        simulated->cycles = record->clock ? record->clock : record->instructions;
        break;
    case CAIRN_EXPLAINED_ROW: break;
    }
    return CAIRN_OK;
}

struct cli_simulated *cli_simulated_new(struct cli_simulation *simulation, const char *name,
                                        enum cairn_protocol_id protocol)
{
    struct cli_simulated **grown =
        realloc(simulation->list, (simulation->count + 1) * sizeof(struct cli_simulated *));
    struct cli_simulated *made = calloc(1, sizeof *made);

    if (grown)
        simulation->list = grown;
    if (made)
        made->name = strdup(name);
    if (!grown || !made || !made->name) {
        free(made);
        cli_session_say(simulation->session, "out of memory");
        return NULL;
    }
    made->protocol = protocol;
    made->counters.size = sizeof made->counters;
    made->replay.size = sizeof made->replay;
    made->explainer.sink = take;
    made->explainer.sink_context = made;
    made->keeps_list = simulation->options->list || simulation->options->events;
    grown[simulation->count++] = made;
    return made;
}

void cli_simulated_watch(struct cli_simulated *simulated, struct cairn_unit_options *options)
{
    cairn_explain(&simulated->explainer, options);
}

static void keep_registers(struct cli_simulated *simulated, const struct cairn_unit *unit)
{
    simulated->registers = calloc(REGISTERS_MOST, sizeof *simulated->registers);
    while (simulated->registers && simulated->register_count < REGISTERS_MOST &&
           cairn_unit_register(unit, simulated->register_count,
                               &simulated->registers[simulated->register_count]) == CAIRN_OK)
        simulated->register_count++;
    /* The names of a model are static, those of numbered registers too. */
}

void cli_simulated_end(struct cli_simulated *simulated, const struct cairn_unit *unit)
{
    cairn_explain_end(&simulated->explainer);
    cairn_unit_counters(unit, &simulated->counters);
    simulated->cycles =
        simulated->counters.cycles ? simulated->counters.cycles : simulated->counters.instructions;
    keep_registers(simulated, unit);
}

bool cli_simulated_read(struct cli_simulated *simulated, const char *folder)
{
    struct cairn_explained records[READ_AT_ONCE];
    char path[PATH_MAX];
    size_t count;
    bool more = true;

    snprintf(path, sizeof path, "%s/%s" CAIRN_EXPLAINED_SUFFIX, folder, simulated->name);
    FILE *file = fopen(path, "rbe");
    if (!file)
        return false;
    while (more && (count = fread(records, sizeof *records, READ_AT_ONCE, file)) > 0)
        for (size_t i = 0; i < count && (more = records[i].kind != 0); i++)
            cairn_explain_take(&simulated->explainer, &records[i]);
    fclose(file);
    unlink(path);
    return true;
}

void cli_simulation_free(struct cli_simulation *simulation)
{
    for (size_t i = 0; i < simulation->count; i++) {
        free(simulation->list[i]->name);
        free(simulation->list[i]->list);
        free(simulation->list[i]->registers);
        free(simulation->list[i]);
    }
    free(simulation->list);
}
