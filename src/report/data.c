/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/data.h"

#include <stdio.h>
#include <string.h>

#include "report/event.h"

enum {
    ADDRESS_DIGITS = 8,
    BYTE_BITS = 8,
};

/* The bits of registers that say in which order the transfers are, or whether their addresses do.
 */
enum {
    ETMCR_DATA_ADDRESS = 3,
    ETMIDR_PC_FIRST = 16,
    ETMIDR2_PSR_FIRST = 0,
    ETMIDR2_STORE_FIRST = 1
};

static bool register_bit(const struct cairn_source_info *source, const char *name, unsigned bit)
{
    for (size_t i = 0; i < source->register_count; i++)
        if (strcmp(source->registers[i].name, name) == 0)
            return source->registers[i].value >> bit & 1;
    return false;
}

static uint32_t order_of(const struct cairn_source_info *source, bool big_endian)
{
    uint32_t order = big_endian ? CAIRN_TRANSFERS_BIG_ENDIAN : 0;

    if (register_bit(source, "ETMIDR", ETMIDR_PC_FIRST))
        order |= CAIRN_TRANSFERS_PC_FIRST;
    if (register_bit(source, "ETMIDR2", ETMIDR2_PSR_FIRST))
        order |= CAIRN_TRANSFERS_PSR_FIRST;
    if (register_bit(source, "ETMIDR2", ETMIDR2_STORE_FIRST))
        order |= CAIRN_TRANSFERS_STORE_FIRST;
    return order;
}

static void name_core_register(const struct cairn_transfer *transfer, char *name, size_t size)
{
    static const char *const last[] = {"sp", "lr", "pc"};
    const unsigned first = 13;

    if (transfer->number >= first && transfer->number - first < sizeof last / sizeof *last)
        snprintf(name, size, "%s", last[transfer->number - first]);
    else
        snprintf(name, size, "r%u", transfer->number);
}

static void name_register(const struct cairn_transfer *transfer, char *name, size_t size)
{
    const unsigned number = transfer->number;
    const unsigned width = transfer->size * BYTE_BITS;
    const unsigned low = transfer->part * width;

    switch ((enum cairn_register_file)transfer->file) {
    case CAIRN_REGISTER_R: name_core_register(transfer, name, size); return;
    case CAIRN_REGISTER_S: snprintf(name, size, "s%u", number); return;
    case CAIRN_REGISTER_D:
        if (transfer->part == CAIRN_TRANSFER_ALL_PARTS)
            snprintf(name, size, "d%u[]", number);
        else
            snprintf(name, size, "d%u[%u:%u]", number, low + width - 1, low);
        return;
    case CAIRN_REGISTER_FLAGS: snprintf(name, size, "flags"); return;
    case CAIRN_REGISTER_PSR: snprintf(name, size, "psr"); return;
    case CAIRN_REGISTER_COPROCESSOR: snprintf(name, size, "c%u", number); return;
    case CAIRN_REGISTER_SEVERAL: snprintf(name, size, "d%u...", number); return;
    case CAIRN_REGISTER_UNKNOWN:
    case CAIRN_REGISTER_NONE: break;
    }
    name[0] = '\0';
}

static const char *direction_of(const struct cairn_transfer *transfer)
{
    switch ((enum cairn_transfer_kind)transfer->kind) {
    case CAIRN_TRANSFER_LOAD: return "load";
    case CAIRN_TRANSFER_STORE: return "store";
    case CAIRN_TRANSFER_FROM_COPROCESSOR: return "from-coprocessor";
    case CAIRN_TRANSFER_TO_COPROCESSOR: return "to-coprocessor";
    }
    return NULL;
}

/* The direction is known where all transfers of the instruction have the same. */
static void describe(const struct cairn_transfers *transfers, unsigned index,
                     struct cairn_data_line *line)
{
    const struct cairn_transfer *transfer = &transfers->list[index];

