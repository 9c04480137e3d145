/* SPDX-License-Identifier: BSD-2-Clause */
#include "transfer_text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(char *text, const char *format, ...)
{
    const size_t length = strlen(text);
    va_list list;

    va_start(list, format);
    (void)vsnprintf(text + length, TRANSFER_TEXT_SIZE - length, format, list);
    va_end(list);
}

static void add_register(char *text, const struct cairn_transfer *t)
{
    switch (t->file) {
    case CAIRN_REGISTER_NONE: add(text, "-"); return;
    case CAIRN_REGISTER_R: add(text, "r%u", t->number); return;
    case CAIRN_REGISTER_S: add(text, "s%u", t->number); return;
    case CAIRN_REGISTER_D: add(text, "d%u", t->number); break;
    case CAIRN_REGISTER_FLAGS: add(text, "flags"); return;
    case CAIRN_REGISTER_PSR: add(text, "psr"); return;
    case CAIRN_REGISTER_COPROCESSOR: add(text, "c%u", t->number); return;
    case CAIRN_REGISTER_SEVERAL: add(text, "d%u+", t->number); return;
    default: add(text, "?"); return;
    }
    if (t->part == CAIRN_TRANSFER_ALL_PARTS)
        add(text, ".*");
    else
        add(text, ".%u", t->part);
}

void transfer_text(const struct cairn_transfers *transfers, char text[TRANSFER_TEXT_SIZE])
{
    static const char kinds[] = "LSFT";
    static const struct {
        uint32_t flag;
        const char *name;
    } flags[] = {{CAIRN_TRANSFERS_UNKNOWN, "unknown"},
                 {CAIRN_TRANSFERS_MORE, "more"},
                 {CAIRN_TRANSFERS_ASSUMED, "assumed"},
                 {CAIRN_TRANSFERS_USER, "user"}};

    text[0] = '\0';
    for (unsigned i = 0; i < transfers->count; i++) {
        const struct cairn_transfer *t = &transfers->list[i];

        add(text, "%s%c%u:", i ? " " : "", t->kind < 4 ? kinds[t->kind] : '?', t->size);
        add_register(text, t);
        if (t->kind <= CAIRN_TRANSFER_STORE)
            add(text, "@%u", t->offset);
    }
    for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++)
        if (transfers->flags & flags[i].flag)
            add(text, "%s%s", text[0] ? " " : "", flags[i].name);
}
