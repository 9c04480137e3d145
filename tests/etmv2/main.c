/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of random ETMv2 traces, for a test that decodes them with the program.
 *
 * usage: etmv2-writer FOLDER FROM COUNT INSTRUCTIONS
 *
 * Writes for each seed N from FROM on, into FOLDER:
 *   N.samples   the trace port, four bytes a cycle (src/protocol/samples.h); of every second seed without
 *               the cycles that a capture device need not store (4.4.2)
 *   N.I.code    a piece of the program each, for the addresses that N.args names
 *   N.args      arguments for `cairn`, one a line
 *   N.expected  what was traced (expect.h) */
#include <inttypes.h>
#include <stdlib.h>

#include "expect.h"

static struct sw_run run;
static struct sw_trace trace;

static FILE *create(const char *folder, uint64_t seed, const char *ending)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof path, "%s/%" PRIu64 ".%s", folder, seed, ending);
    file = fopen(path, "wb");
    if (!file) {
        fprintf(stderr, "etmv2-writer: cannot write %s\n", path);
        exit(1);
    }
    return file;
}

static void finish(FILE *file)
{
    const bool has_failed = ferror(file) != 0;

    if (fclose(file) != 0 || has_failed) {
        fputs("etmv2-writer: cannot write all of a file\n", stderr);
        exit(1);
    }
}

static void write_code(const char *folder, uint64_t seed, FILE *arguments)
{
    for (unsigned i = 0; i < SW_REGIONS; i++) {
        char ending[32];
        FILE *file;

        snprintf(ending, sizeof ending, "%u.code", i);
        file = create(folder, seed, ending);
        fwrite(run.code.regions[i].bytes, 1, SW_REGION_BYTES, file);
        finish(file);
        fprintf(arguments, "--image\n%s/%" PRIu64 ".%s@0x%" PRIx32 "\n", folder, seed, ending,
                run.code.regions[i].begin.address);
    }
}

static void write_samples(const char *folder, uint64_t seed)
{
    const bool is_stored_all = seed % 2 == 0;
    FILE *file = create(folder, seed, "samples");

    for (size_t at = 0; at < trace.port.size; at += 4) {
        const uint8_t *sample = trace.samples + at;

        if (is_stored_all || sample[0] != SW_TD || (sample[2] & 1) != 0)
            fwrite(sample, 1, 4, file);
    }
    finish(file);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fputs("usage: etmv2-writer FOLDER FROM COUNT INSTRUCTIONS\n", stderr);
        return 2;
    }
    const uint64_t from = strtoull(argv[2], NULL, 10);
    const uint64_t count = strtoull(argv[3], NULL, 10);

    for (uint64_t seed = from; seed < from + count; seed++) {
        struct peer_random random = {.state = seed};
        struct sw_settings settings;
        FILE *file;

        sw_settings_draw(&settings, &random);
        sw_run_draw(&run, &settings, seed, (uint32_t)strtoul(argv[4], NULL, 10));
        sw_trace_run(&trace, &run, seed * 2 + 1);
        if (peer_random_percent(&random, 50) && sw_trigger_at_tfo(&run, &trace, &random))
            sw_trace_run(&trace, &run, seed * 2 + 1);
        file = create(argv[1], seed, "args");
        fprintf(file, "--set\nETMCR=0x%" PRIx32 "\n--set\nETMIDR=0x%" PRIx32 "\n",
                sw_control(&settings), sw_id(&settings));
        write_code(argv[1], seed, file);
        finish(file);
        write_samples(argv[1], seed);
        file = create(argv[1], seed, "expected");
        sw_expect_write(file, &run, &trace);
        finish(file);
    }
    return 0;
}
