/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a trace is what it was when its index was made, from its beginning on: in threads, a few
 * blocks ahead of who asks. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "cli/index/index.h"

#define GROUP 16u /* blocks that one thread looks at together */
#define GROUP_BYTES (GROUP * CLI_INDEX_BLOCK)
#define AHEAD 32u /* groups, at most */
#define THREADS_MOST 4u

/* Who looks at blocks, each with a place of its own in the files. */
struct worker {
    struct cli_index_check *check;
    struct cli_index_bytes bytes;
    FILE *hashes;
    pthread_t thread;
};

struct cli_index_check {
    uint64_t size;
    struct worker worker[THREADS_MOST];
    unsigned worker_count;
    unsigned thread_count; /* of them; 0: who asks looks himself */

    pthread_mutex_t mutex; /* of all that follows */
    pthread_cond_t changed;
    bool quit;
    uint64_t next;    /* group that nobody looks at yet */
    uint64_t checked; /* groups before it are as they were */
    uint64_t broken;  /* the first that is not, as far as is known */
    bool done[AHEAD]; /* of groups behind `checked` */
};

static uint64_t group_count(const struct cli_index_check *check)
{
    return check->size / GROUP_BYTES + (check->size % GROUP_BYTES ? 1 : 0);
}

/* Whether the blocks of a group have the hashes that they had. */
static bool is_as_it_was(struct worker *worker, uint64_t group)
{
    const uint64_t from = group * GROUP_BYTES;
    const uint64_t left = worker->check->size - from;
    const uint64_t size = left < GROUP_BYTES ? left : GROUP_BYTES;
    const uint64_t place = CLI_INDEX_HEADER + from / CLI_INDEX_BLOCK * sizeof(uint64_t);
    uint8_t stored[GROUP * sizeof(uint64_t)];
    const size_t blocks = (size_t)cli_index_blocks(size);

    if (fseeko(worker->hashes, (off_t)place, SEEK_SET) ||
        fread(stored, sizeof(uint64_t), blocks, worker->hashes) != blocks ||
        cairn_reader_seek(worker->bytes.reader, from))
        return false;
    worker->bytes.chunk.size = 0;
    worker->bytes.used = 0;
    for (size_t i = 0; i < blocks; i++) {
        const uint64_t rest = size - i * CLI_INDEX_BLOCK;
        uint64_t hash;

        if (cli_index_block(&worker->bytes, rest < CLI_INDEX_BLOCK ? rest : CLI_INDEX_BLOCK,
                            &hash) ||
            hash != cairn_load_le64(stored + i * sizeof(uint64_t)))
            return false;
    }
    return true;
}

/* With the mutex. */
static void note_group(struct cli_index_check *check, uint64_t group, bool good)
{
    if (!good && group < check->broken)
        check->broken = group;
    check->done[group % AHEAD] = good;
    while (check->checked < check->next && check->done[check->checked % AHEAD]) {
        check->done[check->checked % AHEAD] = false;
        check->checked++;
    }
    pthread_cond_broadcast(&check->changed);
}

static bool is_over(const struct cli_index_check *check)
{
    return check->quit || check->broken != UINT64_MAX || check->next == group_count(check);
}

static void *work(void *context)
{
    struct worker *worker = context;
    struct cli_index_check *check = worker->check;

    pthread_mutex_lock(&check->mutex);
    while (!is_over(check)) {
        if (check->next - check->checked == AHEAD) {
            pthread_cond_wait(&check->changed, &check->mutex);
            continue;
        }
        const uint64_t group = check->next++;
        pthread_mutex_unlock(&check->mutex);
        const bool good = is_as_it_was(worker, group);
        pthread_mutex_lock(&check->mutex);
        note_group(check, group, good);
    }
    pthread_mutex_unlock(&check->mutex);
    return NULL;
}

bool cli_index_check_to(struct cli_index_check *check, uint64_t to)
{
    const uint64_t groups = to / GROUP_BYTES + (to % GROUP_BYTES ? 1 : 0);

    pthread_mutex_lock(&check->mutex);
    while (check->checked < groups && check->broken == UINT64_MAX) {
        if (check->thread_count)
            pthread_cond_wait(&check->changed, &check->mutex);
        else
            note_group(check, check->next++, is_as_it_was(&check->worker[0], check->checked));
    }
    const bool good = check->checked >= groups;
    pthread_mutex_unlock(&check->mutex);
    return good;
}

uint64_t cli_index_check_done(struct cli_index_check *check)
{
    pthread_mutex_lock(&check->mutex);
    const uint64_t done = check->checked * GROUP_BYTES;
    pthread_mutex_unlock(&check->mutex);
    return done;
}

static cairn_status add_worker(struct cli_index_check *check, const struct cli_plan_of *of,
                               const char *path)
{
    struct worker *worker = &check->worker[check->worker_count];

    worker->check = check;
    worker->hashes = fopen(path, "rbe");
    worker->bytes.bytes = malloc(CLI_INDEX_BLOCK);
    check->worker_count++;
    if (!worker->hashes)
        return CAIRN_E_IO;
    if (!worker->bytes.bytes)
        return CAIRN_E_MEMORY;
    return cairn_reader_new(of->session->capture, of->source, &worker->bytes.reader, NULL);
}

/* Without threads it takes longer, and no more than that. */
static void start_threads(struct cli_index_check *check)
{
    if (check->worker_count < 2)
        return;
    while (check->thread_count < check->worker_count) {
        struct worker *worker = &check->worker[check->thread_count];

        if (pthread_create(&worker->thread, NULL, work, worker))
            break;
        check->thread_count++;
    }
}

cairn_status cli_index_check_new(const struct cli_plan_of *of, const char *path, uint64_t size,
                                 struct cli_index_check **check)
{
    const uint32_t jobs = of->session->options->jobs;
    struct cli_index_check *made = calloc(1, sizeof *made);
    cairn_status status = CAIRN_OK;

    if (!made)
        return CAIRN_E_MEMORY;
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->changed, NULL);
    made->size = size;
    made->broken = UINT64_MAX;
    while (!status && made->worker_count < THREADS_MOST &&
           made->worker_count < (jobs > 1 ? jobs : 1))
        status = add_worker(made, of, path);
    if (status) {
        cli_index_check_free(made);
        return status;
    }
    start_threads(made);
    *check = made;
    return CAIRN_OK;
}

void cli_index_check_free(struct cli_index_check *check)
{
    if (!check)
        return;
    pthread_mutex_lock(&check->mutex);
    check->quit = true;
    pthread_cond_broadcast(&check->changed);
    pthread_mutex_unlock(&check->mutex);
    for (unsigned i = 0; i < check->thread_count; i++)
        pthread_join(check->worker[i].thread, NULL);
    for (unsigned i = 0; i < check->worker_count; i++) {
        if (check->worker[i].hashes)
            fclose(check->worker[i].hashes);
        cairn_reader_free(check->worker[i].bytes.reader);
        free(check->worker[i].bytes.bytes);
    }
    pthread_cond_destroy(&check->changed);
    pthread_mutex_destroy(&check->mutex);
    free(check);
}
