#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What real ETMv3 captures say was executed, against other tools' lists: Arm DS-5's instructions,
conditions and cycles of a Cortex-A7, sigrok's steps of a Cortex-M3, published packet lists of two
programs on a Cortex-R5.

usage: test_etmv3.py CAIRN
"""
import collections
import lzma
import os
import re
import sys
import tempfile

from common import Tap, expect, expect_in, run

M3 = ['--protocol', 'etmv3', '--core', 'Cortex-M3', '--frames', 'none',
      '--set', 'ETMIDR=0x4114f240', '--set', 'ETMCR=0']
LINE = re.compile(r'Idx:\d+; ID:\w+;\t?(?: \[[^\]]*\];)?\s*(\w+) : (.*)')
REASONS = {'Periodic': None, 'Trace Enable': 'Trace On', 'Restart Overflow': 'Overflow',
           'Debug Exit': 'Trace On'}


def flow_of(cairn, *arguments):
    return run(cairn, 'flow', '--format', 'json', *arguments).rows()


def first_difference(what, got, wanted):
    for index, (one, other) in enumerate(zip(got, wanted)):
        if one != other:
            return ['%s %d: %r, expected %r' % (what, index, one, other)]
    return expect('number of ' + what, len(got), len(wanted))


# --- Cortex-A7, cycle-accurate, with timestamps

def listed_by_ds5(path):
    """(address, opcode, cycles since the one before, outcome, whether a branch), 'gap' with its cycles, times."""
    with open(path, encoding='utf-8') as file:
        for line in file:
            cell = line.rstrip('\n').split('\t')
            if cell[0] == 'Instruction':
                yield (int(cell[2].split(':')[1], 16), int(cell[3], 16), int(cell[4]),
                       'N' if cell[7] == 'fail' else 'E', cell[6] == 'true')
            elif cell[0] == 'Cycle Count':
                yield 'gap', int(cell[4])
            elif cell[0] == 'Timestamp':
                yield 'time', int(cell[5].split()[1])


def as_ds5(rows):
    cycles = 0
    for row in rows:
        if row['type'] == 'cycles':
            cycles += row['cycles']
        elif row['type'] == 'timestamp':
            yield 'time', int(row['timestamp'], 16)
        elif row['type'] == 'trace_on':
            yield 'gap', cycles
            cycles = 0
        elif row['type'] == 'range':
            for insn in row['code']:
                yield int(insn['address'], 16), int(insn['opcode'], 16), cycles, row['p0']
                cycles = 0


def flagged(step):
    """The line of `--format addresses`: branches have a flag, and what failed its condition."""
    address, _, _, outcome, branch = step
    return '%x' % address + (' ' + outcome if branch or outcome == 'N' else '')


def check_ds5(cairn, capture, path):
    rows = flow_of(cairn, capture)
    wanted = list(listed_by_ds5(path))
    yield from expect('instructions', sum(len(step) == 5 for step in wanted), 1947)
    yield from first_difference('steps', list(as_ds5(rows)), [step[:4] for step in wanted])
    lines = run(cairn, 'flow', '--format', 'addresses', capture).lines()
    yield from first_difference('addresses', [line for line in lines if line[0] != '#'],
                                [flagged(step) for step in wanted if len(step) == 5])
    yield from expect('warnings', [row for row in rows if row['type'] == 'warning'], [])
    yield from expect('gaps behind the first I-sync',
                      [row for row in rows if row['type'] == 'gap' and row['offset'] > 616], [])


# --- Cortex-M3

def listed_by_sigrok(path):
    """(where it was branched to, or None; outcome) of each step; 'on' where trace begins. sigrok
    does not know the program, so it knows no other address, and of a line which steps failed only
    if they are the last ones, which they are in a P-header of format 1."""
    target, steps, lines = None, [], 0
    with open(path, encoding='utf-8') as file:
        for line in file:
            found = re.search(r'"(?:Branch to|I-Sync: Tracing enabled, PC) (0x[0-9a-f]+)', line)
            if found:
                target = int(found.group(1), 16)
            elif ' pc: ' in line:
                steps.append(target)
                target = None
                lines += 1
            elif ' execution: ' in line:
                passed = re.search(r'"(\d+) instructions? executed', line)
                passed = int(passed.group(1)) if passed else 0
                for index, where in enumerate(steps):
                    yield where, 'E' if index < passed else 'N'
                steps = []


def check_sigrok(cairn, folder, path):
    capture = [*M3, '--image', os.path.join(folder, 'trace_example.elf'),
               os.path.join(folder, 'derived.tpiu_id02_etm.bin')]
    rows = flow_of(cairn, *capture)
    yield from expect('both decoders', flow_of(cairn, '--reference', *capture) == rows, True)
    got = [(int(row['code'][0]['address'], 16), row['p0']) for row in rows if row['type'] == 'range']
    wanted = list(listed_by_sigrok(path))
    yield from expect('steps', len(wanted), 1200)
    known = [(step[0] if want[0] is not None else None, step[1])
             for step, want in zip(got, wanted)]
    yield from first_difference('steps', known, wanted)
    yield from expect('steps', len(got), len(wanted))
    yield from expect('gaps and warnings',
                      [row for row in rows if row['type'] in ('gap', 'warning')], [])


SWO = '''[buffer]
format=coresight
[source etm]
protocol=ETMv3
core=Cortex-M3
trace_id=2
ETMIDR=0x4114f240
ETMCR=0
[source itm]
protocol=ITM
trace_id=1
'''


def check_swo(cairn, folder):
    """ETM and ITM share the pin: the bytes that a UART received, and a part of them."""
    image = ['--image', os.path.join(folder, 'trace_example.elf')]
    steps = lambda rows: [(row['code'][0]['address'], row['p0'])  # noqa: E731
                          for row in rows if row['type'] == 'range']
    alone = steps(flow_of(cairn, *M3, *image, os.path.join(folder, 'derived.tpiu_id02_etm.bin')))
    with open(os.path.join(folder, 'derived.swo_uart_bytes.bin'), 'rb') as file:
        received = file.read()
    itm = os.path.getsize(os.path.join(folder, 'derived.tpiu_id01_itm.bin'))
    with tempfile.TemporaryDirectory() as top:
        config = os.path.join(top, 'swo.ini')
        with open(config, 'w', encoding='utf-8') as file:
            file.write(SWO)
        for missed in (0, 5):  # the receiver was switched on in the middle of a frame
            path = os.path.join(top, 'swo.bin')
            with open(path, 'wb') as file:
                file.write(received[missed:])
            answer = run(cairn, 'flow', '--format', 'json', '--config', config, *image, path)
            yield from expect('status, ITM is not decoded', answer.status, 1)
            yield from expect('steps with %d bytes missed' % missed, steps(answer.rows()), alone)
            info = run(cairn, 'info', '--format', 'json', '--config', config, *image, path)
            ledger = {account: count for account, count in
                      info.rows()[0]['sources'][1]['ledger'].items() if count}
            yield from expect('accounts of ITM', list(ledger), ['not_decoded'])
            if not missed:
                yield from expect('bytes of ITM', ledger['not_decoded'], itm)


# --- Cortex-R5: the captures come with images of other builds, so their elements are compared

def published(path):
    """The elements that the packets of a list stand for, from its first I-sync to the first packet
    that it could not read."""
    begun = False
    with lzma.open(path, 'rt', encoding='utf-8', errors='replace') as file:
        for line in file:
            match = LINE.match(line)
            if 'OCSD_ERR' in line:
                return
            if not match:
                continue
            kind, text = match.groups()
            begun = begun or kind == 'I_SYNC'
            address = re.search(r'Addr=0x([0-9a-fA-F]+)', text)
            if not begun:
                continue
            if kind == 'P_HDR':
                yield from (('Atom', atom) for atom in text.split(';')[1].strip())
            elif kind == 'I_SYNC':
                reason = REASONS[re.search(r'\(([A-Z][a-z]+(?: [A-Z][a-z]+)?)\)', text).group(1)]
                yield from [('Trace Info',)] + ([(reason,)] if reason else [])
                yield 'Target Address', int(address.group(1), 16)
            elif kind == 'BRANCH_ADDRESS':
                exception = re.search(r'Exception=([^;]+);', text)
                if 'Cancel prev instr' in text:
                    yield ('Cancel',)
                if exception:
                    yield ('Exception',)
                halt = exception and exception.group(1).strip() == 'Debug Halt'
                yield 'Target Address', None if halt else int(address.group(1), 16)


def as_published(rows):
    for row in rows:
        if row['kind'] == 'Atom':
            yield 'Atom', row['fields']['status']
        elif row['kind'] == 'Target Address':
            address = row['fields']['address']
            yield 'Target Address', int(address, 16) if address else None
        elif row['kind'] not in ('Context', 'Gap'):
            yield (row['kind'],)


def check_published(cairn, capture, path, least):
    rows = run(cairn, 'elements', '--format', 'json', capture).rows()
    wanted = list(published(path))
    got = list(as_published([row for row in rows if row['type'] == 'element']))[:len(wanted)]
    if len(wanted) < least:
        yield 'the list stands for %d elements only' % len(wanted)
    yield from first_difference('elements', got, wanted)


def check_ledger(cairn, capture, size):
    """Each byte of the source has one account, whatever became of it, and both decoders say the
    same."""
    rows = run(cairn, 'flow', '--summary', '--format', 'json', capture).rows()
    accounts = [row for row in rows if row['type'] == 'summary'][0]['ledger']
    yield from expect('bytes', sum(accounts.values()), size)
    fast = run(cairn, 'flow', '--format', 'json', capture)
    yield from expect('both decoders', fast.raw == run(cairn, 'flow', '--format', 'json',
                                                       '--reference', capture).raw, True)


def check_other_build(cairn, capture):
    """Without branch broadcast (ETMCR bit 8, IHI0014 3.5.1) an address is traced of indirect branches alone: in the right
    image most of them are behind a call or are a function's first instruction. In these few are, and no more than by chance."""
    fits, targets = targets_that_fit(cairn, capture)
    yield from expect('targets', targets > 80, True)
    yield from expect('%d of %d can begin there' % (fits, targets), fits * 8 < targets, True)
    yield from expect_in('advice', 'the file is not what ran', run(cairn, 'check', capture).out)


