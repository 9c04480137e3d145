#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""ETMv1 by the whole program: raw samples, the page's listing, data, and what `check` says of a wrong port.

usage: cli.py CAIRN TOP
"""
import os
import re
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
from common import Folder, Tap, expect, expect_in, run  # noqa: E402

V13 = ['--protocol', 'etmv1', '--core', 'ARM7TDMI', '--set', 'ETMCCR=0x30000000']
VALUES_8 = 'ETMCR=0x14'
PROGRAM = {0x8000: [0xe5d20000,   # ldrb r0,[r2]
                    0xe1a00000,   # nop
                    0xe12fff1e]}  # bx lr


def sample(status, packet=0, sync=0):
    return struct.pack('<BBH', status, sync, packet)


def full(reason):
    """BE, its offset cycles, and the rest of the five bytes of 0x8000."""
    return sample(4, 0x80, 1) + sample(0, 0x80) + sample(0, 0x82) + sample(3, 0x80) + sample(3, reason << 4)


def loop(rounds):
    """Trace on, and rounds of the program, each back to 0x8000; of every 40th the address is a full one."""
    data = full(1)
    for i in range(rounds):
        data += sample(1, i & 0xff) + sample(0)
        data += full(4) if i % 40 == 39 else sample(4, 0, 1) + sample(0) + sample(0)
    return data


def listing(cairn, top, folder):
    """The two lines that the page shows; 16 cycles are as long as four frames, and are none."""
    raw = folder.write('raw.bin', full(1) + sample(7) * 11)
    answer = run(cairn, 'packets', *V13, '--set', VALUES_8, raw)
    with open(os.path.join(top, 'docs', 'etmv1.md'), encoding='utf-8') as file:
        page = re.findall(r'^(?:Branch Executed|Address Packet Offset) .*', file.read(), re.M)
    yield from expect('lines of the page', len(page), 2)
    for line, wanted in zip(answer.lines()[1:], page):
        for part in re.split(r'  +', wanted, maxsplit=1):
            yield from expect_in('line', part, line)
    yield from expect('packets', len(answer.lines()), 1 + 16)
    yield from expect('remarks', answer.err, '')


def data(cairn, folder):
    raw = folder.write('loop.bin', loop(3))
    rows = run(cairn, 'data', '--format', 'json', *V13, '--set', VALUES_8, *folder.program(PROGRAM), raw).rows()
    got = [(row['address'], row['value'], row['register']) for row in rows if row['type'] == 'data']
    yield from expect('data', got, [('0x8000', '0x%x' % i, 'r0') for i in range(3)])


def description(cairn, folder):
    """An INI file beside the samples says what they are."""
    ini = folder.write('loop.ini', '[buffer]\n[source etm]\nprotocol=ETM9\ncore=ARM9TDMI\nETMCR=0x14\nETMCCR=0x30000000\n')
    raw = folder.write('loop.bin', loop(2))
    answer = run(cairn, 'flow', '--format', 'addresses', '--config', ini, *folder.program(PROGRAM), raw)
    yield from expect('addresses', re.findall(r'\b80..\b', answer.out), ['8000', '8004', '8008'] * 2)


def port(cairn, folder):
    """Read as 4 or 16 pins nothing is decoded, and `check` tells which port it was; as 8 it has nothing to say."""
    raw, image = folder.write('loop.bin', loop(200)), folder.program(PROGRAM)
    for control in ('ETMCR=0x4', 'ETMCR=0x24'):
        answer = run(cairn, 'check', '--format', 'json', *V13, '--set', control, *image, raw)
        found = {row['code']: row for row in answer.rows() if row['type'] == 'finding'}
        yield from expect_in('codes', 'CAIRN-NO-SYNC', ' '.join(found))
        wrong = found.get('CAIRN-WRONG-REGISTERS', {'what': '', 'advice': ''})
        yield from expect_in('what', 'with ETMCR=0x14 0 bytes', wrong['what'])
        yield from expect_in('advice', 'bits 6:4, the size of the trace port', wrong['advice'])
    answer = run(cairn, 'check', *V13, '--set', VALUES_8, *image, raw)
    yield from expect_in('right', '100 % of the instructions followed', answer.out)
    yield from expect('status', answer.status, 0)


def doubles(cairn, folder):
    """Of a D register a big-endian core has the upper half at the lower address, so that it is traced first (4.9.1)."""
    image = folder.program({0x8000: [0xed920b00, 0xe1a00000]})  # vldr d0,[r2]; nop
    raw = folder.write('double.bin', full(1) + b''.join(sample(3, i) for i in range(1, 8)) + sample(1, 8) + sample(0))
    for big, wanted in ((0, [('0x4030201', 'd0[31:0]'), ('0x8070605', 'd0[63:32]')]),
                        (1, [('0x1020304', 'd0[63:32]'), ('0x5060708', 'd0[31:0]')])):
        rows = run(cairn, 'data', '--format', 'json', *V13[:2], '--core', 'ARM926EJ-S', *V13[4:], '--set', VALUES_8,
                   '--set', 'BIGENDIAN=%d' % big, *image, raw).rows()
        yield from expect('BIGENDIAN=%d' % big, [(row['value'], row['register']) for row in rows if row['type'] == 'data'],
                          wanted)


def first(cairn, folder):
    """Where addresses alone are traced each is of the first transfer; that of SWP is the load (5.4)."""
    image = folder.program({0x8000: [0xe1020090,    # swp r0,r0,[r2]
                                     0xe8920012,    # ldm r2,{r1,r4}
                             0xe1a00000]})  # nop: shows that nothing overflowed in front of it
    raw = folder.write('first.bin', full(1) + b''.join(sample(3, i) for i in (0x80, 0x80, 0x88, 0x80)) +
                       sample(1, 0) + sample(1, 4) + sample(0))
    rows = run(cairn, 'data', '--format', 'json', *V13, '--set', 'ETMCR=0x18', *image, raw).rows()
    yield from expect('data', [(row['data_address'], row['direction'], row['register'])
                               for row in rows if row['type'] == 'data'],
                      [('0x20000', 'load', 'r0'), ('0x20004', 'load', 'r1')])


def undefined(cairn, folder):
    """A kernel's BUG(): `check` has nothing to say of an undefined instruction that raises its exception, and tells of one
    that flow goes on behind."""
    image = folder.program({0x8000: [0xe1a00000, 0xe7f001f2, 0xe1a00000], 4: [0xe1b0f00e]})  # nop, udf, nop; movs pc,lr
    raises = sample(0) + sample(4, 0x84, 1) + sample(0, 0x80) + sample(0, 0) + \
        sample(4, 0x88, 1) + sample(0, 0x80) + sample(0, 2) + sample(0)
    for what, cycles, wanted in (('raises', raises, False), ('goes on', sample(0) * 3, True)):
        raw = folder.write('undefined.bin', full(1) + cycles)
        answer = run(cairn, 'check', *V13, '--set', 'ETMCR=0x10', *image, raw)
        yield from expect(what, 'contradicts the trace' in answer.out, wanted)
        flow = run(cairn, 'flow', *V13, '--set', 'ETMCR=0x10', *image, raw).out
        yield from expect_in(what, 'an undefined instruction was reached: 0x8004' if wanted else
                             'exception Undefined Instruction taken at 0x8004 udf #0x12, to 0x4', flow)
        yield from expect(what, answer.status, 1 if wanted else 0)


def main():
    cairn, top = sys.argv[1:3]
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('samples are listed as on the page', listing(cairn, top, folder))
        tap.case('data with its registers', data(cairn, folder))
        # proves: ETM1-5.4-c
        tap.case('addresses are of first transfers', first(cairn, folder))
        # proves: ETM1-4.9.1-b
        tap.case('doubles of both orders', doubles(cairn, folder))
        tap.case('a description in an INI file', description(cairn, folder))
        # proves: ETM1-4.5.3-d
        tap.case('undefined instructions raise their exception', undefined(cairn, folder))
        tap.case('a wrong port is told', port(cairn, folder))
    tap.end()


if __name__ == '__main__':
    main()
