/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/port/connectors.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define NAME_MAX_LENGTH 64

/* --- names --- */

static const struct {
    const char *stem; /* without _, in lower case */
    uint8_t signal, bits;
} stems[] = {
    {"pipestat", CAIRN_PORT_SIGNAL_PIPESTAT, 4},   {"tracepipestat", CAIRN_PORT_SIGNAL_PIPESTAT, 4},
    {"tracesync", CAIRN_PORT_SIGNAL_SYNC, 1},      {"tracepkt", CAIRN_PORT_SIGNAL_PACKET, 16},
    {"tracepacket", CAIRN_PORT_SIGNAL_PACKET, 16}, {"traceclk", CAIRN_PORT_SIGNAL_CLOCK, 1},
    {"traceclock", CAIRN_PORT_SIGNAL_CLOCK, 1},    {"traceclkout", CAIRN_PORT_SIGNAL_CLOCK, 1},
    {"tracectl", CAIRN_PORT_SIGNAL_CTL, 1},        {"tracedata", CAIRN_PORT_SIGNAL_DATA, 32},
    {"traced", CAIRN_PORT_SIGNAL_DATA, 32},
};

/* A number of at most three digits, in brackets or not; false where there is none. */
static bool take_index(const char **at, unsigned *index)
{
    const bool bracket = **at == '[';
    const char *digit = *at + bracket;
    unsigned count = 0;

    *index = 0;
    for (; isdigit((unsigned char)*digit) && count < 3; digit++, count++)
        *index = *index * 10 + (unsigned)(*digit - '0');
    if (!count || (bracket && *digit++ != ']'))
        return false;
    *at = digit;
    return true;
}

static unsigned take_half(const char **at)
{
    if (**at != 'a' && **at != 'b')
        return CAIRN_PORT_WHOLE;
    return *(*at)++ == 'a' ? CAIRN_PORT_A : CAIRN_PORT_B;
}

/* What may stand behind a stem: A or B, an index, both, none. */
static bool take_rest(const char *at, unsigned *half, unsigned *index, bool *indexed)
{
    *half = take_half(&at);
    *indexed = take_index(&at, index);
    if (*half == CAIRN_PORT_WHOLE)
        *half = take_half(&at);
    return !*at;
}

static bool is_signal(const char *word, struct cairn_port_named *named)
{
    for (size_t i = 0; i < sizeof stems / sizeof stems[0]; i++) {
        const size_t length = strlen(stems[i].stem);
        unsigned half, index;
        bool indexed;
        if (strncmp(word, stems[i].stem, length) != 0 ||
            !take_rest(word + length, &half, &index, &indexed) ||
            (indexed && index >= stems[i].bits))
            continue;
        named->slot =
            cairn_port_slot((enum cairn_port_half)half, stems[i].signal) + (indexed ? index : 0);
        named->bits = indexed ? 1 : stems[i].bits;
        return true;
    }
    return false;
}

static bool is_pin(const char *word, struct cairn_port_named *named)
{
    const char *at = word;
    unsigned half, pin;
    bool indexed;

    if (!strncmp(at, "pin", 3))
        at += 3;
    if (!take_rest(at, &half, &pin, &indexed) || !indexed || !pin || pin > CAIRN_PORT_PINS)
        return false;
    named->slot = cairn_port_slot_of_pin(half == CAIRN_PORT_B, pin);
    named->bits = 1;
    return true;
}

bool cairn_port_named(const char *name, struct cairn_port_named *named)
{
    char word[NAME_MAX_LENGTH + 1];
    size_t length = 0;

    for (; *name; name++) {
        if (*name == '_' || *name == ' ' || *name == '.')
            continue;
        if (length == NAME_MAX_LENGTH)
            return false;
        word[length++] = (char)tolower((unsigned char)*name);
    }
    word[length] = 0;
    return is_signal(word, named) || is_pin(word, named);
}

