#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Whole machines, recorded from outside (`cairn record --machine virt`): the flow of each core, decoded with nothing but the
capture, is what a plain plugin beside was told, instruction by instruction, and its exceptions and returns are those of QEMU's
own log, with types, return addresses and levels. Firmware at EL3, EL2 and EL1, two cores, and Debian's kernel with programs.

usage: test_whole.py CAIRN EVERYTHING_PLUGIN WHOLE FOLDER firmware|kernel|boot    boot: all of the kernel's, from reset on (docs/soak.md)"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(TOP, 'tests', 'house')]
from tap import Tap  # noqa: E402

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
COUNTS = re.compile(r'(\d+) instructions, (\d+) exceptions, (\d+) returns; (\d+) that faulted; begun (\d+) times; (\d+) beyond; left (\d+) that were told, '
                    r'(\d+) that were logged')
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

    def record(self, words, start=''):
        """The run of `cairn record` with the plain plugin, which writes down what comes from an address on, and QEMU's log."""
        beside = []
        for word in ('-plugin', '%s,out=%s%s' % (self.plugin, self.path('told'), ',from=' + start if start else ''), '-d',
                     'int', '-D', self.path('log')):
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


def not_in_order(ran):
    return [ran.stderr] if ran.returncode or 'not seen' in ran.stderr or 'in order' in ran.stderr else []


def not_whole(counts, said, told=0):
    """Of a machine that ended by itself all that was executed is in the flow, but for an instruction that ended it."""
    return [] if counts and counts[6:] == [told, 0] else [said]


def check_levels(recorder, folder, level):
    machine, expected, options = LEVELS[level]
    ran = recorder.record(['--machine', machine, '--context-ids', *options, '--', os.path.join(folder, 'levels')])
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
    return problems + not_whole(counts, said, 1) + not_in_order(ran)


def check_vmid(recorder, folder):
    """The VMID of VTTBR_EL2 with ETMv4, and CONTEXTIDR_EL2 with ETE, of a core that has it."""
    problems = []
    for vmid, options in ((7, ['--protocol', 'etmv4']), (0x77, ['--cpu', 'max'])):
        ran = recorder.record(['--machine', 'virt,virtualization=on', '--context-ids', *options, '--',
                               os.path.join(folder, 'levels')])
        flow = run([recorder.cairn, 'flow', '--format', 'addresses', recorder.path('capture')]).stdout
        found = {int(number, 16) for number in re.findall(r'^# context EL1 .* vmid (0x[0-9a-f]+)', flow, re.M)}
        if found != {vmid}:
            problems.append('%s, %s' % (found, ran.stderr))
    return problems


def check_narrow(recorder, folder):
    """Code in AArch32 state is a hole, which is told, and the flow goes on behind it."""
    ran = recorder.record(['--machine', 'virt', '--', os.path.join(folder, 'narrow')])
    flow = run([recorder.cairn, 'flow', '--format', 'addresses', recorder.path('capture')]).stdout
    begun = len(re.findall('^# trace on', flow, re.M))
    exceptions = re.findall('^# exception (?!return)(.*)', flow, re.M)
    levels = {name for name, _ in recorder.contexts()}
    words = 'not seen in 2 places' in ran.stderr and 'code in AArch32 state' in ran.stderr and 'in order' not in ran.stderr
    return [] if words and begun == 3 and len(exceptions) == 1 and levels == {'EL1 Non-secure'} and '# gap' not in flow else [
        ran.stderr, flow]


def check_cores(recorder, folder):
    ran = recorder.record(['--machine', 'virt', '--cores', '2', '--', os.path.join(folder, 'cores')])
    problems = not_in_order(ran)
    for core in (0, 1):
        counts, said = recorder.compare(core, log=False)
        if not counts or counts[0] < 120000 or (core == 0 and (counts[5] or not_whole(counts, said, 1))):
            problems.append('core %d: %s' % (core, said))
        # Each time that the second one is switched on is a beginning.
        if counts and counts[4] != (1, 4)[core]:
            problems.append('core %d: %s' % (core, said))
    return problems


def check_limit(recorder, folder):
    ran = recorder.record(['--machine', 'virt', '--limit', '5000', '--', os.path.join(folder, 'levels')])
    counts, said = recorder.compare()
    return [] if ran.returncode == 0 and counts and 5000 - 64 <= counts[0] <= 5000 + 64 else [said, ran.stderr]


def check_start(recorder, folder):
    """From the first instruction at EL0 on, by its name."""
    ran = recorder.record(['--machine', 'virt', '--start', 'at_EL0', '--', os.path.join(folder, 'levels')])
    counts, said = recorder.compare()
    first = recorder.contexts()[:1]
    return [] if counts and first and first[0][0] == 'EL0 Non-secure' and counts[0] > 5000 else [said, str(first), ran.stderr]


