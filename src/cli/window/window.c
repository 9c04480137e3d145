/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/window/window.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Events that are kept beside the instructions before an event that is looked for: of more, the
 * oldest are not listed. */
#define EVENTS_KEPT 65536u
#define KEPT_FIRST 256u

cairn_status cli_window_begin(struct cli_window *window, const struct cli_choice *choice,
                              struct cairn_config *config, struct cairn_code *code,
                              const struct cli_window_out *out)
{
    window->choice = choice;
    window->config = config;
    window->code = code;
    window->out = out;
    window->begun = window->skip == 0;
    if (choice->kind < CLI_CHOICE_ADDRESS)
        return CAIRN_OK;
    window->kept_capacity = KEPT_FIRST;
    window->kept = malloc(KEPT_FIRST * sizeof *window->kept);
    return window->kept ? CAIRN_OK : CAIRN_E_MEMORY;
}

void cli_window_end(struct cli_window *window)
{
    free(window->kept);
    window->kept = NULL;
}

/* --- pieces --- */

static void give(struct cli_window *w, struct cli_piece *piece)
{
    if (!w->out)
        return;
    w->out->piece(w->out->context, piece, w->apart && w->listed);
    w->listed++;
    w->apart = false;
}

/* Gives `count` instructions of a range from number `first` on. */
static void give_part(struct cli_window *w, const struct cli_piece *range, uint32_t first,
                      uint32_t count)
{
    struct cli_piece part = *range;

    if (!w->out)
        return;
    cli_piece_cut(&part, w->code, first, count);
    give(w, &part);
}

static void prepare_code(const struct cli_window *w, const struct cli_piece *range)
{
    if (range->isa == CAIRN_ISA_T32)
        cli_piece_select(range, w->code);
}

/* Whether unit number w->units, which has just begun, is listed, and those before it were not. */
static void note_unit(struct cli_window *w)
{
    if (w->units == w->skip + 1)
        w->first_context = w->executed;
}

/* --- instructions --- */

static void take_instructions(struct cli_window *w, const struct cli_piece *range)
{
    const uint64_t before = w->units;
    const uint32_t count = range->instructions;

    w->units += count;
    w->executed += count;
    if (w->units <= w->skip)
        return;
    const uint64_t end = w->most < UINT64_MAX - w->skip ? w->skip + w->most : UINT64_MAX;
    const uint32_t first = w->skip > before ? (uint32_t)(w->skip - before) : 0;
    if (before >= end) {
        w->done = true;
        return;
    }
    const uint32_t last = end - before < count ? (uint32_t)(end - before) : count;
    w->begun = true;
    prepare_code(w, range);
    give_part(w, range, first, last - first);
}

/* Behind the last instruction its data transfers are still its. */
static void take_event(struct cli_window *w, struct cli_piece *event)
{
    const bool full = w->most < UINT64_MAX - w->skip && w->units >= w->skip + w->most;

    if (full && event->kind != CAIRN_FLOW_DATA)
        w->done = true;
    else if (w->begun)
        give(w, event);
}

/* --- a function --- */

static const struct cli_place *place_at(const struct cli_choice *choice, uint64_t address)
{
    for (size_t i = 0; i < choice->place_count; i++)
        if (address >= choice->places[i].first && address < choice->places[i].end)
            return &choice->places[i];
    return NULL;
}

bool cli_choice_wants(void *context, const struct cairn_code_block *block)
{
    const struct cli_choice *choice = context;

    if (block->end <= block->address) /* wrapped, or nothing */
        return block->instructions > 0;
    for (size_t i = 0; i < choice->place_count; i++)
        if (block->address < choice->places[i].end && choice->places[i].first < block->end)
            return true;
    return false;
}

/* Where the next place behind `address` begins. */
static uint64_t next_place(const struct cli_choice *choice, uint64_t address)
{
    uint64_t next = UINT64_MAX;

    for (size_t i = 0; i < choice->place_count; i++)
        if (choice->places[i].first > address && choice->places[i].first < next)
            next = choice->places[i].first;
    return next;
}

