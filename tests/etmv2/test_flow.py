#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Random ETMv2 traces of a second writer, which shares nothing with the library: what `cairn flow` and
`cairn data` say of them has to be what was executed, loaded and stored; of a trace without its begin, what
was executed from the first TFO on; and with a part of the program missing, what was executed outside of it.

usage: test_flow.py CAIRN WRITER INSTRUCTIONS SEEDS...   each a number, or the first and how many: 1000+20
"""
import functools
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
from common import Tap, expect, program, run  # noqa: E402

BASE = ['--protocol', 'etmv2', '--frames', 'none']
SAMPLE = 4
# The parts of the program, and one that is left out (code.c).
HOLE = range(0x7f008400, 0x7f008600)
KINDS = 'whole', 'without its begin', 'without a part of the program', 'data', 'cycles', 'events', 'data without its begin', 'damaged'
# IHI0014 4.5.3, as Cairn calls them
VECTORS = {0x00: 'Processor reset', 0x04: 'Undefined Instruction', 0x08: 'Supervisor Call',
           0x0c: 'Prefetch Abort or software breakpoint', 0x10: 'Data Abort or software watchpoint', 0x18: 'IRQ',
           0x1c: 'FIQ'}
VECTOR_BASES = 0, 0xffff0000
DATA_ABORT = 0x10


def expect_same(what, got, wanted):
    got, wanted = list(got), list(wanted)
    for index, (one, other) in enumerate(zip(got, wanted)):
        if one != other:
            return ['%s %d: %r, expected %r; before it %r' % (what, index, one, other,
                                                              wanted[max(0, index - 4):index])]
    return expect('number of ' + what, len(got), len(wanted))


def listed_at(address, what):
    """The halves of a BL are one instruction, where the first is."""
    return '%x' % (int(address, 16) - 2 * (what == 'second'))


class Seed:
    """What the writer wrote of a seed."""

    def __init__(self, folder, seed):
        self.number = seed
        self.path = os.path.join(folder, str(seed))
        with open(self.path + '.args', encoding='utf-8') as file:
            self.arguments = [*BASE, *file.read().splitlines()]
        with open(self.path + '.expected', encoding='utf-8') as file:
            self.entries = [line.split() for line in file]
        with open(self.path + '.samples', 'rb') as file:
            self.samples = file.read()
        self.has_contexts = any(word[1] == 'context' for word in self.entries)
        self.stored_all = seed % 2 == 0
        control = int(next(word[6:] for word in self.arguments if word.startswith('ETMCR=')), 16)
        self.is_cycle_accurate = control >> 12 & 1
        self.has_values = control >> 2 & 1
        identity = next((word[7:] for word in self.arguments if word.startswith('ETMIDR=')), '0')
        self.loads_pc_first = int(identity, 16) >> 16 & 1

    def instructions(self, first=0, hole=()):
        """Instructions as `--format addresses` has them; cancelled ones are not there. From the first TFO
        on; and behind a hole from the next address on that is told."""
        is_synced = is_known = False
        begin = None
        for sample, kind, *words in self.entries:
            if int(sample) < first:
                continue
            if kind == 'insn':
                address, _, outcome, what = words[:4]
                is_synced = is_synced or 'periodic' in words
                is_known = is_known or 'periodic' in words
                if is_known and 'cancelled' not in words and what != 'first' and int(address, 16) not in hole:
                    yield listed_at(address, what) + (
                        ' ' + outcome if what in ('branch', 'second') or outcome == 'N' else '')
                # of an LSM that tracing takes up, the TFO has the address behind it as well
                if int(address, 16) in hole and sample != begin:
                    is_known = False
            elif kind == 'on':
                is_synced = is_known = True
                begin = sample
            elif kind in ('branch', 'exception'):
                is_known = is_synced

    def tfos(self):
        return [int(sample) for sample, kind, *words in self.entries if kind == 'on' or 'periodic' in words]

    def between_miss_and_value(self):
        """The sample of a TFO behind a miss and in front of its value; None if there is none."""
        misses, last = {}, None
        for sample, kind, *words in self.entries:
            if kind == 'on' or 'periodic' in words:
                last = int(sample)
            elif kind == 'miss':
                misses[words[3]] = int(sample)
            elif kind == 'late' and last is not None and misses[words[0]] < last:
                return last
        return None

    def cut(self):
        """A sample, and a file of what there is from it on."""
        first = self.between_miss_and_value()
        if first is None:
            first = len(self.samples) // SAMPLE * (self.number % 9 + 1) // 11
        with open(self.path + '.cut', 'wb') as file:
            file.write(self.samples[first * SAMPLE:])
        return first, self.path + '.cut'

    def transfers_of_cut(self):
        """(kind, tag, value, whether its miss is known) behind the first TFO."""
        first, is_synced, misses = self.cut()[0], False, set()
        for sample, kind, *words in self.entries:
            is_synced = is_synced or int(sample) >= first and (kind == 'on' or 'periodic' in words)
            if not is_synced:
                continue
            if kind == 'data':
                yield 'transfer', None, words[2], False
            elif kind == 'miss':
                misses.add(words[3])
                yield 'placeholder', int(words[2]), '-', False
            elif kind == 'untraced':
                yield 'not_traced', None, '-', False
            elif kind == 'late':
                yield 'late', int(words[1]), words[2], words[0] in misses

    def steps(self):
        """(address, cycles since the instruction before, or None where tracing began)."""
        last = begin = None
        for sample, kind, *words in self.entries:
            if kind == 'on':
                last, begin = None, sample
            elif kind == 'insn' and 'cancelled' not in words and words[3] != 'first':
                # its own cycle counts, but of an LSM that a TFO implies
                total = int(words[4]) + (sample != begin)
                yield listed_at(words[0], words[3]), None if last is None else total - last
                last = total

    def contexts(self):
        """Each Context ID that differs from the one before."""
        last = None
        for _, kind, *words in self.entries:
            if kind == 'context' and words[0] != last:
                last = words[0]
                yield last

    def exceptions(self):
        """(name, return address). An exception that cancels nothing returns behind its instruction, but for a data
        abort, which is of the instruction itself."""
        at = behind = None
        for _, kind, *words in self.entries:
            if kind == 'insn':
                at = '%x' % int(words[0], 16)
                behind = '%x' % (int(words[0], 16) + (2 if words[1] == 'thumb' else 4))
            elif kind in ('branch', 'exception') and int(words[1], 16) & ~0x1f in VECTOR_BASES:
                vector = int(words[1], 16) & 0x1f
                if vector not in VECTORS: # nothing comes there but jumps
                    continue
                if kind == 'branch':
                    yield VECTORS[vector], at if vector == DATA_ABORT else behind
                else:
                    yield 'Asynchronous Data Abort' if vector == DATA_ABORT else VECTORS[vector], at

    def begins(self):
        for _, kind, *words in self.entries:
            if kind == 'on':
                yield from ('overflow', 'trace_on') if words[0] == 'overflow' else ('trace_on',)

    def triggers(self):
        return [int(sample) * SAMPLE for sample, kind, *_ in self.entries if kind == 'trigger']

    def transfers(self):
        misses = {}
        for _, kind, *words in self.entries:
            if kind == 'data':
                yield 'transfer', words[0], words[1], words[2]
            elif kind == 'miss':
                misses[words[3]] = words[0]
                yield 'placeholder', words[0], words[1], words[2]
            elif kind == 'untraced':
                yield 'not_traced', words[0], '-', '-'
            elif kind == 'late':
                yield 'late', misses[words[0]], words[1], words[2]


@functools.lru_cache(2)
def flow_rows(cairn, seed):
    return run(cairn, 'flow', '--format', 'json', *seed.arguments, seed.path + '.samples').rows()


def listed(lines):
    return (line for line in lines if line[0] != '#')


def contexts_of(lines):
    last = None
    for line in lines:
        words = line.split()
        if words[:2] == ['#', 'context']:
            value = words[words.index('context-id') + 1][2:] if 'context-id' in words else '0'
            if value != last:
                last = value
                yield value


def transfers_of(rows):
    misses = {}

    def short(row, key):
        return row[key][2:] if key in row else '-'
    for row in (row for row in rows if row['type'] == 'data'):
        kind, at = row['data'], short(row, 'address')
        if kind == 'transfer':
            yield kind, at, short(row, 'data_address'), short(row, 'value')
        elif kind == 'placeholder':
            misses[row['offset']] = at
            yield kind, at, short(row, 'data_address'), str(row['tag'])
        elif kind == 'late':
            yield kind, misses.get(row.get('placeholder'), '-'), str(row['tag']), short(row, 'value')
        else:
            yield kind, at, '-', '-'


def check_whole(cairn, seed):
    answer = run(cairn, 'flow', '--format', 'addresses', *seed.arguments, seed.path + '.samples')
    lines = answer.lines()
    # proves: ETM2-6.3-c, ETM2-6.5.1-e, ETM2-6.1.2-a, ETM2-6.1.5-a, ETM2-6.7.1-g
    yield from expect_same('instruction', listed(lines), seed.instructions())
    yield from expect_same('context', contexts_of(lines) if seed.has_contexts else (), seed.contexts())
    yield from [line for line in lines if line.startswith('# gap') and ' no-sync ' not in line or 'disagree' in line][:3]
    yield from answer.err.splitlines()[:3] if answer.status == 2 else []
    reference = run(cairn, 'flow', '--format', 'addresses', '--reference', *seed.arguments, seed.path + '.samples')
    yield from expect_same('line of the reference', reference.lines(), lines)


def check_cut(cairn, seed):
    if not seed.stored_all:
        return
    first, path = seed.cut()
    lines = run(cairn, 'flow', '--format', 'addresses', *seed.arguments, path).lines()
    # proves: ETM2-6.5.1-f
    yield from expect_same('instruction', listed(lines), seed.instructions(first))


def check_cut_data(cairn, seed):
    """A late value of which the placeholder was lost is nobody's."""
    if not seed.stored_all or not seed.has_values:
        return
    path = seed.cut()[1]
    rows = run(cairn, 'data', '--format', 'json', *seed.arguments, path).rows()
    got = [(row['data'], row.get('tag'), row.get('value', '0x-')[2:], 'placeholder' in row)
           for row in rows if row['type'] == 'data']
    # proves: ETM2-6.4.3-c
    yield from expect_same('transfer', got, seed.transfers_of_cut())


