/* SPDX-License-Identifier: BSD-2-Clause */
#include "plain.h"

const uint8_t plain_frames[32] = {0x29, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a,
                                  0x0b, 0x0c, 0x0d, 0x0e, 0x80, 0x45, 0x31, 0x32, 0x33, 0x34, 0x35,
                                  0x36, 0x37, 0x38, 0x39, 0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0x00};

void write_plain(const struct folder *folder)
{
    folder_text(folder, "snapshot.ini", SNAPSHOT);
    folder_text(folder, "cpu_0.ini", CORE);
    folder_text(folder, "etm_0.ini", ETM);
    folder_text(folder, "trace.ini", TRACE("coresight"));
    folder_write(folder, "trace.bin", plain_frames, sizeof plain_frames);
}
