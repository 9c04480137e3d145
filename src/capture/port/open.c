/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/port/port.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/letters.h"
#include "capture/port/etb.h"
#include "capture/port/session.h"
#include "capture/port/vcd.h"
#include "capture/port/view.h"

/* Enough for a head and forty records, or for the first words of a text. */
#define HEAD 512u
/* Cycles that tell something of wires that never change. */
#define ENOUGH 64u

enum port_file { PORT_FILE_NONE, PORT_FILE_VCD, PORT_FILE_DUMP, PORT_FILE_SESSION };

struct attaching {
    struct cairn_capture *capture;
    const struct cairn_port_request *request;
    struct cairn_buffer *buffer;
    struct cairn_port_source *source;
    struct cairn_port_summary summary;
    const char *unknown; /* what makes levels of a recording unknown */
    uint8_t head[HEAD];
    uint64_t size; /* of the file */
    struct cairn_error *error;
};

static enum port_file look(const char *path, uint8_t head[HEAD], uint64_t *size)
{
    int fd;
    enum port_file found = PORT_FILE_NONE;

    if (cairn_input_open(path, &fd, size, NULL) != CAIRN_OK)
        return found;
    const int64_t got = cairn_input_read(fd, head, HEAD, 0);
    cairn_input_close(fd);
    if (got <= 0)
        return found;
    if (cairn_vcd_is(head, (size_t)got))
        found = PORT_FILE_VCD;
    else if (cairn_etm_dump_is(head, (size_t)got, *size))
        found = PORT_FILE_DUMP;
    else if (cairn_sigrok_is(head, (size_t)got))
        found = PORT_FILE_SESSION;
    return found;
}

bool cairn_port_is(const char *path)
{
    uint8_t head[HEAD];
    uint64_t size;

    return look(path, head, &size) != PORT_FILE_NONE;
}

/* --- recordings of wires --- */

/* Two wires have the name of one signal, or that given for it: the first one is as likely the wrong one. */
static void say_twice(const struct attaching *a, const struct cairn_port_layout *layout)
{
    const struct cairn_port_found *found = &layout->clock;
    unsigned slot = layout->clock.twice ? cairn_port_slot(CAIRN_PORT_WHOLE, CAIRN_PORT_SIGNAL_CLOCK)
                                        : CAIRN_PORT_NO_SLOT;
    char text[CAIRN_PORT_SLOT_TEXT];

    for (size_t i = 0; i < layout->wire_count && slot == CAIRN_PORT_NO_SLOT; i++)
        if ((found = &layout->at[i])->twice)
            slot = cairn_port_wire_signal(layout->kind, &layout->wires[i]);
    if (slot == CAIRN_PORT_NO_SLOT)
        return;
    cairn_port_slot_text(slot, text);
    if (found->assigned)
        cairn_capture_say(
            a->capture, CAIRN_WARNING,
            "%s: more than one wire has the name that is given for %s; the first one in the file is "
            "taken. Say which one it is (pins SIGNAL=SCOPE.WIRE).",
            a->buffer->info.name, text);
    else
        cairn_capture_say(
            a->capture, CAIRN_WARNING,
            "%s: more than one wire is called %s; the first one in the file is taken. Say "
            "which one it is (pins SIGNAL=SCOPE.WIRE).",
            a->buffer->info.name, text);
}

