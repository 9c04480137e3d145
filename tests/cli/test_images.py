#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Images that are not what ran: for each fault, made from a seed, `cairn check` names the file and the cause.

The capture is examples/capture, whose lists of executed instructions an interpreter made that shares nothing with
Cairn. What is executed, which words are where, and what a patched word means is taken from there and from the tables
below, not from Cairn.

usage: test_images.py CAIRN
"""
import os
import random
import re
import shutil
import struct
import sys
import tempfile

from common import START, Folder, Tap, bytes_of, expect, expect_in, run, words

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLE = os.path.join(TOP, 'examples', 'capture')
BASE = 0x80000000
CODE_END = 0x50  # of the program before its vector; behind it are zeros
SVC = 0x80000020
NOP, UDF, RET = 0xd503201f, 0x00000000, 0xd65f03c0
SEEDS = int(os.environ.get('CAIRN_IMAGE_SEEDS', '12'))  # of each fault


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def executed():
    """{address: [how often it was E, N, or neither]} of both sources."""
    counts = {}
    for name in ('ETE_0', 'ETM_1'):
        for line in read(os.path.join(EXAMPLE, name + '.addresses')).decode().splitlines():
            part = line.split()
            if part[0].startswith('#'):
                continue
            entry = counts.setdefault(int(part[0], 16), {'E': 0, 'N': 0, '': 0})
            entry[part[1] if len(part) > 1 else ''] += 1
    return counts


CODE = read(os.path.join(EXAMPLE, 'program.bin'))
RAN = executed()


def word(address):
    return struct.unpack_from('<I', CODE, address - BASE)[0]


def patched(address, value):
    at = address - BASE
    return CODE[:at] + struct.pack('<I', value) + CODE[at + 4:]


class Case:
    """A copy of the capture, and what is changed in it."""

    def __init__(self, folder, name):
        self.path = os.path.join(folder.path, name)
        shutil.copytree(EXAMPLE, self.path)

    def file(self, name, data=None):
        path = os.path.join(self.path, name)
        if data is not None:
            with open(path, 'wb') as file:
                file.write(data)
        return path

    def edit(self, pattern, replacement):
        """Of both cores' descriptions."""
        for name in ('cpu_0.ini', 'cpu_1.ini'):
            path = self.file(name)
            text = read(path).decode()
            changed = re.sub(pattern, replacement, text, flags=re.S)
            assert changed != text
            self.file(name, changed.encode())

    def without_memory(self):
        self.edit(r'\n\[dump1\].*', '\n')


def findings(cairn, *arguments):
    answer = run(cairn, 'check', '--format', 'json', *arguments)
    return answer, [row for row in answer.rows() if row['type'] == 'finding'] if answer.out else []


# The whole flow may be lost: then nothing could be decoded.
LOST = (1, 2)


def expect_status(what, got, wanted):
    return [] if got in (wanted if isinstance(wanted, tuple) else (wanted,)) else \
        ['%s: got %d, expected %r' % (what, got, wanted)]


def check(cairn, arguments, code, parts, advice=(), status=1, severity='problem'):
    """One finding with the code says all of `parts`; as text it is there too."""
    answer, rows = findings(cairn, *arguments)
    yield from expect_status('status', answer.status, status)
    found = [row for row in rows if row.get('code') == code]
    matching = [row for row in found if all(part in row['what'] for part in parts)]
    if not matching:
        yield 'no %s with %r: %r' % (code, parts, [(row.get('code'), row['what']) for row in rows])
        return
    row = matching[0]
    yield from expect('severity', row['severity'], severity)
    yield from expect('loses_data', row['loses_data'], severity == 'problem')
    for part in advice:
        yield from expect_in('advice', part, row.get('advice', ''))
    text = run(cairn, 'check', '--all', *arguments)
    yield from expect_status('status as text', text.status, status)
    yield from expect_in('text', code, text.out)


# --- one function a fault: (random, case) -> arguments, code, parts of the message, advice, status, severity

def patched_executed(draw, case):
    address = draw.choice(sorted(RAN))
    value = draw.choice([v for v in (NOP, 0xd2800000 | draw.randrange(32), 0x8b000000 | draw.randrange(32))
                         if v != word(address)])
    bad = case.file('bad.bin', patched(address, value))
    return (['--image', bad + '@0x%x' % BASE, case.path], 'CAIRN-IMAGE-MISMATCH',
            ['bad.bin is not what ran', '1 instruction that was executed differs', 'at 0x%x' % address,
             '%08x' % value, '%08x' % word(address), 'program.bin'], [], 1, 'problem')


