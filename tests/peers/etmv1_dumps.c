/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes random programs and their ETMv1 traces as OpenOCD has them: for each seed SEED.bin (code),
 * SEED.etmdump and SEED.truth (what was executed and transferred, a line each).
 *
 * usage: etmv1-dumps FOLDER FIRST COUNT [FEATURES] */
#include <stdlib.h>

#include "etmv1_program.h"
#include "protocol/etmv1/encode.h"
#include "protocol/samples.h"

#define TRIGGER                                                                                    \
    2u /* OpenOCD's flag of a cycle with TR, of which it has the status that is replaced */
#define CLOSING 16u /* cycles behind the last one, which OpenOCD wants to look at */

static FILE *open_one(const char *folder, unsigned seed, const char *suffix)
{
    char path[512];

    snprintf(path, sizeof path, "%s/%u.%s", folder, seed, suffix);
    return fopen(path, "wb");
}

static void put_word(FILE *file, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        fputc((int)(word >> (24 - 8 * i) & 0xff), file);
}

static void put_cycle(FILE *file, struct cairn_sample sample)
{
    const bool triggers = sample.pipestat == CAIRN_ETMV1_PIPESTAT_TR;

    put_word(file, triggers ? sample.packet & 7u : sample.pipestat);
    put_word(file, sample.packet);
    put_word(file, (sample.flags & CAIRN_SAMPLE_SYNC ? 1u : 0) | (triggers ? TRIGGER : 0));
}

static void put_dump(FILE *file, const struct etmv1_walk *walk)
{
    const struct cairn_sample idle = {.pipestat = CAIRN_ETMV1_PIPESTAT_TD};

    put_word(file, 4); /* completed */
    put_word(file, walk->control);
    put_word(file, (uint32_t)(walk->size / CAIRN_SAMPLE_BYTES + CLOSING));
    for (size_t at = 0; at < walk->size; at += CAIRN_SAMPLE_BYTES)
        put_cycle(file, cairn_sample_load(walk->samples + at));
    for (unsigned i = 0; i < CLOSING; i++)
        put_cycle(file, idle);
}

static bool write_one(const char *folder, unsigned seed, unsigned features)
{
    static struct etmv1_walk walk;
    FILE *code = open_one(folder, seed, "bin");
    FILE *dump = open_one(folder, seed, "etmdump");
    bool done = code && dump;

    etmv1_walk_begin(&walk, seed, features);
    walk.truth = open_one(folder, seed, "truth");
    done = done && walk.truth && etmv1_walk_run(&walk);
    if (done) {
        fwrite(walk.code, 1, sizeof walk.code, code);
        put_dump(dump, &walk);
    }
    if (code)
        fclose(code);
    if (dump)
        fclose(dump);
    if (walk.truth)
        fclose(walk.truth);
    etmv1_walk_end(&walk);
    return done;
}

int main(int argc, char **argv)
{
    const unsigned first = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 0;
    const unsigned count = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 0) : 0;
    const unsigned features = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 0) : 0;

    if (argc < 4) {
        fputs("usage: etmv1-dumps FOLDER FIRST COUNT [FEATURES]\n", stderr);
        return 2;
    }
    for (unsigned i = 0; i < count; i++)
        if (!write_one(argv[1], first + i, features)) {
            fprintf(stderr, "seed %u cannot be written\n", first + i);
            return 1;
        }
    return 0;
}
