/* SPDX-License-Identifier: BSD-2-Clause */
/* The changes of a value change dump. */
#include "capture/port/vcd.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "capture/port/vcd_words.h"

#define BIT(n) (UINT64_C(1) << (n))

struct running {
    const struct cairn_vcd_file *file;
    struct cairn_vcd_words *words;
    struct cairn_port_place *place;
    const struct cairn_port_taker *taker;
};

void cairn_vcd_begin(const struct cairn_vcd_file *file, struct cairn_port_place *place)
{
    memset(place, 0, sizeof *place);
    place->offset = file->changes;
    cairn_port_sampler_init(&place->sampler, &file->layout);
}

/* Of the taps' variables, of which there are few. */
static size_t find_variable(const struct cairn_vcd_file *file, const char *code)
{
    for (size_t i = 0; i < file->variable_count; i++)
        if (file->variables[i].code[0] == code[0] && !strcmp(file->variables[i].code, code))
            return i;
    return file->variable_count;
}

/* The value of a bit of "01x": to the left of what is written stands 0, or x or z as its first. */
static char bit_of(const char *value, size_t length, uint32_t position)
{
    if (position < length)
        return value[length - 1 - position];
    return *value == '1' ? '0' : *value;
}

static void change(struct running *run, const char *code, const char *value, size_t length)
{
    const struct cairn_vcd_file *file = run->file;
    struct cairn_port_levels *now = &run->place->sampler.now;
    const size_t variable = find_variable(file, code);

    if (variable == file->variable_count || !length)
        return;
    for (size_t i = file->first_tap[variable]; i < file->first_tap[variable + 1]; i++) {
        const uint64_t wire = BIT(file->taps[i].wire);
        const char bit = bit_of(value, length, file->taps[i].position);
        now->high = bit == '1' ? now->high | wire : now->high & ~wire;
        now->unknown = bit == '0' || bit == '1' ? now->unknown & ~wire : now->unknown | wire;
    }
}

/* What is not dumped is not known. */
static void dump_off(struct running *run)
{
    struct cairn_port_levels *now = &run->place->sampler.now;

    for (size_t i = 0; i < run->file->tap_count; i++)
        now->unknown |= BIT(run->file->taps[i].wire);
    now->high = 0;
}

/* "b0101 code": false where the file ends in between. */
static bool take_vector(struct running *run)
{
    char value[CAIRN_VCD_WORD];
    const size_t length = run->words->length - 1;
    const bool cut = run->words->cut;

    memcpy(value, run->words->word + 1, length);
    if (!cairn_vcd_words_next(run->words))
        return false;
    if (!cut)
        change(run, run->words->word, value, length);
    return true;
}

/* The changes of a time are complete. */
static int settle(struct running *run)
{
    uint8_t bytes[CAIRN_PORT_EDGE_BYTES];
    const size_t size = cairn_port_sampler_settle(&run->place->sampler, bytes);

    return size ? run->taker->bytes(run->taker->context, bytes, size) : 0;
}

static int take_time(struct running *run)
{
    struct cairn_port_place *place = run->place;
    const uint64_t time = strtoull(run->words->word + 1, NULL, 10);
    int stop = 0;

    if (place->timed && time == place->time)
        return 0;
    stop = settle(run);
    place->time = time;
    place->timed = true;
    place->offset = run->words->offset;
    if (!stop && run->taker->place)
        stop = run->taker->place(run->taker->context, place);
    return stop;
}

static int take_word(struct running *run)
{
    const char *word = run->words->word;

    switch (*word) {
    case '#': return take_time(run);
    case 'b':
    case 'B':
        if (!take_vector(run))
            return 1;
        break;
    case 'r': /* reals and strings have a code behind them as well */
    case 'R':
    case 's':
    case 'S': return !cairn_vcd_words_next(run->words);
    case '$':
        if (!strcmp(word, "$comment"))
            cairn_vcd_words_skip(run->words);
        else if (!strcmp(word, "$dumpoff"))
            dump_off(run);
        break;
    default:
        if (strchr("01xXzZuUwWhHlL-", *word) && run->words->length > 1)
            change(run, word + 1, word, 1);
    }
    return 0;
}

/* The time at the place has been taken when the place was. */
static struct running *open_running(const struct cairn_vcd_file *file,
                                    const struct cairn_port_input *input, uint64_t offset)
{
    struct running *run = malloc(sizeof *run);

    if (!run)
        return NULL;
    *run = (struct running){.file = file, .words = cairn_vcd_words_new(input, offset)};
    if (run->words)
        return run;
    free(run);
    return NULL;
}

static cairn_status go_on(struct running *run, struct cairn_port_place *place,
                          const struct cairn_port_taker *taker)
{
    int stop = 0;

    run->place = place;
    run->taker = taker;
    while (!stop && cairn_vcd_words_next(run->words))
        stop = take_word(run);
    if (!stop && !run->words->failed)
        (void)settle(run);
    return run->words->failed ? CAIRN_E_IO : CAIRN_OK;
}

static void close_running(void *stream)
{
    struct running *run = stream;

    free(run->words);
    free(run);
}

cairn_status cairn_vcd_run(const struct cairn_vcd_file *file, struct cairn_port_place *place,
                           const struct cairn_port_taker *taker)
{
    struct running *run = open_running(file, &file->input, place->offset);

    if (!run)
        return CAIRN_E_MEMORY;
    const cairn_status status = go_on(run, place, taker);
    close_running(run);
    return status;
}

/* --- for view.c --- */

static void begin_file(const void *file, struct cairn_port_place *place)
{
    cairn_vcd_begin(file, place);
}

static void *open_file(const void *file, int fd, const struct cairn_port_place *place)
{
    const struct cairn_vcd_file *vcd = file;
    struct cairn_port_input input = vcd->input;

    input.fd = fd;
    return open_running(vcd, &input, place->offset);
}

static cairn_status run_file(void *stream, struct cairn_port_place *place,
                             const struct cairn_port_taker *taker)
{
    return go_on(stream, place, taker);
}

static struct cairn_port_layout *layout_of(void *file)
{
    struct cairn_vcd_file *vcd = file;

    return &vcd->layout;
}

static void tap_file(void *file)
{
    cairn_vcd_tap(file);
}

const struct cairn_port_recording cairn_vcd_recording = {
    .file_size = sizeof(struct cairn_vcd_file),
    .begin = begin_file,
    .open = open_file,
    .run = run_file,
    .close = close_running,
    .layout = layout_of,
    .tap = tap_file,
};
