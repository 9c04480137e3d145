/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/common.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/compose.h"
#include "image/dwarf.h"
#include "image/elf.h"

enum { PATH_SIZE = 4096, ID_MAX = 64 };

#define SYSTEM_FOLDER "/usr/lib/debug"

static void consider(struct cairn_common *common, const char *id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Takes the file at the path if it is the one of that build-id. */
static void consider(struct cairn_common *common, const char *id, const char *format, ...)
{
    struct cairn_file *file;
    char path[PATH_SIZE];
    va_list arguments;
    int made;

    if (common->dwarf)
        return;
    va_start(arguments, format);
    const int length = vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= PATH_SIZE || cairn_file_open(path, &file, NULL) != CAIRN_OK)
        return;
    char *const found = cairn_elf_build_id(file);
    if (found && strcmp(found, id) == 0)
        common->dwarf = cairn_dwarf_begin(file, &common->elf, &made);
    free(found);
    if (common->dwarf) {
        common->file = file;
        if (made >= 0)
            close(made);
        return;
    }
    elf_end(common->elf);
    common->elf = NULL;
    cairn_file_close(file);
}

static void look_in(struct cairn_common *common, const char *folder, const char *name,
                    const char *id)
{
    const char *const slash = strrchr(name, '/');
    const char *const last = slash ? slash + 1 : name;

    consider(common, id, "%s/.build-id/%.2s/%s.debug", folder, id, id + 2);
    consider(common, id, "%s/.dwz/%s", folder, last);
    consider(common, id, "%s/%s", folder, name);
    consider(common, id, "%s/%s", folder, last);
}

static void look(struct cairn_common *common, const struct cairn_file *file, const char *name,
                 const char *id)
{
    const char *const slash = strrchr(file->path, '/');

    if (name[0] == '/')
        consider(common, id, "%s", name);
    else
        consider(common, id, "%.*s%s", slash ? (int)(slash + 1 - file->path) : 0, file->path, name);
    for (size_t i = 0; file->folders && i < file->folders->count; i++)
        look_in(common, file->folders->list[i], name, id);
    look_in(common, SYSTEM_FOLDER, name, id);
}

void cairn_common_open(struct cairn_dwarf *dwarf)
{
    Elf *const elf = cairn_elf_begin(dwarf->file);
    size_t size = 0;
    char id[2 * ID_MAX + 1] = "";
    /* a name, a zero and the build-id */
    const uint8_t *const link = elf ? cairn_section_bytes(elf, ".gnu_debugaltlink", &size) : NULL;
    const size_t length = link ? strnlen((const char *)link, size) : 0;

    if (length && size > length + 2 && size - length - 1 <= ID_MAX) {
        struct cairn_common *const common = &dwarf->common;
        const char *const name = (const char *)link;

        for (size_t i = length + 1; i < size; i++)
            snprintf(id + 2 * (i - length - 1), 3, "%02x", link[i]);
        look(common, dwarf->file, name, id);
        if (common->dwarf)
            dwarf_setalt(dwarf->dwarf, common->dwarf);
        else
            common->missing = strdup(name);
    }
    elf_end(elf);
}

void cairn_common_close(struct cairn_common *common)
{
    if (common->dwarf)
        dwarf_end(common->dwarf);
    elf_end(common->elf);
    cairn_file_close(common->file);
    free(common->missing);
    *common = (struct cairn_common){0};
}
