/* SPDX-License-Identifier: BSD-2-Clause */
/* Which file the code of a user program is from. QEMU maps what the program maps, so that the map of
 * QEMU's own process tells, whoever asked for it: the kernel's loader (which QEMU is), ld.so, dlopen.
 * It is read when code is translated that is in no mapping looked at since the last change. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/qemu/plugin.h"

enum { KNOWN = 64 };

/* A mapping, in addresses of the program; and what its code needs. */
struct known {
    uint64_t first, last;
    struct cairn_qemu_needs needs;
};

/* Only while a block is translated, which QEMU does one at a time; but for `stale`. */
static struct {
    struct known list[KNOWN];
    unsigned count, next;
    _Atomic bool stale;
} modules;

void cairn_qemu_mappings_change(void)
{
    atomic_store(&modules.stale, true);
}

/* A line of the map, in addresses of this process. */
struct line {
    uint64_t first, last, offset;
    const char *path; /* absolute; NULL: it is no file's */
};

/* The map has \\012 for a newline; whether it stands for one only the file can tell. */
static void restore_newlines(char *path)
{
    static const char newline[] = "\\012";
    char *at = strstr(path, newline);

    if (!at || access(path, F_OK) == 0)
        return;
    for (; at; at = strstr(at, newline)) {
        *at++ = '\n';
        memmove(at, at + (sizeof newline - 2), strlen(at + (sizeof newline - 2)) + 1);
    }
}

/* "first-end perms offset device inode   path" */
static bool read_line(char *text, struct line *line)
{
    static const char deleted[] = " (deleted)";
    char *at = text;

    line->first = strtoull(at, &at, 16);
    if (*at++ != '-')
        return false;
    line->last = strtoull(at, &at, 16);
    if (line->last-- <= line->first)
        return false;
    at += strspn(at, " ");
    at += strcspn(at, " ");
    line->offset = strtoull(at, &at, 16);
    line->path = strchr(at, '/');
    if (!line->path)
        return true;
    char *path = at + (line->path - at);
    path[strcspn(path, "\n")] = 0;
    restore_newlines(path);
    const size_t length = strlen(path);
    /* What is not there any more cannot be read for its names. */
    if (length >= sizeof deleted && !strcmp(path + length - (sizeof deleted - 1), deleted))
        line->path = NULL;
    return true;
}

/* The mapping that has `host`, with the parts of the same file that continue it. */
static bool find_line(uint64_t host, struct line *found, char *path, size_t capacity)
{
    FILE *map = fopen("/proc/self/maps", "re");
    char *text = NULL;
    size_t room = 0;
    bool has = false;

    if (!map)
        return false;
    while (getline(&text, &room, map) > 0) {
        struct line line;

        if (!read_line(text, &line))
            continue;
        if (has && line.first == found->last + 1 && line.path && found->path &&
            !strcmp(line.path, found->path) &&
            line.offset - found->offset == line.first - found->first)
            found->last = line.last;
        else if (has)
            break;
        else if (host >= line.first && host <= line.last) {
            has = true;
            *found = line;
            found->path = NULL;
            if (line.path && strlen(line.path) < capacity)
                found->path = strcpy(path, line.path);
        }
    }
    free(text);
    fclose(map);
    return has;
}

bool cairn_qemu_is_mapped(uint64_t address, const char *path)
{
    static char name[4096]; /* under the same lock as `look` */
    struct line line = {0};

    return find_line(address + cairn_qemu_guest_host(0), &line, name, sizeof name) && line.path &&
           strcmp(line.path, path) == 0;
}

static struct cairn_qemu_needs look(uint64_t address)
{
    static char path[4096];
    const uint64_t base = cairn_qemu_guest_host(0);
    struct line line = {0};
    struct known known = {.first = address, .last = address};

    if (find_line(address + base, &line, path, sizeof path)) {
        known.first = line.first - base;
        known.last = line.last - base;
        if (line.path) {
            const struct cairn_recorded_file file = {.address = known.first,
                                                     .length = line.last - line.first + 1,
                                                     .offset = line.offset,
                                                     .executed = address,
                                                     .path = path};

            known.needs.epoch = cairn_recording_mapped(cairn_qemu.recording, &file);
            known.needs.program = cairn_qemu_filters_mapped(&file);
        }
    }
    modules.list[modules.next] = known;
    modules.next = (modules.next + 1) % KNOWN;
    modules.count += modules.count < KNOWN;
    return known.needs;
}

struct cairn_qemu_needs cairn_qemu_module(uint64_t address)
{
    if (cairn_qemu.is_machine || cairn_qemu.abandoned)
        return (struct cairn_qemu_needs){0};
    if (atomic_exchange(&modules.stale, false))
        modules.count = modules.next = 0;
    for (unsigned i = 0; i < modules.count; i++) {
        const struct known *known = &modules.list[i];

        if (address >= known->first && address <= known->last)
            return known->needs;
    }
    return look(address);
}
