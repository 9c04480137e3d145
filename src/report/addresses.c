/* SPDX-License-Identifier: BSD-2-Clause */
/* One executed instruction a line: what other tools compare with. A contract:
 *   HEX[ E| N]   the address, lower case, without prefix; E or N behind each P0 instruction, and
 *                where all have Atoms behind branches and, N, what failed its condition
 *   # words      everything else */
#include <string.h>

#include "report/event.h"
#include "report/report.h"

/* In one page of addresses only the last three digits change. */
#define PAGE_BITS 12
#define PAGE_DIGITS 3
#define LINE_MAX 24 /* 16 digits, " E", end of line, and some room */

static const char hex_digits[] = "0123456789abcdef";

static void addresses_heading(struct cairn_listing *listing)
{
    const struct cairn_source_info *source = listing->source;

    cairn_output_format(listing->output, "# source %s", source->name);
    if (source->trace_id >= 0)
        cairn_output_format(listing->output, " id 0x%02x", (unsigned)source->trace_id);
    if (listing->buffer)
        cairn_output_format(listing->output, " buffer %s", listing->buffer);
    cairn_output_line(listing->output);
}

static void addresses_note(struct cairn_listing *listing, const char *text)
{
    cairn_output_text(listing->output, "# ");
    cairn_output_text(listing->output, text);
    cairn_output_line(listing->output);
}

/* The digits of `page` without leading zeros; returns how many, 0 for page 0. */
static unsigned page_prefix(uint64_t page, char prefix[16])
{
    unsigned count = page ? (unsigned)(67 - __builtin_clzll(page)) / 4 : 0;

    for (unsigned at = count; at-- > 0; page >>= 4)
        prefix[at] = hex_digits[page & 15];
    return count;
}

/* Writes one address without its line end; returns behind the last digit. */
static char *put_address(char *to, const char *prefix, unsigned prefix_count, uint64_t address)
{
    unsigned low = (unsigned)(address & ((1u << PAGE_BITS) - 1));

    if (prefix_count) {
        memcpy(to, prefix, prefix_count);
        to += prefix_count;
    }
    for (unsigned shift = PAGE_BITS; shift > 0;) {
        shift -= 4;
        if (prefix_count || low >> shift || shift == 0)
            *to++ = hex_digits[low >> shift & 15];
    }
    return to;
}

static const char *flag_text(char outcome)
{
    if (outcome == 'E')
        return " E\n";
    return outcome == 'N' ? " N\n" : "\n";
}

static void addresses_range(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                            size_t index)
{
    struct cairn_output *output = listing->output;
    enum cairn_isa isa = batch->isa[index];
    uint64_t address = batch->address[index];
    uint32_t count = batch->instructions[index];
    uint64_t page = address >> PAGE_BITS;
    char prefix[16];
    unsigned prefix_count = page_prefix(page, prefix);
    const char *flag = flag_text(cairn_code_outcome(listing->code, batch, index));

    for (uint32_t i = 0; i < count && cairn_output_wanted(output); i++) {
        if (address >> PAGE_BITS != page) {
            page = address >> PAGE_BITS;
            prefix_count = page_prefix(page, prefix);
        }
        char *start = cairn_output_room(output, LINE_MAX);
        char *end = put_address(start, prefix, prefix_count, address);
        const char *behind = i + 1 == count ? flag : "\n";
        while (*behind)
            *end++ = *behind++;
        output->used += (size_t)(end - start);
        address += cairn_code_size(listing->code, isa, address);
    }
    if (output->flush == CAIRN_OUTPUT_FLUSH_LINES)
        cairn_output_flush(output);
}

static void addresses_flow(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                           size_t index, const struct cairn_origin *origin)
{
    (void)origin;
    if (batch->kind[index] == CAIRN_FLOW_RANGE) {
        addresses_range(listing, batch, index);
        return;
    }
    cairn_output_text(listing->output, "# ");
    cairn_event_write(listing->output, listing->config, batch, index);
    cairn_output_line(listing->output);
}

const struct cairn_report cairn_report_addresses = {
    .name = "addresses",
    .heading = addresses_heading,
    .flow = addresses_flow,
    .note = addresses_note,
};