/* Whether the function's own last instruction branched there: a loop, and no call. */
static bool is_loop(const struct cli_window *w, uint64_t address)
{
    const struct cli_piece *last = &w->last;
    struct cairn_insn insn;

    if (!last->instructions || !(last->flags & CAIRN_FLOW_TAKEN) || last->flags & CAIRN_FLOW_LINK)
        return false;
    cli_piece_select(last, w->code);
    const uint64_t at = cli_piece_address(last, w->code, last->instructions - 1);
    return cairn_code_insn(w->code, last->isa, at, &insn) &&
           insn.kind == CAIRN_INSN_BRANCH_DIRECT && insn.target == address;
}

static bool begins_visit(const struct cli_window *w, const struct cli_place *place,
                         uint64_t address, uint32_t index)
{
    if (!place->is_entry || address != place->first)
        return false;
    return index > 0 || !w->inside || !is_loop(w, address);
}

/* Instructions of a range from number `first` on, at `address`, of which those before `end` are in
 * the place. Returns how many. */
static uint32_t take_inside(struct cli_window *w, const struct cli_piece *range, uint32_t first,
                            uint64_t address, const struct cli_place *place)
{
    if (begins_visit(w, place, address, first)) {
        if (w->most < UINT64_MAX - w->skip && w->units >= w->skip + w->most) {
            w->done = true;
            return 0;
        }
        w->units++;
        note_unit(w);
    }
    prepare_code(w, range);
    const uint32_t end = cli_piece_before(range, w->code, first, address, place->end);
    if (w->skip == 0 || w->units > w->skip)
        give_part(w, range, first, end - first);
    w->inside = true;
    w->last = *range;
    if (end < range->instructions)
        w->last.instructions = 0;
    return end - first;
}

static void take_outside(struct cli_window *w)
{
    w->inside = false;
    w->apart = true;
    w->last.instructions = 0;
}

static void take_of_function(struct cli_window *w, const struct cli_piece *range)
{
    uint64_t address = range->address;
    uint32_t first = 0;

    if (range->instructions == 0) /* it stands for ranges that nobody needs */
        take_outside(w);
    while (first < range->instructions && !w->done) {
        const struct cli_place *place = place_at(w->choice, address);
        uint32_t count;

        if (place) {
            count = take_inside(w, range, first, address, place);
        } else {
            prepare_code(w, range);
            count =
                cli_piece_before(range, w->code, first, address, next_place(w->choice, address)) -
                first;
            take_outside(w);
        }
        w->executed += count;
        first += count;
        if (first < range->instructions && !w->done) {
            prepare_code(w, range);
            address = cli_piece_address(range, w->code, first);
        }
    }
}

/* What comes while the function is being executed. */
static void take_event_of_function(struct cli_window *w, struct cli_piece *event)
{
    if (w->inside && (w->skip == 0 || w->units > w->skip))
        give(w, event);
    else
        w->apart = true;
}

/* --- around --- */

static struct cli_piece *kept_at(const struct cli_window *w, size_t index)
{
    return &w->kept[(w->kept_first + index) & (w->kept_capacity - 1)];
}

static void drop_first(struct cli_window *w)
{
    const struct cli_piece *first = kept_at(w, 0);

    w->kept_instructions -= first->kind == CAIRN_FLOW_RANGE ? first->instructions : 0;
    w->kept_first = (w->kept_first + 1) & (w->kept_capacity - 1);
    w->kept_count--;
    w->apart = true;
}

static uint32_t instructions_of(const struct cli_piece *piece)
{
    return piece->kind == CAIRN_FLOW_RANGE ? piece->instructions : 0;
}

/* Drops what can be before no event any more. */
static void trim(struct cli_window *w)
{
    const uint64_t context = w->choice->context;

    while (w->kept_count && (w->kept_instructions - instructions_of(kept_at(w, 0)) >= context ||
                             w->kept_count > context + EVENTS_KEPT))
        drop_first(w);
}

static bool grow(struct cli_window *w)
{
    const size_t capacity = 2 * w->kept_capacity;
    struct cli_piece *grown = malloc(capacity * sizeof *grown);

    if (!grown)
        return false;
    for (size_t i = 0; i < w->kept_count; i++)
        grown[i] = *kept_at(w, i);
    free(w->kept);
    w->kept = grown;
    w->kept_capacity = capacity;
    w->kept_first = 0;
    return true;
}