def patched_not_executed(draw, case):
    choice = [a for a in range(BASE + CODE_END, BASE + len(CODE), 4) if a not in RAN]
    address = draw.choice(choice)
    bad = case.file('bad.bin', patched(address, 0xd2800000 | draw.randrange(1, 1 << 16) << 5))
    return (['--image', bad + '@0x%x' % BASE, case.path], 'CAIRN-IMAGE-DIFFERS',
            ['bad.bin differs from', '0x%x' % (address & ~1), 'none of it was executed'], [], 0, 'note')


def other_build(draw, case):
    """An instruction more: all behind it is 4 bytes further on."""
    at = draw.choice([a for a in sorted(RAN) if a < BASE + CODE_END - 8 and word(a) != NOP]) - BASE
    bad = case.file('bad.bin', CODE[:at] + struct.pack('<I', NOP) + CODE[at:])
    return (['--image', bad + '@0x%x' % BASE, case.path], 'CAIRN-IMAGE-MISMATCH',
            ['bad.bin is not what ran', 'executed'], ['another build'], 1, 'problem')


def wrong_bias(draw, case):
    bias = draw.choice([0x1000, 0x5500000000, 0x7f0000000000]) + 0x1000 * draw.randrange(1 << 16)
    return (['--image', '%s@0x%x' % (case.file('program.elf'), bias), case.path], 'CAIRN-IMAGE-UNUSED',
            ['no executed instruction lies in', 'program.elf', '0x%x' % bias],
            ['give --image %s:' % case.file('program.elf')], 1, 'problem')


def wrong_address(draw, case):
    address = 0x1000 * draw.randrange(1, 1 << 16)
    return (['--image', '%s@0x%x' % (case.file('program.bin'), address), case.path], 'CAIRN-IMAGE-UNUSED',
            ['program.bin', '0x%x' % address], ['program.bin@0x%x' % BASE], 1, 'problem')


def slightly_wrong_bias(draw, case):
    bias = 4 * draw.choice([n for n in range(-8, 8) if n])
    return (['--image', '%s@0x%x' % (case.file('program.bin'), BASE + bias), case.path], 'CAIRN-IMAGE-MISMATCH',
            ['program.bin is not what ran'], [], 1, 'problem')


def swapped_segments(draw, case):
    """Two files whose dumps have changed places."""
    cut = draw.choice([0x1c, 0x20, 0x24, 0x28, 0x2c, 0x30, 0x34, 0x38, 0x3c])
    one, two = case.file('one.bin', CODE[:cut]), case.file('two.bin', CODE[cut:])
    return (['--image', '%s@0x%x' % (one, BASE + cut), '--image', '%s@0x%x' % (two, BASE), case.path],
            'CAIRN-IMAGE-MISMATCH', ['two.bin is not what ran'], [], 1, 'problem')


def elf_as_raw(draw, case):
    address = draw.choice([0, BASE, BASE + 0x1000, 0x10000 * draw.randrange(1, 999)])
    case.edit(r'file=program.bin\naddress=\S+\nlength=\S+', 'file=program.elf\naddress=0x%x' % address)
    return ([case.path], 'CAIRN-ELF-AS-RAW',
            ['[dump1] of cpu_', 'program.elf is an ELF file, used as raw bytes from 0x%x on' % address,
             'loaded at 0x%x' % BASE], ['remove address=', '--image'], LOST, 'problem')


def elf_as_raw_in_parts(draw, case):
    """Of two dumps of the file one has nothing but its headers, by its length: it is looked at first or last."""
    address = 0x10000 * draw.randrange(1, 999)
    offset, _ = code_of(read(case.file('program.elf')))
    dumps = ['file=program.elf\naddress=0x%x' % address,
             'file=program.elf\naddress=0x%x\nlength=0x%x' % (address - 0x8000, draw.randrange(64, offset + 1))]
    whole = draw.randrange(2)
    case.edit(r'file=program.bin\naddress=\S+\nlength=\S+', dumps[whole] + '\n[dump2]\n' + dumps[1 - whole])
    return ([case.path], 'CAIRN-ELF-AS-RAW',
            ['[dump%d] of cpu_' % (whole + 1), 'program.elf is an ELF file, used as raw bytes from 0x%x on' % address,
             'loaded at 0x%x' % BASE], ['remove address=', '--image'], LOST, 'problem')


