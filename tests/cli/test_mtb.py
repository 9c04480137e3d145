#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Dumps of a Micro Trace Buffer as a user lists them.

usage: test_mtb.py CAIRN
"""
import struct
import subprocess
import sys
import tempfile

from common import Folder, Tap, expect, expect_in, program, run

# Four packets of a ring that has gone round: the oldest is the third.
WORDS = [0x410, 0xfffffff8,        # the exception return
         0xfffffff9, 0x102,        # goes on at 0x102
         0x100, 0x201,             # trace starts with a branch
         0x211, 0x400]             # an exception at 0x210
DUMP = struct.pack('<8I', *WORDS)
WRAPPED = ['--protocol', 'mtb', '--core', 'Cortex-M0+', '--set', 'POSITION=0x14',
           '--set', 'MASTER=0x1', '--set', 'FLOW=0', '--set', 'BASE=0x20000000']
# What ran, by hand: a branch from 0x100 to 0x200 (T32 B: imm11 = 0x7e), NOPs, BX LR at 0x410.
CODE = bytearray(struct.pack('<H', 0xbf00) * 0x200)
CODE[:2] = struct.pack('<H', 0xe07e)
CODE[0x310:0x312] = struct.pack('<H', 0x4770)
ADDRESSES = ['100 E', *('%x' % a for a in range(0x200, 0x210, 2)),
             *('%x' % a for a in range(0x400, 0x410, 2)), '410 E']
KINDS = ['BRANCH', 'EXCEPTION', 'EXCEPTION_RETURN', 'RETURN_TARGET']


def check_text(cairn, ring):
    answer = run(cairn, 'packets', *WRAPPED, ring)
    yield from expect('status', answer.status, 0)
    rows = [line.split() for line in answer.lines()[1:]]
    yield from expect('offsets in the dump', [int(row[0], 16) for row in rows], [16, 24, 0, 8])
    yield from expect('offsets in the trace', [int(row[1], 16) for row in rows], [0, 8, 16, 24])
    yield from expect('bytes', [bytes.fromhex(''.join(row[2:10])) for row in rows],
                      [DUMP[16:24], DUMP[24:], DUMP[:8], DUMP[8:16]])
    yield from expect_in('joined', 'joined', answer.lines()[4])


def check_json(cairn, ring):
    rows = run(cairn, 'packets', '--format', 'json', *WRAPPED, ring).rows()
    rows = [row for row in rows if row['type'] == 'packet']
    yield from expect('kinds', [row['kind'] for row in rows], KINDS)
    yield from expect('file offsets', [row['file_offset'] for row in rows], [16, 24, 0, 8])
    part = run(cairn, 'packets', '--format', 'json', '--from', 8, '--to', 24, *WRAPPED, ring).rows()
    yield from expect('a part', [row['kind'] for row in part if row['type'] == 'packet'], KINDS[1:3])


def check_pipe(cairn, ring):
    """A dump through a pipe is put in order as a file's is; and it has an end to count from."""
    as_file = run(cairn, 'packets', *WRAPPED, ring)
    piped = subprocess.run([*program(cairn), 'packets', *WRAPPED, '-'], input=DUMP, stdout=subprocess.PIPE,
                           check=False)
    yield from expect('lines', piped.stdout.decode().splitlines()[1:], as_file.lines()[1:])
    for arguments in (['--last', '1'], ['--from', '-8']):
        last = run(cairn, 'packets', *arguments, *WRAPPED, ring)
        yield from expect('packets %s' % arguments, last.lines()[1:], as_file.lines()[-1:])


def check_described(cairn, folder, ring):
    """The same registers in an INI file, and what the other commands say."""
    ini = folder.write('mtb.ini', '[source core]\nprotocol=MTB\ncore=Cortex-M0+\n'
                       'POSITION=0x14\nMASTER=0x1\n')
    answer = run(cairn, 'packets', '--config', ini, ring)
    yield from expect('status', answer.status, 0)
    yield from expect('packets', answer.lines()[1:],
                      run(cairn, 'packets', *WRAPPED, ring).lines()[1:])
    info = run(cairn, 'info', '--config', ini, ring)
    yield from expect_in('info', 'wrapped', info.out)
    yield from expect_in('info', 'every byte is in one account: 32 bytes in 1 buffer', info.out)
    check = run(cairn, 'check', '--config', ini, ring)
    yield from expect('status without the program', check.status, 2)
    yield from expect_in('check', 'give the program with --image', check.out)
    image = folder.write('code.bin', bytes(CODE)) + '@0x100'
    check = run(cairn, 'check', '--config', ini, '--image', image, ring)
    yield from expect('status with it', check.status, 0)


def check_flow(cairn, folder, ring):
    """From the dump to the flow, in each format and both ways."""
    image = ['--image', folder.write('code.bin', bytes(CODE)) + '@0x100']
    for way in [], ['--reference'], ['--jobs', 4]:
        answer = run(cairn, 'flow', '--format', 'addresses', *way, *WRAPPED, *image, ring)
        yield from expect('status', answer.status, 0)
        lines = [line for line in answer.lines() if not line.startswith('#')]
        yield from expect('addresses', lines, ADDRESSES)
    rows = run(cairn, 'flow', '--format', 'json', *WRAPPED, *image, ring).rows()
    yield from expect('events', [row['type'] for row in rows if 'offset' in row],
                      ['trace_on', 'context', 'range', 'range', 'exception', 'range',
                       'exception_return'])
    context = next(row for row in rows if row['type'] == 'context')
    yield from expect('what an MTB does not tell', [context[key] for key in ('el', 'security')],
                      [None, None])
    exception = next(row for row in rows if row['type'] == 'exception')
    yield from expect('exception', [exception[key] for key in ('address', 'exception_name')],
                      ['0x210', 'unknown-or-debug'])
    yield from expect('file offsets', [row['file_offset'] for row in rows if row['type'] == 'range'],
                      [16, 24, 0])
    text = run(cairn, 'flow', '--format', 'full', *WRAPPED, *image, ring)
    yield from expect_in('text', '# exception unknown-or-debug at 0x210', text.out)
    yield from expect_in('context', '# context M profile\n', text.out)
    elements = run(cairn, 'elements', *WRAPPED, ring)
    yield from expect('status of elements', elements.status, 0)
    yield from expect('their contexts', ['EL=' in elements.out, 'security=' in elements.out],
                      [False, False])
    yield from expect_in('elements', 'Source Address', elements.out)
    missing = run(cairn, 'flow', '--format', 'addresses', *WRAPPED, ring)
    yield from expect('status without image', missing.status, 2)
    yield from expect('nothing is known', [line for line in missing.lines() if line[0] != '#'], [])


