/* SPDX-License-Identifier: BSD-2-Clause */
/* ETMv3's resolver on element streams: its bound, and random streams beside a plain one that has
 * the whole stream at hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/element.h>

#include "../peers/random.h"
#include "etmv3_session.h"

#define A7 0x410cf250u
#define M4 0x4114f250u
#define HELD_MAX 4096u /* docs/legacy.md */

enum { STREAM = 400, ROOM = 3 * HELD_MAX };

struct stream {
    size_t count;
    struct item {
        uint64_t length;
        uint8_t kind;
        uint16_t flags;
        struct cairn_element_data data;
    } items[ROOM];
};

static struct cairn_config *configure(enum cairn_profile profile)
{
    const bool m = profile == CAIRN_PROFILE_M;
    struct cairn_error error = {.text = ""};
    struct cairn_config *config = etmv3_configure(profile, m ? M4 : A7, 0, 0, &error);

    assert_string_equal(error.text, "");
    return config;
}

/* Through the resolver, `capacity` elements at once in and out. */
static void resolve(struct cairn_config *config, const struct stream *in, size_t capacity,
                    struct stream *out)
{
    struct cairn_resolver *resolver = NULL;
    struct cairn_element_batch *from = NULL, *to = NULL;

    assert_int_equal(cairn_resolver_new(config, &resolver), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(capacity, &from), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(capacity, &to), CAIRN_OK);
    out->count = 0;
    for (size_t at = 0; at <= in->count;) {
        const bool last = at == in->count;
        size_t position = 0;

        for (from->count = 0; from->count < capacity && at < in->count; at++, from->count++) {
            from->offset[from->count] = at;
            from->length[from->count] = in->items[at].length;
            from->kind[from->count] = in->items[at].kind;
            from->flags[from->count] = in->items[at].flags;
            from->data[from->count] = in->items[at].data;
        }
        do {
            to->count = 0;
            assert_int_equal(last ? cairn_resolver_finish(resolver, to)
                                  : cairn_resolver_run(resolver, from, &position, to),
                             CAIRN_OK);
            for (size_t i = 0; i < to->count; i++) {
                assert_true(out->count < ROOM);
                out->items[out->count++] =
                    (struct item){to->length[i], to->kind[i], to->flags[i], to->data[i]};
            }
        } while (to->count > 0 || position < from->count);
        at += last;
    }
    cairn_element_batch_free(from);
    cairn_element_batch_free(to);
    cairn_resolver_free(resolver);
}

static void add(struct stream *stream, unsigned kind, unsigned flags, uint64_t value)
{
    stream->items[stream->count++] = (struct item){
        .length = 1, .kind = (uint8_t)kind, .flags = (uint16_t)flags, .data.value = value};
}

/* Behind 4,095 elements the Atom can still be cancelled, behind 4,096 it counts as certain. */
static void test_bound(void **state)
{
    (void)state;
    static struct stream in, out;
    struct cairn_config *config = configure(CAIRN_PROFILE_A);

    for (unsigned more = 0; more < 2; more++) {
        in.count = 0;
        add(&in, CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_E, 0);
        for (size_t i = 0; i < HELD_MAX - 2 + more; i++)
            add(&in, CAIRN_ELEMENT_EVENT, 0, 0);
        add(&in, CAIRN_ELEMENT_CANCEL, 0, 1);
        resolve(config, &in, 64, &out);
        assert_int_equal(out.items[0].kind, more ? CAIRN_ELEMENT_ATOM : CAIRN_ELEMENT_CANCELLED);
        assert_int_equal(out.count, HELD_MAX - 1 + 2 * more);
        if (more) {
            assert_int_equal(out.items[out.count - 1].kind, CAIRN_ELEMENT_CANCEL);
            assert_int_equal(out.items[out.count - 1].flags, CAIRN_ELEMENT_UNCERTAIN);
        }
    }
    cairn_config_unref(config);
}