    line->direction = direction_of(&transfers->list[0]);
    line->size = transfers->list[0].size;
    for (unsigned i = 1; i < transfers->count; i++) {
        if (transfers->list[i].kind != transfers->list[0].kind)
            line->direction = NULL;
        if (transfers->list[i].size != line->size)
            line->size = 0;
    }
    if (index >= transfers->count)
        return;
    name_register(transfer, line->name, sizeof line->name);
    line->certain = transfers->count == 1 &&
                    !(transfers->flags & (CAIRN_TRANSFERS_MORE | CAIRN_TRANSFERS_ASSUMED));
}

static bool is_transfer(unsigned kind)
{
    return kind == CAIRN_DATA_NORMAL || kind == CAIRN_DATA_PLACEHOLDER ||
           kind == CAIRN_DATA_NOT_TRACED;
}

static bool has_instruction(unsigned flags, uint32_t form)
{
    return !(flags & (CAIRN_FLOW_UNKNOWN | CAIRN_FLOW_BY_CORE)) && !CAIRN_FLOW_DATA_IS_LATE(form);
}

/* The order of bytes in a transfer, which is that of the words of a D register, too. */
struct byte_order {
    bool big_endian, known;
};

/* CPSR.E comes with the address of a transfer, where addresses are traced, SCTLR.B never (IHI0014
 * 4.9.1): else the program's ELF file tells. */
static struct byte_order find_order(const struct cairn_listing *listing,
                                    const struct cairn_flow_batch *batch, size_t index)
{
    enum cairn_order order = CAIRN_ORDER_LITTLE;
    const bool told = cairn_code_data_order(
        listing->code, cairn_flow_data_instruction(batch->address[index]), &order);

    if (batch->flags[index] & CAIRN_FLOW_BIG_ENDIAN || order == CAIRN_ORDER_BE32)
        return (struct byte_order){true, true};
    if (register_bit(listing->source, "ETMCR", ETMCR_DATA_ADDRESS))
        return (struct byte_order){false, true};
    return (struct byte_order){order == CAIRN_ORDER_BE8, told};
}

static bool find_transfers(const struct cairn_listing *listing,
                           const struct cairn_flow_batch *batch, size_t index, bool big_endian,
                           struct cairn_transfers *transfers)
{
    struct cairn_insn insn;

    if (!cairn_code_insn(listing->code, batch->isa[index],
                         cairn_flow_data_instruction(batch->address[index]), &insn))
        return false;
    cairn_insn_transfers(cairn_config_arch(listing->config), batch->isa[index], &insn,
                         order_of(listing->source, big_endian), transfers);
    return transfers->count > 0;
}

/* Whether the transfer would be another register's in the other order. */
static bool depends_on_order(const struct cairn_listing *listing,
                             const struct cairn_flow_batch *batch, size_t index,
                             const struct cairn_transfer *transfer, unsigned which)
{
    struct cairn_transfers other;

    return !find_transfers(listing, batch, index, true, &other) || which >= other.count ||
           other.list[which].number != transfer->number || other.list[which].part != transfer->part;
}

static bool is_in_memory(const struct cairn_transfer *transfer)
{
    return transfer->kind == CAIRN_TRANSFER_LOAD || transfer->kind == CAIRN_TRANSFER_STORE;
}

static void find_base(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                      const struct cairn_transfers *transfers)
{
    for (size_t i = 0; i < batch->count && !listing->base_known; i++) {
        const uint32_t form = batch->instructions[i];
        const struct cairn_transfer *transfer =
            &transfers->list[listing->first_transfer + CAIRN_FLOW_DATA_TRANSFER(form)];

        if (!has_instruction(batch->flags[i], form) || !is_transfer(CAIRN_FLOW_DATA_KIND(form)) ||
            !(batch->flags[i] & CAIRN_FLOW_HAS_ADDRESS) || !is_in_memory(transfer))
            continue;
        listing->base = cairn_flow_data_address(batch->address[i]) - (uint32_t)transfer->offset;
        listing->base_known = true;
    }
}

/* In memory, each as far behind the one before, in the order in which they are traced: the next one of
 * those that are traced is where it is whichever of the instruction's they are. */
static bool are_even(const struct cairn_transfers *transfers)
{
    const struct cairn_transfer *list = transfers->list;

    for (unsigned i = 0; i < transfers->count; i++)
        if (!is_in_memory(&list[i]) ||
            (i > 1 && list[i].offset - list[i - 1].offset != list[1].offset - list[0].offset))
            return false;
    return true;
}

