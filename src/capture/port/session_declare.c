/* SPDX-License-Identifier: BSD-2-Clause */
/* What the texts of a session say of its channels, and which of them are the port's wires. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/letters.h"
#include "capture/ini.h"
#include "capture/port/session.h"

#define METADATA_MAX ((size_t)1 << 20)
#define VERSION_MAX ((size_t)64)
#define KNOWN_MAX 200u
#define KNOWN_CHANNELS 8u
#define CHANNELS_MAX (8 * CAIRN_SIGROK_UNIT_MAX)
/* The head of a local file (APPNOTE.TXT 4.3.7), and what comes behind it. */
#define LOCAL_SIZE 30u
#define LOCAL_NAME_LENGTH 26u

struct declaring_session {
    struct cairn_sigrok *session;
    const struct cairn_port_request *request;
    struct cairn_archive *archive;
    struct cairn_port_pins pins;
    struct cairn_port_found found[CAIRN_PORT_SLOTS];
    char device[CAIRN_SIGROK_NAME]; /* the section that is read; "" before the first one */
    char known[KNOWN_MAX];
    uint64_t channels;
    uint64_t probes;    /* "total probes" */
    uint64_t unit_told; /* "unitsize" */
    bool has_unit;
};

bool cairn_sigrok_is(const uint8_t *head, size_t size)
{
    static const char *const firsts[] = {"version", "metadata", "mimetype", "logic-1", "analog-1"};

    if (size < LOCAL_SIZE || memcmp(head, "PK\3\4", 4) != 0)
        return false;
    const size_t length = cairn_load_le16(head + LOCAL_NAME_LENGTH);
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++) {
        const size_t first = strlen(firsts[i]);
        if (length < first || size - LOCAL_SIZE < first ||
            memcmp(head + LOCAL_SIZE, firsts[i], first) != 0)
            continue;
        /* numbers follow those of data */
        if (length == first ||
            (i >= 3 && size - LOCAL_SIZE > first && head[LOCAL_SIZE + first] == '-'))
            return true;
    }
    return false;
}

/* --- metadata --- */

static void offer_channel(struct declaring_session *d, uint64_t number, const char *name)
{
    const struct cairn_port_variable variable = {.path = name,
                                                 .name = name,
                                                 .size = 1,
                                                 .left = -1,
                                                 .right = -1,
                                                 .index = (uint32_t)(number - 1)};
    char plain[2 * CAIRN_PORT_ASSIGNED_NAME];

    if (d->channels++ < KNOWN_CHANNELS)
        cairn_port_tell_wire(d->known, KNOWN_MAX, name, -1);
    if (strlen(name) >= sizeof plain)
        return;
    (void)cairn_port_pins_offer(&d->pins, &variable, d->found);
    /* --pins takes TRACEDATA=POD and POD[3] of the channels POD[0], POD[1] ... as of a vector */
    const char *bracket = strrchr(name, '[');
    char *end = NULL;
    const unsigned long index = bracket ? strtoul(bracket + 1, &end, 10) : 0;
    if (!bracket || bracket == name || strcmp(end, "]") != 0 || end == bracket + 1 || index > 4095)
        return;
    snprintf(plain, sizeof plain, "%.*s", (int)(bracket - name), name);
    const struct cairn_port_variable bit = {.path = plain,
                                            .name = plain,
                                            .size = 1,
                                            .left = (int)index,
                                            .right = (int)index,
                                            .index = (uint32_t)(number - 1)};
    (void)cairn_port_pins_offer(&d->pins, &bit, d->found);
}

static void copy_text(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%.*s", (int)(size - 1), text);
}

/* "probe12=TRACECLK" */
static void take_probe(struct declaring_session *d, const struct cairn_ini_line *line)
{
    uint64_t number;

    if (cairn_ini_number(line->key + strlen("probe"), &number) && number && number <= CHANNELS_MAX)
        offer_channel(d, number, line->value);
}

