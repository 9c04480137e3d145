/* SPDX-License-Identifier: BSD-2-Clause */
/* libopencsd on damaged traces: it may crash, and may want memory without end, so each decode is a
 * process of its own. */
#include "damage.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../bench/peer.h"

enum {
    INSTRUCTIONS = 4 << 20,
    SECONDS = 20,
};

/* Pages that the process hands over. */
struct handed {
    uint64_t count;
    uint64_t full;
    uint64_t address[INSTRUCTIONS];
    uint64_t offset[INSTRUCTIONS];
};

const char *damage_peer_version(void)
{
    return bench_peer_version();
}

static void hear(void *context, uint64_t offset, uint64_t start, uint64_t end, bool is_t32)
{
    damage_list_range(context, offset, start, end, is_t32);
}

static void decode(const struct bench_source *source, struct cairn_image *image,
                   struct handed *handed)
{
    const struct rlimit memory = {(rlim_t)2 << 30, (rlim_t)2 << 30};
    const struct rlimit core = {0, 0};
    struct damage_list list = {
        .capacity = INSTRUCTIONS, .address = handed->address, .offset = handed->offset};
    struct bench_peer *peer;

    alarm(SECONDS);
    (void)setrlimit(RLIMIT_AS, &memory);
    (void)setrlimit(RLIMIT_CORE, &core);
    peer = bench_peer_new(BENCH_FLOW, source, image);
    bench_peer_listen(peer, hear, &list);
    (void)bench_peer_run(peer);
    handed->count = list.count;
    handed->full = list.full;
}

bool damage_peer_decode(const struct bench_source *source, struct cairn_image *image,
                        struct damage_list *list)
{
    struct handed *handed = mmap(NULL, sizeof *handed, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int status = -1;

    bench_must(handed != MAP_FAILED ? CAIRN_OK : CAIRN_E_MEMORY, NULL, "a process");
    const pid_t child = fork();

    bench_must(child >= 0 ? CAIRN_OK : CAIRN_E_MEMORY, NULL, "a process");
    if (child == 0) {
        decode(source, image, handed);
        _exit(0);
    }
    const bool ended = waitpid(child, &status, 0) == child && status == 0 && !handed->full &&
                       handed->count <= list->capacity;

    list->count = ended ? handed->count : 0;
    list->full = !ended;
    memcpy(list->address, handed->address, list->count * sizeof *list->address);
    memcpy(list->offset, handed->offset, list->count * sizeof *list->offset);
    munmap(handed, sizeof *handed);
    return ended;
}
