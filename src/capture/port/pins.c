/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/port/pins.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

#define ITEM_MAX 200

/* --- --pins --- */

static cairn_status bad_item(const struct cairn_port_request *request, const char *item,
                             const char *why, struct cairn_error *error)
{
    return cairn_fail(
        error, CAIRN_E_CONFIG,
        "%s: pins: \"%.80s\" %s; give mictor38, mictor38-a, mictor38-b, a, b or names, "
        "SIGNAL=WIRE or PIN=WIRE, with commas between",
        request->what, item, why);
}

/* "bus[3]" -> "bus" and 3. */
static bool take_wire(const char *text, struct cairn_port_assignment *assigned)
{
    const char *bracket = strrchr(text, '[');
    const size_t length = bracket ? (size_t)(bracket - text) : strlen(text);

    assigned->index = -1;
    if (!length || length >= sizeof assigned->wire)
        return false;
    snprintf(assigned->wire, sizeof assigned->wire, "%.*s", (int)length, text);
    if (!bracket)
        return true;
    char *end;
    const long index = strtol(bracket + 1, &end, 10);
    if (!isdigit((unsigned char)bracket[1]) || strcmp(end, "]") != 0 || index > 4095)
        return false;
    assigned->index = (int)index;
    return true;
}

static cairn_status take_item(const struct cairn_port_request *request, const char *item,
                              struct cairn_port_pins *pins, struct cairn_error *error)
{
    const char *equals = strchr(item, '=');
    char signal[ITEM_MAX];
    struct cairn_port_named named;

    if (!equals) {
        for (enum cairn_port_map map = 0; map < CAIRN_PORT_MAP_COUNT; map++) {
            if (strcasecmp(item, cairn_port_map_name(map)) != 0)
                continue;
            pins->map = map;
            return CAIRN_OK;
        }
        return bad_item(request, item, "is no map of pins", error);
    }
    snprintf(signal, sizeof signal, "%.*s", (int)(equals - item), item);
    if (!cairn_port_named(signal, &named))
        return bad_item(request, item, "begins with no signal of a trace port", error);
    if (named.slot >= CAIRN_PORT_SLOT_PINS) {
        const unsigned pin = (named.slot - CAIRN_PORT_SLOT_PINS) % (CAIRN_PORT_PINS + 1);
        const char *other = cairn_port_other_pin(pin);
        if (other && strcmp(other, "TRACECLK") != 0 && strcmp(other, "GND") != 0) {
            char why[64];
            snprintf(why, sizeof why, "gives a wire to a pin that is %s on the connector", other);
            return bad_item(request, item, why, error);
        }
    }
    if (pins->assigned_count == CAIRN_PORT_ASSIGNED)
        return bad_item(request, item, "is one more than the 64 wires that may be given", error);
    struct cairn_port_assignment *assigned = &pins->assigned[pins->assigned_count];
    assigned->inverted = equals[1] == '!';
    if (!take_wire(equals + 1 + assigned->inverted, assigned))
        return bad_item(request, item, "names no wire (NAME, NAME[3], or one with ! in front)",
                        error);
    assigned->slot = named.slot;
    assigned->bits = named.bits;
    pins->assigned_count++;
    return CAIRN_OK;
}

cairn_status cairn_port_pins_read(const struct cairn_port_request *request,
                                  struct cairn_port_pins *pins, struct cairn_error *error)
{
    memset(pins, 0, sizeof *pins);
    for (const char *at = request->pins; at && *at;) {
        const size_t length = strcspn(at, ",");
        char item[ITEM_MAX];
        if (length >= sizeof item)
            return bad_item(request, at, "is too long", error);
        const char *first = at + strspn(at, " \t");
        int size = (int)(at + length - first);
        while (size > 0 && (first[size - 1] == ' ' || first[size - 1] == '\t'))
            size--;
        snprintf(item, sizeof item, "%.*s", size > 0 ? size : 0, first);
        const cairn_status status = *item ? take_item(request, item, pins, error) : CAIRN_OK;
        if (status)
            return status;
        at += length + (at[length] == ',');
    }
    for (size_t i = 0; i < pins->assigned_count; i++)
        if (pins->assigned[i].slot >= CAIRN_PORT_SLOT_PINS && pins->map < CAIRN_PORT_MAP_MICTOR)
            pins->map = CAIRN_PORT_MAP_MICTOR; /* pins are those of the connector */
    return CAIRN_OK;
}

