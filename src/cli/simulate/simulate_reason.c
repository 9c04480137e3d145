/* SPDX-License-Identifier: BSD-2-Clause */
/* Why nothing at all is traced: the term that is low for the most instructions, which registers it is made
 * of, and what these say. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "capture/register_names.h"
#include "cli/simulate/simulate.h"

#define POINTS_MOST 16u
#define REASONS_MOST 3u

struct reason {
    const struct cli_simulated *simulated;
    struct cairn_space *space;
    char *text;
    size_t length;
};

static void add(struct reason *reason, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct reason *reason, const char *format, ...)
{
    va_list arguments;

    if (reason->length >= CLI_REASON_TEXT)
        return;
    va_start(arguments, format);
    reason->length += (size_t)vsnprintf(reason->text + reason->length,
                                        CLI_REASON_TEXT - reason->length, format, arguments);
    va_end(arguments);
}

static uint64_t value_of(const struct reason *reason, const char *name)
{
    const struct cli_simulated *simulated = reason->simulated;

    for (size_t i = 0; i < simulated->register_count; i++)
        if (!strcmp(simulated->registers[i].name, name))
            return simulated->registers[i].value;
    return 0;
}

/* ViewInst, by the registers of an ETMv4 or ETE; else TraceEnable, by those of an ETM before. */
static bool is_trc(const struct reason *reason)
{
    return cairn_register_name_exists(reason->simulated->protocol, "TRCVICTLR");
}

/* The address that a comparator has, with its name. */
static void add_address(struct reason *reason, unsigned comparator)
{
    char name[32];
    struct cairn_symbol symbol = {.size = sizeof symbol};

    snprintf(name, sizeof name, is_trc(reason) ? "TRCACVR%u" : "ETMACVR%u",
             is_trc(reason) ? comparator : comparator + 1);
    const uint64_t address = value_of(reason, name);
    add(reason, "0x%" PRIx64, address);
    if (cairn_symbolize(reason->space, address, &symbol) != CAIRN_OK || !symbol.function)
        return;
    if (symbol.offset)
        add(reason, " <%s+0x%" PRIx64 ">", symbol.function, symbol.offset);
    else
        add(reason, " <%s>", symbol.function);
}

static void add_points(struct reason *reason, uint64_t points)
{
    unsigned told = 0;

    for (unsigned n = 0; n < POINTS_MOST; n++)
        if (points >> n & 1u) {
            add(reason, "%s", told++ ? ", " : "");
            add_address(reason, n);
        }
}

static void add_start_stop(struct reason *reason)
{
    const uint64_t points = value_of(reason, is_trc(reason) ? "TRCVISSCTLR" : "ETMTSSCR") & 0xffffu;

    add(reason, "the start/stop function never was active: %s, and ",
        is_trc(reason) ? "TRCVICTLR.SSSTATUS was 0" : "ETMTECR1 asks for it");
    if (!points) {
        add(reason, "%s has no start point: set SSSTATUS (write 0x201 to TRCVICTLR), or choose one",
            is_trc(reason) ? "TRCVISSCTLR" : "ETMTSSCR");
        return;
    }
    add(reason, "nothing was executed at a start point (");
    add_points(reason, points);
    add(reason, "), or not in the context that its comparator asks for");
}

static void add_include(struct reason *reason)
{
    const uint64_t ranges = value_of(reason, is_trc(reason) ? "TRCVIIECTLR" : "ETMTECR1") & 0xffu;
    unsigned told = 0;

    add(reason, "nothing was executed in a range to include (");
    for (unsigned n = 0; n < 8; n++)
        if (ranges >> n & 1u) {
            add(reason, "%s", told++ ? "; " : "");
            add_address(reason, 2 * n);
            add(reason, " to ");
            add_address(reason, 2 * n + 1);
        }
    add(reason, "%s)", told ? "" : "ETMTECR1 names none");
}

static void add_event(struct reason *reason)
{
    const char *name = is_trc(reason) ? "TRCVICTLR" : "ETMTEEVR";
    const uint64_t value = value_of(reason, name);

    if (is_trc(reason) && (value & 0xffu) == 0)
        add(reason, "TRCVICTLR.EVENT is 0, which is never: write 1 for always");
    else
        add(reason,
            "the event of %s (0x%" PRIx64 ") never was active: `cairn registers %s=0x%" PRIx64
            "` says what it is",
            name, value, name, value);
}

