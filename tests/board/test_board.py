#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's arm64 kernel and perf on a machine of `cairn run`: what programs did by the perf.data that the guest wrote equals
what a plain plugin beside was told, instruction by instruction; Debian's perf on this side lists the same.

usage: test_board.py CAIRN EXECUTED_PLUGIN FOLDER MACHINE    one boot; MACHINE: one core | two | a kernel at EL2"""
import array
import os
import re
import shutil
import subprocess
import sys
import tempfile

from executed import Flow, Told, missed, missed_late

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(TOP, 'tests', 'house'), os.path.join(TOP, 'tests', 'cli'), os.path.join(TOP, 'tests', 'feeds')]
from perf_lists import difference, listed, rows_of  # noqa: E402
from perf_file import perf_script  # noqa: E402
from tap import Tap  # noqa: E402

FIRST, LAST = 0x10000000, 0x1fffffff
KERNEL = 1500000  # instructions that are told of it, each of the first two times that `collatz` is executed
# Programs: where they are, and how often they begin each time: with what they become.
PROGRAMS = {'collatz': (0x10, 1), 'threads': (0x11, 1), 'forks': (0x12, 2), 'jumps': (0x13, 1), 'linked': (0x14, 2)}
BEGIN = '''cd /root
rec() {
    name=$1 event=$2
    shift 2
    perf record -m ,4M -e "$event" -o $name.data "$@" > $name.out 2>&1 || echo "perf ended with $?" >> $name.out
}
echo 0 > /proc/sys/kernel/kptr_restrict
'''
END = '''dmesg > dmesg
tar c . > /dev/vda
'''

# What the guest does, by the name of what it records, which begins with the program's.
OPTIONS = {
    'collatz': 'rec %s cs_etm/@trbe0/u /programs/collatz',
    'threads-all': 'rec %s cs_etm/contextid,timestamp,retstack,cycacc,@trbe0/u /programs/threads',
    'forks-ids': 'rec %s cs_etm/contextid,@trbe0/u /programs/forks',
    'jumps-stack': 'rec %s cs_etm/retstack,@trbe0/u /programs/jumps',
    'collatz-cycles': 'rec %s cs_etm/cycacc,@trbe0/u /programs/collatz',
    'collatz-broadcast': 'rec %s cs_etm/branch_broadcast,@trbe0/u /programs/collatz',
    'collatz-untimed': 'rec %s cs_etm/timestamp=0,@trbe0/u /programs/collatz',
    'linked': 'rec %s cs_etm/@trbe0/u /programs/linked',
}
ONE = dict({
    'collatz-kernel': 'rec %s cs_etm/@trbe0/k --kcore /programs/collatz',
    'collatz-both': 'rec %s cs_etm/@trbe0/ --kcore /programs/collatz',
}, **OPTIONS, **{
    'collatz-filter': "rec %s cs_etm/@trbe0/u --filter 'filter {offset}/{size}@/programs/collatz' /programs/collatz",
    'collatz-start': "rec %s cs_etm/@trbe0/u --filter 'start {main}@/programs/collatz,stop {main_end}@/programs/collatz' /programs/collatz",
    'threads-small': 'rec %s cs_etm/contextid,@trbe0/u -m ,32K /programs/threads',
    'collatz-strobe': 'rec %s cs_etm/autofdo,preset=2,@trbe0/u /programs/collatz',
    'jumps-thread': 'rec %s cs_etm/@trbe0/u --per-thread /programs/jumps',
})
TWO = {
    'collatz': 'rec %s cs_etm//u /programs/collatz',
    'threads': 'rec %s cs_etm/contextid/u /programs/threads',
    'forks': 'rec %s cs_etm//u /programs/forks',
    'threads-plug': '''online=/sys/devices/system/cpu/cpu1/online
rec %s cs_etm//u sh -c "/programs/threads & echo 0 > $online; echo 1 > $online; wait"''',
    'threads-wide': 'rec %s cs_etm//u -a /programs/threads',
    'collatz-second': 'rec %s cs_etm//u taskset 2 /programs/collatz',
    'threads-anew': '''for module in coresight-trbe coresight-etm4x coresight; do rmmod $module; done
for module in coresight coresight-etm4x coresight-trbe; do insmod /modules/$module.ko; done
rec %s cs_etm//u /programs/threads''',
}
HOST = dict(list(OPTIONS.items())[:4])
# The cipher of the architecture, for pointer authentication, takes QEMU most of the time.
MACHINES = {'one core': (ONE, []), 'two': (TWO, ['--cores', '2']),
            'a kernel at EL2': (HOST, ['--machine', 'virt,virtualization=on', '--cpu', 'max,pauth-impdef=on'])}
# The others: perf lacks the kernel's code, and goes on across losses.
BY_PERF = [name for name in ONE if name not in ('collatz-kernel', 'collatz-both', 'threads-small')]
PARTS = {'collatz-filter', 'collatz-strobe', 'collatz-start'}  # of what was executed some is traced


def run(words, timeout=300, **options):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=timeout, **options)


def of_readelf(program, option, pattern):
    return re.search(pattern, run(['readelf', option, '-W', program]).stdout, re.M)


class Board:
    def __init__(self, cairn, plugin, folder, temporary):
        self.cairn, self.plugin, self.folder, self.temporary = cairn, plugin, folder, temporary
        self.guest = os.environ.get('CAIRN_BOARD', os.path.join(TOP, 'build', 'board'))

    def program(self, name):
        return os.path.join(self.folder, name)

    def path(self, *names):
        return os.path.join(self.temporary, *names)

    def entry(self, name):
        return int(of_readelf(self.program(name), '-h', r'Entry point address:\s+0x([0-9a-f]+)')[1], 16)

    def missing(self):
        if not os.path.exists(os.path.join(self.guest, 'debian', 'complete')):
            return 'no guest: scripts/board %s makes it' % self.guest
        if not shutil.which('qemu-system-aarch64'):
            return 'no qemu-system-aarch64'
        return None if all(os.path.exists(self.program(name)) for name in PROGRAMS) else 'no aarch64-linux-gnu-gcc'

    def boot(self, script, arguments):
        """What the console said, and whether the machine ended well."""
        os.symlink(os.path.join(os.path.abspath(self.guest), 'debian'), self.path('debian'))
        with open(self.path('script'), 'w') as file:
            file.write(script)
        made = run([os.path.join(TOP, 'scripts', 'board'), self.temporary, '--run', self.path('script'),
                    *map(self.program, PROGRAMS)])
        if made.returncode:
            return made.stdout, False
        with open(self.path('disk'), 'wb') as file:
            file.truncate(256 << 20)
        beside = '%s,out=%s,first=0x%x,last=0x%x' % (self.plugin, self.path('told'), FIRST, LAST)
        if '-kernel' in script:
            beside += ',kernel=%d,entry=0x%x,times=2' % (KERNEL, self.entry('collatz'))
        ran = run([self.cairn, 'run', '--kernel', self.path('kernel'), '--initrd', self.path('initrd.img'), '--disk', self.path('disk'),
                   '--qemu-argument', '-plugin', '--qemu-argument', beside, *arguments])
        run(['tar', 'xf', self.path('disk'), '-C', self.temporary])
        root = self.path('root')
        os.makedirs(os.path.join(root, 'programs'))
        for name in ('lib', 'usr'):
            os.symlink(os.path.join(self.path('debian'), 'root', name), os.path.join(root, name))
        for name in PROGRAMS:
            shutil.copy(self.program(name), os.path.join(root, 'programs'))
        return ran.stdout, ran.returncode == 0

    def read(self, name):
        try:
            with open(self.path(name)) as file:
                return file.read()
        except OSError:
            return ''

    def flow(self, name, wanted):
        done = subprocess.run([self.cairn, 'flow', '--format', 'addresses', '--sysroot', self.path('root'), self.path(name + '.data')],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return Flow(done.stdout, wanted), done.stderr


def check_log(log):
    problems = [line for line in log.splitlines() if re.search(r'WARNING|Unsupported|BUG|Oops|wouldn|failed', line)]
    if 'breakpoint and 4 watchpoint' not in log and log:
        problems.append('breakpoints are not those of the core')
    return problems if log else ['there is no log']


def check_kernel(board, name, told, nth, first):
    """The kernel, and in `first` to LAST the program, in the order in which both were executed."""
    flow, _ = board.flow(name, lambda address: address >> 63 or first <= address <= LAST)
    problem, _, count = missed_late(flow.segments[0], told.from_entry(board.entry('collatz'), nth))
    if flow.gaps:
        return ['%d gaps, the first %s' % (len(flow.gaps), flow.gaps[0])]
    return [problem] if problem else [] if count > 200000 else ['only %d instructions' % count]


def check_losses(board, name, run_of_it):
    """A buffer that is too small: what is in the flow was executed in this order, and there are as many gaps as perf has flagged parts, or more,
    where offsets leave bytes out. Where nobody had read the buffer when the thread ran again, perf began no part and flagged none: that
    is a Trace On like any other."""
    base = PROGRAMS[name.split('-')[0]][0] << 24
    flow, said = board.flow(name, lambda address: base <= address < base + (1 << 24))
    flagged = re.search(r'of its (\d+) parts .* lost behind (\d+) \(truncated\), in (\d+) \(partial\) and by collisions in (\d+)', said)
    segments, stream = flow.segments[0], run_of_it.get(0, b'')
    problem, _ = missed(segments, stream)
    problems = [problem] if problem else []
    if not flagged:
        return problems + ['no part is flagged: ' + said]
    lost = sum(gap.startswith('# gap lost') for gap in flow.gaps)
    parts, *flags = map(int, flagged.groups())
    if not max(1, max(flags) - 1) <= lost <= parts:  # nothing comes behind the last part
        problems.append('%d gaps, and %s' % (lost, flagged[0]))
    missing = len(stream) // 8 - sum(map(len, segments))
    return problems + ([] if 1000 < missing < len(stream) // 8 - 3000 else ['%d instructions are missing' % missing])


def within(board, name, stream):
    """Of what was executed what a filter lets through: a function but its last instruction, or all from main on up to its end."""
    words = array.array('Q', stream)
    filters = {'collatz-filter': 'next', 'collatz-start': 'main'}
    if name not in filters:
        return stream
    first, size = (int(number, base) for number, base in zip(
        of_readelf(board.program('collatz'), '-s', r'([0-9a-f]+)\s+(\d+) FUNC .* %s$' % filters[name]).groups(), (16, 10)))
    if name == 'collatz-start':
        return words[words.index(first):words.index(first + size - 4) + 1].tobytes()
    return array.array('Q', (word for word in words if first <= word < first + size)).tobytes()


def check(board, name, run_of_it):
    """One recording against the execution that it is of."""
    base = PROGRAMS[name.split('-')[0]][0] << 24
    flow, said = board.flow(name, lambda address: base <= address < base + (1 << 24))
    problems, between = [], 0
    if 'trace was lost' in said:
        problems.append(said.strip())
    for core in sorted({*run_of_it, *flow.segments}):
        problem, count = missed(flow.segments.get(core, []), within(board, name, run_of_it.get(core, b'')))
        problems += ['cpu%d: %s' % (core, problem)] if problem else []
        between += count
    gaps = [gap for gap in flow.gaps if 'no-image' not in gap]
    if gaps:
        problems.append('a gap: ' + gaps[0])
    if between and name != 'collatz-strobe':
        problems.append('%d instructions that were executed are not in it' % between)
    if flow.count < 3000:
        problems.append('only %d instructions' % flow.count)
    return problems


def check_perf(board, name):
    """Debian's perf on this side, which decodes with OpenCSD and does not know the machine. Where tracing pauses between two instructions,
    as by filters, it lists a branch from the last one to nowhere as well: of those recordings the instructions are compared."""
    path, root = board.path(name + '.data'), board.path('root')
    done = subprocess.run([board.cairn, 'flow', '--format', 'json', '--sysroot', root, path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    instructions, branches = listed(rows_of(done.stdout))
    rows, said = perf_script(path, 'ip', '--itrace=i1i', '--symfs', root)
    problems = difference('%s: instructions (%s)' % (name, said[-100:]), instructions, [int(row, 16) for row in rows if row.strip()])
    if name in PARTS:
        return problems
    rows, said = perf_script(path, 'ip,addr', '--itrace=b', '--symfs', root)
    theirs = [tuple(int(word, 16) for word in row.split('=>')) for row in rows if '=>' in row]
    return problems + difference('%s: branches (%s)' % (name, said[-100:]), branches, theirs)


def main():
    cairn, plugin, folder, machine = sys.argv[1:]
    recordings, arguments = MACHINES[machine]
    tap = Tap()
    with tempfile.TemporaryDirectory() as temporary:
        board = Board(cairn, plugin, folder, temporary)
        names = ['the machine ends well, its trace units in the log', 'nothing in its log is a warning', *recordings]
        if machine == 'one core':
            names.append('perf lists the same')
        why = board.missing()
        if why:
            for name in names:
                tap.skip(name, why)
            tap.end()
        steps = of_readelf(board.program('collatz'), '-s', r'([0-9a-f]+)\s+(\d+) FUNC .* next$')
        body = of_readelf(board.program('collatz'), '-s', r'([0-9a-f]+)\s+(\d+) FUNC .* main$')
        main = int(body[1], 16) - FIRST
        where = {'offset': '0x%x' % (int(steps[1], 16) - FIRST), 'size': str(int(steps[2]) - 4),  # its last is in it
                 'main': '0x%x' % main, 'main_end': '0x%x' % (main + int(body[2]) - 4)}
        script = BEGIN + ''.join(line % name + '\n' for name, line in recordings.items()) + END
        for word, value in where.items():
            script = script.replace('{%s}' % word, value)
        console, ended = board.boot(script, arguments)
        log = board.read('dmesg')
        wanted = ['ete0: CPU0: ete v1'] + (['Virtualization Host Extensions'] if machine == 'a kernel at EL2' else [])
        tap.case(names[0], [] if ended and all(text in log for text in wanted) else [console[-2000:]])
        tap.case(names[1], check_log(log))
        told = Told(board.path('told')) if os.path.exists(board.path('told')) else None
        begins = {name: (base, board.entry(name), times) for name, (base, times) in PROGRAMS.items()}
        runs = told.runs(begins) if told else {name: [] for name in PROGRAMS}
        for name in recordings:
            program = name.split('-')[0]
            mine = runs[program].pop(0) if runs[program] else {}
            if not mine or not os.path.exists(board.path(name + '.data')):
                tap.case(name, ['nothing was recorded: ' + board.read(name + '.out')])
            elif name == 'collatz-kernel':
                tap.case(name, check_kernel(board, name, told, 0, LAST + 1))
            elif name == 'collatz-both':
                tap.case(name, check_kernel(board, name, told, 1, FIRST))
            elif name == 'threads-small':
                tap.case(name, check_losses(board, name, mine))
            else:
                off = [] if 'plug' not in name or 'CPU1 killed' in log else ['the core was not switched off']
                tap.case(name, check(board, name, mine) + off)
        if machine == 'one core':
            tap.case(names[-1], [problem for name in BY_PERF for problem in check_perf(board, name)])
    tap.end()


if __name__ == '__main__':
    main()
