/* SPDX-License-Identifier: BSD-2-Clause */
/* The code of functions, also what was not executed of it: by the symbols of their files, which say with
 * mapping symbols what is A64, A32, T32 and data (ELF for the Arm Architecture, 5.5.5). */
#include "report/coverage.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "flow/fetch.h"
#include "image/elf.h"
#include "image/elf_symbols.h"
#include "image/symbol.h"

/* From an address of a file on there is code of an instruction set, or data. */
struct code_mark {
    uint64_t address;
    uint8_t isa; /* enum cairn_isa; UNKNOWN: data */
};

struct code_marks {
    struct code_mark *list;
    size_t count, room;
    bool by_symbols; /* there are mapping symbols */
};

static int by_mark(const void *left, const void *right)
{
    const struct code_mark *const a = left, *const b = right;

    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return (a->isa > b->isa) - (a->isa < b->isa);
}

static cairn_status add_mark(struct code_marks *marks, uint64_t address, enum cairn_isa isa)
{
    if (cairn_grow((void **)&marks->list, marks->count, &marks->room, sizeof *marks->list))
        return CAIRN_E_MEMORY;
    marks->list[marks->count++] = (struct code_mark){.address = address, .isa = (uint8_t)isa};
    return CAIRN_OK;
}

static bool is_mark(const char *text, enum cairn_isa *isa)
{
    static const struct {
        char letter;
        enum cairn_isa isa;
    } kinds[] = {
        {'x', CAIRN_ISA_A64}, {'a', CAIRN_ISA_A32}, {'t', CAIRN_ISA_T32}, {'d', CAIRN_ISA_UNKNOWN}};

    if (text[0] != '$' || text[1] == '\0' || (text[2] != '\0' && text[2] != '.'))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (text[1] == kinds[i].letter) {
            *isa = kinds[i].isa;
            return true;
        }
    return false;
}

/* `by_symbols`: mapping symbols; else what functions' symbols say. */
static cairn_status read_marks(struct Elf *elf, bool is_aarch64, struct code_marks *marks)
{
    Elf_Scn *section = NULL;
    GElf_Shdr shdr;
    struct cairn_strings strings;
    cairn_status status = CAIRN_OK;

    while (elf && (section = elf_nextscn(elf, section)) != NULL) {
        if (!gelf_getshdr(section, &shdr) ||
            (shdr.sh_type != SHT_SYMTAB && (marks->by_symbols || shdr.sh_type != SHT_DYNSYM)))
            continue;
        Elf_Data *const data = elf_getdata(section, NULL);
        const size_t entry = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
        if (!data || !entry || !cairn_strings_read(elf, shdr.sh_link, &strings))
            continue;
        const size_t count = data->d_size / entry;
        for (size_t i = 0; i < count && i <= INT32_MAX && !status; i++) {
            GElf_Sym symbol;
            enum cairn_isa isa = is_aarch64 ? CAIRN_ISA_A64 : CAIRN_ISA_A32;

            if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_name >= strings.size ||
                symbol.st_shndx == SHN_UNDEF)
                continue;
            if (marks->by_symbols) {
                if (is_mark(strings.data + symbol.st_name, &isa))
                    status = add_mark(marks, symbol.st_value, isa);
                continue;
            }
            if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
                continue;
            if (!is_aarch64 && (symbol.st_value & 1))
                isa = CAIRN_ISA_T32;
            status =
                add_mark(marks, is_aarch64 ? symbol.st_value : symbol.st_value & ~UINT64_C(1), isa);
        }
    }
    return status;
}

static cairn_status find_marks(const struct cairn_coverage_object *object, struct code_marks *marks)
{
    *marks = (struct code_marks){.by_symbols = true};
    cairn_status status = read_marks(object->functions.elf, object->is_aarch64, marks);

    if (!status && !marks->count) {
        marks->by_symbols = false;
        status = read_marks(object->functions.elf, object->is_aarch64, marks);
    }
    if (!status && marks->count)
        qsort(marks->list, marks->count, sizeof *marks->list, by_mark);
    return status;
}

/* The mark that says what is at the address, and where the next one is. */
static enum cairn_isa mark_at(const struct code_marks *marks, bool is_aarch64, uint64_t address,
                              uint64_t *until)
{
    size_t from = 0, end = marks->count;

    while (from < end) {
        const size_t middle = from + (end - from) / 2;

        if (marks->list[middle].address <= address)
            from = middle + 1;
        else
            end = middle;
    }
    *until = from < marks->count ? marks->list[from].address - 1 : UINT64_MAX;
    if (from == 0)
        return is_aarch64 ? CAIRN_ISA_A64 : CAIRN_ISA_UNKNOWN;
    return (enum cairn_isa)marks->list[from - 1].isa;
}

/* --- functions --- */

