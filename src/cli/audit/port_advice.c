/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/audit/port_advice.h"

#include <stdio.h>
#include <string.h>

#define LIST_MAX 400u

struct list {
    char text[LIST_MAX];
    size_t items;
    bool broken; /* it is not whole, or --pins would not take it as it is meant */
};

/* Between commas and quotes the name comes back as it is, and it is one wire's alone. */
static bool can_be_given(const struct cairn_port_found *at)
{
    const size_t length = strlen(at->name);

    if (at->cut || at->twice || !length || at->name[0] == '!' || at->name[length - 1] == ' ')
        return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)at->name[i] < ' ' || at->name[i] == 0x7f || strchr(",'", at->name[i]))
            return false;
    return true;
}

static void add(struct list *list, const char *signal, bool inverted,
                const struct cairn_port_found *at)
{
    const size_t length = strlen(list->text);
    const int size = snprintf(list->text + length, sizeof list->text - length, "%s%s=%s%s",
                              list->items ? "," : "", signal, inverted ? "!" : "", at->name);

    list->broken |= !can_be_given(at) || size < 0 || (size_t)size >= sizeof list->text - length;
    list->items++;
}

static void add_moved(struct list *list, const struct cairn_port_layout *layout,
                      const struct cairn_port_variant *variant)
{
    for (size_t i = 0; i < layout->wire_count; i++) {
        const struct cairn_port_found *at = &layout->at[variant->moved[i]];
        char signal[CAIRN_PORT_SLOT_TEXT];

        if (variant->moved[i] == i)
            continue;
        cairn_port_slot_text(cairn_port_wire_signal(layout->kind, &layout->wires[i]), signal);
        add(list, signal, at->inverted, at);
    }
}

void cli_port_advise_pins(const struct cairn_port_layout *layout,
                          const struct cairn_port_variant *variant, char advice[CLI_PORT_ADVICE])
{
    const bool given = layout->pins.assigned_count > 0 || layout->pins.map != CAIRN_PORT_MAP_NAMES;
    struct list list = {.items = 0};

    if (variant->moves)
        add_moved(&list, layout, variant);
    else
        add(&list, "TRACECLK", !layout->clock.inverted, &layout->clock);
    list.broken |= list.items + layout->pins.assigned_count > CAIRN_PORT_ASSIGNED;
    if (!list.broken)
        snprintf(advice, CLI_PORT_ADVICE, "--pins '%s%s'%s", given ? "...," : "", list.text,
                 given ? " (... stands for what --pins, or pins=, says now)" : "");
    else if (variant->moves)
        snprintf(
            advice, CLI_PORT_ADVICE,
            "giving each of these signals its wire by --pins SIGNAL=WIRE, behind what --pins says now");
    else
        snprintf(advice, CLI_PORT_ADVICE,
                 "--pins with TRACECLK=%sWIRE, the wire of TRACECLK, behind what it says now",
                 layout->clock.inverted ? "" : "!");
}
