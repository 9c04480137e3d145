/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/pe.h>

#include "base/letters.h"
#include "cli/session/programmed.h"
#include "pe/pe.h"

#define SCRIPT_MOST (1u << 24)
#define ORDERS 100u
#define ORDERS_MOST 1000000u
#define FOUND_MOST 256u
#define READ_MOST 256u
#define CTI_INPUTS 8u

enum {
    KEY_ORDERS = CLI_OWN_KEY,
    KEY_ALL,
};

static const struct cli_option own_options[] = {
    {"orders", KEY_ORDERS | CLI_FIRST, "N",
     "Try so many orders: the earliest, the latest, and others at random, always the same ones.\n"
     "Default: 100, at most 1000000."},
    {"all", KEY_ALL | CLI_FIRST, NULL,
     "Tell what each mrs read, too, and what came out of the PE: trigger inputs of the CTI and SError\n"
     "interrupts, in the earliest order."},
    {0},
};

static bool take_own(struct cli_options *options, int key, const char *argument)
{
    if (key == KEY_ALL) {
        options->all = true;
        return true;
    }
    if (cli_number(argument, &options->orders) && options->orders > 0 &&
        options->orders <= ORDERS_MOST)
        return true;
    fprintf(stderr, "cairn barriers: --orders: not a number from 1 to %u: %s\n", ORDERS_MOST,
            argument);
    return false;
}

/* What is not ordered, and in how many of the orders it was met. */
struct found {
    struct cairn_pe_finding finding;
    char name[24];
    uint64_t orders, last_order;
};

/* A line that reads, and what it read. */
struct read {
    unsigned line;
    char name[24];
    uint64_t least, most;
};

struct trying {
    struct cli_session *session;
    const char *path;
    const char *text;
    size_t size;
    uint64_t order; /* the one that is going on, from 1 */
    struct found found[FOUND_MOST];
    size_t found_count;
    struct read reads[READ_MOST];
    size_t read_count, read_at;
    bool more; /* findings than there is room for */
    /* What came out of the PE in the first order: trigger inputs of the CTI, and SError interrupts. */
    uint64_t cti[CTI_INPUTS], system_errors, error_address;
};

static void tell(void *context, const struct cairn_pe_finding *finding)
{
    struct trying *trying = context;
    const char *name = finding->name ? finding->name : "";
    struct found *found = trying->found;

    while (found < trying->found + trying->found_count &&
           (found->finding.place != finding->place || strcmp(found->name, name) != 0 ||
            strcmp(found->finding.rule, finding->rule) != 0))
        found++;
    if (found == trying->found + FOUND_MOST) {
        trying->more = true;
        return;
    }
    if (found == trying->found + trying->found_count) {
        trying->found_count++;
        found->finding = *finding;
        snprintf(found->name, sizeof found->name, "%s", name);
    }
    found->orders += found->last_order != trying->order;
    found->last_order = trying->order;
}

static void told(void *context, unsigned line, const char *name, uint64_t value)
{
    struct trying *trying = context;
    struct read *read = &trying->reads[trying->read_at];

    if (trying->read_at == READ_MOST)
        return;
    if (trying->read_at++ == trying->read_count) {
        trying->read_count++;
        *read = (struct read){.line = line, .least = value, .most = value};
        snprintf(read->name, sizeof read->name, "%s", name);
    }
    read->least = value < read->least ? value : read->least;
    read->most = value > read->most ? value : read->most;
}

static void tell_cti(void *context, unsigned number)
{
    struct trying *trying = context;

    if (trying->order == 1 && number < CTI_INPUTS)
        trying->cti[number]++;
}

static void tell_system_error(void *context, uint64_t address)
{
    struct trying *trying = context;

    if (trying->order == 1 && trying->system_errors++ == 0)
        trying->error_address = address;
}