/* --- the file's variables --- */

static bool is_called(const struct cairn_port_variable *variable, const char *name)
{
    const size_t path = strlen(variable->path), length = strlen(name);

    if (!strcmp(variable->name, name) || !strcmp(variable->path, name))
        return true;
    return length < path && !strcmp(variable->path + path - length, name) &&
           variable->path[path - length - 1] == '.';
}

/* Where the bit with an index stands; false: the variable has no such bit. */
static bool position_of(const struct cairn_port_variable *variable, int index, uint32_t *position)
{
    const int right = variable->right < 0 ? 0 : variable->right;
    const int left = variable->left < 0 ? (int)variable->size - 1 : variable->left;
    const int from_right = left >= right ? index - right : right - index;

    if (from_right < 0 || from_right >= (int)variable->size)
        return false;
    *position = (uint32_t)from_right;
    return true;
}

static struct cairn_port_found found_at(const struct cairn_port_variable *variable, int index,
                                        uint32_t position, const char *name)
{
    struct cairn_port_found found = {.variable = variable->index, .position = position};
    const int room = CAIRN_PORT_WIRE_NAME - 16;

    found.cut = strlen(name) >= CAIRN_PORT_ASSIGNED_NAME;
    if (variable->size > 1 || variable->left >= 0)
        snprintf(found.name, sizeof found.name, "%.*s[%d]", room, name, index);
    else
        snprintf(found.name, sizeof found.name, "%.*s", room, name);
    return found;
}

/* `assigned`: --pins says so; NULL: the name does. `rank`: of two of --pins the later one counts. */
static bool take_bits(const struct cairn_port_variable *variable, unsigned slot, unsigned bits,
                      int first, const struct cairn_port_assignment *assigned, uint8_t rank,
                      struct cairn_port_found *found)
{
    bool taken = false;

    for (unsigned i = 0; i < bits; i++) {
        struct cairn_port_found *at = &found[slot + i];
        uint32_t position;
        if (!position_of(variable, first + (int)i, &position))
            continue;
        if (at->variable != CAIRN_PORT_NO_SLOT && at->assigned >= rank) {
            at->twice |= at->assigned == rank && at->variable != variable->index;
            continue;
        }
        *at = found_at(variable, first + (int)i, position,
                       assigned ? assigned->wire : variable->name);
        at->assigned = rank;
        at->inverted = assigned && assigned->inverted;
        taken = true;
    }
    return taken;
}

static int lowest(const struct cairn_port_variable *variable)
{
    if (variable->right < 0)
        return 0;
    return variable->left < variable->right ? variable->left : variable->right;
}

static bool is_single(const struct cairn_port_variable *variable)
{
    return variable->size == 1 && variable->left >= 0 && variable->left == variable->right;
}

bool cairn_port_pins_offer(const struct cairn_port_pins *pins,
                           const struct cairn_port_variable *variable,
                           struct cairn_port_found found[CAIRN_PORT_SLOTS])
{
    struct cairn_port_named named;
    bool taken = false;