/* The base from what is known of the words; `first`: the record of the first of them. */
static void find_words(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                       size_t first, const struct cairn_transfers *transfers)
{
    const uint32_t instruction = cairn_flow_data_instruction(batch->address[first]);
    const unsigned offset = transfers->list[listing->first_transfer].offset;

    if (!listing->base_known && listing->words_known && listing->words_of == instruction &&
        CAIRN_FLOW_DATA_TRANSFER(batch->instructions[first]) > 0) {
        listing->base = listing->words_at - offset;
        listing->base_known = true;
    }
    listing->words_known = listing->base_known;
    listing->words_of = instruction;
    listing->words_at = listing->base + offset;
}

void cairn_data_count(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                      bool complete)
{
    struct cairn_transfers transfers;
    bool suppressed = false;
    unsigned traced = 0;
    size_t first = 0, at = 0;

    listing->first_transfer = 0;
    listing->transfers_known = false;
    listing->base_known = false;
    for (size_t i = 0; i < batch->count; i++) {
        const uint32_t form = batch->instructions[i];

        suppressed |= CAIRN_FLOW_DATA_KIND(form) == CAIRN_DATA_SUPPRESSED;
        if (!has_instruction(batch->flags[i], form))
            continue;
        if (CAIRN_FLOW_DATA_KIND(form) == CAIRN_DATA_SUPPRESSED)
            complete = false;
        if (!is_transfer(CAIRN_FLOW_DATA_KIND(form)))
            continue;
        first = traced == 0 ? i : first;
        at = i;
        traced = CAIRN_FLOW_DATA_TRANSFER(form) + 1;
    }
    cairn_code_select(listing->code, batch->offset[at]);
    if (traced == 0 ||
        !find_transfers(listing, batch, at, find_order(listing, batch, at).big_endian,
                        &transfers) ||
        traced > transfers.count ||
        (transfers.flags & (CAIRN_TRANSFERS_MORE | CAIRN_TRANSFERS_ASSUMED)))
        return;
    listing->transfers_known = complete || traced == transfers.count;
    if (listing->transfers_known)
        listing->first_transfer = transfers.count - traced;
    if (!suppressed && are_even(&transfers)) {
        find_base(listing, batch, &transfers);
        find_words(listing, batch, first, &transfers);
        return;
    }
    listing->words_known = false;
    if (listing->transfers_known)
        find_base(listing, batch, &transfers);
}

void cairn_data_line(const struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                     size_t index, struct cairn_data_line *line)
{
    const unsigned flags = batch->flags[index];
    const uint32_t form = batch->instructions[index];
    struct cairn_transfers transfers;
    unsigned which;

    memset(line, 0, sizeof *line);
    line->kind = CAIRN_FLOW_DATA_KIND(form);
    line->has_address = (flags & CAIRN_FLOW_HAS_ADDRESS) != 0;
    if (line->has_address)
        line->address = cairn_flow_data_address(batch->address[index]);
    if (!has_instruction(flags, form))
        return;
    line->has_instruction = true;
    line->instruction = cairn_flow_data_instruction(batch->address[index]);
    line->isa = batch->isa[index];
    if (!is_transfer(line->kind))
        return;
    const struct byte_order order = find_order(listing, batch, index);
    if (!find_transfers(listing, batch, index, order.big_endian, &transfers))
        return;
    which = listing->first_transfer + CAIRN_FLOW_DATA_TRANSFER(form);
    describe(&transfers, which, line);
    if (listing->transfers_known) {
        line->certain = true;
        line->direction = direction_of(&transfers.list[which]);
        line->size = transfers.list[which].size;
    }
    if (!line->has_address && listing->base_known && which < transfers.count &&
        is_in_memory(&transfers.list[which])) {
        line->has_address = line->implied = true;
        line->address = listing->base + transfers.list[which].offset;
    }
    if (line->certain && !order.known &&
        depends_on_order(listing, batch, index, &transfers.list[which], which))
        line->certain = false;
}

