#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs from Debian's arm64 packages, unmodified and dynamically linked, recorded and decoded: all
executed addresses equal those of a second run under the plain plugin."""
import os
import sys

from recording import Bench, Tap, compare, OPTIONS

SQL = ('create table t(a, b); with recursive n(i) as (select 1 union all select i+1 from n where '
       'i<300) insert into t select i, i*7%31 from n; select b, count(*), sum(a) from t group by b '
       'order by 2, 1 limit 5;')
AWK = 'BEGIN { for (i = 0; i < 600; i++) { s = s sprintf("%x", i * i); n += length(s) % 7 } print n, substr(s, 9, 9) }'
PERL = '%h = map { ($_ => $_ ** 2) } 1 .. 200; print join(",", grep { /7/ } sort { $h{$a} <=> $h{$b} } keys %h)'
PYTHON = 'print(sum(hash(str(i)) % 7 for i in range(300)), sorted({i: -i for i in range(9)}.items())[:2])'

# path in the root, arguments, whether input comes on standard input, whether two runs are alike
PROGRAMS = [
    ('usr/bin/xz', ['-0', '-c', '-T1'], True, True),
    ('bin/gzip', ['-6', '-c'], True, True),
    ('bin/bzip2', ['-1', '-c'], True, True),
    ('usr/bin/perl', ['-e', PERL], False, True),
    ('usr/bin/sqlite3', [':memory:', SQL], False, True),
    ('usr/bin/mawk', [AWK], False, True),
    # Without -S it asks how much memory the system has to spare, and goes by that.
    ('usr/bin/sort', ['-n', '-r', '-S', '1M'], True, True),
    ('usr/bin/sha256sum', [], True, True),
    # Reads clocks and file times all over: the plain plugin runs beside, in the same process.
    ('usr/bin/python3.11', ['-I', '-S', '-B', '-c', PYTHON], False, False),
]


def write_input(bench):
    path = bench.path('input')
    with open(path, 'w') as file:
        for i in range(900):
            file.write('%d %s\n' % (i * 7919 % 1009, 'lorem ipsum dolor'[i % 11:]))
    return path


def check(bench, program, stdin, alike, options):
    options = ['-L', bench.root, *options]
    if alike:
        status, out, expected = bench.plain('qemu-aarch64', program, stdin)
        got, got_out, messages, folder = bench.record(program, options, stdin)
        if status or (got, got_out) != (status, out):
            return ['ended with %d, alone with %d: %s' % (got, status, messages)]
    else:
        beside, lines = bench.beside()
        got, got_out, messages, folder = bench.record(program, [*options, *beside], stdin)
        if got:
            return ['ended with status %d: %s' % (got, messages)]
        expected = bench.read_plain(lines)
    return compare(' '.join(options), bench.decode(folder), expected)


def main():
    bench, tap = Bench(sys.argv), Tap()
    stdin = write_input(bench)
    for path, arguments, reads, alike in PROGRAMS:
        program = [os.path.join(bench.root, path), *arguments]
        why = bench.missing()
        if not why and not os.path.exists(program[0]):
            why = ('no %s: scripts/arm64-programs fetches it (CAIRN_ARM64 names its folder)' % path)
        for i, options in enumerate(OPTIONS):
            if not alike and i not in (0, len(OPTIONS) - 1):
                continue
            case = ' '.join([os.path.basename(path), *options])
            if why:
                tap.skip(case, why)
            else:
                tap.case(case, check(bench, program, stdin if reads else None, alike, options))
    bench.close()
    tap.end()


main()
