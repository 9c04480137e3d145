/* SPDX-License-Identifier: BSD-2-Clause */
/* Cairn beside libopencsd on one capture, in rounds that take turns. Both get the bytes of each
 * source without frames and the memory in buffers. Nothing is printed of a capture that they (but
 * for --peer-misses), or Cairn's two ways of decoding, do not decode alike: exit status 1. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"
#include "print.h"
#include "resident.h"

static const char usage[] =
    "usage: cairn-bench [OPTION]... CAPTURE | --generate WALK\n"
    "  --json             results for programs, on standard output\n"
    "  --memory           what an engine takes of memory for one pass, and no times\n"
    "  --smoke            whether all count the same, and no times\n"
    "  --peer-misses N    of a million instructions libopencsd may decode so many otherwise;\n"
    "                     default 0\n"
    "  --rounds N         default 7\n"
    "  --limit BYTES      the beginning of each source only\n"
    "  --modes A,B        of: packets packet_list reference counts path_ids blocks instructions\n"
    "                     callback\n"
    "  --phases A,B       of: cold (new decoder, image just opened, caches swept)\n"
    "                     first (new decoder) warm (has seen the trace before); default "
    "first,warm\n"
    "  --threads N        and warm rows of counts and path_ids with N threads\n"
    "  --generate WALK    instead of a capture: distinct (no unit comes twice) or speculative\n"
    "  --bytes N          of a generated trace; default 16777216\n";

struct settings {
    const char *path;
    bool json;
    bool smoke;
    bool memory;
    unsigned rounds;
    unsigned threads;
    unsigned missed;
    size_t limit;
    size_t bytes;
    bool modes[BENCH_MODE_COUNT];
    bool phases[BENCH_PHASE_COUNT];
    enum bench_walk walk; /* BENCH_WALK_COUNT: a capture */
};

static void refuse(const char *what, const char *value)
{
    fprintf(stderr, "cairn-bench: %s: %s\n%s", what, value, usage);
    exit(2);
}

static size_t number(const char *text, size_t most)
{
    char *end;
    const unsigned long long value = strtoull(text, &end, 0);

    if (!*text || *end || *text == '-' || value > most)
        refuse("no number, or too large", text);
    return (size_t)value;
}

static void choose_modes(const char *list, bool *modes)
{
    char *copy = strdup(list), *rest = NULL;

    memset(modes, 0, BENCH_MODE_COUNT * sizeof *modes);
    for (char *name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        enum bench_mode mode = 0;

        while (mode < BENCH_MODE_COUNT && strcmp(name, bench_mode_name(mode)))
            mode++;
        if (mode == BENCH_MODE_COUNT)
            refuse("no such mode", name);
        modes[mode] = true;
    }
    free(copy);
}

static void choose_phases(const char *list, bool *phases)
{
    char *copy = strdup(list), *rest = NULL;

    memset(phases, 0, BENCH_PHASE_COUNT * sizeof *phases);
    for (char *name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        enum bench_phase phase = 0;

        while (phase < BENCH_PHASE_COUNT && strcmp(name, bench_phase_name(phase)))
            phase++;
        if (phase == BENCH_PHASE_COUNT)
            refuse("no such phase", name);
        phases[phase] = true;
    }
    free(copy);
}

static enum bench_walk walk_of(const char *name)
{
    for (enum bench_walk walk = 0; walk < BENCH_WALK_COUNT; walk++)
        if (!strcmp(name, bench_walk_name(walk)))
            return walk;
    refuse("no such walk", name);
    return BENCH_WALK_COUNT;
}

