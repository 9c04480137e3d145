# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of firmware share: recording it on a machine of QEMU, and what the recording must equal."""
import collections
import re
import subprocess

QEMU = 'qemu-system-arm'
LARGE = ['--set', 'MTB_MASTER=16']  # 1 MiB: keeps all packets
VECTORS_SIZE = 4 * 20
NUMBERS = {'HardFault': 3, 'SVCall': 11, 'PendSV': 14, 'SysTick': 15}


def number_of(name):
    return NUMBERS[name] if name in NUMBERS else 16 + int(name[len('IRQ'):])


def record(bench, name, board, options=(), logged=True):
    """(status, output, messages, folder, addresses of the plain list, QEMU's log)"""
    beside, _ = bench.beside()
    beside[-1] += ',list=' + bench.path('list')
    log = ['--qemu-argument=-d', '--qemu-argument=int', '--qemu-argument=-D',
           '--qemu-argument=' + bench.path('log')]
    result = bench.record([bench.own(name)], ['--machine', board, *beside, *(log if logged else []),
                                              *options], seed=False)
    with open(bench.path('list')) as file:
        listed = file.read().split()
    text = ''
    if logged:
        with open(bench.path('log')) as file:
            text = file.read()
    return (*result, listed, text)


def faulting(bench, name):
    """Addresses of UDF: the list has them, and they did not execute."""
    with open(bench.own(name), 'rb') as file:
        image = file.read()
    # The code segment is the first program header's.
    start = int.from_bytes(image[28:32], 'little')
    offset = int.from_bytes(image[start + 4:start + 8], 'little')
    address = int.from_bytes(image[start + 8:start + 12], 'little')
    size = int.from_bytes(image[start + 16:start + 20], 'little')
    return {'%x' % (address + at) for at in range(VECTORS_SIZE, size, 2) if image[offset + at + 1] == 0xde}


def flow(bench, folder):
    return subprocess.run([bench.flowhash, folder, 'cpu_0'], stdout=subprocess.PIPE, check=True,
                          text=True).stdout.split()


def compare_flow(bench, folder, executed, unseen=()):
    """Nothing is missing from the first branch on, but what ran behind the last one; and what no plugin is
    told of, at the addresses `unseen`."""
    decoded = [address for address in flow(bench, folder) if address not in unseen]
    problems = ['%s gaps' % row[2] for row in bench.decode(folder) if row[2] != '0']
    first = executed.index(decoded[0]) if decoded and decoded[0] in executed else len(executed)
    if first > 100 or executed[first:first + len(decoded)] != decoded:
        problems.append('decoded is not what was executed from instruction %d on' % first)
    if len(executed) - first - len(decoded) > 10:
        problems.append('%d of %d instructions are decoded' % (len(decoded), len(executed)))
    return problems


def logged(log):
    """What QEMU says it did: ('to', handler), ('by', EXC_RETURN), and behind that ('on to', handler) where it
    chained, or ('on to', None) where it went back."""
    events = []
    for line in log.splitlines():
        value = re.search(r'magic PC (\w+)|loaded new PC 0x(\w+)', line)
        if value and value[1]:
            events += [('by', int(value[1], 16) & ~1), ('on to', None)]
        elif value:
            chained = events and events[-1] == ('on to', 'chains')
            events[-1:] = [('on to', int(value[2], 16) & ~1)] if chained else [*events[-1:], ('to', int(value[2], 16) & ~1)]
        elif line.startswith('...tailchaining'):
            events[-1] = ('on to', 'chains')
    return events


def traced(text):
    """The same of an MTB's packets; going back has its address."""
    events = []
    for name, source, value, to in re.findall(
            r'(Exception or debug|Exception return target|Exception return) +(?:source=0x(\w+) )?'
            r'(?:EXC_RETURN=0x(\w+) )?.*?(?:destination=0x(\w+) )?(?:joined=\d )?A=\d', text):
        if source == 'fefffffe': # back from Non-secure code, by no exception
            continue
        if name == 'Exception return':
            events.append(('by', int(value, 16)))
        else:
            events.append(('on to' if value else 'to', int(to, 16)))
    return events


def compare_exceptions(bench, folder, log, printed, chained=50):
    """The packets against QEMU's log, and both against the firmware, which chains so many at least."""
    got, want = traced(bench.run([bench.cairn, 'packets', folder])[1].decode()), logged(log)
    problems = []
    if len(got) != len(want):
        problems.append('%d exceptions and returns, not %d' % (len(got), len(want)))
    for i, (one, other) in enumerate(zip(got, want)):
        if one != other and not (one[0] == other[0] and other[1] is None):
            problems.append('exceptions and returns, number %d: %r, not %r' % (i, got[i:i + 3], want[i:i + 3]))
            break
    taken = collections.Counter(re.findall(r'taking pending (?:non)?secure exception (\d+)', log))
    if printed and {number: int(count) for number, count in printed} != taken:
        problems.append('the firmware counted %r' % printed)
    if log.count('tailchaining') < chained:
        problems.append('the firmware does not chain exceptions any more')
    return problems
