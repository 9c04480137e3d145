/* SPDX-License-Identifier: BSD-2-Clause */
/* Tokens, packed: each as its number in the list of those that ever followed the one before it. Lists only grow, and what
 * is new stands last, so that what was packed early is read the same way later, from the beginning of any page. */
#include "report/diff_kept.h"

#include <stdlib.h>

#include "base/bytes.h"

/* Those of a list that have a number; what follows more rarely is written out. */
#define LISTED_MOST 63u
/* Bits: the longest number, token, way and chain. */
#define CODE_MOST (13u + 32u + 3u + 32u)
/* So that a number of 64 bits is read at the last bit. */
#define PAGE_PAD 9u

/* How a token's chain of calls follows from that of the one before it. */
enum diff_chained {
    CHAINED_SAME = 0,
    CHAINED_PARENT = 1,
    CHAINED_CHILD = 2, /* by the name of the function that the token once entered */
    CHAINED_TAIL = 3,  /* the same, of a tail call */
    CHAINED_OTHER = 4, /* it is written out */
};
#define CHAINED_BITS 3u

cairn_status cairn_diff_add_page(struct cairn_diff_run *run, struct cairn_diff_pages *pages,
                                 struct cairn_diff_page page)
{
    const size_t bytes = CAIRN_DIFF_PAGE_BYTES + PAGE_PAD;

    run->kept += bytes + sizeof page;
    if (run->is_full || run->kept > CAIRN_DIFF_KEPT_MAX) {
        run->is_full = true;
        return CAIRN_OK;
    }
    if (cairn_grow((void **)&pages->list, pages->count, &pages->room, sizeof *pages->list))
        return CAIRN_E_MEMORY;
    page.bytes = calloc(1, bytes);
    if (!page.bytes)
        return CAIRN_E_MEMORY;
    pages->list[pages->count++] = page;
    return CAIRN_OK;
}

void cairn_diff_free_pages(struct cairn_diff_pages *pages)
{
    for (size_t i = 0; i < pages->count; i++)
        free(pages->list[i].bytes);
    free(pages->list);
    *pages = (struct cairn_diff_pages){0};
}

/* --- bits: the first one highest --- */

static uint64_t look(const uint8_t *bytes, uint32_t bit)
{
    return cairn_load_be64(bytes + bit / 8) << bit % 8;
}

/* Of at most 32 bits. */
static void put(struct cairn_diff_page *page, uint32_t value, uint32_t bits)
{
    uint8_t *const bytes = page->bytes + page->used / 8;
    const uint64_t shifted = (uint64_t)value << (64 - bits) >> page->used % 8;

    for (unsigned i = 0; i < 6; i++)
        bytes[i] |= (uint8_t)(shifted >> (56 - 8 * i));
    page->used += bits;
}

static uint32_t take(const uint8_t *bytes, uint32_t *bit, uint32_t bits)
{
    const uint32_t value = (uint32_t)(look(bytes, *bit) >> (64 - bits));

    *bit += bits;
    return value;
}

static uint32_t width_of(uint32_t value)
{
    uint32_t width = 1;

    while (value >> width)
        width++;
    return width;
}

/* Elias's gamma code: as many zeros as there are bits behind the first one. */
static void put_number(struct cairn_diff_page *page, uint32_t number)
{
    if (!number) { /* most of them */
        page->bytes[page->used / 8] |= (uint8_t)(0x80 >> page->used % 8);
        page->used++;
        return;
    }
    const uint32_t width = width_of(number + 1);

    put(page, number + 1, 2 * width - 1);
}

static uint32_t take_number(const uint8_t *bytes, uint32_t *bit)
{
    const uint64_t bits = look(bytes, *bit);
    uint32_t zeros = 0;

    if (bits >> 63) { /* most of them */
        ++*bit;
        return 0;
    }
    while (!(bits << zeros >> 63) && zeros < 15)
        zeros++;
    return take(bytes, bit, 2 * zeros + 1) - 1;
}

/* --- what follows what --- */

/* What a return goes to depends on who called, and everything else on the block alone. */
static uint32_t find_return(const struct cairn_diff *diff, uint32_t token, uint32_t caller,
                            uint32_t *hash)
{
    size_t at;
    uint32_t item;

    *hash = cairn_table_hash(token, (uint64_t)caller + 1);
    at = cairn_table_begin(&diff->by_return, *hash);
    while ((item = cairn_table_next(&diff->by_return, *hash, &at)) != CAIRN_TABLE_NONE)
        if (diff->returns[item].token == token && diff->returns[item].caller == caller)
            break;
    return item;
}

