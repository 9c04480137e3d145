/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a file of OpenOCD's `etm dump`: what is taken for one is read to its end, in parts of any
 * size, and written again as it was. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cairn/port.h>

#include "capture/port/view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 16 };

static void require(bool condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t samples[MOST];
    uint8_t head[CAIRN_ETM_DUMP_HEAD], record[CAIRN_ETM_DUMP_RECORD];
    struct cairn_port_summary summary = {0};

    /* all of it is looked at, so that each record is one that can be */
    if (size > MOST || !cairn_etm_dump_is(data, size, size))
        return 0;
    FILE *file = tmpfile();
    require(file && fwrite(data, 1, size, file) == size && !fflush(file));
    const struct cairn_buffer_view *view = cairn_etm_dump_view();
    cairn_etm_dump_summary(data, size, &summary);
    require(summary.bytes % 4 == 0 && summary.bytes <= size);
    for (uint64_t done = 0, part = 1 + data[size - 1] % 7; done < summary.bytes;) {
        const uint64_t left = summary.bytes - done;
        const size_t want = (size_t)(part < left ? part : left);
        require(view->read(view, fileno(file), samples + done, want, done) == (int64_t)want);
        done += want;
        part = part * 2 + 1;
    }
    fclose(file);
    cairn_etm_dump_head((uint32_t)summary.status, (uint32_t)summary.etmcr, (uint32_t)summary.depth,
                        head);
    require(!memcmp(head, data, sizeof head));
    for (uint64_t i = 0; i < summary.bytes / 4; i++) {
        cairn_etm_dump_record(samples + 4 * i, record);
        require(!memcmp(record, data + sizeof head + i * sizeof record, sizeof record));
    }
    return 0;
}
