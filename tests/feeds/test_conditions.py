#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""ETMv3 tells of every instruction whether it passed its condition: of each condition under each value of
the flags, in A32 and in IT blocks, that is what the program says of itself."""
import json
import subprocess
import sys

from recording import Bench, Tap, TIMEOUT

CONDITIONS = 16
VARIANTS = [[], ['--branch-broadcast', '--cycle-counts'], ['--data=both']]


def traced(bench, folder, first, end):
    """E and N of the instructions with conditions, as one text."""
    done = subprocess.run([bench.cairn, 'flow', '--format', 'json', folder], stdout=subprocess.PIPE,
                          timeout=TIMEOUT, check=True)
    ranges = (row for row in map(json.loads, done.stdout.splitlines()) if row['type'] == 'range')
    return ''.join(row['p0'] for row in ranges if first <= int(row['address'], 16) < end and
                   row['code'][-1]['text'].startswith('orr'))


def check(bench, name, options):
    status, out, messages, folder = bench.record([bench.own(name)], ['--protocol', 'etmv3', *options])
    if status:
        return ['ended with status %d: %s' % (status, messages)]
    where, *masks = out.decode().split('\n')[:17]
    first, end = (int(word, 16) for word in where.split())
    expected = ''.join('E' if int(mask, 16) >> i & 1 else 'N' for mask in masks
                       for i in range(CONDITIONS))
    got = traced(bench, folder, first, end)
    if len(expected) != CONDITIONS * 16 or 'E' not in expected or 'N' not in expected:
        return ['the program said %r' % out]
    return [] if got == expected else ['traced   %s' % got, 'executed %s' % expected]


def addresses(bench, folder):
    done = subprocess.run([bench.flowhash, folder, 'thread_1'], stdout=subprocess.PIPE, check=True,
                          timeout=TIMEOUT, text=True)
    return [int(word, 16) for word in done.stdout.split()]


def filtered(bench, name):
    """Address ranges of an ETMv3: with and without the instructions that have conditions."""
    def record(*options):
        _, out, _, folder = bench.record([bench.own(name)], ['--protocol', 'etmv3', *options])
        return out, addresses(bench, folder)

    out, everything = record()
    first, end = (int(word, 16) for word in out.decode().split()[:2])
    inside = [a for a in everything if first <= a < end]
    outside = [a for a in everything if not first <= a < end]
    span = '%#x-%#x' % (first, end - 1)
    problems = [] if inside and outside else ['nothing to filter']
    if record('--include=' + span)[1] != inside:
        problems.append('--include %s: not what is inside' % span)
    if record('--exclude=' + span)[1] != outside:
        problems.append('--exclude %s: not what is outside' % span)
    return problems


REFUSED = [(['--return-stack'], '--return-stack: ETMv3 has none'),
           (['--cycle-counts=16'], 'no threshold'),
           (['--sync-period=8192'], '4095'),
           (['--data=everything'], 'address, value or both'),
           (['--include=0-3', '--exclude=8-11'], 'one or the other'),
           (['--protocol=ptm', '--data=both'], 'PTM traces no data'),
           (['--protocol=ete', '--data=both'], 'etmv3'),
           (['--tarmac=log', '--data=both'], 'told of a log'),
           (['--core=Cortex-M3', '--', 'program'], 'of firmware only')]


def refused(bench, options, sentence):
    status, _, messages = bench.run([bench.cairn, 'record', '--protocol=etmv3', '--dump-config', *options])
    return [] if status == 2 and sentence in messages else ['%d: %s' % (status, messages)]


def main():
    bench, tap = Bench(sys.argv), Tap()
    for name in ('conditions-a32', 'conditions-t32'):
        why = bench.missing('qemu-arm') or (None if bench.own(name) else 'no cross compiler for ' + name)
        for options in VARIANTS:
            case = ' '.join([name, *options])
            if why:
                tap.skip(case, why)
            else:
                tap.case(case, check(bench, name, options))
        if why:
            tap.skip(name + ', filtered', why)
        else:
            tap.case(name + ', filtered', filtered(bench, name))
    for options, sentence in REFUSED:
        tap.case('refused: ' + ' '.join(options), refused(bench, options, sentence))
    bench.close()
    tap.end()


main()
