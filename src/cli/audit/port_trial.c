/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording of a trace port that was described wrongly shows where another description fits better: its
 * width, how it is clocked, which pin is which signal. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/pipeline.h>

#include "capture/model.h"
#include "capture/port/variant.h"
#include "capture/trace_unit.h"
#include "cli/audit/port_advice.h"
#include "cli/audit/port_trial.h"
#include "cli/audit/verdict.h"

#define BYTES ((size_t)64 << 10)   /* of the source, that are tried */
#define REACH (UINT64_C(16) << 20) /* of the recording, that they are looked for in */
#define LEAST 256u                 /* fewer tell nothing */
#define SUSPICIOUS 64u             /* one byte of so many in gaps; */
#define FACTOR 16u                 /* of how many times fewer there must be of what is told, */
#define FITS 256u         /* and one of how many: the right description leaves next to nothing */
#define CONTRADICTION 64u /* what flow that the image contradicts counts, in bytes */
#define UNSYNCED 8u /* the share of bytes from which on it matters that nothing is synchronised */
#define DIFFERS 3u  /* of so many cycles in which a pin is 1 the other one is not in one */
#define INSTRUCTIONS 16u /* that it has to follow */

struct port_trying {
    const struct cli_audit *audit;
    size_t index; /* of the source */
    const struct cairn_buffer *buffer;
    const struct cairn_source_info *info;
    const struct cairn_port_layout *layout;
    bool has_image;               /* flow is judged, else packets */
    uint8_t *bytes, *given_bytes; /* of the last try; as it is described */
    size_t size, given_size;
    uint64_t weight;
    uint64_t *left;  /* of all recordings, to read, by weight; */
    uint64_t reach;  /* of this one, by a try, in bytes; */
    uint64_t taken;  /* by the last one, by weight; */
    uint64_t needed; /* by that of what is given: with less the others are not compared with it */
};

/* How well a description fits: bytes in gaps, of all. */
struct port_fit {
    uint64_t bad, total,
        told; /* told: instructions that were followed; without an image, bytes of packets */
};

struct port_better {
    bool found;
    bool tied;    /* another order of the pins fits as well */
    bool partial; /* not all pins were tried: too much had to be read */
    struct cairn_port_variant variant;
    struct port_fit fit;
};

/* --- one try --- */

static struct cairn_capture *capture_of(const struct port_trying *t, size_t size)
{
    const bool framed = t->buffer->info.format != CAIRN_FORMAT_SOURCE_DATA;
    const struct cairn_buffer_options buffer = {.size = sizeof buffer,
                                                .name = "trial",
                                                .format = t->buffer->info.format,
                                                .memory = t->bytes,
                                                .memory_size = size};
    struct cairn_source_options options = CAIRN_SOURCE_OPTIONS_INIT;
    struct cairn_capture *capture = NULL;
    size_t source;

    options.name = t->info->name;
    options.core = t->info->core_type;
    options.protocol = t->info->protocol;
    options.trace_id = framed ? t->info->trace_id : -1;
    options.registers = t->info->registers;
    options.register_count = t->info->register_count;
    if (cairn_capture_new(&capture, NULL))
        return NULL;
    cairn_status status = cairn_capture_put_buffer(capture, &buffer, &options.buffer, NULL);
    if (!status)
        status = cairn_capture_put_source(capture, &options, &source, NULL);
    if (!status)
        return capture;
    cairn_capture_free(capture);
    return NULL;
}

