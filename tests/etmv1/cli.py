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


def known_parts(cairn, top, folder):
    """The page's table of parts, with their protocol numbers in ETMCCR[30:28], is what `info` makes of that register."""
    with open(os.path.join(top, 'docs', 'etmv1.md'), encoding='utf-8') as file:
        table = re.findall(r'^\| (ETM[79] \w+) \| (\d) \| (ETMv1\.\d) \|$', file.read(), re.M)
    # ETM7 Rev0, Rev1, Rev1a; ETM9 Rev0, Rev0a, Rev1, Rev2, Rev2a, r2p2 (1.2)
    # proves: ETM1-1.2-c
    yield from expect('parts', [(part, int(number)) for part, number, _ in table],
                      [('ETM7 Rev0', 1), ('ETM7 Rev1', 2), ('ETM7 Rev1a', 4), ('ETM9 Rev0', 0), ('ETM9 Rev0a', 1),
                       ('ETM9 Rev1', 2), ('ETM9 Rev2', 3), ('ETM9 Rev2a', 5), ('ETM9 r2p2', 7)])
    raw = folder.write('part.bin', loop(2))
    for part, number, version in table:
        info = run(cairn, 'info', *V13[:4], '--set', 'ETMCCR=0x%x' % (int(number) << 28), '--set', VALUES_8, raw).out
        yield from expect_in(part, 'ETMv1 %s ' % version[len('ETMv'):], info)


def second_version(cairn, folder):
    """The same pins read as an ETMv1's and as an ETMv2's, which has a fourth PIPESTAT, offsets of its FIFO instead of
    APO and TRACESYNC, and headers (B.2.1)."""
    raw = folder.write('both.bin', sample(8) + full(1))
    first = run(cairn, 'packets', *V13, '--set', VALUES_8, raw).lines()[1:]
    second = run(cairn, 'packets', '--protocol', 'etmv2', '--set', VALUES_8, raw).lines()[1:]
    # proves: ETM2-B.2.1-a
    yield from expect('PIPESTAT 8', ('Reserved' in first[0], 'Branch phantom' in second[0] or 'PTIE' in second[0]), (True, True))
    yield from expect('the address', (any('address=0x8000' in line for line in first),
                                      any('address=0x8000' in line for line in second)), (True, False))
    tfo = folder.write('tfo.bin', sample(7, 9) + b''.join(sample(4, byte) for byte in (0x20, 0, 0x80, 0, 0)) + sample(0))
    first = run(cairn, 'packets', *V13, '--set', VALUES_8, tfo).out
    second = run(cairn, 'packets', '--protocol', 'etmv2', '--set', VALUES_8, tfo).out
    yield from expect('a TFO', ('address=0x8000' in first, 'address=0x8000' in second), (False, True))


def lost_data(cairn, folder):
    """`check` tells where data does not come: the unit is said to trace addresses as well, or the image has a word where
    a byte was loaded. With the right ones it has nothing to say."""
    raw = folder.write('loop.bin', loop(200))
    word = dict(PROGRAM)
    word[0x8000] = [0xe5920000] + PROGRAM[0x8000][1:]
    for control, program, wanted in (('ETMCR=0x1c', PROGRAM, True), (VALUES_8, word, True), (VALUES_8, PROGRAM, False)):
        answer = run(cairn, 'check', *V13, '--set', control, *folder.program(program), raw)
        yield from expect(control, bool(re.search(r'data of \d+ instructions did not come', answer.out)), wanted)
        yield from expect(control, answer.status, 1 if wanted else 0)


def missing_cycles(cairn, folder):
    """`check` tells where the capture device left cycles out, and how much could not be decoded behind it."""
    data = bytearray(loop(200))
    for at in (500 * 4, 200 * 4):
        del data[at:at + 20]
        data[at + 1] |= 4
    answer = run(cairn, 'check', '--format', 'json', *V13, '--set', VALUES_8, *folder.program(PROGRAM),
                 folder.write('missing.bin', bytes(data)))
    found = {row['code']: row for row in answer.rows() if row['type'] == 'finding'}
    yield from expect('codes', list(found), ['CAIRN-MISSING-CYCLES'])
    yield from expect_in('what', 'behind cycles that are missing, in 2 places',
                         found.get('CAIRN-MISSING-CYCLES', {'what': ''})['what'])
    # the device had nothing to do with it: the TRACESYNC of a branch did not come, in the tenth round
    data = bytearray(loop(200))
    data[(5 + 10 * 5 + 2) * 4 + 1] = 0
    answer = run(cairn, 'check', *V13, '--set', VALUES_8, *folder.program(PROGRAM), folder.write('cut.bin', bytes(data)))
    # a status too few in front of a branch is the image's word against the trace's, and `check` says so
    data = bytearray(loop(200))
    del data[(5 + 10 * 5 + 1) * 4:(5 + 10 * 5 + 2) * 4]
    few = run(cairn, 'check', *V13, '--set', VALUES_8, *folder.program(PROGRAM), folder.write('few.bin', bytes(data)))
    yield from expect_in('a status too few', 'cycles are missing, or bits of the samples wrong', few.out)
    yield from expect_in('untold', 'branches that contradict the order of their addresses', answer.out)


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
        tap.case('parts are as the page lists them', known_parts(cairn, top, folder))
        tap.case('an ETMv2 reads the same pins otherwise', second_version(cairn, folder))
        tap.case('data that does not come is told', lost_data(cairn, folder))
        tap.case('missing cycles are told', missing_cycles(cairn, folder))
        # proves: ETM1-4.5.3-d
        tap.case('undefined instructions raise their exception', undefined(cairn, folder))
        tap.case('a wrong port is told', port(cairn, folder))
    tap.end()


if __name__ == '__main__':
    main()
