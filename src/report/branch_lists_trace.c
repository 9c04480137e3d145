/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of a trace, by its elements alone: one begins at the first Atom behind an address, and ends where the trace tells
 * another one, of a target or in front of an exception. simpleperf has the same rule of packets; here what was not
 * executed is gone, since elements are resolved, and what follows a loss has no address. */
#include "report/branch_lists.h"

#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "image/elf.h"
#include "protocol/protocol.h"
#include "report/branch_lists_code.h"
#include "report/pgo_places.h"

#define SUB_ISA_1 1u /* T32, where the context is of 32 bits */

enum lister_state {
    LISTER_NOWHERE = 0, /* no address is known */
    LISTER_BEFORE,      /* at one, and no Atom came yet */
    LISTER_INSIDE,      /* of a list */
    LISTER_OUTSIDE,     /* at an address of no file */
    LISTER_UNWANTED,
};

/* A binary of the profile. */
struct listed_home {
    bool is_known;
    uint32_t number; /* in the lists */
    /* of a trace unit whose WFI and WFE have Atoms, which readers of lists do not know; or NULL: its code is not here */
    struct cairn_listed_code *code;
};

struct cairn_lister {
    struct cairn_branch_lists *lists;
    struct cairn_pgo *pgo;
    struct cairn_lister_options options;
    struct cairn_pgo_places *places;
    struct listed_home *homes; /* of each binary of the profile */
    size_t home_room;
    enum lister_state state;
    struct cairn_context context;
    uint64_t address;
    bool is_T32;
    struct cairn_branch_list list;
    struct cairn_listed_code *code; /* of its binary */
    uint8_t *bits;
    size_t byte_room;
    struct cairn_lister_told told;
};

const char *cairn_lister_problem(const struct cairn_config *config)
{
    const struct cairn_follow_rules *const rules = &config->rules;

    if (rules->every_instruction)
        return "it has an Atom of each instruction, and branch lists have those of branches alone";
    if (rules->any_source)
        return "it has no Atoms, of which branch lists are made";
    if (rules->loads_are_p0 || rules->stores_are_p0)
        return "it has Atoms of loads or stores, too, and branch lists have those of branches alone";
    if (rules->barriers_are_p0)
        return "it has Atoms of DMB and DSB, too, and branch lists have those of branches alone";
    return NULL;
}

cairn_status cairn_lister_new(struct cairn_branch_lists *lists, struct cairn_pgo *pgo,
                              const struct cairn_lister_options *options,
                              struct cairn_lister **lister)
{
    struct cairn_lister *const made = calloc(1, sizeof *made);

    if (!made)
        return CAIRN_E_MEMORY;
    made->lists = lists;
    made->pgo = pgo;
    made->options = *options;
    const cairn_status status = cairn_pgo_places_new(pgo, options->capture, &made->places);
    if (status)
        free(made);
    else
        *lister = made;
    return status;
}

void cairn_lister_free(struct cairn_lister *lister)
{
    if (!lister)
        return;
    cairn_pgo_places_free(lister->places);
    for (size_t i = 0; i < lister->home_room; i++)
        cairn_listed_code_free(lister->homes[i].code);
    free(lister->homes);
    free(lister->bits);
    free(lister);
}

struct cairn_lister_told cairn_lister_told(const struct cairn_lister *lister)
{
    return lister->told;
}

/* --- of which binary --- */

static bool is_kernel(const char *path)
{
    return !strncmp(path, CAIRN_LISTED_KERNEL_PATH, strlen(CAIRN_LISTED_KERNEL_PATH));
}

/* Of the kernel recordings append a symbol to the path. CAIRN_E_NOT_FOUND: it is no ELF file that could be looked at
 * later (a list of the kernel's symbols). */
static cairn_status list_binary(struct cairn_lister *lister, const struct cairn_pgo_binary *binary,
                                struct listed_home *home)
{
    char kernel[] = CAIRN_LISTED_KERNEL_PATH;
    const bool is_of_kernel = is_kernel(binary->path);
    const struct cairn_listed_binary wanted = {
        .kind = is_of_kernel ? CAIRN_LISTED_KERNEL : CAIRN_LISTED_FILE,
        .path = is_of_kernel ? kernel : binary->path,
        .build_id = binary->build_id,
    };