static void read_options(int argc, char **argv, struct settings *settings)
{
    enum {
        JSON = 1,
        SMOKE,
        MEMORY,
        ROUNDS,
        LIMIT,
        MODES,
        PHASES,
        THREADS,
        GENERATE,
        BYTES,
        MISSES,
        HELP
    };
    static const struct option options[] = {
        {"json", no_argument, NULL, JSON},
        {"smoke", no_argument, NULL, SMOKE},
        {"memory", no_argument, NULL, MEMORY},
        {"rounds", required_argument, NULL, ROUNDS},
        {"limit", required_argument, NULL, LIMIT},
        {"modes", required_argument, NULL, MODES},
        {"phases", required_argument, NULL, PHASES},
        {"threads", required_argument, NULL, THREADS},
        {"generate", required_argument, NULL, GENERATE},
        {"bytes", required_argument, NULL, BYTES},
        {"peer-misses", required_argument, NULL, MISSES},
        {"help", no_argument, NULL, HELP},
        {NULL, 0, NULL, 0},
    };

    for (int key; (key = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        switch (key) {
        case JSON: settings->json = true; break;
        case SMOKE: settings->smoke = true; break;
        case MEMORY: settings->memory = true; break;
        case ROUNDS: settings->rounds = (unsigned)number(optarg, BENCH_ROUNDS_MAX); break;
        case LIMIT: settings->limit = number(optarg, SIZE_MAX); break;
        case MODES: choose_modes(optarg, settings->modes); break;
        case PHASES: choose_phases(optarg, settings->phases); break;
        case THREADS: settings->threads = (unsigned)number(optarg, 256); break;
        case GENERATE: settings->walk = walk_of(optarg); break;
        case BYTES: settings->bytes = number(optarg, (size_t)1 << 30); break;
        case MISSES: settings->missed = (unsigned)number(optarg, 1000); break;
        case HELP:
        case 'h': fputs(usage, stdout); exit(0);
        default: fputs(usage, stderr); exit(2);
        }
    }
    settings->path = settings->walk != BENCH_WALK_COUNT ? bench_walk_name(settings->walk)
                     : optind < argc                    ? argv[optind++]
                                                        : NULL;
    if (!settings->path || optind < argc || settings->rounds == 0) {
        fputs(usage, stderr);
        exit(2);
    }
}

static void add_row(struct bench_contest *contest, enum bench_mode mode, enum bench_phase phase,
                    unsigned threads)
{
    contest->rows[contest->row_count++] =
        (struct bench_row){.mode = mode, .phase = phase, .threads = threads};
}

/* Lists and calls are measured warm: what they add to counts does not depend on the phase. */
static bool is_wanted(const struct settings *settings, enum bench_mode mode, enum bench_phase phase)
{
    if (!settings->modes[mode] || !settings->phases[phase])
        return false;
    return phase == BENCH_WARM || mode == BENCH_MODE_COUNTS || mode == BENCH_MODE_PATH_IDS;
}

static void add_rows(const struct settings *settings, struct bench_contest *contest)
{
    contest->rows = calloc(BENCH_MODE_COUNT * (BENCH_PHASE_COUNT + 1), sizeof *contest->rows);
    bench_must(contest->rows ? CAIRN_OK : CAIRN_E_MEMORY, NULL, "rows");
    for (enum bench_phase phase = 0; phase < BENCH_PHASE_COUNT; phase++)
        for (enum bench_mode mode = 0; mode < BENCH_MODE_COUNT; mode++)
            if (is_wanted(settings, mode, phase))
                add_row(contest, mode, phase, 1);
    for (enum bench_mode mode = BENCH_MODE_COUNTS; mode <= BENCH_MODE_PATH_IDS; mode++)
        if (settings->threads > 1 && is_wanted(settings, mode, BENCH_WARM))
            add_row(contest, mode, BENCH_WARM, settings->threads);
}

/* True when all decode the same. */
static bool compete(const struct settings *settings, struct bench_contest *contest)
{
    struct bench_verdict verdict;
    const char *other;

    bench_verify(contest->loaded, &verdict);
    if (!settings->json || !bench_agrees(&verdict, settings->missed))
        bench_print_head(contest, &verdict);
    if (!bench_agrees(&verdict, settings->missed))
        return false;
    other = bench_rows_disagree(contest, verdict.instructions);
    if (other) {
        printf("  %s gives another number of instructions\n", other);
        return false;
    }
    if (settings->smoke)
        return true;
    bench_run_rounds(contest);
    if (settings->json)
        bench_print_json(contest, &verdict);
    else
        bench_print_table(contest);
    return true;
}

int main(int argc, char **argv)
{
    struct settings settings = {.rounds = 7, .bytes = 16 << 20, .walk = BENCH_WALK_COUNT};
    struct bench_capture loaded;
    struct bench_contest contest = {.loaded = &loaded};
    bool same = true;

    memset(settings.modes, true, sizeof settings.modes);
    settings.phases[BENCH_FIRST] = settings.phases[BENCH_WARM] = true;
    read_options(argc, argv, &settings);
    contest.path = settings.path;
    contest.rounds = settings.rounds;
    if (settings.walk != BENCH_WALK_COUNT)
        bench_generate(settings.walk, settings.bytes, &loaded);
    else
        bench_load(settings.path, settings.limit, &loaded);
    add_rows(&settings, &contest);
    if (settings.memory)
        bench_resident(&loaded);
    else
        same = compete(&settings, &contest);
    free(contest.rows);
    bench_unload(&loaded);
    return same ? 0 : 1;
}
