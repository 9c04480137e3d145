#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cairn latency of hand-made traces of an ETE, where each duration follows from the packets.

usage: test_latency.py CAIRN
"""
import csv
import os
import shlex
import sys
import tempfile

from common import START, Folder, Tap, bytes_of, expect, expect_in, run, words
from test_calls import E, NOP, OVERFLOW, RET, SYNC, address, basic, code, context, jump, link, timestamp

ERET = 0xd69f03e0
IRQ, FAULT = bytes_of('061d'), bytes_of('0619')  # TYPE 0b01110 and 0b01100 in bits 5:1 (DDI0608 D5.13)
CYCLES, TIMES = ['--set', 'TRCCONFIGR=0x11'], ['--set', 'TRCCONFIGR=0x801']


def cycles(count):
    """Cycle Count format 1, of less than 128."""
    return bytes([0x0e, count])


UNKNOWN = b'\x0f'  # Cycle Count format 1 without one


def program(folder):
    """main: NOP, B main. handler: NOP, NOP, ERET. inner: NOP, ERET."""
    return folder.elf('irq.elf', {0x1000: words([NOP, jump(0x1004, 0x1000)]), 0x2000: words([NOP, NOP, ERET]),
                                  0x3000: words([NOP, ERET])},
                      [('main', 0x1000, 8), ('handler', 0x2000, 12), ('inner', 0x3000, 8)])


# The NOP of main is executed, then there is an interrupt.
def taken(count=b''):
    return IRQ + address(0x1004) + count + address(0x2000)


def back(count=b''):
    return E + count + address(0x1004)


def latency(cairn, *arguments):
    rows = run(cairn, 'latency', '--format', 'json', *arguments).rows()
    return rows[0], rows[1:]


def bounds(row):
    return [(row[key]['min'], row[key]['mean'], row[key]['max']) if row[key] else None for key in ('low', 'high')]


def check_exact(cairn, folder):
    """A count at each branch and exception: 100 to the first branch, 40 to the interrupt, 25 in the handler, 10."""
    trace = folder.write('exact.bin', START + E + cycles(100) + taken(cycles(40)) + back(cycles(25)) + E + cycles(10))
    total, rows = latency(cairn, *basic(program(folder), trace, *CYCLES))
    yield from expect('whole', (total['clock'], total['whole']), ('cycles', 175))
    yield from expect('one', len(rows), 1)
    yield from expect('cycles', bounds(rows[0]), [(25, 25, 25)] * 2)
    yield from expect('self', rows[0]['self'], 25)
    yield from expect('who', (rows[0]['exception'], rows[0]['function'], rows[0]['interrupted']),
                      ('IRQ', 'handler', [{'function': 'main', 'count': 1}]))
    _, rows = latency(cairn, '--clock', 'instructions', *basic(program(folder), trace, *CYCLES))
    yield from expect('instructions', bounds(rows[0]), [(3, 3, 3)] * 2)
    text = run(cairn, 'latency', *basic(program(folder), trace, *CYCLES))
    yield from expect('status', text.status, 0)
    yield from expect_in('shares', '14.29%  IRQ: handler', text.out)
    yield from expect_in('the rest', '85.71%  outside of exceptions', text.out)
    yield from expect('the levels of the reference path',
                      run(cairn, 'latency', '--reference', *basic(program(folder), trace, *CYCLES)).out, text.out)
    longest = rows[0]['longest'][0]
    flow = run(cairn, 'flow', '--format', 'addresses', '--from', longest['from_offset'], '--to', longest['to_offset'] + 1,
               *basic(program(folder), trace, *CYCLES))
    yield from expect('the longest one', [line.split()[0] for line in flow.lines() if line[0] != '#'][-4:],
                      ['2000', '2004', '2008', '1004'])  # with the packet that shows that it has ended


def check_summary(cairn, folder):
    """The totals of `flow` have the cycles that were counted: by both decoders, text and JSON. A count that is not known adds
    none, and without counts there is no total."""
    trace = START + E + cycles(100) + taken(cycles(40)) + UNKNOWN + back(cycles(25)) + E + cycles(10)
    for name, bytes_, options, total in (('counted', trace, CYCLES, 175), ('none', START + E + taken() + back(), [], None)):
        path = folder.write(name + '.bin', bytes_)
        for way in ([], ['--reference']):
            given = [*way, *basic(program(folder), path, *options)]
            row = [row for row in run(cairn, 'flow', '--summary', '--format', 'json', *given).rows() if row['type'] == 'summary'][0]
            yield from expect('cycles %s %s' % (name, way), row['cycles'], total)
            text = run(cairn, 'flow', '--summary', *given).out
            yield from expect('text %s %s' % (name, way), '175  cycles\n' in text, total is not None)


def check_bounds(cairn, folder):
    """Counts at some branches alone: the first interrupt lies somewhere in 60 cycles, the second ends with a count, 30
    behind the last one."""
    trace = folder.write('bounds.bin', START + E + cycles(100) + taken() + back() + E + cycles(60) +
                         taken() + back(cycles(30)) + E + cycles(5))
    _, rows = latency(cairn, *basic(program(folder), trace, *CYCLES))
    yield from expect('cycles', bounds(rows[0]), [(0, 0, 0), (30, 45, 60)])
    yield from expect('inexact', (rows[0]['measured'], rows[0]['inexact']), (2, 2))
    text = run(cairn, 'latency', *basic(program(folder), trace, *CYCLES))
    yield from expect_in('text', '0..60', text.out)
    yield from expect_in('text', 'at least A and at most B', text.out)
    yield from expect_in('share', '>=0.00%  IRQ: handler', text.out)
    yield from expect_in('the rest', '<=100.00%  outside of exceptions', text.out)
    yield from expect('self', 'self' in rows[0], False)


def check_unknown(cairn, folder):
    """A count that is not known is in the first one, the second is whole, trace is lost in the third, the fourth is
    running at the end: all begin with a count."""
    one = taken(cycles(4)) + back(UNKNOWN) + E + cycles(3)
    trace = folder.write('unknown.bin', START + E + cycles(9) + one + taken(cycles(4)) + back(cycles(8)) + E + cycles(3) +
                         taken(cycles(4)) + OVERFLOW + SYNC + context(0x1000) + E + cycles(7) + taken(cycles(2)) + E)
    _, rows = latency(cairn, *basic(program(folder), trace, *CYCLES))
    by_handler = {row['function']: row for row in rows}
    row = by_handler['handler']
    yield from expect('ends', [row[key] for key in ('count', 'measured', 'unknown', 'cut', 'open')], [3, 1, 1, 0, 1])
    yield from expect('cycles', bounds(row), [(8, 8, 8)] * 2)
    yield from expect('before its first instruction', [by_handler[None][key] for key in ('count', 'cut', 'low')],
                      [1, 1, None])


def check_time(cairn, folder):
    """From a timestamp at 1000 to one at 1010 it begins, and it ends up to one at 1025; another one lies within 5 ticks
    behind that; in a third one time goes back."""
    trace = folder.write('time.bin', START + E + timestamp(1000) + taken() + timestamp(1010) + back() + E +
                         timestamp(1025) + taken() + back() + E + timestamp(1030) + taken() + timestamp(900) + back() + E +
                         timestamp(1100))
    _, rows = latency(cairn, '--clock', 'time', *basic(program(folder), trace, *TIMES))
    yield from expect('ticks', bounds(rows[0]), [(0, 0, 0), (5, 15, 25)])
    yield from expect('unknown', (rows[0]['unknown'], 'self' in rows[0]), (1, False))
    total, _ = latency(cairn, *basic(program(folder), trace, *TIMES))
    yield from expect('of such timestamps', total['clock'], 'instructions')
    text = run(cairn, 'latency', '--clock', 'time', '--frequency', '1M', *basic(program(folder), trace, *TIMES))
    yield from expect_in('nanoseconds', '0..25000', text.out)
    text = run(cairn, 'latency', '--clock', 'cycles', *basic(program(folder), trace, *TIMES))
    yield from expect('no such clock', text.status, 1)
    yield from expect_in('no such clock', 'counts no cycles', text.err)


def check_nested(cairn, folder):
    """handler, of 20 cycles, has 7 of a fault in it, which is one of its instructions' and goes back there."""
    inside = FAULT + address(0x2004) + cycles(6) + address(0x3000) + E + cycles(7) + address(0x2004)
    trace = folder.write('nested.bin', START + E + cycles(50) + taken(cycles(10)) + inside + back(cycles(7)) + E + cycles(6))
    total, rows = latency(cairn, *basic(program(folder), trace, *CYCLES))
    got = {row['function']: (row['high']['max'], row['self'], row['interrupted'][0]['function']) for row in rows}
    yield from expect('cycles', got, {'handler': (20, 13, 'main'), 'inner': (7, 7, 'handler')})
    yield from expect('whole', total['whole'], 86)
    _, rows = latency(cairn, '--without-exceptions', *basic(program(folder), trace, *CYCLES))
    yield from expect('without', {row['function']: row['high']['max'] for row in rows}, {'handler': 13, 'inner': 7})
    _, rows = latency(cairn, '--exception', 'inner', *basic(program(folder), trace, *CYCLES))
    yield from expect('one of them', [row['function'] for row in rows], ['inner'])