/* Keeps a record, or a piece of a range. */
static void keep(struct cli_window *w, const struct cli_piece *piece)
{
    if (w->kept_count == w->kept_capacity && !grow(w))
        drop_first(w);
    *kept_at(w, w->kept_count++) = *piece;
    w->kept_instructions += instructions_of(piece);
    trim(w);
}

/* What is kept is listed: it is before an event. */
static void give_kept(struct cli_window *w)
{
    const uint64_t context = w->choice->context;

    for (size_t i = 0; i < w->kept_count; i++) {
        const struct cli_piece *piece = kept_at(w, i);
        uint32_t cut = 0;

        if (i == 0 && w->kept_instructions > context && piece->kind == CAIRN_FLOW_RANGE) {
            cut = (uint32_t)(w->kept_instructions - context);
            w->apart = true;
        }
        if (piece->kind == CAIRN_FLOW_RANGE) {
            prepare_code(w, piece);
            give_part(w, piece, cut, piece->instructions - cut);
        } else {
            struct cli_piece event = *piece;
            give(w, &event);
        }
    }
    w->kept_first = 0;
    w->kept_count = 0;
    w->kept_instructions = 0;
}

/* An event that is looked for comes. True: it is listed. */
static bool take_mark(struct cli_window *w)
{
    const uint64_t end = w->most < UINT64_MAX - w->skip ? w->skip + w->most : UINT64_MAX;

    if (w->units >= end)
        return false;
    w->units++;
    note_unit(w);
    if (w->units <= w->skip)
        return false;
    give_kept(w);
    w->behind = w->choice->context;
    return true;
}

static bool is_full(const struct cli_window *w)
{
    return w->most < UINT64_MAX - w->skip && w->units >= w->skip + w->most && w->behind == 0;
}

/* Instructions without an event: behind one, or perhaps before one. */
static void pass_part(struct cli_window *w, const struct cli_piece *range, uint32_t first,
                      uint32_t count)
{
    const uint32_t behind = w->behind < count ? (uint32_t)w->behind : count;

    if (count == 0)
        return;
    w->executed += count;
    prepare_code(w, range);
    if (behind) {
        give_part(w, range, first, behind);
        w->behind -= behind;
    }
    if (behind == count)
        return;
    struct cli_piece rest = *range;
    cli_piece_cut(&rest, w->code, first + behind, count - behind);
    keep(w, &rest);
}

/* The first of a range's instructions from number `first` on, at `address`, that is one of those
 * looked for; their number if none is. */
static uint32_t find_mark(struct cli_window *w, const struct cli_piece *range, uint32_t first,
                          uint64_t address)
{
    uint32_t best = range->instructions;

    for (size_t i = 0; i < w->choice->place_count; i++) {
        const uint64_t wanted = w->choice->places[i].first;
        if (wanted < address || (wanted >= range->value && range->value > range->address))
            continue;
        prepare_code(w, range);
        const uint32_t before = cli_piece_before(range, w->code, first, address, wanted);
        if (before < best && cli_piece_address(range, w->code, before) == wanted)
            best = before;
    }
    return best;
}

/* Instructions of a range from number `first` up to and with number `mark`, which is looked for. */
static void take_up_to(struct cli_window *w, const struct cli_piece *range, uint32_t first,
                       uint32_t mark)
{
    pass_part(w, range, first, mark - first);
    if (!take_mark(w)) {
        pass_part(w, range, mark, 1);
        return;
    }
    prepare_code(w, range);
    give_part(w, range, mark, 1);
    w->executed++;
}

static void take_around(struct cli_window *w, const struct cli_piece *range)
{
    const bool marks = w->choice->kind == CLI_CHOICE_ADDRESS;
    uint64_t address = range->address;
    uint32_t first = 0;

    while (marks && first < range->instructions) {
        const uint32_t mark = find_mark(w, range, first, address);

        if (mark == range->instructions)
            break;
        take_up_to(w, range, first, mark);
        first = mark + 1;
        prepare_code(w, range);
        address = cli_piece_address(range, w->code, first);
    }
    pass_part(w, range, first, range->instructions - first);
}