static void add_term(struct reason *reason, uint32_t why)
{
    switch (why) {
    case CAIRN_UNIT_WHY_DISABLED: add(reason, "the unit was disabled"); break;
    case CAIRN_UNIT_WHY_PROHIBITED: add(reason, "all of it is in a Trace Prohibited region"); break;
    case CAIRN_UNIT_WHY_DEBUG: add(reason, "the core was in Debug state"); break;
    case CAIRN_UNIT_WHY_OVERFLOW: add(reason, "the FIFO never drained"); break;
    case CAIRN_UNIT_WHY_NO_PACKETS:
        add(reason, "the code is of an instruction set of which %s has no packets",
            cairn_protocol_name(reason->simulated->protocol));
        break;
    case CAIRN_UNIT_WHY_START_STOP: add_start_stop(reason); break;
    case CAIRN_UNIT_WHY_LEVEL:
        add(reason,
            "the Exception levels that were executed are left out (TRCVICTLR.EXLEVEL_S, _NS "
            "or _RL; 0x%" PRIx64 ")",
            value_of(reason, "TRCVICTLR"));
        break;
    case CAIRN_UNIT_WHY_INCLUDE: add_include(reason); break;
    case CAIRN_UNIT_WHY_EXCLUDE:
        add(reason, "all of it is in the ranges to exclude (%s)",
            is_trc(reason) ? "TRCVIIECTLR" : "ETMTECR1");
        break;
    case CAIRN_UNIT_WHY_EVENT: add_event(reason); break;
    case CAIRN_UNIT_WHY_WAITING: add(reason, "the core waited for an interrupt"); break;
    default: add(reason, "nothing ends what was executed: no branch, no exception"); break;
    }
}

/* Of the instructions that have none of the terms in `but`, those that have this one; `of`: 0 for all. */
static uint64_t instructions_of(const struct cairn_explainer *explainer, uint32_t of, uint32_t but)
{
    uint64_t instructions = 0;

    for (size_t i = 0; i < explainer->row_count; i++)
        if (!(explainer->rows[i].why & but) && (!of || explainer->rows[i].why & of))
            instructions += explainer->rows[i].instructions;
    return instructions;
}

/* No term alone keeps everything out: how many each does, the one with the most first. */
static void add_shares(struct reason *reason)
{
    const struct cairn_explainer *explainer = &reason->simulated->explainer;
    uint32_t told = 0;

    add(reason, "no instruction passes all terms:");
    for (;;) {
        uint32_t next = 0;
        uint64_t most = 0;

        for (unsigned bit = 0; bit < CAIRN_UNIT_WHY_COUNT; bit++) {
            const uint64_t instructions = instructions_of(explainer, 1u << bit, told);

            if (instructions > most) {
                most = instructions;
                next = 1u << bit;
            }
        }
        if (!next)
            return;
        add(reason, "%s %s keeps out %" PRIu64, told ? ", and of the others" : "",
            cairn_unit_why_name(next), most);
        told |= next;
    }
}

/* A term that is low for every instruction is a reason by itself, and its sentence is true; often there are
 * several. */
void cli_simulate_reason(const struct cli_simulated *simulated, struct cairn_space *space,
                         char text[CLI_REASON_TEXT])
{
    struct reason reason = {.simulated = simulated, .space = space, .text = text};
    const struct cairn_explainer *explainer = &simulated->explainer;
    const uint64_t all = instructions_of(explainer, 0, 0);
    unsigned terms = 0;

    text[0] = '\0';
    for (size_t i = 0; i < explainer->row_count; i++)
        cli_simulate_select(simulated, space, &explainer->rows[i]);
    for (unsigned bit = 0; bit < CAIRN_UNIT_WHY_COUNT && terms < REASONS_MOST; bit++)
        if (instructions_of(explainer, 1u << bit, 0) == all) {
            add(&reason, "%s", terms++ ? "; and " : "");
            add_term(&reason, 1u << bit);
        }
    if (!terms)
        add_shares(&reason);
}