void cairn_port_slot_text(unsigned slot, char text[CAIRN_PORT_SLOT_TEXT])
{
    static const char *const halves[] = {"", "_A", "_B"};
    static const struct {
        const char *name;
        uint8_t signal, bits;
    } names[] = {
        {"TRACEDATA", CAIRN_PORT_SIGNAL_DATA, 32}, {"TRACECTL", CAIRN_PORT_SIGNAL_CTL, 1},
        {"TRACECLK", CAIRN_PORT_SIGNAL_CLOCK, 1},  {"TRACEPKT", CAIRN_PORT_SIGNAL_PACKET, 16},
        {"TRACESYNC", CAIRN_PORT_SIGNAL_SYNC, 1},  {"PIPESTAT", CAIRN_PORT_SIGNAL_PIPESTAT, 4},
    };
    if (slot >= CAIRN_PORT_SLOT_PINS) {
        const unsigned pin = slot - CAIRN_PORT_SLOT_PINS;
        const bool second = pin > CAIRN_PORT_PINS;
        snprintf(text, CAIRN_PORT_SLOT_TEXT, "pin %s%u", second ? "b" : "",
                 pin % (CAIRN_PORT_PINS + 1));
        return;
    }
    const unsigned signal = slot % CAIRN_PORT_SIGNAL_COUNT;
    const char *half = halves[slot / CAIRN_PORT_SIGNAL_COUNT];
    size_t i = 0;
    while (names[i].signal > signal)
        i++;
    if (names[i].bits == 1)
        snprintf(text, CAIRN_PORT_SLOT_TEXT, "%s%s", names[i].name, half);
    else
        snprintf(text, CAIRN_PORT_SLOT_TEXT, "%s%s[%u]", names[i].name, half,
                 signal - names[i].signal);
}

/* --- connectors --- */

/* Table 8-3: pins of trace signals 1 to 20. */
static const uint8_t single[CAIRN_PORT_TRACE_SIGNALS] = {38, 36, 34, 32, 30, 28, 26, 24, 22, 20,
                                                         18, 16, 37, 35, 33, 31, 29, 27, 25, 23};
/* Table 8-6: those of two ports; of the second there are eight. */
static const uint8_t first_port[] = {38, 36, 34, 32, 30, 28, 26, 24, 22, 20, 18, 16};
static const uint8_t second_port[] = {37, 35, 33, 31, 29, 27, 25, 23};
/* Table 8-5: a second connector, for TRACEDATA[31:16]. The text beside it has [16] in the place of
 * TRACEPKT[0]; the table, which is followed, in that of PIPESTAT[0]. */
static const struct {
    uint8_t pin, bit; /* of a cycle, or a level */
} second[] = {
    {38, 16},
    {36, CAIRN_PORT_LOGIC_0},
    {34, CAIRN_PORT_LOGIC_1},
    {32, CAIRN_PORT_LOGIC_0},
    {30, CAIRN_PORT_LOGIC_0},
    {28, 17},
    {26, 18},
    {24, 19},
    {22, 20},
    {20, 21},
    {18, 22},
    {16, 23},
    {37, 24},
    {35, 25},
    {33, 26},
    {31, 27},
    {29, 28},
    {27, 29},
    {25, 30},
    {23, 31},
};
/* Table 8-9: two cycles of a port of 4 pins. */
static const uint8_t half_A[] = {38, 36, 34, 32, 30, 28, 26, 24};
static const uint8_t half_B[] = {37, 35, 33, 31, 29, 27, 25, 23};

#define CLOCK_PIN 6u
#define SECOND_CLOCK_PIN 5u
#define WIDE_FIRST 16u

unsigned cairn_port_second_pin(unsigned pin)
{
    for (size_t i = 0; i < sizeof second / sizeof second[0]; i++)
        if (second[i].pin == pin)
            return second[i].bit;
    return CAIRN_PORT_NO_SLOT;
}

static unsigned second_pin_of(unsigned bit)
{
    for (size_t i = 0; i < sizeof second / sizeof second[0]; i++)
        if (second[i].bit == bit)
            return cairn_port_slot_of_pin(1, second[i].pin);
    return CAIRN_PORT_NO_SLOT;
}

/* Tables 8-7 and 8-8: what a pin shows at the rising and at the falling edge. Of ETMv2 the first
 * pair ends with PIPESTAT[3]. */
#define PACKET(n) (CAIRN_PORT_PACKET + (n))
static const struct {
    uint8_t pin, rising, falling;
} pairs[] = {
    {38, CAIRN_PORT_PIPESTAT, CAIRN_PORT_SYNC},
    {36, CAIRN_PORT_PIPESTAT + 1, PACKET(1)},
    {34, CAIRN_PORT_PIPESTAT + 2, PACKET(2)},
    {32, PACKET(0), PACKET(3)},
    {30, PACKET(4), PACKET(5)},
    {28, PACKET(6), PACKET(7)},
    {26, PACKET(8), PACKET(9)},
    {24, PACKET(10), PACKET(11)},
    {22, PACKET(12), PACKET(13)},
    {20, PACKET(14), PACKET(15)},
};
#define V2_PIPESTAT_3 3u

