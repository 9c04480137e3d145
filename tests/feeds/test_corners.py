#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs that leave the usual ways, recorded and decoded: all executed addresses equal those that the
plain plugin sees in the same process."""
import os
import subprocess
import sys

from recording import Bench, Tap, compare, OPTIONS, PTM_OPTIONS

EVERYTHING = [*OPTIONS[-1], '--timestamps', '--context-ids', '--sync-period', '256']
A64 = [
    ('detours', ['wait']),
    ('rewrite', []),
    ('ends', ['short', '300']),
    ('ends', ['cancel']),
    ('ends', ['main']),
    ('ends', ['signals']),
    ('confined', ['close', '-']),
    ('confined', ['files', '4096']),
]
A32 = ['detours-a32', 'detours-t32', 'blocks-t32']
VARIANTS = [[], EVERYTHING, ['--protocol', 'etmv4', *EVERYTHING], ['--qemu-argument=-singlestep']]


def same_as_beside(bench, name, arguments, options):
    """With address randomisation, as a user would run it."""
    beside, lines = bench.beside()
    status, _, messages, folder = bench.record([bench.own(name), *arguments], [*options, *beside],
                                               seed=False)
    if status or 'tracing stopped' in messages or 'not seen' in messages:
        return ['status %d: %s' % (status, messages)]
    decoded, executed = bench.decode(folder), bench.read_plain(lines)
    if arguments == ['main']:
        executed = found_by_the_end(decoded, executed, bench.read_cut(lines))
    return compare(name, decoded, executed)


def found_by_the_end(decoded, executed, cut):
    """The end of the process may find a thread in the middle of its code. Where the block that it was in leads
    nobody is told, so the recorder leaves that one out; the plain plugin has it. One such block a thread, and
    none that ends with SVC, as the kernel is where that leads."""
    left = [row[:2] for row in decoded]
    for row in executed:
        if row in left:
            left.remove(row)
    return [before if row not in (other[:2] for other in decoded) and before in left else row
            for row, before in zip(executed, cut)]


def faults_only(bench, name, options):
    """A32 and T32: the plain plugin lists what faulted as well, as often as the program counts it."""
    beside, _ = bench.beside()
    path = bench.path('list')
    beside[-1] += ',list=' + path
    status, out, messages, folder = bench.record([bench.own(name)], [*options, *beside])
    if status:
        return ['status %d: %s' % (status, messages)]
    with open(path) as file:
        executed = file.read().split()
    decoded = subprocess.run([bench.flowhash, folder, 'thread_1'], stdout=subprocess.PIPE, check=True,
                             text=True).stdout.split()
    extra, at = [], 0
    for i, address in enumerate(executed):
        if at < len(decoded) and decoded[at] == address:
            at += 1
        else:
            extra.append(executed[i:i + 2])
    problems = []
    if at != len(decoded):
        problems.append('decoded %d of %d are not executed' % (len(decoded) - at, len(decoded)))
    if len(extra) != int(out):
        problems.append('%d executed are not decoded, %d faulted' % (len(extra), int(out)))
    if len({pair[-1] for pair in extra}) > 4:
        problems.append('what is not decoded is not in front of handlers: %s' % extra[:8])
    return problems


def nothing_lost(bench, arguments):
    """Where the plain plugin cannot write its file at the end."""
    status, out, messages, folder = bench.record([bench.own('confined'), *arguments])
    rows = bench.decode(folder)
    problems = [] if (status, out) == (0, b'done\n') else ['status %d, %r' % (status, out)]
    if 'tracing stopped' in messages or not rows or int(rows[0][0]) < 14000000 or rows[0][2] != '0':
        problems.append('decoded %r; %s' % (rows, messages))
    return problems


def cases(bench):
    for name, arguments in A64:
        for options in VARIANTS if name in ('detours', 'rewrite') else VARIANTS[:2]:
            yield (' '.join([name, *arguments, *options]), name, 'qemu-aarch64',
                   lambda n=name, a=arguments, o=options: same_as_beside(bench, n, a, o))
    for name in A32:
        older = [*(['--protocol', 'ptm', *ptm] for ptm in PTM_OPTIONS[:2]), ['--protocol', 'etmv3'],
                 ['--protocol', 'etmv3', '--data=both', '--cycle-counts']]
        for options in [*VARIANTS, *older]:
            yield (' '.join([name, *options]), name, 'qemu-arm',
                   lambda n=name, o=options: faults_only(bench, n, o))
    yield ('confined open 3', 'confined', 'qemu-aarch64',
           lambda: nothing_lost(bench, ['open', '3']))


def main():
    bench, tap = Bench(sys.argv), Tap()
    for title, name, qemu, run in cases(bench):
        why = bench.missing(qemu) or (None if bench.own(name) else 'no cross compiler for ' + name)
        if why:
            tap.skip(title, why)
        else:
            tap.case(title, run())
    if bench.missing() or not bench.own('confined') or os.geteuid() != 0:
        tap.skip('confined root', 'only root may change its root')
    else:
        tap.case('confined root', nothing_lost(bench, ['root', bench.folder]))
    bench.close()
    tap.end()


main()
