#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Dumps of a trace buffer in memory (TRBE), as whoever holds one lists them: laid out here a byte at a time as
the buffer would be, and compared with the plain trace.

usage: test_trbe.py CAIRN
"""
import os
import re
import subprocess
import sys
import tempfile

from common import EXAMPLE_ADDRESSES, EXAMPLE_D11_1_1, START, Folder, Tap, captures, expect, expect_in, program, run

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'examples')
BASE, SIZE = 0xffff000010000000, 0x1000
FILL, WRAP, CIRCULAR = 0, 1, 3
S, WRAPPED, TRG, EA, IRQ = 1 << 17, 1 << 20, 1 << 21, 1 << 18, 1 << 22
UNIT = {'TRCCONFIGR': 0x1, 'TRCTRACEIDR': 0x10, 'TRCDEVARCH': 0x47705a13, 'TRCIDR0': 0x2801cea1, 'TRCIDR1': 0x4100fff0,
        'TRCIDR2': 0xd0001088, 'TRCIDR8': 0}
LAP = EXAMPLE_D11_1_1
STREAM = LAP * 300


class Buffer:
    """DDI0608 E1.2.1.1, E1.2.2.2: what a trace buffer does with a byte. Old bytes look like trace, too."""

    def __init__(self, mode, start, size=SIZE):
        self.memory, self.mode, self.size = bytearray(b'\xf7' * size), mode, size
        self.start = self.pointer = start
        self.laps, self.status = 0, 0

    def write(self, data):
        for byte in data:
            if self.status & S:
                return
            self.memory[self.pointer] = byte
            self.pointer += 1
            if self.pointer == self.size:
                self.pointer = 0
                self.laps += 1
                self.status |= WRAPPED | (0 if self.mode == CIRCULAR else IRQ)
                self.status |= (S | 1) if self.mode == FILL else 0

    def registers(self, *told, **over):
        """`told`: which of START and LAPS are given as well."""
        values = {'TRBBASER_EL1': BASE, 'TRBLIMITR_EL1': BASE + self.size | self.mode << 1, 'TRBPTR_EL1': BASE + self.pointer,
                  'TRBSR_EL1': self.status, 'TRBIDR_EL1': 0}
        known = {'START': BASE + self.start, 'LAPS': self.laps}
        values.update({name: known[name] for name in told})
        values.update(over)
        return {name: value for name, value in values.items() if value is not None}


def ini(registers, name='cpu0'):
    values = {**UNIT, **registers}
    return '[source %s]\nprotocol=ETE\ncore=ARMv9-A\n' % name + ''.join('%s=0x%x\n' % item for item in values.items())


class Dump:
    def __init__(self, cairn, folder):
        self.cairn, self.folder = cairn, folder
        self.image = folder.program()

    def run(self, command, memory, registers, *options):
        dump = self.folder.write('dump.bin', bytes(memory))
        config = self.folder.write('regs.ini', ini(registers))
        return run(self.cairn, command, dump, '--config', config, *self.image, *options)

    def flow(self, memory, registers):
        answer = self.run('flow', memory, registers, '--format', 'addresses')
        return [line for line in answer.lines() if not line.startswith('# source')]

    def plain(self, data):
        """The flow of bytes that are trace from the first on."""
        path = self.folder.write('plain.bin', data)
        config = self.folder.write('plain.ini', ini({}))
        answer = run(self.cairn, 'flow', path, '--config', config, *self.image, '--format', 'addresses')
        return [line for line in answer.lines() if not line.startswith('# source')]


def check_flow(dump, mode, start, length, told):
    """What is left of the stream, and no byte more."""
    buffer = Buffer(mode, start)
    buffer.write(STREAM[:length])
    if mode == FILL:
        left = STREAM[:min(length, SIZE - start)]
    else:
        left = STREAM[:length][-SIZE:]
    flow = dump.flow(buffer.memory, buffer.registers(*told))
    yield from expect('flow', flow, dump.plain(left))
    if length > 2 * len(LAP):
        yield from expect('something ran', len(flow) > len(EXAMPLE_ADDRESSES), True)


def check_info(dump):
    buffer = Buffer(WRAP, 0x100)
    buffer.write(LAP * 60)
    written = len(LAP) * 60
    around = bytes(64) + bytes(buffer.memory) + bytes(32)
    registers = buffer.registers('START', 'LAPS', DUMP=BASE - 64)
    answer = dump.run('info', around, registers)
    yield from expect('status', answer.status, 0)
    yield from expect_in('session', '%d bytes of trace' % written, answer.out)
    info = dump.run('info', around, registers, '--format', 'json').rows()[0]
    ledger = info['buffers'][0]['ledger']
    yield from expect('not written', ledger['unwritten'], SIZE - written)
    yield from expect('around', ledger['outside'], 96)
    yield from expect('adds up', info['buffers'][0]['adds_up'], True)
    yield from expect('bytes', info['sources'][0]['bytes'], written)
    for row in ('not written in the session', 'memory outside of the buffer'):
        yield from expect_in('row', row, answer.out)


def check_offsets(dump):
    """Offsets in the file are those of the dump, those of the trace are counted in the order of time."""
    buffer = Buffer(CIRCULAR, SIZE - 12)
    buffer.write(START)
    rows = dump.run('packets', buffer.memory, buffer.registers('START', 'LAPS'), '--format', 'json').rows()
    rows = [row for row in rows if row['type'] == 'packet']
    yield from expect('in the dump', [row['file_offset'] for row in rows[:3]], [SIZE - 12, 0, 2])
    yield from expect('in the trace', [row['offset'] for row in rows[:3]], [0, 12, 14])


def check_reason(dump, status, words_, severity, pointer=0x200):
    buffer = Buffer(FILL, 0)
    buffer.write(STREAM[:pointer])
    registers = buffer.registers('START', TRBSR_EL1=status)
    answer = dump.run('check', buffer.memory, registers, '--all')
    found = [line for line in answer.lines() if 'CAIRN-TRBE-STOPPED' in line]
    yield from expect('one line', len(found), 1)
    yield from expect('severity', found[0].split(':')[0] if found else '', severity)
    yield from expect_in('why', words_, answer.out)
    yield from expect_in('lost', 'after that is lost, and no packet tells of it', answer.out)
    # a statement, not a gap: what is there is decoded whole
    flow = dump.flow(buffer.memory, registers)
    yield from expect('flow', flow, dump.plain(STREAM[:pointer]))


def check_code(dump, code, words_, registers, status=0):
    buffer = Buffer(FILL, 0)
    buffer.write(STREAM[:8 * len(LAP)])
    answer = dump.run('check', buffer.memory, buffer.registers('START', **registers), '--all')
    found = [line for line in answer.lines() if code in line and words_ in line]
    yield from expect('findings of %s in %r' % (code, answer.out), len(found), 1)
    yield from expect('status', answer.status, status)


def check_clean(dump):
    """Nothing is told of a buffer that was drained in time."""
    buffer = Buffer(FILL, 0x40)
    buffer.write(STREAM[:8 * len(LAP)])
    answer = dump.run('check', buffer.memory, buffer.registers('START'))
    yield from expect('status', answer.status, 0)
    yield from expect('findings', [line for line in answer.lines() if 'TRBE' in line], [])


def check_stale(dump):
    """A WRAP of before the session: the flow is that of what was written, not of the old bytes behind."""
    buffer = Buffer(FILL, 0x40)
    buffer.memory[:] = (STREAM * 2)[:SIZE]
    buffer.write(STREAM[:8 * len(LAP)])
    registers = buffer.registers('START', TRBSR_EL1=WRAPPED)
    yield from expect('flow', dump.flow(buffer.memory, registers), dump.plain(STREAM[:8 * len(LAP)]))
    yield from expect_in('told', 'CAIRN-TRBE-WRAP', dump.run('check', buffer.memory, registers).out)


def check_overflow(dump):
    """An Overflow of the trace unit is a packet; the buffer that is full is none. Both are told."""
    data = (LAP + b'\x00\x05') * 40
    buffer = Buffer(FILL, SIZE - len(data))
    buffer.write(data)
    answer = dump.run('check', buffer.memory, buffer.registers('START'), '--all')
    full = [line for line in answer.lines() if 'CAIRN-TRBE-STOPPED' in line]
    overflow = [line for line in answer.lines() if 'CAIRN-OVERFLOW' in line]
    # proves: GL_OVERFLOW
    yield from expect('each once', (len(full), len(overflow)), (1, 1))
    # and without one of them the other alone is
    buffer.status = 0
    buffer.pointer = SIZE - 1
    answer = dump.run('check', buffer.memory, buffer.registers('START'), '--all')
    yield from expect('not full', 'CAIRN-TRBE-STOPPED' in answer.out, False)
    yield from expect('overflow', 'CAIRN-OVERFLOW' in answer.out, True)


def check_refused(dump, words_, over, size=SIZE):
    buffer = Buffer(WRAP, 0)
    buffer.write(STREAM)
    for command in ('info', 'check', 'flow', 'packets'):
        answer = dump.run(command, buffer.memory[:size], buffer.registers(**over))
        yield from expect(command, answer.status, 2)
        yield from expect_in(command, words_, answer.err)


def check_options(dump):
    """Without a file: everything by --set, through a pipe."""
    buffer = Buffer(WRAP, 0x300)
    buffer.write(STREAM[:SIZE - 0x200])
    arguments = ['--protocol', 'ete', '--core', 'ARMv9-A', *dump.image, '--format', 'addresses']
    for name, value in {**UNIT, **buffer.registers('START', 'LAPS')}.items():
        arguments += ['--set', '%s=0x%x' % (name, value)]
    wanted = dump.plain(STREAM[:SIZE - 0x200])
    path = dump.folder.write('dump.bin', bytes(buffer.memory))
    answer = run(dump.cairn, 'flow', path, *arguments)
    yield from expect('file', [line for line in answer.lines() if not line.startswith('# source')], wanted)
    piped = subprocess.run([*program(dump.cairn), 'flow', *arguments, '-'], input=bytes(buffer.memory),
                           stdout=subprocess.PIPE, check=False)
    lines = piped.stdout.decode().splitlines()
    yield from expect('pipe', [line for line in lines if not line.startswith('# source')], wanted)


def check_several(dump):
    """A description of two dumps is a capture: each source has its bytes and its flow."""
    flows = []
    text = ''
    for cpu, (mode, start, length) in enumerate(((WRAP, 0x300, 0x900), (FILL, 0x40, 0x500))):
        buffer = Buffer(mode, start)
        buffer.write(STREAM[:length])
        dump.folder.write('cpus/cpu%d.bin' % cpu, bytes(buffer.memory))
        text += ini({**buffer.registers('START', 'LAPS')}, 'cpu%d' % cpu).replace(
            'protocol', 'file=cpu%d.bin\nprotocol' % cpu)
        flows.append(dump.plain(STREAM[:length]))
    path = dump.folder.write('cpus/regs.ini', text)
    for cpu, wanted in enumerate(flows):
        answer = run(dump.cairn, 'flow', path, *dump.image, '--source', 'cpu%d' % cpu, '--format', 'addresses')
        yield from expect('flow of cpu%d' % cpu, [line for line in answer.lines() if not line.startswith('# source')],
                          wanted)
    info = run(dump.cairn, 'info', path, '--format', 'json').rows()[0]
    yield from expect('bytes', [source['bytes'] for source in info['sources']], [0x900, 0x500])
    yield from expect('adds up', [buffer['adds_up'] for buffer in info['buffers']], [True, True])
    # one way or the other
    other = dump.folder.path + '/cpus/cpu0.bin'
    yield from expect_in('as --config', 'file= of its own', run(dump.cairn, 'info', other, '--config', path).err)
    yield from expect_in('twice', 'one description too many', run(dump.cairn, 'info', path, '--config', path).err)
    bare = dump.folder.write('cpus/bare.ini', text.replace('file=cpu1.bin\n', ''))
    yield from expect_in('no file', 'source cpu1 has no file=', run(dump.cairn, 'info', bare).err)
    missing = dump.folder.write('cpus/missing.ini', text.replace('cpu1.bin', 'cpu2.bin'))
    answer = run(dump.cairn, 'info', missing)
    yield from expect('missing', (answer.status, 'cpu2.bin' in answer.err), (2, True))


def check_example(cairn):
    """examples/trbe: what its program executed, 50 times, as far as the ring still has it (docs/trbe.md)."""
    with open(os.path.join(EXAMPLES, 'capture', 'ETE_0.addresses'), encoding='ascii') as file:
        ran = [line for line in file.read().splitlines() if not line.startswith('#')] * 50
    folder = os.path.join(EXAMPLES, 'trbe')
    answer = run(cairn, 'flow', os.path.join(folder, 'memory.bin'), '--config', os.path.join(folder, 'regs.ini'), '--format',
                 'addresses')
    flow = [line for line in answer.lines() if not line.startswith('#')]
    yield from expect('long', len(flow) > 3000, True)
    yield from expect('flow', flow, ran[-len(flow):])


def loop_log(turns=4000):
    """A program that goes round and round, as a Fast Model lists it; where it goes on, a random sequence says."""
    code = {0x8000: 0xd503201f, 0x8004: 0x54000040, 0x8008: 0xd503201f, 0x800c: 0xd61f0000}
    lines, seed, time = [], 1, 0
    for _ in range(turns):
        seed = (seed * 1103515245 + 12345) % 2 ** 31
        path = [0x8000, 0x8004] if seed >> 20 & 1 else [0x8004]
        path += [0x800c] if seed >> 21 & 1 else [0x8008, 0x800c]
        for at in path:
            time += 1
            lines.append('%d clk cpu0 IT (%d) %08x:%08x_NS %08x O EL0t_n : -' % (time, time, at, at, code[at]))
    return ''.join(line + '\n' for line in lines)


class Log:
    """A log, recorded with a trace buffer."""

    def __init__(self, cairn, folder):
        self.cairn, self.folder = cairn, folder
        self.log = folder.write('loop.tarmac', loop_log())
        self.wanted = re.findall(r'_NS \w+ O', loop_log())

    def record(self, *options):
        self.to = os.path.join(os.path.dirname(self.log), 'recorded')
        return run(self.cairn, 'record', '--force', '-o', self.to, '--tarmac', self.log, *options)

    def bytes(self, suffix):
        with open(os.path.join(self.to, 'cpu0' + suffix), 'rb') as file:
            return file.read()

    def flow(self, dump):
        words = [self.to + '/cpu0.trbe.bin', '--config', self.to + '/cpu0.trbe.ini'] if dump else [self.to]
        return [line for line in run(self.cairn, 'flow', *words, '--format', 'addresses').lines() if not line.startswith('#')]


def check_recorded(log, mode):
    answer = log.record('--trbe', 'size=4K,base=0xffff000000000000,mode=' + mode, '--sync-period=1024')
    yield from expect('status', answer.status, 0)
    trace, memory = log.bytes('.bin'), log.bytes('.trbe.bin')
    whole, got = log.flow(False), log.flow(True)
    yield from expect('plain', len(whole), len(log.wanted))
    yield from expect('some', len(got) > 1000, True)
    if mode == 'fill':
        yield from expect('bytes', memory == trace[:SIZE], True)
        yield from expect('flow', got == whole[:len(got)], True)
        yield from expect_in('summary', '4096 bytes written to the trace buffer, %d lost, 1 interrupt; collection stopped '
                             'because the buffer was full' % (len(trace) - SIZE), answer.err)
    else:
        at = len(trace) % SIZE
        yield from expect('bytes', memory[at:] + memory[:at] == trace[-SIZE:], True)
        yield from expect('flow', got == whole[-len(got):], True)
        yield from expect_in('summary', '(the newest 4096 are in it), 0 lost, %d interrupt' % (mode == 'wrap'), answer.err)


def check_fault(log, fault, at, TRBSR, words):
    """Nobody mends it: the buffer has what was before the place, and what info and check read says why."""
    answer = log.record('--trbe', 'size=16K,fault=%s' % fault, '--sync-period=1024')
    yield from expect('status', answer.status, 0)
    trace, memory = log.bytes('.bin'), log.bytes('.trbe.bin')
    whole, got = log.flow(False), log.flow(True)
    yield from expect('bytes', memory[:at] == trace[:at], True)
    yield from expect('nothing behind', memory[at:].strip(bytes(1)), b'')
    yield from expect('flow', got == whole[:len(got)] and len(got) > 1000, True)
    yield from expect_in('summary', '%d bytes written to the trace buffer, %d lost, 1 interrupt; software mended 0 of 1 fault, '
                         'with which %d bytes were lost; collection stopped on a stage 1 %s' %
                         (at, len(trace) - at, len(trace) - at, words), answer.err)
    with open(log.to + '/cpu0.trbe.ini', encoding='ascii') as file:
        yield from expect_in('registers', 'TRBSR_EL1=0x%x\n' % TRBSR, file.read())
    dump = [log.to + '/cpu0.trbe.bin', '--config', log.to + '/cpu0.trbe.ini']
    yield from expect_in('info', 'ollection stopped on a stage 1 ' + words, ' '.join(run(log.cairn, 'info', *dump).out.split()))


def check_mended(log, faults, mended, emptied):
    """Software mends them: the flow of the dump is the program's, but for what was executed meanwhile."""
    answer = log.record('--trbe', 'size=16K,irq=200,%s' % faults, '--sync-period=1024')
    yield from expect('status', answer.status, 0)
    lost = re.search(r'software mended (\d) of (\d) faults?, with which (\d+) bytes were lost', answer.err)
    yield from expect('mended', lost and lost[1] == lost[2] == str(mended), True)
    yield from expect('emptied', ('which software emptied %d time' % emptied) in answer.err, emptied > 0)
    yield from expect('lost', 100 < int(lost[3]) < 400 * mended, True)
    whole, got = log.flow(False), log.flow(True)
    parts = next(((n, len(got) - n) for n in range(len(got), -1, -1) if got[:n] == whole[:n] and
                  got[n:] == whole[len(whole) - (len(got) - n):]), None)
    yield from expect('prefix and suffix', parts is not None, True)
    yield from expect('suffix', parts and parts[1] > 1000, True)
    yield from expect('both', parts and (parts[0] > 1000) == (emptied == 0), True)
    with open(log.to + '/cpu0.trbe.ini', encoding='ascii') as file:
        yield from expect_in('registers', '# faults: %d, of which software mended %d; lost with them: %s bytes\n' %
                             (mended, mended, lost[3]), file.read())
    elements = run(log.cairn, 'elements', log.to + '/cpu0.trbe.bin', '--config', log.to + '/cpu0.trbe.ini').out
    yield from expect('Trace On', elements.count('Trace On'), 1 if emptied else 1 + mended)
    yield from expect('check', run(log.cairn, 'check', log.to + '/cpu0.trbe.bin', '--config', log.to + '/cpu0.trbe.ini').status, 0)