static int take_line(void *context, const struct cairn_ini_line *line)
{
    struct declaring_session *d = context;
    struct cairn_sigrok *session = d->session;
    uint64_t number;

    if (strncasecmp(line->section, "device", 6) != 0)
        return 0;
    if (line->kind == CAIRN_INI_SECTION && !*d->device)
        copy_text(d->device, sizeof d->device, line->section);
    if (strncmp(line->section, d->device, sizeof d->device - 1) != 0) {
        session->more_devices = true;
        return 0;
    }
    if (line->kind != CAIRN_INI_PAIR)
        return 0;
    if (!strcasecmp(line->key, "capturefile"))
        copy_text(session->stem, sizeof session->stem, line->value);
    else if (!strcasecmp(line->key, "samplerate"))
        copy_text(session->rate, sizeof session->rate, line->value);
    else if (!strcasecmp(line->key, "unitsize") && cairn_ini_number(line->value, &number))
        d->unit_told = number, d->has_unit = true;
    else if (!strcasecmp(line->key, "total probes") && cairn_ini_number(line->value, &number))
        d->probes = number;
    else if (!strncasecmp(line->key, "probe", 5))
        take_probe(d, line);
    return 0;
}

static cairn_status not_read(const struct declaring_session *d, cairn_status status,
                             const char *name, struct cairn_error *error)
{
    const char *what = d->request->what;

    switch (status) {
    case CAIRN_E_MEMORY: return cairn_fail(error, status, "%s: not enough memory to read it", what);
    case CAIRN_E_NOT_FOUND:
        return cairn_fail(
            error, CAIRN_E_FORMAT,
            "%s: is a ZIP archive without the %s that a session of sigrok's has; give "
            "the file as sigrok-cli or PulseView wrote it",
            what, name);
    case CAIRN_E_LIMIT:
        return cairn_fail(error, CAIRN_E_FORMAT,
                          "%s: its %s is longer than that of any session; give the file as "
                          "sigrok-cli or PulseView wrote it",
                          what, name);
    default:
        return cairn_fail(
            error, CAIRN_E_FORMAT,
            "%s: its %s cannot be unpacked: the file is damaged. Copy it, or save the "
            "session, once more",
            what, name);
    }
}

static cairn_status check_version(struct declaring_session *d, struct cairn_error *error)
{
    char *text;
    size_t size;
    uint64_t version = 0;
    cairn_status status = cairn_archive_text(d->archive, "version", VERSION_MAX, &text, &size);

    if (status)
        return not_read(d, status, "version", error);
    text[strcspn(text, " \t\r\n")] = 0;
    const bool known = cairn_ini_number(text, &version) && (version == 1 || version == 2);
    if (!known)
        status =
            cairn_fail(error, CAIRN_E_UNSUPPORTED,
                       "%s: is a session of version \"%.20s\", of which 1 and 2 are known; make a "
                       "value change dump of it (sigrok-cli -i FILE.sr -O vcd -o FILE.vcd)",
                       d->request->what, text);
    free(text);
    return status;
}

static cairn_status read_metadata(struct declaring_session *d, struct cairn_error *error)
{
    char *text;
    size_t size;
    cairn_status status = cairn_archive_text(d->archive, "metadata", METADATA_MAX, &text, &size);

    if (status)
        return not_read(d, status, "metadata", error);
    (void)cairn_ini_read(text, size, take_line, d);
    free(text);
    if (d->has_unit && (!d->unit_told || d->unit_told > CAIRN_SIGROK_UNIT_MAX))
        return cairn_fail(
            error, CAIRN_E_UNSUPPORTED,
            "%s: its metadata tell of units of %llu bytes (unitsize), of which 1 to %u are known; "
            "save the session with the channels of the trace port alone",
            d->request->what, (unsigned long long)d->unit_told, CAIRN_SIGROK_UNIT_MAX);
    if (d->has_unit)
        d->session->unit_size = (unsigned)d->unit_told;
    else
        d->session->unit_size = (unsigned)((d->probes < CHANNELS_MAX ? d->probes : 8) + 7) / 8;
    if (!*d->session->stem || !d->session->unit_size)
        return cairn_fail(
            error, CAIRN_E_FORMAT,
            "%s: its metadata tell of no logic channels (capturefile): a session of analog "
            "channels alone has no trace port",
            d->request->what);
    return CAIRN_OK;
}

/* --- wires --- */

static void add_tap(struct cairn_sigrok *session, uint32_t channel, unsigned wire)
{
    session->taps[session->tap_count++] = (struct cairn_sigrok_bit){
        .byte = (uint16_t)(channel / 8), .bit = (uint8_t)(channel % 8), .wire = (uint8_t)wire};
}

