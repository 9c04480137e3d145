/* SPDX-License-Identifier: BSD-2-Clause */
/* What was built and decoders have to be told: DDI0608 D9.1.3, D6.7, D6.9.2, D2.4.3. */
#include <cairn/flow.h>

#include "reach.h"

/* MAXSPEC: how deep speculation goes, in what a Trace Info and Commits imply and Cancels remove. */
static void test_maxspec(void **state)
{
    static const unsigned depths[] = {0, 1, 5, 64};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        const unsigned depth = depths[i];
        uint64_t begin;
        struct bench b;
        char text[64];
        const char *trace;

        snprintf(text, sizeof text, "implied MAXSPEC=%u choices=0", depth);
        bench_begin(&b, text);
        /* proves: I_RKYCD */
        assert_int_equal(mrs(&b, "TRCIDR8"), depth);
        speculate(&b);
        begin = mark(&b);
        for (unsigned n = 0; n < 80; n++)
            branch(&b, 0x1000, 0x1000, TAKEN);
        trace = bench_trace(&b);
        /* No more is out than may be taken back; the rest waits in the unit. */
        /* proves: I_RKYCD, I_XLHWT */
        assert_int_equal(bench_count(trace, "E"), depth);
        /* proves: I_RKYCD */
        assert_int_equal(bench_count(trace, "c"), 0);
        cancel(&b, begin);
        branch(&b, 0x1000, 0x1000, NOT_TAKEN);
        resolve(&b, mark(&b));
        snprintf(text, sizeof text, "CANCEL(%u)", depth);
        trace = bench_trace(&b);
        /* proves: I_XLHWT */
        assert_int_equal(bench_count(trace, "CANCEL"), depth > 0);
        /* proves: I_XLHWT */
        assert_int_equal(bench_count(trace, text), depth > 0);
        bench_end(&b);
    }
}

static void test_timestamp_markers(void **state)
{
    (void)state;
    for (unsigned markers = 0; markers < 2; markers++) {
        struct bench b;
        char text[64];

        snprintf(text, sizeof text, "TS TSMARK=%u", markers);
        bench_begin(&b, text);
        at_time(&b, 5);
        branch(&b, 0x1000, 0x2000, TAKEN);
        isb(&b, 0x2000, TAKEN);
        cairn_unit_flush(b.unit);
        text[0] = '\0';
        {
            const char *trace = bench_trace(&b);

            assert_true(bench_count(trace, "TS") > 0);
            /* proves: I_JGKZJ */
            assert_int_equal(bench_count(trace, "MARK"), markers ? bench_count(trace, "TS") : 0);
        }
        bench_end(&b);
    }
}

static void test_wfx(void **state)
{
    (void)state;
    for (unsigned mode = 0; mode < 2; mode++) {
        static const uint32_t words[] = {0xd503207f, 0xd503205f, 0xd5031020, 0xd5031001};
        struct bench b;

        bench_begin(&b, mode ? "WFXMODE=1" : "WFXMODE=0");
        for (unsigned i = 0; i < 4; i++) { /* WFI, WFE, WFIT, WFET, and an instruction behind */
            uint8_t bytes[8] = {0x1f, 0x20, 0x03, 0xd5, 0x1f, 0x20, 0x03, 0xd5};
            struct cairn_block block;

            for (unsigned n = 0; n < 4; n++)
                bytes[n] = (uint8_t)(words[i] >> 8 * n);
            /* proves: R_QBGXJ */
            assert_int_equal(
                cairn_unit_scan(b.unit, CAIRN_ISA_A64, 0x1000 + 4 * i, bytes, 8, &block),
                mode ? 4 : 8);
            block.size = block.last_size = 4;
            block.count = 1;
            block.kind = CAIRN_INSN_WFX;
            cairn_unit_execute(b.unit, &block, true);
        }
        branch(&b, 0x1010, 0x2000, NOT_TAKEN);
        /* proves: R_QBGXJ */
        assert_trace(&b, mode ? BEGIN("1000") " E E E E N" : BEGIN("1000") " N");
        bench_end(&b);
    }
}

/* A decoder that is told something else of the unit reads something else. */
static char *read_as(struct bench *b, const char *other)
{
    struct cairn_config *own = b->config;
    static char text[2][4096];
    static unsigned turn;
    struct bench model;

    turn ^= 1;
    bench_open(&model, other);
    b->config = model.config;
    b->show_implied = true;
    snprintf(text[turn], sizeof text[turn], "%s", bench_from_last_sync(b));
    b->config = own;
    bench_end(&model);
    return text[turn];
}

