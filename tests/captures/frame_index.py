# SPDX-License-Identifier: BSD-2-Clause
"""OpenCSD's index of a byte inside CoreSight formatter frames (IHI0029 chapter D4).

Inside a frame the listing counts the data bytes of a run from where the run began: the frame's start, or
the frame position of the ID byte that changed the ID. Ours are the positions in the file, ID bytes
counted.
"""
FRAME = 16


def opencsd_index(data):
    """{offset in the file: OpenCSD's index} of every data byte of a buffer of aligned frames."""
    index, current = {}, None
    for start in range(0, len(data) - FRAME + 1, FRAME):
        frame, flags = data[start:start + FRAME], data[start + FRAME - 1]
        run, count, later = start, 0, None
        for at in range(FRAME - 1):
            if at % 2 == 0 and frame[at] & 1:
                if frame[at] >> 1 == current:
                    continue
                current = frame[at] >> 1
                if flags >> at // 2 & 1 and at < FRAME - 2:
                    later = start + at     # the next byte still belongs to the old ID
                else:
                    run, count = start + at, 0
                continue
            index[start + at] = run + count
            count += 1
            if later is not None:
                run, count, later = later, 0, None
    return index