    if (cairn_elf_check(binary->file, binary->path, NULL))
        return CAIRN_E_NOT_FOUND;
    cairn_status status = cairn_branch_lists_binary(lister->lists, &wanted, &home->number);
    if (!status && lister->options.config->rules.wfx_is_p0 && binary->code)
        status = cairn_listed_code_new(binary->code, binary->path, true, &home->code);
    if (status == CAIRN_E_FORMAT || status == CAIRN_E_UNSUPPORTED)
        status = CAIRN_OK;
    home->is_known = !status;
    return status;
}

/* The kernel, of which no file is here: its addresses are kept as they were in memory. */
static cairn_status find_kernel(struct cairn_lister *lister, uint64_t address, uint32_t *number)
{
    char kernel[] = CAIRN_LISTED_KERNEL_PATH;
    struct cairn_module_info module = {.size = sizeof module};

    for (size_t i = 0; !cairn_capture_module(lister->options.capture, i, &module); i++) {
        const struct cairn_listed_binary wanted = {.kind = CAIRN_LISTED_KERNEL,
                                                   .path = kernel,
                                                   .build_id = (char *)module.build_id,
                                                   .kernel_start = module.address};

        if (module.state != CAIRN_MODULE_USED && is_kernel(module.path) && module.address &&
            address - module.address < module.length)
            return cairn_branch_lists_binary(lister->lists, &wanted, number);
    }
    return CAIRN_E_NOT_FOUND;
}

/* Sets the list's. */
static cairn_status find_binary(struct cairn_lister *lister, const struct cairn_place *place)
{
    struct cairn_pgo_home home = {.binary = CAIRN_PGO_NONE};
    cairn_status status = cairn_pgo_places_find(lister->places, place, lister->address, &home);

    lister->list.address = lister->address;
    if (status)
        return status;
    if (home.binary == CAIRN_PGO_NONE)
        return find_kernel(lister, lister->address, &lister->list.binary);
    lister->list.address = lister->address - home.bias;
    status = cairn_enlarge(&lister->homes, &lister->home_room, lister->pgo->binary_count,
                           sizeof *lister->homes);
    if (status)
        return status;
    struct listed_home *const known = &lister->homes[home.binary];
    if (!known->is_known)
        status = list_binary(lister, &lister->pgo->binaries[home.binary], known);
    lister->list.binary = known->number;
    lister->code = known->code;
    return status;
}

/* --- lists --- */

static cairn_status begin_list(struct cairn_lister *lister, uint64_t offset)
{
    const struct cairn_place place = {
        .source = cairn_config_source(lister->options.config),
        .EL = lister->context.EL,
        .security = lister->context.security,
        .vmid = lister->context.vmid,
        .context_id = lister->context.context_id,
        .offset = offset,
    };

    lister->list = (struct cairn_branch_list){.count = 1};
    lister->code = NULL;
    if (lister->options.wants && !lister->options.wants(lister->options.context, &place)) {
        lister->state = LISTER_UNWANTED;
        return CAIRN_OK;
    }
    const cairn_status status = find_binary(lister, &place);
    lister->state = status ? LISTER_OUTSIDE : LISTER_INSIDE;
    lister->list.address |= lister->is_T32;
    return status == CAIRN_E_NOT_FOUND || status == CAIRN_E_LIMIT ? CAIRN_OK : status;
}

static cairn_status add_bit(struct cairn_lister *lister, bool is_taken)
{
    const uint32_t bit = lister->list.bits;

    if (bit == CAIRN_LISTED_BITS_MOST) {
        lister->told.cut++;
        return CAIRN_OK;
    }
    const cairn_status status = cairn_enlarge(&lister->bits, &lister->byte_room, bit / 8 + 1, 1);
    if (status)
        return status;
    if (bit % 8 == 0)
        lister->bits[bit / 8] = 0;
    lister->bits[bit / 8] |= (uint8_t)(is_taken << bit % 8);
    lister->list.bits++;
    return CAIRN_OK;
}

static cairn_status take_atom(struct cairn_lister *lister, uint64_t offset, bool is_taken)
{
    cairn_status status = CAIRN_OK;

    if (lister->state == LISTER_BEFORE)
        status = begin_list(lister, offset);
    if (status)
        return status;
    switch (lister->state) {
    case LISTER_INSIDE: return add_bit(lister, is_taken);
    case LISTER_OUTSIDE: lister->told.outside++; break;
    case LISTER_NOWHERE: lister->told.unplaced++; break;
    case LISTER_BEFORE:
    case LISTER_UNWANTED: break;
    }
    return CAIRN_OK;
}

