#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Functions and source lines of 10,000 executed addresses of an ordinary program: C++ with exceptions, threads, shared
libraries, one of them loaded by dlopen, compiled as gcc does by default. nm and addr2line know nothing of Cairn; where
each library was mapped, QEMU's own log of the program's system calls tells (-strace)."""
import collections
import json
import os
import random
import re
import subprocess
import sys

from ordinary import ADDRESSES, ROOT, build, lines_of, mapped, nm, on_this_machine
from recording import Bench, Tap

OF_EACH = 100


def number(value):
    return int(value, 0) if isinstance(value, str) else value


def executed(bench, folder):
    """[(source, offset, address)] of every instruction."""
    status, out, messages = bench.run([bench.cairn, 'flow', '--format', 'json', folder])
    if status:
        raise RuntimeError('flow: %d %s' % (status, messages))
    names, rows = [], []
    for line in out.splitlines():
        record = json.loads(line)
        source = record.get('source')
        if source is not None and source not in names:
            names.append(source)
        offset = record.get('offset', 0)
        offset = int(offset, 0) if isinstance(offset, str) else offset
        for code in record.get('code', []):
            rows.append((names.index(source), offset, int(code['address'], 16)))
    return rows


def draw(every, modules):
    """ADDRESSES of them at random, some of each module among them: of one that executes little none might be drawn."""
    rows = []
    for m in modules:
        here = [row for row in every if m['first'] <= row[2] < m['end']]
        rows += random.sample(here, min(OF_EACH, len(here)))
    return rows + random.sample(every, max(0, min(ADDRESSES, len(every)) - len(rows)))


def places(placed, folder, rows):
    text = ''.join('%d %#x %#x\n' % row for row in rows)
    done = subprocess.run([placed, folder], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [line.split('\t') for line in done.stdout.splitlines()]


def of_other_files(log, rows):
    """Addresses that QEMU's log has in another file than Cairn; how many it has at all."""
    maps, problems, checked = mapped(log), [], 0
    for row, place in rows:
        path = next((path for first, end, path, _ in reversed(maps) if first <= row[2] < end), None)
        if path:
            checked += 1
            if not os.path.samefile(on_this_machine(path), place[0]):
                problems.append('%#x is of %s, by QEMU of %s' % (row[2], place[0], path))
    return problems[:5] + ([] if checked > ADDRESSES // 10 else ['%d of %d only' % (checked, len(rows))])


def named(rows, modules):
    """Those rows for whose address nm has a function, with its names."""
    tables, found = {}, []
    for path in {m['path'] for m in modules}:
        begins = collections.defaultdict(set)
        for begin, end, name in nm(path):
            for at in range(begin & ~3, end, 4):
                begins[at].add(name)
        tables[path] = begins
    for row in rows:
        for m in modules:
            wanted = m['first'] <= row[2] < m['end'] and tables[m['path']].get(row[2] - m['bias'])
            if wanted:
                found.append((row, wanted))
                break
    return found


def compare_functions(placed, folder, rows):
    rows = random.sample(rows, min(ADDRESSES, len(rows)))
    problems = ['%#x is called %s, not %s' % (row[2], place[1], sorted(wanted)[:3]) for (row, wanted), place in
                zip(rows, places(placed, folder, [row for row, _ in rows])) if place[1] not in wanted]
    return problems[:5] + ([] if len(rows) == ADDRESSES else ['%d checked only' % len(rows)])


def compare_lines(at):
    problems, checked = [], 0
    for path, rows in at.items():
        known = lines_of(path, sorted({address for address, _ in rows}))
        for address, place in rows:
            wanted = known[address]
            if not wanted:
                continue
            checked += 1
            if (os.path.normpath(place[3]), int(place[4])) != wanted:
                problems.append('%s+%#x is %s:%s, not %s:%d' % (path, address, place[3], place[4], *wanted))
    return problems[:5], checked


def main():
    bench, tap = Bench(sys.argv), Tap()
    placed = sys.argv[5]
    why = bench.missing()
    if not why and not bench.own('throws'):
        why = 'no cross compiler (Debian: g++-aarch64-linux-gnu)'
    if not why and not os.path.isdir(os.path.join(ROOT, 'lib')):
        why = 'no libraries in %s (Debian: libc6-arm64-cross)' % ROOT
    cases = ('each address is of the module that was there', 'libraries by QEMU\'s log', 'functions by nm',
             'lines by addr2line')
    if why:
        for name in cases:
            tap.skip(name, why)
    else:
        program, late = build(bench)
        status, out, messages, folder = bench.record([program, late], ['--sysroot', ROOT, '--qemu-argument=-strace'])
        _, text, _ = bench.run([bench.cairn, 'info', '--format', 'json', folder])
        modules = [{'path': m['path'], 'bias': number(m['bias']), 'first': number(m['address']),
                    'end': number(m['address']) + number(m['length'])} for m in json.loads(text)['program']['modules']]
        every = executed(bench, folder)
        random.seed(1)
        rows = draw(every, modules)
        at, problems = collections.defaultdict(list), []
        found = list(zip(rows, places(placed, folder, rows)))
        for row, place in found:
            here = [m for m in modules if m['first'] <= row[2] < m['end']]
            if len(here) != 1 or here[0]['path'] != place[0]:
                problems.append('%#x is of %s, not of %s' % (row[2], place[0], [m['path'] for m in here]))
            else:
                at[place[0]].append((row[2] - here[0]['bias'], place))
        if status or len(rows) < ADDRESSES or not {program, late} <= set(at):
            problems.append('status %d, %d addresses, %r, %s' % (status, len(rows), sorted(at), messages[-500:]))
        tap.case(cases[0], problems[:5])
        tap.case(cases[1], of_other_files(messages, found))
        tap.case(cases[2], compare_functions(placed, folder, named(every, modules)))
        problems, checked = compare_lines(at)
        tap.case(cases[3], problems + ([] if checked > ADDRESSES // 10 else ['%d checked only' % checked]))
    bench.close()
    tap.end()


main()
