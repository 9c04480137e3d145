#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cairn export of recorded programs: ranges and counts are what a plugin of QEMU, which is told of each instruction,
listed; calls and sums fit together, also with threads, C++ exceptions and signals.

usage: test_export.py CAIRN FLOWHASH ADDRESSES PROGRAMS
"""
import collections
import os
import shutil
import sqlite3
import sys

from recording import Bench, Tap

SUMS = ('SELECT sum(instructions) FROM ranges', 'SELECT sum(executed) FROM instructions',
        'SELECT sum(self_instructions) FROM hot_functions', 'SELECT sum(self_instructions) FROM call_tree',
        "SELECT sum(total_instructions) FROM call_tree WHERE kind = 'thread'")
# What each call executed, less what those inside of it did, is the same for each function either way.
SELF = '''SELECT a.symbol, a.own, b.own FROM
    (SELECT f.id, f.symbol, sum(c.instructions - coalesce((SELECT sum(i.instructions) FROM calls AS i
        WHERE i.parent_id = c.id), 0)) AS own FROM calls AS c JOIN functions AS f ON f.id = c.function_id GROUP BY f.id) AS a
    JOIN (SELECT function_id, sum(self_instructions) AS own FROM call_tree WHERE kind <> 'thread' GROUP BY function_id) AS b
    ON b.function_id = a.id WHERE a.own <> b.own'''


def export(bench, folder):
    path = folder + '.db'
    status, _, err = bench.run([bench.cairn, 'export', '--force', '--tables', 'all', '-o', path, folder])
    if status:
        raise RuntimeError('export: %d, %s' % (status, err))
    return sqlite3.connect(path)


def check_sums(base):
    for check in ('integrity_check', 'foreign_key_check'):
        rows = base.execute('PRAGMA ' + check).fetchall()
        if rows not in ([], [('ok',)]):
            yield '%s: %r' % (check, rows[:5])
    wanted, = base.execute('SELECT sum(instructions) FROM sources').fetchone()
    for query in SUMS:
        got, = base.execute(query).fetchone()
        if got != wanted:
            yield '%s: %r, executed were %r' % (query, got, wanted)
    rows = base.execute(SELF).fetchall()
    if rows:
        yield 'calls and the tree differ: %r' % rows[:5]


def check_listed(bench, program):
    """In their order. The system call that ends the process may be in one of them alone."""
    listed, (beside, _) = bench.path('list'), bench.beside()
    beside[-1] += ',list=' + listed
    status, _, err, folder = bench.record([program], beside)
    if status:
        yield 'record: %d, %s' % (status, err)
        return
    with open(listed, encoding='ascii') as file:
        wanted = [int(address, 16) for address in file.read().split()]
    base = export(bench, folder)
    yield from check_sums(base)
    # of a position independent program addresses in the file are others: the ranges tell those in memory
    bias = {binary: first - low for binary, first, low in base.execute(
        'SELECT r.binary_id, r.address, i.address FROM (SELECT binary_id, min(address) AS address FROM ranges GROUP BY 1) AS r'
        ' JOIN (SELECT binary_id, min(address) AS address FROM instructions WHERE executed > 0 GROUP BY 1) AS i'
        ' USING (binary_id)')}
    size = {address + bias[binary]: length for binary, address, length in
            base.execute('SELECT binary_id, address, size FROM instructions')}
    got = []
    for first, count in base.execute('SELECT address, instructions FROM ranges ORDER BY id'):
        for _ in range(count):
            got.append(first)
            first += size[first]
    end = min(len(got), len(wanted))
    if abs(len(got) - len(wanted)) > 1 or end < 100:
        yield '%d instructions, listed were %d' % (len(got), len(wanted))
    for i in range(end):
        if got[i] != wanted[i]:
            yield 'instruction %d: %x, listed was %x' % (i, got[i], wanted[i])
            break
    counts = collections.Counter(wanted)
    counted = {address + bias[binary]: count for binary, address, count in
               base.execute('SELECT binary_id, address, executed FROM instructions WHERE executed > 0')}
    differing = [address for address in {*counts, *counted} if counts.get(address) != counted.get(address)]
    if len(differing) > 1:
        yield 'counts differ: %r' % [hex(address) for address in differing[:5]]
    # branches that were taken: what was executed next is elsewhere
    jumps = collections.Counter(pair for pair in zip(got, got[1:]) if pair[1] != pair[0] + size[pair[0]])
    told = {(one + bias[a], other + bias[b]): count for one, a, other, b, count in base.execute(
        'SELECT from_address, from_binary_id, to_address, to_binary_id, count FROM jumps WHERE to_address IS NOT NULL')}
    exceptions, = base.execute('SELECT count(*) FROM exceptions').fetchone()
    wrong = [pair for pair, count in told.items() if jumps.get(pair, 0) != count and pair[1] != pair[0] + size[pair[0]]]
    others = sum(count for pair, count in jumps.items() if pair not in told)
    if wrong or not jumps or others > 2 * exceptions:
        yield '%d jumps differ: %r; %d are none, of %d exceptions' % (len(wrong), ['%x %x' % pair for pair in wrong[:5]], others,
                                                                      exceptions)


def check_program(bench, program, options=()):
    status, _, err, folder = bench.record([program], options)
    if not os.path.isdir(folder):
        yield 'record: %d, %s' % (status, err)
        return
    base = export(bench, folder)
    yield from check_sums(base)
    found = base.execute('SELECT count(*) FROM threads').fetchone()[0]
    if not found:
        yield 'there is no thread'


def main():
    bench, tap = Bench(sys.argv), Tap()
    try:
        for name, qemu in (('tree', 'qemu-aarch64'), ('tree-a32', 'qemu-arm'), ('tree-t32', 'qemu-arm')):
            program = bench.own(name)
            if not program or not shutil.which(qemu):
                tap.skip('listed: ' + name, 'no compiler or emulator for it')
            else:
                tap.case('listed: ' + name, check_listed(bench, program))
        for name, options in (('throws', ()), ('threads', ('--cycle-counts=16',)), ('signals', ('--timestamps',))):
            program = bench.own(name)
            if not program or not shutil.which('qemu-aarch64'):
                tap.skip('sums: ' + name, 'no compiler or emulator for it')
            else:
                tap.case('sums: ' + name, check_program(bench, program, options))
    finally:
        bench.close()
    tap.end()


main()
