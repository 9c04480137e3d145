#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Whole machines, recorded from outside (`cairn record --machine virt`): the flow of each core, decoded with nothing but the
capture, is what a plain plugin beside was told, instruction by instruction, and its exceptions and returns are those of QEMU's
own log, with types, return addresses and levels. Firmware at EL3, EL2 and EL1, two cores, and Debian's kernel with programs.

usage: test_whole.py CAIRN EXECUTED_PLUGIN WHOLE FOLDER firmware|kernel"""
import os
import re
import subprocess
import sys
import tempfile
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(TOP, 'tests', 'house')]
from tap import Tap  # noqa: E402

EVERYTHING = 'first=0,last=0xffffffffffffffff'
# What the kernel leaves out, as it takes most of the time in which it boots.
APPEND = 'quiet cryptomgr.notests initcall_blacklist=jent_mod_init'
INIT = '''#!/bin/busybox sh
/programs/collatz
/programs/other & /programs/collatz
wait
/programs/threads
/programs/forks
/bin/busybox poweroff -f
'''
PROGRAMS = ('collatz', 'other', 'threads', 'forks')
COUNTS = re.compile(r'(\d+) instructions, (\d+) exceptions, (\d+) returns; (\d+) that faulted; begun (\d+) times; (\d+) beyond')
# Machines, the levels at which firmware finds itself there with their security states, and options of the recording.
LEVELS = {
    'EL1': ('virt', {'EL1 Non-secure', 'EL0 Non-secure'}, []),
    'EL2': ('virt,virtualization=on', {'EL2 Non-secure', 'EL1 Non-secure', 'EL0 Non-secure'}, ['--return-stack']),
    'EL3': ('virt,secure=on', {'EL3 Secure', 'EL1 Non-secure', 'EL0 Non-secure'}, ['--protocol', 'etmv4']),
    'EL3 and EL2': ('virt,secure=on,virtualization=on', {'EL3 Secure', 'EL2 Non-secure', 'EL1 Non-secure', 'EL0 Non-secure'},
                    ['--cycle-counts', '--timestamps', '--branch-broadcast']),
}


def run(words, timeout=300):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors='replace', timeout=timeout)


class Recorder:
    def __init__(self, cairn, plugin, whole, temporary):
        self.cairn, self.plugin, self.whole, self.temporary = cairn, plugin, whole, temporary

    def path(self, name):
        return os.path.join(self.temporary, name)

    def record(self, where, words):
        """The run of `cairn record` with the plain plugin, which writes down what comes behind `where`, and QEMU's log."""
        beside = []
        for word in ('-plugin', '%s,out=%s,%s,all=0x1000000000000000' % (self.plugin, self.path('told'), where), '-d', 'int', '-D',
                     self.path('log')):
            beside += ['--qemu-argument', word]
        return run([self.cairn, 'record', '-o', self.path('capture'), '--force', *beside, *words])

    def compare(self, core=0, log=True):
        """(the numbers that were counted, or None; what was said)."""
        flow = subprocess.Popen([self.cairn, 'flow', '--format', 'addresses', self.path('capture')], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL)
        done = subprocess.run([self.whole, self.path('told'), str(core), self.path('log') if log else '-'], stdin=flow.stdout,
                              stdout=subprocess.PIPE, text=True)
        flow.stdout.close()
        flow.wait()
        found = COUNTS.match(done.stdout)
        return found and done.returncode == 0 and [int(number) for number in found.groups()], done.stdout

    def contexts(self):
        flow = run([self.cairn, 'flow', '--format', 'addresses', self.path('capture')]).stdout
        return re.findall(r'^# context (EL\d \S+) AArch64(?: context-id (0x[0-9a-f]+))?', flow, re.M)


def check_levels(recorder, folder, level):
    machine, expected, options = LEVELS[level]
    ran = recorder.record(EVERYTHING, ['--machine', machine, '--context-ids', *options, '--', os.path.join(folder, 'levels')])
    if ran.returncode:
        return [ran.stderr]
    counts, said = recorder.compare()
    contexts = recorder.contexts()
    problems = [] if counts else [said]
    if {name for name, _ in contexts} != expected:
        problems.append('contexts: %s' % contexts)
    # The firmware counts rounds down in CONTEXTIDR_EL1.
    if {int(number, 16) for _, number in contexts if number} != set(range(1, 41)):
        problems.append('context identifiers: %s' % contexts)
    # In each of 40 rounds: BRK, an undefined instruction, an abort, and 6 calls from EL0.
    if counts and (counts[1] < 360 or counts[3] < 120 or counts[5]):
        problems.append(said)
    return problems + (['execution was not seen'] if 'not seen' in ran.stderr else [])


def check_cores(recorder, folder):
    ran = recorder.record(EVERYTHING, ['--machine', 'virt', '--cores', '2', '--', os.path.join(folder, 'cores')])
    problems = [] if ran.returncode == 0 and 'not seen' not in ran.stderr and 'in order' not in ran.stderr else [ran.stderr]
    for core in (0, 1):
        counts, said = recorder.compare(core, log=False)
        if not counts or counts[0] < 200000 or (core == 0 and counts[5]):
            problems.append('core %d: %s' % (core, said))
        # Each time that the second one is switched on is a beginning.
        if counts and counts[4] != (1, 4)[core]:
            problems.append('core %d: %s' % (core, said))
    return problems


