#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Bytes of each trace ID: survey and readers against an independent deformatter, in TAP.

usage: deformat.py SURVEY_PROGRAM
(SURVEY_PROGRAM FILE FOLDER prints "0xID COUNT" lines and writes FOLDER/id_XX.bin)
The other deformatter is found beside the captures; without either the test is skipped."""
import os
import random
import subprocess
import sys
import tempfile


def lines_of(command):
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    pairs = [line.split() for line in text.splitlines() if line.strip()]
    return {pair[0]: int(pair[1]) for pair in pairs}


def random_frames(path, seed):
    """Frames of random bytes: every ID, every place of an ID, every auxiliary byte."""
    source = random.Random(seed)
    data = bytearray(source.getrandbits(8) for _ in range(16 * 4096))
    for at in range(0, len(data), 2):
        if data[at] == 0xFF:  # ID 0x7F: the other side knows no barrier frames
            data[at] = 0xFD
    with open(path, 'wb') as file:
        file.write(data)


def same_file(one, other, id_):
    name = 'id_%s.bin' % id_[2:]
    with open(os.path.join(one, name), 'rb') as left:
        with open(os.path.join(other, name), 'rb') as right:
            return left.read() == right.read()


def main():
    captures = os.environ.get('CAIRN_CAPTURES')
    other = os.path.join(captures, '..', 'tools', 'cs_deformat.py') if captures else ''
    names = ['snapshots/juno-ret-stck/cstrace.bin', 'snapshots/juno-uname-001/uname_trace.bin',
             'snapshots/a57_single_step/CSTMC_TRACE_FIFO.bin', 'snapshots/Snowball/cstrace.bin',
             'snapshots/stm-issue-27/stuck_trace.bin', 'snapshots/stm_only-2/cstraceitm.bin',
             'frames/t1.bin', 'frames/t2.bin', 'frames/test_demux.in.bin',
             'cortex-m3/stm32f105/derived.swo_uart_bytes.bin', 'random 1', 'random 2', 'random 3']
    print('1..%d' % len(names))
    failed = False
    for number, name in enumerate(names, 1):
        if not os.path.exists(other):
            why = 'CAIRN_CAPTURES is not set' if not captures else 'the other deformatter is absent'
            print('ok %d deformat %s # SKIP %s' % (number, name, why))
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(captures, name)
            if name.startswith('random'):
                path = os.path.join(folder, 'frames.bin')
                random_frames(path, name)
            theirs, ours = os.path.join(folder, 'theirs'), os.path.join(folder, 'ours')
            os.mkdir(ours)
            wanted = lines_of([sys.executable, other, path, '-o', theirs])
            got = lines_of([sys.argv[1], path, ours])
            same = all(same_file(theirs, ours, id_) for id_ in got if id_.startswith('0x'))
        # both count null, reserved and trigger IDs; ours in three sums
        special = sum(count for id_, count in wanted.items()
                      if id_ != 'none' and not 1 <= int(id_, 16) <= 0x6F)
        same = same and got.pop('special') == special and got.pop('none') == wanted.get('none', 0)
        same = same and got == {id_: count for id_, count in wanted.items()
                                if id_ != 'none' and 1 <= int(id_, 16) <= 0x6F}
        failed = failed or not same
        print('%s %d deformat %s' % ('ok' if same else 'not ok', number, name))
    return 1 if failed else 0


sys.exit(main())
