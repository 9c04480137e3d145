#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The call trees and counts of real programs. What `cairn calls` tells of a program that was compiled with
-finstrument-functions is what the program itself logged; what `cairn profile` counts is what a plugin of QEMU, which
is told of each instruction, listed."""
import collections
import itertools
import json
import subprocess
import sys

from recording import Bench, Tap


def nm(path):
    """{address: names} of the functions of a program."""
    out = subprocess.run(['nm', path], stdout=subprocess.PIPE, check=True, text=True).stdout
    names = collections.defaultdict(set)
    for line in out.splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in 'tTwWiu' and words[2][0] != '$':
            names[int(words[0], 16) & ~1].add(words[2])
    return names


def logged(out, names):
    """Of each thread the list of (how many logged functions it is inside of, function), by the program's log: a call ends
    when that is logged, or its caller's end is, or a call is logged whose stack is not deeper."""
    threads = {}
    for line in out.decode().splitlines():
        thread, function, stack = line.split()
        tree, open_ = threads.setdefault(thread, ([], []))
        if int(stack, 16) == 0:
            while open_ and open_.pop()[1] != function:
                pass
            continue
        while open_ and open_[-1][0] <= int(stack, 16):
            open_.pop()
        tree.append((len(open_), min(names[int(function, 16)])))
        open_.append((int(stack, 16), function))
    return sorted(tree for tree, _ in threads.values())


def rows_of(bench, command, *arguments):
    status, out, messages = bench.run([bench.cairn, command, '--format', 'json', *arguments])
    if status:
        raise RuntimeError('%s: status %d: %s' % (command, status, messages))
    return [json.loads(line) for line in out.splitlines()]


def told(bench, folder, names, functions):
    """The same by Cairn. A logged function is one in whose call the hook was called."""
    first = {name: min(names[address]) for address in names for name in names[address]}
    threads = collections.defaultdict(list)
    for row in rows_of(bench, 'calls', folder):
        if row['type'] == 'call':
            # Of calls that begin at one instruction the outer one is first.
            threads[row['source'], row['thread']].append((row['began'], row['depth'], row))
    trees = []
    for calls in threads.values():
        tree, open_ = [], []
        for _, depth, row in sorted(calls, key=lambda call: call[:2]):
            while open_ and open_[-1] >= depth:
                open_.pop()
            name = first.get(row['function'])
            if name in functions and row['kind'] != 'resumed':
                tree.append((len(open_), name))
                open_.append(depth)
        if tree:
            trees.append(tree)
    return sorted(trees)


def compare_trees(bench, name, options):
    program = bench.own(name)
    status, out, messages, folder = bench.record([program], options)
    if status:
        return ['recording: status %d: %s' % (status, messages)]
    names = nm(program)
    wanted = logged(out, names)
    functions = {function for tree in wanted for _, function in tree}
    got = told(bench, folder, names, functions)
    if got == wanted and sum(map(len, wanted)) > 100:
        return []
    for i, (one, other) in enumerate(zip(got, wanted)):
        for k, (a, b) in enumerate(zip(one, other)):
            if a != b:
                return ['%s: thread %d, call %d: %r, logged was %r' % (options, i, k, one[max(k - 3, 0):k + 4],
                                                                      other[max(k - 3, 0):k + 4])]
    return ['%s: %r calls, logged were %r' % (options, [len(tree) for tree in got], [len(tree) for tree in wanted])]


def check_trees(bench, name, choices):
    for options in choices:
        yield from compare_trees(bench, name, options)