/* Faults that end a program which does not expect them, by the names that the protocols give them. An MTB tells no
 * kinds: there it is the last exception, whichever it was. */
static bool is_fault(const char *name)
{
    static const char *const faults[] = {
        "Alignment",  "Inst Fault",  "Data Fault", "Undefined",        "Prefetch abort",
        "Data abort", "Data Abort",  "HardFault",  "MemManage",        "BusFault",
        "UsageFault", "SecureFault", "Lockup",     "unknown-or-debug",
    };

    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        if (!strncasecmp(name, faults[i], strlen(faults[i])))
            return true;
    return false;
}

static bool is_mark(const struct cli_window *w, const struct cli_piece *event)
{
    const struct cli_choice *choice = w->choice;

    if (event->kind != CAIRN_FLOW_EXCEPTION || !cli_choice_is_of_events(choice))
        return false;
    const char *name = cairn_exception_name(w->config, (unsigned)event->value);
    if (choice->kind == CLI_CHOICE_CRASH)
        return is_fault(name);
    return !choice->exception || !strcasecmp(name, choice->exception);
}

static void take_event_around(struct cli_window *w, struct cli_piece *event)
{
    if ((is_mark(w, event) && take_mark(w)) || w->behind)
        give(w, event);
    else
        keep(w, event);
}

/* --- records --- */

/* Nothing that is listed goes on over what is left out here. */
static void leave_out(struct cli_window *w)
{
    take_outside(w);
    w->behind = 0;
    while (w->kept_count)
        drop_first(w);
}

bool cli_window_goes_on(const struct cli_window *window)
{
    return window->inside || window->behind > 0;
}

void cli_window_leave_out(struct cli_window *window, uint64_t from)
{
    leave_out(window);
    window->live = false;
    window->from = from;
}

/* Whether a record is between the times. */
static bool is_in_time(struct cli_window *w, const struct cli_piece *piece)
{
    if (piece->kind == CAIRN_FLOW_TIMESTAMP && !(piece->flags & CAIRN_FLOW_UNKNOWN)) {
        w->time = piece->value;
        w->time_known = true;
    }
    if (w->time_known && w->time > w->choice->time_to && w->rises)
        w->done = true;
    return w->time_known && w->time >= w->choice->time_from && w->time <= w->choice->time_to;
}

static void take_range(struct cli_window *w, const struct cli_piece *range)
{
    switch (w->choice->kind) {
    case CLI_CHOICE_ALL: take_instructions(w, range); break;
    case CLI_CHOICE_FUNCTION: take_of_function(w, range); break;
    case CLI_CHOICE_ADDRESS:
    case CLI_CHOICE_EXCEPTION:
    case CLI_CHOICE_CRASH: take_around(w, range); break;
    }
}

static void take_other(struct cli_window *w, struct cli_piece *event)
{
    switch (w->choice->kind) {
    case CLI_CHOICE_ALL: take_event(w, event); break;
    case CLI_CHOICE_FUNCTION: take_event_of_function(w, event); break;
    case CLI_CHOICE_ADDRESS:
    case CLI_CHOICE_EXCEPTION:
    case CLI_CHOICE_CRASH: take_event_around(w, event); break;
    }
}

void cli_window_take(struct cli_window *w, const struct cairn_flow_batch *batch, size_t index)
{
    struct cli_piece piece = cli_piece_of(batch, index);

    if (piece.kind == CAIRN_FLOW_CONTEXT) {
        w->has_context = true;
        w->context_address = piece.address;
        w->context_value = piece.value;
    }
    piece.has_context = w->has_context;
    piece.context_address = w->context_address;
    piece.context_value = w->context_value;
    if (w->choice->between && !is_in_time(w, &piece)) {
        leave_out(w);
        return;
    }
    w->live = w->live || piece.offset >= w->from;
    if (!w->live || w->done)
        return;
    if (piece.kind == CAIRN_FLOW_RANGE)
        take_range(w, &piece);
    else
        take_other(w, &piece);
    if (w->choice->kind >= CLI_CHOICE_ADDRESS && is_full(w))
        w->done = true;
}
