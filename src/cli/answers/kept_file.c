/* SPDX-License-Identifier: BSD-2-Clause */
/* A file of counts written whole or not at all. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/answers/beside.h"
#include "cli/answers/count.h"

static bool is_standard(const char *path)
{
    return !strcmp(path, "-");
}

const char *cli_count_output_name(const struct cli_options *options)
{
    return is_standard(options->output) ? "standard output" : options->output;
}

bool cli_count_can_write(const struct cli_command *command, const struct cli_options *options)
{
    struct stat there;

    if (!options->output) {
        fprintf(stderr, "cairn %s: where to? Name the file of counts with -o FILE\n",
                command->name);
        return false;
    }
    if (is_standard(options->output)) {
        if (!isatty(STDOUT_FILENO))
            return true;
        fprintf(stderr,
                "cairn %s: counts are no text for a terminal: name a file with -o FILE, or send "
                "standard output to one\n",
                command->name);
        return false;
    }
    if (!options->force && !stat(options->output, &there) && S_ISREG(there.st_mode)) {
        fprintf(stderr, "cairn %s: %s exists; give --force to replace it\n", command->name,
                options->output);
        return false;
    }
    return true;
}

static bool write_all(int fd, const uint8_t *bytes, size_t size)
{
    size_t done = 0;

    while (done < size) {
        const ssize_t part = write(fd, bytes + done, size - done);

        if (part < 0 && errno != EINTR)
            return false;
        done += part > 0 ? (size_t)part : 0;
    }
    return true;
}

static bool write_file(const char *path, const uint8_t *bytes, size_t size)
{
    struct cli_beside beside;

    if (!cli_beside_open(&beside, path))
        return false;
    const bool written = write_all(beside.fd, bytes, size);
    const int error = errno;
    if (cli_beside_close(&beside, written) && written)
        return true;
    errno = written ? errno : error;
    return false;
}

bool cli_count_write(const struct cli_command *command, const struct cli_options *options,
                     const struct cairn_counts *counts)
{
    uint8_t *bytes = NULL;
    size_t size = 0;

    if (cairn_counts_write(counts, &bytes, &size)) {
        fprintf(stderr, "cairn %s: out of memory\n", command->name);
        return false;
    }
    const bool written = is_standard(options->output) ? write_all(STDOUT_FILENO, bytes, size)
                                                      : write_file(options->output, bytes, size);
    if (!written)
        fprintf(stderr, "cairn %s: cannot write %s: %s\n", command->name,
                cli_count_output_name(options), strerror(errno));
    free(bytes);
    return written;
}
