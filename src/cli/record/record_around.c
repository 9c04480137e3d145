/* SPDX-License-Identifier: BSD-2-Clause */
/* `cairn record --trbe` and `--pmu`: what stood around the trace units (machine/around.h), for the summary,
 * and what makes the dump of a buffer a capture. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cairn/trbe.h>

#include "base/letters.h"
#include "base/shell.h"
#include "capture/files.h"
#include "capture/ini.h"
#include "cli/options/protocols.h"
#include "cli/record/record.h"
#include "protocol/about.h"

enum { PATH_SIZE = 4096, EVENTS_MOST = 31, BUFFERS_TOLD = 8 };

bool cli_record_around_fits(const struct cli_options *options)
{
    const struct cli_record *record = options->record;
    const char *const option = record->around.has_buffer ? "--trbe" : "--pmu";
    const enum cairn_protocol_id fits = cli_protocols_recorded(CAIRN_RECORD_SURROUNDED);
    char word[CLI_PROTOCOLS_TEXT];

    if (!record->around.is_wanted)
        return true;
    if (cli_record_is_board(record)) {
        fprintf(stderr,
                "cairn record: %s: the cores of a machine are traced from outside; cairn run gives "
                "them trace buffers of their own\n",
                option);
        return false;
    }
    if (record->machine) {
        fprintf(
            stderr,
            "cairn record: %s: a Cortex-M has neither; record a program of A profile, or a log\n",
            option);
        return false;
    }
    if (cairn_about(cli_record_protocol(options))->record & CAIRN_RECORD_SURROUNDED)
        return true;
    cli_protocols_word(fits, word);
    fprintf(stderr,
            "cairn record: %s: only around an %s is there a trace buffer and counters; record it "
            "with --protocol %s\n",
            option, cairn_protocol_name(fits), word);
    return false;
}

/* --- what was counted --- */

struct told {
    char name[PATH_SIZE]; /* of the source */
    uint64_t size, written, lost, collected, triggers, interrupts, emptied, TRBSR, TRBPTR;
    uint64_t faults, mended, lost_with_faults;
    uint64_t resets, left, session,
        stays; /* session: written since the last one, or since it was emptied */
    bool has_buffer;
};

struct totals {
    struct {
        char name[32];
        uint64_t count;
    } events[EVENTS_MOST];
    unsigned count;
    struct told told; /* of the file that is read */
};

static void add_event(struct totals *totals, const char *name, uint64_t count)
{
    unsigned i = 0;

    while (i < totals->count && strcmp(totals->events[i].name, name) != 0)
        i++;
    if (i == EVENTS_MOST)
        return;
    if (i == totals->count) {
        snprintf(totals->events[i].name, sizeof totals->events[i].name, "%s", name);
        totals->events[totals->count++].count = 0;
    }
    totals->events[i].count += count;
}

static int take_line(void *context, const struct cairn_ini_line *line)
{
    struct totals *totals = context;
    struct told *told = &totals->told;
    const struct {
        const char *key;
        uint64_t *to;
    } numbers[] = {
        {"size", &told->size},         {"written", &told->written},
        {"lost", &told->lost},         {"collected", &told->collected},
        {"triggers", &told->triggers}, {"interrupts", &told->interrupts},
        {"emptied", &told->emptied},   {"TRBSR_EL1", &told->TRBSR},
        {"TRBPTR_EL1", &told->TRBPTR}, {"faults", &told->faults},
        {"mended", &told->mended},     {"lost_with_faults", &told->lost_with_faults},
        {"resets", &told->resets},     {"left", &told->left},
        {"session", &told->session},   {"stays", &told->stays},
    };
    uint64_t value;

    if (line->kind != CAIRN_INI_PAIR || !cairn_ini_number(line->value, &value))
        return 0;
    if (strcmp(line->section, "pmu") == 0) {
        add_event(totals, line->key, value);
        return 0;
    }
    told->has_buffer = true;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(numbers[i].key, line->key) == 0)
            *numbers[i].to = value;
    return 0;
}

