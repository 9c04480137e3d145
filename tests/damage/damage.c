/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults in whole captures: bits that are flipped, and ends that are missing. What each costs is
 * measured, beside libopencsd with the same bytes.
 *
 * usage: damage [--flips N] [--cuts N] [--seed N] [--table] [--verbose] [CAPTURE ...]
 *
 * TAP, a case a source:
 *   - both ways of decoding agree on every damaged trace;
 *   - flow that changed without a gap or a warning that the clean trace has not still fits the image;
 * and for all of them together, where libopencsd is there and the faults are many:
 *   - no more instructions are lost than libopencsd loses;
 *   - at most a quarter of what it invents is invented.
 * An instruction is lost when only the clean flow has it, and invented when only the damaged one has it.
 * The environment's CAIRN_SEEDS is the number of flips, and four times that of cuts. Without captures, the
 * snapshots of CAIRN_CAPTURES. */
#include "damage.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    INSTRUCTIONS = 4 << 20,
    FLIPS = 8,
    MANY = 100, /* flips a source: fewer are no measure */
    CUTS_OF_FLIPS = 4,
    SHARE = 4, /* of what libopencsd invents */
};

struct options {
    unsigned flips;
    unsigned cuts;
    uint64_t seed;
    bool table;
    bool verbose;
};

struct sums {
    uint64_t faults;
    uint64_t lost, invented;
    uint64_t most_lost, most_invented;
    uint64_t silent; /* faults that changed the flow and were not told of */
    uint64_t crashes;
};

struct totals {
    struct sums ours[2], theirs[2]; /* flips, cuts */
    unsigned cases, failures;
};

static const char *const kinds[] = {"flip", "cut"};

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void add(struct sums *sums, const struct damage_cost *cost)
{
    sums->faults++;
    sums->lost += cost->lost;
    sums->invented += cost->invented;
    sums->most_lost = cost->lost > sums->most_lost ? cost->lost : sums->most_lost;
    sums->most_invented =
        cost->invented > sums->most_invented ? cost->invented : sums->most_invented;
}

static void add_sums(struct sums *to, const struct sums *from)
{
    to->faults += from->faults;
    to->lost += from->lost;
    to->invented += from->invented;
    to->most_lost = from->most_lost > to->most_lost ? from->most_lost : to->most_lost;
    to->most_invented =
        from->most_invented > to->most_invented ? from->most_invented : to->most_invented;
    to->silent += from->silent;
    to->crashes += from->crashes;
}

/* One source, clean and damaged. */
struct subject {
    struct bench_source damaged; /* its bytes are a copy */
    const struct bench_source *source;
    struct cairn_image *image;
    struct damage_list clean, peer_clean, list;
    bool peer;
    bool verbose;
    bool good;
    uint64_t misfits; /* of the clean trace */
    struct sums ours[2], theirs[2];
};

static void measure(struct subject *s, unsigned kind, uint64_t at, unsigned bit)
{
    const uint64_t end = kind == 1 ? at : UINT64_MAX;
    uint64_t misfits;
    bool agrees;

    damage_decode(&s->damaged, s->image, &s->list, &agrees, &misfits);
    const struct damage_cost cost = damage_compare(&s->clean, &s->list, end);
    const bool silent =
        cost.lost + cost.invented > 0 && kind == 0 && !damage_is_told(&s->clean, &s->list);

    add(&s->ours[kind], &cost);
    s->ours[kind].silent += silent;
    if (!agrees || (silent && misfits > s->misfits) || s->list.full) {
        printf("# %s %" PRIu64 ".%u: %s\n", kinds[kind], at, bit,
               !agrees        ? "engine and reference differ"
               : s->list.full ? "too many instructions"
                              : "the flow changed, does not fit the image, and nothing says so");
        s->good = false;
    }
    if (!s->peer)
        return;
    if (!damage_peer_decode(&s->damaged, s->image, &s->list)) {
        s->theirs[kind].crashes++;
        return;
    }
    const struct damage_cost theirs = damage_compare(&s->peer_clean, &s->list, end);

    add(&s->theirs[kind], &theirs);
    if (s->verbose)
        printf("# %s %" PRIu64 ".%u: lost %" PRIu64 ", invented %" PRIu64 "; libopencsd: %" PRIu64
               ", %" PRIu64 "\n",
               kinds[kind], at, bit, cost.lost, cost.invented, theirs.lost, theirs.invented);
}