def check_refused(recorder, folder):
    firmware, problems = ['--', os.path.join(folder, 'levels')], []
    with open(recorder.path('image'), 'wb') as file:
        file.write(bytes(4096))
    with open(recorder.path('zImage'), 'wb') as file:
        file.write(bytes(36) + b'\x18\x28\x6f\x01' + bytes(4096))
    for options, words in ((['--machine', 'virt'], 'record what?'),
                           (['--machine', 'virt', '--kernel', recorder.path('none')], 'No such file'),
                           (['--machine', 'virt', '--kernel', recorder.path('image')], 'is no kernel for arm64'),
                           (['--machine', 'virt', '--kernel', recorder.path('zImage')], 'is a kernel for AArch32'),
                           (['--machine', 'virt', '--', recorder.path('image')], 'is no ELF file'),
                           (['--machine', 'virt', '--', os.path.join(folder, 'collatz')], 'is a Linux program'),
                           (['--machine', 'virt', '--kernel', recorder.path('image'), *firmware], 'one of them'),
                           (['--machine', 'microbit', '--kernel', recorder.path('image')], '--machine virt'),
                           (['--machine', 'virt', '--cores', '0', *firmware], '1 to 512'),
                           (['--machine', 'virt', '--protocol', 'ptm', *firmware], 'no A64'),
                           (['--machine', 'virt', '--core', 'Cortex-M4', *firmware], 'A profile'),
                           (['--machine', 'virt', '--trbe', 'size=4096', *firmware], 'cairn run'),
                           (['--machine', 'virt', '--start', 'nowhere', *firmware], 'nowhere'),
                           (['--machine', 'virt', '--qemu-argument', '-icount', '--qemu-argument', 'shift=0', *firmware],
                            'without'),
                           (['--machine', 'virt', '--cpu', 'cortex-a15', *firmware], 'AArch32')):
        ran = run([recorder.cairn, 'record', '-o', recorder.path('refused'), *options])
        if ran.returncode not in (1, 2) or words not in ran.stderr or os.path.exists(recorder.path('refused')):
            problems.append('%s: status %d, %s' % (' '.join(options), ran.returncode, ran.stderr))
    return problems


def check_interrupt(recorder, folder):
    """Of firmware that does not end: all that was recorded is there."""
    child = subprocess.Popen([recorder.cairn, 'record', '-o', recorder.path('interrupted'), '--force', '--machine', 'virt', '--',
                              os.path.join(folder, 'spins')], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
    trace = recorder.path('interrupted/cpu_0.bin')
    for _ in range(200):
        time.sleep(0.05)
        if os.path.exists(trace) and os.path.getsize(trace) > 0:
            break
    child.send_signal(signal.SIGINT)
    said = child.communicate(timeout=60)[1]
    flow = run([recorder.cairn, 'flow', '--format', 'addresses', recorder.path('interrupted')]).stdout
    return [] if 'in order' not in said and '40200000' in flow and 'gap' not in flow else [said, flow[:200]]


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
    ran = recorder.record([
        '--machine', 'virt', '--memory', '128', '--kernel', os.path.join(guest, 'kernel'), '--initrd', recorder.path('initrd'),
        '--append', APPEND, '--context-ids', '--start', entry], entry)
    counts, said = recorder.compare()
    contexts = recorder.contexts()
    problems = not_in_order(ran) + not_whole(counts, said)
    yield [ran.stdout[-2000:], *problems] if problems else []
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


def check_boot(recorder, guest):
    """From the first instruction to switching off, with programs: more than 10^8 instructions."""
    ran = recorder.record(['--machine', 'virt', '--memory', '128', '--kernel', os.path.join(guest, 'kernel'), '--initrd',
                           recorder.path('initrd'), '--append', APPEND, '--context-ids'])
    counts, said = recorder.compare()
    print('# ' + said.strip())
    problems = not_in_order(ran) + not_whole(counts, said)
    return problems if problems or counts[0] > 100000000 and counts[1] > 2000 and counts[2] > 2000 and counts[5] == 0 else [said]


def main():
    cairn, plugin, whole, folder, what = sys.argv[1:]
    tap = Tap()
    guest = os.environ.get('CAIRN_BOARD', os.path.join(TOP, 'build', 'board'))
    with tempfile.TemporaryDirectory() as temporary:
        recorder = Recorder(cairn, plugin, whole, temporary)
        if what == 'firmware':
            cases = {'firmware that begins at ' + level: (check_levels, level) for level in LEVELS}
            cases['two cores, of which one is switched off and on'] = (check_cores,)
            cases['virtual machine identifiers'] = (check_vmid,)
            cases['AArch32 state'] = (check_narrow,)
            cases['a limit'] = (check_limit,)
            cases['from a symbol on'] = (check_start,)
            cases['Ctrl-C'] = (check_interrupt,)
            cases['what cannot be recorded'] = (check_refused,)
            why = None if os.path.exists(os.path.join(folder, 'levels')) else 'no aarch64-linux-gnu-gcc'
            for name, (check, *more) in cases.items():
                if why:
                    tap.skip(name, why)
                else:
                    tap.case(name, check(recorder, folder, *more))
            tap.end()
        names = ['the machine is recorded to its end', 'what was executed', 'exceptions and returns, as QEMU logged them',
                 'context identifiers at EL0 and EL1', 'memory that changed']
        if what == 'boot':
            names = ['a boot from reset to its end']
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
        cases = [check_boot(recorder, guest)] if what == 'boot' else check_kernel(recorder, guest)
        for name, problems in zip(names, cases):
            tap.case(name, problems)
    tap.end()


if __name__ == '__main__':
    main()
