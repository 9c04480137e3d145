/* SPDX-License-Identifier: BSD-2-Clause */
#include "etmv3_history.h"

#include <cairn/flow.h>

struct program program;
struct history told, seen;
struct setting setting;

const struct program_insn *insn_at(uint32_t address)
{
    const struct program_insn *insn = program_at(&program, address);

    assert_non_null(insn);
    return insn;
}

struct walk {
    uint32_t address;
    bool known;
    struct cairn_context context;
    uint64_t cycles;
    uint64_t sync; /* offset of the last I-sync */
    size_t data_insn;
    uint32_t next_data;
    bool in_half; /* the first atom of a 32-bit Thumb instruction was seen; a Cancel takes only the
                     second one back */
    bool wide_is_one;
};

static void see_atom(struct walk *walk, bool passed, bool uncertain, bool implied)
{
    const struct program_insn *insn = insn_at(walk->address);
    const bool branches = passed && (insn->kind == CAIRN_INSN_BRANCH_DIRECT ||
                                     insn->kind == CAIRN_INSN_BRANCH_INDIRECT);

    assert_true(walk->known);
    assert_true(seen.insns < LIST);
    if (!walk->wide_is_one && (walk->address & 1u) && insn->size == 4 && !walk->in_half) {
        walk->in_half = true;
        return;
    }
    walk->in_half = false;
    seen.insn[seen.insns++] = (struct executed){
        walk->address,          passed,      uncertain, implied, walk->context.context_id,
        walk->context.security, walk->cycles};
    seen.implied += implied;
    if (passed && insn->transfers)
        walk->data_insn = seen.insns - 1;
    if (!branches)
        walk->address += insn->size;
    else if (insn->kind == CAIRN_INSN_BRANCH_DIRECT)
        walk->address = insn->target;
    walk->known = !branches || insn->kind == CAIRN_INSN_BRANCH_DIRECT;
}

static void see_late(const struct cairn_element_data *data)
{
    for (size_t i = 0; i < seen.moves; i++)
        if (!seen.move[i].known && seen.move[i].packet == data->address) {
            seen.move[i].value = (uint32_t)data->value;
            seen.move[i].known = true;
            return;
        }
    fail_msg("a value without a placeholder");
}

static bool has_no_address(size_t insn)
{
    return insn < seen.insns && insn_at(seen.insn[insn].address)->transfers->coprocessor;
}

static void see_data(struct walk *walk, uint64_t offset, const struct cairn_element_data *data)
{
    const unsigned kind = CAIRN_DATA_KIND(data->cycles);

    if (kind == CAIRN_DATA_LATE) {
        see_late(data);
        return;
    }
    assert_true(kind == CAIRN_DATA_NORMAL || kind == CAIRN_DATA_PLACEHOLDER);
    if (data->info & CAIRN_DATA_HAS_ADDRESS)
        walk->next_data = (uint32_t)data->address;
    assert_true(seen.moves < LIST);
    seen.move[seen.moves++] =
        (struct moved){has_no_address(walk->data_insn) ? 0 : walk->next_data, (uint32_t)data->value,
                       walk->data_insn, kind == CAIRN_DATA_NORMAL || !setting.value, offset};
    walk->next_data += WORD;
}

static void see_address(struct walk *walk, uint64_t offset, uint16_t flags,
                        const struct cairn_element_data *data)
{
    const uint32_t address = (uint32_t)data->address | data->sub_isa;

    if (flags & CAIRN_ELEMENT_UNKNOWN) { /* between an LSiP's two instructions */
        assert_int_equal(offset, walk->sync);
        walk->known = false;
        return;
    }
    if ((flags & CAIRN_ELEMENT_CHECK) && walk->known)
        assert_int_equal(walk->address, address);
    walk->address = address;
    walk->known = true;
    walk->in_half = false;
}

static void see_exception(unsigned type)
{
    assert_true(seen.exceptions < LIST);
    seen.exception[seen.exceptions++] = (struct taken){seen.insns, type};
}

static void see_element(struct walk *walk, const struct cairn_element_batch *batch, size_t i)
{
    const struct cairn_element_data *data = &batch->data[i];

    switch (batch->kind[i]) {
    case CAIRN_ELEMENT_ATOM:
        see_atom(walk, (batch->flags[i] & CAIRN_ELEMENT_E) != 0,
                 (batch->flags[i] & CAIRN_ELEMENT_UNCERTAIN) != 0, batch->offset[i] == walk->sync);
        break;
    case CAIRN_ELEMENT_TRACE_INFO: walk->sync = batch->offset[i]; break;
    case CAIRN_ELEMENT_TARGET_ADDRESS:
        see_address(walk, batch->offset[i], batch->flags[i], data);
        break;
    case CAIRN_ELEMENT_CONTEXT: walk->context = data->context; break;
    case CAIRN_ELEMENT_CYCLE_COUNT:
        assert_false(batch->flags[i] & CAIRN_ELEMENT_UNKNOWN);
        walk->cycles += data->value;
        break;
    case CAIRN_ELEMENT_EXCEPTION: see_exception((unsigned)data->value); break;
    case CAIRN_ELEMENT_EXCEPTION_RETURN:
        if (setting.m_profile)
            see_exception(TYPE_RETURN);
        walk->data_insn = MOVED_BY_RETURN;
        break;
    case CAIRN_ELEMENT_STACKING: walk->data_insn = MOVED_BY_ENTRY; break;
    case CAIRN_ELEMENT_CANCELLED: /* if it transfers nothing, an older one's data is on its way */
        if (insn_at(walk->address)->transfers)
            walk->data_insn = MOVED_BY_CANCELLED;
        break;
    case CAIRN_ELEMENT_DATA: see_data(walk, batch->offset[i], data); break;
    case CAIRN_ELEMENT_TRACE_ON: walk->known = false; break;
    case CAIRN_ELEMENT_GAP: fail_msg("a gap at %llu", (unsigned long long)batch->offset[i]); break;
    default: break;
    }
}

