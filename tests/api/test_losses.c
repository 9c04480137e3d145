/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace that was lost in front of a byte of a buffer: what comes before and what comes behind are decoded as two sources
 * would be of which each has one of them, with a gap between, whatever packet the loss falls into, by the engine and by
 * the reference path, by one thread and by two, with frames and without.
 *
 * usage: test_losses CAPTURE */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cairn.h>

#include "../house/share.h"

enum {
    ROOM = 1 << 16,
    ROWS = 1 << 14,
    TIMES = 24,                     /* a source's bytes in a row */
    ENOUGH = TEST_PART(120),        /* cuts of each source */
    FRAMES = TEST_SHARE > 1 ? 4 : 1 /* from cut to cut */
};

static const char *capture_path;

struct bytes {
    uint8_t data[ROOM];
    size_t size;
};

/* What was executed, and where something is missing. */
struct row {
    uint64_t address, value;
    uint8_t kind, flags;
};
struct rows {
    struct row row[ROWS];
    size_t count;
    uint64_t lost, lost_at;     /* gaps for want of trace, and where the last is */
    struct cairn_ledger ledger; /* all bytes are in an account */
};

/* A source of which captures are made. */
struct subject {
    struct cairn_source_options source;
    struct cairn_image *image;
};

static void add_rows(struct rows *rows, const struct cairn_flow_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->kind[i] == CAIRN_FLOW_GAP && batch->value[i] == CAIRN_GAP_LOST) {
            assert_int_equal(batch->length[i], 0);
            rows->lost++;
            rows->lost_at = batch->offset[i];
        } else if (batch->kind[i] == CAIRN_FLOW_RANGE || batch->kind[i] == CAIRN_FLOW_EXCEPTION) {
            assert_true(rows->count < ROWS);
            rows->row[rows->count++] = (struct row){.address = batch->address[i],
                                                    .value = batch->value[i],
                                                    .kind = batch->kind[i],
                                                    .flags = (uint8_t)batch->flags[i]};
        }
    }
}

static void decode(struct cairn_capture *capture, const struct subject *subject,
                   const struct cairn_pipeline_options *options, struct rows *rows)
{
    struct cairn_pipeline *pipeline = NULL;

    assert_int_equal(cairn_pipeline_new(capture, 0, NULL, subject->image, options, &pipeline, NULL),
                     CAIRN_OK);
    do {
        assert_int_equal(cairn_pipeline_next(pipeline), CAIRN_OK);
        add_rows(rows, cairn_pipeline_flow(pipeline));
    } while (cairn_pipeline_flow(pipeline)->count);
    rows->ledger = *cairn_pipeline_ledger(pipeline);
    cairn_pipeline_free(pipeline);
}

static struct cairn_capture *make(const struct subject *subject,
                                  const struct cairn_buffer_options *buffer)
{
    struct cairn_capture *made = NULL;
    size_t index;

    assert_int_equal(cairn_capture_new(&made, NULL), CAIRN_OK);
    assert_int_equal(cairn_capture_put_buffer(made, buffer, &index, NULL), CAIRN_OK);
    assert_int_equal(cairn_capture_put_source(made, &subject->source, &index, NULL), CAIRN_OK);
    return made;
}

static struct cairn_buffer_options buffer_of(const struct bytes *bytes, bool framed)
{
    return (struct cairn_buffer_options){
        .size = sizeof(struct cairn_buffer_options),
        .name = "memory",
        .format = framed ? CAIRN_FORMAT_CORESIGHT : CAIRN_FORMAT_SOURCE_DATA,
        .memory = bytes->data,
        .memory_size = bytes->size,
    };
}

static void decode_bytes(const struct subject *subject, const struct bytes *bytes, bool framed,
                         const struct cairn_pipeline_options *options, struct rows *rows)
{
    const struct cairn_buffer_options buffer = buffer_of(bytes, framed);
    struct cairn_capture *capture = make(subject, &buffer);

    decode(capture, subject, options, rows);
    if (!framed)
        assert_int_equal(rows->ledger.total, bytes->size);
    cairn_capture_free(capture);
}