def check_counts(bench, name):
    """Every instruction as often as QEMU executed it, every branch taken as often as QEMU did not go on behind it, and every
    function called as often as it was begun."""
    program = bench.own(name)
    beside, _ = bench.beside()
    beside[-1] += ',list=' + bench.path('list')
    status, _, messages, folder = bench.record([program], beside)
    if status:
        yield 'recording: status %d: %s' % (status, messages)
    with open(bench.path('list')) as file:
        executed = file.read().split()
    rows = rows_of(bench, 'profile', '--by', 'instruction', folder)
    wanted = collections.Counter('0x' + address for address in executed)
    got = {row['address']: row['times'] for row in rows if row['type'] == 'instruction'}
    differing = {address: (got.get(address), wanted.get(address)) for address in {*got, *wanted}
                 if got.get(address) != wanted.get(address)}
    # the system call that ends the process may be in one of them alone
    if len(differing) > 2 or len(wanted) < 1000:
        yield '%d of %d instructions: %r' % (len(differing), len(wanted), sorted(differing.items())[:5])
    names = nm(program)
    behind = collections.Counter()
    for (one, other), times in collections.Counter(zip(executed, executed[1:])).items():
        # of a jump to the function behind it that is where it goes
        behind['0x' + one] += times if int(other, 16) == int(one, 16) + 4 and int(other, 16) not in names else 0
    branches = [row for row in rows_of(bench, 'profile', '--by', 'branch', folder)
                if row['type'] == 'branch']
    for row in branches:
        if (row['times'], row['taken']) != (wanted[row['address']], wanted[row['address']] - behind[row['address']]):
            yield 'branch %r: %d times, %d of them to what is behind' % (row, wanted[row['address']], behind[row['address']])
    if len(branches) < 100:
        yield 'only %d branches were compared' % len(branches)
    rows = [row for row in rows_of(bench, 'profile', folder) if row['type'] == 'function']
    for row in rows:
        # Functions of the program itself, which no jump goes back to the beginning of.
        if row['function'] in ('fib', 'leaf', 'odd', 'even', 'compare', 'throw_out', 'nested', 'on_signal'):
            times = wanted[row['address']]
            if row['calls'] != times or times == 0:
                yield '%s: %d calls, begun %d times' % (row['function'], row['calls'], times)
    if sum(row['instructions'] for row in rows) != sum(got.values()):
        yield 'functions and instructions add up differently'
    if not names:
        yield 'nm has no names'


def check_caught(bench, name):
    """caught.cc: descend calls itself five levels deep, and the third calls `after` once the others are gone."""
    status, _, messages, folder = bench.record([bench.own(name)], ['--return-stack'])
    if status:
        yield '%s, recording: status %d: %s' % (name, status, messages)
    rows = [row for row in rows_of(bench, 'calls', folder) if row['type'] == 'call']
    levels = [row for row in rows if row['function'] == 'descend']
    outer = min(row['depth'] for row in levels)
    afters = [row['depth'] - outer for row in rows if row['function'] == 'after']
    if afters != [3] * 3:
        yield '%s: after is called by levels %r, not by the third' % (name, afters)
    for depth in range(6):
        ends = [row['end'] for row in levels if row['depth'] == outer + depth]
        if ends != [('unwound' if depth > 2 else 'returned')] * 3:
            yield '%s: level %d ended as %r' % (name, depth, ends)


# Programs, and the recordings of each: with and without a return stack, cycles, and of other trace units.
TREES = (
    ('tree', 'qemu-aarch64', ([], ['--return-stack', '--cycle-counts=16', '--timestamps'])),
    ('trees', 'qemu-aarch64', (['--return-stack'],)),
    ('tree-a32', 'qemu-arm', (['--protocol', 'ptm', '--return-stack'],)),
    ('tree-t32', 'qemu-arm', (['--protocol', 'etmv3', '--cycle-counts'],)),
)


def main():
    bench, tap = Bench(sys.argv), Tap()
    try:
        for name, qemu, choices in TREES:
            case = 'the calls of %s are those that it logged' % name
            if bench.missing(qemu) or not bench.own(name):
                tap.skip(case, bench.missing(qemu) or 'no compiler for it')
            else:
                tap.case(case, check_trees(bench, name, choices))
        case = 'an exception that a recursion catches ends the calls up to the level that catches it'
        if bench.missing() or not bench.own('caught'):
            tap.skip(case, bench.missing() or 'no compiler for it')
        else:
            # of the second the landing is right behind the call of what throws, which never comes back
            tap.case(case, itertools.chain(check_caught(bench, 'caught'), check_caught(bench, 'caught-near')))
        case = 'instructions, branches and calls are as often as QEMU executed them'
        if bench.missing() or not bench.own('tree'):
            tap.skip(case, bench.missing() or 'no compiler for it')
        else:
            tap.case(case, check_counts(bench, 'tree'))
    finally:
        bench.close()
    tap.end()


main()
