#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Totals of functions are the same by chains of calls and without them (totals.c): of recorded
programs with recursion, threads, signals, C++ exceptions and setjmp, and of captures of CAIRN_CAPTURES."""
import glob
import os
import re
import sys

from recording import Bench, Tap

# Programs, QEMU, options of the recording, and calls that there are at least.
RECORDED = (
    ('tree', 'qemu-aarch64', ['--return-stack', '--cycle-counts=16', '--timestamps'], 1000),
    ('trees', 'qemu-aarch64', ['--return-stack'], 1000),
    ('threads', 'qemu-aarch64', [], 100),
    ('signals', 'qemu-aarch64', ['--cycle-counts'], 100),
    ('caught', 'qemu-aarch64', ['--return-stack'], 100),
    ('tree-a32', 'qemu-arm', ['--protocol', 'ptm', '--return-stack', '--cycle-counts'], 1000),
    ('tree-t32', 'qemu-arm', ['--protocol', 'etmv3', '--cycle-counts'], 1000),
)
# Of snapshots and perf.data: exceptions, several contexts, gaps, damage.
CAPTURES = ('snapshots/*/snapshot.ini', 'perf/**/*.data')


def has_trace(path):
    """A snapshot, or a perf.data file with AUX data: others are text, or have branch stacks alone."""
    with open(path, 'rb') as file:
        return path.endswith('.ini') or file.read(8) == b'PERFILE2' and b'cs_etm' in file.read()


def check(bench, totals, path, least):
    status, out, messages = bench.run([totals, path])
    told = re.search(rb'^# (\d+) calls, (\d+) chains', out, re.M)
    if status or b'\nok ' not in out:
        yield '%s: status %d: %s' % (path, status, (out.decode('utf-8', 'replace') + messages)[-400:])
    elif int(told[1]) < least or int(told[2]) < min(least, 2):
        yield '%s: %s calls in %s chains, expected %d' % (path, told[1].decode(), told[2].decode(), least)


def check_recorded(bench, totals, name, options, least):
    status, _, messages, folder = bench.record([bench.own(name)], options)
    if status:
        yield '%s, recording: status %d: %s' % (name, status, messages)
    yield from check(bench, totals, folder, least)


def main():
    bench, tap, totals = Bench(sys.argv), Tap(), sys.argv[-1]
    try:
        for name, qemu, options, least in RECORDED:
            case = 'totals of %s' % name
            if bench.missing(qemu) or not bench.own(name):
                tap.skip(case, bench.missing(qemu) or 'no compiler for it')
            else:
                tap.case(case, check_recorded(bench, totals, name, options, least))
        captures = os.environ.get('CAIRN_CAPTURES')
        if not captures:
            tap.skip('totals of captures', 'CAIRN_CAPTURES is not set')
        else:
            paths = sorted(path for pattern in CAPTURES for path in glob.glob(os.path.join(captures, pattern), recursive=True)
                           if has_trace(path))
            tap.case('totals of captures', (wrong for path in paths for wrong in check(
                bench, totals, os.path.dirname(path) if path.endswith('.ini') else path, 0)))
    finally:
        bench.close()
    tap.end()


main()
