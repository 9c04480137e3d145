/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/gaps.h"

#include <string.h>

#include "base/golden.h"
#include "base/letters.h"

static void add_place(struct cairn_gaps *gaps, struct cairn_gap_sum *sum, uint64_t address)
{
    const size_t room = 2 * CAIRN_GAP_PLACES;
    size_t at = (size_t)(((address + sum->account) * CAIRN_GOLDEN) >> 32);

    for (;; at++) {
        at %= room;
        if (!gaps->place_account[at])
            break;
        if (gaps->places[at] == address && gaps->place_account[at] == sum->account)
            return;
    }
    sum->places++;
    if (gaps->place_count == CAIRN_GAP_PLACES) /* from here on each counts as another one */
        return;
    gaps->place_count++;
    gaps->places[at] = address;
    gaps->place_account[at] = (uint8_t)sum->account;
}

void cairn_gaps_add(struct cairn_gaps *gaps, const struct cairn_flow_batch *batch, size_t index)
{
    const unsigned account = (unsigned)batch->value[index];
    struct cairn_gap_sum *sum = gaps->list;
    struct cairn_gap_sum *const end = sum + gaps->count;

    while (sum < end && sum->account != account)
        sum++;
    if (sum == end) {
        if (gaps->count == CAIRN_LEDGER_ACCOUNTS)
            return;
        gaps->count++;
        *sum = (struct cairn_gap_sum){.account = account, .address = batch->address[index]};
    }
    sum->packets++;
    sum->bytes += batch->length[index];
    if (sum->packets == 1 || sum->address != batch->address[index] || sum->places > 1)
        add_place(gaps, sum, batch->address[index]);
}

void cairn_gaps_clear(struct cairn_gaps *gaps)
{
    if (gaps->place_count)
        memset(gaps->place_account, 0, sizeof gaps->place_account);
    gaps->place_count = 0;
    gaps->count = 0;
}

bool cairn_gaps_target(const struct cairn_flow_batch *batch, size_t index, uint64_t *target)
{
    *target = batch->address[index];
    return batch->value[index] == CAIRN_GAP_NO_IMAGE;
}

static void write_count(struct cairn_output *output, const char *before, uint64_t count,
                        const char *what)
{
    cairn_output_format(output, "%s%llu %s%s", before, (unsigned long long)count, what,
                        cairn_plural(count));
}

void cairn_gaps_write(const struct cairn_gap_sum *sum, struct cairn_told *told,
                      struct cairn_output *output)
{
    if (sum->account == CAIRN_GAP_NO_IMAGE) {
        cairn_output_text(output, "gap: no memory at ");
        cairn_told_address(told, output, sum->address);
        cairn_output_text(output, sum->places > 1 ? ".." : "");
    } else {
        cairn_output_text(output, cairn_account_name((enum cairn_account)sum->account));
    }
    if (sum->account == CAIRN_GAP_LOST) /* no packet is there */
        return;
    write_count(output, " (", sum->packets, "packet");
    write_count(output, ", ", sum->bytes, "byte");
    if (sum->places > 1 && sum->account == CAIRN_GAP_NO_IMAGE)
        write_count(output, sum->places > CAIRN_GAP_PLACES ? ", at most " : ", ", sum->places,
                    "place");
    cairn_output_char(output, ')');
}