static struct cairn_config *config_of(const struct port_trying *t,
                                      const struct cairn_port_variant *variant)
{
    const size_t count = t->info->register_count;
    const struct cairn_register *etmcr = cairn_register_find(t->info->registers, count, "ETMCR");
    struct cairn_source_config wanted = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;
    struct cairn_register *registers = calloc(count + 1, sizeof *registers);

    if (!registers)
        return NULL;
    if (count)
        memcpy(registers, t->info->registers, count * sizeof *registers);
    registers[count] = (struct cairn_register){
        /* the last value counts */
        .name = "ETMCR",
        .value = cairn_port_variant_etmcr(t->layout, variant, etmcr ? etmcr->value : 0)};
    wanted.protocol = t->info->protocol;
    wanted.arch = t->info->arch;
    wanted.source = (uint32_t)t->index;
    wanted.registers = registers;
    wanted.register_count = count + (etmcr != NULL || t->layout->kind == CAIRN_PORT_V1 ||
                                     t->layout->kind == CAIRN_PORT_V2);
    if (cairn_config_new(&wanted, &config, NULL))
        config = NULL;
    free(registers);
    return config;
}

static bool is_bad(const struct port_trying *t, enum cairn_account account)
{
    if (!t->has_image)
        return account == CAIRN_GAP_RESERVED || account == CAIRN_GAP_CUT;
    return CAIRN_ACCOUNT_IS_GAP(account) && account != CAIRN_GAP_NO_SYNC &&
           account != CAIRN_GAP_DISCARD && account != CAIRN_GAP_UNRESOLVED;
}

/* Packets that no such unit writes are not in an account of their own. */
static void judge_packets(const struct cairn_packet_batch *batch, struct port_fit *fit)
{
    for (size_t i = 0; i < batch->count; i++) {
        const bool odd = batch->fields[i].flags & (CAIRN_PACKET_SBZ | CAIRN_PACKET_CONTRADICTION);
        if (odd && batch->account[i] != CAIRN_GAP_RESERVED && batch->account[i] != CAIRN_GAP_CUT)
            fit->bad += batch->length[i];
    }
}

static bool is_contradiction(const struct cairn_flow_batch *batch, size_t index)
{
    const uint64_t value = batch->value[index];

    return batch->kind[index] == CAIRN_FLOW_WARNING &&
           (value == CAIRN_WARNING_TARGET_MISMATCH || value == CAIRN_WARNING_UNDEFINED);
}

static void judge_flow(const struct cairn_flow_batch *batch, struct cairn_summary *summary,
                       struct port_fit *fit)
{
    for (size_t i = 0; i < batch->count; i++) {
        cairn_summary_add(summary, batch, i);
        fit->bad += is_contradiction(batch, i) ? CONTRADICTION : 0;
    }
}

static bool decode(const struct port_trying *t, struct cairn_pipeline *pipeline,
                   struct port_fit *fit)
{
    struct cairn_summary summary = {0};
    cairn_status status = CAIRN_OK;
    size_t count = 1;

    while (!status && count && cli_session_goes_on(t->audit->session)) {
        status = cairn_pipeline_next(pipeline);
        if (t->has_image) {
            const struct cairn_flow_batch *batch = cairn_pipeline_flow(pipeline);
            count = batch->count;
            judge_flow(batch, &summary, fit);
        } else {
            const struct cairn_packet_batch *batch = cairn_pipeline_packets(pipeline);
            count = batch->count;
            judge_packets(batch, fit);
        }
    }
    const struct cairn_ledger *ledger = cairn_pipeline_ledger(pipeline);
    for (unsigned account = 0; account < CAIRN_LEDGER_ACCOUNTS; account++)
        if (is_bad(t, (enum cairn_account)account))
            fit->bad += ledger->account[account].bytes;
    const uint64_t unsynced = ledger->account[CAIRN_GAP_NO_SYNC].bytes;
    fit->bad += unsynced * UNSYNCED >= ledger->total ? unsynced : 0;
    fit->total = ledger->total;
    if (fit->bad > fit->total)
        fit->bad = fit->total;
    fit->told = t->has_image ? summary.instructions : ledger->account[CAIRN_ACCOUNT_FLOW].bytes;
    return !status && cli_session_goes_on(t->audit->session);
}