/* Where the room ends it takes no more: what it keeps is bounded whatever comes. */
static void test_full(void **state)
{
    (void)state;
    struct cairn_config *config = configure(CAIRN_PROFILE_A);
    struct cairn_element_batch *from = NULL, *to = NULL;
    struct cairn_resolver *resolver = NULL;
    size_t position = 0, before = 0;

    assert_int_equal(cairn_resolver_new(config, &resolver), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(ROOM, &from), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(1, &to), CAIRN_OK);
    for (size_t i = 0; i < ROOM; i++) {
        from->offset[i] = i;
        from->length[i] = 1;
        from->kind[i] = CAIRN_ELEMENT_EVENT;
        from->flags[i] = 0;
        memset(&from->data[i], 0, sizeof from->data[i]);
    }
    from->count = ROOM;
    for (size_t given = 1; given < 10; given++) {
        to->count = 0;
        assert_int_equal(cairn_resolver_run(resolver, from, &position, to), CAIRN_OK);
        assert_int_equal(to->count, 1);
        assert_int_equal(to->offset[0], given - 1);
        assert_true(position >= before && position <= given + 1); /* an Event waits for nothing */
        before = position;
    }
    cairn_element_batch_free(from);
    cairn_element_batch_free(to);
    cairn_resolver_free(resolver);
    cairn_config_unref(config);
}

/* A core that waits, however long, takes no room. */
static void test_waits(void **state)
{
    (void)state;
    static struct stream in, out;
    struct cairn_config *config = configure(CAIRN_PROFILE_A);

    in.count = 0;
    add(&in, CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_E, 0);
    for (size_t i = 0; i < 2 * HELD_MAX; i++)
        add(&in, CAIRN_ELEMENT_CYCLE_COUNT, 0, 8);
    add(&in, CAIRN_ELEMENT_CANCEL, 0, 1);
    resolve(config, &in, 64, &out);
    assert_int_equal(out.count, 2);
    assert_int_equal(out.items[0].kind, CAIRN_ELEMENT_CANCELLED);
    assert_int_equal(out.items[1].data.value, 2 * HELD_MAX * 8);
    cairn_config_unref(config);
}

/* A return is taken back with what it has popped (IHI0014 7.5.4); what tells of data that is
 * missing stays, and so does what an exception then pushes (7.5.3). */
static void test_return(void **state)
{
    (void)state;
    static const uint8_t kept[] = {CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_DATA, CAIRN_ELEMENT_STACKING,
                                   CAIRN_ELEMENT_DATA};
    static struct stream in, out;
    struct cairn_config *config = configure(CAIRN_PROFILE_M);

    in.count = 0;
    add(&in, CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_E, 0);
    add(&in, CAIRN_ELEMENT_EXCEPTION_RETURN, 0, 0);
    add(&in, CAIRN_ELEMENT_DATA, 0, 1);
    add(&in, CAIRN_ELEMENT_DATA, 0, 2);
    in.items[in.count - 1].data.cycles = CAIRN_DATA_FORM(CAIRN_DATA_SUPPRESSED, 0, 0);
    add(&in, CAIRN_ELEMENT_STACKING, 0, 0);
    add(&in, CAIRN_ELEMENT_DATA, 0, 3);
    add(&in, CAIRN_ELEMENT_CANCEL, 0, 1);
    resolve(config, &in, 64, &out);
    assert_int_equal(out.count, sizeof kept);
    for (size_t i = 0; i < sizeof kept; i++)
        assert_int_equal(out.items[i].kind, kept[i]);
    assert_int_equal(out.items[1].data.value, 2);
    assert_int_equal(out.items[3].data.value, 3);
    cairn_config_unref(config);
}

/* ---- the same, with the whole stream at hand ---- */

static bool breaks(unsigned kind)
{
    return kind == CAIRN_ELEMENT_TRACE_ON || kind == CAIRN_ELEMENT_OVERFLOW ||
           kind == CAIRN_ELEMENT_GAP;
}

