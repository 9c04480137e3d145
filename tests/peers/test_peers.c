/* SPDX-License-Identifier: BSD-2-Clause */
/* Random programs, random legal traces of them, and two decoders: Cairn must say exactly what was
 * executed; libopencsd must, too, within what it decodes right (opencsd.h).
 *
 * usage: test_peers [COUNT [FIRST]]     seeds FIRST .. FIRST + COUNT - 1; default 2000 from 1
 *
 * A seed that fails prints itself, the first difference, the registers and the bytes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "opencsd.h"

enum {
    SEEDS = 2000,
    PROTOCOLS = 2,
    FAMILIES = PROTOCOLS * PEER_FAMILY_COUNT,
    FAILURES_SHOWN = 3,
    BYTES_A_LINE = 32,
    PEER_SECONDS = 10,
};

struct tally {
    unsigned seeds;
    unsigned failed;
    uint64_t instructions;
};

/* What libopencsd's process and the one that waits for it share. */
struct progress {
    uint64_t seed;
    struct tally tallies[FAMILIES];
};

struct work {
    struct peer_trace trace;
    struct peer_truth said;
};

static enum cairn_protocol_id protocol_of(unsigned family)
{
    return family < PEER_FAMILY_COUNT ? CAIRN_PROTOCOL_ETMV4 : CAIRN_PROTOCOL_ETE;
}

static void print_bytes(const struct peer_bytes *bytes)
{
    for (size_t i = 0; i < bytes->size; i++) {
        if (i % BYTES_A_LINE == 0)
            printf("%s# %6zu:", i > 0 ? "\n" : "", i);
        printf(" %02x", bytes->data[i]);
    }
    putchar('\n');
}

static void print_program(const struct peer_program *program)
{
    for (uint32_t i = 0; i < program->op_count; i++) {
        const struct peer_op *op = &program->ops[i];

        printf("# %s %" PRIx64 " %0*" PRIx32 " kind %u flags %x\n",
               cairn_isa_name((enum cairn_isa)op->isa), op->address, op->size * 2, op->code,
               op->kind, op->flags);
    }
}

static void print_failure(uint64_t seed, const struct peer_trace *trace, unsigned failures)
{
    printf("# seed %" PRIu64 " failed\n", seed);
    if (failures > FAILURES_SHOWN)
        return;
    peer_settings_print(&trace->settings);
    print_program(&trace->program);
    print_bytes(&trace->bytes);
}

static bool check_cairn(const struct peer_trace *trace, struct cairn_config *config,
                        struct peer_random *random, struct peer_truth *said)
{
    const bool good = peer_decode_cairn(trace, config, random, said);

    return peer_truth_equal(&trace->truth, said, "Cairn",
                            PEER_COMPARE_CONTEXTS | PEER_COMPARE_LISTS) &&
           good;
}

static bool check_peer(const struct peer_trace *trace, struct peer_random *random,
                       struct peer_truth *said)
{
    const bool good = peer_decode_opencsd(trace, random, said);

    return peer_truth_equal(&trace->truth, said, "libopencsd", 0) && good;
}

static unsigned family_of(uint64_t seed)
{
    return (unsigned)(seed % FAMILIES);
}

/* The trace of a seed; `random` is left for what follows. False when the generator failed. */
static bool make_trace(uint64_t seed, struct peer_trace *trace, struct peer_random *random,
                       struct cairn_config **config)
{
    const unsigned family = family_of(seed);

    random->state = seed;
    peer_settings_draw(&trace->settings, random, protocol_of(family),
                       (enum peer_family)(family % PEER_FAMILY_COUNT));
    *config = peer_settings_config(&trace->settings);
    return *config && peer_trace_make(trace, *config, random);
}

static void run_cairn(uint64_t seed, struct work *work, struct tally *tally)
{
    struct peer_random random;
    struct cairn_config *config;

    tally->seeds++;
    if (!make_trace(seed, &work->trace, &random, &config)) {
        printf("# the generator failed\n");
        print_failure(seed, &work->trace, ++tally->failed);
    } else if (!check_cairn(&work->trace, config, &random, &work->said)) {
        print_failure(seed, &work->trace, ++tally->failed);
    }
    tally->instructions += work->trace.truth.count;
    cairn_config_unref(config);
}