def check_refused(cairn, folder, ring):
    short = folder.write('short.bin', DUMP[:24])
    for what, part, arguments in [
            ('too short', 'the dump has 24 bytes, but MASTER.MASK says', [*WRAPPED, short]),
            ('no MASTER', 'MASTER is missing', [*WRAPPED[:6], ring]),
            ('frames', 'memory without frames', [*WRAPPED, '--frames', 'coresight', ring])]:
        answer = run(cairn, 'packets', *arguments)
        yield from expect(what, answer.status, 2)
        yield from expect_in(what, part, answer.err)


# From branch to branch, in flash: a loop that calls a function, which an exception interrupts once.
# The first packet starts the session (S), the exception's source is where it goes on (A).
LOOP = [0x08000110, 0x08000200, 0x0800020a, 0x08000112, 0x08000118, 0x08000100]
VISIT = [0x08000110, 0x08000200, 0x08000205, 0x08000340, 0x0800034e, 0xfffffff8, 0xfffffff9,
         0x08000204, 0x0800020a, 0x08000112, 0x08000118, 0x08000100]
OTHER_ORDER = 'the dump has the other byte order'


def turned(words, size):
    """The words as `size` bytes each, little endian in a core, and then most significant first."""
    data = struct.pack('<%dI' % len(words), *words)
    return b''.join(data[at:at + size][::-1] for at in range(0, len(data), size))


def check_order(cairn, folder):
    """Between two packets without S a run goes upwards, from a destination to the next source: of a dump
    in the other order `check` says so, and of no other dump (2.3.1)."""
    trace = LOOP + VISIT + LOOP * 2  # 3 + 6 + 6 packets: 14 runs, of which EXC_RETURN's is none
    # a branch to a branch: 16 packets, 15 runs, of which 8 are of one instruction
    branches = [0x08000110, 0x08000200, 0x08000200, 0x08000100] * 8
    started = [LOOP[0], LOOP[1] | 1, *LOOP[2:], *VISIT, *LOOP * 2]
    again = [*LOOP * 3, LOOP[0], LOOP[1] | 1, *LOOP[2:]]  # a second session: one run less than 11
    given = ['--protocol', 'mtb', '--core', 'Cortex-M0+']
    for size in 4, 2, 8:
        for name, words, runs in [('a loop', trace, 13), ('S', started, 13), ('two sessions', again, 10),
                                  ('branches', branches, 7),
                                  ('behind it nothing', trace + [0] * 200, 13)]:
            path = folder.write('reversed.bin', turned(words, size))
            answer = run(cairn, 'check', *given, path)
            yield from expect_in('%s, words of %d' % (name, size),
                                 'in reverse %d of %d do: %s' % (runs, runs, OTHER_ORDER), answer.out)
            yield from expect_in('what to do', '--reverse-bytes=%d ' % size, answer.out)
            yield from expect('status', answer.status, 2)
            path = folder.write('right.bin', struct.pack('<%dI' % len(words), *words))
            yield from expect(name + ' in order', OTHER_ORDER in run(cairn, 'check', *given, path).out,
                              False)
    # a ring that has gone round: the two newest packets are at its start, and every run is whole
    ring = (trace + LOOP)[-32:]
    path = folder.write('reversed.bin', turned(ring[-4:] + ring[:-4], 4))
    answer = run(cairn, 'check', *given, '--set', 'POSITION=0x14', '--set', 'MASTER=3', path)
    yield from expect_in('a ring', 'in reverse 14 of 14 do', answer.out)
    # what fits both orders, what is too little to tell, and other memory
    for name, words in [('a branch to itself', [0x08000100] * 40), ('four packets', LOOP + LOOP[:2]),
                        ('no packets', [(i * 2654435761) & 0xfffffffe for i in range(200)]),
                        ('other memory too', turned_words(trace) + [i * 0x10203 for i in range(40)])]:
        path = folder.write('other.bin', struct.pack('<%dI' % len(words), *words))
        yield from expect(name, OTHER_ORDER in run(cairn, 'check', *given, path).out, False)


def turned_words(words):
    return list(struct.unpack('>%dI' % len(words), struct.pack('<%dI' % len(words), *words)))


def main():
    cairn = sys.argv[1]
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        ring = folder.write('ring.bin', DUMP)
        tap.case('packets as text', check_text(cairn, ring))
        tap.case('packets as JSON, and parts', check_json(cairn, ring))
        tap.case('through a pipe, and its end', check_pipe(cairn, ring))
        tap.case('registers in a file, info and flow', check_described(cairn, folder, ring))
        tap.case('flow', check_flow(cairn, folder, ring))
        tap.case('bytes in the other order', check_order(cairn, folder))
        tap.case('what does not fit', check_refused(cairn, folder, ring))
    tap.end()


if __name__ == '__main__':
    main()