/* What becomes of items[at], and of what is behind it up to `end`, when the Cancel there cancels
 * it. */
static void cancel(struct item *items, bool *gone, size_t at, size_t end, bool m)
{
    bool handled = false, pushes = false;
    size_t exit = end;

    for (size_t i = at; i < end; i++)
        if (m && items[i].kind == CAIRN_ELEMENT_EXCEPTION_RETURN)
            exit = i;
    for (size_t i = exit; i < end; i++) {
        const unsigned what = CAIRN_DATA_KIND(items[i].data.cycles);

        pushes |= items[i].kind == CAIRN_ELEMENT_STACKING;
        gone[i] |= i == exit || (items[i].kind == CAIRN_ELEMENT_DATA && !pushes &&
                                 what != CAIRN_DATA_LATE && what != CAIRN_DATA_SUPPRESSED);
    }
    if (exit < end)
        return;
    items[at].kind = CAIRN_ELEMENT_CANCELLED;
    items[at].flags =
        (uint16_t)((items[at].flags & CAIRN_ELEMENT_E) | (items[end].flags & CAIRN_ELEMENT_PAUSED));
    items[at].data.info = items[end].data.info;
    for (size_t i = at + 1; i < end; i++) {
        handled |= items[i].kind == CAIRN_ELEMENT_EXCEPTION;
        if (handled)
            continue;
        if (items[i].kind == CAIRN_ELEMENT_TARGET_ADDRESS && (items[i].flags & CAIRN_ELEMENT_CHECK))
            items[i].flags |= CAIRN_ELEMENT_UNKNOWN;
        else if (items[i].kind == CAIRN_ELEMENT_TARGET_ADDRESS ||
                 items[i].kind == CAIRN_ELEMENT_EXCEPTION_RETURN)
            gone[i] = true;
    }
}

/* W's that are next to one another behind items[at]. */
static void join(struct item *items, bool *gone, size_t at, size_t end)
{
    size_t first = end;

    for (size_t i = at + 1; i < end; i++) {
        const bool wait = items[i].kind == CAIRN_ELEMENT_CYCLE_COUNT && items[i].length == 1 &&
                          !(items[i].flags & CAIRN_ELEMENT_UNKNOWN);

        if (wait && first < end) {
            items[first].data.value += items[i].data.value;
            gone[i] = true;
        } else {
            first = wait ? i : end;
        }
    }
}

static void resolve_plainly(const struct stream *in, bool m, struct stream *out)
{
    static struct item items[ROOM];
    static bool gone[ROOM];

    memcpy(items, in->items, in->count * sizeof *items);
    memset(gone, 0, sizeof gone);
    for (size_t at = 0; at < in->count;) {
        const bool atom = items[at].kind == CAIRN_ELEMENT_ATOM;
        size_t end = at + 1;

        if (items[at].kind == CAIRN_ELEMENT_CANCEL)
            items[at].flags |= CAIRN_ELEMENT_UNCERTAIN;
        if (!atom && !(m && items[at].kind == CAIRN_ELEMENT_EXCEPTION_RETURN)) {
            at = end;
            continue;
        }
        while (end < in->count && items[end].kind != CAIRN_ELEMENT_ATOM &&
               items[end].kind != CAIRN_ELEMENT_CANCEL && !breaks(items[end].kind))
            end++;
        join(items, gone, at, end);
        if (end < in->count && items[end].kind == CAIRN_ELEMENT_CANCEL) {
            gone[end] = true;
            cancel(items, gone, at, end, m);
            end++;
        } else if (end < in->count && atom && breaks(items[end].kind) &&
                   items[end].kind != CAIRN_ELEMENT_TRACE_ON) {
            items[at].flags |= CAIRN_ELEMENT_UNCERTAIN;
        }
        at = end;
    }
    out->count = 0;
    for (size_t i = 0; i < in->count; i++)
        if (!gone[i])
            out->items[out->count++] = items[i];
}

