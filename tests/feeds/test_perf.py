#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Recorded programs in files as perf writes them: Debian's perf (with OpenCSD) lists the same instructions and the same
branches in the same order as Cairn.

Two kinds of perf's lines are none of Cairn's branches, and follow from what both list. FROM => 0: the instruction at which
an exception was taken, which perf counts as a branch to nowhere, unless nothing follows it. 0 => TO: where the trace goes
on behind a Trace On."""
import json
import os
import shutil
import sys

from recording import Bench, Tap

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
import perf_of_snapshot  # noqa: E402
from perf_file import perf_script  # noqa: E402

TRACE_MOST = 20000
CASES = [(name, [*arguments, '--protocol', protocol]) for name, arguments in (
    ('throws', []), ('throws', ['--return-stack']), ('signals', ['--cycle-counts=16'])) for protocol in ('etmv4', 'ete')]
ARGUMENTS = {'throws': ['3'], 'signals': []}


def listed(rows):
    """Cairn's flow as perf would list it: addresses of instructions, and (from, to)."""
    instructions, branches = [], []
    last, branch = None, None  # the instruction that was last; the one of these that branched
    for row in rows:
        kind = row['type']
        if kind == 'range':
            begin, end = int(row['address'], 16), int(row['end'], 16)
            instructions += range(begin, end, 4)
            if branch is not None:
                branches.append((branch, begin))
            elif last is None:
                branches.append((0, begin))
            last = end - 4
            branch = last if row['p0'] == 'E' else None
        elif kind == 'exception':
            branches.append((branch if branch is not None else last, 0))
            branch = None
        elif kind == 'trace_on':
            last = branch = None
    return instructions, branches[:-1] if branches[-1:] == [(last, 0)] else branches


def difference(what, mine, theirs):
    if mine == theirs:
        return [] if len(mine) > 100 else ['%s: only %d' % (what, len(mine))]
    at = next((n for n, (one, other) in enumerate(zip(mine, theirs)) if one != other), min(len(mine), len(theirs)))
    return ['%s: %d, of perf %d; number %d: %r, of perf %r' % (what, len(mine), len(theirs), at, mine[at:at + 4], theirs[at:at + 4])]


def check(bench, name, options):
    status, _, messages, folder = bench.record([bench.own(name), *ARGUMENTS[name]], options)
    if status > 100:
        return ['ended with status %d: %s' % (status, messages)]
    path = bench.path('perf.data')
    with open(path, 'wb') as file:
        file.write(perf_of_snapshot.make(folder, TRACE_MOST))
    _, out, _ = bench.run([bench.cairn, 'flow', '--format', 'json', path])
    instructions, branches = listed(map(json.loads, out.decode().splitlines()))
    rows, said = perf_script(path, 'ip', '--itrace=i1i')
    problems = difference('instructions (%s)' % said[-100:], instructions, [int(row, 16) for row in rows if row.strip()])
    rows, said = perf_script(path, 'ip,addr', '--itrace=b')
    theirs = [tuple(int(word, 16) for word in row.split('=>')) for row in rows if '=>' in row]
    return problems + difference('branches (%s)' % said[-100:], branches, theirs)


def main():
    bench, tap = Bench(sys.argv), Tap()
    for name, options in CASES:
        why = bench.missing()
        if not why and not shutil.which('perf'):
            why = 'perf is not installed (Debian: linux-perf)'
        if not why and not bench.own(name):
            why = 'no cross compiler for ' + name
        if why:
            tap.skip(' '.join([name, *options]), why)
        else:
            tap.case(' '.join([name, *options]), check(bench, name, options))
    bench.close()
    tap.end()


main()
