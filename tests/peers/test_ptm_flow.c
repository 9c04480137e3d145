/* SPDX-License-Identifier: BSD-2-Clause */
/* Random traces of PTM over random programs, as a core could write them: Cairn and libopencsd say
 * that the same instructions were executed, with the same outcomes, and the same exceptions taken.
 *
 * What libopencsd 1.3.3 does otherwise is kept outside (engine_generate_ptm_shared, and there
 * leave_out_unknown). A branch with information bytes and Exception 0 is an exception of number 0
 * for it, so security and Hyp mode change in I-syncs only. It compresses addresses against waypoint
 * updates, so those behind one are whole; it passes over waypoints there, so none is drawn; and it
 * calls the last instruction E, so that outcome is not compared.
 *
 * usage: test_ptm_flow [FROM COUNT]: seeds
 * Prints TAP. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/flow.h>
#include <opencsd/c_api/opencsd_c_api.h>

#include "../engine/generate.h"

enum { SEEDS = 60, ENTRIES = 1 << 20, BATCH = 256, ID = 0x10 };
enum { READ_AHEAD = 2 }; /* libopencsd reads four bytes for an instruction of two */

/* An instruction that ends a range, or an exception. */
struct entry {
    uint64_t address; /* of a range: its first instruction */
    uint64_t end;     /* 0: an exception */
    uint32_t outcome; /* 0: none, 1: N, 2: E; of an exception: its type */
    uint32_t isa;
};

struct list {
    size_t count;
    struct entry *entries;
};

/* libopencsd's callbacks and loggers outlive their tree. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libopencsd";
}

static void add(struct list *list, struct entry entry)
{
    if (list->count < ENTRIES)
        list->entries[list->count++] = entry;
}

/* --- Cairn --- */

static void take(struct list *list, struct cairn_flow_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        const unsigned flags = batch->flags[i];

        if (batch->kind[i] == CAIRN_FLOW_RANGE)
            add(list, (struct entry){batch->address[i], batch->value[i],
                                     !(flags & CAIRN_FLOW_P0)   ? 0
                                     : flags & CAIRN_FLOW_TAKEN ? 2
                                                                : 1,
                                     batch->isa[i]});
        else if (batch->kind[i] == CAIRN_FLOW_EXCEPTION)
            add(list, (struct entry){.outcome = (uint32_t)batch->value[i]});
    }
    batch->count = 0;
}

static bool decode(const struct engine_case *input, struct list *list)
{
    struct cairn_decoder *decoder = NULL;
    struct cairn_flow_batch *batch = NULL;
    size_t position = 0;
    size_t count;

    if (cairn_decoder_new(input->config, input->image, &decoder) != CAIRN_OK ||
        cairn_flow_batch_new(BATCH, &batch) != CAIRN_OK)
        return false;
    do {
        if (cairn_decoder_run(decoder, input->data, input->size, &position, batch) != CAIRN_OK)
            return false;
        count = batch->count;
        take(list, batch);
    } while (count > 0 || position < input->size);
    do {
        if (cairn_decoder_finish(decoder, batch) != CAIRN_OK)
            return false;
        count = batch->count;
        take(list, batch);
    } while (count > 0);
    cairn_flow_batch_free(batch);
    cairn_decoder_free(decoder);
    return true;
}

/* --- libopencsd --- */

static ocsd_datapath_resp_t hear(const void *context, const ocsd_trc_index_t index,
                                 const uint8_t trace_id, const ocsd_generic_trace_elem *element)
{
    struct list *list = (struct list *)(uintptr_t)context;

    (void)index;
    (void)trace_id;
    if (element->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE)
        add(list, (struct entry){element->st_addr, element->en_addr,
                                 element->last_i_type == OCSD_INSTR_OTHER ? 0
                                 : element->last_instr_exec               ? 2
                                                                          : 1,
                                 element->isa == ocsd_isa_arm ? CAIRN_ISA_A32 : CAIRN_ISA_T32});
    else if (element->elem_type == OCSD_GEN_TRC_ELEM_EXCEPTION)
        add(list, (struct entry){.outcome = element->exception_number});
    return OCSD_RESP_CONT;
}

static bool feed(dcd_tree_handle_t tree, const struct engine_case *input)
{
    uint32_t taken = 0;

    for (size_t at = 0; at < input->size; at += taken) {
        const ocsd_datapath_resp_t response =
            ocsd_dt_process_data(tree, OCSD_OP_DATA, (ocsd_trc_index_t)at,
                                 (uint32_t)(input->size - at), input->data + at, &taken);

        if (!OCSD_DATA_RESP_IS_CONT(response) || taken == 0) {
            printf("# libopencsd: response %d at offset %zu\n", (int)response, at);
            return false;
        }
    }
    return !OCSD_DATA_RESP_IS_FATAL(ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, NULL));
}