static void append(struct bytes *to, const uint8_t *data, size_t size)
{
    assert_true(to->size + size <= ROOM);
    memcpy(to->data + to->size, data, size);
    to->size += size;
}

/* Bytes [0, cut) of `bytes`, then, behind a loss, those from `from` on. */
static size_t check_cut(const struct subject *subject, const struct bytes *bytes, size_t cut,
                        size_t from, bool framed)
{
    static struct bytes before, behind, both;
    static struct rows apart, together;
    const uint64_t loss = cut;
    struct cairn_pipeline_options options = CAIRN_PIPELINE_OPTIONS_INIT;

    before.size = behind.size = both.size = 0;
    append(&before, bytes->data, cut);
    append(&behind, bytes->data + from, bytes->size - from);
    append(&both, before.data, before.size);
    append(&both, behind.data, behind.size);
    apart.lost = 0;
    apart.count = 0;
    options.flags = CAIRN_PIPELINE_REFERENCE;
    decode_bytes(subject, &before, framed, &options, &apart);
    decode_bytes(subject, &behind, framed, &options, &apart);
    assert_int_equal(apart.lost, 0);
    struct cairn_buffer_options buffer = buffer_of(&both, framed);
    buffer.losses = &loss;
    buffer.loss_count = 1;
    for (unsigned way = 0; way < 3; way++) {
        struct cairn_capture *capture = make(subject, &buffer);

        options.flags = way ? 0 : CAIRN_PIPELINE_REFERENCE;
        options.jobs = way;
        together.lost = 0;
        together.count = 0;
        decode(capture, subject, &options, &together);
        assert_int_equal(together.lost, 1);
        if (!framed) {
            assert_int_equal(together.lost_at, cut);
            assert_int_equal(together.ledger.total, both.size);
        }
        assert_int_equal(together.ledger.account[CAIRN_GAP_LOST].bytes, 0);
        assert_int_equal(together.count, apart.count);
        for (size_t i = 0; i < apart.count; i++) {
            assert_int_equal(together.row[i].kind, apart.row[i].kind);
            assert_int_equal(together.row[i].address, apart.row[i].address);
            assert_int_equal(together.row[i].value, apart.row[i].value);
            assert_int_equal(together.row[i].flags, apart.row[i].flags);
        }
        cairn_capture_free(capture);
    }
    return apart.count;
}

