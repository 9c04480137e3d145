/* SPDX-License-Identifier: BSD-2-Clause */
/* Random programs through the ETMv3 model: libopencsd finds the instructions, the conditions and
 * the exceptions that the model was told. Instruction trace of A and R profile cores: libopencsd
 * decodes no data, and of a 32-bit Thumb instruction it knows one atom.
 *
 * usage: test_etmv3_unit [FROM COUNT]: seeds
 * Prints TAP. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <opencsd/c_api/opencsd_c_api.h>

#include "../unit/etmv3_history.h"

enum { SEEDS = 2000, ID = 0x10 };

/* libopencsd's callbacks and loggers outlive their tree. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libopencsd";
}

static bool is_lost; /* it met an instruction that the program has not */

/* All instructions of a range were executed, but for the last one, which may have failed. */
static void see_range(uint32_t address, uint32_t end, bool thumb, bool last_passed)
{
    while (address < end && seen.insns < LIST) {
        const struct program_insn *insn = program_at(&program, address | thumb);

        if (!insn) {
            is_lost = true;
            return;
        }
        seen.insn[seen.insns++] = (struct executed){
            .address = address | thumb, .passed = last_passed || address + insn->size < end};
        address += insn->size;
    }
}

static ocsd_datapath_resp_t hear(const void *context, const ocsd_trc_index_t index,
                                 const uint8_t trace_id, const ocsd_generic_trace_elem *element)
{
    (void)context;
    (void)index;
    (void)trace_id;
    if (element->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE)
        see_range((uint32_t)element->st_addr, (uint32_t)element->en_addr,
                  element->isa != ocsd_isa_arm, element->last_instr_exec);
    else if (element->elem_type == OCSD_GEN_TRC_ELEM_EXCEPTION && seen.exceptions < LIST)
        seen.exception[seen.exceptions++] = (struct taken){seen.insns, element->exception_number};
    return OCSD_RESP_CONT;
}

static bool feed(dcd_tree_handle_t tree)
{
    uint32_t taken = 0;

    for (size_t at = 0; at < bench.size; at += taken) {
        const ocsd_datapath_resp_t response =
            ocsd_dt_process_data(tree, OCSD_OP_DATA, (ocsd_trc_index_t)at,
                                 (uint32_t)(bench.size - at), bench.bytes + at, &taken);

        if (!OCSD_DATA_RESP_IS_CONT(response) || taken == 0) {
            printf("# libopencsd: response %d at offset %zu\n", (int)response, at);
            return false;
        }
    }
    return !OCSD_DATA_RESP_IS_FATAL(ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, NULL));
}

static uint32_t read_register(const char *name)
{
    uint64_t value = 0;

    return cairn_unit_read(bench.unit, name, &value) == CAIRN_OK ? (uint32_t)value : 0;
}

static bool decode(void)
{
    const ocsd_etmv3_cfg config = {
        .reg_idr = read_register("ETMIDR"),
        .reg_ctrl = setting.control,
        .reg_ccer = read_register("ETMCCER"),
        .reg_trc_id = ID,
        .arch_ver = ARCH_V7,
        .core_prof = setting.id == BENCH_R ? profile_CortexR : profile_CortexA,
    };
    ocsd_def_errlog_init(OCSD_ERR_SEV_INFO, 1);
    const dcd_tree_handle_t tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
    unsigned char id;
    const bool good =
        tree != C_API_INVALID_TREE_HANDLE &&
        ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETMV3, OCSD_CREATE_FLG_FULL_DECODER, &config,
                               &id) == OCSD_OK &&
        ocsd_dt_add_buffer_mem_acc(tree, PROGRAM_ARM, OCSD_MEM_SPACE_ANY, program.arm,
                                   sizeof program.arm) == OCSD_OK &&
        ocsd_dt_add_buffer_mem_acc(tree, PROGRAM_THUMB, OCSD_MEM_SPACE_ANY, program.thumb,
                                   sizeof program.thumb) == OCSD_OK &&
        ocsd_dt_set_gen_elem_outfn(tree, hear, &seen) == OCSD_OK && feed(tree);

    (void)ocsd_dt_remove_mem_acc(tree, PROGRAM_ARM, OCSD_MEM_SPACE_ANY);
    (void)ocsd_dt_remove_mem_acc(tree, PROGRAM_THUMB, OCSD_MEM_SPACE_ANY);
    ocsd_destroy_dcd_tree(tree);
    return good;
}

static bool compare(void)
{
    size_t at = 0;

    while (at < told.insns && at < seen.insns && told.insn[at].address == seen.insn[at].address &&
           told.insn[at].passed == seen.insn[at].passed)
        at++;
    if (at < told.insns || at < seen.insns) {
        printf("# told %zu instructions, libopencsd %zu; the first that differs is %zu: %" PRIx32
               " %d and %" PRIx32 " %d\n",
               told.insns, seen.insns, at, told.insn[at].address, told.insn[at].passed,
               seen.insn[at].address, seen.insn[at].passed);
        return false;
    }
    for (size_t i = 0; i < told.exceptions && i < seen.exceptions; i++)
        if (told.exception[i].insn != seen.exception[i].insn ||
            told.exception[i].type != seen.exception[i].type) {
            printf("# exception %zu: told %u before %zu, libopencsd %u before %zu\n", i,
                   told.exception[i].type, told.exception[i].insn, seen.exception[i].type,
                   seen.exception[i].insn);
            return false;
        }
    return told.exceptions == seen.exceptions;
}

/* False: they differ. Seeds whose setting libopencsd does not know are passed over. */
static bool run_seed(uint64_t seed, uint64_t *compared)
{
    bool good = true;

    tell_program(seed, TELL_NO_EXCHANGE | TELL_NO_CANCEL | (seed % 2 ? TELL_CYCLES : 0));
    if (setting.id >> 18 & 1u) {
        is_lost = false;
        good = decode() && compare() && !is_lost;
        *compared += told.insns;
        if (!good)
            printf("# seed %" PRIu64 ": ETMIDR %" PRIx32 " ETMCR %" PRIx32 "\n", seed, setting.id,
                   setting.control);
    }
    bench_end();
    return good;
}

int main(int argc, char **argv)
{
    const uint64_t from = argc > 2 ? strtoull(argv[1], NULL, 0) : 1;
    const uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : SEEDS;
    uint64_t compared = 0;
    unsigned failed = 0;

    for (uint64_t i = 0; i < count && failed < 3; i++)
        failed += !run_seed(from + i, &compared);
    printf("%sok 1 - ETMv3: libopencsd finds what the model was told: %" PRIu64
           " instructions\n1..1\n",
           failed > 0 || compared == 0 ? "not " : "", compared);
    return failed > 0 || compared == 0;
}