static void say_left_out(const struct attaching *a, const struct cairn_port_layout *layout)
{
    const struct cairn_port_counts *counts = &a->summary.counts;
    const uint64_t bytes = counts->left_out / 8 + (counts->left_out % 8 != 0);
    const char *name = a->buffer->info.name;
    const char *sync = layout->sync.ones ? "FSYNC" : "alignment synchronisation";

    if (counts->breaks)
        cairn_capture_say(a->capture, CAIRN_WARNING,
                          "%s: TRACECLK stopped being 0 or 1 in %llu place%s (%s): "
                          "what the port showed until it was so again is missing%s.",
                          name, (unsigned long long)counts->breaks, cairn_plural(counts->breaks),
                          a->unknown,
                          layout->kind == CAIRN_PORT_V3 ? "" : ", and the next sample is marked");
    if (bytes)
        cairn_capture_say(a->capture, CAIRN_WARNING,
                          "%s: %llu byte%s behind missing cycles %s left out, up to the next %s%s.",
                          name, (unsigned long long)bytes, cairn_plural(bytes),
                          bytes == 1 ? "is" : "are", sync,
                          a->summary.hunting ? "; behind the last of these cycles none comes" : "");
    if (counts->realigned)
        cairn_capture_say(a->capture, CAIRN_WARNING,
                          "%s: %llu %s%s began inside a byte, because cycles were missed or the "
                          "recording began there: bytes are aligned by %s.",
                          name, (unsigned long long)counts->realigned, sync,
                          cairn_plural(counts->realigned), counts->realigned == 1 ? "it" : "them");
    if (a->summary.rest)
        cairn_capture_say(a->capture, CAIRN_NOTE,
                          "%s: the last %u bit%s of the port fill no byte and %s left out.", name,
                          a->summary.rest, cairn_plural(a->summary.rest),
                          a->summary.rest == 1 ? "is" : "are");
}

static void say_lacking(const struct attaching *a, const struct cairn_port_layout *layout)
{
    const struct cairn_port_counts *counts = &a->summary.counts;
    const char *name = a->buffer->info.name;

    if (layout->no_sync)
        cairn_capture_say(
            a->capture, CAIRN_WARNING,
            "%s: TRACESYNC is not in the file, so that the packets of branches cannot be "
            "told from others where they come late; record it too (pins "
            "TRACESYNC=WIRE).",
            name);
    if (layout->no_ctl)
        cairn_capture_say(a->capture, CAIRN_NOTE,
                          "%s: TRACECTL is not in the file; every cycle is taken to hold trace.",
                          name);
    if (!counts->edges)
        cairn_capture_say(
            a->capture, CAIRN_PROBLEM,
            "%s: TRACECLK never changes between 0 and 1, so nothing is sampled; is it "
            "the right wire (pins TRACECLK=WIRE)?",
            name);
    else if (counts->unreadable)
        cairn_capture_say(
            a->capture, CAIRN_WARNING,
            "%s: in %llu of %llu cycles a wire was neither 0 nor 1; they are left out%s.", name,
            (unsigned long long)counts->unreadable, (unsigned long long)counts->cycles,
            layout->kind == CAIRN_PORT_V3 ? "" : ", and the next one is marked");
}

/* A port that is narrower than the wires recorded leaves some of them still. */
static void say_narrow(const struct attaching *a, const struct cairn_port_layout *layout)
{
    const struct cairn_port_counts *counts = &a->summary.counts;
    const unsigned shift = layout->kind == CAIRN_PORT_V3 ? 0 : CAIRN_PORT_PACKET;
    const uint64_t moved = (counts->ones & counts->zeros) >> shift;
    unsigned least = layout->width;

    for (unsigned width = layout->width - 1; width && !(moved >> width & 1); width--)
        if (cairn_port_has_width(layout->kind, width) &&
            (layout->kind != CAIRN_PORT_V3 || cairn_port_etmcr_of_width(layout->kind, width) ||
             width == 4))
            least = width;
    if (counts->stored < ENOUGH || least == layout->width)
        return;
    cairn_capture_say(
        a->capture, CAIRN_WARNING,
        "%s: %s[%u:%u] never changed in %llu cycles with trace: the width of the port "
        "looks like %u, not %u (port width).",
        a->buffer->info.name, layout->kind == CAIRN_PORT_V3 ? "TRACEDATA" : "TRACEPKT",
        layout->width - 1, least, (unsigned long long)counts->stored, least, layout->width);
}

static void say_found(const struct attaching *a, const struct cairn_port_layout *layout)
{
    const struct cairn_port_counts *counts = &a->summary.counts;

    cairn_capture_say(
        a->capture, CAIRN_NOTE,
        "%s: read as the port of an %s, %u pin%s, mode %s: %llu cycle%s, %llu of them with "
        "trace.",
        a->buffer->info.name, cairn_port_type(layout->kind), layout->width,
        cairn_plural(layout->width), layout->clocking->name, (unsigned long long)counts->cycles,
        cairn_plural(counts->cycles), (unsigned long long)counts->stored);
    if (counts->triggers)
        cairn_capture_say(a->capture, CAIRN_NOTE,
                          "%s: the port showed %llu trigger%s, the first at offset 0x%llx of its "
                          "bytes.",
                          a->buffer->info.name, (unsigned long long)counts->triggers,
                          cairn_plural(counts->triggers),
                          (unsigned long long)counts->first_trigger);
    say_twice(a, layout);
    say_lacking(a, layout);
    say_left_out(a, layout);
    say_narrow(a, layout);
}

