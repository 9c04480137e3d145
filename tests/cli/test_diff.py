#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cairn diff of hand-made traces and of the example capture: where they part follows from the programs.

usage: test_diff.py CAIRN TOP
"""
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile

from common import START, Folder, Tap, bytes_of, expect, expect_in, run, sanitized, words

NOP, RET, E, N = 0xd503201f, 0xd65f03c0, b'\xf7', b'\xf6'
SYNC = bytes(11) + bytes_of('80 01 00 04')  # A-sync, Trace Info
OVERFLOW = bytes_of('00 05')
CALL = bytes_of('06 05')  # Exception 2
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
    yield from expect('total', [of(answer.rows(), 'total')[0][key] for key in ('common_a', 'common_b', 'only_a', 'only_b')],
                      [15, 15, 0, 0])
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
    yield from expect('common', [of(answer.rows(), 'total')[0][key] for key in ('common_a', 'common_b')], [22, 22])


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
    within = START + turn(E) * 2 + E + E + E + address(0x1004) + IRQ + address(0x1004) + address(0x1048) + N * 2
    yield from expect('ends within', [(row['b']['ended_in'], row['b']['handled']) for row in
                                      of(bench.run(a, within).rows(), 'pair')], [('IRQ', 2)])
    yield from expect_in('text', 'there is no more of it in the trace, which ends in IRQ', bench.run(a, within, form='text').out)
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
    yield from expect('pairs', [(row['a']['context_id'], row['b']['context_id'], row['common_a'], row['paired_by'])
                                for row in of(answer.rows(), 'pair')], [(1, 1, 10, 'context'), (2, 2, 7, 'context')])
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
    # without lines both are in the same functions, but not for as long
    yield from expect('status', answer.status, 1)
    yield from expect('sums', [[row[key + side] for key in ('common_', 'only_', 'nameless_')] for row in of(rows, 'pair')
                               for side in 'ab'], [[15, 0, 0], [17, 0, 0]])


def check_nameless(bench):
    """Two builds of which nothing is named: nothing was compared, and they are not the same."""
    builds = [bench.folder.elf('bare%d.elf' % i, {0x1000: code(0x60, {**PROGRAM, 0x1024: word})}, [])
              for i, word in enumerate((NOP, 0xd503203f))]
    given = ['--image-a', builds[0], '--image-b', builds[1]]
    answer = bench.run(START + turn(E) * 3, START + turn(N) * 8, *given, elf=False)
    yield from expect('status', answer.status, 1)
    yield from expect('sums', [[row[key + side] for key in ('common_', 'only_', 'nameless_')]
                               for row in of(answer.rows(), 'pair') for side in 'ab'], [[0, 0, 15], [0, 0, 56]])
    yield from expect_in('text', 'nothing was compared',
                         bench.run(START + turn(E) * 3, START + turn(N) * 8, *given, form='text', elf=False).out)


def check_elsewhere(bench):
    """An IRQ's handler that returns into tail: an RTOS would go on with another task there. That is flow, and no signal."""
    b = turn(E) + E + E + E + address(0x1004) + IRQ + address(0x1004) + address(0x1040) + E + address(0x1048) + N * 6
    rows = bench.run(START + turn(E) * 4, START + b).rows()
    yield from expect('pair', [(row['b']['instructions'], row['b']['handled'], row['b']['ended_in'])
                               for row in of(rows, 'pair')], [(14, 2, None)])
    yield from expect('what', [(row['kind'], row['what_b'], row['exception_b'], row['next_b']['address'])
                               for row in of(rows, 'parting')], [('ways', 'elsewhere', 'IRQ', '0x1048')])
    yield from expect('not compared', [[row[key] for key in ('gave_up', 'only_a', 'only_b', 'unknown_a', 'unknown_b')]
                                       for row in of(rows, 'pair')], [[True, 0, 0, 12, 6]])
    yield from expect('exceptions', [row['exception'] for row in of(rows, 'exception')], ['IRQ'])
    yield from expect('tail', [row['instructions_b'] for row in of(rows, 'function') if row['function'] == 'tail'], [6])


