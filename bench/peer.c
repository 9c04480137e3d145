/* SPDX-License-Identifier: BSD-2-Clause */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <opencsd/c_api/opencsd_c_api.h>

struct bench_peer {
    dcd_tree_handle_t tree;
    const struct bench_source *source;
    enum bench_depth depth;
    uint64_t count; /* instructions, or packets */
    bench_peer_range range;
    void *context;
};

const char *bench_peer_version(void)
{
    return ocsd_get_version_str();
}

static void check(ocsd_err_t error, const char *what)
{
    char text[256] = "";

    if (error == OCSD_OK)
        return;
    ocsd_err_str(error, text, sizeof text);
    fprintf(stderr, "bench: libopencsd: %s: %s\n", what, text);
    exit(2);
}

static uint32_t reg(const struct bench_source *source, const char *name)
{
    for (size_t i = 0; i < source->info.register_count; i++)
        if (!strcmp(source->info.registers[i].name, name))
            return (uint32_t)source->info.registers[i].value;
    return 0;
}

static int create_flags(const struct bench_peer *peer)
{
    return peer->depth == BENCH_PACKETS ? OCSD_CREATE_FLG_PACKET_PROC
                                        : OCSD_CREATE_FLG_FULL_DECODER;
}

/* ETMv4 cores in the captures are Armv8-A; ETE ones run code of any later version. */
static unsigned char create_etmv4(struct bench_peer *peer)
{
    const struct bench_source *source = peer->source;
    unsigned char id;
    ocsd_etmv4_cfg config = {
        .reg_idr0 = reg(source, "TRCIDR0"),
        .reg_idr1 = reg(source, "TRCIDR1"),
        .reg_idr2 = reg(source, "TRCIDR2"),
        .reg_idr8 = reg(source, "TRCIDR8"),
        .reg_idr9 = reg(source, "TRCIDR9"),
        .reg_idr10 = reg(source, "TRCIDR10"),
        .reg_idr11 = reg(source, "TRCIDR11"),
        .reg_idr12 = reg(source, "TRCIDR12"),
        .reg_idr13 = reg(source, "TRCIDR13"),
        .reg_configr = reg(source, "TRCCONFIGR"),
        .reg_traceidr = reg(source, "TRCTRACEIDR"),
        .arch_ver = ARCH_V8,
        .core_prof = profile_CortexA,
    };
    check(ocsd_dt_create_decoder(peer->tree, OCSD_BUILTIN_DCD_ETMV4I, create_flags(peer), &config,
                                 &id),
          source->info.name);
    return id;
}

static unsigned char create_ete(struct bench_peer *peer)
{
    const struct bench_source *source = peer->source;
    unsigned char id;
    ocsd_ete_cfg config = {
        .reg_idr0 = reg(source, "TRCIDR0"),
        .reg_idr1 = reg(source, "TRCIDR1"),
        .reg_idr2 = reg(source, "TRCIDR2"),
        .reg_idr8 = reg(source, "TRCIDR8"),
        .reg_devarch = reg(source, "TRCDEVARCH"),
        .reg_configr = reg(source, "TRCCONFIGR"),
        .reg_traceidr = reg(source, "TRCTRACEIDR"),
        .arch_ver = ARCH_AA64,
        .core_prof = profile_CortexA,
    };
    check(
        ocsd_dt_create_decoder(peer->tree, OCSD_BUILTIN_DCD_ETE, create_flags(peer), &config, &id),
        source->info.name);
    return id;
}

/* Cores with a PTM or an ETMv3 run Armv7 code. */
static unsigned char create_ptm(struct bench_peer *peer)
{
    const struct bench_source *source = peer->source;
    unsigned char id;
    ocsd_ptm_cfg config = {
        .reg_idr = reg(source, "ETMIDR"),
        .reg_ctrl = reg(source, "ETMCR"),
        .reg_ccer = reg(source, "ETMCCER"),
        .reg_trc_id = reg(source, "ETMTRACEIDR"),
        .arch_ver = ARCH_V7,
        .core_prof = profile_CortexA,
    };
    check(
        ocsd_dt_create_decoder(peer->tree, OCSD_BUILTIN_DCD_PTM, create_flags(peer), &config, &id),
        source->info.name);
    return id;
}

static unsigned char create_etmv3(struct bench_peer *peer)
{
    const struct bench_source *source = peer->source;
    unsigned char id;
    ocsd_etmv3_cfg config = {
        .reg_idr = reg(source, "ETMIDR"),
        .reg_ctrl = reg(source, "ETMCR"),
        .reg_ccer = reg(source, "ETMCCER"),
        .reg_trc_id = reg(source, "ETMTRACEIDR"),
        .arch_ver = ARCH_V7,
        .core_prof = profile_CortexA,
    };
    check(ocsd_dt_create_decoder(peer->tree, OCSD_BUILTIN_DCD_ETMV3, create_flags(peer), &config,
                                 &id),
          source->info.name);
    return id;
}

