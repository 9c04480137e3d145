/* SPDX-License-Identifier: BSD-2-Clause */
/* Random PTM streams, written by the packet writer, decoded by libopencsd's packet processor: it
 * finds the packets and the fields that were written. Where it is known to differ from IHI0035 the
 * comparison leaves a field out, and says so. */
#include "ptm_session.h"

#include <opencsd/c_api/opencsd_c_api.h>
#include <string.h>

#include "protocol/ptm/ptm.h"

#define ROUNDS 300
#define PACKETS 200

struct listener {
    const struct ptm_packets *wanted;
    struct cairn_config *config;
    bool gray;
    bool cycle_accurate;
    size_t next;
    size_t problems;
};

static ocsd_ptm_pkt_type type_of(unsigned kind)
{
    switch (kind) {
    case CAIRN_PTM_ALIGNMENT_SYNC: return PTM_PKT_A_SYNC;
    case CAIRN_PTM_INSTRUCTION_SYNC: return PTM_PKT_I_SYNC;
    case CAIRN_PTM_ATOM: return PTM_PKT_ATOM;
    case CAIRN_PTM_BRANCH_ADDRESS: return PTM_PKT_BRANCH_ADDRESS;
    case CAIRN_PTM_WAYPOINT_UPDATE: return PTM_PKT_WPOINT_UPDATE;
    case CAIRN_PTM_TRIGGER: return PTM_PKT_TRIGGER;
    case CAIRN_PTM_CONTEXT_ID: return PTM_PKT_CONTEXT_ID;
    case CAIRN_PTM_VMID: return PTM_PKT_VMID;
    case CAIRN_PTM_TIMESTAMP: return PTM_PKT_TIMESTAMP;
    case CAIRN_PTM_EXCEPTION_RETURN: return PTM_PKT_EXCEPTION_RET;
    case CAIRN_PTM_IGNORE: return PTM_PKT_IGNORE;
    default: return PTM_PKT_RESERVED;
    }
}

/* For libopencsd the AltIS of an I-sync is not what a branch without information keeps (4.5.4):
 * there Thumb and ThumbEE count as one. */
static ocsd_isa plain(ocsd_isa isa, unsigned kind)
{
    return kind != CAIRN_PTM_INSTRUCTION_SYNC && isa == ocsd_isa_tee ? ocsd_isa_thumb2 : isa;
}

static ocsd_isa isa_of(unsigned state, unsigned kind)
{
    static const ocsd_isa isas[] = {ocsd_isa_arm, ocsd_isa_thumb2, ocsd_isa_jazelle, ocsd_isa_tee};

    return plain(isas[state & 3], kind);
}

#define SAME(NAME, OURS, THEIRS)                                                                   \
    do {                                                                                           \
        if ((uint64_t)(OURS) != (uint64_t)(THEIRS)) {                                              \
            print_message("# packet %zu, kind %u: " NAME " %llx, libopencsd %llx\n",               \
                          listener->next, want->kind, (unsigned long long)(OURS),                  \
                          (unsigned long long)(THEIRS));                                           \
            listener->problems++;                                                                  \
        }                                                                                          \
    } while (0)

static void compare_fields(struct listener *listener, const struct ptm_packet *want,
                           const ocsd_ptm_pkt *got)
{
    const struct cairn_packet_fields *f = &want->fields;
    const bool counted =
        listener->cycle_accurate &&
        (want->kind == CAIRN_PTM_ATOM || want->kind == CAIRN_PTM_BRANCH_ADDRESS ||
         want->kind == CAIRN_PTM_TIMESTAMP ||
         (want->kind == CAIRN_PTM_INSTRUCTION_SYNC && f->reason != CAIRN_PTM_PERIODIC));

    if (counted)
        SAME("cycles", f->cycles, got->cycle_count);
    switch (want->kind) {
    case CAIRN_PTM_INSTRUCTION_SYNC:
        SAME("reason", f->reason, got->i_sync_reason);
        SAME("context id", f->context.context_id, got->context.ctxtID);
        /* fall through */
    case CAIRN_PTM_BRANCH_ADDRESS:
        SAME("NS", f->context.security, got->context.curr_NS);
        SAME("Hyp", f->context.EL == 2, got->context.curr_Hyp);
        if (want->kind == CAIRN_PTM_BRANCH_ADDRESS)
            SAME("exception", f->type, got->exception.bits.present ? got->exception.number : 0);
        /* fall through */
    case CAIRN_PTM_WAYPOINT_UPDATE:
        SAME("address", f->address, got->addr.val);
        SAME("state", isa_of(f->state, want->kind), plain(got->curr_isa, want->kind));
        break;
    case CAIRN_PTM_ATOM:
        SAME("atoms", f->atom_count, got->atom.num);
        SAME("atoms", f->atoms, got->atom.En_bits);
        break;
    case CAIRN_PTM_CONTEXT_ID:
        SAME("context id", f->context.context_id, got->context.ctxtID);
        break;
    case CAIRN_PTM_VMID: SAME("VMID", f->context.vmid, got->context.VMID); break;
    case CAIRN_PTM_TIMESTAMP:
        /* It does not know Gray code: its value is the encoded one. */
        SAME("time", listener->gray ? f->value ^ f->value >> 1 : f->value, got->timestamp);
        break;
    default: break;
    }
}