def check_exception(bench):
    """B takes Call, of its flow, behind 1004."""
    b = turn(E) + E + E + E + address(0x1004) + CALL + address(0x1008) + address(0x1040) + E + address(0x1008) + E
    answer = bench.run(START + turn(E) * 4, START + b + turn(E) * 2)
    yield from expect('what', [(row['what_a'], row['what_b'], row['exception_b']) for row in of(answer.rows(), 'parting')],
                      [('goes_on', 'exception', 'Call')])


def check_hidden(bench):
    """What B executed opposite to a gap is not known to be B's alone, neither in the table nor in the coverage."""
    a = START + turn(E) * 2 + OVERFLOW + SYNC + context(0x1000) + turn(E) * 14
    b = START + turn(E) * 2 + turn(N) + turn(E) * 14
    rows = bench.run(a, b).rows()
    yield from expect('functions', [(row['function'], row['instructions_b'] - row['instructions_a'], row['unknown_b'])
                                    for row in of(rows, 'function')], [('f', 4, 4), ('main', 3, 3)])
    rows = bench.run(a, b, '--coverage').rows()
    yield from expect('coverage', of(rows, 'way') + of(rows, 'line'), [])
    whole = START + turn(E) * 17
    rows = bench.run(whole, b, '--coverage').rows()
    yield from expect('without a gap', [(row['address'], row['end'], row['instructions_b']) for row in of(rows, 'line')],
                      [('0x1024', '0x102c', 2)])
    text = bench.run(START + turn(E, N) + E + N * 6, START + turn(E, N), '--coverage', '--top', '1', form='text').out
    yield from expect_in('text', '           6  0x1048 to 0x1060  tail  (loop.elf)\n... and 1 more', text)


def check_listed(bench):
    """The first parting that is known comes first, however many gaps there are before."""
    lost = OVERFLOW + SYNC + context(0x1000)
    a = START + turn(E) * 2 + (lost + turn(N) + turn(E) * 12) * 7 + turn(E) * 8
    b = START + turn(E) * 2 + (turn(E) * 3 + turn(N) + turn(E) * 12) * 7 + turn(N) + turn(E) * 7
    text = bench.run(a, b, form='text').out
    yield from expect_in('in full', 'they part behind instruction 481 of A, 586 of B', text)
    rows = of(bench.run(a, b, '--partings', '1').rows(), 'parting')
    yield from expect('one of each', [row['kind'] for row in rows], ['gap', 'ways'])


def check_cycles(bench):
    """Cycle Count packets behind each turn: of the branch before them. Other cycles alone are no parting."""
    few, many = bytes_of('0c 05'), bytes_of('0c 41')
    sums = []
    for a, b in ((few, many), (many, few)):
        answer = bench.run(START + (turn(E) + a) * 3, START + (turn(E) + b) * 3, sets='11')
        yield from expect('status', answer.status, 0)
        total = of(answer.rows(), 'total')[0]
        sums.append((total['cycles_a'], total['cycles_b']))
        yield from expect('functions', [(row['function'], row['cycles_a'], row['cycles_b']) for row in
                                        of(answer.rows(), 'function') if row['cycles_a']], [('main', *sums[-1])])
    yield from expect('sums', (sums[1], sums[0][0] != sums[0][1]), (sums[0][::-1], True))
    text = bench.run(START + (turn(E) + few) * 3, START + (turn(E) + many) * 3, form='text', sets='11').out
    yield from expect_in('text', 'cycles: %d in A, %d in B' % sums[0], text)
    yield from expect_in('text', '  main', text)
    # ETMv3's are of what is behind them (IHI0014 Example 7-2): BL W; NOP WWW, BX LR W; B W, BL W; two in which nothing is executed
    arm = bench.folder.write('arm.bin', words([0xeb000002, 0xeafffffd, 0xe1a00000, 0xe1a00000, 0xe1a00000, 0xe12fff1e]))
    trace = bench.trace(bytes(5) + bytes_of('80 08 21 00 10 00 00 84 e8 84 83 10 88 a4'))
    answer = run(bench.cairn, 'diff', '--format', 'json', '--protocol', 'etmv3', '--core', 'Cortex-R4', '--frames', 'none', '--set',
                 'ETMCR=0x1000', '--set', 'ETMIDR=0x41000230', '--by', 'block', '--image', arm + '@0x1000', trace, trace)
    yield from expect('ahead', {row['address']: (row['instructions_a'], row['cycles_a']) for row in of(answer.rows(), 'block')},
                      {'0x1000': (2, 2), '0x1004': (1, 1), '0x1010': (2, 4)})
    yield from expect('sums', [of(answer.rows(), 'total')[0][key] for key in ('cycles_a', 'other_cycles_a')], [7, 2])


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
    yield from expect('all of them', [total['common_' + side] + total['only_' + side] for side in 'ab'], [len(one) for one in lists])