    for (size_t i = 0; i < pins->assigned_count; i++) {
        const struct cairn_port_assignment *assigned = &pins->assigned[i];
        const uint8_t rank = (uint8_t)(i + 1);
        if (!is_called(variable, assigned->wire))
            continue;
        const bool one = assigned->index >= 0 || assigned->bits == 1;
        if (!one && is_single(variable)) { /* POD[3] of a vector whose wires stand one by one */
            taken |= (unsigned)variable->left < assigned->bits &&
                     take_bits(variable, assigned->slot + (unsigned)variable->left, 1,
                               variable->left, assigned, rank, found);
            continue;
        }
        taken |= take_bits(variable, assigned->slot, one ? 1 : assigned->bits,
                           assigned->index >= 0 ? assigned->index : lowest(variable), assigned,
                           rank, found);
    }
    if (!cairn_port_named(variable->name, &named))
        return taken;
    /* "TRACEDATA [3:0]" has its own numbers; "TRACEDATA3" is one wire, whatever its range */
    if (named.bits == 1)
        return take_bits(variable, named.slot, 1, lowest(variable), NULL, 0, found) || taken;
    return take_bits(variable, named.slot, named.bits, 0, NULL, 0, found) || taken;
}

void cairn_port_tell_wire(char *known, size_t size, const char *name, int index)
{
    const size_t length = strlen(known);
    char number[16] = "";

    if (index >= 0)
        snprintf(number, sizeof number, "[%d]", index);
    if (length + strlen(name) + strlen(number) + sizeof ",  ..." > size)
        return;
    snprintf(known + length, size - length, "%s%s%s", length ? ", " : "", name, number);
    for (char *at = known + length; *at; at++)
        if (iscntrl((unsigned char)*at))
            *at = '?';
}

/* --- the layout --- */

struct lookup {
    const struct cairn_port_request *request;
    const struct cairn_port_pins *pins;
    const struct cairn_port_found *found;
    const char *known;
    struct cairn_error *error;
};

static bool is_there(const struct lookup *l, unsigned slot)
{
    return slot != CAIRN_PORT_NO_SLOT && l->found[slot].variable != CAIRN_PORT_NO_SLOT;
}

static enum cairn_port_half half_of(const struct lookup *l)
{
    if (l->pins->map == CAIRN_PORT_MAP_NAMES_B)
        return CAIRN_PORT_B;
    if (l->pins->map == CAIRN_PORT_MAP_NAMES_A ||
        !is_there(l, cairn_port_slot(CAIRN_PORT_WHOLE, CAIRN_PORT_SIGNAL_PIPESTAT)))
        if (is_there(l, cairn_port_slot(CAIRN_PORT_A, CAIRN_PORT_SIGNAL_PIPESTAT)) ||
            l->pins->map == CAIRN_PORT_MAP_NAMES_A)
            return CAIRN_PORT_A;
    return CAIRN_PORT_WHOLE;
}

static bool has_signal(const struct lookup *l, unsigned signal)
{
    return is_there(l, cairn_port_slot(half_of(l), signal));
}

/* The architecture whose signals are there. */
static enum cairn_port_kind kind_of_names(const struct lookup *l)
{
    if (has_signal(l, CAIRN_PORT_SIGNAL_DATA))
        return CAIRN_PORT_V3;
    if (!has_signal(l, CAIRN_PORT_SIGNAL_PIPESTAT))
        return CAIRN_PORT_UNKNOWN;
    return has_signal(l, CAIRN_PORT_SIGNAL_PIPESTAT + 3) && !has_signal(l, CAIRN_PORT_SIGNAL_SYNC)
               ? CAIRN_PORT_V2
               : CAIRN_PORT_V1;
}

static cairn_status no_signals(const struct lookup *l)
{
    /* one wire for all of it is another way out of a chip */
    const char *serial = strstr(l->known, "SWO")
                             ? ". Of a serial wire (SWO) give the bytes that its UART carried"
                             : "";

    return cairn_fail(
        l->error, CAIRN_E_CONFIG,
        "%s: none of its names is a trace port's (PIPESTAT and TRACEPKT, or TRACEDATA); "
        "say which wire is which signal (pins TRACECLK=WIRE,...) and give the protocol. "
        "Its wires are %s%s",
        l->request->what, l->known, serial);
}