static uint64_t drawn(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

static void check_cuts(const struct subject *subject, const struct bytes *one)
{
    static struct bytes bytes;
    uint64_t seed = 1;
    size_t rows = 0;

    bytes.size = 0;
    for (unsigned i = 0; i < TIMES; i++)
        append(&bytes, one->data, one->size);
    for (unsigned i = 0; i < ENOUGH; i++) {
        const size_t cut = 1 + (size_t)(drawn(&seed) % (bytes.size - 1));
        const size_t from = (size_t)(drawn(&seed) % bytes.size);

        rows += check_cut(subject, &bytes, cut, from, false);
    }
    assert_true(rows > 10 * ENOUGH);
    /* in front of a synchronisation, so that nothing but the capture says it */
    check_cut(subject, &bytes, one->size - 3, one->size, false);
    check_cut(subject, &bytes, 2 * one->size, one->size, false);
    /* behind all that there is, at the end of a packet and inside of one */
    check_cut(subject, &bytes, 2 * one->size, bytes.size, false);
    check_cut(subject, &bytes, 2 * one->size - 1, bytes.size, false);
}

/* --- the example --- */

static struct subject subject_of(struct cairn_capture *example, size_t index)
{
    struct subject subject = {.source = CAIRN_SOURCE_OPTIONS_INIT,
                              .image = cairn_capture_image(example)};
    struct cairn_source_info info = {.size = sizeof info};

    assert_int_equal(cairn_capture_source(example, index, &info), CAIRN_OK);
    subject.source.name = info.name;
    subject.source.core = info.core_type;
    subject.source.protocol = info.protocol;
    subject.source.trace_id = info.trace_id;
    subject.source.registers = info.registers;
    subject.source.register_count = info.register_count;
    return subject;
}

static struct cairn_capture *open_example(void)
{
    struct cairn_capture *example = NULL;

    assert_int_equal(cairn_capture_open(capture_path, NULL, &example, NULL), CAIRN_OK);
    return example;
}

static void read_source(const struct cairn_capture *capture, size_t source, struct bytes *bytes)
{
    struct cairn_reader *reader = NULL;
    struct cairn_chunk chunk;

    bytes->size = 0;
    assert_int_equal(cairn_reader_new(capture, source, &reader, NULL), CAIRN_OK);
    do {
        assert_int_equal(cairn_reader_next(reader, &chunk), CAIRN_OK);
        assert_false(cairn_reader_lost(reader));
        append(bytes, chunk.data, chunk.size);
    } while (chunk.size);
    cairn_reader_free(reader);
}

/* --- a long source, with several losses --- */

enum { LONG = TEST_PART(6000), LOSSES = 4, FROMS = 3 * LOSSES };

/* What of the flow is of packets at `from` or behind, as a sum that depends on the order. */
struct summed {
    uint64_t sum, records, lost, unsynchronised, instructions;
};

static void add_up(struct summed *summed, const struct cairn_flow_batch *batch, uint64_t from)
{
    for (size_t i = 0; i < batch->count; i++) {
        const uint64_t of[] = {batch->kind[i],    batch->flags[i], batch->instructions[i],
                               batch->address[i], batch->value[i], batch->offset[i],
                               batch->length[i]};

        if (batch->offset[i] < from)
            continue;
        summed->records++;
        summed->instructions += batch->kind[i] == CAIRN_FLOW_RANGE ? batch->instructions[i] : 0;
        if (batch->kind[i] == CAIRN_FLOW_GAP) {
            summed->lost += batch->value[i] == CAIRN_GAP_LOST;
            summed->unsynchronised += batch->value[i] == CAIRN_GAP_NO_SYNC;
        }
        for (size_t k = 0; k < sizeof of / sizeof of[0]; k++)
            summed->sum = (summed->sum ^ of[k]) * UINT64_C(0x100000001b3);
    }
}

/* Of each of the places `from` those records are added up that are there or behind. `begins`: the pipeline begins at the
 * first of them, and the record that stands for what is before is left out. */
static void sum_up(const struct subject *subject, struct cairn_capture *capture, uint32_t flags,
                   uint32_t jobs, bool begins, const uint64_t *from, size_t count,
                   struct summed *summed)
{
    struct cairn_pipeline_options options = CAIRN_PIPELINE_OPTIONS_INIT;
    struct cairn_pipeline *pipeline = NULL;

    memset(summed, 0, count * sizeof *summed);
    options.flags = flags;
    options.jobs = jobs;
    options.from = begins ? from[0] : 0;
    assert_int_equal(
        cairn_pipeline_new(capture, 0, NULL, subject->image, &options, &pipeline, NULL), CAIRN_OK);
    do {
        assert_int_equal(cairn_pipeline_next(pipeline), CAIRN_OK);
        for (size_t i = 0; i < count; i++)
            add_up(&summed[i], cairn_pipeline_flow(pipeline), from[i]);
    } while (cairn_pipeline_flow(pipeline)->count);
    const struct cairn_ledger *ledger = cairn_pipeline_ledger(pipeline);
    if (!begins)
        assert_int_equal(ledger->account[CAIRN_GAP_LOST].packets, LOSSES);
    cairn_pipeline_free(pipeline);
}

static bool is_same(const struct summed *a, const struct summed *b)
{
    return a->sum == b->sum && a->records == b->records && a->lost == b->lost &&
           a->instructions == b->instructions && a->unsynchronised == b->unsynchronised;
}

/* Two of the losses are inside of packets, so that the bytes up to the next synchronisation are a gap as well; one is
 * behind all. */
static void long_source(void **unused)
{
    static struct bytes one;
    struct cairn_capture *example = open_example();
    struct subject subject = subject_of(example, 0);
    (void)unused;

    read_source(example, 0, &one);
    subject.source.trace_id = -1;
    uint8_t *bytes = malloc(LONG * one.size);
    assert_non_null(bytes);
    for (size_t i = 0; i < LONG; i++)
        memcpy(bytes + i * one.size, one.data, one.size);
    const uint64_t losses[LOSSES] = {LONG / 3 * one.size + 31, LONG / 3 * one.size + 33,
                                     2 * LONG / 3 * one.size, LONG * one.size};
    const struct cairn_buffer_options buffer = {
        .size = sizeof buffer,
        .name = "memory",
        .format = CAIRN_FORMAT_SOURCE_DATA,
        .memory = bytes,
        .memory_size = LONG * one.size,
        .losses = losses,
        .loss_count = LOSSES,
    };
    struct cairn_capture *capture = make(&subject, &buffer);
    const uint64_t beginning = 0;
    struct summed wanted, got, whole[FROMS];
    uint64_t from[FROMS];

    sum_up(&subject, capture, CAIRN_PIPELINE_REFERENCE, 1, false, &beginning, 1, &wanted);
    assert_int_equal(wanted.lost, LOSSES);
    assert_int_equal(wanted.unsynchronised, 2);
    assert_true(wanted.instructions > UINT64_C(107) * (LONG - 2) &&
                wanted.instructions < UINT64_C(107) * LONG);
    for (uint32_t jobs = 1; jobs <= 4; jobs++) {
        sum_up(&subject, capture, 0, jobs, false, &beginning, 1, &got);
        assert_true(is_same(&got, &wanted));
    }
    for (unsigned i = 0; i < FROMS; i++)
        from[i] = losses[i / 3] + i % 3 - 1;
    sum_up(&subject, capture, 0, 1, false, from, FROMS, whole);
    for (unsigned i = 0; i < FROMS; i++) {
        sum_up(&subject, capture, 0, 1, true, &from[i], 1, &got);
        assert_true(is_same(&got, &whole[i]));
    }
    cairn_capture_free(capture);
    cairn_capture_free(example);
    free(bytes);
}

/* --- the example's two sources --- */

static void check_source(size_t index)
{
    static struct bytes one;
    struct cairn_capture *example = open_example();
    struct subject subject = subject_of(example, index);

    read_source(example, index, &one);
    subject.source.trace_id = -1;
    check_cuts(&subject, &one);
    cairn_capture_free(example);
}

static void ete(void **unused)
{
    (void)unused;
    check_source(0);
}

static void etmv4(void **unused)
{
    (void)unused;
    check_source(1);
}

/* Behind a loss the frames begin anew, with a trace ID. */
static void frames(void **unused)
{
    static struct bytes bytes, once;
    struct cairn_capture *example = open_example();
    char path[512];
    FILE *file;
    (void)unused;

    snprintf(path, sizeof path, "%s/trace.bin", capture_path);
    file = fopen(path, "rb");
    assert_non_null(file);
    once.size = fread(once.data, 1, ROOM, file);
    fclose(file);
    bytes.size = 0;
    append(&bytes, once.data, once.size);
    append(&bytes, once.data, once.size);
    for (size_t source = 0; source < 2; source++) {
        const struct subject subject = subject_of(example, source);

        for (size_t cut = 6 * 16; cut < once.size; cut += 16 * FRAMES)
            check_cut(&subject, &bytes, cut, once.size, true);
        check_cut(&subject, &bytes, once.size, bytes.size, true); /* behind all */
    }
    cairn_capture_free(example);
}

/* --- sources of branches to themselves --- */

static void check_loop(enum cairn_protocol_id protocol, const char *core, const uint8_t *one,
                       size_t size, const struct cairn_register *registers, size_t count)
{
    static const uint8_t loop[] = {0xfe, 0xff, 0xff, 0xea}; /* A32: b . */
    static struct bytes bytes;
    struct subject subject = {.source = CAIRN_SOURCE_OPTIONS_INIT};
    const uint64_t places[] = {0x8000, 0x8040};

    bytes.size = 0;
    append(&bytes, one, size);
    assert_int_equal(cairn_image_new(&subject.image), CAIRN_OK);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(cairn_image_add_bytes(subject.image, "loop", NULL, CAIRN_ORDER_LITTLE,
                                               places[i], loop, sizeof loop, NULL),
                         CAIRN_OK);
    subject.source.name = "loop";
    subject.source.core = core;
    subject.source.protocol = protocol;
    subject.source.registers = registers;
    subject.source.register_count = count;
    check_cuts(&subject, &bytes);
    cairn_image_unref(subject.image);
}

static void etmv3(void **unused)
{
    static const struct cairn_register registers[] = {{"ETMCR", 0}, {"ETMIDR", 0x4104f240}};
    /* A-sync, I-sync at 0x8000, EEE, EE, and the same at 0x8040 (IHI0014 7.3, 7.4) */
    static const uint8_t one[] = {0, 0, 0, 0, 0, 0x80, 0x08, 0x21, 0x00, 0x80, 0, 0, 0x8c, 0x88,
                                  0, 0, 0, 0, 0, 0x80, 0x08, 0x21, 0x40, 0x80, 0, 0, 0x84};
    (void)unused;

    check_loop(CAIRN_PROTOCOL_ETMV3, "Cortex-A8", one, sizeof one, registers, 2);
}

static void ptm(void **unused)
{
    static const struct cairn_register registers[] = {{"ETMCR", 0}, {"ETMIDR", 0x411cf311}};
    /* A-sync, I-sync at 0x8000, three atoms, one atom, and the same at 0x8040 (IHI0035 4.5) */
    static const uint8_t one[] = {0, 0, 0, 0, 0, 0x80, 0x08, 0x00, 0x80, 0, 0, 0x21, 0x90, 0x84,
                                  0, 0, 0, 0, 0, 0x80, 0x08, 0x40, 0x80, 0, 0, 0x21, 0x84};
    (void)unused;

    check_loop(CAIRN_PROTOCOL_PTM, "Cortex-A15", one, sizeof one, registers, 2);
}

/* --- what a buffer is told: 8 is behind all, 9 nowhere --- */

static void told_wrong(void **unused)
{
    static const uint8_t data[8] = {0};
    static const uint64_t ascending[] = {0, 3, 3, 8, 9}, turned[] = {5, 3};
    struct cairn_buffer_options buffer = {.size = sizeof buffer,
                                          .name = "memory",
                                          .format = CAIRN_FORMAT_SOURCE_DATA,
                                          .memory = data,
                                          .memory_size = sizeof data};
    struct cairn_source_options source = CAIRN_SOURCE_OPTIONS_INIT;
    struct cairn_capture *capture = NULL;
    struct cairn_reader *reader = NULL;
    struct cairn_chunk chunk;
    (void)unused;

    assert_int_equal(cairn_capture_new(&capture, NULL), CAIRN_OK);
    buffer.loss_count = 2;
    assert_int_equal(cairn_capture_put_buffer(capture, &buffer, NULL, NULL), CAIRN_E_ARGUMENT);
    buffer.losses = turned;
    assert_int_equal(cairn_capture_put_buffer(capture, &buffer, NULL, NULL), CAIRN_E_ARGUMENT);
    buffer.losses = ascending;
    buffer.loss_count = 5;
    assert_int_equal(cairn_capture_put_buffer(capture, &buffer, NULL, NULL), CAIRN_OK);
    source.name = "source";
    assert_int_equal(cairn_capture_put_source(capture, &source, NULL, NULL), CAIRN_OK);
    assert_int_equal(cairn_reader_new(capture, 0, &reader, NULL), CAIRN_OK);
    for (unsigned turn = 0; turn < 2; turn++) {
        assert_int_equal(cairn_reader_next(reader, &chunk), CAIRN_OK);
        assert_int_equal(chunk.size, 3);
        assert_false(cairn_reader_lost(reader));
        assert_int_equal(cairn_reader_next(reader, &chunk), CAIRN_OK);
        assert_int_equal(chunk.size, 5);
        assert_true(cairn_reader_lost(reader));
        assert_int_equal(cairn_reader_next(reader, &chunk), CAIRN_OK);
        assert_int_equal(chunk.size, 0);
        assert_true(cairn_reader_lost(reader));
        assert_int_equal(cairn_reader_next(reader, &chunk), CAIRN_OK);
        assert_int_equal(chunk.size, 0);
        assert_false(cairn_reader_lost(reader)); /* once */
        assert_int_equal(cairn_reader_seek(reader, 0), CAIRN_OK);
    }
    assert_int_equal(cairn_reader_seek(reader, 4), CAIRN_OK);
    assert_int_equal(cairn_reader_next(reader, &chunk), CAIRN_OK);
    assert_int_equal(chunk.size, 4);
    assert_false(cairn_reader_lost(reader));
    cairn_reader_free(reader);
    cairn_capture_free(capture);
}

/* --- a loss in front of much of another source --- */

enum { FRAME = 16, DATA_OF_FRAME = 14, OTHERS = 1 << 18, OWN = 2 };

/* All of one ID, which stands first in it. */
static void put_frame(uint8_t *frame, unsigned id, uint8_t data)
{
    memset(frame, 0, FRAME);
    frame[0] = (uint8_t)(id << 1 | 1);
    for (unsigned i = 1; i <= DATA_OF_FRAME; i++) {
        frame[i] = i % 2 ? data : data & 0xfe;
        frame[FRAME - 1] |= (uint8_t)(i % 2 ? 0 : (data & 1) << i / 2);
    }
}

/* What is sought at the loss begins behind it, as what is read up to there does. */
static void loss_far_away(void **unused)
{
    const uint64_t loss = OWN * FRAME;
    struct cairn_source_options source = CAIRN_SOURCE_OPTIONS_INIT;
    struct cairn_buffer_options buffer = {.size = sizeof buffer,
                                          .name = "memory",
                                          .format = CAIRN_FORMAT_CORESIGHT,
                                          .memory_size = (OTHERS + 2 * OWN) * (size_t)FRAME,
                                          .losses = &loss,
                                          .loss_count = 1};
    struct cairn_capture *capture = NULL;
    struct cairn_reader *reader = NULL;
    struct cairn_chunk chunk;
    uint8_t *bytes = malloc((size_t)buffer.memory_size);
    (void)unused;

    assert_non_null(bytes);
    for (size_t i = 0; i < OTHERS + 2 * OWN; i++)
        put_frame(bytes + i * FRAME, i < OWN || i >= OTHERS + OWN ? 0x10 : 0x11, (uint8_t)i);
    buffer.memory = bytes;
    assert_int_equal(cairn_capture_new(&capture, NULL), CAIRN_OK);
    assert_int_equal(cairn_capture_put_buffer(capture, &buffer, NULL, NULL), CAIRN_OK);
    source.name = "source";
    source.trace_id = 0x10;
    assert_int_equal(cairn_capture_put_source(capture, &source, NULL, NULL), CAIRN_OK);
    for (unsigned turn = 0; turn < 2; turn++) { /* anew, and where all is measured */
        for (uint64_t from = OWN * DATA_OF_FRAME - 1; from <= OWN * DATA_OF_FRAME + 1; from++) {
            uint64_t lost_at = 0;

            assert_int_equal(cairn_reader_new(capture, 0, &reader, NULL), CAIRN_OK);
            assert_int_equal(cairn_reader_seek(reader, from), CAIRN_OK);
            do {
                assert_int_equal(cairn_reader_next(reader, &chunk), CAIRN_OK);
                if (cairn_reader_lost(reader))
                    lost_at = chunk.offset;
            } while (chunk.size);
            assert_int_equal(chunk.offset, 2 * OWN * DATA_OF_FRAME);
            assert_int_equal(lost_at, from > OWN * DATA_OF_FRAME ? 0 : OWN * DATA_OF_FRAME);
            cairn_reader_free(reader);
        }
    }
    cairn_capture_free(capture);
    free(bytes);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ete),         cmocka_unit_test(etmv4),
        cmocka_unit_test(frames),      cmocka_unit_test(etmv3),
        cmocka_unit_test(ptm),         cmocka_unit_test(told_wrong),
        cmocka_unit_test(long_source), cmocka_unit_test(loss_far_away),
    };

    if (argc != 2)
        return 2;
    capture_path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
