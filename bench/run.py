#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Cairn beside libopencsd over real captures, recorded programs and generated traces: a table for each,
and last a summary with the goals.

usage: run.py BUILD ROOT [--captures FOLDER] [--programs FOLDER] [--rounds N] [--only NAME,...] [--json FILE]

ROOT: what scripts/arm64-programs unpacked. FOLDER of captures: Arm DS snapshots, of which two are taken. FOLDER
of programs: where recordings are kept (default BUILD/bench-programs). --json: everything measured."""
import argparse
import collections
import json
import math
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import programs  # noqa: E402

TABLE_BYTES = 64 << 20  # CAIRN_ENGINE_TABLE_BYTES
LARGE = 16 << 20
DISTINCT = 50000
FAST = ('counts', 'path_ids')
VIEWS = {'blocks': 80, 'instructions': 40, 'callback': 30}
CUT = 1000000
ADVERSARY = 64 << 20
RESIDENT = 16 << 20  # bytes, for a capture of 1 MB

# What a trace is: which goals hold for it.
PLAIN, STACKED, CUT_COLD, TIMED, SPECULATIVE, EXCEPTIONS, DISTINCT_UNITS, REAL = (
    'return stack off', 'return stack on', 'first 1 MB, cold', 'cycles or timestamps', 'speculative', 'exceptions',
    'every unit distinct', 'real capture')
LEGACY, INSTRUCTIONS = 'PTM', 'ETMv3'
PEER_MISSES = '300'  # of a million instructions of ETMv3: docs/performance.md says which

Trace = collections.namedtuple('Trace', 'name kind arguments')
Row = collections.namedtuple('Row', 'trace kind mode phase threads figure low middle high goal')


def kind_of(name):
    for ending, kind in (('-rs', STACKED), ('-cycles', TIMED), ('-timestamps', TIMED), ('-commits', SPECULATIVE),
                         ('-exceptions', EXCEPTIONS), ('-ptm', LEGACY), ('-etmv3', INSTRUCTIONS)):
        if name.endswith(ending):
            return kind
    return PLAIN


def traces_of(options):
    for name in ('juno-ret-stck', '001-ack_test'):
        path = os.path.join(options.captures, name)
        if os.path.isdir(path):
            yield Trace(name, REAL, [path])
    captures = programs.make(os.path.join(options.build, 'cairn'), options.programs, options.root)
    for name, path in captures:
        if kind_of(name) in (PLAIN, STACKED):
            yield Trace(name + ' 1 MB', CUT_COLD, ['--limit', str(CUT), '--phases', 'cold', '--modes', 'counts,path_ids',
                                                   path])
    for name, path in captures:
        kind = kind_of(name)
        modes = 'packets,counts,path_ids,blocks,instructions,callback'
        more = ['--threads', '2'] if kind in (PLAIN, STACKED) else []
        if kind == INSTRUCTIONS or name.endswith('-ptm-cycles') or name.endswith('-etmv3-cycles'):
            modes = ','.join(FAST)
            more = ['--phases', 'warm', '--rounds', '5']
        if '-etmv3' in name:
            more += ['--peer-misses', PEER_MISSES]
        if name == 'perl':
            modes += ',reference,packet_list'
        yield Trace(name, kind, ['--modes', modes, *more, path])
    yield Trace('speculative', SPECULATIVE, ['--generate', 'speculative', '--bytes', str(2 << 20), '--modes',
                                             'packets,counts,path_ids'])
    yield Trace('distinct', DISTINCT_UNITS, ['--generate', 'distinct', '--bytes', str(ADVERSARY), '--modes',
                                             'path_ids', '--rounds', '3'])


def goal_of(kind, mode, phase):
    """How many times as fast as libopencsd; None where nothing is asked for."""
    if mode == 'packets':
        return 10 if kind in (PLAIN, STACKED) else None
    if mode in ('reference', 'packet_list'):
        return None
    if kind == CUT_COLD:
        return 35
    if kind == DISTINCT_UNITS:
        return 5
    if phase != 'warm':
        return None
    if kind in (TIMED, SPECULATIVE, EXCEPTIONS):
        return 20 if mode in FAST else None
    if kind == REAL:
        return None
    if kind in (LEGACY, INSTRUCTIONS):
        return 50 if mode in FAST else None
    return VIEWS[mode] if mode in VIEWS else 110 if kind == PLAIN else 60


def figure(values):
    """The median of the best three rounds; and what lies around it."""
    ordered = sorted(values)
    best = ordered[-3:]
    return best[len(best) // 2], ordered[0], ordered[len(ordered) // 2], ordered[-1]


def rows_of(trace, results):
    for result in results:
        ratios = [peer / ours for peer, ours in zip(result['peer_ns'], result['cairn_ns'])]
        threads, mode, phase = result['threads'], result['mode'], result['phase']
        if threads == 1:
            yield Row(trace.name, trace.kind, mode, phase, threads, *figure(ratios), goal_of(trace.kind, mode, phase))
        else:
            ratios = [alone / ours for alone, ours in zip(result['alone_ns'], result['cairn_ns'])]
            # small pieces are not worth a second thread
            goal = 1.6 if result['trace_bytes'] >= LARGE // 4 else None
            yield Row(trace.name, trace.kind, mode, phase, threads, *figure(ratios), goal)


def measure(program, trace, rounds):
    """What cairn-bench says, its table printed; None where the decoders differ."""
    arguments = [program, '--json', *(['--rounds', str(rounds)] if '--rounds' not in trace.arguments else []),
                 *trace.arguments]
    start = time.time()
    done = subprocess.run(arguments, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        print('%s: FAILED, status %d\n%s' % (trace.name, done.returncode, done.stdout), flush=True)
        return None
    found = json.loads(done.stdout)
    first = found['results'][0]
    print('\n%s (%s): %d bytes of trace without frames, %d instructions; load %s; %.0f s' % (
        trace.name, trace.kind, first['trace_bytes'], first['instructions'],
        ' '.join('%.2f' % value for value in found['load']), time.time() - start))
    print('  %-12s %-5s %s  %8s  %26s  %32s  %10s %8s' % (
        'mode', 'phase', 't', 'figure', 'ratio: min, median, max', 'Cairn, ms: min, median, max', 'peer, ms', 'MB/s'))
    for result in found['results']:
        ours, theirs = sorted(result['cairn_ns']), sorted(result['peer_ns'])
        ratios = [peer / own for peer, own in zip(result['peer_ns'], result['cairn_ns'])]
        value, low, middle, high = figure(ratios)
        print('  %-12s %-5s %d  %8.1f  %8.1f %8.1f %8.1f  %10.3f %10.3f %10.3f  %10.2f %8.1f' % (
            result['mode'], result['phase'], result['threads'], value, low, middle, high, ours[0] * 1e-6,
            ours[len(ours) // 2] * 1e-6, ours[-1] * 1e-6, theirs[len(theirs) // 2] * 1e-6,
            result['trace_bytes'] / ours[len(ours) // 2] * 1e3))
    for result in found['results']:
        if result['mode'] == 'path_ids' and result['phase'] == 'warm' and result['threads'] == 1:
            print('  %d paths in the dictionary, tables of %d bytes, %d dictionaries begun, %d paths worked out; bytes '
                  'decoded by units %d, by packets %d, by the reference path %d' % (
                      result['paths'], result['table_bytes'], result['generations'], result['misses'],
                      result['hot_bytes'], result['scanned_bytes'], result['cold_bytes']))
    sys.stdout.flush()
    return found


def measure_memory(program, trace):
    """What an engine brings to the memory of a process that decodes the beginning of a capture; prints it."""
    done = subprocess.run([program, '--memory', '--limit', str(CUT), trace.arguments[-1]], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        return None
    found = json.loads(done.stdout)
    print('  resident memory of engine and tables after one pass, the image\'s pages in it: %.1f MB (tables say %.1f MB)' % (
        found['resident_bytes'] / 1e6, found['table_bytes'] / 1e6))
    return found['resident_bytes']


def verdict(value, goal):
    return '' if goal is None else '%6.1f  %s' % (goal, 'met' if value >= goal else 'NOT MET')


def geometric(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def summarise(rows, found, resident):
    """Prints the summary; true when every goal is met."""
    met = True
    print('\nsummary: each figure is the median of the best three rounds\' ratios; libopencsd = 1\n')
    print('%-22s %-20s %-12s %-5s %8s  %24s  %6s' % ('trace', 'kind', 'mode', 'phase', 'figure', 'min median max',
                                                     'goal'))
    for row in rows:
        if row.threads != 1:
            continue
        print('%-22s %-20s %-12s %-5s %8.1f  %8.1f %7.1f %7.1f  %s' % (
            row.trace, row.kind, row.mode, row.phase, row.figure, row.low, row.middle, row.high,
            verdict(row.figure, row.goal)))
        met &= row.goal is None or row.figure >= row.goal
    print()
    for kind, goal in ((PLAIN, 160), (STACKED, 100)):
        for mode in FAST:
            values = [row.figure for row in rows
                      if row.kind == kind and row.mode == mode and row.phase == 'warm' and row.threads == 1]
            if values:
                value = geometric(values)
                print('geometric mean, %s, %s, warm: %.1f %s' % (kind, mode, value, verdict(value, goal)))
                met &= value >= goal
    for row in rows:
        if row.threads != 1:
            print('%d threads over one: %s, %s: %.2f (min %.2f, median %.2f, max %.2f) %s' % (
                row.threads, row.trace, row.mode, row.figure, row.low, row.middle, row.high,
                verdict(row.figure, row.goal)))
            met &= row.goal is None or row.figure >= row.goal
    if resident:
        name, most = max(resident, key=lambda pair: pair[1])
        print('resident memory on 1 MB: %.1f MB at most (%s), bound %.1f MB: %s' % (
            most / 1e6, name, RESIDENT / 1e6, 'within' if most <= RESIDENT else 'NOT WITHIN'))
        met &= most <= RESIDENT
    return summarise_tables(found) and met


def summarise_tables(found):
    """That the set has what design asks for: a trace larger than a cache, whose units are many; and the bound."""
    met, large = True, []
    for name, all_ in found:
        for result in all_['results']:
            if (result['mode'], result['phase'], result['threads']) != ('path_ids', 'warm', 1):
                continue
            if result['trace_bytes'] > LARGE and result['paths'] > DISTINCT:
                large.append('%s (%d)' % (name, result['paths']))
            if name == 'distinct':
                within = result['table_bytes'] <= TABLE_BYTES
                print('every unit distinct: tables of %d bytes (bound %d): %s' % (
                    result['table_bytes'], TABLE_BYTES, 'within' if within else 'NOT WITHIN'))
                met &= within
    print('traces of more than %d bytes with more than %d distinct units: %s' % (
        LARGE, DISTINCT, ', '.join(large) or 'NONE'))
    return met and bool(large)


def read_options():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('build')
    parser.add_argument('root')
    parser.add_argument('--captures', default='')
    parser.add_argument('--programs')
    parser.add_argument('--rounds', type=int, default=7)
    parser.add_argument('--only')
    parser.add_argument('--json')
    options = parser.parse_args()
    options.programs = options.programs or os.path.join(options.build, 'bench-programs')
    return options


def main():
    options = read_options()
    program = os.path.join(options.build, 'bench/cairn-bench')
    only = options.only.split(',') if options.only else None
    rows, found, failed, resident = [], [], [], []
    start = time.time()
    print('Cairn beside libopencsd (C API, buffer memory accessors, a sink that counts): %d rounds that take turns in '
          'one process. Both get trace bytes without frames, and the same memory.' % options.rounds)
    for trace in traces_of(options):
        if only and trace.name not in only:
            continue
        measured = measure(program, trace, options.rounds)
        if not measured:
            failed.append(trace.name)
            continue
        found.append((trace.name, measured))
        rows += rows_of(trace, measured['results'])
        if trace.kind == CUT_COLD:
            resident.append((trace.name, measure_memory(program, trace) or math.inf))
    met = summarise(rows, found, resident)
    for name in failed:
        print('%s: FAILED: not decoded alike' % name)
    print('%.0f s, load average %s' % (time.time() - start, ' '.join('%.2f' % value for value in os.getloadavg())))
    print('every goal is met' if met and not failed else 'not every goal is met')
    if options.json:
        with open(options.json, 'w') as file:
            json.dump([dict(all_, trace=name) for name, all_ in found], file)
    sys.exit(1 if failed else 0)


main()
