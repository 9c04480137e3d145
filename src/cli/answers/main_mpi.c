/* SPDX-License-Identifier: BSD-2-Clause */
/* `cairn count` on many machines at once: each rank of an MPI job counts its captures, or its shard of each, and what they
 * have is merged from two to one until rank 0 has all. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/answers/count.h"
#include "cli/answers/kept.h"
#include "cli/options/manual.h"
#include "cli/screen/watch.h"

#define PIECE ((uint64_t)1 << 30) /* bytes of one message, whose length is an int */

enum { TAG_SIZE = 1, TAG_BYTES = 2 };

struct mpi_job {
    int rank, ranks;
    int errors; /* where messages go until all ranks have done their part; -1: nowhere else */
    int own;    /* standard error */
};

/* --- messages: of all ranks that cannot go on one says why --- */

static void hold_messages(struct mpi_job *job)
{
    FILE *const file = tmpfile();

    job->own = file ? dup(STDERR_FILENO) : -1;
    job->errors = job->own >= 0 ? dup(fileno(file)) : -1;
    if (job->errors >= 0)
        (void)dup2(job->errors, STDERR_FILENO);
    if (file)
        fclose(file);
}

static void give_messages(struct mpi_job *job, bool wanted)
{
    char text[4096];
    ssize_t size;
    off_t at = 0;

    fflush(stderr);
    if (job->errors < 0)
        return;
    (void)dup2(job->own, STDERR_FILENO);
    while (wanted && (size = pread(job->errors, text, sizeof text, at)) > 0) {
        if (write(STDERR_FILENO, text, (size_t)size) != size)
            break;
        at += size;
    }
    close(job->errors);
    close(job->own);
    job->errors = job->own = -1;
}

/* Whether all can go on; if not, the first rank that cannot says why. */
static bool all_go_on(struct mpi_job *job, bool can)
{
    const int mine = can ? job->ranks : job->rank;
    int first = job->ranks;

    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    give_messages(job, first == job->ranks || first == job->rank);
    return first == job->ranks;
}

/* --- counting --- */

static enum cli_exit count_mine(const struct mpi_job *job, const struct cli_options *given,
                                struct cairn_counts *counts)
{
    const struct cli_list *const captures = &given->programming.words;
    const bool by_capture = captures->count >= (size_t)job->ranks;
    struct cli_options options = *given;
    enum cli_exit result = CLI_CLEAN;

    if (!by_capture) {
        options.count.shard = (uint64_t)job->rank + 1;
        options.count.shards = (uint64_t)job->ranks;
    }
    for (size_t i = 0; i < captures->count && result != CLI_UNUSABLE && !cli_interrupted(); i++) {
        if (by_capture && i % (size_t)job->ranks != (size_t)job->rank)
            continue;
        const enum cli_exit one =
            cli_count_capture(&cli_command_count, &options, captures->items[i], counts);
        result = one ? one : result;
    }
    if (result != CLI_UNUSABLE &&
        ((cli_interrupted() && cairn_counts_set(counts, CAIRN_COUNTS_PARTIAL)) ||
         cairn_counts_settle(counts))) {
        fprintf(stderr, "cairn-mpi: out of memory\n");
        result = CLI_UNUSABLE;
    }
    return result;
}

/* --- merging --- */

static bool send_counts(const struct cairn_counts *counts, int to)
{
    uint8_t *bytes = NULL;
    size_t length = 0;
    const bool made = cairn_counts_write(counts, &bytes, &length) == CAIRN_OK;
    const uint64_t size = made ? length : 0;

    MPI_Send(&size, 1, MPI_UINT64_T, to, TAG_SIZE, MPI_COMM_WORLD);
    for (uint64_t at = 0; at < size; at += PIECE)
        MPI_Send(bytes + at, (int)(size - at < PIECE ? size - at : PIECE), MPI_BYTE, to, TAG_BYTES,
                 MPI_COMM_WORLD);
    free(bytes);
    return made;
}

