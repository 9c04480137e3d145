/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes that a scan reads in place, and the A-syncs in them, which no packet crosses: a packet
 * that ends before the next one, or so far before the last byte looked at that none can begin in
 * it, is whole (as parse.c has it, byte by byte). */
#include "base/bytes.h"
#include "protocol/etmv4/scan.h"

enum { LOOK = 16384 }; /* bytes in which an A-sync is looked for at a time */

/* The first of the last eleven zeros of the first A-sync in bytes[from, to); `to` for none. Eleven
 * zeros cover a whole word at every eighth byte. */
static size_t find_async(const uint8_t *bytes, size_t from, size_t to)
{
    size_t at = from + CAIRN_ETMV4_ASYNC_ZEROS - 4;

    while (at + 4 <= to) {
        size_t first = at;

        if (to - at >= 28 && cairn_load_le32(bytes + at) && cairn_load_le32(bytes + at + 8) &&
            cairn_load_le32(bytes + at + 16) && cairn_load_le32(bytes + at + 24)) {
            at += 32;
            continue;
        }
        if (cairn_load_le32(bytes + at) != 0) {
            at += 8;
            continue;
        }
        while (first > from && bytes[first - 1] == 0)
            first--;
        at += 4;
        while (at < to && bytes[at] == 0)
            at++;
        if (at == to)
            break;
        if (bytes[at] == CAIRN_ETMV4_ASYNC_END && at - first >= CAIRN_ETMV4_ASYNC_ZEROS)
            return at - CAIRN_ETMV4_ASYNC_ZEROS;
        at += CAIRN_ETMV4_ASYNC_ZEROS - 3; /* as above, from the byte behind */
    }
    return to;
}

bool cairn_etmv4_scan_look(struct cairn_scan_view *view, size_t at)
{
    size_t from = at;

    if (view->core < view->size || view->looked == view->size)
        return false;
    if (view->looked > at + CAIRN_ETMV4_ASYNC_ZEROS)
        from = view->looked - CAIRN_ETMV4_ASYNC_ZEROS;
    view->looked = view->size - from > LOOK ? from + LOOK : view->size;
    view->core = find_async(view->bytes, from, view->looked);
    if (view->core == view->looked) {
        view->core = view->size;
        view->limit = view->looked > at + CAIRN_ETMV4_ASYNC_ZEROS
                          ? view->looked - CAIRN_ETMV4_ASYNC_ZEROS
                          : at;
    } else {
        view->looked = view->core + CAIRN_ETMV4_ASYNC_ZEROS + 1;
        view->limit = view->core;
    }
    return true;
}

void cairn_etmv4_scan_move(struct cairn_scan_view *view, size_t at)
{
    if (view->core >= at)
        return;
    view->core = view->size;
    view->limit = at;
}

size_t cairn_etmv4_scan_async(struct cairn_scan_view *view, size_t at)
{
    size_t end = at;

    if (view->core == view->size)
        return 0;
    while (end < view->core && view->bytes[end] == 0)
        end++;
    if (end < view->core)
        return 0;
    end = view->core + CAIRN_ETMV4_ASYNC_ZEROS + 1;
    view->core = view->size;
    view->limit = end;
    return end - at;
}

size_t cairn_etmv4_scan_stop(const struct cairn_scan_view *view, size_t at)
{
    const size_t whole =
        view->size - at >= CAIRN_SCAN_MARGIN ? view->size - CAIRN_SCAN_MARGIN + 1 : at;

    return view->limit < whole ? view->limit : whole;
}