struct code_walk {
    struct cairn_coverage *coverage;
    uint32_t number; /* of the object */
    struct code_marks marks;
    struct cairn_image *image;
    struct cairn_space *space;
    struct cairn_fetch fetch;
    uint64_t bias; /* address in the space minus address in the file */
    /* what was executed of it, ascending, as far as it was not taken yet */
    struct cairn_coverage_insn *next, *end;
};

/* Takes what was executed in front of an instruction, and then that: what is told of it is what was executed, if it
 * was. */
static cairn_status take_insn(struct code_walk *walk, struct cairn_coverage_insn *insn)
{
    cairn_status status = CAIRN_OK;

    for (; walk->next < walk->end && !status; walk->next++) {
        walk->next->object = walk->number;
        const int order = cairn_coverage_compare(walk->next, insn);

        if (order > 0)
            break;
        if (order == 0)
            cairn_coverage_join(insn, walk->next);
        else
            status = cairn_coverage_add(walk->coverage, walk->next);
    }
    return status ? status : cairn_coverage_add(walk->coverage, insn);
}

/* What was executed of an A64 instruction is all that is told of it, if the file has the same there: it was decoded
 * already. */
static bool has_run(const struct code_walk *walk, enum cairn_isa isa, uint64_t address)
{
    const struct cairn_coverage_insn *const next = walk->next;

    return next < walk->end && next->address == address && isa == CAIRN_ISA_A64 &&
           next->isa == CAIRN_ISA_A64 && next->memory == 0 &&
           cairn_fetch_is(&walk->fetch, address + walk->bias, next->opcode);
}

/* *is_whole: all the code from `first` to `last` is there. */
static cairn_status walk_function(struct code_walk *walk, uint64_t first, uint64_t last,
                                  bool *is_whole)
{
    const struct cairn_coverage_object *const object = &walk->coverage->objects[walk->number];
    uint64_t at = first, until = 0;
    enum cairn_isa isa = CAIRN_ISA_UNKNOWN; /* of what is up to `until` */
    uint8_t it = 0;
    cairn_status status = CAIRN_OK;

    *is_whole = false;
    while (at <= last && at >= first && !status) {
        struct cairn_insn insn;

        if (at == first || at > until)
            isa = mark_at(&walk->marks, object->is_aarch64, at, &until);
        if (isa == CAIRN_ISA_UNKNOWN) {
            if (until >= last)
                return CAIRN_OK;
            at = until + 1;
            it = 0;
            continue;
        }
        if (has_run(walk, isa, at)) {
            walk->next->object = walk->number;
            status = cairn_coverage_add(walk->coverage, walk->next++);
            *is_whole = true;
            at += 4;
            continue;
        }
        if (!cairn_fetch_insn(&walk->fetch, isa, at + walk->bias, &insn)) {
            *is_whole = false;
            return CAIRN_OK;
        }
        *is_whole = true;
        const bool is_branch =
            insn.kind == CAIRN_INSN_BRANCH_DIRECT || insn.kind == CAIRN_INSN_BRANCH_INDIRECT;
        const bool has_condition = (insn.flags & CAIRN_INSN_CONDITIONAL) ||
                                   insn.cond < CAIRN_COND_AL ||
                                   cairn_it_condition(it) < CAIRN_COND_AL;
        struct cairn_coverage_insn made = {
            .address = at,
            .object = walk->number,
            .function = CAIRN_COVERAGE_NONE,
            .line = CAIRN_COVERAGE_NONE,
            .copy = CAIRN_COVERAGE_NONE,
            .opcode = insn.opcode,
            .isa = (uint8_t)isa,
            .size = insn.size,
            .choice = !has_condition ? CAIRN_CHOICE_NONE
                      : is_branch    ? CAIRN_CHOICE_BRANCH
                                     : CAIRN_CHOICE_CONDITION,
            .ends_block = is_branch,
            .is_call = is_branch && (insn.flags & CAIRN_INSN_LINK),
        };

        status = take_insn(walk, &made);
        it = insn.flags & CAIRN_INSN_IT ? insn.it : cairn_it_advance(it);
        at += insn.size;
    }
    return status;
}

/* Whether one of instructions *at.. of the object, which ascend, is in the function; *at moves on. */
static bool is_hit(const struct cairn_coverage_insn **at, const struct cairn_coverage_insn *end,
                   uint64_t first, uint64_t last)
{
    while (*at < end && (*at)->address < first)
        ++*at;
    return *at < end && (*at)->address <= last;
}