static cairn_status choose_clocking(const struct lookup *l, enum cairn_port_kind kind,
                                    const struct cairn_port_clocking **clocking)
{
    const struct cairn_port_request *request = l->request;
    char list[CAIRN_PORT_MODES_TEXT];

    cairn_port_clocking_list(kind, list);
    if (request->mode) {
        const struct cairn_port_clocking *named = cairn_port_clocking_named(request->mode);
        *clocking = named ? cairn_port_clocking(kind, named->mode) : NULL;
        return *clocking ? CAIRN_OK
                         : cairn_fail(l->error, CAIRN_E_CONFIG,
                                      "%s: the port of an %s has no mode \"%.40s\"; give one of %s",
                                      request->what, cairn_port_type(kind), request->mode, list);
    }
    /* of ETMv3 the port may be another component's, as CoreSight's TPIU, which its ETMCR says nothing of */
    if (request->has_etmcr && kind != CAIRN_PORT_V3) {
        *clocking = cairn_port_clocking_of_etmcr(kind, request->etmcr);
        return *clocking
                   ? CAIRN_OK
                   : cairn_fail(
                         l->error, CAIRN_E_CONFIG,
                         "%s: ETMCR 0x%llx has a port mode (bits 13 and 17:16) that an %s does "
                         "not have; give the right one (port mode %s)",
                         request->what, (unsigned long long)request->etmcr, cairn_port_type(kind),
                         list);
    }
    const bool two = kind != CAIRN_PORT_V3 && l->pins->map == CAIRN_PORT_MAP_NAMES &&
                     half_of(l) == CAIRN_PORT_A &&
                     is_there(l, cairn_port_slot(CAIRN_PORT_B, CAIRN_PORT_SIGNAL_PIPESTAT));
    *clocking =
        cairn_port_clocking(kind, two ? CAIRN_PORT_MODE_DEMULTIPLEXED : CAIRN_PORT_MODE_DEFAULT);
    return CAIRN_OK;
}

/* A map of one of two ports has each signal once. */
static cairn_status check_map(const struct lookup *l, const struct cairn_port_layout *layout)
{
    const enum cairn_port_map map = l->pins->map;
    const bool mictor = map == CAIRN_PORT_MAP_MICTOR_A || map == CAIRN_PORT_MAP_MICTOR_B;
    const bool names = map == CAIRN_PORT_MAP_NAMES_A || map == CAIRN_PORT_MAP_NAMES_B;

    if (!(mictor && layout->clocking->edges == 2) &&
        !((mictor || names) && layout->clocking->cycles == 2))
        return CAIRN_OK;
    return cairn_fail(
        l->error, CAIRN_E_CONFIG,
        "%s: pins \"%s\" is one of two ports, of which none is %s%s; give %s, which has both "
        "signals of a pin, or both cycles of a signal, or say which wire is which signal (pins "
        "SIGNAL=WIRE), or another mode",
        l->request->what, cairn_port_map_name(map), layout->clocking->name,
        mictor ? " (Table 8-6)" : "", mictor ? "mictor38" : "names");
}

/* Of the two names of a signal, its own and where the map has it, --pins has the own one, and the other not later. */
static bool is_own(const struct lookup *l, unsigned own, unsigned slot)
{
    return is_there(l, own) && l->found[own].assigned &&
           !(is_there(l, slot) && l->found[slot].assigned > l->found[own].assigned);
}

/* The wire's place: as --pins has it by the signal's own name, else where the map has it. */
static struct cairn_port_found find_wire(const struct lookup *l,
                                         const struct cairn_port_layout *layout,
                                         const struct cairn_port_wire *wire, unsigned *slot)
{
    const struct cairn_port_found none = {.variable = CAIRN_PORT_NO_SLOT};
    const unsigned own = cairn_port_wire_signal(layout->kind, wire);

    *slot = cairn_port_wire_slot(l->pins->map, layout->kind, layout->clocking, layout->width, wire);
    if (is_own(l, own, *slot))
        return l->found[own];
    if (is_there(l, *slot))
        return l->found[*slot];
    /* in multiplexed mode either name of a pair will do */
    if (l->pins->map == CAIRN_PORT_MAP_NAMES && is_there(l, own))
        return l->found[own];
    return none;
}