/* Of ETMv1 and ETMv2 the decoder has to know how wide the port is: what ETMCR says of it is what the samples are of. */
static void assume_etmcr(struct attaching *a, enum cairn_port_kind kind, unsigned width,
                         const struct cairn_port_clocking *clocking)
{
    const uint64_t given = a->request->etmcr;
    const uint64_t port =
        cairn_port_etmcr_of_width(kind, width) | cairn_port_etmcr_of_clocking(clocking);

    if (kind == CAIRN_PORT_V3 || (a->request->has_etmcr && (given & CAIRN_PORT_ETMCR) == port))
        return;
    a->source->registers[0] = (struct cairn_register){
        .name = "ETMCR",
        .value = a->request->has_etmcr ? (given & ~CAIRN_PORT_ETMCR) | port : port};
    a->source->register_count = 1;
    a->source->instead = a->request->has_etmcr;
    if (a->request->has_etmcr)
        cairn_capture_say(
            a->capture, CAIRN_WARNING,
            "%s: ETMCR 0x%llx is that of a port of another width or mode (bits 6:4, 13 and 17:16) than "
            "was asked for; 0x%llx is taken, which is that of %u pins, mode %s.",
            a->buffer->info.name, (unsigned long long)given,
            (unsigned long long)a->source->registers[0].value, width, clocking->name);
    else
        cairn_capture_say(
            a->capture, CAIRN_WARNING,
            "%s: ETMCR was not given; 0x%llx is assumed, which is what the port shows: no data "
            "trace, no Context IDs, not cycle-accurate.",
            a->buffer->info.name, (unsigned long long)a->source->registers[0].value);
}

static cairn_status attach_recording(struct attaching *a,
                                     const struct cairn_port_recording *recording, const void *file,
                                     int fd, const struct cairn_port_layout *layout)
{
    struct cairn_buffer_view *view;
    const cairn_status status = cairn_port_view(a->capture, a->request->what, recording, file, fd,
                                                &view, &a->summary, a->error);

    if (status)
        return status;
    a->buffer->view = view;
    a->source->type = cairn_port_type(layout->kind);
    assume_etmcr(a, layout->kind, layout->width, layout->clocking);
    say_found(a, layout);
    return CAIRN_OK;
}

static cairn_status attach_vcd(struct attaching *a)
{
    const char *what = a->request->what;
    struct cairn_vcd_file *file = calloc(1, sizeof *file);
    cairn_status status;

    a->unknown = "$dumpoff, x or z";
    if (!file)
        return cairn_fail(a->error, CAIRN_E_MEMORY, "%s: not enough memory to open it", what);
    status = cairn_input_open(a->buffer->info.path, &file->input.fd, &file->input.size, a->error);
    if (!status)
        status = cairn_vcd_declare(file, a->request, a->error);
    if (!status)
        status = attach_recording(a, &cairn_vcd_recording, file, file->input.fd, &file->layout);
    cairn_input_close(file->input.fd);
    free(file);
    return status;
}

/* --- sigrok's --- */

