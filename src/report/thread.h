/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of a recording's threads a context of a source is. */
#ifndef CAIRN_REPORT_THREAD_H
#define CAIRN_REPORT_THREAD_H

#include <cairn/capture.h>

struct cairn_thread {
    bool has_thread, has_process; /* what is told of these */
    bool is_source;               /* the source is its own, by what the capture says */
    uint64_t thread, process;
    const char *name;  /* its last one, or NULL */
    const char *owner; /* its process's, or NULL */
};

/* `source`: its number in the capture. Contexts have the numbers of threads (cairn_capture_thread_mark), if there are
 * not zeros in their place (`zero`: that is a thread as well); a source that is one thread's needs none. */
struct cairn_thread cairn_thread_of(const struct cairn_capture *capture, size_t source,
                                    uint32_t vmid, uint32_t context_id, bool zero);

/* "server 98/101" (process and thread), "server 98", "thread 101"; of a source of its own whose process nobody tells, as of a
 * recording, "server", since its number is another one each time; without a thread "". */
#define CAIRN_THREAD_TEXT 96
const char *cairn_thread_text(const struct cairn_thread *thread, char text[CAIRN_THREAD_TEXT]);

#endif