static void flip(struct subject *s, unsigned count, uint64_t *random)
{
    for (unsigned i = 0; i < count; i++) {
        const uint64_t at = draw(random) % s->source->size;
        const unsigned bit = draw(random) % 8;

        s->damaged.bytes[at] ^= (uint8_t)(1u << bit);
        measure(s, 0, at, bit);
        s->damaged.bytes[at] ^= (uint8_t)(1u << bit);
    }
}

static void cut(struct subject *s, unsigned count, uint64_t *random)
{
    for (unsigned i = 0; i < count; i++) {
        s->damaged.size = (size_t)(draw(random) % s->source->size);
        measure(s, 1, s->damaged.size, 0);
    }
    s->damaged.size = s->source->size;
}

static void begin(struct subject *s, const struct bench_source *source, struct cairn_image *image)
{
    bool agrees;

    *s = (struct subject){.damaged = *source, .source = source, .image = image, .good = true};
    s->damaged.bytes = malloc(source->size);
    bench_must(s->damaged.bytes ? CAIRN_OK : CAIRN_E_MEMORY, NULL, "a copy");
    memcpy(s->damaged.bytes, source->bytes, source->size);
    damage_list_new(INSTRUCTIONS, &s->clean);
    damage_list_new(INSTRUCTIONS, &s->peer_clean);
    damage_list_new(INSTRUCTIONS, &s->list);
    damage_decode(source, image, &s->clean, &agrees, &s->misfits);
    s->good = agrees && !s->clean.full;
    s->peer = damage_peer_version() && damage_peer_decode(source, image, &s->peer_clean);
}

static void end(struct subject *s)
{
    damage_list_free(&s->list);
    damage_list_free(&s->peer_clean);
    damage_list_free(&s->clean);
    free(s->damaged.bytes);
}

static double mean(uint64_t sum, const struct sums *sums)
{
    return sums->faults ? (double)sum / (double)sums->faults : 0;
}

static void row(const char *name, unsigned kind, const struct sums *ours, const struct sums *theirs)
{
    printf("# %-24s %-5s %6" PRIu64 " %9.1f %7" PRIu64 " %9.1f %7" PRIu64 " %5" PRIu64
           " | %9.1f %7" PRIu64 " %9.1f %7" PRIu64 " %5" PRIu64 "\n",
           name, kinds[kind], ours->faults, mean(ours->lost, ours), ours->most_lost,
           mean(ours->invented, ours), ours->most_invented, ours->silent,
           mean(theirs->lost, theirs), theirs->most_lost, mean(theirs->invented, theirs),
           theirs->most_invented, theirs->crashes);
}

static void report(struct totals *totals, bool good, const char *what)
{
    totals->cases++;
    totals->failures += !good;
    printf("%s %u - %s\n", good ? "ok" : "not ok", totals->cases, what);
}

static void source_of(const struct options *options, const struct bench_source *source,
                      const char *capture, struct cairn_image *image, struct totals *totals)
{
    struct subject s;
    uint64_t random = options->seed * UINT64_C(0x9e3779b97f4a7c15) + source->size;
    const char *name = strrchr(capture, '/') ? strrchr(capture, '/') + 1 : capture;
    char what[256];

    begin(&s, source, image);
    s.verbose = options->verbose;
    flip(&s, options->flips, &random);
    cut(&s, options->cuts, &random);
    for (unsigned kind = 0; kind < 2; kind++) {
        if (options->table)
            row(name, kind, &s.ours[kind], &s.theirs[kind]);
        if (s.peer && !s.theirs[kind].crashes) {
            add_sums(&totals->ours[kind], &s.ours[kind]);
            add_sums(&totals->theirs[kind], &s.theirs[kind]);
        } else {
            totals->theirs[kind].crashes += s.theirs[kind].crashes;
        }
    }
    snprintf(what, sizeof what, "%s %s: %zu instructions, %u flips, %u cuts", name,
             source->info.name, s.clean.count, options->flips, options->cuts);
    report(totals, s.good, what);
    end(&s);
}