def check_late_as_it_fills(log):
    """The buffer is full before it is told of the abort: the handler, which waits for memory, is, and no later session."""
    for fix, mended, emptied in (('', 0, 0), (':fix', 1, 2)):
        answer = log.record('--trbe', 'size=4K,mode=fill,irq=200,fault=late-abort@0xff0' + fix, '--sync-period=1024')
        yield from expect('status', answer.status, 0)
        yield from expect_in('mended', 'software mended %d of 1 fault,' % mended, answer.err)
        yield from expect('emptied', ('which software emptied %d time' % emptied) in answer.err, emptied > 0)
        with open(log.to + '/cpu0.trbe.ini', encoding='ascii') as file:
            TRBSR = int(re.search('TRBSR_EL1=(.*)', file.read())[1], 16)
        # proves: R_NSFRQ
        yield from expect('EA', TRBSR & EA, 0 if mended else EA)
        yield from expect('EC', TRBSR >> 26, 0)
    whole, got = log.flow(False), log.flow(True)
    yield from expect('flow', len(got) > 100 and got == whole[-len(got):], True)


def check_reset(log, stays):
    """The core is reset in the middle, which disables the buffer: it stays as it was, or begins anew at its base. Counters, and
    the recording beside it, go on."""
    lines = loop_log().splitlines(True)
    half = next(n for n in range(len(lines) // 2, len(lines)) if '0000800c' in lines[n]) + 1
    path = log.folder.write('reset.tarmac', ''.join(lines[:half]) + '%s clk cpu0 E 00008000 00000001 CoreEvent_RESET\n' %
                            lines[half - 1].split()[0] + ''.join(lines[half:]))
    to = os.path.join(os.path.dirname(path), 'recorded')
    log.to = to
    answer = run(log.cairn, 'record', '--force', '-o', to, '--tarmac', path, '--sync-period=1024', '--pmu', 'INST_RETIRED', '--trbe',
                 'size=64K' + (',reset=stay' if stays else ''))
    yield from expect('status', answer.status, 0)
    yield from expect_in('counted', 'counted: INST_RETIRED %d' % len(lines), answer.err)
    yield from expect_in('summary', '1 reset: ' + ('it was not enabled again' if stays else 'it began anew, over'),
                         answer.err)
    whole, got = log.flow(False), log.flow(True)
    yield from expect('plain', len(whole), len(lines))
    yield from expect('flow', got == (whole[:half] if stays else whole[half:]), True)
    with open(to + '/cpu0.trbe.ini', encoding='ascii') as file:
        yield from expect('told', 'in front of the reset' in file.read(), stays)


def check_counted(log):
    """By the lines of the log: BR_RETIRED are the conditional and the indirect ones."""
    answer = log.record('--pmu', 'INST_RETIRED,br_retired,0x811d,CPU_CYCLES')
    total, branches = len(log.wanted), 2 * 4000
    yield from expect_in('summary', 'counted: INST_RETIRED %d, BR_RETIRED %d, BR_IND_RETIRED %d, CPU_CYCLES ' %
                         (total, branches, branches // 2), answer.err)
    yield from expect('no buffer', [name for name in os.listdir(log.to) if '.trbe.' in name], [])


def check_wrong(log, option, value, why):
    answer = log.record(option, value)
    yield from expect('status', answer.status, 2)
    yield from expect_in('why', why, answer.err)
    yield from expect('lines', len(answer.err.splitlines()), 1)


WRONG = (('--trbe', 'size=5', 'multiples of 4096'), ('--trbe', 'base=0x1000', 'size=0: the base and the size'),
         ('--trbe', 'size=4K,base=1', 'multiples of 4096'), ('--trbe', 'size=2G', '4096 to 1G'),
         ('--trbe', 'size=', 'not a number of bytes'), ('--trbe', 'size=-4096', 'not a number of bytes'),
         ('--trbe', 'size=99999999999999999999999', 'not a number of bytes'),
         ('--trbe', 'size=18446744073709551615K', 'not a number of bytes'),
         ('--trbe', 'size=4K,mode=ring', 'mode=ring: not fill, wrap or circular'),
         ('--trbe', 'full', 'full: not KEY=VALUE'), ('--trbe', 'size=4K,foo=1', 'foo: there is base'),
         ('--trbe', 'size=4K,trigger=4G', 'below 4G'), ('--trbe', 'size=4K,on-trigger=x', 'not stop, irq or ignore'),
         ('--trbe', 'size=4K,irq=soon', 'not a number of instructions'),
         ('--trbe', 'size=4K,mode=circular,irq=1', 'interrupts at a trigger alone'),
         ('--trbe', 'size=4K,base=0xfffffffffffff000', 'behind the last address'),
         ('--trbe', 'size=4K,fault=abort', 'no place in the buffer: KIND@BYTES'),
         ('--trbe', 'size=4K,fault=smoke@1', 'not translation, permission, access-flag'),
         ('--trbe', 'size=4K,fault=abort@4K', 'the buffer has 0x1000 bytes'),
         ('--trbe', 'size=4K,fault=abort@1:mend', 'there may be :fix'),
         ('--trbe', 'size=8K,fault=abort@1,fault=translation@4095', 'another one in this page'),
         ('--trbe', 'size=4K,base=0xffff000000000000,fault=abort@1', 'below 0x1000000000000'),
         ('--trbe', 'size=4K,reset=never', 'reset=never: not anew or stay'),
         ('--trbe', 'size=64K' + ''.join(',fault=abort@%dK' % (4 * n) for n in range(9)), 'and no more'),
         ('--pmu', 'NOTHING', "'NOTHING': no event of that name"), ('--pmu', '0x99', 'no event of that number'),
         ('--pmu', '', 'events are missing'), ('--pmu', 'INST_RETIRED,,', "'': no event"),
         ('--pmu', 'L1D_CACHE', 'L1D_CACHE: what is executed here has no such events'),
         ('--pmu', ','.join(['BR_RETIRED'] * 32), '31 counters'))


def check_page(cairn, folder):
    """docs/trbe.md shows what the program prints: of the examples, and of a log that is in the folder."""
    top = os.path.join(EXAMPLES, '..')
    with open(os.path.join(top, 'docs', 'trbe.md'), encoding='utf-8') as file:
        shown = re.findall(r'```\n\$ cairn (.*)\n((?:(?!```).*\n)*)```', file.read())
    yield from expect('commands', len(shown), 15)
    for command, output in shown:
        where = top if 'examples/' in command else folder
        answer = subprocess.run([*program(cairn), *command.split()], cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, check=False).stdout.decode()
        if '.inst' not in answer:  # instructions have no names where LLVM is missing
            yield from expect(command, answer, output)


def laid_out(data, layout):
    """A real trace in a buffer, and the registers that go with it."""
    size = (len(data) // SIZE + 1) * SIZE
    if layout == 'ring':
        buffer = Buffer(WRAP, size - len(data) // 2, size)
    else:
        buffer = Buffer(FILL, 0x80, size + SIZE)
    buffer.write(data)
    over = {'stale WRAP': {'TRBSR_EL1': WRAPPED}, 'fault': {'TRBSR_EL1': 0x24 << 26 | S | IRQ | 7}}.get(layout, {})
    return bytes(buffer.memory), buffer.registers('START', 'LAPS', **over)


def check_real(cairn, path, layout, folder):
    """A snapshot's ETE in a buffer, with its registers among those of the trace unit: the flow is the same."""
    copy = os.path.join(folder, '%s %s' % (os.path.basename(path), layout))
    os.mkdir(copy)
    for name in os.listdir(path):
        if name not in ('session1.bin', 'ETE_0_s1.ini'):
            os.symlink(os.path.join(path, name), os.path.join(copy, name))
    with open(os.path.join(path, 'session1.bin'), 'rb') as file:
        memory, registers = laid_out(file.read(), layout)
    with open(os.path.join(copy, 'session1.bin'), 'wb') as file:
        file.write(memory)
    with open(os.path.join(path, 'ETE_0_s1.ini'), encoding='utf-8') as file:
        text = file.read()
    given = '[regs]\n' + ''.join('%s=0x%x\n' % item for item in registers.items())
    with open(os.path.join(copy, 'ETE_0_s1.ini'), 'w', encoding='utf-8') as file:
        file.write(text.replace('[regs]', given, 1))
    for command in (['flow', '--format', 'addresses'], ['elements']):
        one, other = (run(cairn, *command, where, '--source', 'ETE_0_s1') for where in (path, copy))
        if command[0] == 'elements':  # offsets in the file are others: what is behind the two columns
            yield from expect('elements', *([line[22:] for line in answer.lines()[1:]] for answer in (other, one)))
        else:
            yield from expect('flow', other.out, one.out)
    yield from expect('something', len(one.lines()) > 1, True)
    told = {'stale WRAP': 'CAIRN-TRBE-WRAP', 'fault': 'CAIRN-TRBE-STOPPED'}.get(layout, 'CAIRN-TRBE-SESSION')
    yield from expect_in('told', told, run(cairn, 'check', copy, '--all').out)


def main(cairn):
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        dump = Dump(cairn, Folder(path))
        for mode in (FILL, WRAP, CIRCULAR):
            for start, length in ((0, 40), (0, 0x900), (0x321, 0x900), (0x321, SIZE - 0x321), (0x321, SIZE),
                                  (0xf00, 0x800), (0xf00, 2 * SIZE + 77)):
                tap.case('flow of mode %d from 0x%x, %d bytes' % (mode, start, length),
                         check_flow(dump, mode, start, length, ['START', 'LAPS']))
        tap.case('flow, no start given, two laps', check_flow(dump, CIRCULAR, 0x123, 2 * SIZE + 77, ['LAPS']))
        tap.case('flow, nothing given, pointer behind the start', check_flow(dump, WRAP, 0, SIZE + 77, []))
        tap.case('info', check_info(dump))
        tap.case('offsets', check_offsets(dump))
        for words_, status, severity in (
                ('because the buffer was full', S | IRQ | WRAPPED | 1, 'warning'),
                ('on a Trigger Event', S | IRQ | TRG | 2, 'note'),
                ('disabled before its trace was written', S | IRQ, 'warning'),
                ('stage 1 Translation fault, level 3 at 0xffff000010000200', 0x24 << 26 | S | IRQ | 7, 'warning'),
                ('stage 2 Permission fault, level 3 at 0xffff000010000200', 0x25 << 26 | S | IRQ | 15, 'warning'),
                ('synchronous External Abort at 0xffff000010000200', 0x24 << 26 | S | IRQ | EA | 16, 'warning'),
                ("reason of this core's own", 0x1f << 26 | S | IRQ | 3, 'warning')):
            if status & 0x3f == 1 and not status >> 26:
                continue  # its pointer is at the base: below
            tap.case('stopped: ' + words_, check_reason(dump, status, words_, severity))
        tap.case('stopped: full', check_reason(dump, S | IRQ | WRAPPED | 1, 'because the buffer was full', 'warning', SIZE))
        tap.case('clean', check_clean(dump))
        tap.case('stale WRAP', check_stale(dump))
        tap.case('overflow and full', check_overflow(dump))
        tap.case('enabled', check_code(dump, 'CAIRN-TRBE-ENABLED', 'TRBLIMITR_EL1.E is 1',
                                       {'TRBLIMITR_EL1': BASE + SIZE | 1}))
        tap.case('reserved mode', check_code(dump, 'CAIRN-TRBE-REGISTERS', 'FM has the reserved value',
                                             {'TRBLIMITR_EL1': BASE + SIZE | 4}))
        tap.case('reserved reason', check_code(dump, 'CAIRN-TRBE-REGISTERS', 'a reserved reason',
                                               {'TRBSR_EL1': 0x3f << 26 | S}))
        tap.case('asynchronous abort', check_code(dump, 'CAIRN-TRBE-STOPPED', 'at which address is not known',
                                                  {'TRBSR_EL1': EA}))
        tap.case('misaligned start', check_code(dump, 'CAIRN-TRBE-REGISTERS', "session's first pointer",
                                                {'START': BASE + 33, 'TRBIDR_EL1': 6}))
        tap.case('start not known', check_code(dump, 'CAIRN-TRBE-SESSION', 'Where the session began is not known',
                                               {'START': None}))
        tap.case('pointer outside', check_refused(dump, 'outside of the trace buffer', {'TRBPTR_EL1': BASE + SIZE}))
        tap.case('no buffer', check_refused(dump, 'there is no trace buffer', {'TRBLIMITR_EL1': BASE}))
        tap.case('a register is missing', check_refused(dump, 'TRBSR_EL1 is missing', {'TRBSR_EL1': None}))
        tap.case('dump cut', check_refused(dump, '1 bytes of it are missing', {}, SIZE - 1))
        tap.case('dump from elsewhere', check_refused(dump, 'DUMP', {'DUMP': BASE + 8}))
        tap.case('options and a pipe', check_options(dump))
        tap.case('several dumps', check_several(dump))
        tap.case('the example', check_example(cairn))
        real = captures()
        if real is None:
            tap.skip('real traces', 'CAIRN_CAPTURES is not set')
        for name, capture in real or []:
            if not os.path.exists(os.path.join(capture, 'ETE_0_s1.ini')):
                continue
            for layout in ('plain', 'ring', 'stale WRAP', 'fault'):
                tap.case('%s, %s' % (name, layout), check_real(cairn, capture, layout, path))
        log = Log(os.path.abspath(cairn), Folder(path))
        for mode in ('fill', 'wrap', 'circular'):
            tap.case('recorded, ' + mode, check_recorded(log, mode))
        # IRQ, S and EC 0x24 (E1.2.2.4); EA (E1.2.2.5); FSC as in Data Aborts
        for fault, at, TRBSR, words in (
                ('translation@0x1234', 0x1000, 0x90420007, 'Translation fault, level 3 at 0x80001000'),
                ('permission@8191', 0x1000, 0x9042000f, 'Permission fault, level 3 at 0x80001000'),
                ('access-flag@0x2000', 0x2000, 0x9042000b, 'Access Flag fault, level 3 at 0x80002000'),
                ('abort@0x1fff', 0x1fff, 0x90460010, 'synchronous External Abort at 0x80001fff'),
                ('late-abort@0x1000', 0x1000, 0x90460011, 'asynchronous External Abort near 0x80001041')):
            tap.case('recorded, ' + fault, check_fault(log, fault, at, TRBSR, words))
        tap.case('recorded, a page that comes', check_mended(log, 'fault=translation@0x1000:fix', 1, 0))
        tap.case('recorded, memory that fails', check_mended(log, 'fault=abort@0x1001:fix', 1, 1))
        tap.case('recorded, memory that fails late', check_mended(log, 'fault=late-abort@0x1001:fix', 1, 1))
        tap.case('recorded, memory that fails late as the buffer fills', check_late_as_it_fills(log))
        tap.case('recorded, counters', check_counted(log))
        for stays in (False, True):
            tap.case('recorded, a reset, the buffer %s' % ('stays' if stays else 'begins anew'), check_reset(log, stays))
        for option, value, why in WRONG:
            tap.case('%s %s' % (option, value[:40]), check_wrong(log, option, value, why))
        tap.case('--pmu and another protocol', check_wrong(log, '--protocol=etmv4', '--pmu=INST_RETIRED', 'only around an ETE'))
        tap.case('docs/trbe.md', check_page(os.path.abspath(cairn), path))
    return tap.end()


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