/* Whether every wire is there that a port of so many pins needs; *missing is the first that is not. */
static bool complete(const struct lookup *l, struct cairn_port_layout *layout, unsigned width,
                     unsigned *missing)
{
    layout->width = width;
    layout->no_sync = layout->no_ctl = false;
    layout->wire_count = cairn_port_wires(layout->kind, layout->clocking, width, layout->wires);
    for (size_t i = 0; i < layout->wire_count; i++) {
        const struct cairn_port_wire *wire = &layout->wires[i];
        const bool sync = layout->kind == CAIRN_PORT_V1 && wire->bit == CAIRN_PORT_SYNC;
        const bool ctl = layout->kind == CAIRN_PORT_V3 && wire->bit == CAIRN_PORT_CTL;
        layout->at[i] = find_wire(l, layout, wire, missing);
        if (layout->at[i].variable != CAIRN_PORT_NO_SLOT)
            continue;
        if (!sync && !ctl)
            return false;
        layout->no_sync |= sync;
        layout->no_ctl |= ctl;
    }
    return true;
}

static cairn_status not_there(const struct lookup *l, const struct cairn_port_layout *layout,
                              unsigned slot)
{
    char text[CAIRN_PORT_SLOT_TEXT] = "one of its wires";

    if (slot != CAIRN_PORT_NO_SLOT)
        cairn_port_slot_text(slot, text);
    return cairn_fail(
        l->error, CAIRN_E_CONFIG,
        "%s: %s is not in the file, which an %s port of %u pins, %s, needs; say which "
        "wire it is (pins SIGNAL=WIRE), or give the width and mode of the port. Its "
        "wires are %s",
        l->request->what, text, cairn_port_type(layout->kind), layout->width,
        layout->clocking->name, l->known);
}

/* The widest port whose wires are all there. */
static cairn_status choose_width(const struct lookup *l, struct cairn_port_layout *layout)
{
    const struct cairn_port_request *request = l->request;
    const unsigned told = request->has_etmcr && layout->kind != CAIRN_PORT_V3
                              ? cairn_port_width_of_etmcr(layout->kind, request->etmcr)
                              : 0;
    unsigned missing = CAIRN_PORT_NO_SLOT;
    unsigned width = request->width;

    if (width && !cairn_port_has_width(layout->kind, width))
        return cairn_fail(l->error, CAIRN_E_CONFIG, "%s: the port of an %s cannot have %u pins; %s",
                          request->what, cairn_port_type(layout->kind), width,
                          layout->kind == CAIRN_PORT_V3 ? "1 to 32 are possible"
                                                        : "4, 8 and 16 are possible");
    if (!width && told)
        width = told;
    if (width)
        return complete(l, layout, width, &missing) ? CAIRN_OK : not_there(l, layout, missing);
    for (width = CAIRN_PORT_DATA_MAX; width; width--)
        if (cairn_port_has_width(layout->kind, width) && complete(l, layout, width, &missing))
            return CAIRN_OK;
    return not_there(l, layout, missing);
}