static uint32_t caller_of(const struct cairn_diff *diff, uint32_t chain)
{
    return diff->chains[diff->chains[chain].parent].name;
}

/* The first of what ever followed a token in a chain; 0: nothing has. */
static uint32_t first_of(const struct cairn_diff *diff, uint32_t token, uint32_t chain)
{
    uint32_t hash;

    if (!diff->blocks[token].is_return)
        return diff->blocks[token].followers;
    const uint32_t item = find_return(diff, token, caller_of(diff, chain), &hash);
    return item == CAIRN_TABLE_NONE ? 0 : diff->returns[item].followers;
}

static cairn_status begin_list(struct cairn_diff *diff, struct cairn_diff_run *run, uint32_t token,
                               uint32_t chain, uint32_t follower)
{
    uint32_t hash;

    if (!diff->blocks[token].is_return) {
        diff->blocks[token].followers = follower;
        return CAIRN_OK;
    }
    const uint32_t caller = caller_of(diff, chain);
    (void)find_return(diff, token, caller, &hash);
    if (cairn_grow((void **)&diff->returns, diff->return_count, &diff->return_room,
                   sizeof *diff->returns) ||
        cairn_table_add(&diff->by_return, hash, (uint32_t)diff->return_count))
        return CAIRN_E_MEMORY;
    run->kept += sizeof *diff->returns + 2 * sizeof(struct cairn_table_slot);
    diff->returns[diff->return_count++] =
        (struct cairn_diff_return){.token = token, .caller = caller, .followers = follower};
    return CAIRN_OK;
}

static cairn_status add_follower(struct cairn_diff *diff, struct cairn_diff_run *run,
                                 const struct cairn_diff_thread *thread, uint32_t last,
                                 struct cairn_diff_follower made)
{
    if (!diff->follower_count) /* 0 is none */
        diff->follower_count = 1;
    if (cairn_grow((void **)&diff->followers, diff->follower_count, &diff->follower_room,
                   sizeof *diff->followers))
        return CAIRN_E_MEMORY;
    const uint32_t number = (uint32_t)diff->follower_count++;
    run->kept += sizeof made;
    diff->followers[number] = made;
    if (!last)
        return begin_list(diff, run, thread->last_token, thread->last_chain, number);
    diff->followers[last].next = number;
    return CAIRN_OK;
}

static uint32_t way_to(struct cairn_diff *diff, uint32_t before, uint32_t token, uint32_t chain)
{
    const struct cairn_diff_chain *const made = &diff->chains[chain];
    const uint32_t parent = diff->chains[before].parent;
    uint32_t *const entered = &diff->blocks[token].entered;

    if (chain == before)
        return CHAINED_SAME;
    if (chain == parent)
        return CHAINED_PARENT;
    if (!chain || (made->parent != before && made->parent != parent))
        return CHAINED_OTHER;
    if (!*entered)
        *entered = made->name + 1;
    if (*entered != made->name + 1)
        return CHAINED_OTHER;
    return made->parent == before ? CHAINED_CHILD : CHAINED_TAIL;
}

static uint32_t go_way(const struct cairn_diff *diff, uint32_t before, uint32_t token, uint32_t way)
{
    const uint32_t parent = diff->chains[before].parent;

    if (way == CHAINED_SAME)
        return before;
    return way == CHAINED_PARENT
               ? parent
               : cairn_diff_find_chain(diff, way == CHAINED_CHILD ? before : parent,
                                       diff->blocks[token].entered - 1);
}

cairn_status cairn_diff_add_token(struct cairn_diff *diff, struct cairn_diff_run *run,
                                  struct cairn_diff_thread *thread, uint32_t token)
{
    struct cairn_diff_pages *const pages = &thread->tokens;
    cairn_status status = CAIRN_OK;

    if (run->is_full)
        return CAIRN_OK;
    if (!pages->count ||
        pages->list[pages->count - 1].used + CODE_MOST > CAIRN_DIFF_PAGE_BYTES * 8) {
        status = cairn_diff_add_page(run, pages,
                                     (struct cairn_diff_page){.first = thread->count,
                                                              .token = thread->last_token,
                                                              .chain = thread->last_chain});
        if (status || run->is_full)
            return status;
    }
    struct cairn_diff_page *const page = &pages->list[pages->count - 1];
    const uint32_t way = way_to(diff, thread->last_chain, token, thread->chain);
    uint32_t number = 0, last = 0;
    uint32_t at = first_of(diff, thread->last_token, thread->last_chain);
    for (; at && number < LISTED_MOST; last = at, at = diff->followers[at].next, number++)
        if (diff->followers[at].token == token && diff->followers[at].way == way)
            break;
    if (!at && number < LISTED_MOST)
        status = add_follower(diff, run, thread, last,
                              (struct cairn_diff_follower){.token = token, .way = way});
    put_number(page, number);
    if (number == LISTED_MOST) {
        put(page, token, 32);
        put(page, way, CHAINED_BITS);
    }
    if (way == CHAINED_OTHER)
        put(page, thread->chain, 32);
    thread->last_token = token;
    thread->last_chain = thread->chain;
    thread->count++;
    return status;
}