def time(value):
    """Timestamp: seven bits a byte, the lowest first (DDI0608 D4.5.2)."""
    out = [0x02]
    while value >> 7:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes(out + [value])


def check_times(bench):
    """Many timestamps in front of where they part: the last ones are told."""
    a = b''.join(turn(E) + time(1000 + 5 * i) for i in range(700))
    b = b''.join(turn(N if i == 600 else E) + time((1 << 33) - 3 * i) for i in range(700))
    rows = bench.run(START + a, START + b, sets='801').rows()
    yield from expect('behind', [(row['before_a'], row['before_b'], row['timestamp_a'], row['timestamp_b'])
                                 for row in of(rows, 'parting')],
                      [(600 * 5 + 2, 600 * 5 + 2, hex(1000 + 5 * 599), hex((1 << 33) - 3 * 599))])


def check_targets(bench):
    """An indirect branch that goes to a hundred places, of which it goes to another one late in B."""
    elf = bench.folder.elf('targets.elf', {0x1000: code(0x100 + 8 * 100, {
        0x1000: 0xd61f0000, **{at + 4: jump(at + 4, 0x1000) for at in range(0x1100, 0x1420, 8)}})}, [('main', 0x1000, 0x420)])
    a = [i * 37 % 100 for i in range(300)]
    b = a[:250] + [5] + a[251:]
    traces = [START + b''.join(E + address(0x1100 + 8 * i) + E for i in one) for one in (a, b)]
    rows = bench.run(*traces, '--image', elf, elf=False).rows()
    yield from expect('parting', [parting(row) for row in of(rows, 'parting')],
                      [('ways', 751, 751, 0x1000, 0x1100 + 8 * a[250], 0x1100 + 8 * 5, 0x1000, 2, 2)])


def check_long(bench):
    """Long runs that are alike, but for one late turn: two million blocks each in less memory than a list of them takes."""
    turns = 20000 if sanitized(bench.cairn) else 500000
    late = turns - 100
    out = os.path.join(bench.folder.path, 'long.json')

    def bound():
        if not sanitized(bench.cairn):
            resource.setrlimit(resource.RLIMIT_DATA, (24 << 20, 24 << 20))
    status = subprocess.run([bench.cairn, 'diff', '--format', 'json', '--protocol', 'ete', '--frames', 'none', '--set', 'TRCCONFIGR=0x1',
                             '--image', bench.elf, '--output', out, bench.trace(START + turn(E) * turns),
                             bench.trace(START + turn(E) * late + turn(N) + turn(E) * 99)], preexec_fn=bound).returncode
    yield from expect('status', status, 1)
    with open(out) as file:
        rows = [json.loads(line) for line in file]
    yield from expect('parting', [parting(row) for row in of(rows, 'parting')],
                      [('ways', late * 5 + 2, late * 5 + 2, 0x1020, 0x102c, 0x1024, 0x1004, 1, 3)])
    yield from expect('common', [of(rows, 'total')[0]['common_' + side] for side in 'ab'], [turns * 5 - 1] * 2)


def check_refused(bench):
    trace = bench.trace(START + turn(E))
    for arguments, message in ((['x'], 'which two captures?'), (['--thread-a', 'x', trace], 'expected a context ID'),
                               (['--thread-a', '99', trace, trace], 'nothing was executed in this context. There is trace of 0x0'),
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
                            ('an interrupt that returns elsewhere', check_elsewhere),
                            ('an exception of the flow', check_exception), ('what gaps hide', check_hidden),
                            ('partings behind many gaps', check_listed), ('cycles', check_cycles),
                            ('two builds', check_moved), ('two builds without symbols', check_nameless), ('ways of branches', check_coverage),
                            ('timestamps in front of a parting', check_times), ('many targets', check_targets), ('long runs', check_long),
                            ('what cannot be', check_refused)):
            tap.case(case, check(bench))
        tap.case('the example capture parts where its lists do', check_example(cairn, top))
    tap.end()


main()
