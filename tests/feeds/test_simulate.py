#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`cairn simulate` beside `cairn record`: with the same registers the same bytes, of a program that runs and of the
flow of a recording that has everything; and each instruction explained once, by the terms that the blocks and the
registers come to on paper (DDI0608 D6.8).

usage: test_simulate.py CAIRN FLOWHASH ADDRESSES PROGRAMS
"""
import json
import os
import re
import shutil
import subprocess
import sys

from recording import Bench, Tap

A64, A32 = ['detours', 'jit', 'signals'], ['mixed-a32', 'mixed-t32', 'blocks-t32', 'conditions-a32']
EVERY_100 = ['TRCEVENTCTL0R=0x2', 'TRCEVENTCTL1R=1', 'TRCRSCTLR2=0x20001', 'TRCCNTRLDVR0=100',
             'TRCCNTCTLR0=0x10001']  # counter 0 counts down from 100, again and again; ETEEvent 0 when it is 0
REGISTERS = [[], ['TRCCONFIGR=0x1001'], ['TRCCONFIGR=0x9'], ['TRCCONFIGR=0x1011', 'TRCCCCTLR=16'],
             ['TRCCONFIGR=0x1811', 'TRCCCCTLR=4'], ['TRCCONFIGR=0x801', 'TRCSYNCPR=8'], EVERY_100]
ETM = {'ptm': [[], ['ETMCR=0x1000'], ['ETMCR=0x20000000'], ['ETMCR=0x10001100']],
       'etmv3': [[], ['ETMCR=0x1000'], ['ETMCR=0x10000100']]}


def expect(what, got, wanted):
    return [] if got == wanted else ['%s: %r, expected %r' % (what, got, wanted)]


def symbol(program, name):
    done = subprocess.run(['nm', '-S', program], stdout=subprocess.PIPE, text=True, check=True)
    m = re.search(r'^([0-9a-f]+) ([0-9a-f]+) [tTwW] %s$' % name, done.stdout, re.M)
    return int(m[1], 16), int(m[1], 16) + int(m[2], 16)


def traces(folder):
    """{source: bytes}"""
    found = {}
    for name in os.listdir(folder):
        if name.startswith(('thread_', 'cpu_')) and name.endswith('.bin'):
            with open(os.path.join(folder, name), 'rb') as file:
                found[name] = file.read()
    return found


def simulate(bench, arguments, program=(), name='simulated'):
    folder = bench.path(name)
    shutil.rmtree(folder, ignore_errors=True)
    return folder, bench.run([bench.cairn, 'simulate', *arguments, '-o', folder,
                              *(['--seed', '1', '--', *program] if program else [])])


def sets(registers):
    return [word for register in registers for word in ('--set', register)]


def same(what, got, wanted):
    if got == wanted:
        return []
    return ['%s: %s, recorded %s' % (what, {name: len(data) for name, data in got.items()},
                                     {name: len(data) for name, data in wanted.items()})]


def packets(bench, folder):
    """[(kind, bytes)], an Event behind the address that it stands beside."""
    _, out, _ = bench.run([bench.cairn, 'packets', '--format', 'json', folder])
    found = [(row['kind'], row['bytes']) for row in map(json.loads, out.decode().splitlines()) if row['type'] == 'packet']
    for i in range(1, len(found)):
        if found[i - 1][0] == 'EVENT' and found[i][0].startswith('ADDRESS_'):
            found[i - 1:i + 1] = [found[i], found[i - 1]]
    return found


def alike(bench, what, folder, recorded, registers):
    """The same; but QEMU cuts blocks at the end of a page, and an event exactly there is on the other side of an address."""
    problems = same(what, traces(folder), traces(recorded))
    if problems and registers is EVERY_100 and packets(bench, folder) == packets(bench, recorded):
        return []
    return problems


def compare(bench, program, protocol, choices, live):
    """What is recorded with these registers is what is simulated from all of it, and while it runs."""
    problems = []
    _, _, messages, everything = bench.record([program], ['--protocol', protocol], name='everything')
    if not os.path.exists(os.path.join(everything, 'snapshot.ini')):
        return [messages]
    for registers in choices:
        _, _, _, recorded = bench.record([program], ['--protocol', protocol, *sets(registers)])
        wanted = traces(recorded)
        what = '%s %s' % (protocol, ' '.join(registers))
        folder, (status, out, err) = simulate(bench, ['--protocol', protocol, *registers,
                                                      '--capture', everything])
        problems += expect(what + ': status', status, 0) or alike(bench, what, folder, recorded, registers)
        if live:
            folder, (status, out, err) = simulate(bench, ['--protocol', protocol, *registers], [program])
            problems += expect(what + ', run: status', status, 0) or \
                same(what + ', run', traces(folder), wanted)
    return problems


# --- why

def flow(bench, folder):
    """[(addresses of a block, whether a P0 instruction ends it)]"""
    _, out, _ = bench.run([bench.cairn, 'flow', '--format', 'addresses', folder])
    blocks, block = [], []
    for line in out.decode().splitlines():
        address, _, flag = line.partition(' ')
        if line.startswith('#'):
            if block:
                blocks.append((block, False))
            block = []
            continue
        block.append(int(address, 16))
        if flag:
            blocks.append((block, True))
            block = []
    return blocks + ([(block, False)] if block else [])


def on_paper(blocks, include=None, exclude=None, start=(), stop=(), started=True):
    """The terms that are low, for each instruction: () when it is traced."""
    terms, active = [], started
    for block, _ in blocks:
        inside = active or any(address in start for address in block)
        for address in block:
            active = (active or address in start) and address not in stop
        low = [] if inside else ['start/stop']
        if include and not any(include[0] <= address <= include[1] for address in block):
            low.append('include')
        if exclude and exclude[0] <= block[0] and block[-1] <= exclude[1]:
            low.append('exclude')
        terms += [tuple(low)] * len(block)
    return terms


def told(out):
    """The same of `simulate --list --format json`; and each run goes on where the last one ended."""
    terms, problems = [], []
    for row in map(json.loads, out.decode().splitlines()):
        if row['type'] == 'run':
            problems += expect('a run at', row['at'], len(terms))
            terms += [tuple(row['terms'])] * row['instructions']
            problems += expect('traced, at %d' % row['at'], row['traced'], not row['terms'])
    return terms, problems


def explained(bench, program, function, other):
    (low, end), (point, _) = symbol(program, function), symbol(program, other)
    _, _, _, everything = bench.record([program], name='everything')
    blocks = flow(bench, everything)
    cases = [
        (['TRCVIIECTLR=1', 'TRCACVR0=%d' % low, 'TRCACVR1=%d' % (end - 1)], {'include': (low, end - 1)}),
        (['TRCVIIECTLR=0x10000', 'TRCACVR0=%d' % low, 'TRCACVR1=%d' % (end - 1)],
         {'exclude': (low, end - 1)}),
        (['TRCVISSCTLR=0x20001', 'TRCVICTLR=1', 'TRCACVR0=%d' % low, 'TRCACVR1=%d' % point],
         {'start': {low}, 'stop': {point}, 'started': False}),
        (['TRCVISSCTLR=0x20001', 'TRCVICTLR=1', 'TRCACVR0=%d' % point, 'TRCACVR1=%d' % low,
          'TRCVIIECTLR=0x20000', 'TRCACVR2=%d' % low, 'TRCACVR3=%d' % (end - 1)],
         {'start': {point}, 'stop': {low}, 'started': False, 'exclude': (low, end - 1)}),
    ]
    problems = []
    for registers, paper in cases:
        wanted = on_paper(blocks, **paper)
        folder, (_, out, err) = simulate(bench, [*registers, '--list', '--format', 'json',
                                                 '--capture', everything])
        terms, wrong = told(out)
        problems += wrong
        if terms != wanted:
            at = next((i for i, (a, b) in enumerate(zip(terms, wanted)) if a != b), min(len(terms), len(wanted)))
            problems.append('%s: instruction %d of %d (%d on paper): %s, on paper %s' % (
                ' '.join(registers), at, len(terms), len(wanted), terms[at:at + 1], wanted[at:at + 1]))
        # What is traced is what is decoded.
        problems += expect('instructions decoded', sum(len(block) for block, _ in flow(bench, folder)),
                           wanted.count(()))
        # And of the program while it runs the same, run for run but for where QEMU cuts blocks.
        _, (_, out, _) = simulate(bench, [*registers, '--list', '--format', 'json'], [program])
        running, wrong = told(out)
        problems += wrong + expect('instructions while it runs', len(running), len(wanted))
    return problems


def threads(bench):
    """Each has its unit, and all of what it executed is told of."""
    program = bench.own('threads')
    folder, (status, out, _) = simulate(bench, ['--include', 'fibonacci', '--format', 'json'], [program, '1'])
    units = [row for row in map(json.loads, out.decode().splitlines()) if row['type'] == 'unit']
    rows = bench.decode(folder)
    problems = expect('status', status in (0, 1), True) + expect('sources', len(units), len(rows))
    decoded = {row[3]: int(row[0]) for row in rows}
    for unit in units:
        problems += expect(unit['source'], unit['traced'], decoded.get(unit['source']))
    return problems + expect('what plugins leave', [name for name in os.listdir(folder) if name.endswith('.why')], [])


def by_names(bench):
    """--include and its like, of a capture as of a program."""
    program = bench.own('detours')
    _, _, _, everything = bench.record([program], name='everything')
    problems = []
    for options in (['--include', 'main'], ['--exclude', 'main'], ['--start', 'main'], ['--start', 'main', '--stop', 'exit']):
        _, _, _, recorded = bench.record([program], options)
        folder, (status, _, err) = simulate(bench, [*options, '--capture', everything])
        problems += expect('status ' + err, status, 0) or same(' '.join(options), traces(folder), traces(recorded))
    return problems


def alone_on_output(bench):
    """What the program prints is not among the answer; nothing is left in the folder for temporary files."""
    temporary = bench.path('temporary')
    os.makedirs(temporary, exist_ok=True)
    bench.environment['TMPDIR'] = temporary
    status, out, err = bench.run([bench.cairn, 'simulate', '--seed', '1', '--', bench.own('children')])
    del bench.environment['TMPDIR']
    problems = expect('status', status, 0) + expect('left', os.listdir(temporary), [])
    if not out.startswith(b'thread_1 (ETE): all of ') or '3\n' not in err:
        problems.append('output %r, messages %r' % (out[:80], err[:80]))
    return problems


def overflows(bench):
    """A FIFO that is drained slower than it is filled overflows, and the rest is in the trace."""
    program = bench.own('detours')
    problems = []
    for drain, more in (('0', True), ('64', False)):
        options = ['--fifo', '256', '--drain', drain, '--format', 'json']
        folder, (status, out, _) = simulate(bench, options, [program])
        unit = next(row for row in map(json.loads, out.decode().splitlines()) if row['type'] == 'unit')
        problems += expect('drain %s: overflows' % drain, unit['overflows'] > 0, more)
        problems += expect('drain %s: status' % drain, status, int(more))
        decoded = int(bench.decode(folder)[0][0])
        problems += expect('drain %s: decoded' % drain, decoded, unit['traced'])
    return problems


def firmware(bench):
    """On a machine: the trace that is recorded, and every instruction in a row."""
    problems = []
    for options in ([], ['--protocol', 'mtb', 'MTB_MASTER=8'], ['--protocol', 'etmv3'],
                    ['--protocol', 'etmv3', '--include', 'on_pendsv']):
        machine = ['--machine', 'mps2-an385', *[word for word in options if '=' not in word]]
        program = [bench.own('exceptions')]
        _, _, _, recorded = bench.record(program, machine + sets([word for word in options if '=' in word]), seed=False)
        folder = bench.path('simulated')
        shutil.rmtree(folder, ignore_errors=True)
        status, out, err = bench.run([bench.cairn, 'simulate', '--format', 'json', *machine,
                                      *[word for word in options if '=' in word], '-o', folder, '--', *program])
        what = ' '.join(options)
        problems += expect('%s: status %s' % (what, err), status, 0) or same(what, traces(folder), traces(recorded))
        rows = [json.loads(line) for line in out.decode().splitlines()]
        problems += expect(what + ': told', sum(row['instructions'] for row in rows if row['type'] == 'term'),
                           sum(row['instructions'] for row in rows if row['type'] == 'unit'))
    return problems


def main():
    bench, tap = Bench(sys.argv), Tap()
    for qemu, protocols, names in (('qemu-aarch64', {'ete': REGISTERS, 'etmv4': REGISTERS[:5]}, A64),
                                   ('qemu-arm', {'ete': REGISTERS[:4], **ETM}, A32)):
        for name in names:
            for protocol, choices in protocols.items():
                case = 'record and simulate %s as %s' % (name, protocol)
                if bench.missing(qemu) or not bench.own(name):
                    tap.skip(case, bench.missing(qemu) or 'no compiler for it')
                else:
                    tap.case(case, compare(bench, bench.own(name), protocol, choices, name == names[0]))
    for name, run in (('each instruction has its term', lambda: explained(bench, bench.own('detours'), 'main', 'exit')),
                      ('threads', lambda: threads(bench)), ('names', lambda: by_names(bench)),
                      ('the answer alone', lambda: alone_on_output(bench)), ('a FIFO', lambda: overflows(bench))):
        if bench.missing() or not bench.own('detours'):
            tap.skip(name, bench.missing() or 'no compiler for it')
        else:
            tap.case(name, run())
    if bench.missing('qemu-system-arm') or not bench.own('exceptions'):
        tap.skip('firmware', bench.missing('qemu-system-arm') or 'no cross compiler for firmware')
    else:
        tap.case('firmware', firmware(bench))
    bench.close()
    tap.end()


if __name__ == '__main__':
    main()