def check_pairs(cairn, folder):
    """Two threads go from 0x1000 to 0x1008, one inside of the other's time; then one begins twice, one is open, and
    one end has no beginning."""
    elf = folder.elf('pairs.elf', {0x1000: code(0x20, {0x1004: jump(0x1004, 0x1008), 0x100c: jump(0x100c, 0x1000),
                                                       0x1010: jump(0x1010, 0x1008)})}, [('main', 0x1000, 32)])
    first, second = context(0x1000, 1), context(0x1000, 2)
    trace = folder.write('pairs.bin', SYNC + first + E + second + E + E + context(0x1008, 1) + E +  # 6 and 2
                         context(0x1010, 1) + E + E + first + E + first + E + E + E)  # an end, one begun twice, one open
    arguments = ['--begin', '0x1000', '--end', '0x1008', *basic(elf, trace, '--set', 'TRCCONFIGR=0x41')]
    total, rows = latency(cairn, *arguments)
    row = rows[0]
    yield from expect('ends', (row['count'], row['measured'], row['again'], row['open']), (5, 3, 1, 1))
    yield from expect('ends alone', total['unbegun'], 1)
    yield from expect('instructions', bounds(row), [(2, 3.333, 6)] * 2)
    _, rows = latency(cairn, '--without-exceptions', *arguments)
    yield from expect('of its own thread', bounds(rows[0]), [(2, 2, 2)] * 2)
    samples = os.path.join(folder.path, 'samples.csv')
    run(cairn, 'latency', '--samples', samples, *arguments)
    with open(samples, newline='') as file:
        lines = list(csv.DictReader(file))
    yield from expect('samples', [(one['context_id'], one['end'], one['began'], one['instructions']) for one in lines][:2],
                      [('2', 'whole', '2', '2'), ('1', 'whole', '0', '6')])
    yield from expect('kept', run(cairn, 'latency', '--samples', samples, *arguments).status, 2)
    _, rows = latency(cairn, '--begin', '0x1000', '--period', *arguments[4:])
    yield from expect('periods', bounds(rows[0]), [(2, 5.667, 11)] * 2)


