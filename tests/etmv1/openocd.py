#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Example 5-1 of IHI0014 as OpenOCD has it in a dump of its own, against OpenOCD's listing: instructions,
their cycles, and the values that they loaded.

usage: openocd.py CAIRN
"""
import json
import os
import re
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
from common import Tap, run  # noqa: E402

NAME = 'etmv1'
TEST = 'Example 5-1 as OpenOCD lists it'


def samples(path):
    """The dump's ETMCR and its cycles as samples. Its words are big-endian: status, ETMCR, depth, and of each cycle
    PIPESTAT, TRACEPKT and flags (bit 0 TRACESYNC)."""
    with open(path, 'rb') as file:
        words = struct.unpack('>%dI' % (os.path.getsize(path) // 4), file.read())
    cycles = (words[3 + 3 * i:6 + 3 * i] for i in range(words[2]))
    return words[1], b''.join(struct.pack('<BBH', status, flags & 1, packet) for status, packet, flags in cycles)


def listed(path):
    """What OpenOCD lists: instructions with the cycles each took, and values in front of their instructions."""
    loaded = []
    for line in open(path, encoding='ascii', errors='replace'):
        data = re.match(r'data: (0x[0-9a-f]+)', line)
        insn = re.match(r'(0x[0-9a-f]+)\t0x[0-9a-f]+\t.*\((\d+) cycles?\)', line)
        if data:
            loaded.append(int(data.group(1), 16))
        elif insn:
            yield int(insn.group(1), 16), int(insn.group(2)), loaded
            loaded = []


def decoded(cairn, folder, elf, options):
    raw = os.path.join(folder, 'samples.bin')
    control, data = samples(elf.replace('.elf', '.etmdump'))
    with open(raw, 'wb') as file:
        file.write(data)
    answer = run(cairn, 'flow', '--format', 'json', '--protocol', 'etmv1', '--core', 'ARM7TDMI', '--set',
                 'ETMCR=0x%x' % control, '--set', 'ETMCCR=0x30000000', '--image', elf, *options, raw)
    rows, cycles = [], None
    for line in answer.out.splitlines():
        record = json.loads(line)
        if record['type'] == 'cycles':
            cycles = record['cycles']
        elif record['type'] == 'range':
            rows.append((int(record['address'], 16), cycles, []))
        elif record['type'] == 'data':
            owner = next(row for row in reversed(rows) if row[0] == int(record['address'], 16))
            owner[2].append(int(record['value'], 16))
    return rows


def problems(cairn, folder):
    elf = os.path.join(folder, NAME, 'example_5_1.elf')
    wanted = list(listed(elf.replace('.elf', '.openocd-0.12.0.txt')))
    if len(wanted) != 8:
        yield 'OpenOCD lists %d instructions' % len(wanted)
    with tempfile.TemporaryDirectory() as scratch:
        for options in ([], ['--reference']):
            got = decoded(cairn, scratch, elf, options)
            if got != wanted:
                yield '%s: %s is not %s' % (options, got, wanted)


def main():
    tap, folder = Tap(), os.environ.get('CAIRN_CAPTURES')
    if folder:
        tap.case(TEST, problems(sys.argv[1], folder))
    elif os.environ.get('CAIRN_REQUIRE_CAPTURES') == '1' or os.environ.get('CI') == 'true':
        tap.case(TEST, ['CAIRN_CAPTURES is not set'])
    else:
        tap.skip(TEST, 'CAIRN_CAPTURES is not set')
    tap.end()


if __name__ == '__main__':
    main()
