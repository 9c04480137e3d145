#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cairn diff of hand-made traces and of the example capture: where they part follows from the programs.

usage: test_diff.py CAIRN TOP
"""
import itertools
import os
import sys
import tempfile

from common import START, Folder, Tap, bytes_of, expect, expect_in, run, words

NOP, RET, E, N = 0xd503201f, 0xd65f03c0, b'\xf7', b'\xf6'
SYNC = bytes(11) + bytes_of('80 01 00 04')  # A-sync, Trace Info
OVERFLOW = bytes_of('00 05')
IRQ = bytes_of('06 1d')  # Exception 0xe, two addresses follow (DDI0608 D5.13)


def link(at, to):
    return 0x94000000 | (to - at) >> 2 & 0x3ffffff


def jump(at, to):
    return 0x14000000 | (to - at) >> 2 & 0x3ffffff


def equal(at, to):
    return 0x54000000 | ((to - at) >> 2 & 0x7ffff) << 5


def code(size, at):
    """Words of a program at 0x1000: NOP where nothing is said."""
    return words([at.get(0x1000 + i, NOP) for i in range(0, size, 4)])


def address(at):
    """Target Address, long, of 32 bits."""
    return bytes([0x9a, at >> 2 & 0x7f, at >> 9 & 0x7f]) + (at >> 16).to_bytes(2, 'little')


def context(at, number=None):
    """Target Address with Context: EL1, with a context ID if one is given."""
    tail = b'\x31' if number is None else b'\xb1' + number.to_bytes(4, 'little')
    return bytes([0x82, at >> 2 & 0x7f, at >> 9 & 0x7f]) + (at >> 16).to_bytes(2, 'little') + tail


# main: a loop of a call of f, which has two ways; behind the loop a return.
#   1000 bl f; 1004 nop; 1008 b.eq 1000; 100c b 1048, where six branches follow that nobody takes; f 1020: b.eq 102c; 1024 nop; 1028 nop; 102c ret
# a handler at 1040: nop; eret
PROGRAM = {0x1000: link(0x1000, 0x1020), 0x1008: equal(0x1008, 0x1000), 0x100c: jump(0x100c, 0x1048),
           0x1020: equal(0x1020, 0x102c), 0x102c: RET, 0x1044: 0xd69f03e0,
           **{at: equal(at, 0x1000) for at in range(0x1048, 0x1060, 4)}}
SYMBOLS = [('main', 0x1000, 16), ('f', 0x1020, 16), ('handler', 0x1040, 8), ('tail', 0x1048, 24)]


def turn(way, again=E):
    """One turn of the loop: call, way of f's branch, return, branch of the loop."""
    return E + way + E + address(0x1004) + again


class Bench:
    def __init__(self, cairn, folder):
        self.cairn, self.folder = cairn, folder
        self.elf = folder.elf('loop.elf', {0x1000: code(0x60, PROGRAM)}, SYMBOLS)
        self.number = itertools.count()

    def trace(self, data):
        return self.folder.write('%d.bin' % next(self.number), data)

    def run(self, a, b, *more, form='json', sets='1', elf=True):
        image = ['--image', self.elf] if elf else []
        return run(self.cairn, 'diff', '--format', form, '--protocol', 'ete', '--frames', 'none', '--set',
                   'TRCCONFIGR=0x%s' % sets, *more, *image, self.trace(a), self.trace(b))


def of(rows, kind):
    return [row for row in rows if row['type'] == kind]


def parting(row):
    """What a parting says in short."""
    place = lambda value: value and int(value['address'], 16)  # noqa: E731
    return (row['kind'], row['before_a'], row['before_b'], place(row['last_a']), place(row['next_a']),
            place(row['next_b']), place(row['meets_a']), row['instructions_a'], row['instructions_b'])


def check_same(bench):
    trace = START + turn(E) * 3
    answer = bench.run(trace, trace)
    yield from expect('status', answer.status, 0)
    yield from expect('partings', of(answer.rows(), 'parting'), [])
    yield from expect('total', [of(answer.rows(), 'total')[0][key] for key in ('common', 'only_a', 'only_b')],
                      [15, 0, 0])
    yield from expect_in('text', 'the same: 15 instructions', bench.run(trace, trace, form='text').out)


