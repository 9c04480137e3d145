#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The example programs on the example capture, against what its generator executed and wrote.

usage: examples.py CAPTURE EXAMPLE-CAPTURE EXAMPLE-PACKETS EXAMPLE-ELEMENTS EXAMPLE-FLOW EXAMPLE-ENGINE EXAMPLE-PROFILE
"""
import collections
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'house'))
from tap import Tap  # noqa: E402

SOURCES = ('ETE_0', 'ETM_1')


def run(program, capture, *more):
    done = subprocess.run([program, capture, *more], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stdout, done.stderr


def parts(text):
    """The lines of each source, without the events between."""
    found, name = {}, None
    for line in text.splitlines():
        if line.startswith('# ') and ': ET' in line:
            name = line[2:].split(':')[0]
            found[name] = []
        elif not line.startswith('#') and name:
            found[name].append(line)
    return found


def wanted(capture, source, what):
    with open(os.path.join(capture, '%s.%s' % (source, what))) as file:
        return file.read().splitlines()


def instructions(ranges):
    """`ADDRESS END COUNT [E|N]` lines, one line an instruction."""
    for line in ranges:
        start, end, count, *flag = line.split()
        addresses = range(int(start, 16), int(end, 16), 4)
        if len(addresses) != int(count):
            yield 'a range that does not count: ' + line
        for address in addresses:
            yield ' '.join(['%x' % address] + (flag if address == addresses[-1] else []))


def equal(ours, theirs):
    if ours != theirs:
        at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b),
                  min(len(ours), len(theirs)))
        yield 'line %d: %s, not %s' % (at + 1, ours[at:at + 3], theirs[at:at + 3])


def hottest(executed):
    """What the engine's example prints of an address list: `ADDRESS END COUNT TIMES` of ten blocks."""
    blocks, block = collections.Counter(), []
    for line, behind in zip(executed, executed[1:] + ['']):
        block.append(int(line.split()[0], 16))
        if ' ' in line or not behind or int(behind.split()[0], 16) != block[-1] + 4:
            blocks[block[0], block[-1] + 4, len(block)] += 1
            block = []
    first = sorted(blocks.items(), key=lambda item: (-item[1], item[0]))[:10]
    return ['%x %x %d %d' % (*block, times) for block, times in first]


def check_capture(output):
    for line in ('buffer ETB_0: coresight, 224 bytes', '  trace ID 0x10: 140', '  trace ID 0x11: 49',
                 'source ETE_0: ETE, core cpu_0 (ARMv9-A), 7 registers',
                 'source ETM_1: ETMv4, core cpu_1 (Cortex-A53), 7 registers',
                 'memory 0x80000000: 840 bytes'):
        if line not in output.splitlines():
            yield 'missing: ' + line


def by_function(capture):
    """Instructions of each symbol, as binutils reads the program and its generator executed it."""
    symbols = subprocess.run(['nm', '-n', os.path.join(capture, 'program.elf')],
                             stdout=subprocess.PIPE, text=True).stdout.split('\n')
    starts = [(int(line.split()[0], 16), line.split()[2]) for line in symbols if line]
    counts = collections.Counter()
    for source in SOURCES:
        for line in wanted(capture, source, 'addresses'):
            address = int(line.split()[0], 16)
            counts[max(s for s in starts if s[0] <= address)[1]] += 1
    return sorted('%d %s' % (count, name) for name, count in counts.items())


def main():
    capture, programs, profiler = sys.argv[1], sys.argv[2:7], sys.argv[7]
    tap = Tap()
    outputs = []
    for program in programs:
        status, output, complaint = run(program, capture)
        tap.case('%s ends well' % os.path.basename(program),
                 ['status %d: %s' % (status, complaint)] if status or complaint else [])
        outputs.append(output)
    tap.case('capture: buffer, sources and memory', check_capture(outputs[0]))
    for source in SOURCES:
        executed = wanted(capture, source, 'addresses')
        tap.case('packets of %s' % source,
                 equal(parts(outputs[1]).get(source), wanted(capture, source, 'packets')))
        atoms = [line.split()[-1] for line in parts(outputs[2]).get(source, []) if ' Atom ' in line]
        tap.case('atoms of %s' % source,
                 equal(atoms, [line.split()[1] for line in executed if ' ' in line]))
        tap.case('flow of %s' % source,
                 equal(list(instructions(parts(outputs[3]).get(source, []))), executed))
    executed = wanted(capture, SOURCES[0], 'addresses')
    tap.case('hottest blocks of %s' % SOURCES[0],
             equal(parts(outputs[4]).get(SOURCES[0]), hottest(executed)))
    tap.case('instructions of %s' % SOURCES[0],
             [] if ' %d instructions' % len(executed) in outputs[4] else [outputs[4].splitlines()[-1]])
    status, output, complaint = run(profiler, capture, os.path.join(capture, 'program.elf'))
    tap.case('profile by function', equal(
        sorted(' '.join(line.split()) for line in output.splitlines()), by_function(capture)) if not status
        else ['status %d: %s' % (status, complaint)])
    tap.end()


if __name__ == '__main__':
    main()