def tail(folder):
    return folder.elf('tail.elf', {0x1000: code(0x50, {
        0x1000: link(0x1000, 0x1010), 0x1004: link(0x1004, 0x1030), 0x1008: jump(0x1008, 0x1000),
        0x1014: jump(0x1014, 0x1020), 0x1024: RET,
        0x1030: 0xb4000040, 0x1034: link(0x1034, 0x1030), 0x1038: RET})},  # CBZ X0, 0x1038
        [('main', 0x1000, 12), ('g', 0x1010, 8), ('h', 0x1020, 8), ('f', 0x1030, 12)])


# main, g, h and back; f, f and back
TURN = E + E + E + address(0x1004) + E + b'\xf6' + E + E + E + address(0x1038) + E + address(0x1008) + E


def check_functions(cairn, folder):
    """g goes on in h by a tail call, and f calls itself: 5 instructions, and 3 of them inside."""
    elf, trace = tail(folder), folder.write('tail.bin', START + TURN)
    for name, count, low, high in (('g', 1, 4, 4), ('h', 1, 2, 2), ('f', 2, 2, 5)):
        _, rows = latency(cairn, '--function', name, *basic(elf, trace))
        yield from expect(name, [(row['function'], row['count'], row['low']['min'], row['high']['max']) for row in rows],
                          [(name, count, low, high)])
    trace = folder.write('midst.bin', SYNC + context(0x1014) + TURN[2:])
    _, rows = latency(cairn, '--function', 'g', *basic(elf, trace))
    yield from expect('of which the beginning was not seen', (rows[0]['count'], rows[0]['running'], rows[0]['low']),
                      (1, 1, None))