static void say_session(const struct attaching *a, const struct cairn_sigrok *session)
{
    const char *name = a->buffer->info.name;
    const uint64_t damaged = a->summary.counts.damaged;

    cairn_capture_say(a->capture, CAIRN_NOTE, "%s: is a session of sigrok's%s%s, in %llu chunk%s.",
                      name, *session->rate ? ", sampled at " : "", session->rate,
                      (unsigned long long)session->chunks, cairn_plural(session->chunks));
    if (session->more_devices)
        cairn_capture_say(a->capture, CAIRN_WARNING,
                          "%s: has more than one device; the channels of the first are read.",
                          name);
    if (session->missing)
        cairn_capture_say(a->capture, CAIRN_WARNING,
                          "%s: %llu chunk%s of it %s missing %s others (%s-NUMBER): what they "
                          "had is left out.",
                          name, (unsigned long long)session->missing,
                          cairn_plural(session->missing), session->missing == 1 ? "is" : "are",
                          !session->missing_first                      ? "between"
                          : session->missing_first == session->missing ? "in front of"
                                                                       : "in front of and between",
                          session->stem);
    if (session->twice)
        cairn_capture_say(a->capture, CAIRN_WARNING,
                          "%s: %llu chunk%s of it %s there twice (%s-NUMBER): all are read, one "
                          "behind the other; save the session once more.",
                          name, (unsigned long long)session->twice, cairn_plural(session->twice),
                          session->twice == 1 ? "is" : "are", session->stem);
    if (damaged)
        cairn_capture_say(a->capture, CAIRN_WARNING,
                          "%s: %llu chunk%s of it cannot be unpacked to %s end, or end%s inside a "
                          "unit: the file is damaged; copy it, or save the session, once more.",
                          name, (unsigned long long)damaged, cairn_plural(damaged),
                          damaged == 1 ? "its" : "their", damaged == 1 ? "s" : "");
}

static cairn_status attach_session(struct attaching *a)
{
    const char *what = a->request->what;
    struct cairn_sigrok *session = calloc(1, sizeof *session);
    cairn_status status;

    a->unknown = "a chunk is missing, or damaged";
    if (!session)
        return cairn_fail(a->error, CAIRN_E_MEMORY, "%s: not enough memory to open it", what);
    status =
        cairn_input_open(a->buffer->info.path, &session->input.fd, &session->input.size, a->error);
    if (!status)
        status = cairn_sigrok_declare(session, a->request, a->error);
    if (!status)
        status = attach_recording(a, &cairn_sigrok_recording, session, session->input.fd,
                                  &session->layout);
    if (!status)
        say_session(a, session);
    cairn_input_close(session->input.fd);
    free(session);
    return status;
}

/* --- OpenOCD's --- */

static void attach_dump(struct attaching *a)
{
    const struct cairn_port_summary *summary = &a->summary;
    const enum cairn_port_kind kind =
        a->request->kind == CAIRN_PORT_V2 ? CAIRN_PORT_V2 : CAIRN_PORT_V1;

    cairn_etm_dump_summary(a->head, a->size, &a->summary);
    a->buffer->view = cairn_etm_dump_view();
    a->source->type = cairn_port_type(kind);
    a->source->registers[0] = (struct cairn_register){.name = "ETMCR", .value = summary->etmcr};
    a->source->register_count = 1;
    cairn_capture_say(
        a->capture, CAIRN_NOTE, "%s: read as OpenOCD's dump of an %s, ETMCR 0x%llx: %llu cycles.",
        a->buffer->info.name, cairn_port_type(kind), (unsigned long long)summary->etmcr,
        (unsigned long long)(summary->bytes / CAIRN_SAMPLE_BYTES));
    if (summary->bytes / CAIRN_SAMPLE_BYTES < summary->depth)
        cairn_capture_say(a->capture, CAIRN_WARNING,
                          "%s: says that it has %llu cycles, but ends before: it was cut off.",
                          a->buffer->info.name, (unsigned long long)summary->depth);
    a->buffer->info.bytes = summary->bytes;
    cairn_port_say_trigger(a->capture, a->buffer);
    if (a->request->pins || a->request->mode || a->request->width)
        cairn_capture_say(
            a->capture, CAIRN_NOTE,
            "%s: pins, width and mode of the port mean nothing here: the dump has cycles.",
            a->buffer->info.name);
}

/* --- an ETB's --- */

/* Words have nothing above what the RAM is wide, if they are its words and this is their byte order. */
static void say_odd_words(const struct attaching *a, const struct cairn_etb *etb)
{
    uint64_t odd = 0, words = 0;

    for (size_t at = 0; at + 4 <= HEAD && at + 4 <= a->size; at += 4, words++)
        odd += etb->width < 32 && cairn_load_le32(a->head + at) >> etb->width;
    if (odd)
        cairn_capture_say(
            a->capture, CAIRN_WARNING,
            "%s: in %llu of its first %llu words bits are set above the %llu that the RAM is "
            "wide: is this a dump of its words, each in 4 bytes with the low byte first "
            "(ETB_WIDTH)?",
            a->buffer->info.name, (unsigned long long)odd, (unsigned long long)words,
            (unsigned long long)etb->width);
    if (a->size % 4)
        cairn_capture_say(a->capture, CAIRN_WARNING,
                          "%s: the last %llu byte%s are no whole word and are left out.",
                          a->buffer->info.name, (unsigned long long)(a->size % 4),
                          cairn_plural(a->size % 4));
}

