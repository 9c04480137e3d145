/* SPDX-License-Identifier: BSD-2-Clause */
/* Random programs through the ETMv1 or ETMv2 model and back, on 4, 8 and 16 pins: every instruction and
 * its condition, every address and value that was traced, with triggers, Context IDs, branch addresses that
 * wait behind others, branch phantoms and values out of order. With a small FIFO some of it is lost; what is
 * left was executed, in that order. The engine gives the same flow, of some traces also when they are damaged.
 *
 * usage: test_unit_etmv1_random [--v2] [--seeds FROM COUNT] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <cairn/flow.h>

#include "../engine/compare.h"
#include "../engine/mutate.h"
#include "../peers/etmv1_program.h"

#define SEEDS 100u
#define RECORDS 256
#define COMPARED_OF 8u /* by the engine as well, one trace of so many; */
#define DAMAGED_OF 16u /* and damaged, one of so many */
#define MIX UINT64_C(0x9e3779b97f4a7c15)

static unsigned first_seed = 1, seed_count = SEEDS;
static bool v2;

static struct etmv1_walk walk;

/* --- what the decoder says, in the same words --- */

/* The first half of a BL. It is told with the second, and looks the same where that is all that executed. */
static bool is_pair(uint32_t address)
{
    return address >= ETMV1_THUMB && address < ETMV1_END &&
           walk.code[address - ETMV1_CODE + 1] >> 3 == 0x1e; /* 11110 */
}

static void say_range(FILE *to, const struct cairn_flow_batch *batch, size_t i)
{
    const bool failed = (batch->flags[i] & CAIRN_FLOW_P0) && !(batch->flags[i] & CAIRN_FLOW_TAKEN);
    const uint32_t step = batch->isa[i] == CAIRN_ISA_T32 ? 2 : 4;
    const uint32_t end = (uint32_t)batch->value[i];

    for (uint32_t at = (uint32_t)batch->address[i]; at < end; at += step) {
        const bool is_last = at + step >= end;

        if (step == 2 && is_pair(at))
            continue;
        fprintf(to, "%s 0x%08x\n", is_last && failed ? "skipped" : "executed", (unsigned)at);
    }
}

/* Whose a value is that comes late: placeholders, by their offsets. */
static struct {
    uint64_t offset;
    unsigned of;
} placeholders[8];
static unsigned placeholder_count;

static unsigned owner_of(const struct cairn_flow_batch *batch, size_t i)
{
    const unsigned most = sizeof placeholders / sizeof *placeholders;

    if (CAIRN_FLOW_DATA_IS_LATE(batch->instructions[i])) {
        for (unsigned n = 0; n < most; n++)
            if (placeholders[n].offset == batch->address[i])
                return placeholders[n].of;
        fail_msg("a value of no placeholder");
    }
    const unsigned of = (unsigned)cairn_flow_data_instruction(batch->address[i]);

    if (CAIRN_FLOW_DATA_KIND(batch->instructions[i]) == CAIRN_DATA_PLACEHOLDER) {
        placeholders[placeholder_count % most].offset = batch->offset[i];
        placeholders[placeholder_count++ % most].of = of;
    }
    return of;
}

/* With its instruction: packets may come long behind the status. */
static void say_data(FILE *to, const struct cairn_flow_batch *batch, size_t i)
{
    const unsigned of = owner_of(batch, i);
    const unsigned kind = CAIRN_FLOW_DATA_KIND(batch->instructions[i]);

    if (kind == CAIRN_DATA_NORMAL && CAIRN_FLOW_DATA_TRANSFER(batch->instructions[i]) == 0)
        fprintf(to, "first\n");
    if (batch->flags[i] & CAIRN_FLOW_HAS_ADDRESS &&
        !CAIRN_FLOW_DATA_IS_LATE(batch->instructions[i]) &&
        CAIRN_FLOW_DATA_TRANSFER(batch->instructions[i]) == 0)
        fprintf(to, "address 0x%08x of 0x%08x\n",
                (unsigned)cairn_flow_data_address(batch->address[i]), of);
    if (batch->flags[i] & CAIRN_FLOW_HAS_VALUE)
        fprintf(to, "data 0x%08x of 0x%08x\n", (unsigned)batch->value[i], of);
    if (kind == CAIRN_DATA_SUPPRESSED)
        fprintf(to, "none of 0x%08x\n", of);
}

