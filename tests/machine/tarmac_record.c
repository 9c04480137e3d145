/* SPDX-License-Identifier: BSD-2-Clause */
/* Records a TARMAC log, without the program around it:
 *
 *     tarmac_record LOG FOLDER etmv4|ete [cpu=NAME] [time=UNITS] [choices=BITS] [halts=no]
 *                   [REGISTER=VALUE ...]
 *
 * Prints what the feed and the reader counted, a word and a number a line. Exit status 2, and a
 * sentence on standard error, when either fails. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/tarmac/tarmac.h"

enum { MOST = 32 };

static int fail(const struct cairn_error *error)
{
    fprintf(stderr, "%s\n", error->text);
    return 2;
}

static void print_counts(const struct cairn_tarmac_result *result,
                         const struct cairn_tarmac_counts *counts)
{
    printf("executed %" PRIu64 "\naborted %" PRIu64 "\nuntold %" PRIu64 "\nexceptions %" PRIu64
           "\ninferred %" PRIu64 "\nhalts %" PRIu64 "\ndiscontinuities %" PRIu64 "\ncpus %" PRIu32
           "\n",
           result->instructions, result->aborted, result->untold, result->exceptions,
           result->inferred, result->halts, result->discontinuities, result->cpus);
    printf("lines %" PRIu64 "\nlisted %" PRIu64 "\nunknown %" PRIu64 "\nunparsable %" PRIu64 "\n",
           counts->lines, counts->instructions, counts->unknown, counts->unparsable);
    for (size_t i = 0; i < counts->note_count; i++)
        fprintf(stderr, "line %" PRIu64 ": %s\n", counts->notes[i].line, counts->notes[i].text);
}

int main(int count, char **words)
{
    struct cairn_unit_options unit = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_tarmac_options options = CAIRN_TARMAC_OPTIONS_INIT;
    struct cairn_recording_options recording = {.size = sizeof recording, .core = "ARM-AA64"};
    struct cairn_register registers[MOST];
    struct cairn_recording_result recorded;
    struct cairn_tarmac_result result;
    struct cairn_tarmac_reader *reader;
    struct cairn_error error = {0};

    if (count < 4)
        return 64;
    unit.protocol = strcmp(words[3], "ete") ? CAIRN_PROTOCOL_ETMV4 : CAIRN_PROTOCOL_ETE;
    unit.arch = cairn_arch_any_a();
    unit.registers = registers;
    for (int i = 4; i < count && unit.register_count < MOST; i++) {
        char *equals = strchr(words[i], '=');
        if (!equals)
            return 64;
        *equals++ = 0;
        if (!strcmp(words[i], "cpu"))
            options.cpu = equals;
        else if (!strcmp(words[i], "time"))
            options.time_per_cycle = strtoull(equals, NULL, 0);
        else if (!strcmp(words[i], "halts"))
            options.choices |= CAIRN_TARMAC_NO_HALTS;
        else if (!strcmp(words[i], "choices"))
            unit.choices = (uint32_t)strtoul(equals, NULL, 0);
        else
            registers[unit.register_count++] =
                (struct cairn_register){words[i], strtoull(equals, NULL, 0)};
    }
    recording.protocol = unit.protocol;
    options.unit = &unit;
    if (cairn_tarmac_reader_open(words[1], &reader, &error) ||
        cairn_recording_new(words[2], &recording, &options.recording, &error))
        return fail(&error);
    const cairn_status status = cairn_tarmac_feed(reader, &options, &result, &error);
    print_counts(&result, cairn_tarmac_reader_counts(reader));
    cairn_recording_free(options.recording);
    cairn_tarmac_reader_free(reader);
    if (status || cairn_recording_finish(words[2], NULL, &recorded, &error))
        return fail(&error);
    printf("bytes %" PRIu64 "\nepochs %" PRIu64 "\n", recorded.bytes, recorded.epochs);
    return 0;
}
