#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""How fast programs are recorded: Debian's arm64 programs under plain QEMU and under `cairn record`,
in rounds that take turns. Prints for each the rate, the ratio to plain QEMU, and the trace's size.
And the same of a whole machine: Debian's kernel that boots, up to where it misses a root file system.

usage: record.py CAIRN ROOT [--rounds N] [--long] [--machine GUEST]     ROOT: what scripts/arm64-programs unpacked;
GUEST: what scripts/board made. --long adds a program that runs for a minute, with the memory that its recording took.
"""
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SQL = ('create table t(a, b); with recursive n(i) as (select 1 union all select i+1 from n where '
       'i<60000) insert into t select i, i*7919%30011 from n; select b%13, count(*), sum(a) from t '
       'group by 1 order by 2, 1;')
PROGRAMS = [
    ('xz', 'usr/bin/xz', ['-3', '-c', '-T1'], True),
    ('gzip', 'bin/gzip', ['-6', '-c'], True),
    ('bzip2', 'bin/bzip2', ['-6', '-c'], True),
    ('perl', 'usr/bin/perl', ['-e', '$s += length(join ",", map { $_ * 3 % 17 } 1 .. $_ % 90) for 1 .. 6000; print $s'],
     False),
    ('python3', 'usr/bin/python3.11', ['-I', '-S', '-B', '-c', 'print(sum(i * i % 7 for i in range(400000)))'], False),
    ('sqlite3', 'usr/bin/sqlite3', [':memory:', SQL], False),
    ('mawk', 'usr/bin/mawk', ['BEGIN { for (i = 0; i < 900000; i++) n += length(i "x" i * i) % 7; print n }'], False),
]
CONFIGURATIONS = [('default', []), ('return stack', ['--return-stack']),
                  ('cycle counts', ['--cycle-counts=64']), ('broadcast', ['--branch-broadcast'])]
# Without the tests of its own ciphers the kernel has few long loops.
SHORT = ' cryptomgr.notests initcall_blacklist=jent_mod_init'
MACHINES = [('default', [], ''), ('contexts', ['--context-ids', '--return-stack'], ''), ('two cores', ['--cores', '2'], ''),
            ('few loops', [], SHORT)]
MACHINE_GOAL = 40  # million instructions a second
SUMMARY = re.compile(r'(\d+) instructions, \d+ sources?: (\d+) bytes of trace')


def run(command, stdin):
    with open(stdin, 'rb') as source:
        start = time.perf_counter()
        done = subprocess.run(command, stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              env=dict(PATH='/usr/bin:/bin', LC_ALL='C', PERL_HASH_SEED='0',
                                       PYTHONHASHSEED='0'))
    if done.returncode:
        sys.exit('%s: status %d\n%s' % (command, done.returncode, done.stderr.decode()))
    return time.perf_counter() - start, done.stderr.decode()


def spread(values, form):
    return form % statistics.median(values) + ' (' + form % min(values) + ' to ' + form % max(values) + ')'


def measure(cairn, root, rounds, stdin, folder):
    print('%-9s %-13s %14s  %-28s %-26s %s' % ('program', 'unit', 'instructions', 'million/s (min to max)',
                                              'times plain QEMU', 'bits/insn'))
    for name, path, arguments, reads in PROGRAMS:
        program = [os.path.join(root, path), *arguments]
        source = stdin if reads else os.devnull
        qemu = ['setarch', '-R', 'qemu-aarch64', '-seed', '1', '-L', root, *program]
        plain, recorded = [], {title: [] for title, _ in CONFIGURATIONS}
        found = {}
        for _ in range(rounds):
            plain.append(run(qemu, source)[0])
            for title, options in CONFIGURATIONS:
                seconds, messages = run([cairn, 'record', '--force', '--seed', '1', '-o', folder, '-L', root,
                                         *options, '--', *program], source)
                found[title] = [int(value) for value in SUMMARY.search(messages).groups()]
                recorded[title].append(seconds)
        for title, _ in CONFIGURATIONS:
            instructions, size = found[title]
            print('%-9s %-13s %14d  %-28s %-26s %.3f' % (
                name, title, instructions,
                spread([instructions / 1e6 / s for s in recorded[title]], '%.0f'),
                spread([r / p for r, p in zip(recorded[title], plain)], '%.2f'), 8 * size / instructions),
                flush=True)


def measure_machine(cairn, guest, rounds, folder):
    """The kernel ends in a panic, and with it the machine: with -no-reboot that is status 0."""
    kernel, met = os.path.join(guest, 'kernel'), True
    for title, options, more in MACHINES:
        words = 'panic=-1' + more
        cores = options[1] if '--cores' in options else '1'
        plain, recorded = [], []
        qemu = ['qemu-system-aarch64', '-no-reboot', '-display', 'none', '-net', 'none', '-monitor', 'none', '-serial', 'stdio', '-M',
                'virt,dtb-randomness=off', '-cpu', 'cortex-a72', '-m', '512', '-smp', cores, '-kernel', kernel, '-append',
                'console=ttyAMA0 ' + words]
        for _ in range(rounds):
            plain.append(run(qemu, os.devnull)[0])
            seconds, messages = run([cairn, 'record', '--force', '-o', folder, '--machine', 'virt', '--kernel', kernel, '--append', words,
                                     *options], os.devnull)
            instructions, size = (int(value) for value in SUMMARY.search(messages).groups())
            recorded.append((seconds, instructions))
        rates = [count / 1e6 / seconds for seconds, count in recorded]
        print('%-9s %-13s %14d  %-28s %-26s %.3f' % (
            'boot', title, instructions, spread(rates, '%.0f'),
            spread([one[0] / other for one, other in zip(recorded, plain)], '%.2f'), 8 * size / instructions), flush=True)
        met &= statistics.median(rates) >= MACHINE_GOAL
    print('a kernel that boots: at least %d million instructions a second: %s' % (MACHINE_GOAL, 'met' if met else 'NOT MET'))


def measure_long(cairn, root, folder):
    """A minute of work: what the recorder adds to QEMU's memory does not grow with the trace."""
    program = [os.path.join(root, 'usr/bin/mawk'),
               'BEGIN { for (i = 0; i < 12000000; i++) n += length(i) % 7; print n }']
    start = time.perf_counter()
    _, messages = run([cairn, 'record', '--force', '-o', folder, '-L', root, '--', *program], os.devnull)
    seconds = time.perf_counter() - start
    instructions, size = (int(value) for value in SUMMARY.search(messages).groups())
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print('long run: %.0f s, %.2f billion instructions, %.0f MB of trace, %.0f million/s; most memory of '
          'any process %.0f MiB' % (seconds, instructions / 1e9, size / 1e6, instructions / 1e6 / seconds,
                                    peak))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    cairn, root = sys.argv[1:3]
    rounds = int(sys.argv[sys.argv.index('--rounds') + 1]) if '--rounds' in sys.argv else 3
    work = tempfile.mkdtemp(prefix='cairn-bench-')
    try:
        stdin = os.path.join(work, 'input')
        with open(stdin, 'wb') as file:
            # a program file and text that does not repeat itself: both compress as such things do
            with open(os.path.join(root, 'usr/bin/python3.11'), 'rb') as source:
                file.write(source.read(1 << 20))
            file.write(''.join('%d %x\n' % (i * 7919 % 100003, i * i) for i in range(40000)).encode())
        print('recording under QEMU; load %.2f; %d rounds; medians' % (os.getloadavg()[0], rounds))
        measure(cairn, root, rounds, stdin, os.path.join(work, 'capture'))
        guest = sys.argv[sys.argv.index('--machine') + 1] if '--machine' in sys.argv else None
        if guest and os.path.exists(os.path.join(guest, 'kernel')):
            measure_machine(cairn, guest, rounds, os.path.join(work, 'capture'))
        elif guest:
            print('no guest in %s: scripts/board makes it' % guest)
        if '--long' in sys.argv:
            measure_long(cairn, root, os.path.join(work, 'capture'))
    finally:
        shutil.rmtree(work, ignore_errors=True)


main()
