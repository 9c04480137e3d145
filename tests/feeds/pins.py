# SPDX-License-Identifier: BSD-2-Clause
"""A program for cores from before Thumb-2, recorded as a trace unit that has pins, 4, 8 and 16 of them: the same
instructions as a plain plugin sees, and the same flow and data as of an ETMv3."""
import json
import subprocess
import sys

from recording import Bench, Tap, TIMEOUT, compare

VARIANTS = [['--set=ETMCR=0x10'], ['--set=ETMCR=0', '--data=both'], ['--set=ETMCR=0x20', '--data=both', '--cycle-counts'],
            ['--set=ETMCR=0x10', '--data=value', '--context-ids', '--branch-broadcast'],
            ['--set=ETMCR=0x20', '--data=address']]

FILTERS = [['--include=add', '--include=sort', '--data=both'], ['--start=sort', '--stop=spread', '--set=ETMCR=0'],
           ['--exclude=mix', '--cycle-counts']]


def data_of(bench, folder, options):
    """[(instruction, address, value, direction)] of each transfer. ETMv1 and ETMv2 have the address of an instruction's first one
    alone, and where there are no values ETMv1 has that transfer alone."""
    done = subprocess.run([bench.cairn, 'data', '--format', 'json', folder], stdout=subprocess.PIPE,
                          timeout=TIMEOUT, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()][1:] # behind the line with the version
    rows = [row for row in rows if 'address' in row]
    if '--data=address' in options:
        rows = [row for row in rows if row['transfer'] == 0]
    return [(row['address'], row.get('data_address') if row['transfer'] == 0 else None, row.get('value'),
             row['direction']) for row in rows]


def check(bench, unit, core, options):
    beside, lines = bench.beside()
    status, _, messages, folder = bench.record(
        [bench.own('early')], ['--protocol', unit, '--core', core, *options, *beside])
    if status != 42:
        return ['ended with status %d: %s' % (status, messages)]
    problems = compare(unit, bench.decode(folder), bench.read_plain(lines))
    data = [option for option in options if option.startswith('--data')]
    if data and not problems:
        _, _, _, other = bench.record([bench.own('early')], ['--protocol', 'etmv3', '--core', core, *data], name='etmv3')
        got, want = data_of(bench, folder, options), data_of(bench, other, options)
        if len(want) < 1000:
            problems.append('only %d transfers' % len(want))
        if got != want:
            index = next((i for i, pair in enumerate(zip(got, want)) if pair[0] != pair[1]), min(len(got), len(want)))
            problems.append('transfer %d of %d: %s %r, of %d ETMv3 %r'
                            % (index, len(got), unit, got[index:index + 1], len(want), want[index:index + 1]))
    return problems


def check_filters(bench, unit, core, options):
    """What the same filters leave of an ETMv3's trace."""
    status, _, messages, folder = bench.record([bench.own('early')], ['--protocol', unit, '--core', core, *options])
    if status != 42:
        return ['ended with status %d: %s' % (status, messages)]
    others = [option for option in options if not option.startswith('--set')]
    _, _, _, other = bench.record([bench.own('early')], ['--protocol', 'etmv3', '--core', core, *others], name='etmv3')
    got, want = bench.decode(folder), bench.decode(other)
    if [row[:2] for row in got] != [row[:2] for row in want] or not 100 < int(got[0][0]) < 4090:
        return ['%s %r, ETMv3 %r' % (unit, got, want)]
    if data_of(bench, folder, options) != data_of(bench, other, options):
        return ['other data than an ETMv3 has']
    return []


def check_simulated(bench, unit, core):
    """What an ETMv3's recording is to such a unit, of which `cairn simulate` writes a capture: the same flow."""
    _, _, _, other = bench.record([bench.own('early')], ['--protocol', 'etmv3', '--core', core], name='etmv3')
    folder = bench.path('simulated')
    done = subprocess.run([bench.cairn, 'simulate', '--protocol', unit, '--capture', other, 'ETMCR=0x20', '--fifo', '64',
                           '-o', folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT, check=False)
    if done.returncode != 0 or b'which leave by the pins: it does not overflow' not in done.stdout:
        return ['status %d: %r' % (done.returncode, done.stdout)]
    got, want = bench.decode(folder), bench.decode(other)
    return [] if [row[:2] for row in got] == [row[:2] for row in want] else ['%s %r, ETMv3 %r' % (unit, got, want)]


def run(unit, core, variants):
    """The variants of a unit, besides those that all have."""
    bench, tap = Bench(sys.argv), Tap()
    why = bench.missing('qemu-arm') or (None if bench.own('early') else 'no cross compiler for early')
    for options in VARIANTS + variants:
        case = ' '.join(options)
        if why:
            tap.skip(case, why)
        else:
            tap.case(case, check(bench, unit, core, options))
    for options in FILTERS:
        case = ' '.join(options)
        if why:
            tap.skip(case, why)
        else:
            tap.case(case, check_filters(bench, unit, core, options))
    if why:
        tap.skip('simulated', why)
    else:
        tap.case('simulated', check_simulated(bench, unit, core))
    bench.close()
    tap.end()