static bool read_ini(const char *path, cairn_ini_handler *handler, void *context)
{
    const struct cairn_files files = cairn_files_of_system();
    char *text;
    size_t size;

    if (files.read_text(NULL, path, &text, &size, NULL) != CAIRN_OK)
        return false;
    (void)cairn_ini_read(text, size, handler, context);
    free(text);
    return true;
}

/* What software did not take, and newer trace went over. */
static bool is_partly_there(const struct told *told)
{
    const uint64_t left = told->resets ? told->session : told->written - told->collected;

    return told->collected <= told->written && left > told->size;
}

static void tell_faults(const struct told *told)
{
    if (told->faults == 0)
        return;
    fprintf(stderr,
            "; software mended %" PRIu64 " of %" PRIu64 " fault%s, with which %" PRIu64
            " byte%s %s lost",
            told->mended, told->faults, cairn_plural(told->faults), told->lost_with_faults,
            cairn_plural(told->lost_with_faults), told->lost_with_faults == 1 ? "was" : "were");
}

/* What a reset did to the buffer. */
static void tell_resets(const struct told *told)
{
    if (told->resets == 0)
        return;
    fprintf(stderr, "; %" PRIu64 " reset%s: ", told->resets, cairn_plural(told->resets));
    if (told->stays)
        fputs("it was not enabled again", stderr);
    else
        fprintf(stderr, "it began anew, over %" PRIu64 " byte%s that nobody had taken", told->left,
                cairn_plural(told->left));
}

static void tell_buffer(const char *folder, const struct told *told)
{
    struct cairn_trbe_status status = {.size = sizeof status};
    char why[CAIRN_TRBE_TEXT] = "";
    char path[2 * PATH_MAX], word[CAIRN_SHELL_ROOM];

    fprintf(stderr, "cairn record: %s: %" PRIu64 " byte%s written to the trace buffer", told->name,
            told->written, cairn_plural(told->written));
    if (is_partly_there(told))
        fprintf(stderr, " (the newest %" PRIu64 " are in it)", told->size);
    if (told->emptied)
        fprintf(stderr, ", which software emptied %" PRIu64 " time%s (%" PRIu64 " byte%s taken)",
                told->emptied, cairn_plural(told->emptied), told->collected,
                cairn_plural(told->collected));
    fprintf(stderr, ", %" PRIu64 " lost, %" PRIu64 " interrupt%s", told->lost, told->interrupts,
            cairn_plural(told->interrupts));
    if (told->triggers)
        fprintf(stderr, ", %" PRIu64 " trigger event%s", told->triggers,
                cairn_plural(told->triggers));
    tell_faults(told);
    tell_resets(told);
    if (cairn_trbe_status_read(told->TRBSR, &status) == CAIRN_OK && status.S) {
        cairn_trbe_status_text(&status, told->TRBPTR, why);
        fprintf(stderr, "; %s", why);
    }
    snprintf(path, sizeof path, "%s/%s" CAIRN_AROUND_MEMORY, folder, told->name);
    fprintf(stderr, "\ncairn record: see it: cairn flow %s", cairn_shell_file(path, word));
    snprintf(path, sizeof path, "%s/%s" CAIRN_AROUND_REGISTERS, folder, told->name);
    fprintf(stderr, " --config %s\n", cairn_shell_file(path, word));
}

/* --- the code, for the dump's own configuration --- */

struct dump {
    FILE *to;
    char file[PATH_SIZE], address[32], offset[32], length[32];
};

static void end_dump(struct dump *dump)
{
    if (dump->file[0] && dump->address[0]) {
        fprintf(dump->to, "\n[image]\nfile=%s\naddress=%s\n", dump->file, dump->address);
        if (dump->offset[0])
            fprintf(dump->to, "offset=%s\n", dump->offset);
        if (dump->length[0])
            fprintf(dump->to, "length=%s\n", dump->length);
    }
    dump->file[0] = dump->address[0] = dump->offset[0] = dump->length[0] = '\0';
}