def check_right_build(cairn, capture):
    """The same of a capture with the image that ran."""
    fits, targets = targets_that_fit(cairn, capture)
    yield from expect('%d of %d can begin there' % (fits, targets), fits * 10 > targets * 9, True)


def targets_that_fit(cairn, capture):
    """(how many of the traced Thumb addresses in memory are behind a call or at a PUSH, how many there are)"""
    segments = []
    for ini in (name for name in os.listdir(capture) if name.endswith('.ini')):
        with open(os.path.join(capture, ini), encoding='utf-8') as file:
            pairs = [line.strip().partition('=')[::2] for line in file]
        for (key, name), (other, address) in zip(pairs, pairs[1:]):
            if (key, other) == ('file', 'address'):
                with open(os.path.join(capture, name), 'rb') as code:
                    segments.append((int(address, 0), code.read()))

    def halfword(address):
        return next((int.from_bytes(data[address - first:address - first + 2], 'little') for first, data in segments
                     if first <= address < first + len(data) - 1), None)

    def can_begin(address):
        before, last, here = halfword(address - 4), halfword(address - 2), halfword(address)
        call = before & 0xf800 == 0xf000 and last & 0xc000 == 0xc000 or last & 0xff87 == 0x4780  # BL, BLX (DDI0406 A6)
        return call or here & 0xfe00 == 0xb400 or here == 0xe92d  # PUSH
    targets = {int(row['fields']['address'], 16) for row in run(cairn, 'packets', '--format', 'json', capture).rows()
               if row.get('name') == 'Branch address' and row['fields'].get('state') == 'Thumb' and 'address' in row['fields']}
    targets = {address for address in targets if None not in (halfword(address - 4), halfword(address))}
    return sum(map(can_begin, targets)), len(targets)