def elf_as_raw_cut(draw, case):
    """The only dump ends behind the code, in front of the section headers."""
    address = 0x10000 * draw.randrange(1, 999)
    elf = read(case.file('program.elf'))
    offset, size = code_of(elf)
    sections, = struct.unpack_from('<Q', elf, 40)
    case.edit(r'file=program.bin\naddress=\S+\nlength=\S+', 'file=program.elf\naddress=0x%x\nlength=0x%x' %
              (address, draw.randrange(offset + size, sections + 1)))
    return ([case.path], 'CAIRN-ELF-AS-RAW', ['[dump1] of cpu_', 'used as raw bytes from 0x%x on' % address], ['remove address='],
            LOST, 'problem')


def truncated_elf(draw, case):
    """The program headers are at 64, one of 56 bytes; the code begins where the first PT_LOAD with X says."""
    elf = read(case.file('program.elf'))
    offset, size = code_of(elf)
    case.without_memory()
    cut = offset + 4 * draw.randrange(1, CODE_END // 4)
    bad = case.file('cut.elf', elf[:cut])
    return (['--image', bad, case.path], 'CAIRN-IMAGE-TRUNCATED',
            ['cut.elf is truncated', '%d bytes' % (size - (cut - offset))], ['copy the whole file'], 1, 'problem')


def code_of(elf):
    offset, size, count = struct.unpack_from('<Q', elf, 32)[0], struct.unpack_from('<H', elf, 54)[0], \
        struct.unpack_from('<H', elf, 56)[0]
    for i in range(count):
        kind, flags, at, _, _, length = struct.unpack_from('<IIQQQQ', elf, offset + i * size)
        if kind == 1 and flags & 1:
            return at, length
    raise ValueError('no code')


def truncated_dump(draw, case):
    cut = 4 * draw.randrange(1, CODE_END // 4)
    case.file('program.bin', CODE[:cut])
    return ([case.path], None, ['program.bin is too short', '0x%x' % (BASE + cut)], [], 1, 'warning')


def missing_dump(draw, case):
    os.remove(case.file('program.bin'))
    return ([case.path], None, ['program.bin is missing'], [], LOST, 'warning')


def other_architecture(draw, case):
    """An ELF file of AArch32 (EM_ARM, ELFCLASS32) with the code of this program, here or elsewhere."""
    address = draw.choice([BASE, 0x8000, 0x10000])
    header = b'\x7fELF' + bytes([1, 1, 1]) + bytes(9) + struct.pack(
        '<HHIIIIIHHHHHH', 2, 40, 1, address, 52, 0, 0x5000400, 52, 32, 1, 40, 0, 0)
    program = struct.pack('<IIIIIIII', 1, 84, address, address, len(CODE), len(CODE), 5, 4)
    bad = case.file('arm.elf', header + program + CODE)
    return (['--image', bad, case.path], 'CAIRN-IMAGE-ARCHITECTURE',
            ['arm.elf is a program for AArch32', 'A64'], ['give the file that ran'], 1, 'problem')


def overlapping(draw, case):
    """Two files for the same addresses, one of them wrong; the order must not matter for the blame."""
    address = draw.choice(sorted(RAN))
    bad = case.file('bad.bin', patched(address, NOP if word(address) != NOP else RET))
    good = case.file('good.bin', CODE)
    files = ['%s@0x%x' % (path, BASE) for path in draw.sample([bad, good], 2)]
    last = files[1].split('@')[0]
    return (['--image', files[0], '--image', files[1], case.path], 'CAIRN-IMAGE-MISMATCH',
            ['bad.bin is not what ran', 'at 0x%x' % address, 'Followed was ' + last], [], 1, 'problem')


def overlapping_alone(draw, case):
    """The same where the capture has no memory that tells which is right."""
    address = draw.choice(sorted(RAN))
    bad = case.file('bad.bin', patched(address, NOP if word(address) != NOP else RET))
    good = case.file('good.bin', CODE)
    case.without_memory()
    return (['--image', '%s@0x%x' % (bad, BASE), '--image', '%s@0x%x' % (good, BASE), case.path],
            'CAIRN-IMAGE-MISMATCH', ['good.bin is not what ran, or the other file is not', 'bad.bin',
                                     'at 0x%x' % address], [], 1, 'problem')


def stripped(draw, case):
    elf = bytearray(read(case.file('program.elf')))
    struct.pack_into('<Q', elf, 40, 0)           # e_shoff
    struct.pack_into('<HHH', elf, 58, 64, 0, 0)  # e_shentsize, e_shnum, e_shstrndx
    return (['--image', case.file('bare.elf', bytes(elf)), case.path], 'CAIRN-IMAGE-STRIPPED',
            ['bare.elf has no symbols'], ['before strip'], 0, 'note')


# Faults in the only memory that there is: the trace alone tells. An N at a branch that is always taken goes on behind
# it, so that the flow is right all the same and each such N of the lists is told.
def distance(opcode):
    """Of TBZ, TBNZ (14 bits), B.cond, CBZ, CBNZ (19 bits), in words (Arm ARM C4.1)."""
    bits = 14 if opcode & 0x7e000000 == 0x36000000 else 19
    value = opcode >> 5 & (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def always_taken(draw, case):
    address = draw.choice([a for a in sorted(RAN) if RAN[a]['N'] and RAN[a]['E']])
    value = 0x14000000 | distance(word(address)) & 0x3ffffff  # b to where the branch leads
    count = RAN[address]['N']
    case.file('program.bin', patched(address, value))
    return ([case.path], 'CAIRN-IMAGE-CONTRADICTED',
            ['program.bin) contradicts the trace %d time' % count, 'always taken', 'at 0x%x' % address], [], 1,
            'problem')


def undefined(draw, case):
    address = draw.choice([a for a in sorted(RAN) if RAN[a][''] and a != SVC])
    case.file('program.bin', patched(address, UDF | draw.randrange(1 << 16)))
    return ([case.path], 'CAIRN-IMAGE-CONTRADICTED',
            ['program.bin) contradicts the trace', 'undefined instruction', 'at 0x%x' % address], [], 1, 'problem')


def no_call(draw, case):
    """The supervisor call is another instruction that is no branch."""
    address = SVC
    case.file('program.bin', patched(address, 0xd2800000 | draw.randrange(1 << 16) << 5))
    return ([case.path], 'CAIRN-IMAGE-CONTRADICTED',
            ['program.bin) contradicts the trace', 'call exception', 'at 0x%x' % address], [], 1, 'problem')


def always_taken_given(draw, case):
    """The same where the only memory is what is given."""
    address = draw.choice([a for a in sorted(RAN) if RAN[a]['N'] and RAN[a]['E']])
    bad = case.file('bad.bin', patched(address, 0x14000000 | distance(word(address)) & 0x3ffffff))
    case.without_memory()
    return (['--image', bad + '@0x%x' % BASE, case.path], 'CAIRN-IMAGE-CONTRADICTED',
            ['bad.bin contradicts the trace %d time' % RAN[address]['N'], 'always taken', 'at 0x%x' % address], [], 1,
            'problem')


FAULTS = [patched_executed, patched_not_executed, other_build, wrong_bias, wrong_address, slightly_wrong_bias,
          swapped_segments, elf_as_raw, elf_as_raw_in_parts, elf_as_raw_cut, truncated_elf, truncated_dump, missing_dump, other_architecture, overlapping,
          overlapping_alone, stripped, always_taken, always_taken_given,
          undefined, no_call]


def inject(cairn, folder, fault, seed):
    case = Case(folder, '%s_%d' % (fault.__name__, seed))
    arguments, code, parts, advice, status, severity = fault(random.Random('%s %d' % (fault.__name__, seed)), case)
    if code:
        problems = list(check(cairn, arguments, code, parts, advice, status, severity))
    else:  # what the capture says of itself
        answer, rows = findings(cairn, *arguments)
        problems = list(expect_status('status', answer.status, status))
        if not any(all(part in row['what'] for part in parts) for row in rows):
            problems.append('nothing says %r: %r' % (parts, [row['what'] for row in rows]))
    if seed == 0:
        whole = run(cairn, 'check', '--all', *arguments).out
        for way in (['--reference'], ['--jobs', 4], ['--table-memory', '1M']):
            problems += expect('with %r' % way, run(cairn, 'check', '--all', *way, *arguments).out, whole)
    shutil.rmtree(case.path)
    return ['seed %d: %s' % (seed, problem) for problem in problems]


# --- what else must be true

def clean(cairn, folder):
    """Nothing of this is said where the image is right."""
    case = Case(folder, 'clean')
    for given in ([], ['--image', case.file('program.elf')], ['--image', case.file('program.bin') + '@0x%x' % BASE]):
        answer, rows = findings(cairn, *given, case.path)
        yield from expect('status with %r' % given, answer.status, 0)
        yield from expect('findings', [row for row in rows if row.get('code')], [])
        flow = run(cairn, 'flow', *given, case.path)
        yield from expect('messages of flow', flow.err, '')


def mended(cairn, folder):
    """--fix takes the addresses away, of both cores, and the copy is right."""
    case = Case(folder, 'mended')
    case.edit(r'file=program.bin\naddress=\S+\nlength=\S+', 'file=program.elf\naddress=0x0')
    flow = run(cairn, 'flow', case.path)
    yield from expect('messages of flow', len([line for line in flow.err.splitlines() if 'as raw bytes' in line]), 1)
    answer = run(cairn, 'check', '--fix', case.path)
    yield from expect_in('what it did', 'without address=', answer.out + answer.err)
    fixed = case.file('snapshot.fixed.ini')
    again, rows = findings(cairn, fixed)
    yield from expect('status of what was mended', again.status, 0)
    for name in ('ETE_0', 'ETM_1'):
        flow = run(cairn, 'flow', '--format', 'addresses', '--source', name, fixed)
        yield from expect('instructions of ' + name, [line for line in flow.lines() if not line.startswith('#')],
                          [line for line in read(os.path.join(EXAMPLE, name + '.addresses')).decode().splitlines()
                           if not line.startswith('#')])


def no_program(cairn, folder):
    """Packets of an MTB that do not join, and no program at all: nothing contradicts anything."""
    dump = folder.write('mtb.bin', struct.pack('<8I', 0x200, 0x301, 0x310, 0x400, 0x210, 0x500, 0x510, 0x600))
    answer, rows = findings(cairn, '--protocol', 'mtb', dump)
    yield from expect('contradictions', [row['what'] for row in rows if 'contradict' in row['what']], [])
    named = [row for row in rows if row.get('code') == 'CAIRN-NO-IMAGE' and 'do not join' in row['what']]
    yield from expect('packets that do not join', len(named), 1)
    for row in named:
        yield from expect_in('advice', 'give the program with --image', row['advice'])
        yield from expect_in('advice', 'POSITION', row['advice'])


def flow_tells(cairn, folder):
    case = Case(folder, 'told')
    bad = case.file('bad.bin', patched(0x80000008, 0x9400000e))
    flow = run(cairn, 'flow', '--format', 'addresses', '--image', bad + '@0x%x' % BASE, case.path)
    yield from expect('lines', len(flow.err.splitlines()), 1)
    yield from expect_in('message', 'bad.bin differs from [dump1]', flow.err)
    yield from expect_in('message', 'at 0x80000008', flow.err)
    yield from expect_in('message', 'the file given is followed', flow.err)
    elf = case.file('program.elf') + '@0x5500000000'
    for way in ([], ['--summary'], ['--reference'], ['--format', 'addresses']):
        flow = run(cairn, 'flow', *way, '--image', elf, case.path)
        yield from expect('lines with %r' % way, len(flow.err.splitlines()), 1)
        yield from expect_in('message', 'no executed instruction lies in ' + elf, flow.err)
        yield from expect_in('message', '--image %s@auto' % case.file('program.elf'), flow.err)
    for part in (['--to', 20], ['--source', 'ETE_0']):
        yield from expect('messages of a part', run(cairn, 'flow', *part, '--image', elf, case.path).err, '')


def review(cairn, folder):
    """A word of the program is another one: a BL to another function."""
    case = Case(folder, 'review')
    bad = case.file('bad.bin', patched(0x80000008, 0x9400000e))
    yield from check(cairn, ['--image', bad + '@0x%x' % BASE, case.path], 'CAIRN-IMAGE-MISMATCH',
                     ['`bl 0x80000040` (9400000e)', '`bl 0x8000002c` (94000009)', 'at 0x80000008',
                      '1 instruction that was executed differs from [dump1] of cpu_'])


def automatic(cairn, folder):
    """By the capture's bytes; and without these by the trace alone."""
    case = Case(folder, 'auto')
    wanted = [line for line in read(os.path.join(EXAMPLE, 'ETE_0.addresses')).decode().splitlines()
              if not line.startswith('#')]
    for name in ('program.elf', 'program.bin'):
        answer = run(cairn, 'flow', '--source', 'ETE_0', '--format', 'addresses', '--image',
                     case.file(name) + '@auto', case.path)
        yield from expect_in('message', 'taken as --image %s' % case.file(name) +
                             ('@0x%x:' % BASE if name == 'program.bin' else ':'), answer.err)
        yield from expect('instructions', [line for line in answer.lines() if not line.startswith('#')], wanted)
    other = case.file('other.bin', random.Random(1).randbytes(4096))
    answer = run(cairn, 'flow', '--image', other + '@auto', case.path)
    yield from expect('status where nothing fits', answer.status, 2)
    yield from expect_in('message', 'no address was found at which it fits', answer.err)
    yield from expect('listing', answer.out, '')


def moved(cairn, folder):
    """A position independent program of 40 functions, run from a random page; no bytes of it are in the capture. Each
    function calls the next but one through a register, so that the trace has its address (ETE, Target Address packets;
    DDI0608 D5.51), and ends with a direct branch to itself."""
    draw = random.Random(7)
    text, starts = b'', []
    for number in range(40):
        starts.append(len(text))
        body = [0xd2800000 | number << 5 | n for n in range(draw.randrange(1, 6))]
        # movs; cbz x0, +8; nop; br x1
        text += words(body + [0xb4000040, NOP, 0xd61f0020])
    for bias in (0x5500000000, 0x7f1234567000):
        trace = bytes(11) + b'\x80' + bytes_of('01 00 04')
        for number in [draw.randrange(40) for _ in range(60)]:
            address = bias + 0x1000 + starts[number]
            # Target Address with Context, 64 bits IS0 (85), EL0 Non-secure AArch64 (30); then E (cbz), E (br)
            trace += b'\x85' + address_bytes(address) + b'\x30' + bytes_of('F7 F7')
        elf = folder.elf('moved.elf', {0x1000: text}, [('f%d' % i, 0x1000 + at, 4) for i, at in enumerate(starts)])
        capture = folder.snapshot('moved_%x' % bias, trace)
        option = '%s@0x%x' % (elf, bias)
        answer = run(cairn, 'flow', '--summary', '--image', elf + '@auto', capture)
        yield from expect_in('message', 'taken as --image ' + option, answer.err)
        yield from check(cairn, ['--image', elf, capture], 'CAIRN-IMAGE-UNUSED', ['moved.elf'],
                         ['--image ' + option], LOST)
        # two addresses only: there are many pages where each is the beginning of a function
        few = folder.snapshot('few_%x' % bias, trace[:15 + 12])
        answer = run(cairn, 'flow', '--summary', '--image', elf + '@auto', few)
        yield from expect('status with one address', answer.status, 2)


def address_bytes(address):
    """Target Address with Context, 64-bit IS0: bits 8:2, 15:9, then six whole bytes (DDI0608 D5.52)."""
    return bytes([address >> 2 & 0x7f, address >> 9 & 0x7f]) + struct.pack('<Q', address)[2:]


def main():
    cairn = sys.argv[1]
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('right images: nothing is said', clean(cairn, folder))
        tap.case('a BL to another function', review(cairn, folder))
        tap.case('flow says so in one line', flow_tells(cairn, folder))
        tap.case('an ELF file as raw bytes is mended', mended(cairn, folder))
        tap.case('packets of an MTB without a program', no_program(cairn, folder))
        tap.case('FILE@auto', automatic(cairn, folder))
        tap.case('a position independent program, by the trace alone', moved(cairn, folder))
        for fault in FAULTS:
            problems = []
            for seed in range(SEEDS):
                problems += inject(cairn, folder, fault, seed)
            tap.case('%s, %d seeds' % (fault.__name__.replace('_', ' '), SEEDS), problems[:6])
    tap.end()


if __name__ == '__main__':
    main()