static void test_static_inputs(void **state)
{
    static const struct {
        const char *unit, *other;
        bool resolves; /* each branch at once, else all in the end */
    } rows[] = {
        {"CCI THRESHOLD=1 MAXSPEC=4 COMMOPT=0", "CCI THRESHOLD=1 MAXSPEC=4 COMMOPT=1", true},
        {"MAXSPEC=4", "MAXSPEC=1", false},
        {"MAXSPEC=3 COMMTRANS=0", "MAXSPEC=3 COMMTRANS=1", false},
        {"etmv4 CID VMID", "etmv4 CID VMID TRCIDR2=0x30000488", true}, /* of 4 bytes, of 1 */
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct cairn_context context = {.EL = 1,
                                              .security = CAIRN_NONSECURE,
                                              .SF = 1,
                                              .vmid = 0x01020304,
                                              .context_id = 0x05060708};
        struct bench b;

        bench_begin(&b, rows[i].unit);
        cairn_unit_context(b.unit, &context);
        speculate(&b);
        for (unsigned n = 0; n < 4; n++) {
            if (n == 2 && b.options.protocol == CAIRN_PROTOCOL_ETE)
                tstart(&b, 0x1000);
            cycles(&b, 3);
            branch(&b, n == 2 ? 0x1004 : 0x1000, 0x1000, TAKEN);
            if (rows[i].resolves)
                resolve(&b, mark(&b));
        }
        cairn_unit_transaction_commit(b.unit);
        branch(&b, 0x1000, 0x1000, NOT_TAKEN);
        resolve(&b, mark(&b));
        cairn_unit_flush(b.unit);
        assert_string_equal(read_as(&b, rows[i].unit), read_as(&b, rows[i].unit));
        /* proves: D9.1.3 */
        assert_string_not_equal(read_as(&b, rows[i].unit), read_as(&b, rows[i].other));
        bench_end(&b);
    }
}

/* And WFXMODE, for the flow: an Atom is the WFI's, or the next branch's. */
static void test_static_wfx(void **state)
{
    static const uint8_t program[] = {0x7f, 0x20, 0x03, 0xd5,  /* 1000: wfi */
                                      0x1f, 0x20, 0x03, 0xd5,  /* nop */
                                      0xfe, 0xff, 0xff, 0x17}; /* b 1000 */
    uint32_t instructions[2];

    (void)state;
    for (unsigned mode = 0; mode < 2; mode++) {
        struct cairn_flow_batch *batch;
        struct cairn_decoder *decoder;
        struct cairn_image *image;
        struct bench b, told;
        size_t at = 0;

        bench_begin(&b, "WFXMODE=1");
        wfi(&b, 0x1000, TAKEN);
        cairn_unit_flush(b.unit);
        bench_open(&told, mode ? "WFXMODE=1" : "WFXMODE=0");
        assert_int_equal(cairn_image_new(&image), CAIRN_OK);
        assert_int_equal(cairn_image_add_bytes(image, "program", NULL, CAIRN_ORDER_LITTLE, 0x1000,
                                               program, sizeof program, NULL),
                         CAIRN_OK);
        assert_int_equal(cairn_decoder_new(told.config, image, &decoder), CAIRN_OK);
        assert_int_equal(cairn_flow_batch_new(64, &batch), CAIRN_OK);
        assert_int_equal(cairn_decoder_run(decoder, b.bytes, b.size, &at, batch), CAIRN_OK);
        assert_int_equal(cairn_decoder_finish(decoder, batch), CAIRN_OK);
        instructions[mode] = 0;
        for (size_t i = 0; i < batch->count; i++)
            if (batch->kind[i] == CAIRN_FLOW_RANGE)
                instructions[mode] += batch->instructions[i];
        cairn_flow_batch_free(batch);
        cairn_decoder_free(decoder);
        cairn_image_unref(image);
        bench_end(&told);
        bench_end(&b);
    }
    /* proves: D9.1.3 */
    assert_true(instructions[0] == 3 && instructions[1] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maxspec),    cmocka_unit_test(test_timestamp_markers),
        cmocka_unit_test(test_wfx),        cmocka_unit_test(test_static_inputs),
        cmocka_unit_test(test_static_wfx),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
