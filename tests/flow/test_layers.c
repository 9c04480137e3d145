/* SPDX-License-Identifier: BSD-2-Clause */
/* Each level by itself, with elements put straight into its input. The program, at 0x1000: ADD,
 * then B 0x1000 (DDI0608 D1.8: layers are separate, and each can be fed alone). */
#include <cairn/etmv4.h>
#include <cairn/flow.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { CAPACITY = 32, CODE = 0x1000 };

static const struct cairn_context el1 = {
    .EL = 1, .security = CAIRN_NONSECURE, .SF = 1, .vmid = 0x77, .context_id = 0x1234};

static struct cairn_config *configure(uint32_t maxspec)
{
    const struct cairn_register registers[] = {
        {"TRCCONFIGR", 0x1},     {"TRCTRACEIDR", 1},      {"TRCDEVARCH", 0x47735a13},
        {"TRCIDR0", 0x080006a1}, {"TRCIDR1", 0x4100fff0}, {"TRCIDR2", 0xc0001088},
        {"TRCIDR8", maxspec},
    };
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config;

    source.protocol = CAIRN_PROTOCOL_ETE;
    source.arch = cairn_arch_any_a();
    source.registers = registers;
    source.register_count = sizeof registers / sizeof registers[0];
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    return config;
}

static struct cairn_image *program(void)
{
    static const uint8_t code[] = {0x00, 0x04, 0x00, 0x91, 0xff, 0xff, 0xff, 0x17};
    const struct cairn_scope any = cairn_scope_any();
    struct cairn_image *image;

    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    assert_int_equal(cairn_image_add_bytes(image, "program", &any, CAIRN_ORDER_LITTLE, CODE, code,
                                           sizeof code, NULL),
                     CAIRN_OK);
    return image;
}

static struct cairn_element_batch *batch_new(void)
{
    struct cairn_element_batch *batch;

    assert_int_equal(cairn_element_batch_new(CAPACITY, &batch), CAIRN_OK);
    return batch;
}

static struct cairn_element_data *add(struct cairn_element_batch *batch, unsigned kind,
                                      unsigned flags)
{
    const size_t i = batch->count++;

    batch->offset[i] = 16 + i;
    batch->length[i] = 1;
    batch->kind[i] = (uint8_t)kind;
    batch->flags[i] = (uint16_t)flags;
    memset(&batch->data[i], 0, sizeof batch->data[i]);
    return &batch->data[i];
}

static void add_context(struct cairn_element_batch *batch)
{
    add(batch, CAIRN_ELEMENT_CONTEXT, 0)->context = el1;
}

static void add_address(struct cairn_element_batch *batch, uint64_t address)
{
    add(batch, CAIRN_ELEMENT_TARGET_ADDRESS, 0)->address = address;
}

/* What the resolver hands on at once for a batch of elements, Commits not seen. */
static size_t resolve(struct cairn_resolver *resolver, const struct cairn_element_batch *in,
                      struct cairn_element_batch *out)
{
    size_t at = 0;

    out->count = 0;
    assert_int_equal(cairn_resolver_run(resolver, in, &at, out), CAIRN_OK);
    assert_int_equal(at, in->count);
    return out->count;
}