static cairn_status add_function(struct cairn_coverage *coverage, uint32_t object, const char *name,
                                 uint64_t first, uint64_t last)
{
    if (cairn_grow((void **)&coverage->functions, coverage->function_count,
                   &coverage->function_room, sizeof *coverage->functions))
        return CAIRN_E_MEMORY;
    coverage->functions[coverage->function_count++] =
        (struct cairn_coverage_function){.object = object,
                                         .name = name,
                                         .first = first,
                                         .last = last,
                                         .file = CAIRN_COVERAGE_NONE,
                                         .whole = CAIRN_COVERAGE_NONE,
                                         .seen_line = CAIRN_COVERAGE_NONE,
                                         .hit_line = CAIRN_COVERAGE_NONE};
    return CAIRN_OK;
}

/* Of a function without code what was executed is all that is known. */
static cairn_status take_function(struct code_walk *walk, const char *name, uint64_t first,
                                  uint64_t last)
{
    struct cairn_coverage *const coverage = walk->coverage;
    bool is_whole = false;
    cairn_status status = add_function(coverage, walk->number, name, first, last);

    if (!status && walk->space)
        status = walk_function(walk, first, last, &is_whole);
    if (!status)
        coverage->functions[coverage->function_count - 1].is_partial = !is_whole;
    return status;
}

/* Code that is in no function of the symbol table, and was executed, is what its label names, if it has one: from
 * there to the next symbol. It lies between the functions, from `first` to `last`; *behind: what is done with. */
static cairn_status take_label(struct code_walk *walk, uint64_t address, uint64_t first,
                               uint64_t last, uint64_t *behind)
{
    const struct cairn_coverage_object *const object = &walk->coverage->objects[walk->number];
    const struct cairn_symbols *symbols = NULL;
    const char *name = NULL;
    uint64_t offset = 0, from = 0, until = 0;

    *behind = address;
    if (!object->file || cairn_file_symbols(object->file, &symbols))
        return CAIRN_OK;
    if (cairn_symbols_gap(symbols, address, &from, &until)) {
        *behind = until > last ? last : until;
        return CAIRN_OK;
    }
    if (cairn_symbols_find(symbols, address, &name, &offset) ||
        cairn_symbols_extent(symbols, address, &from, &until))
        return CAIRN_OK;
    from = from < first ? first : from;
    *behind = until = until > last ? last : until;
    return take_function(walk, name, from, until);
}

static cairn_status take_functions(struct code_walk *walk)
{
    struct cairn_coverage *const coverage = walk->coverage;
    const struct cairn_coverage_object *const object = &coverage->objects[walk->number];
    const struct cairn_pgo_functions *const functions = &object->functions;
    const struct cairn_coverage_insn *at = walk->next, *next = walk->next, *const end = walk->end;
    uint64_t begin = 0,
             behind; /* the first address that no function has had; the last of a label */
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i <= functions->count && !status; i++) {
        const struct cairn_pgo_function *const one =
            i < functions->count ? &functions->list[i] : NULL;

        while (next < end && (!one || next->address < one->first) && !status) {
            status =
                take_label(walk, next->address, begin, one ? one->first - 1 : UINT64_MAX, &behind);
            while (next < end && next->address <= behind)
                next++;
        }
        if (!one || status)
            break;
        begin = one->last + 1;
        while (next < end && next->address <= one->last)
            next++;
        if (!is_hit(&at, end, one->first, one->last) && !coverage->of_program)
            continue;
        status = take_function(walk, one->name, one->first, one->last);
    }
    return status;
}

/* Where the code of an object is: in its file; or, if that has only names, in the memory that it was executed in.
 * Without either what was executed is left. */
static cairn_status find_code(struct code_walk *walk, const struct cairn_coverage_object *object)
{
    const struct cairn_place anywhere = {0};
    cairn_status status = cairn_image_new(&walk->image);

    if (status)
        return status;
    /* one whose code was taken out still says where that would be */
    if ((object->is_split || cairn_elf_has_code(object->file)) &&
        !cairn_image_add_elf(walk->image, object->path, 0, NULL, NULL)) {
        status = cairn_space_new(walk->image, &walk->space);
        return status ? status : cairn_space_select(walk->space, &anywhere);
    }
    walk->bias = object->bias;
    status = cairn_space_new(object->image, &walk->space);
    return status ? status : cairn_space_select(walk->space, &object->place);
}

/* At most so many instructions are in the functions that are walked, and were executed elsewhere. */
static size_t most_insns(const struct code_walk *walk)
{
    const struct cairn_coverage_object *const object = &walk->coverage->objects[walk->number];
    const struct cairn_pgo_functions *const functions = &object->functions;
    const struct cairn_coverage_insn *at = walk->next;
    const uint64_t size = object->is_aarch64 ? 4 : 2;
    uint64_t most = (uint64_t)(walk->end - walk->next);

    for (size_t i = 0; walk->space && i < functions->count && most < CAIRN_COVERAGE_INSNS_MAX;
         i++) {
        const struct cairn_pgo_function *const one = &functions->list[i];

        if (walk->coverage->of_program || is_hit(&at, walk->end, one->first, one->last))
            most += (one->last - one->first) / size + 1;
    }
    return most < CAIRN_COVERAGE_INSNS_MAX ? (size_t)most : CAIRN_COVERAGE_INSNS_MAX;
}

