/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "image/space.h"
#include "pipeline/disasm.h"
#include "report/event.h"

/* Lines kept as text: what a loop executes is formatted once. */
#define LINES_KEPT 8192
#define IT_BYTES_BEHIND 32     /* as cairn_disasm_it_behind likes to have */
#define T32_WIDE_FIRST 0xe800u /* first halfwords from here on begin a 32-bit instruction */

enum line_state {
    LINE_EMPTY = 0,
    LINE_FILLED = 1,
};

struct kept_line {
    enum line_state state;
    enum cairn_isa isa;
    size_t layer;
    struct cairn_code_line line;
};

struct kept_place {
    bool filled;
    uint64_t address;
    uint64_t identity; /* of the selection, and the source offset that it holds from */
    uint64_t from;
    struct cairn_code_place place;
};

#define PLACES_KEPT 8192

struct cairn_code {
    struct cairn_image *image;
    struct cairn_space *space;
    const struct cairn_arch *arch;
    unsigned tells; /* CAIRN_TELLS_... */
    struct cairn_disasm *disasm;
    struct cairn_place place;
    struct cairn_window window; /* size 0: none */
    struct kept_line *lines;
    struct kept_place *places;
};

cairn_status cairn_code_new(struct cairn_config *config, struct cairn_image *image,
                            struct cairn_code **code)
{
    struct cairn_code *made = calloc(1, sizeof *made);
    if (!made)
        return CAIRN_E_MEMORY;
    cairn_status status = cairn_space_new(image, &made->space);
    if (status) {
        free(made);
        return status;
    }
    made->image = image;
    made->arch = cairn_config_arch(config);
    made->tells = cairn_config_tells(config);
    made->place.source = cairn_config_source(config);
    *code = made;
    return CAIRN_OK;
}

void cairn_code_free(struct cairn_code *code)
{
    if (!code)
        return;
    cairn_disasm_free(code->disasm);
    cairn_space_free(code->space);
    free(code->lines);
    free(code->places);
    free(code);
}

void cairn_code_context(struct cairn_code *code, uint64_t address, uint64_t value)
{
    struct cairn_context context = cairn_flow_context(address, value);

    code->place.EL = context.EL;
    code->place.security = context.security;
    code->place.vmid = context.vmid;
    code->place.context_id = context.context_id;
}

void cairn_code_select(struct cairn_code *code, uint64_t offset)
{
    struct cairn_place place = code->place;

    place.offset = offset;
    cairn_code_select_place(code, &place);
}

void cairn_code_select_place(struct cairn_code *code, const struct cairn_place *place)
{
    code->place = *place;
    code->window.size = 0;
    /* A place that cannot be selected has no memory: the window stays empty. */
    if (cairn_space_select(code->space, &code->place))
        code->window.size = 0;
}

/* Makes `window` one that contains `address`. */
static bool find_window(struct cairn_code *code, uint64_t address)
{
    if (address - code->window.address < code->window.size)
        return true;
    if (cairn_space_window(code->space, address, &code->window))
        return true;
    code->window.size = 0;
    return false;
}

unsigned cairn_code_size(struct cairn_code *code, enum cairn_isa isa, uint64_t address)
{
    struct cairn_insn insn;

    if (isa != CAIRN_ISA_T32)
        return 4;
    if (find_window(code, address) && code->window.order != CAIRN_ORDER_BE32 &&
        code->window.size - (address - code->window.address) >= 2) {
        const uint8_t *bytes = code->window.bytes + (address - code->window.address);
        unsigned first = cairn_load_le16(bytes);
        if (first < T32_WIDE_FIRST)
            return 2;
    }
    return cairn_space_insn(code->space, code->arch, isa, address, &insn) ? insn.size : 2;
}

bool cairn_code_insn(struct cairn_code *code, enum cairn_isa isa, uint64_t address,
                     struct cairn_insn *insn)
{
    return cairn_space_insn(code->space, code->arch, isa, address, insn);
}

static bool is_branch(struct cairn_code *code, enum cairn_isa isa, uint64_t address)
{
    struct cairn_insn insn;

    return cairn_space_insn(code->space, code->arch, isa, address, &insn) &&
           (insn.kind == CAIRN_INSN_BRANCH_DIRECT || insn.kind == CAIRN_INSN_BRANCH_INDIRECT);
}

char cairn_code_outcome(struct cairn_code *code, const struct cairn_flow_batch *batch, size_t index)
{
    const unsigned flags = batch->flags[index];

    if (!(flags & CAIRN_FLOW_P0))
        return ' ';
    if (flags & CAIRN_FLOW_UNKNOWN)
        return '?';
    if (!(flags & CAIRN_FLOW_TAKEN))
        return 'N';
    /* With an Atom an instruction, a range that ends with one has this one only. */
    if ((code->tells & CAIRN_TELLS_CONDITIONS) &&
        !is_branch(code, batch->isa[index], batch->address[index]))
        return ' ';
    return 'E';
}

