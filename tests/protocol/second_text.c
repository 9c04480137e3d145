/* SPDX-License-Identifier: BSD-2-Clause */
#include "second_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { REASON_OVERFLOW = 2, REASON_DEBUG_EXIT = 3, HALTING_DEBUG = 1 };
enum { OLD = 0x200, OLD_DEBUG = OLD + 7 };

static const char *const states[] = {"ARM", "Thumb", "Jazelle", "ThumbEE"};

static void add_line(struct second_lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_line(struct second_lines *lines, const char *format, ...)
{
    va_list list;

    if (lines->count == sizeof lines->line / sizeof *lines->line)
        return;
    va_start(list, format);
    (void)vsnprintf(lines->line[lines->count++], SECOND_LINE_SIZE, format, list);
    va_end(list);
}

static void add_atoms(struct second_lines *lines, const char *atoms)
{
    char *last = lines->count ? lines->line[lines->count - 1] : NULL;

    if (last == NULL || strncmp(last, "atoms ", 6) != 0)
        add_line(lines, "atoms %s", atoms);
    else if (strlen(last) + strlen(atoms) < SECOND_LINE_SIZE)
        strcat(last, atoms);
}

/* Entry to Debug state: the address means nothing (7.3.5). Breakpoints and watchpoints that do not
 * halt have exceptions of their own, also in the deprecated form (Tables 7-9, 7-12). */
static bool is_halting(const struct second_settings *s, unsigned exception)
{
    return exception == OLD_DEBUG || (exception == HALTING_DEBUG && !s->m_profile);
}

/* What both sides say of a data packet; the texts are "-" where there is none. */
struct data_words {
    const char *name;
    unsigned tag;
    bool a;
    char address[32];
    char value[32];
};

static void add_data(struct second_lines *lines, const struct data_words *words)
{
    add_line(lines, "%s tag=%u A=%d address=%s value=%s", words->name, words->tag, words->a,
             words->address, words->value);
}

static void add_branch(struct second_lines *lines, const struct second_place *to,
                       unsigned exception, bool cancel, unsigned resume)
{
    add_line(lines, "branch %s %08x NS=%d Hyp=%d exception=%x Can=%d resume=%u", states[to->state],
             to->address, to->nonsecure, to->hyp, exception, cancel, resume);
}

/* Events ------------------------------------------------------------------------------------ */

/* 7.3.4: a zero is unknown; so is what ETMv3.0 counts over an overflow or Debug state, and ETMv3.5
 * (issue Q) over an overflow. */
static void count_text(const struct second_settings *s, uint32_t cycles, unsigned reason,
                       char text[32])
{
    const bool overflow = reason == REASON_OVERFLOW && (s->minor == 0 || s->minor >= 5);
    const bool debug = reason == REASON_DEBUG_EXIT && s->minor == 0;

    if (cycles == 0 || overflow || debug)
        strcpy(text, "unknown");
    else
        (void)snprintf(text, 32, "%u", cycles);
}

static uint32_t traced_context(const struct second_settings *s, uint32_t id)
{
    return s->context_bytes == 4 ? id : id & ((1u << 8 * s->context_bytes) - 1u);
}

static void i_sync_of_event(struct second_lines *lines, const struct second_settings *s,
                            const struct second_event *e)
{
    const struct second_place *now = e->in_progress ? &e->current : &e->place;
    char cycles[32] = "-";
    char where[128] = "data only";

    if (e->has_count)
        count_text(s, e->cycles, e->reason, cycles);
    if (!s->data_only)
        (void)snprintf(where, sizeof where, "%s %08x", states[now->state], now->address);
    if (e->in_progress)
        (void)snprintf(where + strlen(where), sizeof where - strlen(where),
                       " under %s %08x NS=%d Hyp=%d", states[e->place.state], e->place.address,
                       e->place.nonsecure, e->place.hyp);
    add_line(lines, "I-sync reason=%u %s NS=%d Hyp=%d context=%x cycles=%s", e->reason, where,
             now->nonsecure, now->hyp, traced_context(s, e->id), cycles);
}

static void data_of_event(struct second_lines *lines, const struct second_settings *s,
                          const struct second_event *e, const char *name)
{
    struct data_words words = {
        .name = name, .tag = e->tag, .a = e->has_address, .address = "-", .value = "-"};

    if (e->has_address && s->addresses)
        (void)snprintf(words.address, sizeof words.address, "%08x%s", e->data_address,
                       e->big_endian ? "B" : "");
    if ((e->kind == SECOND_DATA || e->kind == SECOND_LATE_DATA) && s->values)
        (void)snprintf(words.value, sizeof words.value, "%x", e->value);
    add_data(lines, &words);
}

static void branch_of_event(struct second_lines *lines, const struct second_settings *s,
                            const struct second_event *e)
{
    const unsigned exception = e->exception + (e->old ? OLD : 0);

    if (is_halting(s, exception))
        add_line(lines, "branch halting exception=%x Can=%d", exception, e->cancel);
    else
        add_branch(lines, &e->place, exception, e->cancel, e->resume);
}

static void line_of_event(struct second_lines *lines, const struct second_settings *s,
                          const struct second_event *e, unsigned reason)
{
    char cycles[32];

    switch (e->kind) {
    case SECOND_A_SYNC: add_line(lines, "A-sync"); return;
    case SECOND_I_SYNC: i_sync_of_event(lines, s, e); return;
    case SECOND_ATOMS: add_atoms(lines, e->atoms); return;
    case SECOND_BRANCH: branch_of_event(lines, s, e); return;
    case SECOND_DATA: data_of_event(lines, s, e, "data"); return;
    case SECOND_PLACEHOLDER: data_of_event(lines, s, e, "placeholder"); return;
    case SECOND_LATE_DATA: data_of_event(lines, s, e, "late data"); return;
    case SECOND_NOT_TRACED: data_of_event(lines, s, e, "not traced"); return;
    case SECOND_SUPPRESSED: add_line(lines, "suppressed"); return;
    case SECOND_STORE_FAILED: add_line(lines, "store failed"); return;
    case SECOND_CONTEXT_ID: add_line(lines, "context %x", traced_context(s, e->id)); return;
    case SECOND_VMID: add_line(lines, "VMID %x", e->id & 0xff); return;
    case SECOND_TIMESTAMP:
        add_line(lines, "time %llx R=%d", (unsigned long long)e->time, e->clock_changed);
        return;
    case SECOND_CYCLE_COUNT:
        count_text(s, e->cycles, reason, cycles);
        add_line(lines, "cycles %s", cycles);
        return;
    case SECOND_TRIGGER: add_line(lines, "trigger"); return;
    case SECOND_IGNORE: add_line(lines, "ignore"); return;
    case SECOND_EXCEPTION_ENTRY: add_line(lines, "entry"); return;
    case SECOND_EXCEPTION_EXIT: add_line(lines, "exit"); return;
    case SECOND_KIND_COUNT: return;
    }
}

void second_lines_of_events(const struct second_list *list, size_t first,
                            struct second_lines *lines)
{
    unsigned reason = 0; /* of the last I-sync that was not periodic */

    lines->count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct second_event *e = &list->events[i];

        if (i >= first)
            line_of_event(lines, &list->settings, e, reason);
        if (e->kind == SECOND_I_SYNC && e->reason != 0)
            reason = e->reason;
    }
}

