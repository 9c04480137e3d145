/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/answers/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void clear(struct cli_beside *beside)
{
    const int error = errno;

    free(beside->made);
    free(beside->becomes);
    *beside = (struct cli_beside){.fd = -1};
    errno = error;
}

bool cli_beside_open(struct cli_beside *beside, const char *path)
{
    struct stat there;
    const bool is_there = stat(path, &there) == 0;

    *beside = (struct cli_beside){.fd = -1};
    if (is_there && !S_ISREG(there.st_mode)) {
        beside->fd = open(path, O_WRONLY | O_CLOEXEC);
        return beside->fd >= 0;
    }
    beside->becomes = is_there ? realpath(path, NULL) : strdup(path);
    const size_t size = beside->becomes ? strlen(beside->becomes) + sizeof ".XXXXXX" : 0;
    beside->made = size ? malloc(size) : NULL;
    if (beside->made) {
        snprintf(beside->made, size, "%s.XXXXXX", beside->becomes);
        beside->fd = mkstemp(beside->made);
    }
    if (beside->fd < 0) {
        clear(beside);
        return false;
    }
    /* mkstemp makes it its owner's alone; where that cannot be changed it stays so */
    const mode_t mask = umask(0);
    (void)umask(mask);
    (void)fchmod(beside->fd, 0666 & ~mask);
    return true;
}

bool cli_beside_close(struct cli_beside *beside, bool is_kept)
{
    bool is_done = close(beside->fd) == 0;

    if (is_done && is_kept && beside->made)
        is_done = rename(beside->made, beside->becomes) == 0;
    if (beside->made && !(is_done && is_kept)) {
        const int error = errno;

        (void)unlink(beside->made);
        errno = error;
    }
    clear(beside);
    return is_done;
}