def check_damaged(cairn, seed):
    """A cycle is lost, there twice, or has a wrong bit: flow is right from the second TFO behind it on, if not
    from the first."""
    tfos = seed.tfos()
    if not seed.stored_all or len(tfos) < 6:
        return
    choice = random.Random(seed.number)
    at = choice.randrange(tfos[1], tfos[-4])
    sample = bytearray(seed.samples[at * SAMPLE:at * SAMPLE + SAMPLE])
    flipped = bytearray(sample)
    flipped[choice.choice((0, 2))] ^= 1 << choice.randrange(4)
    with open(seed.path + '.damaged', 'wb') as file:
        file.write(seed.samples[:at * SAMPLE] + choice.choice((b'', sample + sample, flipped)) +
                   seed.samples[at * SAMPLE + SAMPLE:])
    answer = run(cairn, 'flow', '--format', 'addresses', *seed.arguments, seed.path + '.damaged')
    lines = list(listed(answer.lines()))
    wanted = [list(seed.instructions(tfo)) for tfo in [tfo for tfo in tfos if tfo > at + 2][:2]]
    # proves: ETM2-6.4.1-l
    yield from expect('flow behind damage', any(lines[len(lines) - len(end):] == end for end in wanted), True)


def check_hole(cairn, seed):
    arguments = [word for word in seed.arguments]
    at = arguments.index(next(word for word in arguments if word.endswith('@%#x' % HOLE.start)))
    del arguments[at - 1:at + 1]
    lines = run(cairn, 'flow', '--format', 'addresses', *arguments, seed.path + '.samples').lines()
    # proves: ETM2-6.6-a, ETM2-6.6-b
    yield from expect_same('instruction', listed(lines), seed.instructions(0, HOLE))


