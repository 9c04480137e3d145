/* SPDX-License-Identifier: BSD-2-Clause */
/* What faults in an ETMv1's samples cost, by random programs whose way is known: a bit that is flipped, cycles
 * that are missing, told and untold, and an image of which one instruction is another. An instruction is lost
 * when only the sound trace has it, and invented when only the damaged one has it (damage.h).
 *
 * usage: test_damage [--seeds FROM COUNT] [--table] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/flow.h>

#include "../damage/damage.h"
#include "../peers/etmv1_program.h"

enum {
    SAMPLE = 4,
    FAULTS = 8, /* of each kind, a program */
    RECORDS = 256,
    INSTRUCTIONS = 1 << 16,
    MOST_CYCLES = 5, /* that are missing in one place */
    FLAGS = 1,       /* byte of a sample */
    SYNC = 1 << 0,
    LOST = 1 << 2,
    WORD = 4,
};

enum fault { FLIP, DROP, TOLD_DROP, WRONG_IMAGE, FAULT_COUNT };

static const char *const names[FAULT_COUNT] = {"flipped bit", "missing cycles",
                                               "missing cycles, told", "another instruction"};

struct sums {
    uint64_t faults, changed, untold, lost, invented;
};

static unsigned first_seed = 1, seed_count = 40;
static bool table;
static struct etmv1_walk walk;
static struct damage_list clean, damaged;
static uint8_t *copy;

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static struct cairn_image *image_of(const uint8_t *code)
{
    struct cairn_image *image = NULL;

    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    assert_int_equal(cairn_image_add_bytes(image, "code", NULL, CAIRN_ORDER_LITTLE, ETMV1_CODE,
                                           code, sizeof walk.code, NULL),
                     CAIRN_OK);
    assert_int_equal(cairn_image_add_bytes(image, "vectors", NULL, CAIRN_ORDER_LITTLE, 0,
                                           walk.vectors, sizeof walk.vectors, NULL),
                     CAIRN_OK);
    return image;
}

static size_t take(struct cairn_flow_batch *batch, struct damage_list *list)
{
    const size_t count = batch->count;

    for (size_t i = 0; i < count; i++)
        if (batch->kind[i] == CAIRN_FLOW_RANGE)
            damage_list_range(list, batch->offset[i], batch->address[i], batch->value[i],
                              batch->isa[i] == CAIRN_ISA_T32);
        else if (batch->kind[i] == CAIRN_FLOW_GAP || batch->kind[i] == CAIRN_FLOW_WARNING)
            damage_list_doubt(list, batch->offset[i], batch->kind[i] == CAIRN_FLOW_GAP,
                              (unsigned)batch->value[i]);
    batch->count = 0;
    return count;
}

static void decode(const uint8_t *bytes, size_t size, const uint8_t *code, struct damage_list *list)
{
    struct cairn_config *config = cairn_unit_config(walk.unit);
    struct cairn_image *image = image_of(code);
    struct cairn_decoder *decoder = NULL;
    struct cairn_flow_batch *batch = NULL;

    list->count = 0;
    list->doubt_count = 0;
    assert_int_equal(cairn_decoder_new(config, image, &decoder), CAIRN_OK);
    assert_int_equal(cairn_flow_batch_new(RECORDS, &batch), CAIRN_OK);
    for (size_t at = 0; at < size; (void)take(batch, list))
        assert_int_equal(cairn_decoder_run(decoder, bytes, size, &at, batch), CAIRN_OK);
    do
        assert_int_equal(cairn_decoder_finish(decoder, batch), CAIRN_OK);
    while (take(batch, list) > 0);
    assert_int_equal(cairn_decoder_ledger(decoder)->total, size);
    cairn_flow_batch_free(batch);
    cairn_decoder_free(decoder);
    cairn_image_unref(image);
    cairn_config_unref(config);
}

static void measure(struct sums *sums, uint64_t seed, size_t at)
{
    const struct damage_cost cost = damage_compare(&clean, &damaged, UINT64_MAX);
    const bool told = damage_is_told(&clean, &damaged);

    sums->faults++;
    sums->changed += cost.lost + cost.invented > 0;
    sums->untold += cost.lost + cost.invented > 0 && !told;
    sums->lost += cost.lost;
    sums->invented += cost.invented;
    if (table && cost.invented > 20)
        printf("# seed %" PRIu64 " at %zu: lost %" PRIu64 ", invented %" PRIu64 "\n", seed, at,
               cost.lost, cost.invented);
}