/* Kept from one program to the next: they are larger than all that a program makes. */
static struct cairn_packet_batch *packets;
static struct cairn_element_batch *raw, *resolved;

static void empty_batches(void)
{
    if (!packets) {
        assert_int_equal(cairn_packet_batch_new(BENCH_BYTES, &packets), CAIRN_OK);
        assert_int_equal(cairn_element_batch_new(BENCH_BYTES, &raw), CAIRN_OK);
        assert_int_equal(cairn_element_batch_new(BENCH_BYTES, &resolved), CAIRN_OK);
    }
    packets->count = raw->count = resolved->count = 0;
}

void see(void)
{
    struct cairn_config *config = cairn_unit_config(bench.unit);
    struct cairn_packets *parser;
    struct cairn_elements *elements;
    struct cairn_resolver *resolver;
    struct walk walk = {.wide_is_one = (setting.id >> 18 & 1u) != 0, .sync = UINT64_MAX};
    size_t position = 0;

    empty_batches();
    assert_int_equal(cairn_packets_new(config, &parser), CAIRN_OK);
    assert_int_equal(cairn_elements_new(config, &elements), CAIRN_OK);
    assert_int_equal(cairn_resolver_new(config, &resolver), CAIRN_OK);
    assert_int_equal(cairn_packets_run(parser, bench.bytes, bench.size, &position, packets),
                     CAIRN_OK);
    assert_int_equal(cairn_packets_finish(parser, packets), CAIRN_OK);
    position = 0;
    assert_int_equal(cairn_elements_run(elements, packets, &position, raw), CAIRN_OK);
    assert_int_equal(position, packets->count);
    position = 0;
    assert_int_equal(cairn_resolver_run(resolver, raw, &position, resolved), CAIRN_OK);
    assert_int_equal(position, raw->count);
    assert_int_equal(cairn_resolver_finish(resolver, resolved), CAIRN_OK);
    for (size_t i = 0; i < resolved->count; i++)
        see_element(&walk, resolved, i);
    cairn_resolver_free(resolver);
    cairn_elements_free(elements);
    cairn_packets_free(parser);
    cairn_config_unref(config);
}

/* --- the same through the image --- */

/* The program's bytes, and nothing that is told besides. */
struct cairn_image *program_image(void)
{
    struct cairn_image *image = NULL;

    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    assert_int_equal(cairn_image_add_bytes(image, "arm", NULL, CAIRN_ORDER_LITTLE, PROGRAM_ARM,
                                           program.arm, sizeof program.arm, NULL),
                     CAIRN_OK);
    assert_int_equal(cairn_image_add_bytes(image, "thumb", NULL, CAIRN_ORDER_LITTLE, PROGRAM_THUMB,
                                           program.thumb, sizeof program.thumb, NULL),
                     CAIRN_OK);
    return image;
}

static void expect_record(const struct cairn_flow_batch *flow, size_t i, size_t *insn)
{
    const struct executed *wanted = &told.insn[*insn];

    if (flow->kind[i] == CAIRN_FLOW_GAP || flow->kind[i] == CAIRN_FLOW_WARNING)
        fail_msg("%s %llu at %llx", cairn_flow_kind_name(flow->kind[i]),
                 (unsigned long long)flow->value[i], (unsigned long long)flow->address[i]);
    if (flow->kind[i] != CAIRN_FLOW_RANGE)
        return;
    assert_true(*insn < told.insns);
    assert_int_equal(flow->address[i] | (flow->isa[i] == CAIRN_ISA_T32), wanted->address);
    assert_int_equal(flow->instructions[i], 1);
    assert_int_equal((flow->flags[i] & CAIRN_FLOW_TAKEN) != 0, wanted->passed);
    (*insn)++;
}

void expect_flow(void)
{
    struct cairn_config *config = cairn_unit_config(bench.unit);
    struct cairn_image *image = program_image();
    struct cairn_decoder *decoder;
    static struct cairn_flow_batch *flow;
    size_t position = 0;
    size_t insn = 0;

    assert_int_equal(cairn_decoder_new(config, image, &decoder), CAIRN_OK);
    if (!flow)
        assert_int_equal(cairn_flow_batch_new(BENCH_BYTES, &flow), CAIRN_OK);
    flow->count = 0;
    assert_int_equal(cairn_decoder_run(decoder, bench.bytes, bench.size, &position, flow),
                     CAIRN_OK);
    assert_int_equal(position, bench.size);
    assert_int_equal(cairn_decoder_finish(decoder, flow), CAIRN_OK);
    for (size_t i = 0; i < flow->count; i++)
        expect_record(flow, i, &insn);
    assert_int_equal(insn, told.insns);
    cairn_decoder_free(decoder);
    cairn_image_unref(image);
    cairn_config_unref(config);
}