/* With an uncommitted Atom in front, kinds that D9.3.1 queues stay, and the others act. */
static void the_resolver_queues_all_but_what_acts(void **unused)
{
    static const uint8_t queued[] = {
        CAIRN_ELEMENT_TRACE_ON,       CAIRN_ELEMENT_ATOM,       CAIRN_ELEMENT_EXCEPTION,
        CAIRN_ELEMENT_SOURCE_ADDRESS, CAIRN_ELEMENT_Q,          CAIRN_ELEMENT_TARGET_ADDRESS,
        CAIRN_ELEMENT_CONTEXT,        CAIRN_ELEMENT_MISPREDICT, CAIRN_ELEMENT_CYCLE_COUNT,
        CAIRN_ELEMENT_TIMESTAMP,      CAIRN_ELEMENT_EVENT,
    };
    struct cairn_config *config = configure(8);
    struct cairn_element_batch *in = batch_new();
    struct cairn_element_batch *out = batch_new();
    struct cairn_resolver *resolver;

    (void)unused;
    for (size_t i = 0; i < sizeof queued; i++) {
        assert_int_equal(cairn_resolver_new(config, &resolver), CAIRN_OK);
        in->count = 0;
        add(in, CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E);
        add(in, queued[i], 0);
        /* proves: D9.3.1 */
        assert_int_equal(resolve(resolver, in, out), 0);
        cairn_resolver_free(resolver);
    }
    /* A Cancel takes the Atom back, so that the Commit after it has nothing to commit. */
    assert_int_equal(cairn_resolver_new(config, &resolver), CAIRN_OK);
    in->count = 0;
    add(in, CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_E);
    add(in, CAIRN_ELEMENT_CANCEL, 0)->value = 1;
    add(in, CAIRN_ELEMENT_ATOM, 0);
    add(in, CAIRN_ELEMENT_EXCEPTION, 0);
    add(in, CAIRN_ELEMENT_COMMIT, 0)->value = 2;
    assert_int_equal(resolve(resolver, in, out), 2);
    assert_int_equal(out->kind[0], CAIRN_ELEMENT_ATOM);
    assert_int_equal(out->flags[0] & CAIRN_ELEMENT_E, 0);
    assert_int_equal(out->kind[1], CAIRN_ELEMENT_EXCEPTION);
    /* A Discard drops what is outstanding, and says so. */
    in->count = 0;
    add(in, CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_E);
    add(in, CAIRN_ELEMENT_DISCARD, 0)->reason = CAIRN_GAP_DISCARD;
    assert_int_equal(resolve(resolver, in, out), 2);
    assert_true(out->flags[0] & CAIRN_ELEMENT_LOST);
    assert_int_equal(out->kind[1], CAIRN_ELEMENT_DISCARD);
    cairn_resolver_free(resolver);
    cairn_element_batch_free(in);
    cairn_element_batch_free(out);
    cairn_config_unref(config);
}

struct follower {
    struct cairn_config *config;
    struct cairn_image *image;
    struct cairn_flow *flow;
    struct cairn_element_batch *in;
    struct cairn_flow_batch *out;
};

static void follower_begin(struct follower *f)
{
    f->config = configure(0);
    f->image = program();
    assert_int_equal(cairn_flow_new(f->config, f->image, &f->flow), CAIRN_OK);
    f->in = batch_new();
    assert_int_equal(cairn_flow_batch_new(CAPACITY, &f->out), CAIRN_OK);
}

static void follower_end(struct follower *f)
{
    cairn_element_batch_free(f->in);
    cairn_flow_batch_free(f->out);
    cairn_flow_free(f->flow);
    cairn_image_unref(f->image);
    cairn_config_unref(f->config);
}

static void follow(struct follower *f)
{
    size_t at = 0;

    f->out->count = 0;
    assert_int_equal(cairn_flow_run(f->flow, f->in, &at, f->out), CAIRN_OK);
    assert_int_equal(at, f->in->count);
    f->in->count = 0;
}

static void the_follower_keeps_context_and_address(void **unused)
{
    struct follower f;
    struct cairn_flow_state state = {.size = sizeof state};

    (void)unused;
    follower_begin(&f);
    cairn_flow_state(f.flow, &state);
    assert_false(state.address_known);
    assert_false(state.context_known);
    add_context(f.in);
    add_address(f.in, 0xffff000012345678);
    follow(&f);
    cairn_flow_state(f.flow, &state);
    /* proves: D9.5.2.1 */
    assert_int_equal(state.address, 0xffff000012345678);
    assert_memory_equal(&state.context, &el1, sizeof el1);
    assert_int_equal(state.sub_isa, 0);
    assert_true(state.address_known && state.context_known);
    follower_end(&f);
}