/* Instructions and transfers, a line each. */
struct lists {
    char *path, *data;
    FILE *to_path, *to_data;
    uint64_t exceptions;
};

static size_t say(struct lists *to, struct cairn_flow_batch *batch)
{
    const size_t count = batch->count;

    for (size_t i = 0; i < count; i++)
        to->exceptions += batch->kind[i] == CAIRN_FLOW_EXCEPTION;
    for (size_t i = 0; i < count; i++)
        if (batch->kind[i] == CAIRN_FLOW_RANGE)
            say_range(to->to_path, batch, i);
        else if (batch->kind[i] == CAIRN_FLOW_DATA)
            say_data(to->to_data, batch, i);
    batch->count = 0;
    return count;
}

static struct cairn_image *image_of(void)
{
    struct cairn_image *image = NULL;

    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    assert_int_equal(cairn_image_add_bytes(image, "code", NULL, CAIRN_ORDER_LITTLE, ETMV1_CODE,
                                           walk.code, sizeof walk.code, NULL),
                     CAIRN_OK);
    assert_int_equal(cairn_image_add_bytes(image, "vectors", NULL, CAIRN_ORDER_LITTLE, 0,
                                           walk.vectors, sizeof walk.vectors, NULL),
                     CAIRN_OK);
    return image;
}

static void decode(struct lists *to)
{
    struct cairn_config *config = cairn_unit_config(walk.unit);
    struct cairn_image *image = image_of();
    struct cairn_decoder *decoder = NULL;
    struct cairn_flow_batch *batch = NULL;
    size_t at = 0;

    memset(placeholders, 0, sizeof placeholders); /* offsets are of this trace */
    assert_non_null(config);
    assert_int_equal(cairn_decoder_new(config, image, &decoder), CAIRN_OK);
    assert_int_equal(cairn_flow_batch_new(RECORDS, &batch), CAIRN_OK);
    while (at < walk.size) {
        assert_int_equal(cairn_decoder_run(decoder, walk.samples, walk.size, &at, batch), CAIRN_OK);
        (void)say(to, batch);
    }
    do
        assert_int_equal(cairn_decoder_finish(decoder, batch), CAIRN_OK);
    while (say(to, batch) > 0);
    assert_int_equal(cairn_decoder_ledger(decoder)->total, walk.size);
    cairn_flow_batch_free(batch);
    cairn_decoder_free(decoder);
    cairn_image_unref(image);
    cairn_config_unref(config);
}

/* --- the engine --- */

static void expect_engine(const struct engine_case *input, uint64_t seed)
{
    assert_true(engine_compare_ways(input, UINT32_C(1) << (seed * MIX >> 60), seed, stdout));
}

static void compare_engine(uint64_t seed)
{
    struct engine_case input = {.config = cairn_unit_config(walk.unit),
                                .image = image_of(),
                                .data = walk.samples,
                                .size = walk.size};
    uint8_t *damaged = NULL;

    expect_engine(&input, seed);
    if (seed % DAMAGED_OF == 0) {
        damaged = malloc(walk.size + MUTATE_MORE);
        assert_non_null(damaged);
        memcpy(damaged, walk.samples, walk.size);
        input.data = damaged;
        input.size = mutate(damaged, walk.size, seed);
        expect_engine(&input, seed);
    }
    free(damaged);
    cairn_image_unref(input.image);
    cairn_config_unref(input.config);
}

/* --- comparing --- */

static size_t sizes[4];

static void open_lists(struct lists *lists, size_t *two)
{
    *lists = (struct lists){0};
    lists->to_path = open_memstream(&lists->path, &two[0]);
    lists->to_data = open_memstream(&lists->data, &two[1]);
    assert_true(lists->to_path && lists->to_data);
}

static void close_lists(struct lists *lists)
{
    fclose(lists->to_path);
    fclose(lists->to_data);
}

static void free_lists(struct lists *lists)
{
    free(lists->path);
    free(lists->data);
}

/* What the walk told, taken apart. */
static void take_apart(const char *told, const struct lists *to)
{
    char of[16] = "";

    for (const char *line = told; *line; line = strchr(line, '\n') + 1) {
        const int length = (int)(strchr(line, '\n') - line);
        const bool is_insn = *line == 'e' || *line == 's';

        if (is_insn)
            snprintf(of, sizeof of, "%.10s", strchr(line, '0'));
        if (is_insn && is_pair((uint32_t)strtoul(of, NULL, 16)))
            continue;
        if (is_insn)
            fprintf(to->to_path, "%.*s\n", length, line);
        else
            fprintf(to->to_data, "%.*s of %s\n", length, line, of);
    }
}