static void capture_of(const struct options *options, const char *path, struct totals *totals)
{
    struct bench_capture loaded;

    bench_load(path, 0, &loaded);
    for (size_t i = 0; i < loaded.source_count; i++)
        source_of(options, &loaded.sources[i], path, loaded.image, totals);
    bench_unload(&loaded);
}

/* Flips and cuts together: where a cut takes bytes from an address, libopencsd makes one of the rest, and that
 * is right now and then. */
static void judge(struct totals *totals, bool many)
{
    struct sums ours = {0}, theirs = {0};
    char what[256];

    for (unsigned kind = 0; kind < 2; kind++) {
        row("all", kind, &totals->ours[kind], &totals->theirs[kind]);
        add_sums(&ours, &totals->ours[kind]);
        add_sums(&theirs, &totals->theirs[kind]);
    }
    if (!many)
        return;
    snprintf(what, sizeof what, "%" PRIu64 " lost, libopencsd %s: %" PRIu64, ours.lost,
             damage_peer_version(), theirs.lost);
    report(totals, ours.lost <= theirs.lost, what);
    snprintf(what, sizeof what, "%" PRIu64 " invented, libopencsd %s: %" PRIu64, ours.invented,
             damage_peer_version(), theirs.invented);
    report(totals, ours.invented * SHARE <= theirs.invented, what);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && entry->d_type != DT_REG;
}

/* The folders of TOP/snapshots. */
static void snapshots_of(const struct options *options, const char *top, struct totals *totals)
{
    struct dirent **entries = NULL;
    char folder[4096], path[8192];

    snprintf(folder, sizeof folder, "%s/snapshots", top);
    const int count = scandir(folder, &entries, is_visible, alphasort);

    bench_must(count > 0 ? CAIRN_OK : CAIRN_E_IO, NULL, folder);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        capture_of(options, path, totals);
        free(entries[i]);
    }
    free(entries);
}

/* No captures: a failure where they are demanded. */
static int none(void)
{
    const char *ci = getenv("CI"), *demanded = getenv("CAIRN_REQUIRE_CAPTURES");
    const bool must = (ci && !strcmp(ci, "true")) || (demanded && !strcmp(demanded, "1"));

    printf("%s 1 - faults in real captures%s\n1..1\n", must ? "not ok" : "ok",
           must ? ": CAIRN_CAPTURES is not set" : " # SKIP CAIRN_CAPTURES is not set");
    return must;
}

static uint64_t number(const char *text)
{
    return text ? strtoull(text, NULL, 0) : 0;
}

int main(int argc, char **argv)
{
    const char *seeds = getenv("CAIRN_SEEDS");
    struct options options = {.flips = seeds ? (unsigned)number(seeds) : FLIPS, .seed = 1};
    struct totals totals = {0};
    int at = 1;

    options.cuts = options.flips / CUTS_OF_FLIPS;
    for (; at < argc && !strncmp(argv[at], "--", 2); at++) {
        if (!strcmp(argv[at], "--flips") && at + 1 < argc)
            options.flips = (unsigned)number(argv[++at]);
        else if (!strcmp(argv[at], "--cuts") && at + 1 < argc)
            options.cuts = (unsigned)number(argv[++at]);
        else if (!strcmp(argv[at], "--seed") && at + 1 < argc)
            options.seed = number(argv[++at]);
        else if (!strcmp(argv[at], "--table"))
            options.table = true;
        else if (!strcmp(argv[at], "--verbose"))
            options.verbose = true;
        else
            at = argc + 1;
    }
    if (at > argc) {
        fprintf(stderr, "usage: damage [--flips N] [--cuts N] [--seed N] [--table] [--verbose] "
                        "[CAPTURE ...]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (at == argc && !getenv("CAIRN_CAPTURES"))
        return none();
    printf("# capture                  kind  faults      lost   worst  invented   worst silent "
           "| libopencsd: the same; crashes\n");
    if (at == argc)
        snapshots_of(&options, getenv("CAIRN_CAPTURES"), &totals);
    for (; at < argc; at++)
        capture_of(&options, argv[at], &totals);
    if (damage_peer_version())
        judge(&totals, options.flips >= MANY);
    printf("1..%u\n", totals.cases);
    return totals.failures != 0;
}
