/* SPDX-License-Identifier: BSD-2-Clause */
#include "print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void print_load(const char *before, const char *form, const char *after)
{
    double load[3] = {0};

    if (getloadavg(load, 3) != 3)
        load[0] = load[1] = load[2] = -1;
    printf("%s", before);
    printf(form, load[0], load[1], load[2]);
    printf("%s", after);
}

void bench_print_head(const struct bench_contest *contest, const struct bench_verdict *verdict)
{
    printf("%s: %zu sources, %zu bytes of trace without frames\n", contest->path,
           contest->loaded->source_count, contest->loaded->bytes);
    printf("  instructions: cairn %" PRIu64 ", libopencsd %s %" PRIu64 "%s\n",
           verdict->instructions, bench_peer_version(), verdict->peer_instructions,
           verdict->instructions == verdict->peer_instructions ? "" : " DIFFER");
    printf("  flow hash: reference %016" PRIx64 ", engine %016" PRIx64 "%s\n",
           verdict->reference_hash, verdict->engine_hash,
           verdict->reference_hash == verdict->engine_hash ? "" : " DIFFER");
}

static void print_row(const struct bench_contest *contest, const struct bench_row *row)
{
    double ratio[BENCH_ROUNDS_MAX], ours[BENCH_ROUNDS_MAX], theirs[BENCH_ROUNDS_MAX];
    struct bench_spread r, o, t;

    for (unsigned i = 0; i < contest->rounds; i++) {
        ours[i] = (double)row->cairn_ns[i] * 1e-6;
        theirs[i] = (double)row->peer_ns[i] * 1e-6;
        ratio[i] = theirs[i] / ours[i];
    }
    r = bench_spread_of(ratio, contest->rounds);
    o = bench_spread_of(ours, contest->rounds);
    t = bench_spread_of(theirs, contest->rounds);
    printf("  %-12s %-5s %u  %8.1f  %8.1f %8.1f %8.1f  %10.3f %10.3f %10.3f  %10.2f  %8.1f\n",
           bench_mode_name(row->mode), bench_phase_name(row->phase), row->threads, r.figure, r.min,
           r.median, r.max, o.min, o.median, o.max, t.median,
           (double)contest->loaded->bytes / o.median * 1e-3);
}

void bench_print_table(const struct bench_contest *contest)
{
    print_load("  load average ", "%.2f %.2f %.2f", "; ");
    printf(
        "%u rounds, Cairn and libopencsd taking turns; the figure is the median of the best three "
        "rounds' ratios\n",
        contest->rounds);
    printf("  %-12s %-5s %-2s %8s  %26s  %32s  %10s  %8s\n", "mode", "phase", "t", "figure",
           "ratio: min, median, max", "Cairn, ms: min, median, max", "peer, ms", "MB/s");
    for (size_t i = 0; i < contest->row_count; i++)
        print_row(contest, &contest->rows[i]);
    for (size_t i = 0; i < contest->row_count; i++) {
        const struct bench_row *row = &contest->rows[i];

        if (row->mode == BENCH_MODE_PATH_IDS && row->phase == BENCH_WARM && row->threads == 1)
            printf("  tables after path_ids: %" PRIu64 " paths, %" PRIu64 " bytes, %" PRIu64
                   " dictionaries begun, %" PRIu64 " paths worked out; bytes decoded by units "
                   "%" PRIu64 ", by packets %" PRIu64 ", by the reference path %" PRIu64 "\n",
                   row->tables.paths, row->tables.bytes, row->tables.generations,
                   row->tables.misses, row->tables.hot_bytes, row->tables.scanned_bytes,
                   row->tables.cold_bytes);
    }
    fflush(stdout);
}

static void print_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        if ((unsigned char)*text >= ' ')
            putchar(*text);
    }
    putchar('"');
}

static void print_times(const char *name, const uint64_t *ns, unsigned count)
{
    printf(",\"%s\":[", name);
    for (unsigned i = 0; i < count; i++)
        printf("%s%" PRIu64, i ? "," : "", ns[i]);
    putchar(']');
}

static void print_result(const struct bench_contest *contest, const struct bench_row *row,
                         const struct bench_verdict *verdict)
{
    printf("{\"mode\":\"%s\",\"phase\":\"%s\",\"threads\":%u,\"trace_bytes\":%zu,"
           "\"instructions\":%" PRIu64 ",\"flow_hash\":\"%016" PRIx64 "\",\"table_bytes\":%" PRIu64
           ",\"paths\":%" PRIu64 ",\"generations\":%" PRIu64 ",\"misses\":%" PRIu64
           ",\"hot_bytes\":%" PRIu64 ",\"scanned_bytes\":%" PRIu64 ",\"cold_bytes\":%" PRIu64,
           bench_mode_name(row->mode), bench_phase_name(row->phase), row->threads,
           contest->loaded->bytes, verdict->instructions, verdict->engine_hash, row->tables.bytes,
           row->tables.paths, row->tables.generations, row->tables.misses, row->tables.hot_bytes,
           row->tables.scanned_bytes, row->tables.cold_bytes);
    print_times("cairn_ns", row->cairn_ns, contest->rounds);
    print_times("peer_ns", row->peer_ns, contest->rounds);
    if (row->threads > 1)
        print_times("alone_ns", row->alone_ns, contest->rounds);
    putchar('}');
}

void bench_print_json(const struct bench_contest *contest, const struct bench_verdict *verdict)
{
    printf("{\"capture\":");
    print_string(contest->path);
    printf(",\"cairn\":\"%s\",\"libopencsd\":\"%s\",\"sources\":%zu,\"peer_instructions\":%" PRIu64,
           cairn_version(), bench_peer_version(), contest->loaded->source_count,
           verdict->peer_instructions);
    print_load(",\"load\":[", "%.2f,%.2f,%.2f", "]");
    printf(",\"results\":[");
    for (size_t i = 0; i < contest->row_count; i++) {
        printf("%s", i ? ",\n" : "\n");
        print_result(contest, &contest->rows[i], verdict);
    }
    printf("]}\n");
}
