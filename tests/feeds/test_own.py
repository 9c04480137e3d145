#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Own programs recorded and decoded: all executed addresses equal those of the plain plugin, with
return stack, branch broadcast and cycle counting each on and off, in every protocol that knows the
program's instruction set."""
import sys

from recording import Bench, Tap, compare, protocols, OPTIONS

# name, QEMU, arguments, status; alike: two runs execute the same instructions
PROGRAMS = [
    ('throws', 'qemu-aarch64', [], 0, True),
    ('signals', 'qemu-aarch64', [], 0, True),
    ('jit', 'qemu-aarch64', [], 0, True),
    ('children', 'qemu-aarch64', [], 7, True),
    ('mixed-a32', 'qemu-arm', [], None, True),
    ('mixed-t32', 'qemu-arm', [], None, True),
    # When threads run and timers fire is not the same twice: the plain plugin runs beside.
    ('threads', 'qemu-aarch64', ['4'], 0, False),
    ('threads', 'qemu-aarch64', ['150'], 0, False),
    ('signals', 'qemu-aarch64', ['timer'], 0, False),
]


def check(bench, name, qemu, arguments, status, alike, options):
    program = [bench.own(name), *arguments]
    problems = []
    if alike:
        plain_status, plain_out, expected = bench.plain(qemu, program)
        got, out, messages, folder = bench.record(program, options)
        if (got, out) != (plain_status, plain_out):
            problems.append('status and output %r, alone %r' % ((got, out), (plain_status, plain_out)))
    else:
        beside, lines = bench.beside()
        got, out, messages, folder = bench.record(program, [*options, *beside])
        expected = bench.read_plain(lines)
    if status is not None and got != status:
        problems.append('ended with status %d: %s' % (got, messages))
        return problems
    return problems + compare(' '.join([name, *arguments, *options]), bench.decode(folder), expected)


def main():
    bench, tap = Bench(sys.argv), Tap()
    for name, qemu, arguments, status, alike in PROGRAMS:
        title = ' '.join([name, *arguments])
        many = arguments == ['150']
        why = bench.missing(qemu) or (None if bench.own(name) else 'no cross compiler for ' + name)
        for protocol, options in protocols(qemu):
            if many and (protocol != 'ete' or options not in ([], OPTIONS[-1])):
                continue
            case = ' '.join([title, protocol, *options])
            if why:
                tap.skip(case, why)
                continue
            tap.case(case, check(bench, name, qemu, arguments, status, alike,
                                 ['--protocol', protocol, *options]))
    bench.close()
    tap.end()


main()
