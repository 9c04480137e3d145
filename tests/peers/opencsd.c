/* SPDX-License-Identifier: BSD-2-Clause */
#include "opencsd.h"

#include <opencsd/c_api/opencsd_c_api.h>
#include <stdio.h>
#include <string.h>

enum {
    CHUNK_MOST = 100,
    READ_AHEAD = 2, /* it reads four bytes for an instruction of two */
};

struct listener {
    const struct peer_trace *trace;
    struct peer_truth *truth;
    struct cairn_context context;
    bool good;
};

const char *peer_opencsd_version(void)
{
    return ocsd_get_version_str();
}

static uint32_t value(const struct peer_trace *trace, enum peer_register reg)
{
    return (uint32_t)trace->settings.registers[reg].value;
}

static ocsd_err_t create_ptm(dcd_tree_handle_t tree, const struct peer_trace *trace)
{
    const struct cairn_register *registers = trace->settings.registers;
    const ocsd_ptm_cfg ptm = {
        .reg_ctrl = (uint32_t)registers[0].value,
        .reg_idr = (uint32_t)registers[1].value,
        .reg_ccer = (uint32_t)registers[2].value,
        .reg_trc_id = (uint32_t)registers[3].value,
        .arch_ver = ARCH_V7,
        .core_prof = profile_CortexA,
    };
    unsigned char id;

    return ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_PTM, OCSD_CREATE_FLG_FULL_DECODER, &ptm,
                                  &id);
}

static ocsd_err_t create_decoder(dcd_tree_handle_t tree, const struct peer_trace *trace)
{
    const ocsd_etmv4_cfg etmv4 = {
        .reg_idr0 = value(trace, PEER_TRCIDR0),
        .reg_idr1 = value(trace, PEER_TRCIDR1),
        .reg_idr2 = value(trace, PEER_TRCIDR2),
        .reg_idr8 = value(trace, PEER_TRCIDR8),
        .reg_configr = value(trace, PEER_TRCCONFIGR),
        .reg_traceidr = 0x10,
        .arch_ver = ARCH_V8,
        .core_prof = profile_CortexA,
    };
    const ocsd_ete_cfg ete = {
        .reg_idr0 = value(trace, PEER_TRCIDR0),
        .reg_idr1 = value(trace, PEER_TRCIDR1),
        .reg_idr2 = value(trace, PEER_TRCIDR2),
        .reg_idr8 = value(trace, PEER_TRCIDR8),
        .reg_devarch = value(trace, PEER_TRCDEVARCH),
        .reg_configr = value(trace, PEER_TRCCONFIGR),
        .reg_traceidr = 0x10,
        .arch_ver = ARCH_AA64,
        .core_prof = profile_CortexA,
    };
    unsigned char id;

    if (trace->settings.protocol == CAIRN_PROTOCOL_PTM)
        return create_ptm(tree, trace);
    if (trace->settings.protocol == CAIRN_PROTOCOL_ETE)
        return ocsd_dt_create_decoder(
            tree, OCSD_BUILTIN_DCD_ETE,
            OCSD_CREATE_FLG_FULL_DECODER | ETE_OPFLG_PKTDEC_SRCADDR_N_ATOMS, &ete, &id);
    return ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETMV4I, OCSD_CREATE_FLG_FULL_DECODER,
                                  &etmv4, &id);
}

static enum cairn_isa isa_of(const ocsd_generic_trace_elem *element)
{
    switch (element->isa) {
    case ocsd_isa_aarch64: return CAIRN_ISA_A64;
    case ocsd_isa_arm: return CAIRN_ISA_A32;
    case ocsd_isa_thumb2: return CAIRN_ISA_T32;
    default: return CAIRN_ISA_UNKNOWN;
    }
}

/* A waypoint at the end of a range has an outcome; anything else has none. */
static enum peer_entry_kind outcome(const ocsd_generic_trace_elem *element)
{
    if (element->last_i_type == OCSD_INSTR_OTHER)
        return PEER_PLAIN;
    return element->last_instr_exec ? PEER_TAKEN : PEER_NOT_TAKEN;
}

static ocsd_datapath_resp_t hear(const void *context, const ocsd_trc_index_t index,
                                 const uint8_t trace_id, const ocsd_generic_trace_elem *element)
{
    struct listener *listener = (struct listener *)context;
    struct peer_entry exception = {.kind = PEER_EXCEPTION};

    (void)trace_id;
    switch (element->elem_type) {
    case OCSD_GEN_TRC_ELEM_INSTR_RANGE:
        peer_add_range(listener->truth, &listener->trace->program, element->st_addr,
                       element->en_addr, isa_of(element), &listener->context, outcome(element));
        break;
    case OCSD_GEN_TRC_ELEM_EXCEPTION:
        exception.address = element->en_addr;
        exception.type = (uint16_t)element->exception_number;
        peer_truth_add(listener->truth, &exception);
        break;
    case OCSD_GEN_TRC_ELEM_ADDR_NACC:
        printf("# libopencsd: no memory at %lx, offset %lu\n", (unsigned long)element->st_addr,
               (unsigned long)index);
        listener->good = false;
        break;
    default: break;
    }
    return OCSD_RESP_CONT;
}

static bool feed(dcd_tree_handle_t tree, const struct peer_trace *trace, struct peer_random *random)
{
    const struct peer_bytes *bytes = &trace->bytes;
    uint32_t taken = 0;

    for (size_t at = 0; at < bytes->size; at += taken) {
        const size_t left = bytes->size - at;
        const uint32_t chunk = peer_random_range(random, 1, CHUNK_MOST);
        const ocsd_datapath_resp_t response =
            ocsd_dt_process_data(tree, OCSD_OP_DATA, (ocsd_trc_index_t)at,
                                 left < chunk ? (uint32_t)left : chunk, bytes->data + at, &taken);

        if (!OCSD_DATA_RESP_IS_CONT(response) || taken == 0) {
            printf("# libopencsd: response %d at offset %zu\n", (int)response, at);
            return false;
        }
    }
    return !OCSD_DATA_RESP_IS_FATAL(ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, NULL));
}

static bool add_memory(dcd_tree_handle_t tree, const struct peer_program *program)
{
    for (unsigned i = 0; i < program->region_count; i++) {
        const struct peer_region *region = &program->regions[i];

        if (ocsd_dt_add_buffer_mem_acc(tree, region->address, OCSD_MEM_SPACE_ANY, region->bytes,
                                       region->size + READ_AHEAD) != OCSD_OK)
            return false;
    }
    return true;
}

bool peer_decode_opencsd(const struct peer_trace *trace, struct peer_random *random,
                         struct peer_truth *truth)
{
    struct listener listener = {.trace = trace, .truth = truth, .good = true};
    const dcd_tree_handle_t tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);

    peer_truth_clear(truth);
    if (tree == C_API_INVALID_TREE_HANDLE || create_decoder(tree, trace) != OCSD_OK ||
        !add_memory(tree, &trace->program) ||
        ocsd_dt_set_gen_elem_outfn(tree, hear, &listener) != OCSD_OK) {
        printf("# libopencsd: the decoder could not be made\n");
        listener.good = false;
    } else if (!feed(tree, trace, random)) {
        listener.good = false;
    }
    for (unsigned i = 0; i < trace->program.region_count; i++)
        (void)ocsd_dt_remove_mem_acc(tree, trace->program.regions[i].address, OCSD_MEM_SPACE_ANY);
    ocsd_destroy_dcd_tree(tree);
    return listener.good;
}
