#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Random ports, walks and damage: `cairn check` never calls a port wrong that is described as it is, and where it names one
that is not, that is what was done to it.

usage: test_port_random.py CAIRN --seeds FIRST COUNT
"""
import random
import sys
import tempfile

import port
from common import Folder, Tap, run

CODE = 'CAIRN-WRONG-PORT'
NAMED = 0.6  # the share of what is wrong that has to be named: pins may be of no account to a walk


def found(cairn, image, path, *options):
    answer = run(cairn, 'check', '--format', 'json', *image, *options, path)
    rows = [row['what'] for row in answer.rows() if row['type'] == 'finding' and row['code'] == CODE]
    return rows[0] if rows else None


def damaged(draw, cycles):
    """Cycles that were missed, pins that were read wrongly, a beginning that was not recorded."""
    kind, share = draw.randrange(4), draw.choice((0.0005, 0.003, 0.02))
    if kind == 0:
        return cycles
    if kind == 1:
        return cycles[draw.randrange(1, len(cycles) // 2):]
    if kind == 2:
        return [cycle for cycle in cycles if draw.random() > share]
    return [(status ^ (draw.random() < share) << draw.randrange(3), sync, packet ^ (draw.random() < share) << draw.randrange(4))
            for status, sync, packet in cycles]


def right(cairn, folder, image, seed):
    draw = random.Random(seed)
    pins = draw.choice((4, 8, 16))
    both = draw.random() < 0.3
    cycles = damaged(draw, port.cycles(pins, draw.randrange(20, 200), seed))
    path = folder.write('right.vcd', port.vcd(port.steps(pins, cycles, both_edges=both)))
    if draw.random() < 0.2:  # another program, or none
        image = [] if draw.random() < 0.5 else folder.program({a + 0x20: [port.NOP] * 11 + [port.BX] for a in port.BLOCKS})
    what = found(cairn, image, path, *(['--port-mode', 'half-rate'] if both else []))
    if what:
        yield 'seed %d: %d pins are right, and called wrong: %s' % (seed, pins, what)


def wrong(cairn, folder, image, seed):
    """(problems, whether it was named)."""
    draw = random.Random(seed)
    pins = draw.choice((4, 8, 16))
    path = folder.write('wrong.vcd', port.vcd(port.steps(pins, port.cycles(pins, 100, seed))))
    if draw.random() < 0.3 and pins > 4:
        given = draw.choice([width for width in (4, 8) if width < pins])
        what, wanted = found(cairn, image, path, '--port-width', given), 'port width looks like %d, not %d' % (pins, given)
    else:
        names = sorted(port.wires(pins, (0, 0, 0)), key=lambda name: (name[0], name))
        one, other = draw.sample(names, 2)
        what = found(cairn, image, path, '--pins', '%s=%s,%s=%s' % (one, other, other, one))
        wanted = 'look swapped'
        if what and not (one in what and other in what):
            return ['seed %d: %s and %s are swapped, and what is said: %s' % (seed, one, other, what)], True
    if what and wanted not in what:
        return ['seed %d: wanted %s, got %s' % (seed, wanted, what)], True
    return [], what is not None


def all_wrong(cairn, folder, image, seeds):
    named = 0
    for seed in seeds:
        problems, is_named = wrong(cairn, folder, image, seed)
        named += is_named
        yield from problems
    if named < NAMED * len(seeds):
        yield 'only %d of %d are named' % (named, len(seeds))


def main():
    cairn, first, count = sys.argv[1], int(sys.argv[3]), int(sys.argv[4])
    seeds = range(first, first + count)
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        image = folder.program(port.image())
        tap.case('%d ports that are right' % count, (p for seed in seeds for p in right(cairn, folder, image, seed)))
        tap.case('%d ports that are not' % count, all_wrong(cairn, folder, image, seeds))
    tap.end()


main()
