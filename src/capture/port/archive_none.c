/* SPDX-License-Identifier: BSD-2-Clause */
/* In place of archive.c where libzip is not there. */
#include "base/error.h"
#include "capture/port/archive.h"

cairn_status cairn_archive_open(const struct cairn_port_input *input, const char *what,
                                struct cairn_archive **archive, struct cairn_error *error)
{
    (void)input;
    (void)archive;
    return cairn_fail(
        error, CAIRN_E_UNSUPPORTED,
        "%s: is a session of sigrok's, and this cairn was built without libzip, which reads "
        "it. Build it where libzip-dev is, or make a value change dump of the session "
        "(sigrok-cli -i FILE.sr -O vcd -o FILE.vcd)",
        what);
}

/* No archive is ever open. */
void cairn_archive_close(struct cairn_archive *archive)
{
    (void)archive;
}

uint64_t cairn_archive_count(const struct cairn_archive *archive)
{
    (void)archive;
    return 0;
}

const char *cairn_archive_name(const struct cairn_archive *archive, uint64_t index)
{
    (void)archive;
    (void)index;
    return NULL;
}

cairn_status cairn_archive_text(struct cairn_archive *archive, const char *name, size_t limit,
                                char **text, size_t *size)
{
    (void)archive;
    (void)name;
    (void)limit;
    (void)text;
    (void)size;
    return CAIRN_E_UNSUPPORTED;
}

bool cairn_archive_enter(struct cairn_archive *archive, uint64_t index)
{
    (void)archive;
    (void)index;
    return false;
}

int64_t cairn_archive_read(struct cairn_archive *archive, void *bytes, size_t size)
{
    (void)archive;
    (void)bytes;
    (void)size;
    return -1;
}
