#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What cairn latency measures in real programs is what a plain plugin of QEMU, which is told of each instruction,
listed: how many instructions each interrupt took, how much of all is in handlers, and how often a function was called;
and each exception is one that QEMU's log has."""
import collections
import csv
import json
import re
import subprocess
import sys

from machine import LARGE, QEMU, faulting, number_of, record
from recording import Bench, Tap

# Nothing is inside of these.
LEAVES = ('on_high', 'on_svc', 'on_again')
HANDLERS = ('on_high', 'on_svc', 'on_again', 'on_low', 'on_middle', 'on_systick', 'on_pendsv', 'on_fault', 'fault')


def functions(path):
    """{name: (first, end)} in the order of addresses."""
    out = subprocess.run(['nm', '-n', path], stdout=subprocess.PIPE, check=True, text=True).stdout
    rows = [(int(words[0], 16) & ~1, words[2]) for words in map(str.split, out.splitlines())
            if len(words) == 3 and words[1] in 'tT' and words[2][0] != '$']
    return {name: (at, rows[i + 1][0] if i + 1 < len(rows) else 1 << 32) for i, (at, name) in enumerate(rows)}


def runs(executed, first, end):
    """How many instructions each visit has that begins at the first one."""
    lengths, inside = [], False
    for address in executed:
        if address == first:
            lengths.append(0)
            inside = True
        inside = inside and first <= address < end
        if inside:
            lengths[-1] += 1
    return sorted(lengths)


def latency(bench, *arguments):
    status, out, messages = bench.run([bench.cairn, 'latency', *arguments])
    if status:
        raise RuntimeError('latency: status %d: %s' % (status, messages))
    return out.decode()


def check_firmware(bench, options):
    *_, folder, listed, log = record(bench, 'exceptions', 'mps2-an385', ['--protocol', 'etmv3', *options])
    udf = faulting(bench, 'exceptions')
    executed = [int(address, 16) for address in listed if address not in udf]
    where = functions(bench.own('exceptions'))
    latency(bench, '--clock', 'instructions', '--samples', bench.path('samples.csv'), '--force', folder)
    with open(bench.path('samples.csv'), newline='') as file:
        samples = list(csv.DictReader(file))
    taken = collections.Counter(int(number) for number in
                                re.findall(r'taking pending (?:non)?secure exception (\d+)', log))
    got = collections.Counter(number_of(sample['exception']) for sample in samples)
    if got != taken:
        yield 'exceptions %r, QEMU took %r' % (got, taken)
    for name in LEAVES:
        mine = sorted(int(sample['instructions']) for sample in samples if sample['function'] == name)
        if mine != runs(executed, *where[name]) or not mine:
            yield '%s took %r instructions, not %r' % (name, mine, runs(executed, *where[name]))
    if options: # a cycle is an instruction
        for sample in samples:
            if (sample['end'] == 'whole' and sample['cycles_low']
                    and (sample['cycles_low'] != sample['instructions'] or sample['cycles_high'] != sample['instructions']
                         or sample['entry_cycles'] != '1' or sample['return_cycles'] not in ('1', ''))):
                yield 'not as many cycles: %r' % sample
        if not any(sample['return_cycles'] for sample in samples):
            yield 'no return has cycles'
    inside = sum(any(where[name][0] <= address < where[name][1] for name in HANDLERS if name in where)
                 for address in executed)
    for clock in ('instructions', 'cycles') if options else ('instructions',):
        rows = [json.loads(line) for line in latency(bench, '--clock', clock, '--format', 'json', folder).splitlines()]
        # also of those that another one is chained to; there is none of which it is not known
        mine = sum(row.get('self', -len(executed)) for row in rows[2:])
        if rows[1]['whole'] != len(executed) or mine != inside:
            yield 'all is %d %s, %d in handlers; QEMU executed %d, and %d' % (rows[1]['whole'], clock, mine, len(executed), inside)
    # on_low pends MIDDLE, which is taken at once, and that HIGH.
    among = {(sample['function'], sample['interrupted']) for sample in samples}
    if not {('on_middle', 'on_low'), ('on_high', 'on_middle')} <= among or ('on_pendsv', 'on_systick') in among:
        yield 'inside of each other: %r' % among


def turns(executed, where):
    """What each task executed: on_pendsv, of which each run changes the task, ends by its last instruction."""
    tasks, now = ([], []), 0
    handlers = [where[name] for name in ('on_systick', 'on_pendsv', 'next_task')]
    switches = where['on_pendsv'][1] - 2
    for address in executed:
        if address == switches:
            now = 1 - now
        elif not any(first <= address < end for first, end in handlers):
            tasks[now].append(address)
    return tasks