cairn_status cairn_port_attach_etb(struct cairn_capture *capture,
                                   const struct cairn_port_request *request,
                                   const struct cairn_etb *etb, struct cairn_buffer *buffer,
                                   struct cairn_port_source *source, struct cairn_error *error)
{
    struct attaching a = {
        .capture = capture, .request = request, .buffer = buffer, .source = source, .error = error};
    unsigned pins = request->width;

    if (!pins && request->has_etmcr)
        pins = cairn_port_width_of_etmcr(request->kind, request->etmcr);
    if (!pins || !cairn_port_has_width(request->kind, pins))
        return cairn_fail(
            error, CAIRN_E_CONFIG,
            "%s: how many cycles a word of the trace buffer has depends on the port, which "
            "of an %s has 4, 8 or 16 pins: give ETMCR, whose bits 6:4 tell, or the port width",
            request->what, cairn_port_type(request->kind));
    if (buffer->info.format != CAIRN_FORMAT_AUTO && buffer->info.format != CAIRN_FORMAT_SOURCE_DATA)
        return cairn_fail(
            error, CAIRN_E_CONFIG,
            "%s: a trace buffer has cycles of an %s, and no frames; leave the format out",
            request->what, cairn_port_type(request->kind));
    a.size = buffer->info.bytes;
    (void)cairn_input_head(buffer->info.path, a.head, sizeof a.head);
    const cairn_status status = cairn_etb_view(capture, request->what, etb, request->kind, pins,
                                               a.size, &buffer->view, &buffer->info.bytes, error);
    if (status)
        return status;
    buffer->info.format = CAIRN_FORMAT_SOURCE_DATA;
    source->type = cairn_port_type(request->kind);
    cairn_capture_say(
        capture, CAIRN_NOTE,
        "%s: read as the RAM of a trace buffer behind an %s with %u pins: %llu words "
        "of %llu bits, %llu cycles in each.",
        buffer->info.name, source->type, pins, (unsigned long long)(a.size / 4),
        (unsigned long long)etb->width,
        (unsigned long long)(a.size / 4 ? buffer->info.bytes / (a.size / 4) / CAIRN_SAMPLE_BYTES
                                        : 0));
    const struct cairn_port_clocking *clocking =
        request->has_etmcr ? cairn_port_clocking_of_etmcr(request->kind, request->etmcr) : NULL;
    assume_etmcr(&a, request->kind, pins,
                 clocking ? clocking : cairn_port_clocking(request->kind, CAIRN_PORT_MODE_DEFAULT));
    say_odd_words(&a, etb);
    return CAIRN_OK;
}

cairn_status cairn_port_attach(struct cairn_capture *capture,
                               const struct cairn_port_request *request,
                               struct cairn_buffer *buffer, struct cairn_port_source *source,
                               struct cairn_error *error)
{
    struct attaching a = {
        .capture = capture, .request = request, .buffer = buffer, .source = source, .error = error};
    const enum port_file found = look(buffer->info.path, a.head, &a.size);
    cairn_status status = CAIRN_OK;

    if (found == PORT_FILE_NONE)
        return cairn_fail(error, CAIRN_E_IO, "%s: cannot be read", request->what);
    if (found == PORT_FILE_VCD)
        status = attach_vcd(&a);
    else if (found == PORT_FILE_SESSION)
        status = attach_session(&a);
    else
        attach_dump(&a);
    if (status)
        return status;
    buffer->info.bytes = a.summary.bytes;
    if (buffer->info.format == CAIRN_FORMAT_AUTO)
        buffer->info.format = CAIRN_FORMAT_SOURCE_DATA;
    if (buffer->info.format != CAIRN_FORMAT_SOURCE_DATA && a.summary.kind != CAIRN_PORT_V3)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "%s: the port of an %s has samples, and no frames; leave the format out",
                          request->what, source->type);
    return CAIRN_OK;
}