static cairn_status try_one(struct trying *trying, uint64_t order, struct cairn_error *error)
{
    struct cairn_unit_options unit = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_pe_options options = CAIRN_PE_OPTIONS_INIT;
    struct cairn_pe *pe;
    cairn_status status;

    trying->order = order + 1;
    trying->read_at = 0;
    options.unit = &unit;
    options.order = order == 0 ? CAIRN_PE_EARLY : order == 1 ? CAIRN_PE_LATE : CAIRN_PE_RANDOM;
    options.seed = order;
    options.finds = true;
    options.tell = tell;
    options.cti = tell_cti;
    options.system_error = tell_system_error;
    options.context = trying;
    status = cairn_pe_new(&options, &pe, error);
    if (status != CAIRN_OK)
        return status;
    status = cairn_pe_script(pe, trying->path, trying->text, trying->size, told, trying, error);
    cairn_pe_free(pe);
    return status;
}

/* --- what is told --- */

static int by_line(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    if (x->finding.place != y->finding.place)
        return x->finding.place < y->finding.place ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void tell_found(const struct trying *trying, const struct found *found)
{
    struct cairn_output *output = trying->session->output;
    const struct cairn_pe_finding *finding = &found->finding;
    char missing[256];

    cairn_output_format(output, "%s:%" PRIu64 ": ", trying->path, finding->place);
    if (found->name[0])
        cairn_output_format(output, "%s", found->name);
    else
        cairn_output_format(output, "memory at 0x%" PRIx64, finding->address);
    cairn_output_format(output, ": %s [%s]", finding->what, finding->rule);
    cairn_output_line(output);
    cairn_pe_missing_text(finding->missing, missing, sizeof missing);
    cairn_output_format(output, "    between line %" PRIu64 " and this one there is not: %s",
                        finding->since, missing);
    cairn_output_line(output);
    if (found->name[0] && finding->values[0] != finding->values[1]) {
        cairn_output_format(output, "    it may be 0x%" PRIx64 " or 0x%" PRIx64, finding->values[0],
                            finding->values[1]);
        cairn_output_line(output);
    }
    cairn_output_format(output, "    what to do: %s", finding->remedy);
    cairn_output_line(output);
}

static void tell_reads(const struct trying *trying)
{
    struct cairn_output *output = trying->session->output;

    for (size_t i = 0; i < trying->read_count; i++) {
        const struct read *read = &trying->reads[i];

        if (read->least == read->most && !trying->session->options->all)
            continue;
        cairn_output_format(output, "%s:%u: %s was read as 0x%" PRIx64, trying->path, read->line,
                            read->name, read->least);
        if (read->least != read->most)
            cairn_output_format(output, " to 0x%" PRIx64, read->most);
        cairn_output_line(output);
    }
}

static void tell_signals(const struct trying *trying)
{
    struct cairn_output *output = trying->session->output;

    for (unsigned n = 0; n < CTI_INPUTS; n++) {
        if (trying->cti[n] == 0)
            continue;
        cairn_output_format(output, "%s: trigger input %u of the CTI: %" PRIu64 " time%s",
                            trying->path, n, trying->cti[n], cairn_plural(trying->cti[n]));
        cairn_output_line(output);
    }
    if (trying->system_errors == 0)
        return;
    cairn_output_format(output,
                        "%s: SError interrupt: %" PRIu64
                        " time%s, first of trace that was to go to 0x%" PRIx64,
                        trying->path, trying->system_errors, cairn_plural(trying->system_errors),
                        trying->error_address);
    cairn_output_line(output);
}

static void tell_all_found(struct trying *trying)
{
    qsort(trying->found, trying->found_count, sizeof trying->found[0], by_line);
    for (size_t i = 0; i < trying->found_count; i++)
        tell_found(trying, &trying->found[i]);
}

static enum cli_exit finish(struct trying *trying, uint64_t orders)
{
    struct cairn_output *output = trying->session->output;
    const size_t count = trying->found_count;

    tell_all_found(trying);
    tell_reads(trying);
    if (trying->session->options->all)
        tell_signals(trying);
    if (count == 0)
        cairn_output_format(output, "nothing is left open: the same in %" PRIu64 " order%s", orders,
                            cairn_plural(orders));
    else
        cairn_output_format(output, "%zu place%s without a barrier%s, in %" PRIu64 " order%s",
                            count, cairn_plural(count), trying->more ? " and more" : "", orders,
                            cairn_plural(orders));
    cairn_output_line(output);
    return count ? CLI_GAPS : CLI_CLEAN;
}

static enum cli_exit try_all(struct cli_session *session, const char *path)
{
    const uint64_t orders = session->options->orders ? session->options->orders : ORDERS;
    struct trying *trying = calloc(1, sizeof *trying);
    struct cairn_error error = {.status = CAIRN_OK};
    cairn_status status = trying ? CAIRN_OK : CAIRN_E_MEMORY;
    enum cli_exit result = CLI_UNUSABLE;
    size_t size = 0;
    char *text = trying ? cli_read_text(session, path, SCRIPT_MOST, &size) : NULL;

    if (text) {
        *trying = (struct trying){.session = session, .path = path, .text = text, .size = size};
        for (uint64_t n = 0; n < orders && status == CAIRN_OK && cli_session_goes_on(session); n++)
            status = try_one(trying, n, &error);
        if (status == CAIRN_OK)
            result = finish(trying, orders);
        else /* a barrier that is missing may be why the script cannot go on */
            tell_all_found(trying);
    }
    if (status != CAIRN_OK)
        cli_session_say(session, "%s", error.status ? error.text : cairn_status_text(status));
    free(text);
    free(trying);
    return result;
}

static enum cli_exit run(const struct cli_options *options)
{
    struct cli_session session;
    enum cli_exit result = cli_session_open_output(&session, &cli_command_barriers, options);

    if (!result && options->programming.words.count != 1) {
        cli_session_say(&session, "one script is wanted: cairn barriers SCRIPT");
        result = CLI_UNUSABLE;
    }
    if (!result)
        result = try_all(&session, options->programming.words.items[0]);
    return cli_session_close(&session, result);
}

const struct cli_command cli_command_barriers = {
    .name = "barriers",
    .summary = "tell which barriers a trace driver's accesses lack",
    .arguments = "SCRIPT",
    .description =
        "Runs a register script on a modelled PE with an ETE, a Trace Buffer Unit and a Branch Record\n"
        "Buffer, in many orders that the architecture allows: what is written counts at once, or behind\n"
        "the next Context synchronization event (System registers, the trace unit's and the Performance\n"
        "Monitors' among them); trace operations happen at once, or at TSB CSYNC; memory\n"
        "is written at once, or at a DSB. Where orders can come to different results a barrier is missing:\n"
        "an ISB, a TSB CSYNC, a DSB, or where tracing is prohibited. So are places where the buffer is on\n"
        "while the registers that it translates by change.\n"
        "The script is what a driver does, a line an access: msr, mrs, isb, dsb, tsb, sys BRB_IALL; and\n"
        "around it enter EL1n (an exception to that level, or the return to it), run N (instructions),\n"
        "load and store ADDRESS SIZE (of software), map VA PA SIZE, unmap VA SIZE and tlbi NAME (the buffer's\n"
        "addresses are translated then), abort PA SIZE (memory that fails), trigger N (a cross trigger), reset\n"
        "cold and power down. It begins at EL3. docs/pe.md has all of it.",
    .output =
        "Each place where something is left open: line, register or memory, what may happen, [the rule],\n"
        "the line it is not ordered with, the barriers that are not there, and what to do. Then what was\n"
        "read differently, and a line with the sum.",
    .exit_status = "0   nothing is left open\n"
                   "1   barriers are missing\n"
                   "2   the script cannot be read, or an access in it is UNDEFINED or trapped",
    .examples = "cairn barriers driver.pe\n"
                "cairn barriers --orders 1000 --all driver.pe",
    .own = own_options,
    .take_own = take_own,
    .options = CLI_TAKES_WORDS | CLI_TAKES_OUTPUT,
    .run = run,
};
