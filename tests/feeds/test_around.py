#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`cairn record --trbe` and `--pmu`: a PE around each trace unit. What its buffer holds decodes to the part of the plain
recording's flow that these bytes are of, and its counters come to what that flow comes to."""
import configparser
import json
import os
import subprocess
import sys

from recording import TIMEOUT, Bench, Tap

ISB = 0xd5033fdf


def expect(what, got, wanted):
    return [] if got == wanted else ['%s: %r, expected %r' % (what, got, wanted)]


def expect_in(what, part, text):
    return [] if part in text else ['%s: %r is not in %r' % (what, part, text[:1000])]


def read(*path):
    with open(os.path.join(*path), 'rb') as file:
        return file.read()


def counted(folder, source='thread_1'):
    """The sections of SOURCE.pe.ini, numbers in them."""
    parser = configparser.ConfigParser()
    parser.optionxform = str
    parser.read_string(read(folder, source + '.pe.ini').decode())
    return {section: {key: int(value, 0) for key, value in parser[section].items()} for section in parser.sections()}


def registers(folder, source='thread_1'):
    lines = read(folder, source + '.trbe.ini').decode().split('[image]', 1)[0].splitlines()
    return {key: int(value, 0) for key, value in (line.split('=') for line in lines if '=0x' in line)}