void cairn_sigrok_tap(struct cairn_sigrok *session)
{
    const struct cairn_port_layout *layout = &session->layout;

    session->tap_count = 0;
    for (unsigned i = 0; i < layout->wire_count; i++)
        if (layout->at[i].variable != CAIRN_PORT_NO_SLOT)
            add_tap(session, layout->at[i].variable, i);
    add_tap(session, layout->clock.variable, CAIRN_PORT_CLOCK_WIRE);
}

/* Each channel that is one of the port's, whether this layout uses it or another one would. */
static cairn_status check_channels(const struct declaring_session *d, struct cairn_error *error)
{
    const unsigned channels = d->session->unit_size * 8;

    for (size_t i = 0; i < CAIRN_PORT_SLOTS; i++)
        if (d->found[i].variable != CAIRN_PORT_NO_SLOT && d->found[i].variable >= channels)
            return cairn_fail(
                error, CAIRN_E_FORMAT,
                "%s: its metadata name channel %u, but a unit has %u byte%s, and so %u channels; "
                "save the session once more",
                d->request->what, (unsigned)d->found[i].variable + 1, d->session->unit_size,
                cairn_plural(d->session->unit_size), channels);
    return CAIRN_OK;
}

static cairn_status count_chunks(struct declaring_session *d, struct cairn_error *error)
{
    struct cairn_sigrok *session = d->session;
    size_t count;
    struct cairn_sigrok_chunk *chunks = cairn_sigrok_chunks(d->archive, session->stem, &count);

    if (!count)
        return cairn_fail(
            error, CAIRN_E_FORMAT,
            "%s: has no %s-1, which would have the levels of its channels: nothing was "
            "recorded, or it was not saved whole",
            d->request->what, session->stem);
    session->chunks = count;
    session->missing = session->twice = 0;
    session->missing_first = chunks[0].number > 1 ? chunks[0].number - 1 : 0;
    uint64_t before = chunks[0].number ? 0 : UINT64_MAX; /* the only one has no number */
    for (size_t i = 0; i < count; i++) {
        const uint64_t number = chunks[i].number;
        session->missing += before != UINT64_MAX && number > before + 1 ? number - before - 1 : 0;
        session->twice += i && number == before;
        before = number;
    }
    free(chunks);
    if (before > UINT32_MAX)
        return cairn_fail(error, CAIRN_E_FORMAT,
                          "%s: has a %s-%llu, a number that no session comes to: the archive is "
                          "damaged, or another program's. Save the session once more",
                          d->request->what, session->stem, (unsigned long long)before);
    return CAIRN_OK;
}

static cairn_status declare_session(struct declaring_session *d, struct cairn_error *error)
{
    cairn_status status = cairn_port_pins_read(d->request, &d->pins, error);

    for (size_t i = 0; i < CAIRN_PORT_SLOTS; i++)
        d->found[i] = (struct cairn_port_found){.variable = CAIRN_PORT_NO_SLOT};
    if (!status)
        status = check_version(d, error);
    if (!status)
        status = read_metadata(d, error);
    if (status)
        return status;
    if (d->channels > KNOWN_CHANNELS)
        snprintf(d->known + strlen(d->known), KNOWN_MAX - strlen(d->known), " ...");
    status = check_channels(d, error);
    if (!status)
        status = cairn_port_lay_out(d->request, &d->pins, d->found, *d->known ? d->known : "none",
                                    &d->session->layout, error);
    if (status)
        return status;
    cairn_sigrok_tap(d->session);
    return count_chunks(d, error);
}

cairn_status cairn_sigrok_declare(struct cairn_sigrok *session,
                                  const struct cairn_port_request *request,
                                  struct cairn_error *error)
{
    struct declaring_session *d = calloc(1, sizeof *d);
    cairn_status status;

    if (!d)
        return cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to read it", request->what);
    d->session = session;
    d->request = request;
    session->tap_count = 0;
    status = cairn_archive_open(&session->input, request->what, &d->archive, error);
    if (!status)
        status = declare_session(d, error);
    cairn_archive_close(d->archive);
    free(d);
    return status;
}
