#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Firmware recorded on machines of QEMU: what is decoded was executed, in that order, by the plain list of a
second plugin; each exception and each return is where QEMU's own log of them says (-d int); and there are as
many as the firmware counted."""
import collections
import os
import re
import sys

from machine import LARGE, QEMU, compare_exceptions, compare_flow, faulting, flow, number_of, record
from recording import Bench, Tap

BOARDS = ['mps2-an385', 'mps2-an386', 'mps2-an500']  # M3, M4, M7


def check_exceptions(bench, board, name):
    status, out, messages, folder, listed, log = record(bench, name, board, LARGE)
    if status or 'not seen' in messages:
        return ['status %d: %s' % (status, messages)]
    udf = faulting(bench, name)
    executed = [address for address in listed if address not in udf]
    printed = [tuple(line.split()) for line in out.decode().splitlines()]
    return (compare_flow(bench, folder, executed) + compare_exceptions(bench, folder, log, printed))


MRSEQ, MRSNE = 'f3ef8008', 'f3ef8009'  # of the fault's handler: which stack it was


def check_etmv3(bench):
    """All instructions, the conditions of those under IT, and exceptions with their numbers. The firmware
    uses the process stack from the fifth of twelve rounds on, and each of them has a fault."""
    status, _, messages, folder, listed, log = record(bench, 'exceptions', BOARDS[0],
                                                      ['--protocol', 'etmv3'])
    udf = faulting(bench, 'exceptions')
    problems = [] if status == 0 and 'not seen' not in messages else [messages]
    problems += ['%s gaps' % row[2] for row in bench.decode(folder) if row[2] != '0']
    if flow(bench, folder) != [address for address in listed if address not in udf]:
        problems.append('decoded is not what was executed')
    text = bench.run([bench.cairn, 'flow', '--format', 'full', folder])[1].decode()
    # a blank: it passed, and is no branch
    outcomes = collections.Counter(re.findall(r'[0-9a-f]{8} ([EN ]) (%s|%s) ' % (MRSEQ, MRSNE), text))
    if outcomes != {(' ', MRSEQ): 4, ('N', MRSEQ): 8, (' ', MRSNE): 8, ('N', MRSNE): 4}:
        problems.append('conditions: %r' % outcomes)
    exceptions = re.findall(r'# exception (\w+) at (\S+)', text)
    if [number_of(name) for name, _ in exceptions] != \
            [int(number) for number in re.findall(r'taking pending nonsecure exception (\d+)', log)]:
        problems.append('exceptions differ from QEMU\'s: %r' % exceptions[:8])
    # A decoder that is told of no address knows where it stands, but not behind a return.
    if sum(place == 'an' for _, place in exceptions) != log.count('tailchaining'):
        problems.append('%d exceptions at an unknown address' % sum(p == 'an' for _, p in exceptions))
    return problems


def check_options(bench):
    """Each has the same flow."""
    expected, problems = None, []
    for options in ([], ['--cycle-counts'], ['--cycle-counts', '--timestamps'], ['--branch-broadcast'],
                    ['--sync-period', '256']):
        *_, folder, listed, _ = record(bench, 'exceptions', BOARDS[0],
                                       ['--protocol', 'etmv3', *options], False)
        udf = faulting(bench, 'exceptions')
        expected = expected or [address for address in listed if address not in udf]
        if flow(bench, folder) != expected or any(row[2] != '0' for row in bench.decode(folder)):
            problems.append('%r: decoded is not what was executed' % options)
    return problems


def check_stacking(bench, name):
    """With data trace: what is unstacked is what was stacked last, and the word for the return address is where
    the decoder stands; a chained exception moves nothing."""
    *_, folder, _, log = record(bench, name, BOARDS[0],
                                ['--protocol', 'etmv3', '--data', 'both', '--sync-period', '0'])
    frames, problems, chained = [], [], 0
    words, kind = [], None
    lines = [*bench.run([bench.cairn, 'elements', folder])[1].decode().splitlines(), 'end']
    for line in lines:
        if ' Data ' in line and kind:
            words.append((re.findall(r'address=(\w+)', line), re.findall(r'value=(\w+)', line)))
            continue
        if kind == 'Stacking':
            frames.append(words)
        elif kind == 'Exception Return' and words:
            pushed = frames.pop() if frames else []
            if len(words) != 8 or not words[0][0] or words[0][0] != (pushed or [[[]]])[0][0]:
                problems.append('unstacked %r, stacked %r' % (words, pushed))
        elif kind == 'Exception Return':
            chained += 1
        found = re.search(r' (Stacking|Exception Return) *$', line)
        words, kind = [], found and found[1]
    if frames or any(len(words) != 8 for words in frames):
        problems.append('%d frames are left' % len(frames))
    if chained != log.count('tailchaining'):
        problems.append('%d returns without unstacking' % chained)
    return problems


def check_alike(bench):
    """Timers come at the same instruction in every run."""
    first = flow(bench, record(bench, 'exceptions', BOARDS[0], LARGE, False)[3])
    again = flow(bench, record(bench, 'exceptions', BOARDS[0], LARGE, False)[3])
    return [] if first and first == again else ['two runs differ']


def check_limit(bench):
    _, _, messages, folder, listed, _ = record(bench, 'spins', BOARDS[0], [*LARGE, '--limit', '20000'],
                                               False)
    told = int((re.findall(r'(\d+) instructions', messages) or ['0'])[0])
    problems = compare_flow(bench, folder, listed[:told])
    if not 20000 <= told < 20100:
        problems.append('%d instructions' % told)
    return problems


def check_interrupt(bench):
    """As Ctrl-C: the signal goes to QEMU as well."""
    status, _, messages = bench.run(['timeout', '-s', 'INT', '2', bench.cairn, 'record', '-o',
                                     bench.path('interrupted'), '--machine', BOARDS[0], '--',
                                     bench.own('spins')])
    problems = [] if status == 124 and 'in order' not in messages else [messages]
    return problems + ['%s gaps' % row[2] for row in bench.decode(bench.path('interrupted'))
                       if row[2] != '0' or row[0] == '0']


def check_lockup(bench):
    """QEMU gives up by signal 6, and writes no list then. The call and the return are executed 1,000 times,
    the branch of the loop once less, and then the first of the two faults leads to its handler."""
    status, _, messages, folder = bench.record([bench.own('locks')], ['--machine', BOARDS[0], *LARGE],
                                               seed=False)
    problems = [] if status == 128 + 6 and 'in order' not in messages else ['%d: %s' % (status, messages)]
    _, packets, _ = bench.run([bench.cairn, 'packets', folder])
    text = packets.decode()
    counts = sorted(collections.Counter(re.findall(r'Branch +source=0x(\w+)', text)).values())
    if counts[-3:] != [999, 1000, 1000] or text.count('Exception or debug ') != 1:
        problems.append('branches %r' % counts)
    return problems + ['%s gaps' % row[2] for row in bench.decode(folder) if row[2] != '0']


def check_refused(bench):
    problems = []
    for options, word in ((['--machine', BOARDS[0], '--protocol', 'ete'], 'M profile'),
                          (['--machine', 'vexpress-a15', '--core', 'Cortex-A15'], 'Cortex-M'),
                          (['--machine', 'vexpress-a15'], '--core'),
                          (['--machine', 'virt'], 'is for AArch32'),
                          (['--machine', 'mps2-an505', '--protocol', 'etmv3'], '--protocol mtb'),
                          (['--machine', BOARDS[0], '--return-stack'], 'Cortex-M'),
                          (['--limit', '5'], '--machine')):
        status, _, messages, _ = bench.record([bench.own('spins')], options, seed=False)
        if status != 2 or word not in messages:
            problems.append('%r: status %d, %s' % (options, status, messages))
    for program, options, words in (('mixed-t32', ['--machine', BOARDS[0]], 'Linux program, no firmware'),
                                    ('spins', [], 'is firmware for a Cortex-M')):
        if not bench.own(program):
            continue
        status, _, messages, folder = bench.record([bench.own(program)], options, name='kind', seed=False)
        if status != 2 or words not in messages or '--machine' not in messages or os.path.exists(folder):
            problems.append('%s %r: status %d, %s' % (program, options, status, messages))
    return problems


def main():
    bench, tap = Bench(sys.argv), Tap()
    why = None
    if bench.missing(QEMU):
        why = '%s is not installed (Debian: qemu-system-arm)' % QEMU
    elif not bench.own('exceptions'):
        why = 'no cross compiler for firmware'
    cases = [('exceptions on ' + board, lambda board=board: check_exceptions(bench, board, 'exceptions'))
             for board in BOARDS]
    cases += [('tasks', lambda: check_exceptions(bench, BOARDS[0], 'tasks')),
              ('tasks with floating point', lambda: check_exceptions(bench, BOARDS[1], 'vfp_tasks'))]
    cases += [('ETMv3', lambda: check_etmv3(bench)), ('options of ETMv3', lambda: check_options(bench)),
              ('stacking', lambda: check_stacking(bench, 'exceptions')),
              ('stacking in a storm', lambda: check_stacking(bench, 'storm-m3')),
              ('two runs are alike', lambda: check_alike(bench)),
              ('a limit', lambda: check_limit(bench)), ('interrupted', lambda: check_interrupt(bench)),
              ('lockup', lambda: check_lockup(bench)), ('refused', lambda: check_refused(bench))]
    for name, check in cases:
        if why:
            tap.skip(name, why)
        else:
            tap.case(name, check())
    bench.close()
    tap.end()


main()