static bool try(struct port_trying *t, const struct cairn_port_variant *variant,
                struct port_fit *fit)
{
    const struct cairn_pipeline_options options = {
        .size = sizeof options,
        .level = t->has_image ? CAIRN_LEVEL_FLOW : CAIRN_LEVEL_PACKETS,
        .flags = CAIRN_PIPELINE_REFERENCE, /* so few bytes are not worth tables */
    };
    struct cairn_pipeline *pipeline = NULL;
    *fit = (struct port_fit){0};
    if (!*t->left || *t->left < t->needed)
        return false;
    const uint64_t most = *t->left / t->weight;
    const int64_t size = cairn_port_read_variant(t->buffer, variant, t->bytes, BYTES,
                                                 t->reach < most ? t->reach : most, &t->taken);
    t->taken *= t->weight;
    *t->left -= t->taken < *t->left ? t->taken : *t->left;
    if (size < (int64_t)LEAST)
        return false;
    t->size = (size_t)size;
    struct cairn_capture *capture = capture_of(t, (size_t)size);
    struct cairn_config *config = capture ? config_of(t, variant) : NULL;
    bool done = false;
    if (config &&
        !cairn_pipeline_new(capture, 0, config,
                            t->has_image ? cairn_capture_image(t->audit->session->capture) : NULL,
                            &options, &pipeline, NULL))
        done = decode(t, pipeline, fit);
    cairn_pipeline_free(pipeline);
    cairn_config_unref(config);
    cairn_capture_free(capture);
    return done && fit->total >= LEAST;
}

/* --- which of them is better --- */

static bool is_suspicious(const struct port_fit *given)
{
    return given->bad * SUSPICIOUS >= given->total;
}

/* Much less in gaps, and more, not less, that it tells: all cycles read as waiting have no gaps either. */
static bool is_much_better(const struct port_trying *t, const struct port_fit *fit,
                           const struct port_fit *given)
{
    const bool tells = t->has_image
                           ? fit->told >= INSTRUCTIONS && fit->told > given->told
                           : fit->told && fit->told * given->total * 2 >= given->told * fit->total;

    return tells && fit->bad * FITS <= fit->total &&
           fit->bad * FACTOR * given->total <= given->bad * fit->total;
}

/* Of the samples in which either of two wires is 1, a share in which only one is. */
static bool wires_differ(const struct port_trying *t, const struct cairn_port_wire *one,
                         const struct cairn_port_wire *other)
{
    uint64_t either = 0, different = 0;

    for (size_t i = 0; i + CAIRN_SAMPLE_BYTES <= t->given_size; i += CAIRN_SAMPLE_BYTES) {
        const uint64_t cycle =
            cairn_port_cycle(t->layout->kind, cairn_sample_load(t->given_bytes + i));
        const uint64_t a = cycle >> one->bit & 1, b = cycle >> other->bit & 1;
        either += a | b;
        different += a ^ b;
    }
    return different * DIFFERS >= either && different > 0;
}

/* Pins that show the same, but for damage, are not told apart by what is better without it. What an ETMv3 shows in a
 * cycle is not known by its bytes. */
static bool differs(const struct port_trying *t, const struct cairn_port_variant *variant)
{
    const struct cairn_port_layout *layout = t->layout;

    if (!variant->moves || layout->kind == CAIRN_PORT_V3)
        return true;
    for (size_t i = 0; i < layout->wire_count; i++)
        if (variant->moved[i] != i &&
            (layout->wires[i].bit == layout->wires[variant->moved[i]].bit ||
             wires_differ(t, &layout->wires[i], &layout->wires[variant->moved[i]])))
            return true;
    return false;
}

static void consider(struct port_trying *t, const struct cairn_port_variant *variant,
                     const struct port_fit *given, struct port_better *better)
{
    struct port_fit fit;

    if (!try(t, variant, &fit) || !differs(t, variant) || !is_much_better(t, &fit, given))
        return;
    /* of two that fit alike the one that tells more; else the first, which is the simpler one */
    const uint64_t share = fit.bad * better->fit.total, least = better->fit.bad * fit.total;
    if (better->found && (share > least || (share == least && fit.told <= better->fit.told))) {
        better->tied |= variant->moves && share == least && fit.told == better->fit.told;
        return;
    }
    *better = (struct port_better){.found = true, .variant = *variant, .fit = fit};
}

