#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Whatever decodes, the answer is the same, byte for byte: the reference path, the engine with one
thread, with several, with tables that are too small.

usage: test_engine.py CAIRN
"""
import os
import random
import sys
import tempfile

from common import (ALIGNMENT_SYNC, START, Folder, Tap, bytes_of, captures, expect, frames, run,
                    sanitized)

# Without --jobs there are as many as the machine has processors, or fewer for a short trace: as with --jobs 2 of most machines
# that test, so that each case tries one of the two.
WAYS = [['--jobs', '1'], ['--jobs', '5', '--table-memory', '1M']]
USUAL = [['--jobs', '2'], []]
FORMATS = [['--format', name] for name in ('text', 'full', 'json', 'addresses')]
DETAILS = [[], ['--ranges'], ['--summary']]
TIME = ['--merge', 'time']
FLOWS = ([['flow', *detail, *form] for detail in DETAILS for form in FORMATS] +
         [['flow', *TIME], ['flow', *TIME, '--summary', '--format', 'json'],
          ['flow', *TIME, '--format', 'addresses', '--from', '300'],
          ['flow', '--from', '700', '--to', '0x900'],
          ['flow', '--summary', '--from', '90', '--to', '5000'],
          ['flow', '--summary', '--format', 'json', '--from', '0x400']])
ACCOUNTS = [[command, *form] for command in ('info', 'check')
            for form in (['--format', 'text'], ['--format', 'json'])]

# --- a trace of nothing in particular: every kind of packet that the flow looks at, in any order
CODE = 0x1000
CODE_WORDS = 0x400
PLAIN = [0xd503201f, 0x8b020020, 0xf9400021]  # NOP, ADD, LDR
OTHERS = [0xd65f03c0,   # RET
          0xd61f0020,   # BR X1
          0xd69f03e0,   # ERET
          0xd5033fdf,   # ISB
          0xd4000001]   # SVC #0
ATOMS = bytes_of('F6 F7 D8 D9 DA DB F8 F9 FA FB FC FD FE FF DC DD DE DF D5 D6 D7 F5 C0 C5 E3')


def random_word(chance, at):
    kind = chance.random()
    if at % 300 == 299:
        return 0x00000000                            # UDF
    if kind < 0.7:
        return chance.choice(PLAIN)
    if kind < 0.78:
        return chance.choice(OTHERS)
    ahead = chance.randrange(CODE_WORDS) - at
    if kind < 0.86:
        return 0x54000000 | (ahead & 0x7ffff) << 5   # B.EQ
    if kind < 0.93:
        return 0x94000000 | ahead & 0x3ffffff        # BL
    return 0x14000000 | ahead & 0x3ffffff            # B


def address(chance):
    """A 32-bit address with IS0 (DDI0608 D5.49), mostly in the code."""
    at = CODE + 4 * chance.randrange(CODE_WORDS)
    if chance.random() < 0.02:
        at += 0x100000
    return bytes([0x9a, at >> 2 & 0x7f, at >> 9 & 0x7f]) + (at >> 16).to_bytes(2, 'little')


def exception(chance):
    """An IRQ with a short address (D5.13, D5.47)."""
    at = CODE + 4 * chance.randrange(CODE_WORDS)
    return bytes([0x06, 0x1d, 0x95, at >> 2 & 0x7f | 0x80, at >> 9 & 0xff])


def random_trace(seed, size, damage=0.0):
    chance = random.Random(seed)
    time, out = 1, bytearray(START)
    while len(out) < size:
        kind = chance.random()
        if kind < 0.75:
            out += bytes(chance.choices(ATOMS, k=chance.randrange(1, 6))) + address(chance)
        elif kind < 0.9:
            time += chance.randrange(1, 90)
            out += bytes([2, time & 0x7f | 0x80, time >> 7 & 0x7f | 0x80, time >> 14 & 0x7f])
        elif kind < 0.96:
            out += exception(chance) + address(chance)
        elif kind < 0.97:
            out += START
        elif kind < 0.98:
            out += bytes_of('70 71')  # Ignore, Event
        elif chance.random() < damage:
            out += bytes(chance.choices(range(256), k=chance.randrange(1, 9)))
    return bytes(out)


def program(folder):
    chance = random.Random(7)
    return folder.program({CODE: [random_word(chance, at) for at in range(CODE_WORDS)]})


def is_short(cairn):
    """Under sanitizers, and unless all is asked for (make test FULL=1), one way is tried in each case."""
    return 'CAIRN_FULL' not in os.environ or sanitized(cairn)


is_short.turn = 0


def check_ways(cairn, command, arguments, ways=None):
    is_short.turn += 1
    ways = ways or [*WAYS, USUAL[is_short.turn % 2]]
    if is_short(cairn):  # one of the ways, another one in each case
        ways = [ways[is_short.turn // 2 % len(ways)]]
    llvm = is_short.turn % 4 == 0  # to load it takes longer than most of these decode
    wanted = run(cairn, *command, '--reference', *arguments, llvm=llvm)
    for way in ways:
        got = run(cairn, *command, *way, *arguments, llvm=llvm)
        what = ' '.join(command + way)
        yield from expect(what + ': status', got.status, wanted.status)
        yield from expect(what + ': stderr', got.err, wanted.err)
        if got.raw == wanted.raw:
            continue
        for number, (a, b) in enumerate(zip(got.lines(), wanted.lines())):
            if a != b:
                yield '%s: line %d: got %r, expected %r' % (what, number + 1, a[:300], b[:300])
                break
        else:
            yield '%s: %d lines, expected %d' % (what, len(got.lines()), len(wanted.lines()))


def check_last_q(cairn, arguments):
    """A Q with a count (D5.70) waits for its Target Address; at the end of the source none can come."""
    rows = run(cairn, 'flow', '--format', 'json', *arguments).rows()
    yield from expect('last record', rows[-1]['type'], 'q')
    yield from check_ways(cairn, ['flow'], arguments)
    yield from check_ways(cairn, ['flow', '--summary'], arguments)


def check_is_trace(cairn, arguments):
    """The control: in what is compared there are flow, gaps, exceptions, returns and warnings."""
    rows = run(cairn, 'flow', '--ranges', '--format', 'json', *arguments).rows()
    kinds = [row['type'] for row in rows]
    for kind in ('range', 'gap', 'exception', 'timestamp', 'warning', 'exception_return', 'trace_info'):
        if kinds.count(kind) < 5:
            yield '%d of %s' % (kinds.count(kind), kind)
    if kinds.count('range') * 3 < len(kinds):
        yield 'mostly gaps: %d ranges of %d records' % (kinds.count('range'), len(kinds))


def main():
    cairn = sys.argv[1]
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        basic = ['--protocol', 'ete', '--set', 'TRCCONFIGR=0x1801', *program(folder)]
        # longer than the reader's chunks, with frames of two sources and damage; a third in `make check`
        part = 3 if 'CAIRN_QUICK' in os.environ else 1
        two = folder.write('two.bin', frames([(0x11, random_trace(1, 100_000 // part)),
                                              (0x22, random_trace(2, 3_000)),
                                              (0x11, random_trace(3, 50_000 // part, 0.5)),
                                              (0x22, random_trace(4, 90_000 // part, 0.5))]))
        framed = [*basic, '--frames', 'coresight', two]
        tap.case('the trace is one', check_is_trace(cairn, framed))
        for command in FLOWS + ACCOUNTS:
            tap.case('frames: ' + ' '.join(command), check_ways(cairn, command, framed))
        # longer than the largest pieces that one thread is given, and then two threads
        block = random_trace(5, 150_000) + random_trace(6, 10_000, 0.5)
        times = 1 if 'CAIRN_QUICK' in os.environ else 5 if sanitized(cairn) else 30
        long = folder.write('long.bin', block * times)
        plain = [*basic, '--frames', 'none', long]
        # one form of each: what both are made of is counted above, where the flow is short
        for command in [['flow', '--summary'], *ACCOUNTS[1::2],
                        ['flow', '--ranges', '--to', '900'],
                        ['flow', '--summary', '--to', '900'],
                        ['flow', '--ranges', '--from', str(len(block) * times - 900)]]:
            tap.case('long: ' + ' '.join(command), check_ways(cairn, command, plain))
        if sanitized(cairn):
            tap.skip('very long: flow --summary', 'the sanitizers are too slow for it')
        elif 'CAIRN_QUICK' in os.environ:
            tap.skip('very long: flow --summary', 'make test has it')
        else:
            longer = folder.write('longer.bin', block * 130)
            tap.case('very long: flow --summary', check_ways(
                cairn, ['flow', '--summary'], [*basic, '--frames', 'none', longer], [['--jobs', '2']]))
        last_q = folder.write('last_q.bin', START + bytes_of('F7 AC 03'))
        tap.case('Q at the end', check_last_q(cairn, [*basic, '--frames', 'none', last_q]))
        empty = folder.write('empty.bin', b'')
        short = folder.write('short.bin', ALIGNMENT_SYNC[:7])
        for name, trace in (('empty', empty), ('7 bytes', short)):
            for command in FLOWS[6:8] + ACCOUNTS[::2]:
                tap.case('%s: %s' % (name, ' '.join(command)),
                         check_ways(cairn, command, [*basic, '--frames', 'none', trace]))
    real = captures()
    if real is None:
        tap.skip('snapshots', 'CAIRN_CAPTURES is not set')
    for number, (name, path) in enumerate(real or []):
        for nth, command in enumerate(FLOWS + ACCOUNTS):
            if sanitized(cairn) and nth % 6 != number % 6:
                continue
            ways = [USUAL[0], WAYS[1]] if sanitized(cairn) else [*WAYS, USUAL[number % 2]]
            if not sanitized(cairn):  # two of the three, others of the next capture: each command is tried every way
                del ways[(number + nth) % 3]
            tap.case('%s: %s' % (name, ' '.join(command)), check_ways(cairn, command, [path], ways))
    tap.end()


if __name__ == '__main__':
    main()