/* n ADDs, then B to the first of them. */
static void add_run(struct cairn_image *image, uint32_t context_id, uint64_t from, uint64_t to,
                    unsigned n)
{
    struct cairn_scope scope = cairn_scope_any();
    uint8_t code[4 * 16];

    for (unsigned i = 0; i < n; i++)
        memcpy(code + (size_t)4 * i, "\x00\x04\x00\x91", 4);
    memcpy(code + (size_t)4 * n, "\xff\xff\xff\x17", 4);
    code[4 * n] = (uint8_t)(0x100 - n);
    scope.any_context_id = false;
    scope.context_id = context_id;
    scope.epoch_from = from;
    scope.epoch_to = to;
    assert_int_equal(cairn_image_add_bytes(image, "run", &scope, CAIRN_ORDER_LITTLE, CODE, code,
                                           (size_t)4 * (n + 1), NULL),
                     CAIRN_OK);
}

/* Seven contexts that come and go, each with as many instructions at one place as its id says, and
 * from half of the trace on with two more: which memory was walked in must not be mixed up. */
static void what_was_walked_belongs_to_its_memory(void **unused)
{
    enum { CONTEXTS = 7, TURNS = 400, HALF = TURNS / 2 };
    struct follower f;
    uint32_t random = 1;

    (void)unused;
    follower_begin(&f);
    cairn_flow_free(f.flow);
    for (uint32_t id = 0; id < CONTEXTS; id++) {
        add_run(f.image, id, 0, HALF, id + 1);
        add_run(f.image, id, HALF, UINT64_MAX, id + 3);
    }
    assert_int_equal(cairn_flow_new(f.config, f.image, &f.flow), CAIRN_OK);
    for (unsigned turn = 0; turn < TURNS; turn++) {
        random = random * 1664525u + 1013904223u;
        const uint32_t id = (random >> 16) % (turn % 3 ? CONTEXTS : 2);

        add_context(f.in);
        f.in->data[0].context.context_id = id;
        add_address(f.in, CODE);
        add(f.in, CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E);
        for (size_t i = 0; i < f.in->count; i++)
            f.in->offset[i] = turn;
        follow(&f);
        const size_t last = f.out->count - 1;
        assert_int_equal(f.out->kind[last], CAIRN_FLOW_RANGE);
        assert_int_equal(f.out->instructions[last], id + 2 + (turn < HALF ? 0 : 2));
        assert_int_equal(f.out->value[last], CODE + 4 * f.out->instructions[last]);
    }
    follower_end(&f);
}

/* One record of its own for each kind; a Commit or Cancel that gets here is reported, not obeyed.
 */
static void the_follower_has_a_case_for_every_element(void **unused)
{
    static const struct {
        uint8_t element;
        uint8_t record;
    } table[] = {
        {CAIRN_ELEMENT_TRACE_INFO, CAIRN_FLOW_SYNC},
        {CAIRN_ELEMENT_TRACE_ON, CAIRN_FLOW_TRACE_ON},
        {CAIRN_ELEMENT_EXCEPTION, CAIRN_FLOW_EXCEPTION},
        {CAIRN_ELEMENT_SOURCE_ADDRESS, CAIRN_FLOW_RANGE},
        {CAIRN_ELEMENT_ATOM, CAIRN_FLOW_RANGE},
        {CAIRN_ELEMENT_COMMIT, CAIRN_FLOW_WARNING},
        {CAIRN_ELEMENT_CANCEL, CAIRN_FLOW_WARNING},
        {CAIRN_ELEMENT_DISCARD, CAIRN_FLOW_DISCARD},
        {CAIRN_ELEMENT_OVERFLOW, CAIRN_FLOW_OVERFLOW},
        {CAIRN_ELEMENT_CYCLE_COUNT, CAIRN_FLOW_CYCLES},
        {CAIRN_ELEMENT_TIMESTAMP, CAIRN_FLOW_TIMESTAMP},
        {CAIRN_ELEMENT_TIMESTAMP_MARKER, CAIRN_FLOW_TIMESTAMP_MARKER},
        {CAIRN_ELEMENT_EVENT, CAIRN_FLOW_EVENT},
        {CAIRN_ELEMENT_TRANSACTION_START, CAIRN_FLOW_TRANSACTION_START},
        {CAIRN_ELEMENT_TRANSACTION_COMMIT, CAIRN_FLOW_TRANSACTION_COMMIT},
        {CAIRN_ELEMENT_TRANSACTION_FAILURE, CAIRN_FLOW_TRANSACTION_FAILURE},
        {CAIRN_ELEMENT_INSTRUMENTATION, CAIRN_FLOW_INSTRUMENTATION},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct follower f;

        follower_begin(&f);
        add_context(f.in);
        add_address(f.in, CODE);
        follow(&f);
        assert_int_equal(f.out->count, 1); /* the Context */
        add(f.in, table[i].element, CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E)->address = CODE + 4;
        follow(&f);
        assert_true(f.out->count >= 1);
        size_t at = 0;
        while (at < f.out->count && f.out->kind[at] != table[i].record)
            at++;
        /* proves: D9.5.1 */
        assert_true(at < f.out->count);
        follower_end(&f);
    }
}

