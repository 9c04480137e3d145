/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/dropped_lines.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

#define NOWHERE (UINT64_C(1) << 62) /* neither half of the address space has that */

/* Bytes that are read one after the other; behind the last ones are zeros. */
struct reader {
    uint8_t *bytes;
    size_t at, end;
    bool is_big;
};

/* DWARF 5, section 6.2.4. */
struct program {
    uint8_t minimum_length; /* of an instruction */
    int8_t line_base;
    uint8_t line_range, opcode_base;
    uint8_t lengths[256]; /* of standard opcodes: how many operands */
    struct reader code;
};

struct sequence {
    bool begins; /* at an address that it says */
    bool has_end;
    uint64_t first, end;
    uint64_t line; /* of the last row until now */
    uint64_t first_line;
};

static uint64_t take(struct reader *reader, size_t size)
{
    uint64_t value = 0;

    for (size_t i = 0; i < size && reader->at < reader->end; i++) {
        const uint64_t byte = reader->bytes[reader->at++];
        value = reader->is_big ? value << 8 | byte : value | byte << 8 * i;
    }
    return value;
}

static uint64_t take_leb(struct reader *reader)
{
    uint64_t value = 0, byte = 0x80;

    for (unsigned shift = 0; byte & 0x80 && reader->at < reader->end; shift += 7) {
        byte = reader->bytes[reader->at++];
        value |= shift < 64 ? (byte & 0x7f) << shift : 0;
    }
    return value;
}

/* The next program; false: there is none, or it is damaged. One of an unknown version is empty. */
static bool next_program(struct reader *section, struct program *program)
{
    struct reader header = *section;
    uint64_t length = take(&header, 4);
    const bool is_long = length == UINT32_MAX;

    if (is_long)
        length = take(&header, 8);
    if (length < 8 || length > header.end - header.at)
        return false;
    header.end = header.at + (size_t)length;
    section->at = header.end;
    *program = (struct program){.code = header};
    program->code.at = header.end;
    const uint64_t version = take(&header, 2);
    if (version < 2 || version > 5)
        return true;
    if (version == 5)
        take(&header, 2);
    const uint64_t size = take(&header, is_long ? 8 : 4);
    if (size > header.end - header.at)
        return true;
    const size_t code = header.at + (size_t)size;
    program->minimum_length = (uint8_t)take(&header, 1);
    take(&header, version >= 4 ? 2 : 1);
    program->line_base = (int8_t)take(&header, 1);
    program->line_range = (uint8_t)take(&header, 1);
    program->opcode_base = (uint8_t)take(&header, 1);
    for (unsigned i = 1; i < program->opcode_base; i++)
        program->lengths[i] = (uint8_t)take(&header, 1);
    if (program->line_range && program->opcode_base)
        program->code.at = code;
    return true;
}

static uint64_t take_signed_leb(struct reader *reader)
{
    const size_t begin = reader->at;
    const uint64_t value = take_leb(reader);
    const size_t bits = 7 * (reader->at - begin);

    return bits && bits < 64 && value >> (bits - 1) ? value | UINT64_MAX << bits : value;
}

static void move(struct reader *reader, size_t size, uint64_t address)
{
    const uint64_t moved = size == 8 ? NOWHERE + address : UINT32_MAX;

    for (size_t i = 0; i < size && reader->at + i < reader->end; i++)
        reader->bytes[reader->at + i] = (uint8_t)(moved >> 8 * (reader->is_big ? size - 1 - i : i));
}

static void run_extended(struct program *program, struct sequence *sequence, bool moves)
{
    struct reader *const code = &program->code;
    const uint64_t size = take_leb(code);
    const size_t end = size < code->end - code->at ? code->at + (size_t)size : code->end;
    const uint64_t opcode = size ? take(code, 1) : 0;

    if (opcode == DW_LNE_set_address && (size == 5 || size == 9)) {
        const size_t width = (size_t)size - 1;
        struct reader operand = *code;
        const uint64_t address = take(&operand, width);

        if (moves)
            move(code, width, address);
        if (!sequence->begins)
            sequence->first =
                width == 4 && address >= UINT32_MAX - 1 ? address - UINT32_MAX - 1 : address;
        sequence->begins = true;
        sequence->end = address;
    }
    sequence->has_end = opcode == DW_LNE_end_sequence;
    code->at = end;
}

static void add_row(struct sequence *sequence)
{
    if (!sequence->first_line)
        sequence->first_line = sequence->line;
}