/* What is told of an instruction last, and then to be in doubt, is taken back. */
static void take_back(char *data)
{
    enum { OF = sizeof "0x00000000\n" - 1 }; /* the instruction ends its line */
    char *end = data, *first = data;

    for (char *line = data, *next; *line; line = next) {
        next = strchr(line, '\n') + 1;
        if (*line == 'f') {
            first = end;
        } else if (*line != 'n') {
            memmove(end, line, (size_t)(next - line));
            end += next - line;
        } else if (first < end && strncmp(end - OF, next - OF, OF) == 0) {
            end = first;
        }
    }
    *end = '\0';
}

/* Walks, and decodes what came of it. The caller frees the lists. */
static void trip(uint64_t seed, unsigned features, uint32_t depth, struct lists *told,
                 struct lists *seen)
{
    char *text = NULL;
    size_t size = 0;

    open_lists(told, sizes);
    open_lists(seen, sizes + 2);
    etmv1_walk_begin(&walk, seed, features);
    walk.v2 = v2;
    walk.depth = depth;
    walk.truth = open_memstream(&text, &size);
    assert_non_null(walk.truth);
    assert_true(etmv1_walk_run(&walk));
    fclose(walk.truth);
    take_apart(text, told);
    free(text);
    decode(seen);
    if (seed % COMPARED_OF == 0)
        compare_engine(seed);
    etmv1_walk_end(&walk);
    close_lists(told);
    close_lists(seen);
    take_back(seen->data);
}

/* Where the last instruction leads nobody knows, so that it may have no status and no data: that of
 * sixteen registers and its address is the most. The one before may have as much, which is in doubt: an
 * overflow would be told behind it alone. */
static void assert_executed(uint64_t seed, const char *told, const char *seen,
                            unsigned most_missing)
{
    size_t same = 0, line = 0;
    unsigned missing = 0;

    while (seen[same] && seen[same] == told[same]) {
        line = seen[same] == '\n' ? same + 1 : line;
        same++;
    }
    for (const char *at = told + same; *at; at++)
        missing += *at == '\n';
    if (seen[same] || missing > most_missing)
        fail_msg("seed %u: decoded %.40s, executed %.40s", (unsigned)seed, seen + line,
                 told + line);
}