def check_ways(bench):
    """The third turn of B goes the other way through f: two instructions more."""
    answer = bench.run(START + turn(E) * 4, START + turn(E) * 2 + turn(N) + turn(E))
    rows = answer.rows()
    yield from expect('status', answer.status, 1)
    yield from expect('parting', [parting(row) for row in of(rows, 'parting')],
                      [('ways', 12, 12, 0x1020, 0x102c, 0x1024, 0x1004, 1, 3)])
    yield from expect('what', [(row['what_a'], row['what_b'], row['calls']) for row in of(rows, 'parting')],
                      [('taken', 'not_taken', ['f', 'main'])])
    yield from expect('functions', [(row['function'], row['instructions_a'], row['instructions_b'], row['calls_a'],
                                     row['calls_b']) for row in of(rows, 'function')],
                      [('f', 8, 10, 4, 4), ('main', 12, 12, 4, 4)])
    text = bench.run(START + turn(E) * 4, START + turn(E) * 2 + turn(N) + turn(E), form='text').out
    for part in ('they part behind instruction 12 of A, 12 of B', '> 0x1020 <f>  b.eq 0x102c <f+0xc>',
                 'A takes the branch, to 0x102c <f+0xc>', 'B does not take it, and goes on at 0x1024 <f+0x4>',
                 'they meet again at 0x1004 <main+0x4>'):
        yield from expect_in('text', part, text)


def check_turns(bench):
    """B does two turns more before it goes on: they are told as two turns, and what follows is in common."""
    last = turn(E, N) + E + N * 6
    answer = bench.run(START + turn(E) * 2 + last, START + turn(E) * 4 + last)
    yield from expect('parting', [parting(row) for row in of(answer.rows(), 'parting')],
                      [('ways', 15, 15, 0x1008, 0x100c, 0x1000, 0x100c, 0, 10)])
    yield from expect('common', of(answer.rows(), 'total')[0]['common'], 22)


def check_end(bench):
    """A ends where B goes on."""
    answer = bench.run(START + turn(E) * 2, START + turn(E) * 3)
    yield from expect('status', answer.status, 1)
    yield from expect('parting', [parting(row) for row in of(answer.rows(), 'parting')],
                      [('end', 10, 10, 0x1008, None, 0x1000, None, 0, 5)])
    yield from expect('what', [row['what_a'] for row in of(answer.rows(), 'parting')], ['end'])


def check_gap(bench):
    """What B did while A's trace was lost is not known to be different; behind it they go on together."""
    lost = START + turn(E) * 2 + OVERFLOW + SYNC + context(0x1000) + turn(N) + turn(E) * 12
    answer = bench.run(lost, START + turn(E) * 5 + turn(N) + turn(E) * 12)
    rows = answer.rows()
    yield from expect('status', answer.status, 1)
    yield from expect('kinds', [(row['kind'], row['what_a']) for row in of(rows, 'parting')], [('gap', 'gap')])
    yield from expect('sums', [of(rows, 'total')[0][key] for key in ('partings', 'unknowns', 'only_a', 'only_b')],
                      [0, 1, 0, 0])
    yield from expect('hidden', [(row['unknown_a'], row['unknown_b']) for row in of(rows, 'pair')], [(0, 15)])


def check_start(bench):
    """A buffer that wrapped begins later: what comes before is not known."""
    answer = bench.run(SYNC + context(0x1004) + E + turn(N) + turn(E) * 12, START + turn(E) * 2 + turn(N) + turn(E) * 12)
    rows = answer.rows()
    yield from expect('kinds', [row['kind'] for row in of(rows, 'parting')], ['start'])
    yield from expect('only', [of(rows, 'total')[0][key] for key in ('only_a', 'only_b', 'unknowns')], [0, 0, 1])


def check_interrupts(bench):
    """An IRQ in front of 1004 in the second turn of B, whose handler is two instructions."""
    taken = turn(E) + E + E + E + address(0x1004) + IRQ + address(0x1004) + address(0x1040) + E + address(0x1004) + E
    a, b = START + turn(E) * 4, START + taken + turn(E) * 2
    answer = bench.run(a, b)
    rows = answer.rows()
    yield from expect('status', answer.status, 0)
    yield from expect('exceptions', [(row['exception'], row['apart'], row['times_a'], row['times_b'],
                                      row['instructions_a'], row['instructions_b']) for row in of(rows, 'exception')],
                      [('IRQ', True, 0, 1, 0, 2)])
    answer = bench.run(a, b, '--exceptions')
    yield from expect('status', answer.status, 1)
    yield from expect('only', [of(answer.rows(), 'total')[0][key] for key in ('only_a', 'only_b')], [0, 2])


def check_midst(bench):
    """An IRQ in the midst of a block does not cut it: the trace of B is of the same blocks."""
    taken = E + N + IRQ + address(0x1028) + address(0x1040) + E + address(0x1028) + E + address(0x1004) + E
    answer = bench.run(START + turn(N) * 3, START + taken + turn(N) * 2)
    yield from expect('status', answer.status, 0)