static cairn_status take_counts(struct cairn_counts *counts, int from, struct cairn_error *error)
{
    struct cairn_counts other = {0};
    uint64_t size = 0;

    MPI_Recv(&size, 1, MPI_UINT64_T, from, TAG_SIZE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    uint8_t *const bytes = malloc(size ? size : 1);
    if (!bytes) /* the other rank waits for what nobody can take */
        MPI_Abort(MPI_COMM_WORLD, CLI_UNUSABLE);
    for (uint64_t at = 0; at < size; at += PIECE)
        MPI_Recv(bytes + at, (int)(size - at < PIECE ? size - at : PIECE), MPI_BYTE, from,
                 TAG_BYTES, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    cairn_status status =
        size ? cairn_counts_read(&other, "another rank", bytes, size, error) : CAIRN_E_MEMORY;
    if (!status)
        status = cairn_counts_merge(counts, &other);
    if (!status)
        status = cairn_counts_settle(counts);
    cairn_counts_clear(&other);
    free(bytes);
    return status;
}

/* A tree: after each round half of the ranks have nothing more to do. */
static bool reduce(const struct mpi_job *job, struct cairn_counts *counts)
{
    struct cairn_error error = {.status = CAIRN_OK};
    cairn_status status = CAIRN_OK;

    for (int step = 1; step < job->ranks; step *= 2) {
        if (job->rank % (2 * step))
            return send_counts(counts, job->rank - step) && !status;
        if (job->rank + step < job->ranks) {
            const cairn_status one = take_counts(counts, job->rank + step, &error);

            status = status ? status : one;
        }
    }
    if (status)
        fprintf(stderr, "cairn-mpi: %s\n", error.status ? error.text : cairn_status_text(status));
    return !status;
}

static enum cli_exit write_all(const struct cli_options *options, const struct cairn_counts *counts)
{
    if (!cli_kept_fits(&cli_command_count, counts) ||
        !cli_count_write(&cli_command_count, options, counts))
        return CLI_UNUSABLE;
    const bool is_odd = cli_kept_say(&cli_command_count, cli_count_output_name(options), counts);

    cli_kept_say_lost(&cli_command_count, counts);
    return is_odd || cli_kept_lost(counts) || cairn_counts_sum(counts, CAIRN_COUNTS_REFUSED)
               ? CLI_GAPS
               : CLI_CLEAN;
}

/* What is wrong with the command line all ranks see, and one says. */
static bool is_usable(const struct mpi_job *job, const struct cli_options *options)
{
    int usable = 1;

    if (job->rank == 0 && !options->programming.words.count) {
        fprintf(stderr,
                "cairn-mpi: which capture? Usage: mpirun -n N cairn-mpi [OPTION]... -o FILE "
                "CAPTURE...\n");
        usable = 0;
    } else if (job->rank == 0 && options->count.shards) {
        fprintf(stderr, "cairn-mpi: each rank takes its own shard: leave out --shard\n");
        usable = 0;
    } else if (job->rank == 0) {
        usable = cli_count_can_write(&cli_command_count, options);
    }
    MPI_Bcast(&usable, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return usable;
}

static enum cli_exit run(struct mpi_job *job, const struct cli_options *options)
{
    struct cairn_counts counts = {0};
    int result = CLI_UNUSABLE;

    if (!is_usable(job, options))
        return CLI_UNUSABLE;
    hold_messages(job);
    const enum cli_exit mine = count_mine(job, options, &counts);
    if (all_go_on(job, mine != CLI_UNUSABLE) && all_go_on(job, reduce(job, &counts)) &&
        job->rank == 0)
        result = (int)write_all(options, &counts);
    MPI_Bcast(&result, 1, MPI_INT, 0, MPI_COMM_WORLD);
    cairn_counts_clear(&counts);
    return (enum cli_exit)result;
}

int main(int argc, char **argv)
{
    struct mpi_job job = {.errors = -1, .own = -1};
    struct cli_options options;
    enum cli_exit result = CLI_UNUSABLE;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
    signal(SIGPIPE, SIG_IGN);
    if (job.rank) /* all ranks would say the same */
        hold_messages(&job);
    const enum cli_parse parsed = cli_options_parse(&cli_command_count, argc, argv, &options);
    give_messages(&job, false);
    switch (parsed) {
    case CLI_PARSE_RUN:
        cli_watch_start();
        result = run(&job, &options);
        break;
    case CLI_PARSE_HELP:
    case CLI_PARSE_HELP_ALL:
        result = CLI_CLEAN;
        if (job.rank == 0) {
            printf("cairn-mpi: `cairn count` by all ranks of an MPI job, which writes one file:\n"
                   "mpirun -n N cairn-mpi [OPTION]... -o FILE CAPTURE...\n\n");
            cli_manual_first(&cli_command_count);
            result = cli_help_finish();
        }
        break;
    case CLI_PARSE_WRONG: break;
    }
    cli_options_free(&cli_command_count, &options);
    MPI_Finalize();
    return (int)result;
}