/* Packets ----------------------------------------------------------------------------------- */

static const char *state_text(unsigned state)
{
    return state < sizeof states / sizeof *states ? states[state] : "?";
}

static void atoms_of_packet(struct second_lines *lines, const struct etmv3_packet *p)
{
    const bool w_each = p->kind == CAIRN_ETMV3_P_HEADER_CYCLES_F1;
    char atoms[80] = "";
    size_t count = 0;

    if (!w_each && (p->fields.flags & CAIRN_PACKET_HAS_CYCLES))
        while (count < p->fields.cycles && count < 16)
            atoms[count++] = 'W';
    for (unsigned i = 0; i < p->fields.atom_count && i < 32; i++) {
        if (w_each)
            atoms[count++] = 'W';
        atoms[count++] = p->fields.atoms >> i & 1 ? 'E' : 'N';
    }
    add_atoms(lines, atoms);
}

static bool is_nonsecure(const struct cairn_packet_fields *f)
{
    return f->context.security == CAIRN_NONSECURE;
}

static bool is_hyp(const struct cairn_packet_fields *f)
{
    return f->context.EL == 2;
}

static void cycles_text(const struct cairn_packet_fields *f, char text[32])
{
    if (f->flags & CAIRN_PACKET_HAS_CYCLES)
        (void)snprintf(text, 32, "%u", f->cycles);
    else
        strcpy(text, "unknown");
}