static void each_layer_works_alone(void **unused)
{
    struct follower f;
    static const uint8_t bytes[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00, 0xf7};
    struct cairn_packets *packets;
    struct cairn_packet_batch *batch;
    struct cairn_elements *elements;
    size_t at = 0;

    (void)unused;
    follower_begin(&f);
    /* flow from elements, no bytes and no packets */
    add_context(f.in);
    add_address(f.in, CODE);
    add(f.in, CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E);
    follow(&f);
    /* proves: I_XMFJT */
    assert_int_equal(f.out->count, 2);
    assert_int_equal(f.out->address[1], CODE);
    assert_int_equal(f.out->value[1], CODE + 8);
    /* packets from bytes, and elements from packets, no image */
    assert_int_equal(cairn_packets_new(f.config, &packets), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(CAPACITY, &batch), CAIRN_OK);
    assert_int_equal(cairn_packets_run(packets, bytes, sizeof bytes, &at, batch), CAIRN_OK);
    assert_int_equal(batch->count, 3);
    /* every packet is its header and its payload: one after the other they tile the bytes */
    for (size_t i = 0, end = 0; i < 3; end += (size_t)batch->length[i], i++) {
        static const uint32_t lengths[] = {12, 2, 1};

        /* proves: R_BVTNX */
        assert_true(batch->offset[i] == end && batch->length[i] == lengths[i]);
    }
    assert_int_equal(cairn_elements_new(f.config, &elements), CAIRN_OK);
    at = 0;
    f.in->count = 0;
    assert_int_equal(cairn_elements_run(elements, batch, &at, f.in), CAIRN_OK);
    assert_int_equal(f.in->count, 3); /* Trace Info, Atom, implied Commit */
    cairn_elements_free(elements);
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
    follower_end(&f);
}

/* The ledger reads three columns of every record: without them it could not add up. */
static void a_decoder_refuses_batches_without_ledger_columns(void **unused)
{
    static const uint8_t bytes[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00, 0xf7};
    struct follower f;
    struct cairn_decoder *decoder;
    size_t at = 0;

    (void)unused;
    follower_begin(&f);
    assert_int_equal(cairn_decoder_new(f.config, f.image, &decoder), CAIRN_OK);
    uint64_t *const length = f.out->length;

    f.out->length = NULL;
    assert_int_equal(cairn_decoder_run(decoder, bytes, sizeof bytes, &at, f.out), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_decoder_finish(decoder, f.out), CAIRN_E_ARGUMENT);
    assert_int_equal(at, 0);
    f.out->length = length;
    assert_int_equal(cairn_decoder_run(decoder, bytes, sizeof bytes, &at, f.out), CAIRN_OK);
    assert_int_equal(at, sizeof bytes);
    cairn_decoder_free(decoder);
    follower_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_resolver_queues_all_but_what_acts),
        cmocka_unit_test(the_follower_keeps_context_and_address),
        cmocka_unit_test(what_was_walked_belongs_to_its_memory),
        cmocka_unit_test(the_follower_has_a_case_for_every_element),
        cmocka_unit_test(each_layer_works_alone),
        cmocka_unit_test(a_decoder_refuses_batches_without_ledger_columns),
    };

    return cmocka_run_group_tests_name("layers", tests, NULL, NULL);
}
