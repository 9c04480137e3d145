#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A program for cores from before Thumb-2, recorded as an ETMv1 with 4, 8 and 16 pins: the same
instructions as a plain plugin sees, and the same flow and data as of an ETMv3."""
import json
import subprocess
import sys

from recording import Bench, Tap, TIMEOUT, compare

CORE = ['--core', 'ARM926EJ-S']
VARIANTS = [['--set=ETMCR=0x10'], ['--set=ETMCR=0', '--data=both'], ['--set=ETMCR=0x20', '--data=both', '--cycle-counts'],
            ['--set=ETMCR=0x10', '--data=value', '--context-ids', '--branch-broadcast'],
            ['--set=ETMCR=0x20', '--data=address'], ['--set=ETMCR=0', '--set=ETMCCR=0x10898088', '--data=both']]

FILTERS = [['--include=add', '--include=sort', '--data=both'], ['--start=sort', '--stop=spread', '--set=ETMCR=0'],
           ['--exclude=mix', '--cycle-counts']]


def data_of(bench, folder, options):
    """[(instruction, address, value, direction)] of each transfer. ETMv1 has the address of an instruction's first one
    alone, and where there are no values it has that transfer alone."""
    done = subprocess.run([bench.cairn, 'data', '--format', 'json', folder], stdout=subprocess.PIPE,
                          timeout=TIMEOUT, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()][1:] # behind the line with the version
    rows = [row for row in rows if 'address' in row]
    if '--data=address' in options:
        rows = [row for row in rows if row['transfer'] == 0]
    return [(row['address'], row.get('data_address') if row['transfer'] == 0 else None, row.get('value'),
             row['direction']) for row in rows]


def check(bench, options):
    beside, lines = bench.beside()
    status, _, messages, folder = bench.record(
        [bench.own('early')], ['--protocol', 'etmv1', *CORE, *options, *beside])
    if status != 42:
        return ['ended with status %d: %s' % (status, messages)]
    problems = compare('ETMv1', bench.decode(folder), bench.read_plain(lines))
    data = [option for option in options if option.startswith('--data')]
    if data and not problems:
        _, _, _, other = bench.record([bench.own('early')], ['--protocol', 'etmv3', *CORE, *data], name='etmv3')
        got, want = data_of(bench, folder, options), data_of(bench, other, options)
        if len(want) < 1000:
            problems.append('only %d transfers' % len(want))
        if got != want:
            index = next((i for i, pair in enumerate(zip(got, want)) if pair[0] != pair[1]), min(len(got), len(want)))
            problems.append('transfer %d of %d: ETMv1 %r, of %d ETMv3 %r'
                            % (index, len(got), got[index:index + 1], len(want), want[index:index + 1]))
    return problems


def check_filters(bench, options):
    """What the same filters leave of an ETMv3's trace."""
    status, _, messages, folder = bench.record([bench.own('early')], ['--protocol', 'etmv1', *CORE, *options])
    if status != 42:
        return ['ended with status %d: %s' % (status, messages)]
    others = [option for option in options if not option.startswith('--set')]
    _, _, _, other = bench.record([bench.own('early')], ['--protocol', 'etmv3', *CORE, *others], name='etmv3')
    got, want = bench.decode(folder), bench.decode(other)
    if [row[:2] for row in got] != [row[:2] for row in want] or not 100 < int(got[0][0]) < 4090:
        return ['ETMv1 %r, ETMv3 %r' % (got, want)]
    if data_of(bench, folder, options) != data_of(bench, other, options):
        return ['other data than an ETMv3 has']
    return []


def main():
    bench, tap = Bench(sys.argv), Tap()
    why = bench.missing('qemu-arm') or (None if bench.own('early') else 'no cross compiler for early')
    for options in VARIANTS:
        case = ' '.join(options)
        if why:
            tap.skip(case, why)
        else:
            tap.case(case, check(bench, options))
    for options in FILTERS:
        case = ' '.join(options)
        if why:
            tap.skip(case, why)
        else:
            tap.case(case, check_filters(bench, options))
    bench.close()
    tap.end()


main()