static void i_sync_of_packet(struct second_lines *lines, const struct etmv3_packet *p)
{
    const struct cairn_packet_fields *f = &p->fields;
    const bool lsip = (f->flags & CAIRN_PACKET_LSIP) != 0;
    char cycles[32] = "-";
    char where[128] = "data only";

    if (p->kind == CAIRN_ETMV3_I_SYNC_CYCLES)
        cycles_text(f, cycles);
    if (!(f->flags & CAIRN_PACKET_DATA_ONLY))
        (void)snprintf(where, sizeof where, "%s %08llx", state_text(f->state),
                       (unsigned long long)(lsip ? f->value : f->address));
    if (lsip)
        (void)snprintf(where + strlen(where), sizeof where - strlen(where),
                       " under %s %08llx NS=%d Hyp=%d", state_text(f->type),
                       (unsigned long long)f->address, (f->count & CAIRN_ETMV3_LSIP_NS) != 0,
                       (f->count & CAIRN_ETMV3_LSIP_HYP) != 0);
    add_line(lines, "I-sync reason=%u %s NS=%d Hyp=%d context=%x cycles=%s", f->reason, where,
             is_nonsecure(f), is_hyp(f),
             f->flags & CAIRN_PACKET_HAS_CONTEXT_ID ? f->context.context_id : 0, cycles);
}

static void branch_of_packet(struct second_lines *lines, const struct second_settings *s,
                             const struct cairn_packet_fields *f)
{
    const unsigned exception = f->flags & CAIRN_PACKET_HAS_EXCEPTION ? f->type : 0;
    const bool cancel = (f->flags & CAIRN_PACKET_CANCEL) != 0;

    if (is_halting(s, exception))
        add_line(lines, "branch halting exception=%x Can=%d", exception, cancel);
    else if (!(f->flags & CAIRN_PACKET_HAS_ADDRESS))
        add_line(lines, "branch to an unknown address");
    else
        add_branch(lines,
                   &(struct second_place){.address = (uint32_t)f->address,
                                          .state = (enum second_state)(f->state & 3),
                                          .nonsecure = is_nonsecure(f),
                                          .hyp = is_hyp(f)},
                   exception, cancel, f->resume);
}

static void data_of_packet(struct second_lines *lines, const struct cairn_packet_fields *f,
                           const char *name)
{
    struct data_words words = {
        .name = name, .tag = f->tag, .a = f->info & 1, .address = "-", .value = "-"};

    if (f->flags & CAIRN_PACKET_HAS_ADDRESS)
        (void)snprintf(words.address, sizeof words.address, "%08llx%s",
                       (unsigned long long)f->address,
                       f->flags & CAIRN_PACKET_BIG_ENDIAN ? "B" : "");
    else if (f->address_bits)
        strcpy(words.address, "not known");
    if (f->flags & CAIRN_PACKET_HAS_VALUE)
        (void)snprintf(words.value, sizeof words.value, "%llx", (unsigned long long)f->value);
    add_data(lines, &words);
}

