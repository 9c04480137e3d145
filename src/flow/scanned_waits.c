/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycle-accurate P-headers and branch packets of ETMv3 straight from the bytes. Their atoms are put
 * together into words as those of tokens are (scanned_loop.c), whatever W's stand between them;
 * these become events. An atom is certain when the next one comes (IHI0014 7.3.5), and W's that
 * no atom has followed may have more to come: whatever ends the loop, it goes back in front of its
 * last P-header with atoms. */
#include "flow/follow.h"
#include "flow/scanned_word.h"

#include <string.h>

enum {
    EVENTS_OF_ONE = 3, /* P-header, at most */
    UNITS_OF_ONE = 2,  /* before it, and behind the loop */
    FAR = 1024, /* bytes without an atom: far fewer than the elements that a resolver holds */
};

/* In front of a P-header with atoms. */
struct spot {
    const uint8_t *at;
    struct cairn_branch_place place;
    struct cairn_word_event *events; /* the next one's place */
    uint64_t cycles;                 /* the total there */
    uint64_t waits; /* W's right before it, which are the last event; 0: there are none */
    unsigned count; /* atoms in the word */
};

/* Where the loop stands when it has ended. */
struct walk {
    struct spot now;
    struct spot word; /* where the word begins */
    struct spot last; /* the last of all */
    uint64_t bits;    /* the word */
    bool addressed;   /* behind it stand branch packets, */
    uint64_t target;  /* and this is the first one's */
    uint64_t bias;    /* source offset of address 0 */
    uint64_t branches;
    uint64_t longer;
    bool back; /* nothing is to be kept from where the word begins */
};