def check_data(cairn, seed):
    rows = run(cairn, 'data', '--format', 'json', *seed.arguments, seed.path + '.samples').rows()
    got, wanted = list(transfers_of(rows)), list(seed.transfers())
    for index, (one, other) in enumerate(zip(got, wanted)):
        # that follows from the first one's; where the PC may be the first it has to be known which words they are
        if other[2][0] == '+':
            wanted[index] = other[:2] + ('-' if seed.loads_pc_first and one[2] == '-' else other[2][1:],) + other[3:]
    # proves: ETM2-6.4.2-b, ETM2-6.4.2-d, ETM2-6.4.3-b, ETM2-6.4.3-h
    yield from expect_same('transfer', got, wanted)


def steps_of(rows):
    total, last = 0, None
    for row in rows:
        if row['type'] in ('trace_on', 'overflow'):
            last = None
        elif row['type'] == 'cycles':
            total += row['cycles'] or 0
        elif row['type'] == 'range':
            for step in row['code']:
                yield step['address'][2:], None if last is None else total - last
                last = total


def check_cycles(cairn, seed):
    if not seed.is_cycle_accurate:
        return
    rows = flow_rows(cairn, seed)
    # proves: ETM2-6.11-a
    yield from expect_same('step', steps_of(rows), seed.steps())


def check_events(cairn, seed):
    rows = flow_rows(cairn, seed)
    got = [(row['exception_name'], (row.get('address') or '0x-')[2:]) for row in rows if row['type'] == 'exception']
    # proves: ETM2-6.8.1-a, ETM2-6.8.1-b
    yield from expect_same('exception', got, seed.exceptions())
    yield from expect_same('begin', (row['type'] for row in rows if row['type'] in ('trace_on', 'overflow')),
                           seed.begins())
    if seed.stored_all:
        # proves: ETM2-6.1.7-a, ETM2-6.1.7-c
        yield from expect_same('trigger', (row['offset'] for row in rows if row['type'] == 'event'),
                               seed.triggers())


def main():
    cairn, writer, instructions = sys.argv[1:4]
    checks = dict(zip(KINDS, (check_whole, check_cut, check_hole, check_data, check_cycles, check_events,
                              check_cut_data, check_damaged)))
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        seeds = []
        for word in sys.argv[4:]:
            first, _, count = word.partition('+')
            subprocess.run([*program(writer), folder, first, count or '1', instructions], check=True)
            seeds += range(int(first), int(first) + int(count or 1))
        problems = {kind: [] for kind in KINDS}
        for seed in (Seed(folder, number) for number in seeds):
            for kind in KINDS:
                problems[kind] += ('seed %d: %s' % (seed.number, problem) for problem in checks[kind](cairn, seed))
        for kind in KINDS:
            tap.case('%d programs: %s' % (len(seeds), kind), problems[kind])
    tap.end()


if __name__ == '__main__':
    main()
