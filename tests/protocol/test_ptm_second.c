/* SPDX-License-Identifier: BSD-2-Clause */
/* The library's encoder of PTM and a second writer, which knows the specification alone, write the
 * same bytes of the same random events: test_ptm_second [--seeds FROM COUNT]
 * What is free is the same on both sides: atoms as second_ptm.h says, a whole timestamp behind each
 * A-sync (4.14), a VMID packet directly behind each I-sync (4.5.8). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/ptm.h>

#include "../house/share.h"
#include "protocol/protocol.h"
#include "second_ptm.h"

#define ETMIDR_1_0 0x411cf301u
#define ETMIDR_1_1 0x411cf312u
#define CCER_TIME (1u << 22)
#define CCER_VIRTUAL (1u << 26 | CCER_TIME)

enum { DEFAULT_LISTS = TEST_PART(40000), EVENTS = 150, ROOM = 1 << 14, MAX_SHOWN = 5, AROUND = 10 };
enum { PERIODIC, TRACE_ON, OVERFLOW, DEBUG_EXIT };
enum { DEBUG = 1, RESET = 8, EXCEPTION_MAX = 511 };

struct trial {
    uint64_t seed;
    struct ptm_settings settings;
    bool m_profile, vmid;
    struct ptm_place place;
    uint32_t id, vmid_now;
    uint64_t time;
    bool whole_time;
    struct cairn_context context; /* as elements say it */
    struct cairn_config *config;
    void *encoder;
    struct cairn_encoder_out out;
    uint8_t encoded[ROOM];
    struct ptm_writer writer;
};

static struct trial trial;

/* --- chance --- */