/* Leaves out bits of WFI and WFE, as far as the list can be followed. CAIRN_E_MEMORY. */
static cairn_status drop_waits(struct cairn_lister *lister)
{
    uint64_t address = lister->list.address;
    uint8_t isa = cairn_listed_code_begin(lister->code, &address);
    struct cairn_return_stack stack;
    bool is_known = true;
    uint32_t kept = 0;

    cairn_return_stack_clear(&stack);
    for (uint32_t i = 0; i < lister->list.bits; i++) {
        const bool is_taken = lister->bits[i / 8] >> i % 8 & 1;
        const struct cairn_listed_block *const block =
            is_known ? cairn_listed_code_block(lister->code, address, isa) : NULL;

        if (is_known && !block)
            return CAIRN_E_MEMORY;
        is_known = is_known && block->instructions &&
                   cairn_listed_follow(block, is_taken, &stack, &address, &isa);
        if (block && block->instructions && block->kind == CAIRN_INSN_WFX)
            continue;
        lister->bits[kept / 8] = (uint8_t)((lister->bits[kept / 8] & ~(1u << kept % 8)) |
                                           (unsigned)is_taken << kept % 8);
        kept++;
    }
    lister->list.bits = kept;
    return CAIRN_OK;
}

static cairn_status end_list(struct cairn_lister *lister)
{
    cairn_status status = CAIRN_OK;

    if (lister->state == LISTER_INSIDE && lister->code)
        status = drop_waits(lister);
    if (lister->state == LISTER_INSIDE && !status)
        status = cairn_branch_lists_add(lister->lists, &lister->list, lister->bits);
    lister->state = LISTER_NOWHERE;
    return status;
}

static cairn_status take_address(struct cairn_lister *lister, uint16_t flags,
                                 const struct cairn_element_data *data)
{
    const bool is_repeated = (flags & CAIRN_ELEMENT_CHECK) != 0;

    if (is_repeated && (lister->state != LISTER_NOWHERE || (flags & CAIRN_ELEMENT_UNKNOWN)))
        return CAIRN_OK;
    const cairn_status status = end_list(lister);

    if (!status && !(flags & (CAIRN_ELEMENT_UNKNOWN | CAIRN_ELEMENT_LOST))) {
        lister->state = LISTER_BEFORE;
        lister->address = data->address;
        lister->is_T32 = data->sub_isa == SUB_ISA_1 && !lister->context.SF;
    }
    return status;
}

static cairn_status take(struct cairn_lister *lister, const struct cairn_element_batch *batch,
                         size_t i)
{
    const struct cairn_element_data *const data = cairn_element_data_at(batch, i);
    const uint16_t flags = batch->flags[i];

    switch (batch->kind[i]) {
    case CAIRN_ELEMENT_ATOM:
        if (flags & CAIRN_ELEMENT_LOST) {
            lister->told.unsure++;
            return end_list(lister);
        }
        return take_atom(lister, batch->offset[i], (flags & CAIRN_ELEMENT_E) != 0);
    case CAIRN_ELEMENT_TARGET_ADDRESS:
    case CAIRN_ELEMENT_EXCEPTION: return take_address(lister, flags, data);
    case CAIRN_ELEMENT_CONTEXT: lister->context = data->context; break;
    /* on the M profile it stands for an instruction; else it repeats what the Atom before it did */
    case CAIRN_ELEMENT_EXCEPTION_RETURN:
        if (lister->options.config->rules.m_profile)
            return end_list(lister);
        break;
    /* where execution goes on, or which instructions these are of, the Atoms behind them do not tell */
    case CAIRN_ELEMENT_TRACE_ON:
    case CAIRN_ELEMENT_SOURCE_ADDRESS:
    case CAIRN_ELEMENT_Q:
    case CAIRN_ELEMENT_DISCARD:
    case CAIRN_ELEMENT_OVERFLOW:
    case CAIRN_ELEMENT_TRANSACTION_START:
    case CAIRN_ELEMENT_TRANSACTION_FAILURE:
    case CAIRN_ELEMENT_FUNCTION_RETURN:
    case CAIRN_ELEMENT_GAP: return end_list(lister);
    default: break;
    }
    return CAIRN_OK;
}

cairn_status cairn_lister_take(struct cairn_lister *lister, const struct cairn_element_batch *batch)
{
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < batch->count && !status; i++)
        status = take(lister, batch, i);
    return status;
}

cairn_status cairn_lister_end(struct cairn_lister *lister)
{
    return end_list(lister);
}