/* Of what the pins show: PIPESTAT, TRACESYNC or TRACEPKT. */
static size_t flip(uint64_t *random)
{
    const unsigned pins = 4u << (walk.control >> 4 & 3u);
    const size_t at = (size_t)(draw(random) % (walk.size / SAMPLE)) * SAMPLE;
    const unsigned bit = (unsigned)(draw(random) % (3 + 1 + pins));

    memcpy(copy, walk.samples, walk.size);
    if (bit < 3)
        copy[at] ^= (uint8_t)(1u << bit);
    else if (bit == 3)
        copy[at + FLAGS] ^= SYNC;
    else
        copy[at + 2 + (bit - 4) / 8] ^= (uint8_t)(1u << (bit - 4) % 8);
    decode(copy, walk.size, walk.code, &damaged);
    return at;
}

static size_t drop(uint64_t *random, bool told)
{
    const size_t count = walk.size / SAMPLE;
    const size_t cycles = 1 + (size_t)(draw(random) % MOST_CYCLES);
    const size_t at = (size_t)(draw(random) % (count - cycles - 1)) * SAMPLE;
    const size_t behind = at + cycles * SAMPLE;

    memcpy(copy, walk.samples, at);
    memcpy(copy + at, walk.samples + behind, walk.size - behind);
    if (told)
        copy[at + FLAGS] |= LOST;
    decode(copy, walk.size - cycles * SAMPLE, walk.code, &damaged);
    return at;
}

static size_t change_image(uint64_t *random)
{
    static uint8_t code[sizeof walk.code];
    const size_t words = sizeof code / WORD;
    const size_t to = (size_t)(draw(random) % words) * WORD;
    const size_t from = (size_t)(draw(random) % words) * WORD;

    memcpy(code, walk.code, sizeof code);
    memcpy(code + to, walk.code + from, WORD);
    decode(walk.samples, walk.size, code, &damaged);
    return to;
}

static size_t damage(enum fault fault, uint64_t *random)
{
    switch (fault) {
    case FLIP: return flip(random);
    case DROP: return drop(random, false);
    case TOLD_DROP: return drop(random, true);
    case WRONG_IMAGE: return change_image(random);
    case FAULT_COUNT: break;
    }
    return 0;
}

static void walk_by(uint64_t seed)
{
    const unsigned features = ETMV1_NARROW | ETMV1_PAIRS | (seed % 2 ? ETMV1_CONTEXTS : 0) |
                              (seed % 3 ? 0 : ETMV1_EXCEPTIONS);

    etmv1_walk_begin(&walk, seed, features);
    assert_true(etmv1_walk_run(&walk));
}

static void print_table(const struct sums *sums, uint64_t executed)
{
    for (unsigned i = 0; i < FAULT_COUNT; i++)
        printf("# %-20s: %" PRIu64 " faults, %" PRIu64 " change the flow, %" PRIu64
               " of them untold; of %.1f instructions %.2f lost, %.2f invented\n",
               names[i], sums[i].faults, sums[i].changed, sums[i].untold,
               (double)executed / (double)sums[i].faults,
               (double)sums[i].lost / (double)sums[i].faults,
               (double)sums[i].invented / (double)sums[i].faults);
}

static void test_damage(void **state)
{
    struct sums sums[FAULT_COUNT] = {0};
    uint64_t executed = 0;

    (void)state;
    for (unsigned seed = first_seed; seed < first_seed + seed_count; seed++) {
        uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;

        walk_by(seed);
        copy = malloc(walk.size);
        assert_non_null(copy);
        decode(walk.samples, walk.size, walk.code, &clean);
        executed += clean.count * FAULTS;
        for (unsigned i = 0; i < FAULTS * FAULT_COUNT; i++) {
            const size_t at = damage((enum fault)(i % FAULT_COUNT), &random);

            measure(&sums[i % FAULT_COUNT], seed, at);
        }
        free(copy);
        etmv1_walk_end(&walk);
    }
    print_table(sums, executed);
    /* where it is told that cycles are missing, nothing is made up */
    assert_int_equal(sums[TOLD_DROP].invented, 0);
    for (unsigned i = 0; i < FAULT_COUNT; i++) {
        /* of a hundred instructions less than one is, and of eight faults that change the flow seven are told */
        assert_true(sums[i].invented * 100 < executed);
        assert_true(sums[i].untold * 8 <= sums[i].changed + 8);
        assert_true(sums[i].faults > 0 && sums[i].changed > 0);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_damage)};
    int failed;

    for (int i = 1; i < argc; i++)
        if (i + 2 < argc && strcmp(argv[i], "--seeds") == 0) {
            first_seed = (unsigned)strtoul(argv[i + 1], NULL, 0);
            seed_count = (unsigned)strtoul(argv[i + 2], NULL, 0);
        } else if (strcmp(argv[i], "--table") == 0) {
            table = true;
        }
    damage_list_new(INSTRUCTIONS, &clean);
    damage_list_new(INSTRUCTIONS, &damaged);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    damage_list_free(&clean);
    damage_list_free(&damaged);
    return failed;
}