/* The first line of `seen` that is not in `told` behind the one before it; NULL: there is none. */
static const char *first_stranger(const char *told, const char *seen)
{
    const char *at = told;

    for (const char *line = seen; *line; line = strchr(line, '\n') + 1) {
        const size_t length = (size_t)(strchr(line, '\n') - line) + 1;

        while (*at && strncmp(at, line, length) != 0)
            at = strchr(at, '\n') + 1;
        if (!*at)
            return line;
        at += length;
    }
    return NULL;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Values that came late are behind others: the lines by what they say. */
static void sort_lines(char *text)
{
    char *copy = strdup(text), **lines = calloc(strlen(text) + 1, sizeof *lines), *rest = copy;
    size_t count = 0;

    assert_true(copy && lines);
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n"))
        if (*line)
            lines[count++] = line;
    qsort(lines, count, sizeof *lines, compare_lines);
    for (size_t i = 0; i < count; i++)
        text += sprintf(text, "%s\n", lines[i]);
    free(lines);
    free(copy);
}

/* Each instruction that is decoded was executed, behind the one before it. */
static void compare_order(uint64_t seed, const char *told, const char *seen)
{
    const char *stranger = first_stranger(told, seen);

    if (stranger)
        fail_msg("seed %u: decoded %.*s, which was not executed then", (unsigned)seed,
                 (int)strcspn(stranger, "\n"), stranger);
}

static void test_all(void **state)
{
    unsigned whole = 0;
    uint64_t exceptions = 0;

    (void)state;
    for (unsigned seed = first_seed; seed < first_seed + seed_count; seed++) {
        const unsigned features =
            ETMV1_NARROW | ETMV1_LOADS_STATE | ETMV1_DATA_FIRST | ETMV1_PAIRS |
            (seed % 2 ? ETMV1_BUSY : 0) | (seed % 3 ? ETMV1_TRIGGERS : 0) |
            (seed % 5 ? ETMV1_CONTEXTS : 0) | (seed % 7 ? ETMV1_SWAPS : 0) |
            (seed % 11 < 5 ? ETMV1_EXCEPTIONS : 0) | (v2 && seed % 13 < 8 ? ETMV1_FOLDS : 0) |
            (v2 && seed % 17 < 9 ? ETMV1_MISSES : 0);
        struct lists told, seen;

        trip(seed, features, features & ETMV1_BUSY ? 64 : 0, &told, &seen);
        if (walk.overflows > 0) {
            compare_order(seed, told.path, seen.path);
        } else {
            /* proves: ETM1-4.5-a */
            assert_executed(seed, told.path, seen.path, 1);
            if (features & ETMV1_MISSES) {
                sort_lines(told.data);
                sort_lines(seen.data);
            }
            assert_executed(seed, told.data, seen.data, v2 ? 0 : 2 * 17);
            assert_in_range(walk.exceptions - seen.exceptions, 0, 1); /* that of the last one */
            exceptions += seen.exceptions;
            whole++;
        }
        free_lists(&told);
        free_lists(&seen);
    }
    assert_true(whole >= seed_count / (v2 ? 4 : 2));
    assert_true(exceptions >= seed_count);
}

static size_t lines_of(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += *text == '\n';
    return count;
}

static uint32_t overflowing_depth(unsigned seed)
{
    if (v2)
        return seed % 4 == 0 ? 100 : 14 + seed % 40;
    return seed % 4 == 0 ? 256 : 9 + seed % 40;
}

/* Trace goes off and on: what is traced was executed, and more of it than not. */
static void test_filters(void **state)
{
    size_t told_lines = 0, seen_lines = 0;

    (void)state;
    for (unsigned seed = first_seed; v2 && seed < first_seed + seed_count; seed++) {
        struct lists told, seen;

        trip(seed, ETMV1_NARROW | ETMV1_CONTEXTS | ETMV1_FILTERS | ETMV1_FOLDS | ETMV1_TRIGGERS, 0,
             &told, &seen);
        compare_order(seed, told.path, seen.path);
        compare_order(seed, told.data, seen.data);
        told_lines += lines_of(told.path);
        seen_lines += lines_of(seen.path);
        free_lists(&told);
        free_lists(&seen);
    }
    assert_true(!v2 || (seen_lines > told_lines / 3 && seen_lines < told_lines / 3 * 2));
}

/* Transfers may be lost, but what is told was transferred by the instruction that it is told of. */
static void test_overflows(void **state)
{
    uint64_t overflows = 0;
    size_t transfers = 0, told_transfers = 0;

    (void)state;
    for (unsigned seed = first_seed; seed < first_seed + seed_count; seed++) {
        const unsigned features =
            ETMV1_BUSY | ETMV1_NARROW | ETMV1_CONTEXTS | (v2 ? ETMV1_FOLDS : 0) |
            (!v2 && seed % 3 == 0 ? ETMV1_DEBUG : 0) | (!v2 && seed % 5 == 0 ? ETMV1_SWAPS : 0) |
            (!v2 && seed % 7 == 0 ? ETMV1_EXCEPTIONS | ETMV1_TRIGGERS : 0) |
            (!v2 && seed % 11 == 0 ? ETMV1_PAIRS | ETMV1_LOADS_STATE : 0);
        struct lists told, seen;

        trip(seed, features, overflowing_depth(seed), &told, &seen);
        overflows += walk.overflows;
        compare_order(seed, told.path, seen.path);
        compare_order(seed, told.data, seen.data);
        transfers += lines_of(seen.data);
        told_transfers += lines_of(told.data);
        free_lists(&told);
        free_lists(&seen);
    }
    assert_true(overflows > seed_count);
    assert_true(transfers > told_transfers / 4);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_overflows),
        cmocka_unit_test(test_filters),
    };

    if (argc > 1 && strcmp(argv[1], "--v2") == 0) {
        v2 = true;
        argv++;
        argc--;
    }
    if (argc == 4 && strcmp(argv[1], "--seeds") == 0) {
        first_seed = (unsigned)strtoul(argv[2], NULL, 0);
        seed_count = (unsigned)strtoul(argv[3], NULL, 0);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
