#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""ETMv3 packets of real captures, packet by packet, against the packet lists that were published
with them (OpenCSD's), and against sigrok's decode of a Cortex-M3.

usage: test_etmv3_captures.py CAIRN
"""
import lzma
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
from common import Tap, expect, run  # noqa: E402

# OpenCSD's words for what Cairn calls otherwise.
STATES = {'ARM(32)': 'ARM', 'Thumb2': 'Thumb', 'ThumbEE': 'ThumbEE', 'Jazelle': 'Jazelle'}
REASONS = {'Periodic': 'periodic', 'Trace Enable': 'trace on', 'Restart Overflow': 'after overflow',
           'Debug Exit': 'debug exit'}
EXCEPTIONS = {'IRQ': 'IRQ', 'SVC': 'Supervisor Call', 'Debug Halt': 'Halting debug'}
KINDS = {'A_SYNC': 'A_SYNC', 'BRANCH_ADDRESS': 'BRANCH', 'I_SYNC': 'I_SYNC',
         'I_SYNC_CYCLE': 'I_SYNC_CYCLES', 'TIMESTAMP': 'TIMESTAMP', 'EXCEPTION_EXIT': 'EXCEPTION_EXIT'}
LINE = re.compile(r'Idx:(\d+); ID:\w+;\t?(?: \[[^\]]*\];)?\s*(\w+) : (.*)')


def published(path):
    """(index, kind, what the list says of it) of each packet up to the first it could not read."""
    with lzma.open(path, 'rt', encoding='utf-8', errors='replace') as file:
        for line in file:
            if 'OCSD_ERR' in line:
                return
            match = LINE.match(line)
            if match and match.group(2) != 'NOTSYNC':
                yield int(match.group(1)), match.group(2), match.group(3)


def words_of(kind, text):
    """What a line says, as the fields of Cairn's listing."""
    fields = {}
    address = re.search(r'Addr=0x([0-9a-fA-F]+)(?: |;)', text)
    if address:
        fields['address'] = '0x%x' % int(address.group(1), 16)
    for key, pattern, names in (('state', r'ISA=([^;]+);', STATES),
                                ('reason', r'\((Periodic|Trace Enable|Restart Overflow|Debug Exit)\)',
                                 REASONS),
                                ('exception_name', r'Exception=([^;]+);', EXCEPTIONS)):
        match = re.search(pattern, text)
        if match:
            fields[key] = names[match.group(1).strip()]
    if 'Cancel prev instr' in text:
        fields['can'] = True
    if kind == 'TIMESTAMP':
        fields['timestamp'] = re.search(r'TS=(0x[0-9a-f]+)', text).group(1)
    if kind == 'I_SYNC_CYCLE':
        fields['cycles'] = int(re.search(r'Cycles=(\d+)', text).group(1))
    if kind == 'P_HDR':
        fields['atoms'] = text.split(';')[1].strip()
    return fields


def compare(rows, wanted, offsets):
    """Cairn's packets against those of a list, in order."""
    at = 0
    for number, (index, kind, text) in enumerate(wanted):
        if number >= len(rows):
            yield 'packet %d: none, expected %s %s' % (number, kind, text)
            return
        row = rows[number]
        same = row['kind'].startswith('P_HEADER') if kind == 'P_HDR' else row['kind'] == KINDS[kind]
        for key, value in words_of(kind, text).items():
            same = same and row['fields'].get(key) == value
        if not same or (offsets and row['offset'] != index):
            yield 'packet %d: %r, expected %s @%d %s' % (number, row, kind, index, text)
            at += 1
            if at == 5:
                return


def packets_of(cairn, *arguments):
    rows = run(cairn, 'packets', '--format', 'json', *arguments).rows()
    return [row for row in rows if row['type'] == 'packet' and row['kind'] != 'NOT_SYNC']


def check_published(cairn, capture, path, least, whole, offsets=False):
    """`whole`: the list ends where the capture does."""
    rows = packets_of(cairn, capture)
    wanted = list(published(path))
    if len(wanted) < least:
        yield 'the list has %d packets only' % len(wanted)
    if whole:
        yield from expect('packets', len(rows), len(wanted))
    yield from compare(rows, wanted, offsets)


def check_sigrok(cairn, stream, path):
    """Each branch's target, and how many instructions were executed and not."""
    rows = packets_of(cairn, '--protocol', 'etmv3', '--core', 'Cortex-M3', '--frames', 'none',
                      '--set', 'ETMIDR=0x4114f240', '--set', 'ETMCR=0', stream)
    with open(path, encoding='utf-8') as file:
        text = file.read()
    wanted = ['0x%x' % int(target, 16) for target in re.findall(r'"Branch to (0x[0-9a-f]+)', text)]
    yield from expect('targets', [row['fields']['address'] for row in rows
                                  if row['kind'] == 'BRANCH'], wanted)
    atoms = ''.join(row['fields']['atoms'] for row in rows if row['kind'].startswith('P_HEADER'))
    executed = sum(map(int, re.findall(r'"(\d+) instructions executed', text)))
    skipped = sum(map(int, re.findall(r'(\d+) skipped due', text)))
    yield from expect('atoms', (atoms.count('E'), atoms.count('N')), (executed, skipped))


def main(cairn):
    tap = Tap()
    folder = os.environ.get('CAIRN_CAPTURES')
    if not folder:
        if os.environ.get('CAIRN_REQUIRE_CAPTURES') or os.environ.get('CI'):
            tap.case('ETMv3 packets of real captures', ['CAIRN_CAPTURES is not set'])
        else:
            tap.skip('ETMv3 packets of real captures', 'CAIRN_CAPTURES is not set')
        tap.end()
    at = lambda *names: os.path.join(folder, *names)  # noqa: E731
    # proves: ETM35Q-HW-a, ETM35Q-HW-b, ETM35Q-HW-c
    tap.case('TC2, a Cortex-A7, cycle-accurate with timestamps', check_published(
        cairn, at('snapshots', 'TC2-id12'), at('expected', 'TC2-id12.opencsd-1.8.0.ppl.xz'), 2200,
        True, True))
    tap.case('ThreadX on a Cortex-R5', check_published(
        cairn, at('cortex-r5', 'threadx'), at('cortex-r5', 'threadx.ppl.xz'), 51000, True))
    tap.case('Zephyr on a Cortex-R5, up to where the capture is noise', check_published(
        cairn, at('cortex-r5', 'zephyr'), at('cortex-r5', 'zephyr.ppl.xz'), 24000, False))
    tap.case('a Cortex-M3', check_sigrok(
        cairn, at('cortex-m3', 'stm32f105', 'derived.tpiu_id02_etm.bin'),
        at('cortex-m3', 'arm_etmv3', 'stm32f105', 'etmv3.output')))
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])