def check_limit(recorder, folder):
    ran = recorder.record(EVERYTHING, ['--machine', 'virt', '--limit', '5000', '--', os.path.join(folder, 'levels')])
    counts, said = recorder.compare()
    return [] if ran.returncode == 0 and counts and 5000 - 64 <= counts[0] <= 5000 + 64 else [said, ran.stderr]


def check_start(recorder, folder):
    """From the first instruction at EL0 on, by its name."""
    ran = recorder.record(EVERYTHING, ['--machine', 'virt', '--start', 'at_EL0', '--', os.path.join(folder, 'levels')])
    counts, said = recorder.compare()
    first = recorder.contexts()[:1]
    return [] if counts and first and first[0][0] == 'EL0 Non-secure' and counts[0] > 5000 else [said, str(first), ran.stderr]


def make_guest(recorder, folder, guest):
    script = os.path.join(TOP, 'scripts', 'board')
    loader = SourceFileLoader('board', script)
    board = module_from_spec(spec_from_loader('board', loader))
    loader.exec_module(board)
    archive = board.Archive()
    for name in ('proc', 'dev'):
        archive.add(name, 0o40755)
    archive.add('dev/console', 0o20600, device=(5, 1))
    archive.add('dev/null', 0o20666, device=(1, 3))
    archive.add_file('bin/busybox', os.path.join(guest, 'debian', 'root', 'bin', 'busybox'))
    for name in PROGRAMS:
        archive.add_file('programs/' + name, os.path.join(folder, name))
    archive.add('init', 0o100755, INIT.encode())
    with open(recorder.path('initrd'), 'wb') as file:
        file.write(archive.end())


def check_kernel(recorder, guest):
    """From the entry of the first program on: it is the shell's."""
    busybox = os.path.join(guest, 'debian', 'root', 'bin', 'busybox')
    entry = re.search(r'Entry point address:\s+(0x[0-9a-f]+)', run(['readelf', '-hW', busybox]).stdout)[1]
    ran = recorder.record('first=%s,last=%s' % (entry, entry), [
        '--machine', 'virt', '--memory', '128', '--kernel', os.path.join(guest, 'kernel'), '--initrd', recorder.path('initrd'),
        '--append', APPEND, '--context-ids', '--start', entry])
    counts, said = recorder.compare()
    contexts = recorder.contexts()
    yield [] if ran.returncode == 0 and 'not seen' not in ran.stderr else [ran.stdout[-2000:], ran.stderr]
    yield [] if counts and counts[0] > 5000000 and counts[5] == 0 else [said]
    yield [] if counts and counts[1] > 500 and counts[2] > 500 and counts[3] > 100 else [said]
    # Each process has its own, at both levels.
    both = [{number for name, number in contexts if name == level} for level in ('EL0 Non-secure', 'EL1 Non-secure')]
    yield [] if len(both[0] & both[1]) >= 5 else [str(both)]
    # Code of the kernel that was patched; and two programs that are at the same addresses, at the same time.
    with open(recorder.path('capture/cpu_0.ini')) as file:
        changed = [int(address, 16) for address in re.findall(r'^address=(0x[0-9a-f]+)', file.read(), re.M)]
    of_programs = [address for address in changed if address >> 24 == 0x10]
    yield [] if len(of_programs) >= 10 and len(changed) > len(of_programs) else ['%d epochs, %d of programs' % (
        len(changed), len(of_programs))]


def main():
    cairn, plugin, whole, folder, what = sys.argv[1:]
    tap = Tap()
    guest = os.environ.get('CAIRN_BOARD', os.path.join(TOP, 'build', 'board'))
    with tempfile.TemporaryDirectory() as temporary:
        recorder = Recorder(cairn, plugin, whole, temporary)
        if what == 'firmware':
            cases = {'firmware that begins at ' + level: (check_levels, level) for level in LEVELS}
            cases['two cores, of which one is switched off and on'] = (check_cores,)
            cases['a limit'] = (check_limit,)
            cases['from a symbol on'] = (check_start,)
            why = None if os.path.exists(os.path.join(folder, 'levels')) else 'no aarch64-linux-gnu-gcc'
            for name, (check, *more) in cases.items():
                if why:
                    tap.skip(name, why)
                else:
                    tap.case(name, check(recorder, folder, *more))
            tap.end()
        names = ['the machine is recorded to its end', 'what was executed', 'exceptions and returns, as QEMU logged them',
                 'context identifiers at EL0 and EL1', 'memory that changed']
        why = None
        if not os.path.exists(os.path.join(guest, 'debian', 'complete')):
            why = 'no guest: scripts/board %s makes it' % guest
        elif not all(os.path.exists(os.path.join(folder, name)) for name in PROGRAMS):
            why = 'no aarch64-linux-gnu-gcc'
        if why:
            for name in names:
                tap.skip(name, why)
            tap.end()
        make_guest(recorder, folder, guest)
        for name, problems in zip(names, check_kernel(recorder, guest)):
            tap.case(name, problems)
    tap.end()


if __name__ == '__main__':
    main()