/* Elements in any order, most of them such as a trace has. */
static void draw(struct peer_random *random, struct stream *in)
{
    static const uint8_t kinds[] = {
        CAIRN_ELEMENT_ATOM,
        CAIRN_ELEMENT_ATOM,
        CAIRN_ELEMENT_ATOM,
        CAIRN_ELEMENT_CYCLE_COUNT,
        CAIRN_ELEMENT_CYCLE_COUNT,
        CAIRN_ELEMENT_CANCEL,
        CAIRN_ELEMENT_CANCEL,
        CAIRN_ELEMENT_EXCEPTION,
        CAIRN_ELEMENT_TARGET_ADDRESS,
        CAIRN_ELEMENT_TARGET_ADDRESS,
        CAIRN_ELEMENT_EXCEPTION_RETURN,
        CAIRN_ELEMENT_DATA,
        CAIRN_ELEMENT_DATA,
        CAIRN_ELEMENT_TRACE_ON,
        CAIRN_ELEMENT_OVERFLOW,
        CAIRN_ELEMENT_GAP,
        CAIRN_ELEMENT_TIMESTAMP,
        CAIRN_ELEMENT_CONTEXT,
        CAIRN_ELEMENT_STACKING,
        CAIRN_ELEMENT_TRACE_INFO,
    };

    in->count = peer_random_below(random, STREAM);
    for (size_t i = 0; i < in->count; i++) {
        struct item *item = &in->items[i];

        *item = (struct item){.length = 1 + peer_random_below(random, 2),
                              .kind = kinds[peer_random_below(random, sizeof kinds)]};
        item->data.value = i;
        switch (item->kind) {
        case CAIRN_ELEMENT_ATOM:
            item->flags =
                peer_random_percent(random, 70) ? CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E : 0;
            break;
        case CAIRN_ELEMENT_CANCEL:
            item->flags = peer_random_percent(random, 30) ? CAIRN_ELEMENT_PAUSED : 0;
            item->data.info = item->flags ? 5 : 0;
            break;
        case CAIRN_ELEMENT_CYCLE_COUNT:
            item->flags = peer_random_percent(random, 10) ? CAIRN_ELEMENT_UNKNOWN : 0;
            break;
        case CAIRN_ELEMENT_TARGET_ADDRESS:
            item->flags = peer_random_percent(random, 40) ? CAIRN_ELEMENT_CHECK : 0;
            break;
        case CAIRN_ELEMENT_DATA:
            item->data.cycles = CAIRN_DATA_FORM(peer_random_below(random, 6), 4, 0);
            break;
        default: break;
        }
    }
}

/* Without what pads it to eight bytes, which is anything. */
#define DATA_SIZE (offsetof(struct cairn_element_data, context) + sizeof(struct cairn_context))

static void assert_same(const struct stream *got, const struct stream *wanted)
{
    assert_int_equal(got->count, wanted->count);
    for (size_t i = 0; i < got->count; i++) {
        assert_int_equal(got->items[i].kind, wanted->items[i].kind);
        assert_int_equal(got->items[i].flags, wanted->items[i].flags);
        assert_int_equal(got->items[i].length, wanted->items[i].length);
        assert_memory_equal(&got->items[i].data, &wanted->items[i].data, DATA_SIZE);
    }
}

static void test_random(void **state)
{
    (void)state;
    static struct stream in, out, wanted;

    for (uint64_t seed = 0; seed < 2000; seed++) {
        struct peer_random random = {.state = seed};
        const bool m = seed % 2;
        struct cairn_config *config = configure(m ? CAIRN_PROFILE_M : CAIRN_PROFILE_A);

        draw(&random, &in);
        resolve_plainly(&in, m, &wanted);
        resolve(config, &in, 1 + peer_random_below(&random, 9), &out);
        assert_same(&out, &wanted);
        cairn_config_unref(config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bound),  cmocka_unit_test(test_full),   cmocka_unit_test(test_waits),
        cmocka_unit_test(test_return), cmocka_unit_test(test_random),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