bool cairn_code_data_order(struct cairn_code *code, uint64_t address, enum cairn_order *order)
{
    struct cairn_layer_info layer = {.size = sizeof layer};

    if (!find_window(code, address) ||
        cairn_image_layer(code->image, code->window.layer, &layer) != CAIRN_OK)
        return false;
    *order = code->window.order;
    return layer.is_elf || layer.order != CAIRN_ORDER_LITTLE;
}

const char *cairn_code_symbol(struct cairn_code *code, uint64_t address, uint64_t *offset)
{
    const char *name;

    if (cairn_space_symbol(code->space, address, &name, offset))
        return NULL;
    return name;
}

static void append_target(struct cairn_code *code, const struct cairn_insn *insn, char *text,
                          size_t capacity)
{
    uint64_t offset = 0;
    size_t used = strlen(text);
    const char *symbol = cairn_code_symbol(code, insn->target, &offset);

    if (!symbol || used >= capacity)
        return;
    if (offset)
        snprintf(text + used, capacity - used, " <%s+0x%llx>", symbol, (unsigned long long)offset);
    else
        snprintf(text + used, capacity - used, " <%s>", symbol);
}

/* The ITSTATE under which the T32 instruction at `address` runs, by the code before it. */
static uint8_t it_state(struct cairn_code *code, uint64_t address)
{
    if (!find_window(code, address) || code->window.order == CAIRN_ORDER_BE32)
        return 0;
    uint64_t before = address - code->window.address;
    size_t size = before < IT_BYTES_BEHIND ? (size_t)before : IT_BYTES_BEHIND;
    return cairn_disasm_it_behind(code->window.bytes + before - size, size);
}

static void fill_line(struct cairn_code *code, enum cairn_isa isa, uint64_t address,
                      const struct cairn_insn *insn, struct cairn_code_line *line)
{
    line->address = address;
    line->opcode = insn->opcode;
    line->size = insn->size;
    line->shown_size = 0;
    line->symbol_offset = 0;
    line->symbol = cairn_code_symbol(code, address, &line->symbol_offset);
    line->object = line->symbol ? NULL : cairn_space_object(code->space, address);
    if (!code->disasm)
        code->disasm = cairn_disasm_new();
    if (isa == CAIRN_ISA_T32)
        cairn_disasm_in_it(code->disasm, it_state(code, address));
    cairn_disassemble(code->disasm, code->arch, isa, address, insn, line->text, sizeof line->text);
    line->bare = (uint8_t)strlen(line->text);
    line->has_target = insn->kind == CAIRN_INSN_BRANCH_DIRECT;
    line->target = insn->target;
    if (line->has_target)
        append_target(code, insn, line->text, sizeof line->text);
}

bool cairn_code_lacks_llvm(const struct cairn_code *code)
{
    return cairn_disasm_lacked_names(code->disasm);
}

struct cairn_code_line *cairn_code_line(struct cairn_code *code, enum cairn_isa isa,
                                        uint64_t address)
{
    struct cairn_insn insn;

    if (!find_window(code, address))
        return NULL;
    if (!code->lines && !(code->lines = calloc(LINES_KEPT, sizeof *code->lines)))
        return NULL;
    struct kept_line *kept = &code->lines[(address >> 1) % LINES_KEPT];
    if (kept->state == LINE_FILLED && kept->line.address == address && kept->isa == isa &&
        kept->layer == code->window.layer)
        return &kept->line;
    size_t layer = code->window.layer;
    if (!cairn_space_insn(code->space, code->arch, isa, address, &insn))
        return NULL;
    fill_line(code, isa, address, &insn, &kept->line);
    kept->isa = isa;
    kept->layer = layer;
    kept->state = LINE_FILLED;
    return &kept->line;
}

const struct cairn_code_place *cairn_code_place(struct cairn_code *code, uint64_t address)
{
    static const struct cairn_code_place nowhere;

    if (!code->places && !(code->places = calloc(PLACES_KEPT, sizeof *code->places)))
        return &nowhere;
    struct kept_place *const kept = &code->places[(address >> 1) % PLACES_KEPT];
    const uint64_t identity = cairn_space_identity(code->space);
    uint64_t from = 0, until = 0;
    cairn_space_hold(code->space, &from, &until);
    if (kept->filled && kept->address == address && kept->identity == identity &&
        kept->from == from)
        return &kept->place;
    kept->filled = true;
    kept->address = address;
    kept->identity = identity;
    kept->from = from;
    kept->place.count = cairn_space_frames(code->space, address, kept->place.frames,
                                           CAIRN_FRAMES_MAX, &kept->place.changed);
    return &kept->place;
}

bool cairn_code_word(struct cairn_code *code, uint64_t address, uint32_t *word)
{
    return cairn_space_word(code->space, address, word);
}

struct cairn_image *cairn_code_image(const struct cairn_code *code)
{
    return code->image;
}