def check_tasks(bench, options):
    """Two tasks of one function, which call work: SysTick comes anywhere, and they themselves switch at one place."""
    *_, folder, listed, _ = record(bench, 'tasks', 'mps2-an385', options, logged=False)
    executed = [int(address, 16) for address in listed]
    where = functions(bench.own('tasks'))
    began = collections.Counter(executed)
    status, out, messages = bench.run([bench.cairn, 'profile', '--format', 'json', folder])
    calls = {row['function']: row['calls'] for row in map(json.loads, out.decode().splitlines()) if row['type'] == 'function'}
    for name in ('work', 'next_task', 'on_pendsv', 'on_systick'):
        if calls[name] != began[where[name][0]] or status:
            yield '%s: %d calls, begun %d times, status %d' % (name, calls[name], began[where[name][0]], status)
    latency(bench, '--clock', 'instructions', '--function', 'work', '--without-exceptions', '--samples',
            bench.path('samples.csv'), '--force', folder)
    with open(bench.path('samples.csv'), newline='') as file:
        rows = list(csv.DictReader(file))
    mine = sorted(int(row['instructions']) for row in rows if row['end'] == 'whole')
    right = sorted(length for task in turns(executed, where) for length in runs(task, *where['work']))
    if mine != right or len(rows) != len(right):
        yield 'work took %r, not %r' % (collections.Counter(mine), collections.Counter(right))
    if {row['end'] for row in rows} != {'whole'}:
        yield 'not whole: %r' % collections.Counter(row['end'] for row in rows)
    rows = [json.loads(line) for line in latency(bench, '--clock', 'instructions', '--format', 'json', folder).splitlines()]
    if {row['function'] for row in rows if row['type'] == 'latency'} != {'on_systick', 'on_pendsv'}:
        yield 'handlers: %r' % [row['name'] for row in rows if row['type'] == 'latency']


# A cycle is an instruction under QEMU, so that each must lie between the bounds; where each branch has a count, they meet.
CYCLES = (('tree', 'qemu-aarch64', ['--cycle-counts'], True), ('tree', 'qemu-aarch64', ['--cycle-counts=50'], False),
          ('tree', 'qemu-aarch64', ['--protocol', 'etmv4', '--cycle-counts', '--return-stack'], True),
          ('tree-t32', 'qemu-arm', ['--protocol', 'ptm', '--cycle-counts', '--timestamps'], True),
          ('tree-t32', 'qemu-arm', ['--protocol', 'etmv3', '--cycle-counts'], True))


def check_cycles(bench, name, options, exact):
    status, _, messages, folder = bench.record([bench.own(name)], options)
    if status:
        yield 'recording: status %d: %s' % (status, messages)
    for what, least in ((['--function', 'fib'], 51), (['--begin', 'fib', '--end', 'leaf'], 27),
                        (['--begin', 'fib', '--period'], 50), ([], 3)):
        latency(bench, '--samples', bench.path('samples.csv'), '--force', *what, folder)
        with open(bench.path('samples.csv'), newline='') as file:
            rows = [row for row in csv.DictReader(file) if row['end'] == 'whole']
        told = [(int(row['instructions']), int(row['cycles_low']), int(row['cycles_high'])) for row in rows
                if row['cycles_low']]
        if len(told) < least or len(told) < len(rows):
            yield '%r: %d of %d are told' % (what, len(told), len(rows))
        for one in told:
            if not one[1] <= one[0] <= one[2] or (exact and one[1] != one[2]):
                yield '%r: %r instructions, from %r to %r cycles' % (what, *one)


def check_calls(bench, name):
    program = bench.own(name)
    beside, _ = bench.beside()
    beside[-1] += ',list=' + bench.path('list')
    status, _, messages, folder = bench.record([program], beside)
    if status:
        yield 'recording: status %d: %s' % (status, messages)
    with open(bench.path('list')) as file:
        wanted = collections.Counter(file.read().split())
    where = functions(program)
    for function in ('fib', 'leaf', 'odd'):
        rows = [json.loads(line) for line in
                latency(bench, '--function', function, '--format', 'json', folder).splitlines()]
        times = wanted['%x' % where[function][0]]
        if sum(row['count'] for row in rows[2:]) != times or times == 0:
            yield '%s: %r calls, begun %d times' % (function, [row['count'] for row in rows[2:]], times)


def main():
    bench, tap = Bench(sys.argv), Tap()
    try:
        why = bench.missing(QEMU) or (None if bench.own('exceptions') else 'no cross compiler for firmware')
        for options in ([], ['--cycle-counts']):
            case = ' '.join(['interrupts of firmware', *options])
            if why:
                tap.skip(case, why)
            else:
                tap.case(case, check_firmware(bench, options))
        for options in (['--protocol', 'etmv3'], ['--protocol', 'mtb', *LARGE]):
            case = ' '.join(['tasks of firmware', *options])
            if why:
                tap.skip(case, why)
            else:
                tap.case(case, check_tasks(bench, options))
        for name, qemu, options, exact in CYCLES:
            case = 'cycles of %s %s' % (name, ' '.join(options))
            if bench.missing(qemu) or not bench.own(name):
                tap.skip(case, bench.missing(qemu) or 'no compiler for it')
            else:
                tap.case(case, check_cycles(bench, name, options, exact))
        case = 'calls are as many as QEMU began'
        if bench.missing() or not bench.own('tree'):
            tap.skip(case, bench.missing() or 'no compiler for it')
        else:
            tap.case(case, check_calls(bench, 'tree'))
    finally:
        bench.close()
    tap.end()


main()
