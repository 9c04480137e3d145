/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/raw/foreign.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define UNPACK "a compressed file: unpack it first"

static const struct {
    const char *magic;
    size_t size;
    const char *what;
} kinds[] = {
    {"\x7f"
     "ELF",
     4, "an ELF file: give the trace buffer, and the program with --image"},
    {"KDUMP   ", 8,
     "a compressed kernel dump: write the trace buffer out of it (crash: `rd -r FILE ADDRESS COUNT`)"},
    {"PK\3\4", 4,
     "a ZIP archive, and no session of sigrok's (.sr), which begins with its version: unpack it first"},
    {"\x1f\x8b\x08", 3, UNPACK},
    {"BZh", 3, UNPACK},
    {"\xfd"
     "7zXZ",
     5, UNPACK},
    {"\x28\xb5\x2f\xfd", 4, UNPACK},
    {"7z\xbc\xaf\x27\x1c", 6, UNPACK},
};

static bool is_hex(const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isxdigit((unsigned char)text[i]))
            return false;
    }
    return true;
}

/* Lines of printable characters: the trace is in words, not in bytes. */
static bool is_text(const uint8_t *head, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (!isprint(head[i]) && !strchr("\t\r\n", head[i] ? head[i] : 'x'))
            return false;
    }
    return size && memchr(head, '\n', size);
}

/* "250 clk cpu0 IT ...": a time, its unit, and a word. */
static bool is_tarmac(const char *text)
{
    static const char *const units[] = {"clk", "tic", "cs", "ps", "ns", "us", "cyc"};
    const size_t digits = strspn(text, "0123456789");
    const char *unit = text + digits + strspn(text + digits, " \t");

    for (size_t i = 0; digits && i < sizeof units / sizeof units[0]; i++) {
        const size_t length = strlen(units[i]);
        if (!strncmp(unit, units[i], length) && (unit[length] == ' ' || unit[length] == '\t'))
            return true;
    }
    return false;
}

static const char *kind_of_text(const char *text)
{
    if (is_tarmac(text))
        return "a TARMAC log, which tells what was executed itself: `cairn record -o FOLDER "
               "--tarmac FILE` makes a recording of it";
    if (text[0] == ':' && is_hex(text + 1, 8))
        return "an Intel HEX file: make bytes of it (objcopy -I ihex -O binary)";
    if (text[0] == 'S' && is_hex(text + 1, 7))
        return "an S-record file: make bytes of it (objcopy -I srec -O binary)";
    return "a text file: give the trace as bytes (`xxd -r` makes them of a hex dump; of GDB's "
           "memory, "
           "`dump binary memory`)";
}

const char *cairn_foreign_kind(const uint8_t *head, size_t size)
{
    char text[48] = "";
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (size >= kinds[i].size && !memcmp(head, kinds[i].magic, kinds[i].size))
            return kinds[i].what;
    }
    if (!is_text(head, size))
        return NULL;
    memcpy(text, head, size < sizeof text - 1 ? size : sizeof text - 1);
    return kind_of_text(text);
}