def periods(cairn, elf, trace, *arguments):
    _, rows = latency(cairn, '--period', '--longest', 9, *arguments, *basic(elf, trace, '--set', 'TRCCONFIGR=0x41'))
    return sorted((one['began'], one['low']) for one in rows[0]['longest'])


def check_periods(cairn, folder):
    """The second instruction of each call of f begins the inner one, and 10 are a turn."""
    elf, trace = tail(folder), folder.write('turns.bin', START + TURN * 3)
    yield from expect('recursion', periods(cairn, elf, trace, '--function', 'f'),
                      [(6, 2), (8, 10), (18, 2), (20, 10), (30, 2)])
    trace = folder.write('behind.bin', SYNC + context(0x1038) + E + address(0x1008) + E + TURN)
    yield from expect('not from the midst', periods(cairn, elf, trace, '--function', 'f'), [(8, 2)])
    trace = folder.write('again.bin', START + E + taken() + IRQ + address(0x2004) + address(0x2000) + E + address(0x2004) +
                         E + address(0x1004) + E + taken() + back() + E)
    yield from expect('nested', periods(cairn, program(folder), trace), [(3, 1), (4, 7)])
    # Four calls in one thread, one in another, one more in the first.
    elf = folder.elf('two.elf', {0x1000: code(0x40, {0x1000: link(0x1000, 0x1010), 0x1004: jump(0x1004, 0x1000),
                                                     0x1014: RET})}, [('main', 0x1000, 8), ('f', 0x1010, 8)])
    turn = E + E + address(0x1004) + E
    trace = folder.write('two.bin', SYNC + context(0x1000, 1) + turn * 4 + context(0x1000, 2) + turn +
                         context(0x1000, 1) + turn)
    for what in (['--function', 'f'], ['--begin', 'f']):
        yield from expect('in each thread', periods(cairn, elf, trace, *what), [(1, 4), (5, 4), (9, 4), (13, 8)])
        yield from expect('of each thread', periods(cairn, elf, trace, *what, '--without-exceptions'),
                          [(1, 4), (5, 4), (9, 4), (13, 4)])
    text = run(cairn, 'latency', '--period', '--without-exceptions', *basic(elf, trace))
    yield from expect('of all threads', (text.status, '--without-exceptions goes with' in text.err), (2, True))