static bool decode_opencsd(const struct engine_case *input, const struct engine_ptm *ptm,
                           struct list *list)
{
    const ocsd_ptm_cfg config = {
        .reg_idr = ptm->etmidr,
        .reg_ctrl = ptm->etmcr,
        .reg_ccer = ptm->etmccer,
        .reg_trc_id = ID,
        .arch_ver = ARCH_V7,
        .core_prof = profile_CortexA,
    };
    ocsd_def_errlog_init(OCSD_ERR_SEV_INFO, 1);
    const dcd_tree_handle_t tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
    unsigned char id;
    const bool good =
        tree != C_API_INVALID_TREE_HANDLE &&
        ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_PTM, OCSD_CREATE_FLG_FULL_DECODER, &config,
                               &id) == OCSD_OK &&
        ocsd_dt_add_buffer_mem_acc(tree, ptm->address, OCSD_MEM_SPACE_ANY, ptm->code,
                                   (uint32_t)ptm->code_size + READ_AHEAD) == OCSD_OK &&
        ocsd_dt_set_gen_elem_outfn(tree, hear, list) == OCSD_OK && feed(tree, input);

    (void)ocsd_dt_remove_mem_acc(tree, ptm->address, OCSD_MEM_SPACE_ANY);
    ocsd_destroy_dcd_tree(tree);
    return good;
}

/* --- both --- */

static void show(const char *name, const struct list *list, size_t at)
{
    for (size_t i = at > 3 ? at - 3 : 0; i < at + 3 && i < list->count; i++)
        printf("#   %s %zu: %" PRIx64 "-%" PRIx64 " %u isa %u\n", name, i, list->entries[i].address,
               list->entries[i].end, list->entries[i].outcome, list->entries[i].isa);
}

/* What a waypoint update ends with has no outcome; libopencsd says E. */
static bool is_same(const struct entry *ours, const struct entry *theirs)
{
    return ours->address == theirs->address && ours->end == theirs->end &&
           ours->isa == theirs->isa &&
           (ours->outcome == theirs->outcome || (ours->end != 0 && ours->outcome == 0));
}

static bool compare(const struct list *ours, const struct list *theirs)
{
    size_t at = 0;

    while (at < ours->count && at < theirs->count &&
           is_same(&ours->entries[at], &theirs->entries[at]))
        at++;
    if (at == ours->count && at == theirs->count)
        return true;
    printf("# Cairn %zu entries, libopencsd %zu, first difference at %zu\n", ours->count,
           theirs->count, at);
    show("Cairn", ours, at);
    show("libopencsd", theirs, at);
    return false;
}

static bool run_seed(uint64_t seed, struct list *ours, struct list *theirs, uint64_t *entries)
{
    struct engine_case made;
    struct engine_ptm ptm;
    bool good = engine_generate_ptm_shared(seed, (size_t)256 << seed % 7, &made, &ptm);

    ours->count = 0;
    theirs->count = 0;
    good =
        good && decode(&made, ours) && decode_opencsd(&made, &ptm, theirs) && compare(ours, theirs);
    if (!good)
        printf("# seed %" PRIu64 ": ETMIDR %x ETMCR %x ETMCCER %x\n", seed, ptm.etmidr, ptm.etmcr,
               ptm.etmccer);
    *entries += ours->count;
    free(ptm.code);
    engine_generated_free(&made);
    return good;
}

int main(int argc, char **argv)
{
    const uint64_t from = argc > 2 ? strtoull(argv[1], NULL, 0) : 1;
    const uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : SEEDS;
    struct list ours = {.entries = malloc(ENTRIES * sizeof(struct entry))};
    struct list theirs = {.entries = malloc(ENTRIES * sizeof(struct entry))};
    uint64_t entries = 0;
    unsigned failed = 0;

    for (uint64_t i = 0; ours.entries && theirs.entries && i < count && failed < 3; i++)
        failed += !run_seed(from + i, &ours, &theirs, &entries);
    printf("%sok 1 - PTM: Cairn and libopencsd agree on %" PRIu64 " traces, %" PRIu64
           " ranges and exceptions\n1..1\n",
           failed > 0 || entries == 0 ? "not " : "", count, entries);
    free(ours.entries);
    free(theirs.entries);
    return failed > 0 || entries == 0;
}