static void run_peer(uint64_t seed, struct work *work, struct tally *tally)
{
    struct peer_random random;
    struct cairn_config *config;
    const bool made = make_trace(seed, &work->trace, &random, &config);

    cairn_config_unref(config);
    if (!made || !work->trace.settings.shared)
        return;
    alarm(PEER_SECONDS);
    tally->seeds++;
    if (!check_peer(&work->trace, &random, &work->said))
        print_failure(seed, &work->trace, ++tally->failed);
    alarm(0);
}

/* Runs every seed past libopencsd in a process of its own: a trace that it does not survive must
 * not end the test. The next process goes on behind it. */
static bool run_peers(struct progress *progress, uint64_t end, struct work *work)
{
    for (; progress->seed < end; progress->seed++) {
        struct peer_random random;
        struct cairn_config *config;
        int status = 0;
        pid_t child;

        fflush(stdout);
        child = fork();
        if (child == 0) {
            for (; progress->seed < end; progress->seed++)
                run_peer(progress->seed, work, &progress->tallies[family_of(progress->seed)]);
            fflush(stdout);
            _exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child) {
            printf("# no process for libopencsd\n");
            return false;
        }
        if (progress->seed == end)
            break;
        printf("# libopencsd was ended by signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
        if (make_trace(progress->seed, &work->trace, &random, &config))
            print_failure(progress->seed, &work->trace, 1);
        cairn_config_unref(config);
        progress->tallies[family_of(progress->seed)].failed++;
    }
    return true;
}

static bool is_skipped(void)
{
    return !peer_opencsd_version();
}

static unsigned report(const struct tally *tallies, const struct tally *peers)
{
    static const char *const names[PEER_FAMILY_COUNT] = {
        [PEER_FAMILY_A64] = "A64",
        [PEER_FAMILY_AARCH32] = "A32 and T32",
        [PEER_FAMILY_MIXED] = "A32 and T32 under A64",
    };
    unsigned failed = 0;

    printf("1..%d\n", 2 * FAMILIES);
    for (unsigned i = 0; i < FAMILIES; i++) {
        const struct tally *cairn = &tallies[i];
        const struct tally *peer = &peers[i];
        const char *protocol = cairn_protocol_name(protocol_of(i));
        const char *name = names[i % PEER_FAMILY_COUNT];

        printf("%sok %u - Cairn tells what was executed: %s, %s (%u of %u seeds, %" PRIu64
               " instructions)\n",
               cairn->failed ? "not " : "", 2 * i + 1, protocol, name, cairn->seeds - cairn->failed,
               cairn->seeds, cairn->instructions);
        if (is_skipped())
            printf("ok %u - libopencsd agrees: %s, %s # SKIP built without libopencsd-dev\n",
                   2 * i + 2, protocol, name);
        else
            printf("%sok %u - libopencsd %s agrees: %s, %s (%u of %u seeds)\n",
                   peer->failed ? "not " : "", 2 * i + 2, peer_opencsd_version(), protocol, name,
                   peer->seeds - peer->failed, peer->seeds);
        failed += cairn->failed + peer->failed;
    }
    return failed;
}

int main(int argc, char **argv)
{
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : SEEDS;
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    struct work *work = calloc(1, sizeof *work);
    struct progress *progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct tally tallies[FAMILIES] = {0};
    unsigned failed = 1;

    if (work && progress != MAP_FAILED) {
        progress->seed = first;
        if (is_skipped() || run_peers(progress, first + count, work)) {
            for (uint64_t seed = first; seed < first + count; seed++)
                run_cairn(seed, work, &tallies[family_of(seed)]);
            failed = report(tallies, progress->tallies);
        }
    }
    free(work);
    return failed ? 1 : 0;
}