static const char *const map_names[CAIRN_PORT_MAP_COUNT] = {"names",    "a",          "b",
                                                            "mictor38", "mictor38-a", "mictor38-b"};

const char *cairn_port_map_name(enum cairn_port_map map)
{
    return map < CAIRN_PORT_MAP_COUNT ? map_names[map] : NULL;
}

static const char *const other_pins[CAIRN_PORT_PINS + 1] = {
    [1] = "no connect", [2] = "no connect", [3] = "no connect", [4] = "no connect",
    [5] = "GND",        [6] = "TRACECLK",   [7] = "DBGREQ",     [8] = "DBGACK",
    [9] = "nSRST",      [10] = "EXTTRIG",   [11] = "TDO",       [12] = "VTRef",
    [13] = "RTCK",      [14] = "VSupply",   [15] = "TCK",       [17] = "TMS",
    [19] = "TDI",       [21] = "nTRST",
};

const char *cairn_port_other_pin(unsigned pin)
{
    return pin <= CAIRN_PORT_PINS ? other_pins[pin] : NULL;
}

/* Table 8-2. */
#define V3_FIRST_DATA 6u /* trace signal 6 is TRACEDATA[1] */
#define V1_FIRST_PACKET 5u
unsigned cairn_port_trace_signal(enum cairn_port_kind kind, unsigned number)
{
    static const uint8_t v3[] = {0, CAIRN_PORT_CTL, CAIRN_PORT_LOGIC_1, CAIRN_PORT_LOGIC_0,
                                 CAIRN_PORT_LOGIC_0};
    if (kind == CAIRN_PORT_V3)
        return number < V3_FIRST_DATA ? v3[number - 1] : number - V1_FIRST_PACKET;
    if (number >= V1_FIRST_PACKET)
        return PACKET(number - V1_FIRST_PACKET);
    if (number == V1_FIRST_PACKET - 1)
        return kind == CAIRN_PORT_V1 ? CAIRN_PORT_SYNC : V2_PIPESTAT_3;
    return number - 1;
}

static unsigned trace_signal_of(enum cairn_port_kind kind, unsigned bit)
{
    for (unsigned number = 1; number <= CAIRN_PORT_TRACE_SIGNALS; number++)
        if (cairn_port_trace_signal(kind, number) == bit)
            return number;
    return 0;
}

/* --- wires --- */

static size_t paired(enum cairn_port_kind kind, unsigned width,
                     struct cairn_port_wire wires[CAIRN_PORT_WIRES])
{
    const size_t used = width == 4 ? 4 : width == 8 ? 6 : 10;
    size_t count = 0;

    for (size_t i = 0; i < used; i++) {
        const bool v2_first = !i && kind == CAIRN_PORT_V2;
        wires[count++] = (struct cairn_port_wire){.bit = pairs[i].rising};
        wires[count++] = (struct cairn_port_wire){
            .bit = (uint8_t)(v2_first ? V2_PIPESTAT_3 : pairs[i].falling), .edge = 1};
    }
    return count;
}

static size_t plain(enum cairn_port_kind kind, unsigned width, enum cairn_port_half half,
                    struct cairn_port_wire *wires)
{
    size_t count = 0;

    if (kind == CAIRN_PORT_V3) {
        for (unsigned i = 0; i < width; i++)
            wires[count++] = (struct cairn_port_wire){.bit = (uint8_t)i};
        wires[count++] = (struct cairn_port_wire){.bit = CAIRN_PORT_CTL};
        return count;
    }
    for (unsigned n = 1; n < V1_FIRST_PACKET + width; n++)
        wires[count++] = (struct cairn_port_wire){.bit = (uint8_t)cairn_port_trace_signal(kind, n),
                                                  .half = (uint8_t)half};
    return count;
}

size_t cairn_port_wires(enum cairn_port_kind kind, const struct cairn_port_clocking *clocking,
                        unsigned width, struct cairn_port_wire wires[CAIRN_PORT_WIRES])
{
    if (clocking->edges == 2)
        return paired(kind, width, wires);
    if (clocking->cycles == 1)
        return plain(kind, width, CAIRN_PORT_WHOLE, wires);
    const size_t count = plain(kind, width, CAIRN_PORT_B, wires);
    return count + plain(kind, width, CAIRN_PORT_A, wires + count);
}