static unsigned char create(struct bench_peer *peer)
{
    switch (peer->source->info.protocol) {
    case CAIRN_PROTOCOL_ETE: return create_ete(peer);
    case CAIRN_PROTOCOL_PTM: return create_ptm(peer);
    case CAIRN_PROTOCOL_ETMV3: return create_etmv3(peer);
    default: return create_etmv4(peer);
    }
}

/* The bytes of each layer, as long as the image lives. A layer that covers part of an earlier one
 * is refused by libopencsd; what it hides is the earlier layer's in both. */
static void add_memory(struct bench_peer *peer, struct cairn_image *image)
{
    struct cairn_space *space = NULL;
    struct cairn_place place = {.EL = 1, .security = CAIRN_NONSECURE};
    struct cairn_layer_info layer = {.size = sizeof layer};
    struct cairn_window window;

    bench_must(cairn_space_new(image, &space), NULL, "memory");
    bench_must(cairn_space_select(space, &place), NULL, "memory");
    for (size_t i = 0; i < cairn_image_layer_count(image); i++) {
        bench_must(cairn_image_layer(image, i, &layer), NULL, "memory");
        if (!cairn_space_window(space, layer.address, &window))
            continue;
        ocsd_err_t error = ocsd_dt_add_buffer_mem_acc(
            peer->tree, window.address, OCSD_MEM_SPACE_ANY, window.bytes, (uint32_t)window.size);
        if (error != OCSD_ERR_MEM_ACC_OVERLAP)
            check(error, layer.name);
    }
    cairn_space_free(space);
}

static ocsd_datapath_resp_t count(const void *context, const ocsd_trc_index_t index,
                                  const uint8_t trace_id, const ocsd_generic_trace_elem *element)
{
    struct bench_peer *peer = (struct bench_peer *)context;

    (void)trace_id;
    if (element->elem_type != OCSD_GEN_TRC_ELEM_INSTR_RANGE)
        return OCSD_RESP_CONT;
    peer->count += element->num_instr_range;
    if (peer->range)
        peer->range(peer->context, index, element->st_addr, element->en_addr,
                    element->isa == ocsd_isa_thumb2);
    return OCSD_RESP_CONT;
}

static ocsd_datapath_resp_t count_packet(const void *context, const ocsd_datapath_op_t op,
                                         const ocsd_trc_index_t index, const void *packet)
{
    (void)index;
    (void)packet;
    if (op == OCSD_OP_DATA)
        ((struct bench_peer *)context)->count++;
    return OCSD_RESP_CONT;
}

/* Passed as data through the C API. */
static void *as_pointer(FnDefPktDataIn function)
{
    void *pointer;

    memcpy(&pointer, &function, sizeof pointer);
    return pointer;
}

/* 1.3.3 has no such sink for ETE in its C API: packets are made then, and nobody is told. */
static void set_packet_sink(struct bench_peer *peer, unsigned char id)
{
    if (peer->source->info.protocol != CAIRN_PROTOCOL_ETE)
        check(ocsd_dt_attach_packet_callback(peer->tree, id, OCSD_C_API_CB_PKT_SINK,
                                             as_pointer(count_packet), peer),
              "setting the sink of packets");
}

struct bench_peer *bench_peer_new(enum bench_depth depth, const struct bench_source *source,
                                  struct cairn_image *image)
{
    struct bench_peer *peer = calloc(1, sizeof *peer);
    unsigned char id;

    bench_must(peer ? CAIRN_OK : CAIRN_E_MEMORY, NULL, "libopencsd");
    peer->source = source;
    peer->depth = depth;
    peer->tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
    if (peer->tree == C_API_INVALID_TREE_HANDLE)
        check(OCSD_ERR_MEM, "creating a decode tree");
    id = create(peer);
    if (depth == BENCH_PACKETS) {
        set_packet_sink(peer, id);
        return peer;
    }
    add_memory(peer, image);
    check(ocsd_dt_set_gen_elem_outfn(peer->tree, count, peer), "setting the sink");
    return peer;
}

void bench_peer_free(struct bench_peer *peer)
{
    ocsd_destroy_dcd_tree(peer->tree);
    free(peer);
}

void bench_peer_listen(struct bench_peer *peer, bench_peer_range range, void *context)
{
    peer->range = range;
    peer->context = context;
}

uint64_t bench_peer_run(struct bench_peer *peer)
{
    const struct bench_source *source = peer->source;
    uint32_t taken = 0;

    peer->count = 0;
    ocsd_dt_process_data(peer->tree, OCSD_OP_RESET, 0, 0, NULL, NULL);
    for (size_t at = 0; at < source->size; at += taken) {
        ocsd_datapath_resp_t response =
            ocsd_dt_process_data(peer->tree, OCSD_OP_DATA, (ocsd_trc_index_t)at,
                                 (uint32_t)(source->size - at), source->bytes + at, &taken);
        if (OCSD_DATA_RESP_IS_FATAL(response)) /* its users begin again behind what it refuses */
            ocsd_dt_process_data(peer->tree, OCSD_OP_RESET, 0, 0, NULL, NULL);
        else if (!taken)
            break;
    }
    ocsd_dt_process_data(peer->tree, OCSD_OP_EOT, 0, 0, NULL, NULL);
    return peer->count;
}
