#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Recorded programs in files as perf writes them: Debian's perf (with OpenCSD) lists the same instructions and the same
branches in the same order as Cairn."""
import os
import shutil
import sys

from perf_lists import difference, listed, rows_of
from recording import Bench, Tap

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
import perf_of_snapshot  # noqa: E402
from perf_file import perf_script  # noqa: E402

TRACE_MOST = 20000
CASES = [(name, [*arguments, '--protocol', protocol]) for name, arguments in (
    ('throws', []), ('throws', ['--return-stack']), ('signals', ['--cycle-counts=16'])) for protocol in ('etmv4', 'ete')]
ARGUMENTS = {'throws': ['3'], 'signals': []}


def check(bench, name, options):
    status, _, messages, folder = bench.record([bench.own(name), *ARGUMENTS[name]], options)
    if status > 100:
        return ['ended with status %d: %s' % (status, messages)]
    path = bench.path('perf.data')
    with open(path, 'wb') as file:
        file.write(perf_of_snapshot.make(folder, TRACE_MOST))
    _, out, _ = bench.run([bench.cairn, 'flow', '--format', 'json', path])
    instructions, branches = listed(rows_of(out.decode()))
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