def check_levels(cairn, folder):
    """From main to inner, which interrupts handler behind one that has ended: that one is left out."""
    inside = E + address(0x1004) + IRQ + address(0x1004) + address(0x2000) + FAULT + address(0x2004) + address(0x3000)
    trace = folder.write('levels.bin', START + IRQ + address(0x1004) + address(0x2000) + inside + E + address(0x2004) + E +
                         address(0x1004) + E)
    arguments = ['--begin', '0x1000', '--end', 'inner', *basic(program(folder), trace)]
    _, rows = latency(cairn, *arguments)
    yield from expect('with all', bounds(rows[0]), [(5, 5, 5)] * 2)
    _, rows = latency(cairn, '--without-exceptions', *arguments)
    yield from expect('without those that ended', bounds(rows[0]), [(2, 2, 2)] * 2)
    _, rows = latency(cairn, '--begin', 'inner', '--end', '0x1004', '--without-exceptions', *basic(program(folder), trace))
    yield from expect('out of an exception', (rows[0]['low'], rows[0]['unknown']), (None, 1))


def check_told(cairn, folder):
    """A handler that goes on behind a gap, and what is shown."""
    elf = program(folder)
    trace = folder.write('gap.bin', START + E + taken() + back() + E + OVERFLOW + SYNC + context(0x2004) + E +
                         address(0x1004) + E + taken() + back() + E)
    total, _ = latency(cairn, *basic(elf, trace))
    yield from expect('ends alone', total['unbegun'], 1)
    text = run(cairn, 'latency', '--top', 0, '--period', *basic(elf, trace))
    yield from expect_in('why not', 'not measured: 1 cut by a gap', text.out)
    text = run(cairn, 'latency', '--exception', 'IRQ', *basic(elf, trace))
    yield from expect_in('not known to be outside', 'or in some of which the beginning was not seen', text.out)
    command = shlex.split(text.out.split('longest: ')[1].split(': ', 1)[1].splitlines()[0])
    yield from expect('the command', run(cairn, *command[1:]).status, 0)
    real, link_ = folder.write('real.csv', b''), os.path.join(folder.path, 'link.csv')
    os.symlink('real.csv', link_)
    run(cairn, 'latency', '--samples', link_, '--force', *basic(elf, trace))
    with open(real, newline='') as file:
        yield from expect('through a link', [(row['kind'], row['with_untraced']) for row in csv.DictReader(file)],
                          [('exception', '0')] * 2)
    text = run(cairn, 'latency', '--samples', '/dev/fd/1', *basic(elf, trace))
    yield from expect('to a pipe', (text.status, text.out.count('"IRQ","handler","main",whole')), (0, 2))
    text = run(cairn, 'latency', '--begin', '0x1001', '--end', '0x2001', *basic(elf, trace))
    yield from expect('pointers to T32', text.status, 0)


def check_refused(cairn, folder):
    trace = folder.write('refused.bin', START + E)
    arguments = basic(program(folder), trace)
    for words_, text in ((['--begin', 'main'], '--begin needs --end'), (['--end', 'main'], '--end needs --begin'),
                         (['--begin', 'main', '--function', 'main'], 'two things'),
                         (['--begin', 'nosuch', '--end', 'main'], "no function 'nosuch'"),
                         (['--exception', 'IRQ'], 'no such exception'), ([], 'no exception is in the trace'),
                         (['--frequency', '0'], 'expected one in Hz')):
        answer = run(cairn, 'latency', *words_, *arguments)
        yield from expect('status of %r' % words_, answer.status, 2)
        yield from expect_in('%r' % words_, text, answer.err)


def main():
    cairn, tap = sys.argv[1], Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('exact where counts are', check_exact(cairn, folder))
        tap.case('the total of cycles', check_summary(cairn, folder))
        tap.case('bounds where they are not', check_bounds(cairn, folder))
        tap.case('what is not known is not measured', check_unknown(cairn, folder))
        tap.case('timestamps', check_time(cairn, folder))
        tap.case('an exception in an exception', check_nested(cairn, folder))
        tap.case('from one place to another', check_pairs(cairn, folder))
        tap.case('calls of functions', check_functions(cairn, folder))
        tap.case('periods', check_periods(cairn, folder))
        tap.case('without exceptions that have ended', check_levels(cairn, folder))
        tap.case('what is told of them', check_told(cairn, folder))
        tap.case('what cannot be asked', check_refused(cairn, folder))
    tap.end()


if __name__ == '__main__':
    main()
