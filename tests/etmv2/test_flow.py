#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Random ETMv2 traces of a second writer, which shares nothing with the library: what `cairn flow` and
`cairn data` say of them has to be what was executed, loaded and stored.

usage: test_flow.py CAIRN WRITER FROM COUNT INSTRUCTIONS
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
from common import Tap, expect, program, run  # noqa: E402

BASE = ['--protocol', 'etmv2', '--frames', 'none']


def first_difference(what, got, wanted):
    for index, (one, other) in enumerate(zip(got, wanted)):
        if one != other:
            return ['%s %d: %r, expected %r; before it %r' % (what, index, one, other,
                                                              wanted[max(0, index - 4):index])]
    return expect('number of ' + what, len(got), len(wanted))


def flow_wanted(entries):
    """Instructions as `--format addresses` has them; cancelled ones are not there."""
    for _, kind, *words in entries:
        if kind == 'insn' and 'cancelled' not in words:
            address, _, outcome, what = words[:4]
            yield address + (' ' + outcome if what == 'branch' or outcome == 'N' else '')


def contexts_wanted(entries):
    """Each Context ID that differs from the one before."""
    last = None
    for _, kind, *words in entries:
        if kind == 'context' and words[0] != last:
            last = words[0]
            yield last


def contexts_got(lines):
    last = None
    for line in lines:
        words = line.split()
        if words[:2] == ['#', 'context'] and 'context-id' in words:
            value = words[words.index('context-id') + 1][2:]
            if value != last:
                last = value
                yield value


def data_wanted(entries):
    misses = {}
    for _, kind, *words in entries:
        if kind == 'data':
            yield 'transfer', words[0], words[1], words[2]
        elif kind == 'miss':
            misses[words[3]] = words[0], words[1]
            yield 'placeholder', words[0], words[1], words[2]
        elif kind == 'untraced':
            yield 'not_traced', words[0], '-', '-'
        elif kind == 'late':
            yield 'late', misses[words[0]][0], words[1], words[2]


def data_got(rows):
    misses = {}

    def short(row, key):
        return row[key][2:] if key in row else '-'
    for row in rows:
        if row['type'] != 'data':
            continue
        kind = row['data']
        at = short(row, 'address')
        if kind == 'transfer':
            yield kind, at, short(row, 'data_address'), short(row, 'value')
        elif kind == 'placeholder':
            misses.setdefault(row['offset'], []).append(at)
            yield kind, at, short(row, 'data_address'), str(row['tag'])
        elif kind == 'not_traced':
            yield kind, at, '-', '-'
        elif kind == 'late':
            of = misses.get(row.get('placeholder'), ['-'])[0]
            yield kind, of, str(row['tag']), short(row, 'value')


def check(cairn, folder, seed):
    path = os.path.join(folder, str(seed))
    with open(path + '.args', encoding='utf-8') as file:
        arguments = [*BASE, *file.read().splitlines(), path + '.samples']
    with open(path + '.expected', encoding='utf-8') as file:
        entries = [line.split() for line in file]
    answer = run(cairn, 'flow', '--format', 'addresses', *arguments)
    if answer.status == 2:
        return ['seed %d: %s' % (seed, answer.err)]
    lines = answer.lines()
    problems = first_difference('instruction', [line for line in lines if line[0] != '#'],
                                list(flow_wanted(entries)))
    problems += first_difference('context', list(contexts_got(lines)), list(contexts_wanted(entries)))
    problems += ['%s' % line for line in lines if line.startswith(('# gap', '# warning'))][:3]
    if not problems:
        rows = run(cairn, 'data', '--format', 'json', *arguments).rows()
        problems = first_difference('transfer', list(data_got(rows)), list(data_wanted(entries)))
    return ['seed %d: %s' % (seed, problem) for problem in problems]


def main():
    cairn, writer, first, count, instructions = sys.argv[1:]
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*program(writer), folder, first, count, instructions], check=True)
        problems = []
        for seed in range(int(first), int(first) + int(count)):
            problems += check(cairn, folder, seed)
        tap.case('%s programs from seed %s on' % (count, first), problems)
    tap.end()


main()