def check_cycles(cairn, folder, truth):
    """A cycle is of the instruction behind it, as DS-5 lists it, by the engine as by the reference."""
    ways = [run(cairn, 'profile', '--by', 'instruction', '--format', 'json', *way, folder).rows()
            for way in ([], ['--reference'])]
    yield from first_difference('rows', *ways)
    wanted = collections.defaultdict(int)
    for row in listed_by_ds5(truth):
        if len(row) == 5:
            wanted[row[0]] += row[2]
    yield from expect('of each instruction', {int(row['address'], 16): row['cycles'] for row in ways[0]
                                              if row['type'] == 'instruction'}, wanted)
    if sum(wanted.values()) < 1000:
        yield 'the control: there are no cycles'


def main(cairn):
    tap = Tap()
    folder = os.environ.get('CAIRN_CAPTURES')
    if not folder:
        if os.environ.get('CAIRN_REQUIRE_CAPTURES') or os.environ.get('CI'):
            tap.case('flow of ETMv3 captures', ['CAIRN_CAPTURES is not set'])
        else:
            tap.skip('flow of ETMv3 captures', 'CAIRN_CAPTURES is not set')
        tap.end()
    at = lambda *names: os.path.join(folder, *names)  # noqa: E731
    # proves: ETM3-4.5.2-a, ETM3-4.5.5-a, ETM3-7.3.3-c, ETM35Q-7.3.4-b
    tap.case('TC2, a Cortex-A7: each instruction, condition, cycle and time that DS-5 lists',
             check_ds5(cairn, at('snapshots', 'TC2-id12'), at('truth', 'TC2-id12.ds5.txt')))
    tap.case('TC2: nearly all traced addresses are behind a call or begin a function',
             check_right_build(cairn, at('snapshots', 'TC2-id12')))
    tap.case('TC2: whose each cycle is', check_cycles(
        cairn, at('snapshots', 'TC2-id12'), at('truth', 'TC2-id12.ds5.txt')))
    tap.case('a Cortex-M3: the steps that sigrok lists', check_sigrok(
        cairn, at('cortex-m3', 'stm32f105'),
        at('cortex-m3', 'arm_etmv3', 'stm32f105', 'etmv3.output')))
    tap.case('a Cortex-M3: ETM beside ITM on SWO', check_swo(cairn, at('cortex-m3', 'stm32f105')))
    tap.case('ThreadX on a Cortex-R5: elements', check_published(
        cairn, at('cortex-r5', 'threadx'), at('cortex-r5', 'threadx.ppl.xz'), 250000))
    tap.case('Zephyr on a Cortex-R5: elements, up to where the capture is noise', check_published(
        cairn, at('cortex-r5', 'zephyr'), at('cortex-r5', 'zephyr.ppl.xz'), 100000))
    for name in ('threadx', 'zephyr'):
        tap.case('%s: the image is another build\'s, and that is said' % name, check_other_build(cairn, at('cortex-r5', name)))
        stream = at('cortex-r5', name, 'derived.id10.bin')
        tap.case('%s: every byte' % name, check_ledger(
            cairn, at('cortex-r5', name), os.path.getsize(stream)))
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])
