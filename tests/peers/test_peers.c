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
    unsigned shared; /* that libopencsd was asked about, too */
    unsigned peer_failed;
    uint64_t instructions;
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

/* In a process of its own: a trace that libopencsd does not survive must not end the test. */
static bool check_peer(const struct peer_trace *trace, struct peer_random *random,
                       struct peer_truth *said)
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        bool good;

        alarm(PEER_SECONDS);
        good = peer_decode_opencsd(trace, random, said);
        good &= peer_truth_equal(&trace->truth, said, "libopencsd", 0);
        fflush(stdout);
        _exit(good ? 0 : 1);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        printf("# no process for libopencsd\n");
        return false;
    }
    if (WIFSIGNALED(status))
        printf("# libopencsd was ended by signal %d\n", WTERMSIG(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void run_seed(uint64_t seed, struct peer_trace *trace, struct peer_truth *said,
                     struct tally *tally)
{
    const unsigned family = (unsigned)(seed % FAMILIES);
    struct peer_random random = {.state = seed};
    struct cairn_config *config;

    peer_settings_draw(&trace->settings, &random, protocol_of(family),
                       (enum peer_family)(family % PEER_FAMILY_COUNT));
    config = peer_settings_config(&trace->settings);
    tally->seeds++;
    if (!config || !peer_trace_make(trace, config, &random)) {
        printf("# the generator failed\n");
        print_failure(seed, trace, ++tally->failed);
        cairn_config_unref(config);
        return;
    }
    tally->instructions += trace->truth.count;
    if (!check_cairn(trace, config, &random, said))
        print_failure(seed, trace, ++tally->failed);
    cairn_config_unref(config);
    if (!trace->settings.shared || !peer_opencsd_version())
        return;
    tally->shared++;
    if (!check_peer(trace, &random, said))
        print_failure(seed, trace, ++tally->peer_failed);
}

static unsigned report(const struct tally *tallies)
{
    static const char *const names[PEER_FAMILY_COUNT] = {
        [PEER_FAMILY_A64] = "A64",
        [PEER_FAMILY_AARCH32] = "A32 and T32",
        [PEER_FAMILY_MIXED] = "A32 and T32 under A64",
    };
    unsigned failed = 0;

    printf("1..%d\n", 2 * FAMILIES);
    for (unsigned i = 0; i < FAMILIES; i++) {
        const struct tally *tally = &tallies[i];
        const char *protocol = cairn_protocol_name(protocol_of(i));
        const char *name = names[i % PEER_FAMILY_COUNT];

        printf("%sok %u - Cairn tells what was executed: %s, %s (%u of %u seeds, %" PRIu64
               " instructions)\n",
               tally->failed ? "not " : "", 2 * i + 1, protocol, name, tally->seeds - tally->failed,
               tally->seeds, tally->instructions);
        if (!peer_opencsd_version())
            printf("ok %u - libopencsd agrees: %s, %s # SKIP built without libopencsd-dev\n",
                   2 * i + 2, protocol, name);
        else
            printf("%sok %u - libopencsd %s agrees: %s, %s (%u of %u seeds)\n",
                   tally->peer_failed ? "not " : "", 2 * i + 2, peer_opencsd_version(), protocol,
                   name, tally->shared - tally->peer_failed, tally->shared);
        failed += tally->failed + tally->peer_failed;
    }
    return failed;
}

int main(int argc, char **argv)
{
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : SEEDS;
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    struct peer_trace *trace = calloc(1, sizeof *trace);
    struct peer_truth *said = calloc(1, sizeof *said);
    struct tally tallies[FAMILIES] = {0};
    unsigned failed = 1;

    if (trace && said) {
        for (uint64_t seed = first; seed < first + count; seed++)
            run_seed(seed, trace, said, &tallies[seed % FAMILIES]);
        failed = report(tallies);
    }
    free(trace);
    free(said);
    return failed ? 1 : 0;
}