/* splitmix64 */
static uint64_t next(struct trial *t)
{
    uint64_t z = t->seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static unsigned below(struct trial *t, unsigned count)
{
    return (unsigned)(next(t) % count);
}

static bool one_in(struct trial *t, unsigned count)
{
    return below(t, count) == 0;
}

/* Any number of its low bits. */
static uint64_t some_bits(struct trial *t, unsigned most)
{
    const unsigned bits = below(t, most + 1);

    return next(t) & (bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1);
}

static void go(struct trial *t)
{
    struct ptm_place *p = &t->place;

    p->thumb = t->m_profile || (one_in(t, 5) ? !p->thumb : p->thumb);
    p->address = (p->address ^ (uint32_t)some_bits(t, 32)) & (p->thumb ? ~1u : ~3u);
    if (t->m_profile)
        return;
    if (one_in(t, 8))
        p->nonsecure = !p->nonsecure;
    if (t->settings.minor >= 1 && one_in(t, 8))
        p->hyp = !p->hyp;
    p->nonsecure = p->nonsecure || p->hyp;
}

static uint32_t mask_of(unsigned bytes)
{
    return bytes == 4 ? UINT32_MAX : (1u << 8 * bytes) - 1;
}

static void choose_settings(struct trial *t)
{
    static const unsigned context_bytes[] = {0, 1, 2, 4};

    t->m_profile = one_in(t, 4);
    t->settings = (struct ptm_settings){
        .minor = below(t, 2), .cycles = one_in(t, 2), .context_bytes = context_bytes[below(t, 4)]};
    if (t->settings.minor == 0)
        return;
    t->settings.wide_time = one_in(t, 2);
    t->settings.binary_time = one_in(t, 2);
    t->vmid = !t->m_profile && one_in(t, 2);
}

static struct cairn_config *configure(const struct trial *t)
{
    const struct ptm_settings *s = &t->settings;
    const uint32_t context = s->context_bytes == 4 ? 3 : s->context_bytes;
    const struct cairn_register registers[] = {
        {"ETMIDR", s->minor ? ETMIDR_1_1 : ETMIDR_1_0},
        {"ETMCR", (s->cycles ? 1u << 12 : 0) | context << 14 | 1u << 28 | (t->vmid ? 1u << 30 : 0)},
        {"ETMCCER", s->minor == 0
                        ? CCER_TIME
                        : (t->m_profile ? CCER_TIME : CCER_VIRTUAL) |
                              (s->binary_time ? 1u << 28 : 0) | (s->wide_time ? 1u << 29 : 0)},
    };
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;

    source.protocol = CAIRN_PROTOCOL_PTM;
    source.arch = (struct cairn_arch){t->m_profile ? CAIRN_PROFILE_M : CAIRN_PROFILE_A, 7, 0, 0};
    source.registers = registers;
    source.register_count = sizeof registers / sizeof *registers;
    return cairn_config_new(&source, &config, NULL) == CAIRN_OK ? config : NULL;
}

/* --- events as elements: what src/protocol/ptm/encode.c says that it takes --- */

static void tell(struct trial *t, unsigned kind, unsigned flags,
                 const struct cairn_element_data *data)
{
    static const struct cairn_element_data nothing;

    t->config->protocol->encoder_put(t->encoder, kind, (uint16_t)flags, data ? data : &nothing,
                                     &t->out);
}

static void tell_context(struct trial *t)
{
    const struct cairn_element_data data = {.context = t->context};

    tell(t, CAIRN_ELEMENT_CONTEXT, 0, &data);
}

static void tell_place(struct trial *t, unsigned kind, const struct ptm_place *place)
{
    const struct cairn_element_data data = {.address = place->address, .sub_isa = place->thumb};

    tell(t, kind, 0, &data);
}

static void tell_state(struct trial *t, const struct ptm_place *place)
{
    t->context.security = place->nonsecure ? CAIRN_NONSECURE : CAIRN_SECURE;
    t->context.EL = place->hyp ? 2 : 0;
    tell_context(t);
}

/* FFFFFFFF is a count that is not known (4.5.4). */
static void tell_count(struct trial *t, uint32_t cycles)
{
    const struct cairn_element_data data = {.value = cycles};

    if (t->settings.cycles)
        tell(t, CAIRN_ELEMENT_CYCLE_COUNT, cycles == UINT32_MAX ? CAIRN_ELEMENT_UNKNOWN : 0, &data);
}

static void tell_i_sync(struct trial *t, const struct ptm_event *e)
{
    const struct cairn_element_data debug = {.value = e->reason == DEBUG_EXIT};

    tell(t, CAIRN_ELEMENT_TRACE_INFO, 0, NULL);
    if (e->reason == OVERFLOW)
        tell(t, CAIRN_ELEMENT_OVERFLOW, 0, NULL);
    else if (e->reason != PERIODIC)
        tell(t, CAIRN_ELEMENT_TRACE_ON, 0, &debug);
    t->context.context_id = e->id;
    tell_state(t, &e->place);
    tell_place(t, CAIRN_ELEMENT_TARGET_ADDRESS, &e->place);
    if (e->reason != PERIODIC)
        tell_count(t, e->cycles);
}

static void tell_branch(struct trial *t, const struct ptm_event *e)
{
    const struct cairn_element_data exception = {.value = e->exception};

    if (e->exception)
        tell(t, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_HERE | CAIRN_ELEMENT_UNKNOWN, &exception);
    else
        tell(t, CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_E | CAIRN_ELEMENT_ADDRESSED, NULL);
    tell_state(t, &e->place);
    if (e->exception == DEBUG && !t->m_profile)
        tell(t, CAIRN_ELEMENT_TARGET_ADDRESS, CAIRN_ELEMENT_UNKNOWN, NULL);
    else
        tell_place(t, CAIRN_ELEMENT_TARGET_ADDRESS, &e->place);
    tell_count(t, e->cycles);
}

static void tell_event(struct trial *t, const struct ptm_event *e)
{
    const struct cairn_element_data time = {
        .value = e->time, .info = e->clock_changed, .cycles = e->cycles};

    switch (e->kind) {
    case PTM_A_SYNC: tell(t, CAIRN_ELEMENT_A_SYNC, 0, NULL); return;
    case PTM_I_SYNC: tell_i_sync(t, e); return;
    case PTM_ATOM:
        tell(t, CAIRN_ELEMENT_ATOM, e->executed ? CAIRN_ELEMENT_E : 0, NULL);
        tell_count(t, e->cycles);
        return;
    case PTM_BRANCH: tell_branch(t, e); return;
    case PTM_UPDATE: tell_place(t, CAIRN_ELEMENT_WAYPOINT_UPDATE, &e->place); return;
    case PTM_CONTEXT_ID:
        t->context.context_id = e->id;
        tell_context(t);
        return;
    case PTM_VMID:
        t->context.vmid = e->id;
        tell_context(t);
        return;
    case PTM_TIMESTAMP:
        tell(t, CAIRN_ELEMENT_TIMESTAMP, t->settings.cycles ? CAIRN_ELEMENT_CYCLES : 0, &time);
        return;
    case PTM_RETURN: tell(t, CAIRN_ELEMENT_EXCEPTION_RETURN, 0, NULL); return;
    case PTM_TRIGGER: tell(t, CAIRN_ELEMENT_EVENT, 0, NULL); return;
    case PTM_EVENT_KINDS: return;
    }
}

/* --- random events --- */

static void add(struct trial *t, const struct ptm_event *e)
{
    tell_event(t, e);
    ptm_second_write(&t->writer, e);
}

static uint32_t some_cycles(struct trial *t)
{
    return one_in(t, 20) ? UINT32_MAX : (uint32_t)some_bits(t, 32);
}

static void add_vmid(struct trial *t)
{
    if (t->vmid)
        add(t, &(struct ptm_event){.kind = PTM_VMID, .id = t->vmid_now});
}

/* Behind an overflow and Debug state PFT 1.1 counts nothing that means anything (4.4): a zero. */
static void add_i_sync(struct trial *t, unsigned reason)
{
    const bool junk = t->settings.minor >= 1 && (reason == OVERFLOW || reason == DEBUG_EXIT);

    go(t);
    t->id = (uint32_t)next(t) & mask_of(t->settings.context_bytes);
    add(t, &(struct ptm_event){.kind = PTM_I_SYNC,
                               .place = t->place,
                               .reason = reason,
                               .cycles = junk ? 0 : some_cycles(t),
                               .id = t->id});
    add_vmid(t);
}

/* A reset makes the VMID 0, and need not say so (4.5.8). */
static void add_branch(struct trial *t)
{
    static const unsigned exceptions[] = {2, 4, RESET, 9, 10, 11, 12, 13, 14, 15};
    const unsigned exception = !one_in(t, 3)  ? 0
                               : t->m_profile ? 1 + below(t, EXCEPTION_MAX)
                                              : exceptions[below(t, 10)];

    if (exception == RESET && !t->m_profile)
        t->vmid_now = t->context.vmid = 0;
    go(t);
    add(t, &(struct ptm_event){.kind = PTM_BRANCH,
                               .place = t->place,
                               .exception = exception,
                               .cycles = some_cycles(t)});
}

/* Its address is 0 and means nothing: whole, in ARM state, as hardware has it. The processor goes
 * on elsewhere. */
static void add_debug(struct trial *t)
{
    static const struct ptm_place nowhere;

    if (t->m_profile)
        return;
    add(t, &(struct ptm_event){.kind = PTM_BRANCH,
                               .place = nowhere,
                               .exception = DEBUG,
                               .cycles = some_cycles(t),
                               .whole = true});
    add_i_sync(t, DEBUG_EXIT);
}

/* It is no new base, and its instruction set may differ from the last branch packet's. */
static void add_update(struct trial *t)
{
    const struct ptm_place before = t->place;

    go(t);
    add(t, &(struct ptm_event){.kind = PTM_UPDATE, .place = t->place});
    t->place = before;
}

static void add_identifier(struct trial *t)
{
    const uint32_t id = (uint32_t)next(t) & mask_of(t->settings.context_bytes);
    const uint32_t vmid = below(t, 256);

    if (one_in(t, 2) && t->vmid && vmid != t->vmid_now) {
        t->vmid_now = vmid;
        add_vmid(t);
    } else if (id != t->id) {
        t->id = id;
        add(t, &(struct ptm_event){.kind = PTM_CONTEXT_ID, .id = id});
    }
}

static void add_time(struct trial *t)
{
    const unsigned bits = t->settings.wide_time ? 64 : 48;

    t->time = (t->time + some_bits(t, bits)) & UINT64_MAX >> (64 - bits);
    add(t, &(struct ptm_event){.kind = PTM_TIMESTAMP,
                               .time = t->time,
                               .clock_changed = one_in(t, 4),
                               .cycles = some_cycles(t),
                               .whole = t->whole_time});
    t->whole_time = false;
}

static void add_a_sync(struct trial *t)
{
    add(t, &(struct ptm_event){.kind = PTM_A_SYNC});
    t->whole_time = true;
}

static void add_any(struct trial *t)
{
    switch (below(t, 20)) {
    case 0: add_a_sync(t); return;
    case 1: add_i_sync(t, below(t, 4)); return;
    case 2: add_identifier(t); return;
    case 3: add_time(t); return;
    case 4: add(t, &(struct ptm_event){.kind = PTM_TRIGGER}); return;
    case 5:
        if (t->settings.minor >= 1 || t->m_profile)
            add(t, &(struct ptm_event){.kind = PTM_RETURN});
        return;
    case 6: add_update(t); return;
    case 10: add_debug(t); return;
    case 7:
    case 8:
    case 9: add_branch(t); return;
    default:
        add(t, &(struct ptm_event){
                   .kind = PTM_ATOM, .executed = !one_in(t, 3), .cycles = some_cycles(t)});
        return;
    }
}

/* --- and what came of them --- */

static void show_bytes(const char *name, const uint8_t *bytes, size_t size, size_t at)
{
    printf("#   %s:", name);
    for (size_t i = at > AROUND ? at - AROUND : 0; i < at + AROUND && i < size; i++)
        printf("%s%02x", i == at ? " > " : " ", bytes[i]);
    printf("\n");
}

static void show(const struct trial *t, uint64_t seed)
{
    const struct ptm_settings *s = &t->settings;
    size_t at = 0;

    while (at < t->out.size && at < t->writer.size && t->encoded[at] == t->writer.bytes[at])
        at++;
    printf("# list %" PRIu64 ": PFT 1.%u%s, context %u%s\n", seed, s->minor,
           s->cycles ? ", cycles" : "", s->context_bytes, t->vmid ? ", VMID" : "");
    show_bytes("the encoder", t->encoded, t->out.size, at);
    show_bytes("the writer ", t->writer.bytes, t->writer.size, at);
}

static bool same_bytes(uint64_t seed)
{
    struct trial *t = &trial;
    bool same;

    memset(t, 0, offsetof(struct trial, encoded));
    t->seed = seed;
    t->out = (struct cairn_encoder_out){.bytes = t->encoded, .capacity = sizeof t->encoded};
    choose_settings(t);
    ptm_second_begin(&t->writer, &t->settings);
    t->config = configure(t);
    if (!t->config || t->config->protocol->encoder_new(t->config, 0, &t->encoder) != CAIRN_OK)
        return false;
    add_a_sync(t);
    add_i_sync(t, TRACE_ON);
    for (unsigned i = 0; i < EVENTS; i++)
        add_any(t);
    t->config->protocol->encoder_flush(t->encoder, &t->out);
    ptm_second_end(&t->writer);
    t->config->protocol->encoder_free(t->encoder);
    cairn_config_unref(t->config);
    same = t->out.size == t->writer.size && memcmp(t->encoded, t->writer.bytes, t->out.size) == 0;
    return same;
}

int main(int argc, char **argv)
{
    const bool seeds = argc == 4 && strcmp(argv[1], "--seeds") == 0;
    const uint64_t first = seeds ? strtoull(argv[2], NULL, 0) : 1;
    const uint64_t lists = seeds ? strtoull(argv[3], NULL, 0) : DEFAULT_LISTS;
    uint64_t wrong = 0, bytes = 0;

    printf("1..1\n");
    for (uint64_t i = 0; i < lists; i++) {
        const bool same = same_bytes(first + i);

        bytes += trial.out.size;
        if (!same && wrong++ < MAX_SHOWN)
            show(&trial, first + i);
    }
    printf("%s 1 - %" PRIu64 " lists, %" PRIu64
           " bytes, of which the second writer wrote the same; of %" PRIu64 " lists others\n",
           wrong ? "not ok" : "ok", lists, bytes, wrong);
    return wrong ? 1 : 0;
}
