#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Data trace of ETMv3: each address and each byte that an instruction loads or stores equals what a plain
plugin, loaded beside the recorder, sees in the program's memory; and store exclusives, of which QEMU tells
little, are as the program says itself. The same of firmware, with what its devices are given."""
import json
import subprocess
import sys

from recording import Bench, Tap, TIMEOUT

WORD = 4
DEVICE = -1
UART_DATA = 0x40004000
ICSR, SYST_RVR, NVIC_ISPR = 0xe000ed04, 0xe000e014, 0xe000e200
FIRMWARE = [('exceptions', 'mps2-an385'), ('storm-m3', 'mps2-an385'), ('storm-m4', 'mps2-an386'),
            ('vfp_tasks', 'mps2-an386')]
PROGRAMS = ['transfers-a32', 'transfers-t32', 'mixed-a32', 'mixed-t32']
VARIANTS = [['--data=both'], ['--data=both', '--cycle-counts', '--sync-period=256'], ['--data=address'],
            ['--data=value']]


def executed(path):
    """[(instruction, {address: byte})] of every instruction that accessed memory."""
    groups = []
    with open(path) as lines:
        for line in lines:
            insn, address, data = line.split()
            if insn.startswith('-'):
                groups.append((int(insn[1:], 16), {}))
            values = [DEVICE] * (len(data) // 2) if '?' in data else bytes.fromhex(data)
            groups[-1][1].update(enumerate(values, int(address, 16)))
    return groups


def traced(bench, folder):
    """[(instruction, [record])] of every instruction that has data in the flow."""
    done = subprocess.run([bench.cairn, 'flow', '--ranges', '--format', 'json', folder], stdout=subprocess.PIPE,
                          timeout=TIMEOUT, check=True)
    groups = []
    for line in done.stdout.splitlines():
        if not line.startswith(b'{"type":"data",'): # the others are most
            continue
        record = json.loads(line)
        if record.get('by_core'):
            continue
        if record['transfer'] == 0 and record['data'] == 'transfer':
            groups.append((int(record['address'], 16), []))
        groups[-1][1].append(record)
    return groups


def has_failed(group):
    return any(record['data'] == 'store_failed' for record in group[1])


def compare_one(records, memory, with_address, with_value):
    """What is wrong with the records of one instruction, or None."""
    ends = sorted(memory)
    first, end = ends[0], ends[-1] + 1
    if len(ends) != end - first:
        return 'the plain plugin saw a hole'
    if len(records) != max(1, len(ends) // WORD):
        return '%d transfers of %d bytes' % (len(records), len(ends))
    at = first
    for record in records:
        size = min(WORD, end - at)
        if with_address and int(record.get('data_address', hex(at)), 16) != at:
            return 'address %s, not %x' % (record['data_address'], at)
        if with_address and at == first and 'data_address' not in record:
            return 'no address'
        if with_value and memory[at] == DEVICE: # which is asked once
            if 'value' not in record:
                return 'no value at %x' % at
            at += size
            continue
        value = int.from_bytes(bytes(memory[at + i] for i in range(size)), 'little') if with_value else 0
        if with_value and int(record['value'], 16) != value:
            return 'value %s, not %x at %x' % (record['value'], value, at)
        if not with_value and 'value' in record:
            return 'a value'
        at += size
    return None


def compare(groups, expected, options):
    with_address, with_value = '--data=value' not in options, '--data=address' not in options
    problems = []
    if len(groups) != len(expected):
        problems.append('%d instructions with data, %d accessed memory' % (len(groups), len(expected)))
    for i, (got, want) in enumerate(zip(groups, expected)):
        wrong = ('instruction %x, not %x' % (got[0], want[0]) if got[0] != want[0] else
                 compare_one(got[1], want[1], with_address, with_value))
        if wrong:
            problems.append('access %d, of %x: %s' % (i, want[0], wrong))
            break
    return problems


def exclusives(groups, out):
    """Of transfers.c: ADDRESS LOW HIGH ["failed"] a line. What is stored, or 0 where nothing is."""
    problems, at = [], 0
    for line in out.decode().splitlines():
        address, low, high, *failed = line.split()
        words = [low] if high == '0' else [low, high]
        want = []
        for word in words:
            want += [0, 'failed'] if failed else [int(word, 16)]
        found = None
        for i in range(at, len(groups)):
            records = groups[i][1]
            got = [int(r['value'], 16) if r['data'] == 'transfer' else 'failed' for r in records]
            if got == want and records[0].get('data_address') == '0x' + address:
                found = i
                break
        if found is None:
            problems.append('no transfer of the store exclusive: ' + line)
        else:
            at = found + 1
    return problems


def check(bench, plugin, name, options, failing):
    lines = bench.path('accesses')
    status, out, messages, folder = bench.record(
        [bench.own(name)], ['--protocol', 'etmv3', *options, '--qemu-argument=-plugin',
                            '--qemu-argument=%s,out=%s' % (plugin, lines)])
    if status > 100:
        return ['ended with status %d: %s' % (status, messages)]
    groups, expected = traced(bench, folder), executed(lines)
    problems = []
    if name.startswith('transfers') and options[0] == '--data=both':
        problems += exclusives(groups, out)
    # QEMU tells too little of a store exclusive that failed. Which those are only values tell.
    failing.update(group[0] for group in groups if has_failed(group))
    groups = [group for group in groups if group[0] not in failing]
    expected = [group for group in expected if group[0] not in failing]
    if len(expected) < 1000:
        problems.append('only %d instructions accessed memory' % len(expected))
    return problems + compare(groups, expected, options)


def stored(groups, address):
    return [int(records[0]['value'], 16) for _, records in groups
            if records[0]['data_address'] == hex(address) and records[0]['direction'] == 'store']


def compare_devices(groups, name, out):
    """What the firmware wrote to its devices: what came out of the UART, and what only these programs pend."""
    if name == 'exceptions':
        got = bytes(stored(groups, UART_DATA))
        return [] if out and got == out else ['UART: traced %r, received %r' % (got, out)]
    if name.startswith('storm'):
        periods, pended = stored(groups, SYST_RVR), stored(groups, NVIC_ISPR)
        problems = [] if periods[0] == 900 and len(set(periods)) > 50 else ['periods %r' % periods[:8]]
        if not {1, 2, 4, 8, 9, 14, 15, 12} >= set(pended) or not {1, 2, 4, 9, 14, 15} <= set(pended):
            problems.append('pended %r' % sorted(set(pended)))
        return problems + ([] if set(stored(groups, ICSR)) == {1 << 28} else ['ICSR'])
    return []


def check_firmware(bench, plugin, name, board, options):
    lines = bench.path('accesses')
    status, out, messages, folder = bench.record(
        [bench.own(name)], ['--machine', board, '--protocol', 'etmv3', *options, '--qemu-argument=-plugin',
                            '--qemu-argument=%s,out=%s' % (plugin, lines)], seed=False)
    if status or 'not seen' in messages:
        return ['ended with status %d: %s' % (status, messages)]
    groups, expected = traced(bench, folder), executed(lines)
    problems = ['%s gaps' % row[2] for row in bench.decode(folder) if row[2] != '0']
    if len(expected) < 1000:
        problems.append('only %d instructions accessed memory' % len(expected))
    if options[0] == '--data=both':
        problems += compare_devices(groups, name, out)
    return problems + compare(groups, expected, options)


def moves(bench, name):
    """Of moves.c: each word that goes to or comes from a coprocessor, in order."""
    _, out, messages, folder = bench.record([bench.own(name)], ['--protocol', 'etmv3', '--set', 'ETMCR=6'])
    where, *want = out.decode().splitlines()
    first, end = (int(word, 16) for word in where.split())
    done = subprocess.run([bench.cairn, 'data', '--format', 'json', folder], stdout=subprocess.PIPE,
                          timeout=TIMEOUT, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()][1:] # behind the line with the version
    got = ['%s %x' % (row['direction'].split('_')[0], int(row['value'], 16)) for row in rows
           if 'address' in row and first <= int(row['address'], 16) < end]
    return [] if got == want else ['traced %s, moved %s %s' % (got, want, messages)]


def main():
    plugin = sys.argv.pop()
    bench, tap = Bench(sys.argv), Tap()
    for name in PROGRAMS:
        why = bench.missing('qemu-arm') or (None if bench.own(name) else 'no cross compiler for ' + name)
        failing = set()
        for options in VARIANTS:
            case = ' '.join([name, *options])
            if why:
                tap.skip(case, why)
            else:
                tap.case(case, check(bench, plugin, name, options, failing))
    for name, board in FIRMWARE:
        why = bench.missing('qemu-system-arm') or (None if bench.own(name) else 'no cross compiler for ' + name)
        for options in VARIANTS[1:] if name == 'exceptions' else VARIANTS[:1]:
            case = ' '.join([name, board, *options])
            if why:
                tap.skip(case, why.replace('qemu-user', 'qemu-system-arm'))
            else:
                tap.case(case, check_firmware(bench, plugin, name, board, options))
    for name in ['moves-a32', 'moves-t32']:
        why = bench.missing('qemu-arm') or (None if bench.own(name) else 'no cross compiler for ' + name)
        if why:
            tap.skip(name, why)
        else:
            tap.case(name + ': words to and from coprocessors', moves(bench, name))
    bench.close()
    tap.end()


main()
