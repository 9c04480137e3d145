#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Recorded runs side by side. Where `cairn diff` says that they part is where the lists part that a plugin of QEMU, which
is told of each instruction, made of the same runs; and behind the meeting the lists are the same again.

usage: test_diff.py CAIRN FLOWHASH ADDRESSES PROGRAMS
"""
import json
import os
import sys

from recording import Bench, Tap

FIRST, OTHER = ('1', '2', '4', '12', '40', 's200'), ('1', '2', '3', '12', '40', 's200')
AGREE = 200  # instructions behind a meeting that are compared


def rows_of(bench, wanted, *arguments):
    """Problems, and the rows by their type."""
    status, out, messages = bench.run([bench.cairn, 'diff', '--format', 'json', *arguments])
    rows = {}
    for line in out.splitlines():
        row = json.loads(line)
        rows.setdefault(row['type'], []).append(row)
    return ([] if status == wanted else ['status %d: %s' % (status, messages)]), rows


def record(bench, name, program, arguments, options=()):
    """The folder of a recording, and the addresses of what was executed, one after the other."""
    beside, _ = bench.beside()
    beside[-1] += ',list=' + bench.path('list')
    status, _, messages, folder = bench.record([program, *arguments], [*beside, *options], name=name)
    if status:
        raise RuntimeError('recording: status %d: %s' % (status, messages))
    with open(bench.path('list')) as file:
        return folder, [int(address, 16) for address in file.read().split()]


def check_lists(bench, rows, lists):
    """The first parting, and the place where they meet, by both lists."""
    first = next(i for i, (a, b) in enumerate(zip(*lists)) if a != b)
    parting = rows['parting'][0]
    told = [parting['before_a'], parting['before_b']] + [int(parting[key]['address'], 16) for key in (
        'last_a', 'last_b', 'next_a', 'next_b')]
    wanted = [first, first, lists[0][first - 1], lists[1][first - 1], lists[0][first], lists[1][first]]
    if told != wanted:
        yield 'the first parting: %r, by the lists %r' % (told, wanted)
    for parting in rows['parting']:
        a, b = (parting['before_' + side] + parting['instructions_' + side] for side in 'ab')
        if parting['meets'] and lists[0][a:a + 8] != lists[1][b:b + 8]:
            yield 'they do not meet at %d, %d' % (a, b)
    if len(rows['parting']) == 1 and lists[0][a:a + AGREE] != lists[1][b:b + AGREE]:
        yield 'they part again behind the only parting'
    total = rows['total'][0]
    for side, addresses in zip('ab', lists):
        # the system call that ends the process may be in one of them alone
        if abs(total['common_' + side] + total['only_' + side] - len(addresses)) > 1:
            yield '%s: %r, executed were %d' % (side, total, len(addresses))


def check_partings(bench, name, options):
    program = bench.own(name)
    recorded = [record(bench, 'run%d' % i, program, arguments, options[i])
                for i, arguments in enumerate((FIRST, OTHER))]
    folders, lists = zip(*recorded)
    problems, rows = rows_of(bench, 1, *folders)
    yield from problems
    yield from check_lists(bench, rows, lists)
    called = {row['function']: (row['calls_a'], row['calls_b']) for row in rows['function']}
    if called.get('reject') != (0, 1) or called.get('take') != (5, 5):
        yield 'calls: %r' % {name: called.get(name) for name in ('reject', 'take')}


def check_same(bench, name, choices):
    """One run, told by different trace units."""
    program = bench.own(name)
    folders = [record(bench, 'same%d' % i, program, FIRST, options)[0] for i, options in enumerate(choices)]
    for folder in folders[1:]:
        problems, rows = rows_of(bench, 0, folders[0], folder)
        yield from problems
        if rows.get('parting'):
            yield '%s: %r' % (folder, rows['parting'][0])


def check_signals(bench):
    """Signals come when they come, and are no difference."""
    bench.environment['TICK'] = '1'
    try:
        folders = [record(bench, 'ticks%d' % i, bench.own('parts'), ('1', 's40000'))[0] for i in range(2)]
    finally:
        del bench.environment['TICK']
    problems, rows = rows_of(bench, 0, *folders)
    yield from problems
    handled = [row[side]['handled'] for row in rows['pair'] for side in 'ab']
    if not any(handled):
        yield 'no signal came: %r' % handled


def check_cut(bench):
    """Half of a trace: what there is of it is in common, and the rest is told as an end or as not known."""
    folders, lists = zip(*[record(bench, 'whole%d' % i, bench.own('parts'), FIRST) for i in range(2)])
    traces = [os.path.join(folders[1], name) for name in os.listdir(folders[1]) if name.startswith('thread')
              and name.endswith('.bin')] or [max((os.path.join(folders[1], name) for name in os.listdir(folders[1])
                                                  if 'trace' in name), key=os.path.getsize)]
    os.truncate(traces[0], os.path.getsize(traces[0]) // 2)
    problems, rows = rows_of(bench, 1, *folders)
    yield from problems
    total, kinds = rows['total'][0], [row['kind'] for row in rows['parting']]
    if set(kinds) - {'end', 'gap'} or not kinds or total['only_b'] or not 1000 < total['common_a'] < len(lists[0]) - 1000:
        yield '%r %r' % (kinds, total)


def check_builds(bench):
    """A build that calls weigh once more for 40."""
    folders = [record(bench, 'build%d' % i, bench.own(name), FIRST)[0] for i, name in enumerate(('parts', 'parts-changed'))]
    problems, rows = rows_of(bench, 1, *folders)
    yield from problems
    if [row['compared_by'] for row in rows['pair']] != ['lines']:
        yield 'compared by %r' % rows['pair']
    called = {row['function']: row['calls_b'] - row['calls_a'] for row in rows['function']}
    if (called.get('weigh'), called.get('take')) != (1, 0):
        yield 'calls: %r' % called
    problems, rows = rows_of(bench, 0, folders[1], folders[1])
    yield from problems


def check_ticks(bench):
    """Firmware that SysTick interrupts eight times as often in one of the runs, or at other instructions."""
    folders = []
    for shift in (3, 6):
        options = ['--machine', 'mps2-an385', '--protocol', 'etmv3', '--qemu-argument=-icount',
                   '--qemu-argument=shift=%d' % shift]
        status, _, messages, folder = bench.record([bench.own('ticks')], options, name='ticks%d' % shift, seed=False)
        if status:
            yield 'recording: status %d: %s' % (status, messages)
        folders.append(folder)
    problems, rows = rows_of(bench, 0, *folders)
    yield from problems
    told = [(row['exception'], row['apart'], row['instructions_a'] // row['times_a'],
             row['instructions_b'] // row['times_b']) for row in rows['exception']]
    if [row[:2] for row in told] != [('SysTick', True)] or told[0][2] != told[0][3]:
        yield 'exceptions: %r' % rows['exception']
    times = rows['exception'][0]
    if times['times_b'] < 4 * times['times_a']:
        yield 'SysTick came as often in both: %r' % times
    problems, rows = rows_of(bench, 1, '--exceptions', *folders)
    yield from problems
    ticks = [row for row in rows['function'] if row['function'] == 'on_tick']
    if [(row['calls_a'], row['calls_b']) for row in ticks] != [(times['times_a'], times['times_b'])]:
        yield 'on_tick: %r' % ticks


def main():
    bench, tap = Bench(sys.argv), Tap()
    cases = (
        ('parts', 'qemu-aarch64', 'they part where the lists do, A64', check_partings, ([], ['--return-stack'])),
        ('parts-t32', 'qemu-arm', 'they part where the lists do, T32', check_partings,
         (['--protocol', 'ptm'], ['--protocol', 'etmv3'])),
        ('parts', 'qemu-aarch64', 'trace units tell the same, A64', check_same,
         ([], ['--protocol', 'etmv4', '--branch-broadcast'], ['--cycle-counts=16', '--timestamps'])),
        ('parts-t32', 'qemu-arm', 'trace units tell the same, T32', check_same,
         (['--protocol', 'ptm', '--return-stack'], ['--protocol', 'etmv3'], ['--protocol', 'etmv4'])),
        ('parts', 'qemu-aarch64', 'signals are apart', check_signals),
        ('parts', 'qemu-aarch64', 'half of a trace', check_cut),
        ('parts-changed', 'qemu-aarch64', 'two builds', check_builds),
        ('ticks', 'qemu-system-arm', 'SysTick is apart', check_ticks),
    )
    try:
        for name, qemu, case, check, *more in cases:
            if bench.missing(qemu) or not bench.own(name):
                tap.skip(case, bench.missing(qemu) or 'no compiler for it')
            else:
                tap.case(case, check(bench, name, *more) if more else check(bench))
    finally:
        bench.close()
    tap.end()


main()
