/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HEX_DIGITS_MAX 16
#define DECIMAL_DIGITS_MAX 20
#define FORMATTED_MAX 1024

static const char hex_digits[] = "0123456789abcdef";
static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

void cairn_output_init(struct cairn_output *output, int fd)
{
    output->fd = fd;
    output->flush = isatty(fd) ? CAIRN_OUTPUT_FLUSH_LINES : CAIRN_OUTPUT_FLUSH_BLOCKS;
    output->state = CAIRN_OUTPUT_OPEN;
    output->error = 0;
    output->line_seen = false;
    output->used = 0;
}

void cairn_output_flush(struct cairn_output *output)
{
    size_t done = 0;

    while (done < output->used && output->state == CAIRN_OUTPUT_OPEN) {
        ssize_t written = write(output->fd, output->buffer + done, output->used - done);
        if (written >= 0) {
            done += (size_t)written;
        } else if (errno != EINTR) {
            output->error = errno;
            output->state = errno == EPIPE ? CAIRN_OUTPUT_CLOSED : CAIRN_OUTPUT_FAILED;
        }
    }
    output->used = 0;
}

void cairn_output_data(struct cairn_output *output, const void *data, size_t size)
{
    const char *from = data;

    while (size) {
        size_t part = size < FORMATTED_MAX ? size : FORMATTED_MAX;
        memcpy(cairn_output_room(output, part), from, part);
        output->used += part;
        from += part;
        size -= part;
    }
}

void cairn_output_text(struct cairn_output *output, const char *text)
{
    cairn_output_data(output, text, strlen(text));
}

void cairn_output_format(struct cairn_output *output, const char *format, ...)
{
    char text[FORMATTED_MAX];
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    size_t size = (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
    cairn_output_data(output, text, size);
}

void cairn_output_hex(struct cairn_output *output, uint64_t value, unsigned digits)
{
    unsigned needed = value ? (unsigned)(67 - __builtin_clzll(value)) / 4 : 1;
    unsigned count = needed > digits ? needed : digits;

    if (count > HEX_DIGITS_MAX)
        count = HEX_DIGITS_MAX;
    char *to = cairn_output_room(output, HEX_DIGITS_MAX);
    for (unsigned at = count; at-- > 0; value >>= 4)
        to[at] = hex_digits[value & 15];
    output->used += count;
}

void cairn_output_decimal(struct cairn_output *output, uint64_t value)
{
    char digits[DECIMAL_DIGITS_MAX];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    cairn_output_data(output, digits + at, sizeof digits - at);
}

void cairn_output_bytes(struct cairn_output *output, const uint8_t *bytes, size_t count,
                        char separator)
{
    for (size_t i = 0; i < count; i++) {
        if (i && separator)
            cairn_output_char(output, separator);
        cairn_output_char(output, hex_digits[bytes[i] >> 4]);
        cairn_output_char(output, hex_digits[bytes[i] & 15]);
    }
}

/* Bytes of the UTF-8 sequence at `text` (RFC 3629), or 0 when it is none. */
static size_t utf8_length(const unsigned char *text)
{
    size_t length;
    uint32_t code, least;

    if (text[0] < 0x80)
        return 1;
    if (text[0] >= 0xc2 && text[0] <= 0xdf) {
        length = 2, code = text[0] & 0x1f, least = 0x80;
    } else if ((text[0] & 0xf0) == 0xe0) {
        length = 3, code = text[0] & 0x0f, least = 0x800;
    } else if (text[0] >= 0xf0 && text[0] <= 0xf4) {
        length = 4, code = text[0] & 0x07, least = 0x10000;
    } else {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < least || code > 0x10ffff || surrogate ? 0 : length;
}

static void json_character(struct cairn_output *output, unsigned char character)
{
    switch (character) {
    case '"': cairn_output_text(output, "\\\""); break;
    case '\\': cairn_output_text(output, "\\\\"); break;
    case '\n': cairn_output_text(output, "\\n"); break;
    case '\r': cairn_output_text(output, "\\r"); break;
    case '\t': cairn_output_text(output, "\\t"); break;
    default:
        if (character < 0x20 || character == 0x7f) {
            cairn_output_text(output, "\\u");
            cairn_output_hex(output, character, 4);
        } else {
            cairn_output_char(output, (char)character);
        }
    }
}

void cairn_output_json(struct cairn_output *output, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    cairn_output_char(output, '"');
    while (*at) {
        size_t length = utf8_length(at);
        if (length == 1)
            json_character(output, *at);
        else if (length)
            cairn_output_data(output, at, length);
        else
            cairn_output_text(output, replacement);
        at += length ? length : 1;
    }
    cairn_output_char(output, '"');
}

/* The letter at the begin of a text, and whether a terminal would act on it. Controls of the second kind are U+0080 to U+009F,
 * and single bytes where it is no UTF-8. */
static size_t letter_at(const char *text, size_t left, bool *acts)
{
    unsigned char bytes[4] = {0};

    memcpy(bytes, text, left < sizeof bytes ? left : sizeof bytes);
    const size_t length = utf8_length(bytes);
    *acts = bytes[0] < ' ' || bytes[0] == 0x7f || (!length && bytes[0] < 0xa0) ||
            (length == 2 && bytes[0] == 0xc2 && bytes[1] < 0xa0);
    return length ? length : 1;
}

void cairn_output_harmless(struct cairn_output *output, const char *name)
{
    size_t left = strlen(name), length;
    bool acts;

    for (; left; name += length, left -= length) {
        length = letter_at(name, left, &acts);
        cairn_output_data(output, acts ? "?" : name, acts ? 1 : length);
    }
}

void cairn_output_source(struct cairn_output *output, const char *text, size_t length)
{
    enum { TAB = 8 };
    size_t column = 0, size;
    bool acts;

    for (size_t at = 0; at < length; at += size) {
        size = letter_at(text + at, length - at, &acts);
        do {
            cairn_output_data(output, acts ? " " : text + at, acts ? 1 : size);
            column++;
        } while (text[at] == '\t' && column % TAB);
    }
}

void cairn_text_to_utf8(const char *text, char *copy, size_t capacity)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t used = 0;

    while (*at) {
        size_t length = utf8_length(at);
        const void *from = length ? (const void *)at : replacement;
        size_t size = length ? length : sizeof replacement - 1;
        if (capacity - used <= size)
            break;
        memcpy(copy + used, from, size);
        used += size;
        at += length ? length : 1;
    }
    copy[used] = '\0';
}

void cairn_output_line(struct cairn_output *output)
{
    cairn_output_char(output, '\n');
    if (output->flush == CAIRN_OUTPUT_FLUSH_LINES || !output->line_seen)
        cairn_output_flush(output);
    output->line_seen = true;
}