/* One sequence, of which its addresses and its first line matter. */
static void run(struct program *program, struct sequence *sequence, bool moves)
{
    struct reader *const code = &program->code;
    const unsigned base = program->opcode_base, range = program->line_range;

    *sequence = (struct sequence){.line = 1};
    while (!sequence->has_end && code->at < code->end) {
        const unsigned opcode = code->bytes[code->at++];

        if (opcode >= base) {
            sequence->end += (uint64_t)program->minimum_length * ((opcode - base) / range);
            sequence->line += (uint64_t)(int64_t)program->line_base + (opcode - base) % range;
            add_row(sequence);
            continue;
        }
        switch (opcode) {
        case 0: run_extended(program, sequence, moves); break;
        case DW_LNS_copy: add_row(sequence); break;
        case DW_LNS_advance_line: sequence->line += take_signed_leb(code); break;
        case DW_LNS_advance_pc: sequence->end += program->minimum_length * take_leb(code); break;
        case DW_LNS_const_add_pc:
            sequence->end += (uint64_t)program->minimum_length * ((255 - base) / range);
            break;
        case DW_LNS_fixed_advance_pc: sequence->end += take(code, 2); break;
        default:
            for (unsigned i = 0; i < program->lengths[opcode]; i++)
                take_leb(code);
        }
    }
}

static bool is_dropped(const struct sequence *sequence)
{
    return sequence->begins && sequence->has_end &&
           (sequence->first == 0 || sequence->first >= UINT64_MAX - 1);
}

/* Where the kept sequence of this program begins in the section; SIZE_MAX: it has none. */
static size_t find_kept(const struct program *program, const struct cairn_kept_lines *kept)
{
    struct program copy = *program;
    struct sequence sequence;
    size_t found = SIZE_MAX;
    uint64_t nearest = UINT64_MAX, shortest = UINT64_MAX;

    while (copy.code.at < copy.code.end) {
        const size_t at = copy.code.at;

        run(&copy, &sequence, false);
        /* Those that begin in front of the declaration come to be the farthest. */
        const uint64_t distance = sequence.first_line - kept->line;
        if (!is_dropped(&sequence) || sequence.first != 0 || sequence.end < kept->end ||
            distance > nearest || (distance == nearest && sequence.end >= shortest))
            continue;
        found = at;
        nearest = distance;
        shortest = sequence.end;
    }
    return found;
}

static Elf_Scn *find_section(Elf *elf)
{
    Elf_Scn *section = NULL;
    GElf_Shdr shdr;
    size_t names;

    if (elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        const char *const name =
            gelf_getshdr(section, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;

        if (name && (!strcmp(name, ".debug_line") || !strcmp(name, ".zdebug_line")) &&
            shdr.sh_type != SHT_NOBITS && !(shdr.sh_flags & SHF_COMPRESSED))
            return section;
    }
    return NULL;
}

/* The bytes are copied when the first is to change. */
static bool copy_bytes(struct reader *section, struct program *program, void **copy)
{
    if (!*copy) {
        *copy = malloc(section->end);
        if (!*copy)
            return false;
        memcpy(*copy, section->bytes, section->end);
        section->bytes = program->code.bytes = *copy;
    }
    return true;
}

/* libdw reads what a section's descriptors point to: a byte has no order, so that both are of the same ones. */
static void give(Elf_Scn *section, void *bytes)
{
    Elf_Data *const raw = elf_rawdata(section, NULL), *const data = elf_getdata(section, NULL);

    if (raw)
        raw->d_buf = bytes;
    if (data)
        data->d_buf = bytes;
}

void *cairn_dropped_lines(Elf *elf, const struct cairn_kept_lines *kept)
{
    Elf_Scn *const found = find_section(elf);
    Elf_Data *const data = found ? elf_rawdata(found, NULL) : NULL;
    GElf_Ehdr ehdr;
    void *copy = NULL;

    if (!data || !data->d_buf || !gelf_getehdr(elf, &ehdr))
        return NULL;
    struct reader section = {
        .bytes = data->d_buf, .end = data->d_size, .is_big = ehdr.e_ident[EI_DATA] == ELFDATA2MSB};
    struct program program;
    for (uint64_t begin = 0; next_program(&section, &program); begin = section.at) {
        const size_t stays = begin == kept->program ? find_kept(&program, kept) : SIZE_MAX;

        while (program.code.at < program.code.end) {
            const size_t first = program.code.at;
            struct sequence sequence;

            run(&program, &sequence, false);
            if (!is_dropped(&sequence) || first == stays)
                continue;
            if (!copy_bytes(&section, &program, &copy))
                return NULL;
            program.code.at = first;
            run(&program, &sequence, true);
        }
    }
    if (copy)
        give(found, copy);
    return copy;
}
