/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture whose memory a function reads decodes as one whose memory is in files, by the reference
 * path and by the engine, and what the function does not give is missing for both.
 *
 * usage: test_api_live CAPTURE */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cairn.h>

#include "../house/share.h"

#define RECORDS_MAX 4096
#define MEMORY UINT64_C(0x80000000) /* of the example capture */

static const char *path;

/* What a target's debug port would read. */
struct target {
    struct cairn_space *space;
    uint64_t end; /* nothing is given from here on */
    unsigned calls;
};

static size_t read_target(void *context, uint64_t address, void *bytes, size_t size)
{
    struct target *target = context;
    struct cairn_window window;

    target->calls++;
    if (address >= target->end || !cairn_space_window(target->space, address, &window))
        return 0;
    const uint64_t there = window.address + window.size - address;
    const uint64_t given = target->end - address < there ? target->end - address : there;
    const size_t taken = given < size ? (size_t)given : size;

    memcpy(bytes, window.bytes + (size_t)(address - window.address), taken);
    return taken;
}

struct record {
    uint8_t kind;
    uint8_t isa;
    uint16_t flags;
    uint32_t instructions;
    uint64_t offset, length, address, value;
};

struct flow {
    size_t count;
    uint64_t instructions, gaps;
    struct record record[RECORDS_MAX];
};

static void take(struct flow *flow, const struct cairn_flow_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        struct record one;

        memset(&one, 0, sizeof one);
        one.kind = batch->kind[i];
        one.isa = batch->isa[i];
        one.flags = batch->flags[i];
        one.instructions = batch->instructions[i];
        one.offset = batch->offset[i];
        one.length = batch->length[i];
        one.address = batch->address[i];
        one.value = batch->value[i];
        assert_true(flow->count < RECORDS_MAX);
        flow->record[flow->count++] = one;
        flow->instructions += one.kind == CAIRN_FLOW_RANGE ? one.instructions : 0;
        flow->gaps += one.kind == CAIRN_FLOW_GAP && one.value == CAIRN_GAP_NO_IMAGE;
    }
}

static void decode(struct cairn_capture *capture, struct cairn_image *image, uint32_t flags,
                   uint32_t jobs, struct flow *flow)
{
    struct cairn_pipeline_options options = CAIRN_PIPELINE_OPTIONS_INIT;

    memset(flow, 0, sizeof *flow);
    options.flags = flags;
    options.jobs = jobs;
    for (size_t i = 0; i < cairn_capture_source_count(capture); i++) {
        struct cairn_pipeline *pipeline = NULL;

        assert_int_equal(cairn_pipeline_new(capture, i, NULL, image, &options, &pipeline, NULL),
                         CAIRN_OK);
        do {
            assert_int_equal(cairn_pipeline_next(pipeline), CAIRN_OK);
            take(flow, cairn_pipeline_flow(pipeline));
        } while (cairn_pipeline_flow(pipeline)->count);
        cairn_pipeline_free(pipeline);
    }
}

static bool is_same(const struct flow *a, const struct flow *b)
{
    return a->count == b->count && !memcmp(a->record, b->record, a->count * sizeof *a->record);
}

/* An image that knows the capture's memory up to `end` by asking for it. */
static struct cairn_image *ask_for(struct target *target, uint64_t end)
{
    struct cairn_image *image = NULL;

    target->end = end;
    target->calls = 0;
    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    assert_int_equal(cairn_image_add_callback(image, "target", NULL, CAIRN_ORDER_LITTLE,
                                              MEMORY - 0x10000, 0x20000, read_target, target, NULL),
                     CAIRN_OK);
    return image;
}

/* From one end of the memory to the next. */
enum { STEP = TEST_SHARE > 1 ? 60 : 12 };

static void memory_is_asked_for(void **unused)
{
    static struct flow file, reference, engine, threads;
    const struct cairn_place place = {.security = CAIRN_NONSECURE};
    struct cairn_capture *capture = NULL;
    struct target target = {.calls = 0};
    unsigned cut = 0;
    (void)unused;

    assert_int_equal(cairn_capture_open(path, NULL, &capture, NULL), CAIRN_OK);
    assert_int_equal(cairn_space_new(cairn_capture_image(capture), &target.space), CAIRN_OK);
    assert_int_equal(cairn_space_select(target.space, &place), CAIRN_OK);
    decode(capture, NULL, 0, 1, &file);
    assert_int_equal(file.instructions, 165); /* the lines of its *.addresses */
    for (uint64_t end = MEMORY; end <= MEMORY + 0x400; end += STEP) {
        struct cairn_image *image = ask_for(&target, end);

        decode(capture, image, CAIRN_PIPELINE_REFERENCE, 1, &reference);
        assert_in_range(target.calls, 1, 2); /* its code is in one page */
        decode(capture, image, 0, 1, &engine);
        assert_in_range(target.calls, 1, 2);
        decode(capture, image, 0, 3, &threads);
        assert_true(is_same(&reference, &engine));
        assert_true(is_same(&reference, &threads));
        assert_int_equal(is_same(&reference, &file), reference.gaps == file.gaps);
        cut += reference.gaps > file.gaps;
        cairn_image_unref(image);
    }
    assert_true(is_same(&reference, &file)); /* with all of it */
    assert_true(cut > 120 / STEP);
    cairn_space_free(target.space);
    cairn_capture_free(capture);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_asked_for),
    };
    path = argc > 1 ? argv[1] : "";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
