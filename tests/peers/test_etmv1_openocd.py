#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Random A32 and Thumb programs as our ETMv1 model traces them, read by OpenOCD, which shares no code with
us: the same instructions, data addresses and values. Then what OpenOCD gets wrong, a case each: there the
model's trace is right by the specification (IHI0014 chapter 5), and OpenOCD says something else.

usage: test_etmv1_openocd.py DUMPS OPENOCD COUNT
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'house'))
from tap import Tap, program  # noqa: E402

PAIRS, SWAPS, BUSY, TRIGGERS, CONTEXTS, DATA_FIRST, NARROW, LOADS_STATE = (
    1 << n for n in range(8))

# No hardware: the adapter and the capture device are dummies.
CONFIG = r'''
adapter driver dummy
transport select jtag
adapter speed 100
jtag newtap arm cpu -irlen 4 -ircapture 0x1 -irmask 0xf
target create arm.cpu arm7tdmi -endian little -chain-position arm.cpu
etm config arm.cpu 8 normal full dummy
etm_dummy config arm.cpu
gdb_port disabled
tcl_port disabled
telnet_port disabled
init
foreach seed {%s} {
    set text ""
    catch {
        etm load %s/$seed.etmdump
        etm image %s/$seed.bin 0x8000 bin
        set text [etm analyze]
    }
    set file [open %s/$seed.out w]
    puts $file $text
    close $file
}
shutdown
'''
LINE = re.compile(r'(0x[0-9a-f]{8})\s+0x[0-9a-f]+\s')


def listed(path):
    """(address, whether it was executed, [(what, value)]) of each instruction, as OpenOCD says it."""
    steps, data = [], []
    with open(path, encoding='latin-1') as file:
        for line in file:
            found = LINE.match(line)
            if found:
                steps.append((int(found.group(1), 16), '(not executed)' not in line, data))
                data = []
            elif line.startswith(('data: ', 'address: ')):
                what, value = line.split()
                data.append((what[:-1], int(value, 16)))
    return steps


def told(path):
    steps = []
    with open(path, encoding='ascii') as file:
        for line in file:
            what, value = line.split()
            if what in ('executed', 'skipped'):
                steps.append((int(value, 16), what == 'executed', []))
            else:
                steps[-1][2].append((what, int(value, 16)))
    return steps


def text(step):
    return '%08x %s%s' % (step[0], 'executed' if step[1] else 'skipped',
                          ''.join(' %s %x' % pair for pair in step[2]))


def compare(folder, seed):
    """A sentence for the first difference, or nothing. Where the last one leads nobody knows, so that it may
    have no status."""
    got, wanted = listed('%s/%d.out' % (folder, seed)), told('%s/%d.truth' % (folder, seed))
    for index, (one, other) in enumerate(zip(got, wanted)):
        if one != other:
            return ['seed %d, instruction %d: OpenOCD has %s, executed was %s'
                    % (seed, index, text(one), text(other))]
    if not len(wanted) - 1 <= len(got) <= len(wanted):
        return ['seed %d: OpenOCD has %d instructions of %d' % (seed, len(got), len(wanted))]
    return []


def run(dumps, openocd, first, count, features=0, image=None):
    """The first difference of each seed that has one. Of the code OpenOCD gets `image` bytes, or all."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(program(dumps) + [folder, str(first), str(count), str(features)], check=True)
        for seed in range(first, first + count) if image else ():
            os.truncate('%s/%d.bin' % (folder, seed), image)
        path = os.path.join(folder, 'offline.cfg')
        with open(path, 'w', encoding='ascii') as file:
            file.write(CONFIG % (' '.join(str(first + n) for n in range(count)),
                                 folder, folder, folder))
        done = subprocess.run([openocd, '-f', path], capture_output=True, text=True, check=False)
        if not os.path.exists('%s/%d.out' % (folder, first + count - 1)):
            return [['openocd ends with %d: %s' % (done.returncode, done.stderr[-600:])]]
        return [problem for problem in (compare(folder, first + n) for n in range(count)) if problem]


FAULTS = [
    ('it loses an address packet offset other than 0 (it counts TRACESYNC where there is none)', BUSY),
    ('it takes Context ID packets for data', CONTEXTS),
    ('it looks at the second half of a BL pair alone', PAIRS),
    ('it reads no data of SWP', SWAPS),
    ('on a narrow port a trigger tears a packet apart', TRIGGERS),
    ('on a wide port data directly behind trace on begins in a lane that is empty', DATA_FIRST),
    ('it takes bytes and halfwords of Thumb code for words', NARROW),
    ('it reads a branch that changes the state in the state of its target', LOADS_STATE),
]


def main():
    dumps, openocd, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    tap = Tap()
    problems = run(dumps, openocd, 1, count)
    tap.case('OpenOCD reads %d programs as they were executed' % count,
             [line for problem in problems for line in problem])
    for name, feature in FAULTS:
        differences = run(dumps, openocd, 1000, 20, feature)
        tap.case('OpenOCD: ' + name,
                 [] if differences else ['it reads all programs right: widen what is compared'])
    differences = run(dumps, openocd, 1000, 20, image=0x400)
    tap.case('OpenOCD: it ends where code is missing, though a branch leads back',
             [] if differences else ['it goes on: widen what is compared'])
    tap.end()


if __name__ == '__main__':
    main()