static cairn_status find_clock(const struct lookup *l, struct cairn_port_layout *layout)
{
    const unsigned own = cairn_port_slot(CAIRN_PORT_WHOLE, CAIRN_PORT_SIGNAL_CLOCK);
    const unsigned halves[] = {cairn_port_slot(CAIRN_PORT_A, CAIRN_PORT_SIGNAL_CLOCK),
                               cairn_port_clock_slot(CAIRN_PORT_MAP_MICTOR)};
    unsigned slot = cairn_port_clock_slot(l->pins->map);

    if (is_own(l, own, slot))
        slot = own;
    /* two ports of one clock have it once: as TRACECLK, as the first port's, or on its pin */
    if (!is_there(l, slot) && is_there(l, own))
        slot = own;
    for (size_t i = 0; i < 2; i++)
        if (!is_there(l, slot) && is_there(l, halves[i]))
            slot = halves[i];
    if (!is_there(l, slot))
        return cairn_fail(
            l->error, CAIRN_E_CONFIG,
            "%s: TRACECLK is not in the file, without which nothing tells when the port "
            "is sampled; say which wire it is (pins TRACECLK=WIRE). Its wires are %s",
            l->request->what, l->known);
    layout->clock = l->found[slot];
    return CAIRN_OK;
}

/* Some bit of it is where --pins says that it is, or where a later item does. */
static bool is_found(const struct lookup *l, size_t item)
{
    const struct cairn_port_assignment *assigned = &l->pins->assigned[item];

    for (unsigned i = 0; i < assigned->bits; i++)
        if (l->found[assigned->slot + i].assigned > item)
            return l->found[assigned->slot].assigned > 0;
    return false;
}

/* What --pins names must be there. */
static cairn_status check_assigned(const struct lookup *l)
{
    for (size_t i = 0; i < l->pins->assigned_count; i++) {
        const struct cairn_port_assignment *assigned = &l->pins->assigned[i];
        if (!is_found(l, i))
            return cairn_fail(
                l->error, CAIRN_E_CONFIG,
                "%s: pins: there is no wire %s, or it has no such bit. Its wires are %s",
                l->request->what, assigned->wire, l->known);
    }
    return CAIRN_OK;
}

static void note_inverted(struct cairn_port_layout *layout)
{
    for (size_t i = 0; i < layout->wire_count; i++)
        if (layout->at[i].inverted)
            layout->inverted |= UINT64_C(1) << i;
    if (layout->clock.inverted)
        layout->inverted |= UINT64_C(1) << CAIRN_PORT_CLOCK_WIRE;
}

cairn_status cairn_port_lay_out(const struct cairn_port_request *request,
                                const struct cairn_port_pins *pins,
                                const struct cairn_port_found found[CAIRN_PORT_SLOTS],
                                const char *known, struct cairn_port_layout *layout,
                                struct cairn_error *error)
{
    const struct lookup l = {request, pins, found, known, error};

    memset(layout, 0, sizeof *layout);
    layout->pins = *pins;
    memcpy(layout->found, found, sizeof layout->found);
    cairn_status status = check_assigned(&l);
    if (status)
        return status;
    const bool by_name = pins->map < CAIRN_PORT_MAP_MICTOR;
    layout->kind = request->kind || !by_name ? request->kind : kind_of_names(&l);
    layout->sync = request->sync;
    if (!layout->kind && !by_name)
        return cairn_fail(
            error, CAIRN_E_CONFIG,
            "%s: pins of a connector do not tell which trace unit is behind them; give "
            "the protocol (ETMv1, ETMv2 or ETMv3)",
            request->what);
    if (!layout->kind)
        return no_signals(&l);
    status = choose_clocking(&l, layout->kind, &layout->clocking);
    if (!status)
        status = check_map(&l, layout);
    if (!status)
        status = choose_width(&l, layout);
    if (!status)
        status = find_clock(&l, layout);
    if (!status)
        note_inverted(layout);
    return status;
}

bool cairn_port_lay_out_as(const struct cairn_port_layout *as, unsigned width,
                           enum cairn_port_mode mode, struct cairn_port_layout *layout)
{
    const struct cairn_port_clocking *clocking = cairn_port_clocking(as->kind, mode);
    const struct cairn_port_request request = {.what = "",
                                               .kind = as->kind,
                                               .width = width,
                                               .mode = clocking ? clocking->name : NULL,
                                               .sync = as->sync};

    return clocking &&
           cairn_port_lay_out(&request, &as->pins, as->found, "", layout, NULL) == CAIRN_OK;
}
