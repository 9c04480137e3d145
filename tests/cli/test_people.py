#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The listing for people: what stands on each line, by hand from the bytes and the program; on a terminal too.

usage: test_people.py CAIRN
"""
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time

from common import (ALIGNMENT_SYNC, EXAMPLE_D11_1_1, EXAMPLE_PROGRAM, START, Folder, Tap, bytes_of, captures, expect,
                    expect_in, program, run, sanitized, words)

ETE = ['--protocol', 'ete', '--frames', 'none', '--set', 'TRCIDR8=0']
E, N = b'\xf7', b'\xf6'  # Atom format 1 (DDI0608 D5.40)
HEADER = '         address E/N instruction                         function'
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'examples', 'capture')
NOP, ERET, SVC, B_SELF, ISB, LDR = 0xd503201f, 0xd69f03e0, 0xd4000001, 0x14000000, 0xd5033fdf, 0xf9400001


def short_address(address):
    """DDI0608 D5.47, IS0: bits 8:2 and 16:9 of an address whose others are known."""
    return bytes([0x95, address >> 2 & 0x7f | 0x80, address >> 9 & 0xff])


def exception(kind, address):
    """DDI0608 D5.13: an exception with an address."""
    return bytes([0x06, kind << 1 | 1]) + short_address(address)


def wants(answer, status=0):
    yield from expect('status', answer.status, status)
    yield from expect('messages', answer.err, '')


def instructions(answer):
    """[(address, flag, rest)] of the lines that have one."""
    rows, at = [], 0
    for line in answer.lines():
        if ' E/N ' in line:
            at = line.index('E/N')
        row = re.fullmatch(r' ([EN? ])  (\S.*)', line[at - 1:][1:]) if at else None
        if row and re.search(r'(?:^| )[0-9a-f]+ ?$', line[:at]):
            rows.append((line[:at].split()[-1], row[1], row[2]))
    return rows


def events(answer):
    return [line.split('-- ', 1)[1] for line in answer.lines() if '-- ' in line]


# --- what a line has

def check_example(cairn, folder, trace):
    """DDI0608 D11.1.1, to the letter; a disassembler may be missing."""
    segments = {address: words(values) for address, values in EXAMPLE_PROGRAM.items()}
    elf = folder.elf('names.elf', segments, [('first', 0x1000, 4), ('second', 0x2000, 20)])
    answer = run(cairn, 'flow', *ETE, '--image', elf, trace)
    yield from wants(answer)
    lines = answer.lines()
    if '.inst' in answer.out:
        lines = [line[:21] if line.startswith('  ') else line for line in lines]
    wanted = [HEADER, '-- trace on', '-- context EL1 Non-secure AArch64', 'first:',
              '            1000  E  b 0x2000 <second>                   first', 'second:',
              '            2000     mov x0, #0x1                        second',
              '            2004     ldr x1, [x0]                        second+0x4',
              '            2008     cmp x0, x1                          second+0x8',
              '            200c  N  b.eq 0x3000                         second+0xc',
              '            2010     str x1, [x0]                        second+0x10',
              '-- exception IRQ taken before 0x2014']
    if '.inst' in answer.out:
        wanted = [HEADER if line == HEADER else line[:21] if line.startswith('  ') else line for line in wanted]
        lines[1] = HEADER
    yield from expect('lines', lines[1:], wanted)
    yield from expect('the source', lines[0], '== trace.bin: ETE, buffer trace.bin')
    ranges = run(cairn, 'flow', '--ranges', *ETE, '--image', elf, trace)
    yield from expect('--ranges', [line.split() for line in ranges.lines()[4:7]],
                      [['1000', '1004', 'E', '1', 'first'], ['2000', '2010', 'N', '4', 'second'],
                       ['2010', '2014', '1', 'second+0x10']])
    yield from expect('its columns', ranges.lines()[1].split(), ['from', 'to', 'E/N', 'instructions', 'function'])


def check_offsets(cairn, folder, trace, image):
    """Offsets stand in front only when asked for: on the first instruction of what a packet told, and on events."""
    answer = run(cairn, 'flow', '--offsets', *ETE, *image, trace)
    yield from wants(answer)
    rows = {line[44:].split()[0] if line[21:25].strip() == '' else line[23:].strip(): line[:21]
            for line in answer.lines()[2:] if not line.rstrip().endswith(':')}
    yield from expect('offsets', [rows[key] for key in ('-- trace on', '-- exception IRQ taken before 0x2014')],
                      ['0x0000000e 0x0000000e', '0x00000016 0x00000016'])
    lines = {row[0]: line for line in answer.lines() for row in [line[23:].split()] if row}
    yield from expect('of instructions', [lines[address][:21].strip() for address in ('1000', '2000', '2004', '2010')],
                      ['0x00000015 0x00000015', '0x00000015 0x00000015', '', '0x00000016 0x00000016'])
    yield from expect('names', answer.lines()[1].split()[:4], ['in', 'file', 'in', 'source'])
    plain = run(cairn, 'flow', *ETE, *image, trace)
    yield from expect('without', '0x0000' in plain.out, False)
    yield from expect('nothing else differs', [line[23:] if len(line) > 23 else line for line in answer.lines()[1:]],
                      plain.lines()[1:])


def check_return_stack(cairn, folder):
    """BL, RET, then NOP, NOP, B: which address came from the return stack is said of the first of the three."""
    image = folder.program({0x1000: [0x94000004, NOP, NOP, B_SELF, 0xd65f03c0]})
    trace = folder.write('returns.bin', START + b'\xff')  # Atom format 3: E E E
    for listing in [], ['--ranges']:
        answer = run(cairn, 'flow', *listing, *ETE, '--set', 'TRCCONFIGR=0x1001', *image, trace)
        yield from wants(answer)
        yield from expect(' '.join(listing), [line.split()[0] for line in answer.lines()
                                              if line.endswith('  (from the return stack)')], ['1004'])


def check_same_instructions(cairn, capture):
    """Addresses and outcomes are those of --format addresses, line by line."""
    answer = run(cairn, 'flow', capture)
    plain = run(cairn, 'flow', '--format', 'addresses', capture)
    yield from expect('status', answer.status, plain.status)
    wanted = [line for line in plain.lines() if not line.startswith('#')]
    shown = [address + (' ' + flag if flag in 'EN' else '') for address, flag, _ in instructions(answer)]
    at = next((i for i, pair in enumerate(zip(shown, wanted)) if pair[0] != pair[1]), min(len(shown), len(wanted)))
    yield from expect('instruction %d' % at, shown[at:at + 2], wanted[at:at + 2])
    yield from expect('traces', [line for line in answer.lines() if len(line) > 1000], [])
    if re.search(r'\b1 (\w*[a-rt-z])s\b', re.sub(r'1 (\w+ss|\w+us|was|is|has)\b', '', '\n'.join(events(answer)))):
        yield 'a plural of one: %r' % re.search(r'.*\b1 \w+s\b.*', '\n'.join(events(answer)))[0]


def check_lost(cairn, capture):
    """What is said to be lost at the end of each source is what `cairn check` says of it."""
    told, source = {}, None
    for line in run(cairn, 'flow', capture).lines():
        heading = re.match(r'== ([^:]+): ', line)
        source = heading[1] if heading else source
        if '-- lost in gaps: ' in line:
            told[source] = sum(map(int, re.findall(r'(?:: |, )(\d+) (?:branch|instruction)', line)))
    rows = run(cairn, 'check', '--format', 'json', capture).rows()
    unknown_q = {row['where'] for row in rows if row.get('code') == 'CAIRN-UNKNOWN-Q'}  # no gap
    wanted = {row['where']: row['lost'] for row in rows if row['type'] == 'verdict' and row['lost']}
    for name in unknown_q:
        told.pop(name, None)
        wanted.pop(name, None)
    yield from expect('branches', told, wanted)


# --- events

PROGRAM = {0x1000: [SVC, LDR, NOP, B_SELF], 0x8000: [NOP, ERET]}


def check_exceptions(cairn, folder):
    """An SVC, a data fault and an IRQ: which instruction each is about, where it went, and where it returns to."""
    elf = folder.elf('handled.elf', {address: words(values) for address, values in PROGRAM.items()},
                     [('main', 0x1000, 16), ('handler', 0x8000, 8)])
    call, fault, irq = 0x02, 0x0c, 0x0e  # DDI0608 D5.13
    handled = short_address(0x8000) + E
    trace = folder.write('exceptions.bin', START + exception(call, 0x1004) + handled + short_address(0x1004) +
                         exception(fault, 0x1004) + handled + short_address(0x1008) + E + exception(irq, 0x100c))
    answer = run(cairn, 'flow', *ETE, '--image', elf, trace)
    yield from wants(answer)
    told = events(answer)[2:]
    if '.inst' in answer.out:
        yield from expect_in('without a disassembler', 'to 0x8000 <handler>', told[0])
        return
    yield from expect('events', told, [
        'exception SVC taken at 0x1000 <main> svc #0, to 0x8000 <handler>; returns to 0x1004',
        'exception return to 0x1004 <main+0x4>',
        'exception Data Fault taken at 0x1004 <main+0x4> ldr x1, [x0], to 0x8000 <handler>',
        'exception return to 0x1008 <main+0x8>',
        'exception IRQ taken before 0x100c <main+0xc> b 0x100c'])
    yield from expect('full', run(cairn, 'flow', '--format', 'full', *ETE, '--image', elf, trace).out
                      .count('# exception Data Fault at 0x1004\n'), 1)


def check_mismatch(cairn, folder):
    """Both sides: what the image says of the branch, and where the trace went on. Behind an ISB, too."""
    code = {0x1000: [0x14000400], 0x2000: [B_SELF], 0x3000: [B_SELF]}
    elf = folder.elf('mismatch.elf', {address: words(values) for address, values in code.items()},
                     [('first', 0x1000, 4), ('second', 0x2000, 4), ('third', 0x3000, 4)])
    trace = folder.write('mismatch.bin', START + E + short_address(0x3000) + E)
    answer = run(cairn, 'flow', *ETE, '--image', elf, trace)
    yield from wants(answer)
    text = 'b 0x2000' if '.inst' not in answer.out else '.inst 0x14000400'
    yield from expect('a branch', events(answer)[2:],
                      ['warning: 0x1000 <first> %s leads to 0x2000 <second> by the image, 0x3000 <third> by the trace'
                       % text])
    code[0x1000] = [ISB]
    elf = folder.elf('mismatch.elf', {address: words(values) for address, values in code.items()},
                     [('first', 0x1000, 4), ('third', 0x3000, 4)])
    answer = run(cairn, 'flow', *ETE, '--image', elf, trace)
    text = 'isb' if '.inst' not in answer.out else '.inst 0xd5033fdf'
    yield from expect('an ISB', events(answer)[2:],
                      ['warning: behind 0x1000 <first> %s comes 0x1004 by the image, 0x3000 <third> by the trace'
                       % text])


MTB = ['--protocol', 'mtb', '--core', 'Cortex-M0+', '--set', 'POSITION=0x14', '--set', 'MASTER=0x1', '--set', 'FLOW=0',
       '--set', 'BASE=0x20000000']
# Of a ring that has gone round: an exception at 0x210 is handled at 0x400 and returns to 0x102.
MTB_WORDS = [0x410, 0xfffffff8, 0xfffffff9, 0x102, 0x100, 0x201, 0x211, 0x400]


def check_vectors(cairn, folder):
    """Which exception an MTB saw is told by the vector table, if one entry alone leads to where execution went."""
    ring = folder.write('mtb.bin', struct.pack('<8I', *MTB_WORDS))
    code = bytearray(struct.pack('<H', 0xbf00) * 0x200)
    code[:2] = struct.pack('<H', 0xe07e)
    code[0x310:0x312] = struct.pack('<H', 0x4770)
    image = ['--image', folder.write('mtb_code.bin', bytes(code)) + '@0x100']
    other = 0x301
    nop = 'nop' if '.inst' not in run(cairn, 'flow', *MTB, *image, ring).out else '.inst.n 0xbf00'

    def told(table, at=0):
        path = folder.write('vectors.bin', struct.pack('<%dI' % len(table), *table))
        answer = run(cairn, 'flow', *MTB, *image, '--image', '%s@0x%x' % (path, at), ring)
        return [line for line in events(answer) if line.startswith('exception ') and 'return' not in line]
    table = [0x20001000] + [other] * 15 + [other] * 30
    for number, name, place in [(2, 'NMI', 'before'), (3, 'HardFault', 'at'), (6, 'UsageFault', 'at'),
                                (14, 'PendSV', 'before'), (15, 'SysTick', 'before'), (16, 'IRQ0', 'before'),
                                (16 + 22, 'IRQ22', 'before')]:
        mine = list(table)
        mine[number] = 0x401
        for at in 0, 0x8000:
            yield from expect('entry %d' % number, told(mine, at),
                              ['exception %s taken %s 0x210 %s, to 0x400' % (name, place, nop)])
    unknown = ['exception of an unknown kind taken before 0x210 %s, to 0x400' % nop]
    mine = list(table)
    mine[3] = mine[4] = 0x401
    yield from expect('two entries', told(mine), unknown)
    yield from expect('no entry', told(table), unknown)
    mine = list(table)
    mine[3] = 0x400
    yield from expect('an entry that is no Thumb address', told(mine), unknown)
    mine = list(table)
    mine[0], mine[3] = 0, 0x401
    yield from expect('no table', told(mine), unknown)


def elf32(folder, name, address, code, symbols, section='.text'):
    """A little-endian ELF executable for Arm with one segment; symbols [(name, address, size)] of T32 functions."""
    strings, table = b'\0', bytes(16)
    for symbol, at, size in symbols:
        table += struct.pack('<IIIBBH', len(strings), at | 1, size, 0x12, 0, 1)
        strings += symbol.encode() + b'\0'
    names = b'\0.symtab\0.strtab\0.shstrtab\0' + section.encode() + b'\0'
    at = 52 + 32
    places = [at, at + len(code), at + len(code) + len(table), at + len(code) + len(table) + len(strings)]
    sections = bytes(40)
    for name_at, kind, flags, start, offset, size, link, info, entry in (
            (27, 1, 6, address, places[0], len(code), 0, 0, 0), (1, 2, 0, 0, places[1], len(table), 3, 1, 16),
            (9, 3, 0, 0, places[2], len(strings), 0, 0, 0), (17, 3, 0, 0, places[3], len(names), 0, 0, 0)):
        sections += struct.pack('<10I', name_at, kind, flags, start, offset, size, link, info, 4, entry)
    head = b'\x7fELF' + bytes([1, 1, 1]) + bytes(9) + struct.pack('<HHIIIIIHHHHHH', 2, 40, 1, address, 52, places[3] + len(names),
                                                                 0x05000000, 52, 32, 1, 40, 5, 4)
    head += struct.pack('<8I', 1, at, address, address, len(code), len(code), 5, 4)
    return folder.write(name, head + code + table + strings + names + sections)


def check_handlers(cairn, folder):
    """ETMv3 of a Cortex-M: an interrupt has its handler's name if the vector table leads there. The table is found by
    its section's name, or where the program writes VTOR (0xe000ed08, Armv7-M B3.2.5) and data is traced; STR r0, [r1]
    at 0x8000, then IRQ22 (0x26 in DDI0337 15.5.3) to 0x9000."""
    def branch(to, number):  # IHI0014 7.3.5, the alternative encoding in Thumb state, two information bytes
        return bytes([0x81 | to & 0x7e, 0x80 | to >> 7 & 0x7f, 0x80 | to >> 14 & 0x7f, 0x80 | to >> 21 & 0x7f,
                      0x50 | to >> 28, 0x80 | (number & 15) << 1, number >> 4])
    start, store = bytes_of('00 00 00 00 00 80' '08 21 01 80 00 00') + b'\x84', bytes_of('2E 88 DA 83 80 0E 00 A0 00 00')
    given = ['--protocol', 'etmv3', '--core', 'Cortex-M4', '--frames', 'none', '--set', 'ETMIDR=0x4114f250', '--set',
             'ETMCCER=0x18541800']

    def told(table, where, section, moved):
        code = bytearray(struct.pack('<H', 0xbf00) * 0x2000)
        code[:2] = struct.pack('<H', 0x6008)
        code[where - 0x8000:where - 0x8000 + len(table)] = table
        elf = elf32(folder, 'handlers.elf', 0x8000, bytes(code),
                    [('main', 0x8000, 8), ('UART0_Handler', 0x9000, 8), ('other', 0x9100, 8)], section)
        trace = folder.write('handlers.bin', start + (store if moved else b'') + b'\x84' + branch(0x9000, 0x26) + b'\x84')
        answer = run(cairn, 'flow', *given, '--set', 'ETMCR=0x%x' % (0xc if moved else 0), '--image', elf, trace)
        return [re.sub(r'(<main.0x4>) .*, to', r'\1, to', line) for line in events(answer) if line.startswith('exception')]
    right = [0x20001000, 0x8001] + [0x9101] * 36 + [0x9001]
    wrong = right[:-1] + [0x9101]
    named = ['exception IRQ22 UART0_Handler taken before 0x8004 <main+0x4>, to 0x9000 <UART0_Handler>']
    plain = ['exception IRQ22 taken before 0x8004 <main+0x4>, to 0x9000 <UART0_Handler>']

    def packed(table):
        return struct.pack('<%dI' % len(table), *table)
    yield from expect('elsewhere', told(packed(right), 0xa000, '.text', False), plain)
    yield from expect('where VTOR points', told(packed(right), 0xa000, '.text', True), named)
    yield from expect('which leads to another one', told(packed(wrong), 0xa000, '.text', True), plain)
    # The whole segment is the section: a table at its begin.
    for section in '.isr_vector', '.vectors', '.text':
        table = bytearray(packed(right))
        table[0:4] = struct.pack('<HH', 0x6008, 0x2000)  # both the STR and a stack pointer
        table[4:8] = struct.pack('<I', 0x8001 | 0xbf00 << 16)
        yield from expect(section, told(bytes(table), 0x8000, section, False), named)


def check_vtor(cairn, folder):
    """A vector table in the midst of memory, without a name: VTOR tells where it is, from the core's registers in a
    snapshot, from --set, or from a dump of memory that has it. IRQ22 to 0x9000 as above."""
    # A branch to 0x9000 in Thumb state (IHI0014 7.3.5): bits 6:1, 13:7, 20:14; exception 0x26 in two bytes.
    trace = bytes_of('00 00 00 00 00 80' '08 21 01 80 00 00' '84') + bytes(
        [0x81, 0x80 | 0x9000 >> 7 & 0x7f, 0x80 | 0x9000 >> 14, 0x80, 0x50, 0x80 | 6 << 1, 2]) + b'\x84'
    code = bytearray(struct.pack('<H', 0xbf00) * 0x2000)
    table = struct.pack('<39I', 0x20001000, 0x8001, *[0x9101] * 36, 0x9001)
    code[0x2000:0x2000 + len(table)] = table
    elf = elf32(folder, 'vtor.elf', 0x8000, bytes(code), [('main', 0x8000, 8), ('UART0_Handler', 0x9000, 8)])
    registers = {'ETMIDR': 0x4114f250, 'ETMCCER': 0x18541800, 'ETMCR': 0}
    raw = [folder.write('vtor.bin', trace), '--protocol', 'etmv3', '--core', 'Cortex-M4', '--frames', 'none',
           *(word for item in registers.items() for word in ('--set', '%s=0x%x' % item))]
    clear = dict.fromkeys(('TRCCONFIGR', 'TRCTRACEIDR', 'TRCDEVARCH', 'TRCIDR0', 'TRCIDR1', 'TRCIDR2', 'TRCIDR8'))

    def snapshot(name, text):
        path = folder.snapshot(name, trace, kind='ETM3.5', core='Cortex-M4', registers={**clear, **registers})
        with open(os.path.join(path, 'cpu_0.ini'), 'a') as file:
            file.write(text)
        return [path]
    scb = bytearray(16)

    def dump(at, vtor):
        scb[8:12] = struct.pack('<I', vtor)
        return ['--image', folder.write('scb_%x_%x.bin' % (at, vtor), bytes(scb)) + '@0x%x' % at]
    named, plain = 'exception IRQ22 UART0_Handler taken', 'exception IRQ22 taken'
    for what, arguments, wanted in [
            ('nothing', raw, plain), ('--set', raw + ['--set', 'VTOR=0xa000'], named),
            ('--set of the source', raw + ['--set', 'vtor.bin:vtor=0xa000'], named),
            ('another place', raw + ['--set', 'VTOR=0xa004'], plain), ('no memory', raw + ['--set', 'VTOR=0x20000'], plain),
            ('an odd place', raw + ['--set', 'VTOR=0xa001'], plain),
            ('a dump', raw + dump(0xe000ed00, 0xa000), named), ('of the Non-secure state', raw + dump(0xe002ed00, 0xa000), named),
            ('a dump of another place', raw + dump(0xe000ed00, 0xa100), plain),
            ('a snapshot', snapshot('none', ''), plain), ('its core', snapshot('core', '[regs]\nVTOR=0xa000\n'), named),
            ('with its size', snapshot('size', '[regs]\nR0=0x1\nVTOR(size:32)=0x0000A000\n'), named),
            ('VTOR_NS', snapshot('ns', '[regs]\nVTOR_S=0x100\nVTOR_NS=0xa000\n'), named),
            ('--set over it', snapshot('over', '[regs]\nVTOR=0xa000\n') + ['--set', 'VTOR=0xa100'], plain),
            ('no number', snapshot('odd', '[regs]\nVTOR=there\n'), plain)]:
        answer = run(cairn, 'flow', *arguments, '--image', elf)
        told = [line.split(' before')[0] for line in events(answer) if line.startswith('exception')]
        yield from expect(what, (told, 'VTOR' in answer.err), ([wanted], False))


# --- gaps, time, cycles

def check_gaps(cairn, folder):
    image = folder.program({0x1000: [0x14000400]})
    trace = folder.write('gaps.bin', START + E * 51)
    answer = run(cairn, 'flow', *ETE, *image, trace)
    yield from expect('status', answer.status, 1)
    yield from expect('one place', events(answer)[2:], ['gap: no memory at 0x2000 (50 packets, 50 bytes)',
                                                        'lost in gaps: 50 branches where there is no memory'])
    # Format 3 is three atoms, format 6 of 0xd4 24 (DDI0608 D5.42, D5.46): E, and two more in its own packet are lost.
    trace = folder.write('gaps.bin', START + b'\xff' + b'\xd4' * 2 + E)
    for way in [], ['--reference']:
        yield from expect('branches', events(run(cairn, 'flow', *way, *ETE, *image, trace))[2:],
                          ['gap: no memory at 0x2000 (4 packets, 4 bytes)',
                           'lost in gaps: 51 branches where there is no memory'])
    part = run(cairn, 'flow', '--last', '1', *ETE, *image, trace)
    yield from expect('of a part nothing is said', [line for line in events(part) if 'lost in' in line], [])
    trace = folder.write('gaps.bin', START + E * 3 + START[:12] + bytes_of('01 00 04') + E)
    yield from expect('by reason', events(run(cairn, 'flow', *ETE, *image, trace))[-1:],
                      ['lost in gaps: 1 branch without an address, 2 branches where there is no memory'])
    jumps = b''.join(short_address(address) + E for address in (0x3000, 0x4000, 0x3000))
    trace = folder.write('gaps.bin', START + E * 2 + jumps + short_address(0x1000) + E * 2)
    answer = run(cairn, 'flow', *ETE, *image, trace)
    yield from expect('places', events(answer)[2:], ['gap: no memory at 0x2000.. (4 packets, 4 bytes, 3 places)',
                                                     'gap: no memory at 0x2000 (1 packet, 1 byte)',
                                                     'lost in gaps: 5 branches where there is no memory'])
    yield from expect('between instructions', [row[0] for row in instructions(answer)], ['1000', '1000'])
    full = run(cairn, 'flow', '--format', 'full', *ETE, *image, trace)
    yield from expect('full: a line a packet', full.out.count('# gap no-image'), 5)
    trace = folder.write('gaps.bin', b'\x12' * 40 + START + E * 2)
    yield from expect('reasons', events(run(cairn, 'flow', *ETE, *image, trace)),
                      ['gap: no synchronisation (1 packet, 40 bytes)', 'trace on', 'context EL1 Non-secure AArch64',
                       'gap: no memory at 0x2000 (1 packet, 1 byte)', 'lost in gaps: 1 branch where there is no memory'])


def columns(answer, first, second):
    """[(what is in the two columns, the rest of the line)] of lines with something in them."""
    found = []
    for line in answer.lines():
        row = re.match(r'(?=[ \d+~?-]{%d})(.{%d}) (.{%d}) (.*)' % (first + second + 2, first, second), line)
        if row and row[1].strip():
            found.append((row[1].strip(), row[2].strip(), row[3].strip()))
    return found


def check_cycles_behind(cairn, folder):
    """ETE: a count comes behind the branch that it counts up to (DDI0608 D2.4.1). Trace Info with a threshold of 4;
    Cycle Count format 3_1 adds its two bits."""
    image = folder.program({0x1000: [B_SELF]})
    start = ALIGNMENT_SYNC + bytes_of('01 09 01 04' '04' '82 00 08 00 00 31')
    trace = folder.write('cycles.bin', start + E + b'\x11' + E + b'\x10' + E + E + b'\x12')
    answer = run(cairn, 'flow', *ETE, '--set', 'TRCCONFIGR=0x11', *image, trace)
    yield from wants(answer)
    yield from expect('names', answer.lines()[1].split()[:3], ['cycles', 'passed', 'address'])
    rows = columns(answer, 9, 6)
    yield from expect('counts', [row[:2] for row in rows], [('5', '+5'), ('9', '+4'), ('15', '+6')])
    yield from expect('on instructions', {row[2][:7] for row in rows}, {'1000  E'})
    lines = [line for line in answer.lines() if ' E ' in line]
    yield from expect('the third branch has none', [bool(line[:17].strip()) for line in lines],
                      [True, True, False, True])
    yield from expect('no lines of their own', 'cycles' in ' '.join(answer.lines()[2:]), False)
    unasked = run(cairn, 'flow', *ETE, *image, trace)
    yield from expect('where the registers say nothing of them, the names stand twice',
                      [line.split()[0] for line in unasked.lines() if 'E/N' in line], ['address', 'cycles'])


def check_cycles_before(cairn, folder):
    """ETMv3: W atoms come before the instruction that they count up to (IHI0014 7.3). Five cycles up to the I-sync,
    then WE, WE WE (format 1), WWW E (format 3)."""
    code = folder.write('cycles.code', struct.pack('<I', 0xe1a00000) * 8)
    trace = folder.write('cycles3.bin', bytes_of('00 00 00 00 00 80' '70 05 21 00 10 00 00' '84' '88' 'E8' '84'))
    for way in [], ['--reference']:
        answer = run(cairn, 'flow', *way, '--protocol', 'etmv3', '--core', 'Cortex-A7', '--frames', 'none', '--set',
                     'ETMIDR=0x410cf250', '--set', 'ETMCCER=0x344008f2', '--set', 'ETMCR=0x1000', '--image',
                     code + '@0x1000', trace)
        yield from wants(answer)
        rows = [(a, b, rest.split()[0]) for a, b, rest in columns(answer, 9, 6)]
        yield from expect('counts', rows, [('6', '+6', '1000'), ('7', '+1', '1004'), ('8', '+1', '1008'),
                                           ('11', '+3', '100c'), ('12', '+1', '1010')])


def check_times(cairn, folder):
    """A timestamp is of the branch before it, or (with a marker between) of the one before the marker."""
    image = folder.program({0x1000: [B_SELF]})
    stamp = lambda value: bytes([0x02, value])  # noqa: E731 (DDI0608 D5.9)
    trace = folder.write('times.bin', START + stamp(0x10) + E + stamp(0x30) + E + E + b'\x88' + stamp(0x31) + E +
                         b'\x88' + E + stamp(0x20))
    answer = run(cairn, 'flow', *ETE, '--set', 'TRCCONFIGR=0x801', *image, trace)
    yield from wants(answer)
    rows = columns(answer, 14, 8)
    yield from expect('times', [row[:2] for row in rows], [('16', ''), ('48', '+32'), ('49', '+1'), ('~32', '-17')])
    yield from expect('the first', rows[0][2], '-- context EL1 Non-secure AArch64')
    lines = [line for line in answer.lines() if ' E ' in line]
    yield from expect('branches with a time', [line[:15].strip() for line in lines], ['48', '', '49', '', '~32'])
    trace = folder.write('times.bin', START + E + bytes_of('02 00') + E)
    answer = run(cairn, 'flow', *ETE, '--set', 'TRCCONFIGR=0x801', *image, trace)
    yield from expect('0 is not known', [row[0] for row in columns(answer, 14, 8)], ['?'])


def check_merge(cairn, folder):
    """What a source holds back is printed before another one goes on."""
    from test_listings import LOOP, TIMES_A, TIMES_B
    from common import frames
    trace = folder.write('merged.bin', frames([(0x11, TIMES_A), (0x22, TIMES_B)]))
    answer = run(cairn, 'flow', '--merge', 'time', '--protocol', 'ete', '--frames', 'coresight', '--set',
                 'TRCCONFIGR=0x801', *folder.program(LOOP), trace)
    parts = [[line.strip().split()[0] for line in part.split('\n') if ' 1000  E ' in line or ' -- context' in line]
             for part in answer.out.split('== ')[1:]]
    # Each one begins, and tells its first time; A goes on to its second one, and so does B.
    yield from expect('times by turns', parts, [['16'], ['32'], ['48'], ['64'], ['1000'], ['1000']])


def check_data(cairn, folder):
    """Data stands under its instruction (IHI0014 7.4): LDRB r0, [r1]."""
    code = folder.write('data.code', struct.pack('<2I', 0xe5d10000, 0xe1a00000))
    trace = folder.write('data.bin', bytes_of('00 00 00 00 00 80' '08 21 00 80 00 00' '84' '26 84 80 80 80 02 11' '84'))
    answer = run(cairn, 'flow', '--protocol', 'etmv3', '--core', 'Cortex-A7', '--frames', 'none', '--set',
                 'ETMIDR=0x410cf250', '--set', 'ETMCCER=0x344008f2', '--set', 'ETMCR=0xc', '--image',
                 code + '@0x8000', trace)
    lines = answer.lines()
    at = [i for i, line in enumerate(lines) if '# load r0 = 0x11 <- [0x20000004]' in line]
    yield from expect('one line', len(at), 1)
    yield from expect('under', [lines[at[0] - 1].split()[0], lines[at[0] + 1].split()[0]], ['8000', '8004'])
    yield from expect('in the column of instructions', lines[at[0]].index('#'), lines[at[0] - 1].index('8000') + 9)


def check_speed(cairn, folder):
    """At least 80 of the lines a second of --format full for 100: the least time of each, by turns. A loop that calls
    a function: ADD, BL f, SUBS, B.NE to the first; f: four instructions and RET."""
    code = {0x1000: [0x8b000000, 0x94000003, 0xf1000400, 0x54ffffa1, 0x8b000000, 0x8b000000, 0xd503201f, 0xd503201f,
                     0xd65f03c0]}
    elf = folder.elf('speed.elf', {address: words(values) for address, values in code.items()},
                     [('loop', 0x1000, 16), ('called', 0x1010, 20)])
    trace = folder.write('speed.bin', START + b'\xff' * 60000)  # Atom format 3: E E E
    least = {}
    for _ in range(5):
        for form in 'full', 'text':
            before = os.times()
            with open(os.path.join(folder.path, form), 'wb') as out:
                done = subprocess.run([*program(cairn), 'flow', '--format', form, '--jobs', '1', *ETE, '--set',
                                       'TRCCONFIGR=0x1001', '--image', elf, trace], stdout=out, stderr=subprocess.PIPE)
            after = os.times()
            spent = after.children_user + after.children_system - before.children_user - before.children_system
            with open(os.path.join(folder.path, form), 'rb') as out:
                lines = out.read().count(b'\n')
            yield from expect('status', (done.returncode, lines > 500000), (0, True))
            least[form] = min(least.get(form, 1e9), spent / lines)
    if least['text'] * 0.8 > least['full']:
        yield 'text: %.0f ns a line, full: %.0f' % (least['text'] * 1e9, least['full'] * 1e9)


# --- sources by hand

def check_options(cairn, folder, trace, image):
    for given, part in [(['--source-path', 'x'], 'expected FROM=TO'), (['--source-path', '=x'], 'expected FROM=TO'),
                        (['--color=red'], 'expected auto, always or never'),
                        (['--source-path', 'a=b'], 'give --source-lines as well'),
                        (['--source-lines', '--format', 'json'], 'leave out --format'),
                        (['--source-lines', '--format', 'full'], 'leave out --format'),
                        (['--source-lines', '--ranges'], 'leave out --format, --ranges'),
                        (['--offsets', '--format', 'addresses'], 'full and json have them'),
                        (['--offsets', '--summary'], 'leave out --format and --summary')]:
        answer = run(cairn, 'flow', *given, *ETE, *image, trace)
        yield from expect(str(given), (answer.status, answer.out), (2, ''))
        yield from expect_in(str(given), part, answer.err)
    plain = run(cairn, 'flow', *ETE, *image, trace)
    yield from expect('no debug information', run(cairn, 'flow', '--source-lines', *ETE, *image, trace).out, plain.out)


# --- on a terminal

class Terminal:
    """The program with its output on a pseudo-terminal."""

    def __init__(self, cairn, *arguments, environment=None, keys=b''):
        self.master, slave = pty.openpty()
        variables = {key: value for key, value in os.environ.items()
                     if key not in ('NO_COLOR', 'PAGER', 'CAIRN_PAGER', 'LESS')}
        variables.update({'TERM': 'xterm', **(environment or {})})
        self.process = subprocess.Popen([*program(cairn), *map(str, arguments)], stdin=slave, stdout=slave, stderr=slave,
                                        env=variables, start_new_session=True, close_fds=True)
        os.close(slave)
        self.seen = b''
        if keys:
            os.write(self.master, keys)

    def read(self, until=None, seconds=60):
        """What was written, up to the end or to `until`."""
        end = time.monotonic() + seconds
        while until is None or until not in self.seen:
            ready, _, _ = select.select([self.master], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise RuntimeError('nothing came: %r' % self.seen[-300:])
            try:
                part = os.read(self.master, 65536)
            except OSError:  # the other side was closed
                part = b''
            if not part:
                break
            self.seen += part
        return self.seen.decode().replace('\r\n', '\n')

    def end(self):
        """(exit status, what was written)"""
        text = self.read()
        status = self.process.wait(timeout=60)
        os.close(self.master)
        return status, text


ESCAPE = re.compile(r'\033\[[0-9;]*m')
FLOW = ['flow', *ETE]


def check_colours(cairn, folder, trace, image):
    plain = run(cairn, *FLOW, *image, trace).out
    yield from expect('none in a pipe', '\033' in plain, False)
    always = run(cairn, *FLOW, '--color=always', *image, trace).out
    yield from expect('--color=always', ('\033' in always, ESCAPE.sub('', always)), (True, plain))
    yield from expect('--color', run(cairn, *FLOW, '--color', *image, trace).out, always)
    path = os.path.join(folder.path, 'coloured.txt')
    run(cairn, *FLOW, '-o', path, *image, trace)
    with open(path) as file:
        yield from expect('none in a file', file.read(), plain)
    for what, options, environment, colours in [
            ('a terminal', [], {}, True), ('NO_COLOR', [], {'NO_COLOR': '1'}, False),
            ('an empty NO_COLOR', [], {'NO_COLOR': ''}, True), ('a dumb terminal', [], {'TERM': 'dumb'}, False),
            ('--color=never', ['--color=never'], {}, False),
            ('--color=always over NO_COLOR', ['--color=always'], {'NO_COLOR': '1'}, True),
            ('--color=auto', ['--color=auto'], {'NO_COLOR': '1'}, False)]:
        status, text = Terminal(cairn, *FLOW, *options, *image, trace,
                                environment={'CAIRN_PAGER': 'cat', **environment}).end()
        yield from expect(what, (status, '\033' in text, ESCAPE.sub('', text)), (0, colours, plain))


def check_pager(cairn, folder, trace, image):
    """A pager that marks each line: which of the variables counts, and that nothing is lost when it is missing."""
    plain = run(cairn, *FLOW, *image, trace).out
    lines = plain.splitlines()

    def marking(name, mark):
        path = folder.write(name, '#!/bin/sh\nsed "s/^/%s/"\n' % mark)
        os.chmod(path, 0o755)
        return path
    mine, others = marking('mine', 'mine: '), marking('others', 'others: ')
    slow = folder.write('slow', '#!/bin/sh\nsleep 1\nsed "s/^/slow: /"\n')
    os.chmod(slow, 0o755)
    cases = [('PAGER', {'PAGER': others}, [], 'others: '), ('CAIRN_PAGER', {'CAIRN_PAGER': mine, 'PAGER': others}, [], 'mine: '),
             ('with options', {'PAGER': 'sed -e s/^/sed:/'}, [], 'sed:'),
             ('by a shell', {'PAGER': "sed 's/^/shell: /'"}, [], 'shell: '),
             ('one that is slow', {'PAGER': slow}, [], 'slow: '),
             ('--no-pager', {'PAGER': others}, ['--no-pager'], ''), ('cat', {'CAIRN_PAGER': 'cat', 'PAGER': others}, [], ''),
             ('none', {'CAIRN_PAGER': '', 'PAGER': others}, [], '')]
    for what, environment, options, mark in cases:
        status, text = Terminal(cairn, *FLOW, '--color=never', *options, *image, trace, environment=environment).end()
        yield from expect(what, (status, text.splitlines()), (0, [mark + line for line in lines]))
    status, text = Terminal(cairn, *FLOW, '--color=never', *image, trace,
                            environment={'PAGER': folder.path + '/no-such-pager'}).end()
    yield from expect('one that is missing: status', status, 0)
    yield from expect_in('is said', 'cannot start the pager', text)
    yield from expect('and nothing is lost', text.splitlines()[-len(lines):], lines)
    status, text = Terminal(cairn, *FLOW, '--color=never', *image, trace, environment={'PATH': '/nowhere'}).end()
    yield from expect('no less', (status, text), (0, plain))
    status, text = Terminal(cairn, *FLOW, '--color=never', '-o', os.path.join(folder.path, 'paged.txt'), *image, trace,
                            environment={'PAGER': others}).end()
    yield from expect('not of a file', (status, text), (0, ''))
    status, text = Terminal(cairn, *FLOW, *image, trace, environment={'PAGER': 'cat >/dev/null; yes | head -n 1'}).end()
    yield from expect('its own pipes break', (status, text), (0, 'y\n'))
    for command in 'packets', 'elements', 'data':  # of these as well, which have no colours
        listed = run(cairn, command, *ETE, *image, trace).lines()
        for options, mark in ([], 'others: '), (['--no-pager'], ''):
            status, text = Terminal(cairn, command, *ETE, *options, *image, trace, environment={'PAGER': others}).end()
            yield from expect('%s %s' % (command, options), (status, text.splitlines()), (0, [mark + line for line in listed]))
    gaps = folder.write('gapped.bin', START + E * 3)
    status, text = Terminal(cairn, *FLOW, *image[:2], gaps, environment={'PAGER': others}).end()
    yield from expect('the status is that of the trace', status, 1)
    status, text = Terminal(cairn, *FLOW, folder.path + '/absent', environment={'PAGER': others}).end()
    yield from expect('no pager where nothing is listed', (status, 'others: ' in text), (2, False))


def check_stopped_pager(cairn, folder):
    """Who leaves the pager has seen enough: status 0. Ctrl-C stops the listing, and the pager ends by itself."""
    image = folder.program({0x1000: [B_SELF]})
    trace = folder.write('long.bin', START + E * 3000000)
    head = folder.write('head', '#!/bin/sh\nexec head -n 3\n')
    tail = folder.write('tail', '#!/bin/sh\ntrap "" INT\nhead -n 9\necho ready\nsleep 3\nexec tail -n 3\n')
    for path in head, tail:
        os.chmod(path, 0o755)
    started = Terminal(cairn, *FLOW, '--color=never', *image, trace, environment={'PAGER': head})
    status, text = started.end()
    yield from expect('left', (status, len(text.splitlines())), (0, 3))
    started = Terminal(cairn, *FLOW, '--color=never', *image, trace, environment={'PAGER': tail})
    started.read(b'ready')
    for _ in range(2):  # as the terminal does: to all of its processes
        os.killpg(started.process.pid, signal.SIGINT)
        time.sleep(0.1)
    status, text = started.end()
    yield from expect('Ctrl-C', status, 130)
    yield from expect_in('where it stopped', 'stopped in long.bin', text)


def check_real_pager(cairn, folder, trace, image):
    """less shows what fits the screen and ends; its first key otherwise is ours."""
    status, text = Terminal(cairn, *FLOW, '--color=never', *image, trace, environment={'LINES': '60', 'COLUMNS': '100'}).end()
    plain = run(cairn, *FLOW, *image, trace).lines()
    yield from expect('status', status, 0)
    shown = [re.sub(r'\033(\[[0-9;?]*[A-Za-z]|[=>])|\r', '', line) for line in text.splitlines()]
    yield from expect('lines', [line for line in plain if line not in shown], [])


def main():
    cairn = sys.argv[1]
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        example, folder = Folder(os.path.join(path, 'example')), Folder(os.path.join(path, 'other'))
        trace = example.write('trace.bin', EXAMPLE_D11_1_1)
        image = example.program()
        tap.case('columns and functions: DDI0608 D11.1.1', check_example(cairn, folder, trace))
        tap.case('offsets when asked for', check_offsets(cairn, folder, trace, image))
        tap.case('where an address came from', check_return_stack(cairn, folder))
        tap.case('exceptions', check_exceptions(cairn, folder))
        tap.case('a target that is another one', check_mismatch(cairn, folder))
        tap.case('exceptions by the vector table', check_vectors(cairn, folder))
        tap.case('handlers by the vector table', check_handlers(cairn, folder))
        tap.case('a vector table where VTOR says', check_vtor(cairn, folder))
        tap.case('runs of gaps', check_gaps(cairn, folder))
        tap.case('cycles of ETE', check_cycles_behind(cairn, folder))
        tap.case('cycles of ETMv3', check_cycles_before(cairn, folder))
        tap.case('timestamps', check_times(cairn, folder))
        tap.case('--merge time', check_merge(cairn, folder))
        tap.case('data under its instruction', check_data(cairn, folder))
        tap.case('options', check_options(cairn, folder, trace, image))
        if sanitized(cairn):
            tap.skip('lines a second', 'the sanitizers are too slow for it')
        else:
            tap.case('lines a second', check_speed(cairn, folder))
        terminal = [('colours', lambda: check_colours(cairn, folder, trace, image)),
                    ('a pager', lambda: check_pager(cairn, folder, trace, image)),
                    ('a pager that is left, and Ctrl-C', lambda: check_stopped_pager(cairn, folder)),
                    ('less', lambda: check_real_pager(cairn, folder, trace, image))]
        try:
            for end in pty.openpty():
                os.close(end)
        except OSError as error:
            for name, _ in terminal:
                tap.skip(name, 'no pseudo terminal can be had: %s' % error)
            terminal = []
        for name, check in terminal:
            tap.case(name, check())
        tap.case('the example capture', check_same_instructions(cairn, EXAMPLES))
        found = captures()
        if found is None:
            tap.skip('real captures', 'CAIRN_CAPTURES is not set')
        for name, where in found or []:
            tap.case(name, check_same_instructions(cairn, where))
            tap.case(name + ': what was lost', check_lost(cairn, where))
    tap.end()


if __name__ == '__main__':
    main()