def cairn(bench, *words):
    done = subprocess.run([bench.cairn, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=TIMEOUT)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def flow(bench, folder, source='thread_1'):
    out = cairn(bench, 'flow', folder, '--source', source, '--format', 'addresses')[1]
    return [line for line in out.splitlines() if not line.startswith('#')]


def dumped(bench, folder, source='thread_1'):
    path = os.path.join(folder, source + '.trbe')
    out = cairn(bench, 'flow', path + '.bin', '--config', path + '.ini', '--format', 'addresses')[1]
    return [line for line in out.splitlines() if not line.startswith('#')]


class Recorded:
    """A program's plain recording, to compare with."""

    def __init__(self, bench):
        self.bench, self.program = bench, [bench.own('walks')]
        self.status, self.out, _, self.folder = bench.record(self.program, name='alone')
        self.bytes = read(self.folder, 'thread_1.bin')
        self.flow = flow(bench, self.folder)

    def record(self, *options):
        """Records with them; returns the folder and the messages, and what is not as it is without them."""
        status, out, messages, folder = self.bench.record(self.program, options, name='around')
        problems = expect('status', status, self.status) + expect('output', out, self.out)
        return folder, messages, problems


def idle(alone):
    folder, messages, problems = alone.record('--pmu', 'none')
    yield from problems
    yield from expect('the trace', read(folder, 'thread_1.bin') == alone.bytes, True)
    yield from expect('counters', counted(folder), {'pmu': {}})
    yield from expect('told', 'counted' in messages, False)


def holds_all(alone):
    """A buffer that is large enough has every byte, and the recording is as without it."""
    size = (len(alone.bytes) // 4096 + 1) * 4096
    folder, messages, problems = alone.record('--trbe', 'base=0x40000000,size=%d' % size)
    yield from problems
    yield from expect('the trace', read(folder, 'thread_1.bin') == alone.bytes, True)
    memory = read(folder, 'thread_1.trbe.bin')
    yield from expect('size', len(memory), size)
    yield from expect('bytes', memory[:len(alone.bytes)] == alone.bytes, True)
    yield from expect('rest', memory[len(alone.bytes):].strip(b'\0'), b'')
    yield from expect('pointer', registers(folder)['TRBPTR_EL1'], 0x40000000 + len(alone.bytes))
    yield from expect('status', registers(folder)['TRBSR_EL1'], 0)
    yield from expect('flow', dumped(alone.bench, folder) == alone.flow, True)
    yield from expect_in('summary', '%d bytes written to the trace buffer, 0 lost, 0 interrupts' % len(alone.bytes), messages)
    path = os.path.join(folder, 'thread_1.trbe')
    yield from expect('check', cairn(alone.bench, 'check', path + '.bin', '--config', path + '.ini')[0], 0)


def fills(alone):
    """Fill mode stops at the limit, with an interrupt."""
    folder, messages, problems = alone.record('--trbe', 'size=4K,mode=fill')
    yield from problems
    yield from expect('bytes', read(folder, 'thread_1.trbe.bin') == alone.bytes[:4096], True)
    # DDI0608 E1.2.2.2: IRQ, WRAP and S are set, EC is 0 and BSC 1, and the pointer is at the base
    yield from expect('TRBSR_EL1', registers(folder)['TRBSR_EL1'], 1 << 22 | 1 << 20 | 1 << 17 | 1)
    yield from expect('TRBPTR_EL1', registers(folder)['TRBPTR_EL1'], registers(folder)['TRBBASER_EL1'])
    got = dumped(alone.bench, folder)
    yield from expect('some', len(got) > 1000, True)
    yield from expect('flow', got == alone.flow[:len(got)], True)
    yield from expect_in('summary', '4096 bytes written to the trace buffer, %d lost, 1 interrupt; collection stopped because the '
                         'buffer was full' % (len(alone.bytes) - 4096), messages)
    path = os.path.join(folder, 'thread_1.trbe')
    yield from expect_in('info', 'because the buffer was full', cairn(alone.bench, 'info', path + '.bin', '--config',
                                                                      path + '.ini')[1])


def goes_round(alone, mode, interrupts):
    size = 8192
    folder, messages, problems = alone.record('--trbe', 'size=8K,mode=' + mode, '--sync-period=1024')
    yield from problems
    trace = read(folder, 'thread_1.bin')
    memory = read(folder, 'thread_1.trbe.bin')
    at = len(trace) % size
    yield from expect('bytes', memory[at:] + memory[:at] == trace[-size:], True)
    yield from expect('wraps', counted(folder)['trbe']['wraps'], len(trace) // size)
    got = dumped(alone.bench, folder)
    whole = flow(alone.bench, folder)
    yield from expect('some', len(got) > 1000, True)
    yield from expect('flow', got == whole[-len(got):], True)
    yield from expect_in('summary', ' 0 lost, %d interrupt' % interrupts, messages)


def stops_at_trigger(alone):
    """ETEEvent 0 occurs with the first instruction (resource selector 1 is always TRUE): 2000 bytes later it stops."""
    folder, messages, problems = alone.record('--trbe', 'size=8K,mode=circular,trigger=2000', '--set', 'TRCEVENTCTL0R=1')
    yield from problems
    told = counted(folder)['trbe']
    yield from expect('triggers', told['triggers'], 1)
    yield from expect('S, IRQ, BSC', told['TRBSR_EL1'] & (1 << 22 | 1 << 17 | 0x3f), 1 << 22 | 1 << 17 | 2)
    yield from expect('size', 2000 <= told['written'] < 4096, True)
    got = dumped(alone.bench, folder)
    yield from expect('flow', got == flow(alone.bench, folder)[:len(got)], True)
    yield from expect_in('summary', '1 trigger event; collection stopped on a Trigger Event', messages)


def empties(alone):
    """Software takes what is there, late: what comes between is lost, and what it goes on with can be decoded."""
    folder, messages, problems = alone.record('--trbe', 'size=4K,mode=fill,irq=500')
    yield from problems
    told = counted(folder)['trbe']
    trace = read(folder, 'thread_1.bin')
    rounds = told['emptied']
    yield from expect('rounds', rounds > 1, True)
    yield from expect('taken', told['collected'], 4096 * rounds)
    yield from expect('interrupts', told['interrupts'] - rounds in (0, 1), True)
    yield from expect('adds up', told['written'] + told['lost'], len(trace))
    yield from expect('lost', 0 < told['lost'], True)
    left = told['written'] - told['collected']
    memory = read(folder, 'thread_1.trbe.bin')
    if told['interrupts'] == rounds:
        yield from expect('newest', memory[:left] == trace[len(trace) - left:], True)
    got, whole = dumped(alone.bench, folder), flow(alone.bench, folder)
    yield from expect('flow', not got or '\n'.join(got) in '\n'.join(whole), True)
    yield from expect_in('summary', 'which software emptied %d times' % rounds, messages)


def one_each(bench):
    """Every thread has a core of its own, with its buffer and counters."""
    _, _, messages, folder = bench.record([bench.own('threads'), '3'], ['--trbe', 'size=1M', '--pmu', 'INST_RETIRED'])
    sources = sorted(name[:-len('.trbe.bin')] for name in os.listdir(folder) if name.endswith('.trbe.bin'))
    yield from expect('sources', len(sources) > 3, True)
    total = 0
    for source in sources:
        whole = flow(bench, folder, source)
        total += counted(folder, source)['pmu']['INST_RETIRED']
        yield from expect(source, dumped(bench, folder, source) == whole, True)
        yield from expect(source + ' counts', counted(folder, source)['pmu']['INST_RETIRED'], len(whole))
    yield from expect_in('summary', 'counted, in %d sources: INST_RETIRED %d' % (len(sources), total), messages)


def kind_of(opcode):
    """By the encodings of A64: (immediate, return) of a branch, None of anything else that is P0."""
    if opcode & 0x7c000000 == 0x14000000 or opcode & 0xff000010 == 0x54000000 or opcode & 0x7c000000 == 0x34000000:
        return True, False
    if opcode & 0xfe000000 == 0xd6000000:
        return False, opcode & 0xfffffc1f == 0xd65f0000
    return None


def of_flow(bench, folder, source):
    """What the flow of a source comes to, as the events' definitions in the Arm ARM have it."""
    total = dict.fromkeys(('INST_RETIRED', 'BR_RETIRED', 'BR_IMMED_RETIRED', 'BR_IND_RETIRED', 'BR_RETURN_RETIRED',
                           'BR_SKIP_RETIRED', 'BR_IMMED_TAKEN_RETIRED', 'BR_INDNR_TAKEN_RETIRED', 'PC_WRITE_RETIRED',
                           'EXC_TAKEN', 'CPU_CYCLES'), 0)
    for line in cairn(bench, 'flow', folder, '--source', source, '--format', 'json')[1].splitlines():
        row = json.loads(line)
        total['EXC_TAKEN'] += row['type'] == 'exception'
        if row['type'] != 'range':
            continue
        total['INST_RETIRED'] += row['instructions']
        total['CPU_CYCLES'] += row['instructions']  # under QEMU
        branch = kind_of(int(row['code'][-1]['opcode'], 16)) if row.get('p0') else None
        if not branch:
            continue
        immediate, returns = branch
        taken = row['p0'] == 'E'
        total['BR_RETIRED'] += 1
        total['BR_IMMED_RETIRED' if immediate else 'BR_IND_RETIRED'] += 1
        total['BR_SKIP_RETIRED'] += not taken
        total['PC_WRITE_RETIRED'] += taken
        total['BR_RETURN_RETIRED'] += returns
        total['BR_IMMED_TAKEN_RETIRED'] += immediate and taken
        total['BR_INDNR_TAKEN_RETIRED'] += not immediate and not returns
    return total


def counts(bench, program, options):
    """The counters, and the flow that is decoded from the trace of the same run."""
    events = ('INST_RETIRED', 'BR_RETIRED', 'BR_IMMED_RETIRED', 'BR_IND_RETIRED', 'BR_RETURN_RETIRED', '0x8107',
              'br_immed_taken_retired', 'BR_INDNR_TAKEN_RETIRED', '0xc', 'EXC_TAKEN', 'CPU_CYCLES')
    _, _, _, folder = bench.record(program, ['--pmu', ','.join(events), *options])
    sources = [name[:-len('.pe.ini')] for name in os.listdir(folder) if name.endswith('.pe.ini')]
    yield from expect('sources', len(sources) > 0, True)
    for source in sources:
        yield from expect(source, counted(folder, source)['pmu'], of_flow(bench, folder, source))


def wraps_are_counted(alone):
    folder, _, problems = alone.record('--trbe', 'size=4K,mode=circular', '--pmu', 'TRB_WRAP,TRB_TRIG,TRCEXTOUT0',
                                       '--set', 'TRCEVENTCTL0R=0')
    yield from problems
    yield from expect('pmu', counted(folder)['pmu'],
                      {'TRB_WRAP': len(alone.bytes) // 4096, 'TRB_TRIG': 0, 'TRCEXTOUT0': 0})


def anew(alone):
    """--force leaves nothing of an earlier recording's buffers."""
    folder, _, _ = alone.record('--trbe', 'size=4K')
    done = subprocess.run([alone.bench.cairn, 'record', '--force', '--seed', '1', '-o', folder, '--', *alone.program],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, timeout=TIMEOUT)
    yield from expect('status', done.returncode, alone.status)
    yield from expect('left', [name for name in os.listdir(folder) if '.trbe.' in name or '.pe.' in name], [])


def main(argv):
    tap = Tap()
    bench = Bench(argv)
    missing = bench.missing()
    if missing or not bench.own('walks'):
        tap.skip('recordings', missing or 'no compiler for AArch64')
        return tap.end()
    alone = Recorded(bench)
    tap.case('a PE that listens to nothing', idle(alone))
    tap.case('a buffer that holds all', holds_all(alone))
    tap.case('fill', fills(alone))
    tap.case('wrap', goes_round(alone, 'wrap', 1))
    tap.case('circular', goes_round(alone, 'circular', 0))
    tap.case('stop on trigger', stops_at_trigger(alone))
    tap.case('software empties it', empties(alone))
    tap.case('a buffer each', one_each(bench))
    tap.case('counters: branches', counts(bench, [bench.own('detours')], []))
    tap.case('counters: threads', counts(bench, [bench.own('threads'), '2'], ['--return-stack']))
    tap.case('counters: signals', counts(bench, [bench.own('signals')], ['--trbe', 'size=64K,mode=circular']))
    tap.case('counters: wraps', wraps_are_counted(alone))
    tap.case('recorded anew', anew(alone))
    bench.close()
    return tap.end()


if __name__ == '__main__':
    sys.exit(main(sys.argv))