static const enum cairn_port_mode modes[] = {
    CAIRN_PORT_MODE_NORMAL,      CAIRN_PORT_MODE_HALF_RATE,
    CAIRN_PORT_MODE_MULTIPLEXED, CAIRN_PORT_MODE_DEMULTIPLEXED,
    CAIRN_PORT_MODE_DYNAMIC,     CAIRN_PORT_MODE_DEMULTIPLEXED_HALF_RATE,
};
static const unsigned widths[] = {1, 2, 4, 8, 16, 24, 32};

static unsigned differences(const struct cairn_port_variant *one,
                            const struct cairn_port_variant *other)
{
    unsigned count = one->mode != other->mode;

    count += one->width != other->width;
    return count + (one->other_edge != other->other_edge);
}

/* All of one mode that differ from what is given in so many of width, mode and edge. */
static void try_mode(struct port_trying *t, enum cairn_port_mode mode, unsigned differ,
                     const struct port_fit *given, struct port_better *better)
{
    const struct cairn_port_variant as_is = cairn_port_variant_of(t->layout);
    const struct cairn_port_clocking *clocking = cairn_port_clocking(t->layout->kind, mode);
    struct cairn_port_variant variant = as_is;

    variant.mode = mode;
    for (size_t i = 0; clocking && i < sizeof widths / sizeof widths[0]; i++) {
        variant.width = widths[i];
        variant.other_edge = false;
        if (differences(&variant, &as_is) == differ)
            consider(t, &variant, given, better);
        variant.other_edge = true;
        if (differences(&variant, &as_is) == differ && !clocking->both_edges)
            consider(t, &variant, given, better);
    }
}

/* All that differ in so many of width, mode and edge. */
static void try_settings(struct port_trying *t, unsigned differ, const struct port_fit *given,
                         struct port_better *better)
{
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        try_mode(t, modes[i], differ, given, better);
}

static bool is_of(const struct cairn_port_layout *layout, size_t wire, unsigned first,
                  unsigned bits)
{
    const unsigned bit = layout->wires[wire].bit;
    return bit >= first && bit < first + bits;
}

/* Bits in reverse of one signal. */
static bool reverse(const struct cairn_port_layout *layout, unsigned first, unsigned bits,
                    struct cairn_port_variant *variant)
{
    bool any = false;

    for (size_t i = 0; i < layout->wire_count; i++)
        for (size_t j = 0; j < layout->wire_count; j++) {
            const struct cairn_port_wire *one = &layout->wires[i], *other = &layout->wires[j];
            if (!is_of(layout, i, first, bits) || one->half != other->half ||
                one->bit - first != first + bits - 1 - other->bit)
                continue;
            variant->moved[i] = (uint8_t)j;
            any |= i != j;
        }
    variant->moves = any;
    return any;
}

static unsigned status_bits(enum cairn_port_kind kind)
{
    return kind == CAIRN_PORT_V1 ? 3 : 4;
}

static unsigned data_first(enum cairn_port_kind kind)
{
    return kind == CAIRN_PORT_V3 ? 0 : CAIRN_PORT_PACKET;
}

static bool fits_badly(struct port_trying *t, bool by_flow, uint64_t reach, struct port_fit *given);

/* Of many pins each pair is tried with less of a long recording, if there is enough of the trace in that, so that all
 * can be, with an image and without. */
static void share_out(struct port_trying *t, struct port_fit *given)
{
    const size_t wires = t->layout->wire_count;
    const uint64_t share = *t->left / (wires * (wires - 1) + 8);
    struct port_fit short_given;

    if (t->needed <= share || wires < 2)
        return;
    const uint64_t needed = t->needed;
    if (fits_badly(t, t->has_image, share / t->weight, &short_given)) {
        *given = short_given;
        return;
    }
    t->reach = REACH;
    t->needed = needed;
}