/* --- the way back --- */

/* The last page that begins at most there. */
static size_t page_of(const struct cairn_diff_pages *pages, size_t position)
{
    size_t low = 0, high = pages->count;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (pages->list[middle].first <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void enter_page(struct cairn_diff_cursor *cursor, size_t number)
{
    const struct cairn_diff_page *const page = &cursor->thread->tokens.list[number];

    cursor->page = number;
    cursor->bit = 0;
    cursor->position = page->first;
    cursor->token = page->token;
    cursor->chain = page->chain;
}

void cairn_diff_seek(struct cairn_diff_cursor *cursor, const struct cairn_diff *diff,
                     const struct cairn_diff_thread *thread, size_t position)
{
    *cursor = (struct cairn_diff_cursor){.diff = diff, .thread = thread};
    if (!thread->tokens.count)
        return;
    enter_page(cursor, page_of(&thread->tokens, position));
    while (cursor->position < position && cairn_diff_read(cursor)) {
    }
}

bool cairn_diff_read(struct cairn_diff_cursor *cursor)
{
    const struct cairn_diff *const diff = cursor->diff;
    const struct cairn_diff_pages *const pages = &cursor->thread->tokens;

    if (cursor->position >= cursor->thread->count)
        return false;
    if (cursor->bit >= pages->list[cursor->page].used)
        enter_page(cursor, cursor->page + 1);
    const uint8_t *const bytes = pages->list[cursor->page].bytes;
    const uint32_t number = take_number(bytes, &cursor->bit);
    uint32_t token, way;
    if (number < LISTED_MOST) {
        uint32_t at = first_of(diff, cursor->token, cursor->chain);

        for (uint32_t i = 0; i < number; i++)
            at = diff->followers[at].next;
        token = diff->followers[at].token;
        way = diff->followers[at].way;
    } else {
        token = take(bytes, &cursor->bit, 32);
        way = take(bytes, &cursor->bit, CHAINED_BITS);
    }
    cursor->chain = way == CHAINED_OTHER ? take(bytes, &cursor->bit, 32)
                                         : go_way(diff, cursor->chain, token, way);
    cursor->token = token;
    cursor->position++;
    return true;
}

/* A page of a thread, unpacked: what is asked for stands close together. */
struct cairn_diff_unpacked {
    const struct cairn_diff_thread *thread;
    size_t first, count;
    uint32_t tokens[CAIRN_DIFF_PAGE_TOKENS], chains[CAIRN_DIFF_PAGE_TOKENS];
};

cairn_status cairn_diff_new_unpacked(struct cairn_diff *diff)
{
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++)
        if (!(diff->unpacked[side] = calloc(1, sizeof *diff->unpacked[side])))
            return CAIRN_E_MEMORY;
    return CAIRN_OK;
}

uint32_t cairn_diff_token(const struct cairn_diff *diff, const struct cairn_diff_thread *thread,
                          size_t position, uint32_t *chain)
{
    struct cairn_diff_unpacked *const unpacked = diff->unpacked[thread->side];

    if (position >= thread->count) {
        *chain = 0;
        return CAIRN_DIFF_GAP;
    }
    if (unpacked->thread != thread || position - unpacked->first >= unpacked->count) {
        struct cairn_diff_cursor cursor;

        cairn_diff_seek(&cursor, diff, thread, 0);
        enter_page(&cursor, page_of(&thread->tokens, position));
        unpacked->thread = thread;
        unpacked->first = cursor.position;
        unpacked->count = 0;
        for (const size_t page = cursor.page;
             cursor.page == page && cursor.bit < thread->tokens.list[page].used;
             unpacked->count++) {
            if (!cairn_diff_read(&cursor))
                break;
            unpacked->tokens[unpacked->count] = cursor.token;
            unpacked->chains[unpacked->count] = cursor.chain;
        }
    }
    *chain = unpacked->chains[position - unpacked->first];
    return unpacked->tokens[position - unpacked->first];
}