static inline uint64_t load(const uint8_t *at)
{
    uint64_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

HOT_INLINE uint64_t code_of(const struct cairn_branch_place *place)
{
    return place->address | place->thumb;
}

HOT_INLINE void fill(struct cairn_word_event *event, size_t unit, unsigned kind, unsigned step,
                     uint64_t offset)
{
    *event = (struct cairn_word_event){.word = (uint32_t)unit,
                                       .step = (uint16_t)step,
                                       .kind = (uint8_t)kind,
                                       .offset = offset,
                                       .length = 1};
}

/* What stands between the atoms of a P-header, of which the first is at `step`, behind W's that its
 * first ones come to. Returns the next event's place. */
HOT_INLINE struct cairn_word_event *put_header(struct cairn_word_event *event, size_t unit,
                                               unsigned step, uint64_t offset,
                                               const struct cairn_wait_form *form, uint64_t waits,
                                               uint64_t *cycles, bool listing)
{
    unsigned ones = form->atoms;

    if (!form->each || waits > 0) {
        *cycles += form->waits;
        if (waits == 0 && form->waits > 0)
            fill(event++, unit, CAIRN_FLOW_CYCLES, step, offset);
        if (waits + form->waits > 0) {
            event[-1].value = waits + form->waits;
            event[-1].address = *cycles;
        }
        if (listing)
            fill(event++, unit, CAIRN_WORD_PACKET, step, offset);
        step++;
        ones--;
    }
    if (!form->each || ones == 0)
        return event;
    fill(event, unit, CAIRN_WORD_WAITS, step, offset);
    event->instructions = ones;
    event->address = *cycles;
    *cycles += ones;
    return event + 1;
}

/* Takes what a word was counted as, or listed, back. */
static void give_back(uint64_t bits, unsigned count, struct cairn_scanned_job *job, uint64_t code)
{
    const uint64_t key = bits | (uint64_t)count << CAIRN_WORD_COUNT_SHIFT;

    if (job->counting)
        cairn_memo_find(job->memo, code, key, hash)->count--;
    else
        job->out->count--;
}

/* Branch packets that it has gone back over. */
static void uncount(struct walk *w, const uint8_t *end, bool narrow)
{
    struct cairn_branch_place place = w->now.place;

    for (const uint8_t *at = w->now.at; at < end;) {
        const bool branch = cairn_branch_begins(*at);
        const unsigned length = branch ? cairn_branch_read(load(at), narrow, &place) : 1;

        w->branches -= branch;
        w->longer -= length - 1;
        at += length;
    }
}

/* How a word ended. */
enum ended {
    ENDED,
    ENDED_CUT, /* it has to be taken in parts */
    ENDED_NOT, /* it is not for here, and has not been taken */
};

/* Looks a word up, and goes on at the address behind it, which branch packets (`addressed`) tell.
 */
HOT_INLINE enum ended end_word(struct cairn_lane *lane, struct cairn_scanned_job *job,
                               uint64_t bits, unsigned count, uint64_t offset, unsigned *covers,
                               bool addressed, uint64_t target, uint64_t newest,
                               enum cairn_scanned_stop *stop)
{
    const uint64_t code = lane->code;
    const uint64_t expected = lane->expected;
    const uint32_t path = lane->path;
    const enum looked_up how = take_word(lane, job, bits, count, offset, covers, false);

    if (__builtin_expect(how != LOOKED_UP, 0)) {
        *stop = how == LOOKED_FULL ? CAIRN_SCANNED_FULL : CAIRN_SCANNED_ATOM;
        return how == LOOKED_CUT && *covers > 0 ? ENDED_CUT : ENDED_NOT;
    }
    if (!addressed)
        return ENDED;
    if (__builtin_expect(lane->expected != CAIRN_CODE_NEED && lane->expected != target, 0)) {
        give_back(bits, count, job, code);
        lane->code = code;
        lane->expected = expected;
        lane->path = path;
        *stop = CAIRN_SCANNED_TOKEN;
        return ENDED_NOT;
    }
    lane->code = newest;
    lane->expected = CAIRN_CODE_NEED;
    return ENDED;
}

/* Up to a packet that is not for here, or the limit. What moves is in variables of its own: what
 * has just been stored in parts cannot be copied as a whole without waiting. */
static enum cairn_scanned_stop run(struct walk *w, const struct cairn_scanned_waits *job_of,
                                   struct cairn_lane *lane, struct cairn_scanned_job *job)
{
    const struct cairn_wait_form *const forms = job_of->forms;
    const uint8_t *const limit = job_of->limit;
    struct cairn_word_batch *const out = job->out;
    struct cairn_word_event *event = w->now.events;
    struct cairn_branch_place place = w->now.place;
    struct spot word = w->now;
    struct spot last = w->now;
    const uint8_t *at = w->now.at;
    const uint8_t *end = at; /* there is room up to here */
    const uint64_t bias = w->bias;
    uint64_t cycles = w->now.cycles;
    uint64_t waits = w->now.waits;
    uint64_t bits = 0;
    uint64_t target = 0;
    unsigned count = 0;
    unsigned most = MOST;
    unsigned covers = 0;
    bool addressed = false;
    enum cairn_scanned_stop stop = CAIRN_SCANNED_TOKENS;

    for (;;) {
        if (__builtin_expect(at >= end, 0)) {
            const size_t left = at < limit ? (size_t)(limit - at) : 0;
            const size_t room = cairn_scanned_room(job, event, EVENTS_OF_ONE, UNITS_OF_ONE);

            end = at + (left < room ? left : room);
            stop = left == 0 ? CAIRN_SCANNED_TOKENS : CAIRN_SCANNED_ROOM;
            if (at == end)
                break;
        }
        const struct cairn_wait_form form = forms[*at];

        if (form.atoms > 0) {
            if (addressed || count + form.atoms > most) {
                enum ended how = ENDED_NOT;

                stop = CAIRN_SCANNED_ATOM; /* a P-header that has to be taken in parts */
                if (count > 0)
                    how = end_word(lane, job, bits, count, (uint64_t)(uintptr_t)word.at + bias,
                                   &covers, addressed, target, code_of(&place), &stop);
                if (__builtin_expect(how != ENDED, 0)) {
                    w->back = how == ENDED_NOT;
                    if (w->back)
                        break;
                    w->now = word;
                    uncount(w, at, job_of->narrow);
                    last = word;
                    at = word.at;
                    place = word.place;
                    event = word.events;
                    cycles = word.cycles;
                    waits = word.waits;
                    most = covers;
                } else {
                    most = MOST;
                }
                stop = CAIRN_SCANNED_TOKENS;
                addressed = false;
                bits = 0;
                count = 0;
                if (how != ENDED)
                    continue;
            }
            last = (struct spot){at, place, event, cycles, waits, count};
            if (count == 0)
                word = (struct spot){at, place, event, cycles, waits, 0};
            event = put_header(event, out->count, count, (uint64_t)(uintptr_t)at + bias, &form,
                               waits, &cycles, job->listing);
            bits |= (uint64_t)form.bits << count;
            count += form.atoms;
            waits = 0;
            at++;
        } else if (at - last.at > FAR) {
            stop = CAIRN_SCANNED_TOKEN;
            break;
        } else if (form.waits > 0) {
            cycles += form.waits;
            if (waits == 0)
                fill(event++, out->count, CAIRN_FLOW_CYCLES, count, (uint64_t)(uintptr_t)at + bias);
            waits += form.waits;
            event[-1].value = waits;
            event[-1].address = cycles;
            at++;
        } else {
            const uint64_t bytes = load(at);
            const unsigned length =
                cairn_branch_begins(bytes) ? cairn_branch_read(bytes, job_of->narrow, &place) : 0;

            if (length == 0) {
                stop = CAIRN_SCANNED_TOKEN;
                break;
            }
            if (!addressed)
                target = code_of(&place);
            addressed = true;
            waits = 0;
            w->branches++;
            w->longer += length - 1;
            at += length;
        }
    }
    w->now = (struct spot){at, place, event, cycles, waits, count};
    w->last = last;
    w->word = word;
    w->bits = bits;
    w->addressed = addressed;
    w->target = target;
    return stop;
}

/* Back in front of the last P-header; what is before it is taken. */
static void end_last(struct walk *w, struct cairn_lane *lane, struct cairn_scanned_job *job,
                     enum cairn_scanned_stop *stop)
{
    enum cairn_scanned_stop why;
    unsigned covers;

    w->now = w->last;
    w->bits &= (UINT64_C(1) << w->now.count) - 1;
    if (w->now.count == 0 ||
        end_word(lane, job, w->bits, w->now.count, (uint64_t)(uintptr_t)w->word.at + w->bias,
                 &covers, false, 0, 0, &why) == ENDED)
        return;
    w->back = true;
    *stop = why;
}

/* Keeps all of it if what stands behind it says nothing of the last atom. False: it does, and
 * nothing has changed. */
static bool keep_all(struct walk *w, struct cairn_lane *lane, struct cairn_scanned_job *job,
                     const struct cairn_scanned_waits *waits)
{
    const uint64_t code = lane->code;
    const uint64_t expected = lane->expected;
    const uint32_t path = lane->path;
    enum cairn_scanned_stop stop;
    unsigned covers;

    if (w->now.waits > 0 || w->now.at == w->last.at ||
        end_word(lane, job, w->bits, w->now.count, (uint64_t)(uintptr_t)w->word.at + w->bias,
                 &covers, w->addressed, w->target, code_of(&w->now.place), &stop) != ENDED)
        return false;
    if (waits->between(waits->owner, w->now.at, &w->now.place))
        return true;
    give_back(w->bits, w->now.count, job, code);
    lane->code = code;
    lane->expected = expected;
    lane->path = path;
    return false;
}

/* W's that the resolver had are an event. */
static void put_held(struct walk *w, const struct cairn_word_batch *out,
                     const struct cairn_scanned_waits *waits)
{
    struct cairn_word_event *const event = w->now.events;

    if (waits->held == 0)
        return;
    fill(event, out->count, CAIRN_FLOW_CYCLES, 0, waits->held_offset);
    w->now.cycles += waits->held;
    w->now.waits = waits->held;
    event->value = waits->held;
    event->address = w->now.cycles;
    w->now.events++;
}

enum cairn_scanned_stop cairn_scanned_take_waits(struct cairn_lane *lane,
                                                 struct cairn_scanned_job *job,
                                                 struct cairn_scanned_waits *waits)
{
    struct cairn_word_batch *const out = job->out;
    const uint8_t *const first = waits->at;
    struct walk w = {.now = {.at = first,
                             .place = waits->place,
                             .events = out->event + out->event_count,
                             .cycles = job->flow->total_cycles},
                     .bias = waits->offset - (uint64_t)(uintptr_t)first};
    enum cairn_scanned_stop stop;
    const uint8_t *end;

    put_held(&w, out, waits);
    stop = run(&w, waits, lane, job);
    end = w.now.at;
    if (!w.back && stop == CAIRN_SCANNED_TOKEN && keep_all(&w, lane, job, waits))
        stop = CAIRN_SCANNED_TOKENS;
    else if (!w.back)
        end_last(&w, lane, job, &stop);
    if (w.back)
        w.now = w.word;
    uncount(&w, end, waits->narrow);
    waits->branches = w.branches;
    waits->longer = w.longer;
    waits->held = w.now.waits;
    if (w.now.waits > 0) { /* the resolver has these */
        waits->held_offset = (--w.now.events)->offset;
        w.now.cycles -= w.now.waits;
    }
    out->event_count = (size_t)(w.now.events - out->event);
    waits->at = w.now.at;
    waits->place = w.now.place;
    job->flow->total_cycles = w.now.cycles;
    return stop;
}