/* Two pins for one another, or all of a signal in reverse. */
static void try_pins(struct port_trying *t, struct port_fit *given, struct port_better *better)
{
    const struct cairn_port_layout *layout = t->layout;
    const struct cairn_port_variant as_is = cairn_port_variant_of(layout);
    struct cairn_port_variant variant = as_is;

    share_out(t, given);
    for (size_t i = 0; i < layout->wire_count; i++)
        for (size_t j = i + 1; j < layout->wire_count; j++) {
            if (layout->at[i].variable == CAIRN_PORT_NO_SLOT ||
                layout->at[j].variable == CAIRN_PORT_NO_SLOT)
                continue;
            variant = as_is;
            variant.moves = true;
            variant.moved[i] = (uint8_t)j;
            variant.moved[j] = (uint8_t)i;
            consider(t, &variant, given, better);
        }
    variant = as_is;
    if (reverse(layout, data_first(layout->kind), layout->width, &variant))
        consider(t, &variant, given, better);
    variant = as_is;
    if (layout->kind != CAIRN_PORT_V3 &&
        reverse(layout, CAIRN_PORT_PIPESTAT, status_bits(layout->kind), &variant))
        consider(t, &variant, given, better);
    better->partial = *t->left < t->needed;
}

/* --- what is told --- */

static void add_text(char text[CLI_SENTENCE_MAX], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_text(char text[CLI_SENTENCE_MAX], const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + length, CLI_SENTENCE_MAX - length, format, arguments);
    va_end(arguments);
}

static void name_signal(const struct cairn_port_layout *layout, size_t wire,
                        char text[CAIRN_PORT_SLOT_TEXT])
{
    cairn_port_slot_text(cairn_port_wire_signal(layout->kind, &layout->wires[wire]), text);
}

static void tell_pins(const struct cairn_port_layout *layout,
                      const struct cairn_port_variant *variant, char what[CLI_SENTENCE_MAX],
                      char advice[CLI_SENTENCE_MAX])
{
    char signal[CAIRN_PORT_SLOT_TEXT], pins[CLI_PORT_ADVICE];
    size_t moved = 0, first = 0, last = 0;

    cli_port_advise_pins(layout, variant, pins);
    add_text(advice, "%s", pins);
    for (size_t i = 0; i < layout->wire_count; i++) {
        if (variant->moved[i] == i)
            continue;
        first = moved++ ? first : i;
        last = i;
    }
    name_signal(layout, first, signal);
    if (moved == 2) {
        char other[CAIRN_PORT_SLOT_TEXT];
        name_signal(layout, last, other);
        add_text(what, "%s and %s look swapped", signal, other);
        return;
    }
    signal[strcspn(signal, "[")] = 0;
    add_text(what, "the pins of %s look reversed, the highest bit first", signal);
}

static void tell_settings(const struct port_trying *t, const struct cairn_port_variant *variant,
                          char what[CLI_SENTENCE_MAX], char advice[CLI_SENTENCE_MAX])
{
    const struct cairn_port_layout *layout = t->layout;
    const char *and = "";

    if (variant->width != layout->width) {
        add_text(what, "port width looks like %u, not %u", variant->width, layout->width);
        add_text(advice, "--port-width %u", variant->width);
        and = ", and ";
    }
    if (variant->mode != layout->clocking->mode) {
        const char *name = cairn_port_clocking(layout->kind, variant->mode)->name;
        add_text(what, "%sport mode looks like %s, not %s", and, name, layout->clocking->name);
        add_text(advice, "%s--port-mode %s", *and? " " : "", name);
        and = ", and ";
    }
    if (variant->other_edge) {
        char pins[CLI_PORT_ADVICE];
        cli_port_advise_pins(layout, variant, pins);
        add_text(what, "%sthe port looks sampled at the wrong edge of TRACECLK", and);
        add_text(advice, "%s%s", *and? " " : "", pins);
    }
}