static void line_of_packet(struct second_lines *lines, const struct second_settings *s,
                           const struct etmv3_packet *p)
{
    const struct cairn_packet_fields *f = &p->fields;
    char cycles[32];

    switch (p->kind) {
    case CAIRN_ETMV3_A_SYNC: add_line(lines, "A-sync"); return;
    case CAIRN_ETMV3_I_SYNC:
    case CAIRN_ETMV3_I_SYNC_CYCLES: i_sync_of_packet(lines, p); return;
    case CAIRN_ETMV3_P_HEADER_F1:
    case CAIRN_ETMV3_P_HEADER_F2:
    case CAIRN_ETMV3_P_HEADER_CYCLES_F0:
    case CAIRN_ETMV3_P_HEADER_CYCLES_F1:
    case CAIRN_ETMV3_P_HEADER_CYCLES_F2:
    case CAIRN_ETMV3_P_HEADER_CYCLES_F3:
    case CAIRN_ETMV3_P_HEADER_CYCLES_F4: atoms_of_packet(lines, p); return;
    case CAIRN_ETMV3_BRANCH: branch_of_packet(lines, s, f); return;
    case CAIRN_ETMV3_NORMAL_DATA: data_of_packet(lines, f, "data"); return;
    case CAIRN_ETMV3_OUT_OF_ORDER_PLACEHOLDER: data_of_packet(lines, f, "placeholder"); return;
    case CAIRN_ETMV3_OUT_OF_ORDER_DATA: data_of_packet(lines, f, "late data"); return;
    case CAIRN_ETMV3_VALUE_NOT_TRACED: data_of_packet(lines, f, "not traced"); return;
    case CAIRN_ETMV3_DATA_SUPPRESSED: add_line(lines, "suppressed"); return;
    case CAIRN_ETMV3_STORE_FAILED: add_line(lines, "store failed"); return;
    case CAIRN_ETMV3_CONTEXT_ID: add_line(lines, "context %x", f->context.context_id); return;
    case CAIRN_ETMV3_VMID: add_line(lines, "VMID %x", f->context.vmid); return;
    case CAIRN_ETMV3_TIMESTAMP:
        if (f->flags & CAIRN_PACKET_HAS_TIMESTAMP)
            add_line(lines, "time %llx R=%d", (unsigned long long)f->value, f->type);
        else
            add_line(lines, "time not known");
        return;
    case CAIRN_ETMV3_CYCLE_COUNT:
        cycles_text(f, cycles);
        add_line(lines, "cycles %s", cycles);
        return;
    case CAIRN_ETMV3_TRIGGER: add_line(lines, "trigger"); return;
    case CAIRN_ETMV3_IGNORE: add_line(lines, "ignore"); return;
    case CAIRN_ETMV3_EXCEPTION_ENTRY: add_line(lines, "entry"); return;
    case CAIRN_ETMV3_EXCEPTION_EXIT: add_line(lines, "exit"); return;
    default: add_line(lines, "kind %u, %u bytes", p->kind, (unsigned)p->length); return;
    }
}

void second_lines_of_packets(const struct second_settings *settings,
                             const struct etmv3_list *packets, size_t first,
                             struct second_lines *lines)
{
    lines->count = 0;
    for (size_t i = first; i < packets->count; i++) {
        const uint32_t flags = packets->packets[i].fields.flags;

        line_of_packet(lines, settings, &packets->packets[i]);
        /* The writer writes nothing that no trace unit would. */
        if (flags & (CAIRN_PACKET_SBZ | CAIRN_PACKET_CONTRADICTION))
            add_line(lines, "%s", flags & CAIRN_PACKET_SBZ ? "SBZ" : "contradiction");
    }
}