static void write_hex(struct cairn_output *output, const char *before, uint64_t value,
                      unsigned digits)
{
    cairn_output_text(output, before);
    cairn_output_text(output, "0x");
    cairn_output_hex(output, value, digits);
}

void cairn_data_value(struct cairn_output *output, const struct cairn_data_line *line,
                      uint64_t value)
{
    write_hex(output, "", value, line->size * 2);
}

/* "load r4", "stack", "data" ... */
static void write_subject(struct cairn_output *output, const struct cairn_data_line *line,
                          unsigned flags)
{
    if (flags & CAIRN_FLOW_BY_CORE)
        cairn_output_text(output, "the core's own data");
    else
        cairn_output_text(output, line->direction ? line->direction : "data");
    if (line->name[0])
        cairn_output_format(output, " %s%s", line->name, line->certain ? "" : "?");
}

static void write_transfer(struct cairn_output *output, const struct cairn_data_line *line,
                           const struct cairn_flow_batch *batch, size_t index)
{
    const unsigned flags = batch->flags[index];
    const bool stores = line->direction && strcmp(line->direction, "store") == 0;
    const bool loads = line->direction && strcmp(line->direction, "load") == 0;

    write_subject(output, line, flags);
    if (flags & CAIRN_FLOW_HAS_VALUE) {
        cairn_output_text(output, " = ");
        cairn_data_value(output, line, batch->value[index]);
    }
    if (line->has_address) {
        write_hex(output,
                  stores  ? " -> ["
                  : loads ? " <- ["
                          : " at [",
                  line->address, ADDRESS_DIGITS);
        cairn_output_char(output, ']');
    }
    if (line->kind == CAIRN_DATA_PLACEHOLDER)
        cairn_output_format(output, ", value comes late, tag %u",
                            CAIRN_FLOW_DATA_TAG(batch->instructions[index]));
    else if (line->kind == CAIRN_DATA_NOT_TRACED)
        cairn_output_text(output, ", value not traced");
}

static void write_late(struct cairn_output *output, const struct cairn_flow_batch *batch,
                       size_t index)
{
    const uint32_t form = batch->instructions[index];

    if (CAIRN_FLOW_DATA_KIND(form) == CAIRN_DATA_LATE &&
        (batch->flags[index] & CAIRN_FLOW_HAS_VALUE))
        write_hex(output, "late value ", batch->value[index], 0);
    else if (CAIRN_FLOW_DATA_KIND(form) == CAIRN_DATA_LATE)
        cairn_output_text(output, "late value, not traced");
    else
        cairn_output_text(output, "exclusive store failed");
    cairn_output_format(output, ", tag %u", CAIRN_FLOW_DATA_TAG(form));
    if (batch->flags[index] & CAIRN_FLOW_UNKNOWN)
        cairn_output_text(output, ", of a transfer that is not in the trace");
    else
        write_hex(output, ", of the transfer at offset ", batch->address[index], ADDRESS_DIGITS);
}

void cairn_data_phrase(struct cairn_output *output, const struct cairn_data_line *line,
                       const struct cairn_flow_batch *batch, size_t index, uint64_t last)
{
    if (CAIRN_FLOW_DATA_IS_LATE(batch->instructions[index])) {
        write_late(output, batch, index);
        return;
    }
    switch ((enum cairn_data_kind)line->kind) {
    case CAIRN_DATA_LATE:
    case CAIRN_DATA_PINS:
    case CAIRN_DATA_NORMAL:
    case CAIRN_DATA_PLACEHOLDER:
    case CAIRN_DATA_NOT_TRACED: write_transfer(output, line, batch, index); break;
    case CAIRN_DATA_SUPPRESSED: cairn_output_text(output, "data suppressed from here on"); break;
    case CAIRN_DATA_STORE_FAILED: cairn_output_text(output, "exclusive store failed"); break;
    }
    if (!line->has_instruction && !(batch->flags[index] & CAIRN_FLOW_BY_CORE))
        cairn_output_text(output, ", of an unknown instruction");
    else if (line->has_instruction && line->instruction != last)
        write_hex(output, ", of the instruction at ", line->instruction, ADDRESS_DIGITS);
}