static void tell(const struct port_trying *t, const struct port_better *better,
                 const struct port_fit *given, char what[CLI_SENTENCE_MAX],
                 char advice[CLI_SENTENCE_MAX])
{
    char share[CLI_SHARE_MAX], share_given[CLI_SHARE_MAX];

    *what = 0;
    snprintf(advice, CLI_SENTENCE_MAX, "try ");
    if (better->variant.moves)
        tell_pins(t->layout, &better->variant, what, advice);
    else
        tell_settings(t, &better->variant, what, advice);
    cli_share(better->fit.bad, better->fit.total, share);
    cli_share(given->bad, given->total, share_given);
    add_text(what, ": read so, %s of what was tried would not fit, instead of %s", share,
             share_given);
    if (better->tied)
        add_text(what, "; other pins swapped would fit as well");
    else if (better->partial)
        add_text(what, "; the recording is too long to try all other pins");
    if (better->variant.moves)
        add_text(advice, " and compare the cable with the connector (docs/trace-port.md)%s",
                 better->tied ? "; with the image of the program (--image) it can be told which"
                              : "");
    else if (t->layout->kind != CAIRN_PORT_V3 && !better->variant.other_edge)
        add_text(advice, ", and correct ETMCR, if it is given (bits 6:4, 13 and 17:16)");
}

/* How it fits as it is described, if that is not well. */
static bool fits_badly(struct port_trying *t, bool by_flow, uint64_t reach, struct port_fit *given)
{
    const struct cairn_port_variant as_is = cairn_port_variant_of(t->layout);

    t->has_image = by_flow;
    t->reach = reach;
    t->needed = 0;
    if (!try(t, &as_is, given) || !is_suspicious(given))
        return false;
    t->needed = t->taken;
    t->given_size = t->size;
    memcpy(t->given_bytes, t->bytes, t->size);
    return true;
}

/* Packets need no image, so that one that is not all there does not matter, but only flow tells which pins of an
 * address are swapped. One thing that is wrong is likelier than two. */
static bool find_better(struct port_trying *t, bool has_image, struct port_fit *given,
                        struct port_better *better)
{
    if (fits_badly(t, false, REACH, given))
        try_settings(t, 1, given, better);
    if (!better->found && has_image && fits_badly(t, true, REACH, given)) {
        try_settings(t, 1, given, better);
        if (!better->found)
            try_pins(t, given, better);
    }
    if (!better->found && fits_badly(t, false, REACH, given)) {
        try_pins(t, given, better);
        for (unsigned differ = 2; differ <= 3 && !better->found; differ++)
            try_settings(t, differ, given, better);
    }
    return better->found;
}

bool cli_port_try(const struct cli_audit *audit, size_t index, uint64_t *left,
                  char what[CLI_SENTENCE_MAX], char advice[CLI_SENTENCE_MAX])
{
    const struct cli_audit_source *source = &audit->sources[index];
    struct cairn_capture *capture = audit->session->capture;
    struct port_trying t = {
        .audit = audit,
        .index = index,
        .left = left,
        .info = &source->info,
        .buffer = &capture->buffers[source->info.buffer],
    };
    struct port_better better = {.found = false};
    struct port_fit given;

    t.layout = cairn_port_layout_of(t.buffer);
    t.weight = cairn_port_read_weight(t.buffer);
    if (!t.layout || source->state != CLI_AUDIT_DECODED)
        return false;
    t.bytes = malloc(BYTES);
    t.given_bytes = malloc(BYTES);
    const bool has_image = cairn_image_layer_count(cairn_capture_image(capture)) > 0;
    const bool found = t.bytes && t.given_bytes && find_better(&t, has_image, &given, &better);
    if (found)
        tell(&t, &better, &given, what, advice);
    free(t.bytes);
    free(t.given_bytes);
    return found;
}