static cairn_status take_object(struct cairn_coverage *coverage, uint32_t number,
                                struct cairn_coverage_insn *first, struct cairn_coverage_insn *end)
{
    const struct cairn_coverage_object *const object = &coverage->objects[number];
    struct code_walk walk = {.coverage = coverage, .number = number, .next = first, .end = end};
    cairn_status status = CAIRN_OK;

    if (!object->is_unwanted && object->file && object->functions.elf) {
        status = find_marks(object, &walk.marks);
        if (!status)
            status = find_code(&walk, object);
        walk.fetch = (struct cairn_fetch){.space = walk.space, .arch = object->arch};
    }
    cairn_coverage_reserve(coverage, most_insns(&walk));
    if (!status && !object->is_unwanted)
        status = take_functions(&walk);
    for (; walk.next < end && !status; walk.next++) {
        walk.next->object = number;
        status = cairn_coverage_add(coverage, walk.next);
    }
    cairn_space_free(walk.space);
    cairn_image_unref(walk.image);
    free(walk.marks.list);
    return status;
}

/* Each instruction gets its function, and each function its instructions. */
static void share_out(struct cairn_coverage *coverage)
{
    size_t at = 0;

    for (size_t i = 0; i < coverage->function_count; i++) {
        struct cairn_coverage_function *const function = &coverage->functions[i];

        while (at < coverage->insn_count && (coverage->insns[at].object < function->object ||
                                             (coverage->insns[at].object == function->object &&
                                              coverage->insns[at].address < function->first)))
            at++;
        function->first_insn = at;
        for (; at < coverage->insn_count && coverage->insns[at].object == function->object &&
               coverage->insns[at].address <= function->last;
             at++) {
            coverage->insns[at].function = (uint32_t)i;
            function->is_hit |= coverage->insns[at].executed != 0;
        }
        function->insn_count = at - function->first_insn;
        function->is_partial &= function->is_hit;
        coverage->objects[function->object].partial += function->is_partial;
        if (function->insn_count &&
            coverage->insns[function->first_insn].address == function->first)
            function->entered = coverage->insns[function->first_insn].executed;
    }
}

void cairn_coverage_decode(const struct cairn_coverage *coverage,
                           const struct cairn_coverage_insn *insn, struct cairn_insn *decoded)
{
    const struct cairn_arch *const arch = &coverage->objects[insn->object].arch;
    const uint32_t opcode = insn->isa == CAIRN_ISA_T32 && insn->size == 4
                                ? insn->opcode >> 16 | insn->opcode << 16
                                : insn->opcode;
    const uint8_t bytes[4] = {(uint8_t)opcode, (uint8_t)(opcode >> 8), (uint8_t)(opcode >> 16),
                              (uint8_t)(opcode >> 24)};

    *decoded = (struct cairn_insn){0};
    (void)cairn_insn_decode(arch, (enum cairn_isa)insn->isa, insn->address, bytes, insn->size,
                            decoded);
}

uint64_t cairn_coverage_target(const struct cairn_coverage *coverage,
                               const struct cairn_coverage_insn *insn)
{
    struct cairn_insn decoded;

    cairn_coverage_decode(coverage, insn, &decoded);
    return decoded.kind == CAIRN_INSN_BRANCH_DIRECT ? decoded.target : 0;
}

cairn_status cairn_coverage_code(struct cairn_coverage *coverage)
{
    struct cairn_coverage_insn *const executed = coverage->insns;
    const size_t count = coverage->insn_count;
    size_t *const begins = malloc(((size_t)coverage->object_count + 1) * sizeof *begins);
    cairn_status status = begins ? CAIRN_OK : CAIRN_E_MEMORY;

    /* of each number that objects had: instructions get others when they are taken */
    for (uint32_t had = 0; had <= coverage->object_count && begins; had++)
        begins[had] = cairn_coverage_first(executed, count, had);
    coverage->insns = NULL;
    coverage->insn_count = coverage->insn_room = coverage->run = coverage->cursor = 0;
    for (uint32_t i = 0; i < coverage->object_count && !status; i++) {
        const uint32_t had = coverage->objects[i].number;
        const size_t first = begins[had], end = begins[had + 1];

        status = end > first ? take_object(coverage, i, &executed[first], &executed[end])
                             : take_object(coverage, i, NULL, NULL);
    }
    free(begins);
    free(executed);
    if (status)
        return status;
    cairn_coverage_sort(coverage);
    share_out(coverage);
    return CAIRN_OK;
}