static void hear(const void *context, const ocsd_datapath_op_t op, const ocsd_trc_index_t index,
                 const void *packet, const uint32_t size, const uint8_t *data)
{
    struct listener *listener = (struct listener *)context;
    const ocsd_ptm_pkt *got = packet;

    (void)data;
    if (op != OCSD_OP_DATA)
        return;
    if (listener->next == listener->wanted->count) {
        listener->problems++;
        return;
    }
    const struct ptm_packet *want = &listener->wanted->list[listener->next];

    SAME("type", type_of(want->kind), got->type);
    SAME("offset", want->offset, index);
    SAME("length", want->length, size);
    compare_fields(listener, want, got);
    listener->next++;
}

static void decode_peer(const uint8_t *bytes, size_t size, const ocsd_ptm_cfg *registers,
                        struct listener *listener)
{
    const dcd_tree_handle_t tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
    unsigned char id = 0;
    uint32_t taken = 0;

    assert_true(tree != C_API_INVALID_TREE_HANDLE);
    assert_int_equal(ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_PTM, OCSD_CREATE_FLG_PACKET_PROC,
                                            registers, &id),
                     OCSD_OK);
    assert_int_equal(
        ocsd_dt_attach_packet_callback(tree, id, OCSD_C_API_CB_PKT_MON, (void *)hear, listener),
        OCSD_OK);
    for (size_t at = 0; at < size; at += taken)
        assert_true(OCSD_DATA_RESP_IS_CONT(ocsd_dt_process_data(
            tree, OCSD_OP_DATA, (ocsd_trc_index_t)at, (uint32_t)(size - at), bytes + at, &taken)));
    ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, NULL);
    ocsd_destroy_dcd_tree(tree);
}

/* Of waypoint updates libopencsd has readings of its own. It takes their addresses as what the next
 * branch is compressed against (IHI0035 4.5.4: branches and I-sync), so an I-sync follows here; and
 * it does not see their information byte (4.5.5), so there is none. */
static bool is_peers(unsigned kind, const struct cairn_packet_fields *fields, unsigned state)
{
    return kind != CAIRN_PTM_WAYPOINT_UPDATE ||
           (fields->info == 0 && fields->state != CAIRN_STATE_THUMBEE &&
            state != CAIRN_STATE_THUMBEE);
}

/* A stream that begins with A-sync and I-sync. */
static size_t write_stream(struct cairn_packet_writer *writer, uint8_t *bytes, uint64_t *seed)
{
    size_t size = 0, count = 0;
    uint64_t near = 0;
    unsigned before = CAIRN_PTM_WAYPOINT_UPDATE, state = CAIRN_STATE_ARM;

    while (count < PACKETS) {
        unsigned kind = ptm_below(seed, CAIRN_PTM_KIND_COUNT);

        if (count == 0)
            kind = CAIRN_PTM_ALIGNMENT_SYNC;
        else if (before == CAIRN_PTM_WAYPOINT_UPDATE)
            kind = CAIRN_PTM_INSTRUCTION_SYNC;
        const struct cairn_packet_fields fields = ptm_any_fields(seed, kind, near);

        /* an A-sync would cut a packet that ends with zeros */
        if (count > 0 && kind == CAIRN_PTM_ALIGNMENT_SYNC && bytes[size - 1] == 0)
            continue;
        if (!is_peers(kind, &fields, state))
            continue;
        const size_t length = cairn_packet_write(writer, kind, &fields, bytes + size, 16);

        if (length == 0)
            continue;
        if (count++ > 0)
            before = kind;
        if (kind == CAIRN_PTM_BRANCH_ADDRESS || kind == CAIRN_PTM_INSTRUCTION_SYNC) {
            near = fields.address;
            state = fields.state;
        }
        size += length;
    }
    return size;
}

static void test_random(void **state)
{
    static uint8_t bytes[PACKETS * 16 + 16];
    uint64_t seed = 4711;
    size_t packets = 0;

    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const bool a9 = ptm_below(&seed, 3) == 0;
        ocsd_ptm_cfg registers = {
            .reg_idr = a9 ? A9_ETMIDR : A15_ETMIDR,
            .reg_ctrl = (uint32_t)ptm_random(&seed) & (a9 ? 0x1000d000 : 0x5000d000),
            .reg_ccer = a9 ? A9_ETMCCER : A15_ETMCCER ^ ((uint32_t)ptm_random(&seed) & 0x30000000),
            .reg_trc_id = 0x10,
            .arch_ver = ARCH_V7,
            .core_prof = profile_CortexA,
        };
        struct cairn_config *config =
            ptm_config(registers.reg_ctrl, registers.reg_idr, registers.reg_ccer);
        struct cairn_packet_writer *writer;
        struct ptm_packets wanted = {0};

        assert_int_equal(cairn_packet_writer_new(config, &writer), CAIRN_OK);
        const size_t size = write_stream(writer, bytes, &seed);

        ptm_decode(config, bytes, size, size, 1, 64, &wanted);
        struct listener listener = {.wanted = &wanted,
                                    .config = config,
                                    .gray = a9 || !(registers.reg_ccer >> 28 & 1),
                                    .cycle_accurate = registers.reg_ctrl >> 12 & 1};

        decode_peer(bytes, size, &registers, &listener);
        if (listener.problems != 0)
            print_message("# round %u: ETMCR %08x ETMIDR %08x ETMCCER %08x\n", round,
                          registers.reg_ctrl, registers.reg_idr, registers.reg_ccer);
        assert_int_equal(listener.problems, 0);
        packets += listener.next;
        ptm_forget(&wanted);
        cairn_packet_writer_free(writer);
        cairn_config_unref(config);
    }
    print_message("# libopencsd %s: the same %zu packets\n", ocsd_get_version_str(), packets);
    assert_true(packets >= (size_t)ROUNDS * (PACKETS - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests_name("ptm peer", tests, NULL, NULL);
}