unsigned cairn_port_wire_signal(enum cairn_port_kind kind, const struct cairn_port_wire *wire)
{
    const enum cairn_port_half half = (enum cairn_port_half)wire->half;

    if (kind == CAIRN_PORT_V3)
        return cairn_port_slot(half, wire->bit == CAIRN_PORT_CTL
                                         ? (unsigned)CAIRN_PORT_SIGNAL_CTL
                                         : (unsigned)CAIRN_PORT_SIGNAL_DATA + wire->bit);
    if (wire->bit >= CAIRN_PORT_PACKET)
        return cairn_port_slot(half, CAIRN_PORT_SIGNAL_PACKET + wire->bit - CAIRN_PORT_PACKET);
    return cairn_port_slot(half, wire->bit); /* PIPESTAT, TRACESYNC */
}

/* The wire whose name the pin has: in multiplexed mode that of the rising edge. */
static struct cairn_port_wire named_wire(const struct cairn_port_wire *wire)
{
    struct cairn_port_wire named = *wire;

    for (size_t i = 0; wire->edge && i < sizeof pairs / sizeof pairs[0]; i++)
        if (pairs[i].falling == wire->bit || (!i && wire->bit == V2_PIPESTAT_3))
            named.bit = pairs[i].rising;
    return named;
}

static unsigned paired_pin(const struct cairn_port_wire *wire)
{
    const struct cairn_port_wire named = named_wire(wire);

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (pairs[i].rising == named.bit)
            return cairn_port_slot_of_pin(0, pairs[i].pin);
    return CAIRN_PORT_NO_SLOT;
}

static unsigned pin_of(const uint8_t *pins, size_t count, unsigned number)
{
    return number && number <= count ? cairn_port_slot_of_pin(0, pins[number - 1])
                                     : CAIRN_PORT_NO_SLOT;
}

static unsigned mictor_pin(enum cairn_port_kind kind, const struct cairn_port_clocking *clocking,
                           unsigned width, const struct cairn_port_wire *wire)
{
    const unsigned number = trace_signal_of(kind, wire->bit);
    const bool B = wire->half == CAIRN_PORT_B;

    if (clocking->edges == 2)
        return paired_pin(wire);
    if (kind == CAIRN_PORT_V3 && wire->bit >= WIDE_FIRST && wire->bit < CAIRN_PORT_DATA_MAX)
        return second_pin_of(wire->bit);
    if (clocking->cycles == 2 && width == 4)
        return pin_of(B ? half_B : half_A, sizeof half_A, number);
    if (!number)
        return CAIRN_PORT_NO_SLOT;
    return cairn_port_slot_of_pin(B, single[number - 1]);
}

unsigned cairn_port_wire_slot(enum cairn_port_map map, enum cairn_port_kind kind,
                              const struct cairn_port_clocking *clocking, unsigned width,
                              const struct cairn_port_wire *wire)
{
    const unsigned number = trace_signal_of(kind, wire->bit);
    struct cairn_port_wire named = named_wire(wire);

    switch (map) {
    case CAIRN_PORT_MAP_MICTOR: return mictor_pin(kind, clocking, width, wire);
    case CAIRN_PORT_MAP_MICTOR_A: return pin_of(first_port, sizeof first_port, number);
    case CAIRN_PORT_MAP_MICTOR_B: return pin_of(second_port, sizeof second_port, number);
    case CAIRN_PORT_MAP_NAMES_A: named.half = CAIRN_PORT_A; break;
    case CAIRN_PORT_MAP_NAMES_B: named.half = CAIRN_PORT_B; break;
    case CAIRN_PORT_MAP_NAMES:
    case CAIRN_PORT_MAP_COUNT: break;
    }
    return cairn_port_wire_signal(kind, &named);
}

unsigned cairn_port_clock_slot(enum cairn_port_map map)
{
    switch (map) {
    case CAIRN_PORT_MAP_MICTOR:
    case CAIRN_PORT_MAP_MICTOR_A: return cairn_port_slot_of_pin(0, CLOCK_PIN);
    case CAIRN_PORT_MAP_MICTOR_B: return cairn_port_slot_of_pin(0, SECOND_CLOCK_PIN);
    case CAIRN_PORT_MAP_NAMES_A: return cairn_port_slot(CAIRN_PORT_A, CAIRN_PORT_SIGNAL_CLOCK);
    case CAIRN_PORT_MAP_NAMES_B: return cairn_port_slot(CAIRN_PORT_B, CAIRN_PORT_SIGNAL_CLOCK);
    case CAIRN_PORT_MAP_NAMES:
    case CAIRN_PORT_MAP_COUNT: break;
    }
    return cairn_port_slot(CAIRN_PORT_WHOLE, CAIRN_PORT_SIGNAL_CLOCK);
}
