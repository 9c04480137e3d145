#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A Cortex-M33's Micro Trace Buffer: the flow that was published with its packets.

usage: mtb.py CAIRN TOP

The firmware is not there. What was published of it is which instructions branch, that SMULL at
0x20000334 is the only wide instruction of the loop, and how many instructions ran between two packets:
the image here is that and NOPs, and the numbers are the listing's.
"""
import os
import re
import struct
import sys
import tempfile

TOP = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(__file__), '..', '..')
sys.path.insert(0, os.path.join(TOP, 'tests', 'captures'))
sys.path.insert(0, os.path.join(TOP, 'tests', 'cli'))
from common import Tap, expect, expect_in, run  # noqa: E402

BASE, SIZE = 0x20000000, 0x4000
NOP, BX_LR, BX_R2 = 0xbf00, 0x4770, 0x4710
OPTIONS = ['--protocol', 'mtb', '--core', 'Cortex-M33']
# The loop of case 0: B back to its head, B into it, BNE round it, and SMULL.
LOOP = {0x20000334: (0xfb80, 0x1200), 0x20000348: (0xd1ef,), 0x2000036e: (0xe7d9,),
        0x20000510: (0xe72a,)}
# Case 2: which kind of branch each source is was published of one.
FAULT = {address: (BX_LR,) for address in (0x20002f24, 0x20001efa, 0x20001f16, 0x20002bda, 0x20002bf2,
                                           0x20001f1e, 0x20000468, 0x20000488)}
FAULT[0x200003f6] = (BX_R2,)
HARD_FAULT, NOWHERE = 0x20000486, 0xbf00de4c


def image(path, *parts):
    code = bytearray(struct.pack('<H', NOP) * (SIZE // 2))
    for part in parts:
        for address, halfwords in part.items():
            at = address - BASE
            code[at:at + 2 * len(halfwords)] = struct.pack('<%dH' % len(halfwords), *halfwords)
    with open(path, 'wb') as file:
        file.write(code)
    return ['--image', '%s@0x%x' % (path, BASE)]


def addresses(cairn, *arguments):
    answer = run(cairn, 'flow', '--format', 'addresses', *OPTIONS, *arguments)
    return [int(line.split()[0], 16) for line in answer.lines() if line and line[0] != '#']


def runs(path):
    """(destination, source) of each run between two packets without S, from the words."""
    with open(path, 'rb') as file:
        words = [word[0] for word in struct.iter_unpack('<I', file.read())]
    pairs = list(zip(words[::2], words[1::2]))
    return [(a[1] & ~1, b[0]) for a, b in zip(pairs, pairs[1:])]


def published(text, first, last):
    """How many instructions the published listing counts from one address to another."""
    match = re.search(r'%x\.\.0x%x \((\d+) instr' % (first, last), text)
    return int(match[1]) if match else None


def check_loop(cairn, top, folder):
    """Six packets: a call, one pass through the head, and four of the loop."""
    path = os.path.join(top, 'mtb', 'mtb_memfault_case0.bin')
    with open(os.path.join(top, 'vectors', 'mtb_vectors.txt'), encoding='utf-8') as file:
        text = file.read()
    got = addresses(cairn, *image(os.path.join(folder, 'loop.bin'), LOOP), path)
    yield from expect('first', got[:1], [0x20000510])
    got = got[1:]
    for first, last in runs(path):
        count = published(text, first, last)
        part, got = got[:count], got[count:]
        yield from expect('ends of the run', (part[0], part[-1]), (first, last))
        yield from expect('wide', [b - a for a, b in zip(part, part[1:]) if b - a != 2],
                          [4] if first < 0x20000334 < last else [])
    yield from expect('behind the last packet', got, [])
    yield from expect('with POSITION and MASTER, from a ring of 8 KiB',
                      addresses(cairn, '--set', 'POSITION=0x30', '--set', 'MASTER=0x80000009',
                                '--set', 'BASE=0x2007e000',
                                *image(os.path.join(folder, 'loop.bin'), LOOP), path),
                      addresses(cairn, *image(os.path.join(folder, 'loop.bin'), LOOP), path))


def check_fault(cairn, top, folder):
    """BX R2 to where nothing is: the exception is taken from there, and goes to HardFault."""
    path = os.path.join(top, 'mtb', 'mtb_memfault_case2_last10.bin')
    program = image(os.path.join(folder, 'fault.bin'), FAULT)
    wanted = [0x20002f24]
    for first, last in runs(path):
        if first != NOWHERE:
            wanted += range(first, last + 2, 2)
    yield from expect('addresses', addresses(cairn, *program, path), wanted)
    rows = run(cairn, 'flow', '--format', 'json', *OPTIONS, *program, path).rows()
    at = next(i for i, row in enumerate(rows) if row['type'] == 'exception')
    yield from expect('from', rows[at]['address'], '0x%x' % NOWHERE)
    yield from expect('before it', rows[at - 1]['code'][-1]['opcode'], '0x4710')
    yield from expect('to', rows[at + 1]['address'], '0x%x' % HARD_FAULT)
    answer = run(cairn, 'check', *OPTIONS, *program, path)
    yield from expect('check', answer.status, 0)


def check_wrapped(cairn, top, folder):
    """Both, put together in a ring that has gone round. They do not join: from the loop no way leads to
    case 2's first source past B at 0x2000036e, which can only be taken, and that is found out."""
    path = os.path.join(top, 'mtb', 'mtb_derived_wrap_mask3.bin')
    program = image(os.path.join(folder, 'both.bin'), LOOP, FAULT)
    ring = ['--set', 'POSITION=0x1c', '--set', 'MASTER=3', *program, path]
    answer = run(cairn, 'flow', '--format', 'json', *OPTIONS, *ring)
    rows = [row for row in answer.rows() if 'offset' in row]
    gaps = [row for row in rows if row['type'] == 'gap']
    yield from expect('status', answer.status, 1)
    yield from expect('gaps', [row['reason'] for row in gaps], ['inconsistent'])
    yield from expect('where', gaps[0]['address'], '0x2000036e')
    yield from expect('oldest', rows[0]['file_offset'], 0x18)
    yield from expect('newest', rows[-1]['file_offset'], 0x10)
    yield from expect_in('check', 'contradict', run(cairn, 'check', *OPTIONS, *ring).out)


def main():
    cairn, top = sys.argv[1], os.environ.get('CAIRN_CAPTURES')
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        for name, check in (('the loop', check_loop), ('the fault', check_fault),
                            ('a ring that has gone round', check_wrapped)):
            if top:
                tap.case(name, check(cairn, top, folder))
            elif os.environ.get('CAIRN_REQUIRE_CAPTURES') == '1' or os.environ.get('CI') == 'true':
                tap.case(name, ['CAIRN_CAPTURES is not set'])
            else:
                tap.skip(name, 'CAIRN_CAPTURES is not set')
    tap.end()


if __name__ == '__main__':
    main()