static int take_dump(void *context, const struct cairn_ini_line *line)
{
    struct dump *dump = context;

    if (line->kind == CAIRN_INI_SECTION)
        end_dump(dump);
    if (line->kind != CAIRN_INI_PAIR || strncasecmp(line->section, "dump", 4) != 0)
        return 0;
    if (strcasecmp(line->key, "file") == 0)
        snprintf(dump->file, sizeof dump->file, "%s", line->value);
    else if (strcasecmp(line->key, "address") == 0)
        snprintf(dump->address, sizeof dump->address, "%s", line->value);
    else if (strcasecmp(line->key, "offset") == 0)
        snprintf(dump->offset, sizeof dump->offset, "%s", line->value);
    else if (strcasecmp(line->key, "length") == 0)
        snprintf(dump->length, sizeof dump->length, "%s", line->value);
    return 0;
}

static void add_code(const char *folder, const char *name)
{
    char path[2 * PATH_SIZE + 32];
    struct dump *dump = calloc(1, sizeof *dump);

    if (!dump)
        return;
    snprintf(path, sizeof path, "%s/%s" CAIRN_AROUND_REGISTERS, folder, name);
    dump->to = fopen(path, "ae");
    snprintf(path, sizeof path, "%s/core_%s.ini", folder, name);
    if (dump->to && read_ini(path, take_dump, dump))
        end_dump(dump);
    if (!dump->to || fclose(dump->to) != 0)
        fprintf(stderr,
                "cairn record: %s/%s" CAIRN_AROUND_REGISTERS ": %s: the code is missing in it\n",
                folder, name, strerror(errno));
    free(dump);
}

/* --- all sources --- */

static int is_counts(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name), suffix = strlen(CAIRN_AROUND_COUNTS);

    return length > suffix && strcmp(entry->d_name + length - suffix, CAIRN_AROUND_COUNTS) == 0;
}

static void tell_events(const struct totals *totals, int sources)
{
    fputs("cairn record: counted", stderr);
    if (sources > 1)
        fprintf(stderr, ", in %d sources", sources);
    fputc(':', stderr);
    for (unsigned i = 0; i < totals->count; i++)
        fprintf(stderr, "%s %s %" PRIu64, i ? "," : "", totals->events[i].name,
                totals->events[i].count);
    fputc('\n', stderr);
}

void cli_record_around_tell(const struct cli_record *record)
{
    struct dirent **list = NULL;
    struct totals *totals = calloc(1, sizeof *totals);
    const int count = scandir(record->folder, &list, is_counts, versionsort);

    for (int i = 0; totals && i < count; i++) {
        const size_t length = strlen(list[i]->d_name) - strlen(CAIRN_AROUND_COUNTS);
        char path[2 * PATH_SIZE];

        totals->told = (struct told){.has_buffer = false};
        memcpy(totals->told.name, list[i]->d_name, length);
        snprintf(path, sizeof path, "%s/%s", record->folder, list[i]->d_name);
        if (!read_ini(path, take_line, totals) || !totals->told.has_buffer)
            continue;
        add_code(record->folder, totals->told.name);
        if (!record->quiet && i < BUFFERS_TOLD)
            tell_buffer(record->folder, &totals->told);
        else if (!record->quiet && i == BUFFERS_TOLD)
            fprintf(stderr,
                    "cairn record: and %d more trace buffers: %s/*" CAIRN_AROUND_COUNTS "\n",
                    count - i, record->folder);
    }
    if (totals && totals->count && !record->quiet)
        tell_events(totals, count);
    if (record->around.is_wanted && count <= 0)
        fputs(
            "cairn record: nothing is known of the trace buffer and the counters: the program was "
            "ended before they could be read, or there was no room\n",
            stderr);
    for (int i = 0; i < count; i++)
        free(list[i]);
    free(list);
    free(totals);
}