def check_threads(bench):
    """Two threads of one source: by their contexts, and one against the other."""
    a = SYNC + context(0x1000, 1) + turn(E) + context(0x1000, 2) + turn(N) + context(0x1000, 1) + turn(E)
    b = SYNC + context(0x1000, 1) + turn(E) * 2 + context(0x1000, 2) + turn(N)
    answer = bench.run(a, b, sets='41')
    yield from expect('status', answer.status, 0)
    yield from expect('pairs', [(row['a']['context_id'], row['b']['context_id'], row['common'])
                                for row in of(answer.rows(), 'pair')], [(1, 1, 10), (2, 2, 7)])
    answer = bench.run(a, b, '--thread-a', 1, '--thread-b', 2, sets='41')
    yield from expect('two threads', [(row['kind'], row['before_a']) for row in of(answer.rows(), 'parting')][:1],
                      [('ways', 2)])


def check_moved(bench):
    """The same program 64 KiB further on, each with its own image."""
    moved = bench.folder.elf('loop_moved.elf', {0x11000: code(0x60, PROGRAM)},
                             [(name, at + 0x10000, size) for name, at, size in SYMBOLS])
    far = lambda way: E + way + E + address(0x11004) + E  # noqa: E731
    trace = SYNC + context(0x11000) + far(E) + far(N) + far(E)
    answer = bench.run(START + turn(E) * 3, trace, '--image-a', bench.elf, '--image-b', moved, elf=False)
    rows = answer.rows()
    yield from expect('compared by', [row['compared_by'] for row in of(rows, 'pair')], ['lines'])
    yield from expect('functions', [(row['function'], row['instructions_a'], row['instructions_b'])
                                    for row in of(rows, 'function')], [('f', 6, 8), ('main', 9, 9)])


def check_coverage(bench):
    """f's branch went one way only in A."""
    answer = bench.run(START + turn(E) * 3, START + turn(E) + turn(N) + turn(E), '--coverage')
    yield from expect('ways', [(row['only_in'], row['taken'], row['times'], row['branch']['address'])
                               for row in of(answer.rows(), 'way')], [('b', False, 1, '0x1020')])


def check_example(cairn, top):
    """The example capture's two sources, beside its own lists of what they executed."""
    folder = os.path.join(top, 'examples', 'capture')
    lists = []
    for name in ('ETE_0', 'ETM_1'):
        with open(os.path.join(folder, name + '.addresses')) as file:
            lists.append([line.split()[0] for line in file if line.strip()])
    first = next(i for i, (a, b) in enumerate(zip(*lists)) if a != b)
    answer = run(cairn, 'diff', '--format', 'json', '--source-a', 'ETE_0', '--source-b', 'ETM_1', folder)
    row = of(answer.rows(), 'parting')[0]
    yield from expect('behind', (row['before_a'], row['before_b']), (first, first))
    yield from expect('next', [row[key]['address'] for key in ('last_a', 'next_a', 'next_b')],
                      ['0x' + lists[0][first - 1], '0x' + lists[0][first], '0x' + lists[1][first]])
    total = of(answer.rows(), 'total')[0]
    yield from expect('all of them', [total['common'] + total['only_' + side] for side in 'ab'], [len(one) for one in lists])


def check_refused(bench):
    trace = bench.trace(START + turn(E))
    for arguments, message in ((['x'], 'which two captures?'), (['--thread-a', 'x', trace], 'expected a context ID'),
                               (['--partings', '0', trace, trace], 'expected a number from 1'),
                               ([trace, os.path.join(bench.folder.path, 'none.bin')], 'none.bin')):
        answer = run(bench.cairn, 'diff', '--protocol', 'ete', '--frames', 'none', '--image', bench.elf, *arguments)
        yield from expect('status of %s' % arguments, answer.status, 2)
        yield from expect_in('message', message, answer.err)


def main():
    cairn, top = sys.argv[1:3]
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix='cairn-diff-') as path:
        bench = Bench(cairn, Folder(path))
        for case, check in (('runs that are the same', check_same), ('different ways, and where they meet', check_ways),
                            ('more turns of a loop', check_turns), ('one that ends', check_end),
                            ('a gap hides, and is no difference', check_gap), ('a trace that begins later', check_start),
                            ('interrupts are apart', check_interrupts),
                            ('an interrupt cuts no block', check_midst), ('threads', check_threads),
                            ('two builds', check_moved), ('ways of branches', check_coverage),
                            ('what cannot be', check_refused)):
            tap.case(case, check(bench))
        tap.case('the example capture parts where its lists do', check_example(cairn, top))
    tap.end()


main()
