#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A program is recorded, and then its files, the recording or what is given with --image are made wrong, each in many
ways that are drawn from seeds: `cairn check` names the file and the cause each time.

What was executed a plugin wrote down that shares nothing with Cairn; where functions are, and what else is in a file,
nm, objcopy and strip of GNU binutils say.
"""
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys

from recording import Bench, Tap

ROOT = '/usr/aarch64-linux-gnu'  # Debian's libc6-arm64-cross
BIAS = 0x5500000000  # where QEMU's user mode puts a position independent program; checked below
NOP = 0xd503201f
SEEDS = int(os.environ.get('CAIRN_IMAGE_SEEDS', '8'))  # of each fault
PROGRAM = r'''
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += i %% 7 == 3 ? i : 1; return s; }
__attribute__((noinline)) int never(int n) { return n * 77 + 5; }
__attribute__((noinline)) int table(int k, int n)
{
    switch (k) {
    case 0: return work(n);
    case 1: return n + %d;
    case 2: return n * 3;
    case 3: return n - 9;
    case 4: return work(n / 2);
    case 5: return n ^ 0x55;
    default: return 0;
    }
}
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(int argc, char **argv)
{
    int list[64], sum = 0;
    (void)argv;
    for (int i = 0; i < 64; i++)
        list[i] = i * 37 %% 64;
    qsort(list, 64, sizeof *list, compare);
    for (int i = 0; i < 64; i++)
        sum += table(i %% 7, list[i]);
    if (argc > 5)
        sum = never(sum);
    printf("%%d\n", sum);
    return 0;
}
'''


def compile(bench, name, constant, *options, compiler='aarch64-linux-gnu-gcc'):
    source = bench.path(name + '.c')
    with open(source, 'w') as file:
        file.write(PROGRAM % constant)
    path = bench.path(name)
    subprocess.run([compiler, '-O1', '-g', '-pie', *options, source, '-o', path], check=True)
    return path


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def write(path, data):
    """Anew: a file that Cairn has mapped, or that was linked, stays as it is."""
    if os.path.exists(path):
        os.remove(path)
    with open(path, 'wb') as file:
        file.write(data)
    os.chmod(path, 0o755)
    return path


class Program:
    """A recorded program: its file, and what of it was executed."""

    def __init__(self, bench, path):
        self.bench, self.path, self.data = bench, path, read(path)
        lines = bench.path('addresses')
        options = ['--qemu-argument=-plugin',
                   '--qemu-argument=%s,out=%s,list=%s' % (bench.addresses, bench.path('plain'), lines)]
        status, self.out, messages, self.folder = bench.record([path], ['-L', ROOT, *options],
                                                               name='capture-' + os.path.basename(path))
        if status:
            raise RuntimeError('record: %d %s' % (status, messages))
        out = subprocess.run(['aarch64-linux-gnu-nm', path], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.symbols = {row.split()[2]: int(row.split()[0], 16) for row in out.splitlines() if len(row.split()) == 3}
        with open(lines) as file:
            ran = {int(line, 16) for line in file}
        self.size = self.code_end()
        self.ran = sorted(a for a in ran if BIAS <= a < BIAS + self.size and a % 4 == 0)

    def code_end(self):
        """End of the first PT_LOAD; its offset and its address are 0."""
        at, size, count = struct.unpack_from('<Q', self.data, 32)[0], 56, struct.unpack_from('<H', self.data, 56)[0]
        for i in range(count):
            kind, flags, offset, address, _, length = struct.unpack_from('<IIQQQQ', self.data, at + i * size)
            if kind == 1 and flags & 1:
                assert offset == address == 0
                return length
        raise ValueError('no code')

    def word(self, address):
        return struct.unpack_from('<I', self.data, address - BIAS)[0]

    def patched(self, address, value):
        data = bytearray(self.data)
        struct.pack_into('<I', data, address - BIAS, value)
        return bytes(data)


def findings(bench, *arguments):
    status, out, messages = bench.run([bench.cairn, 'check', '--format', 'json', *arguments])
    rows = [json.loads(line) for line in out.splitlines()]
    return status, [row for row in rows if row['type'] == 'finding'], messages


def check(bench, arguments, code, parts, advice='', status=1):
    got, rows, messages = findings(bench, *arguments)
    found = [row for row in rows if row['code'] == code and all(part in row['what'] for part in parts)]
    problems = [] if got == status else ['status %d, expected %d: %s' % (got, status, messages)]
    if not found:
        problems.append('no %s with %r: %r' % (code, parts, [(row['code'], row['what']) for row in rows]))
    elif advice not in found[0].get('advice', ''):
        problems.append('advice %r has no %r' % (found[0].get('advice'), advice))
    return problems


def other_word(draw, program, address):
    return draw.choice([v for v in (NOP, 0xd2800000 | draw.randrange(32), 0x8b000000 | draw.randrange(32))
                        if v != program.word(address)])


# --- one function a fault: (random, programs) -> problems. What it changes it puts back.

def module_patched(draw, bench, with_id, without_id):
    """The program's own file, changed where it was executed. Its build-id is still right."""
    address = draw.choice(with_id.ran)
    value = other_word(draw, with_id, address)
    write(with_id.path, with_id.patched(address, value))
    problems = check(bench, [with_id.folder], 'CAIRN-IMAGE-MISMATCH',
                     [with_id.path + ' is not what was recorded: 1 instruction differs', 'at 0x%x' % address,
                      '%08x' % value, '%08x' % with_id.word(address), 'build-id is right'], 'put the file back')
    write(with_id.path, with_id.data)
    return problems


def module_patched_without_id(draw, bench, with_id, without_id):
    """One without a build-id is not believed any more."""
    address = draw.choice(without_id.ran)
    value = other_word(draw, without_id, address)
    write(without_id.path, without_id.patched(address, value))
    problems = check(bench, [without_id.folder], 'CAIRN-IMAGE-MISMATCH',
                     [without_id.path + ' is not what was recorded: 1 instruction differs', 'at 0x%x' % address,
                      '%08x' % value, 'gives no names'], 'put the file back')
    _, out, messages = bench.run([bench.cairn, 'flow', '--format', 'full', without_id.folder])
    if b' table:\n' in out or b' main:\n' in out or b' __libc_start_main:\n' not in out:
        problems.append('names of the file are used')
    if without_id.path + ' is not what was recorded' not in messages or len(messages.splitlines()) != 1:
        problems.append('flow says %r' % messages)
    write(without_id.path, without_id.data)
    return problems


def module_not_executed(draw, bench, with_id, without_id):
    """Nobody can know that what was not executed is another now, and nothing is wrong with the flow."""
    address = BIAS + without_id.symbols['never']
    write(without_id.path, without_id.patched(address, NOP))
    status, rows, _ = findings(bench, without_id.folder)
    write(without_id.path, without_id.data)
    return [] if status == 0 and not rows else ['status %d, %r' % (status, rows)]


def module_rebuilt(draw, bench, with_id, without_id):
    other = compile(bench, 'other', draw.randrange(2, 999))
    write(with_id.path, read(other))
    problems = check(bench, [with_id.folder], 'CAIRN-MODULE-CHANGED',
                     [with_id.path + ' has changed since it was recorded', 'gives no names'], '--image FILE@0x%x' % BIAS)
    write(with_id.path, with_id.data)
    return problems


def module_rebuilt_without_id(draw, bench, with_id, without_id):
    other = compile(bench, 'other', draw.randrange(2, 999), '-Wl,--build-id=none')
    write(without_id.path, read(other))
    problems = check(bench, [without_id.folder], 'CAIRN-IMAGE-MISMATCH',
                     [without_id.path + ' is not what was recorded', 'gives no names'])
    write(without_id.path, without_id.data)
    return problems


def module_missing(draw, bench, with_id, without_id):
    program = draw.choice([with_id, without_id])
    os.remove(program.path)
    problems = check(bench, [program.folder], 'CAIRN-MODULE-MISSING', [program.path, 'not there any more'],
                     '--image FILE@0x%x' % BIAS, status=0)
    write(program.path, program.data)
    return problems


def given_patched(draw, bench, with_id, without_id):
    address = draw.choice(with_id.ran)
    value = other_word(draw, with_id, address)
    bad = write(bench.path('bad'), with_id.patched(address, value))
    return check(bench, ['--image', '%s@0x%x' % (bad, BIAS), with_id.folder], 'CAIRN-IMAGE-MISMATCH',
                 [bad + ' is not what ran: 1 instruction that was executed differs from what was recorded',
                  'at 0x%x' % address, '%08x' % value, '%08x' % with_id.word(address), 'Followed was what was recorded'],
                 'leave --image out')


def given_rebuilt(draw, bench, with_id, without_id):
    other = compile(bench, 'other', draw.randrange(2, 999))
    return check(bench, ['--image', '%s@0x%x' % (other, BIAS), with_id.folder], 'CAIRN-IMAGE-MISMATCH',
                 [other + ' is not what ran'], 'another build')


def given_elsewhere(draw, bench, with_id, without_id):
    """Placed by its build-id, or by the bytes that the recording has."""
    program = draw.choice([with_id, without_id])
    bias = draw.choice([0, 0x1000 * draw.randrange(1, 1 << 20), BIAS + (draw.randrange(64, 1024) << 16)])
    return check(bench, ['--image', '%s@0x%x' % (program.path, bias), program.folder], 'CAIRN-IMAGE-UNUSED',
                 ['no executed instruction lies in ' + program.path], 'give --image %s@0x%x:' % (program.path, BIAS))


def given_stripped(draw, bench, with_id, without_id):
    bare = bench.path('bare')
    subprocess.run(['aarch64-linux-gnu-strip', with_id.path, '-o', bare], check=True)
    write(bare, bytearray_without_dynamic(read(bare)))
    return check(bench, ['--image', '%s@0x%x' % (bare, BIAS), with_id.folder], 'CAIRN-IMAGE-STRIPPED',
                 [bare + ' has no symbols'], 'before strip', status=0)


def bytearray_without_dynamic(data):
    """Without section headers there is no .dynsym either, which has names of some functions."""
    data = bytearray(data)
    struct.pack_into('<Q', data, 40, 0)
    struct.pack_into('<HHH', data, 58, 64, 0, 0)
    return bytes(data)


def given_truncated(draw, bench, with_id, without_id):
    cut = 4 * draw.randrange(0x200, with_id.size // 4)
    bad = write(bench.path('cut'), with_id.data[:cut])
    return check(bench, ['--image', '%s@0x%x' % (bad, BIAS), with_id.folder], 'CAIRN-IMAGE-TRUNCATED',
                 [bad + ' is truncated', '%d byte' % (with_id.size - cut)], 'copy the whole file')


def given_for_arm(draw, bench, with_id, without_id):
    other = compile(bench, 'arm', draw.randrange(2, 999), '-static', compiler='arm-linux-gnueabihf-gcc')
    return check(bench, ['--image', other, with_id.folder], 'CAIRN-IMAGE-ARCHITECTURE',
                 [other + ' is a program for AArch32', 'A64'])


def recorded_patched(draw, bench, with_id, without_id):
    """The recording itself is damaged: then its program differs from it."""
    folder = copy(bench, with_id)
    dumps = sections(folder)
    address = draw.choice(with_id.ran)
    offset = next(at + address - first for first, length, at in dumps if first <= address < first + length)
    memory = bytearray(read(os.path.join(folder, 'memory.bin')))
    if struct.unpack_from('<I', memory, offset)[0] != with_id.word(address):
        return ['0x%x is not recorded as the file has it' % address]
    struct.pack_into('<I', memory, offset, other_word(draw, with_id, address))
    write(os.path.join(folder, 'memory.bin'), bytes(memory))
    return check(bench, [folder], 'CAIRN-IMAGE-MISMATCH',
                 [with_id.path + ' is not what was recorded', 'at 0x%x' % address])


def dumps_swapped(draw, bench, with_id, without_id):
    """Two pieces of the program's memory have changed places."""
    folder = copy(bench, with_id)
    mine = [dump for dump in sections(folder) if BIAS <= dump[0] < BIAS + with_id.size and dump[1] >= 16]
    one, two = draw.sample(mine, 2)
    path = os.path.join(folder, 'core_thread_1.ini')
    text = read(path).decode()
    text = text.replace('address=0x%x\n' % one[0], 'address=@\n').replace('address=0x%x\n' % two[0],
                                                                          'address=0x%x\n' % one[0])
    write(path, text.replace('address=@\n', 'address=0x%x\n' % two[0]).encode())
    return check(bench, [folder], 'CAIRN-IMAGE-MISMATCH', [with_id.path + ' is not what was recorded'])


def copy(bench, program):
    folder = bench.path('copy')
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(program.folder, folder)
    return folder


def sections(folder):
    """[(address, length, offset in memory.bin)]."""
    text = read(os.path.join(folder, 'core_thread_1.ini')).decode()
    rows = []
    for part in re.split(r'\n(?=\[)', text):
        values = dict(re.findall(r'^(\w+)=(\S+)$', part, re.M))
        if part.startswith('[dump'):
            rows.append(tuple(int(values[key], 16) for key in ('address', 'length', 'offset')))
    return rows


FAULTS = [module_patched, module_patched_without_id, module_not_executed, module_rebuilt, module_rebuilt_without_id,
          module_missing, given_patched, given_rebuilt, given_elsewhere, given_stripped, given_truncated, given_for_arm,
          recorded_patched, dumps_swapped]


# --- what else must be true

def clean(bench, with_id, without_id):
    problems = []
    for program in (with_id, without_id):
        if BIAS + program.symbols['main'] not in program.ran:
            problems.append('main is not where it should be: the expectations below are wrong')
        for given in ([], ['--image', '%s@0x%x' % (program.path, BIAS)]):
            status, rows, messages = findings(bench, *given, program.folder)
            if status or rows or messages:
                problems.append('%r: status %d, %r, %s' % (given, status, rows, messages))
    # T32, whose recordings have zeros behind instructions, and code that changes while it runs
    for name in ('mixed-t32', 'rewrite', 'jit'):
        program = bench.own(name)
        if not program:
            continue
        folder = bench.record([program], name='capture-' + name)[3]
        for given in ([], ['--image', program], ['--image', program + '@auto']):
            status, rows, _ = findings(bench, *given, folder)
            if status or rows:
                problems.append('%s, %r: status %d, %r' % (name, given, status, rows))
    return problems


def automatic(bench, with_id, without_id):
    """By the build-id, by bytes, and by nothing but the trace: then the recording has lost its memory of the program
    and all that it says of it."""
    folder = copy(bench, with_id)
    path = os.path.join(folder, 'snapshot.ini')
    write(path, re.sub(r'\n\[program\].*', '\n', read(path).decode(), flags=re.S).encode())
    path = os.path.join(folder, 'core_thread_1.ini')
    parts = re.split(r'\n(?=\[)', read(path).decode())
    kept = [part for part in parts if not (part.startswith('[dump') and BIAS <= int(
        re.search(r'^address=(\S+)$', part, re.M)[1], 16) < BIAS + with_id.size)]
    write(path, '\n'.join(kept).encode())
    problems = [] if len(kept) < len(parts) else ['nothing was taken out']
    for program, capture, why in ((with_id, with_id.folder, 'build-id'), (without_id, without_id.folder, 'bytes'),
                                  (with_id, folder, 'addresses without memory')):
        whole = bench.run([bench.cairn, 'flow', '--format', 'addresses', program.folder])[1]
        status, out, messages = bench.run([bench.cairn, 'flow', '--format', 'addresses', '--image',
                                           program.path + '@auto', capture])
        if status or out != whole:
            problems.append('by %s: status %d, %d of %d bytes' % (why, status, len(out), len(whole)))
        if 'taken as --image %s@0x%x: ' % (program.path, BIAS) not in messages or why not in messages:
            problems.append('by %s: %s' % (why, messages))
    return problems + check(bench, ['--image', with_id.path, folder], 'CAIRN-IMAGE-UNUSED', [with_id.path],
                            'give --image %s@0x%x:' % (with_id.path, BIAS))


def names(bench, with_id, without_id):
    """A file that is given names what the recording has the bytes of, and what it has not."""
    bare = bench.path('moved')
    os.rename(with_id.path, bare)
    _, out, _ = bench.run([bench.cairn, 'flow', '--format', 'full', '--image', '%s@0x%x' % (bare, BIAS), with_id.folder])
    os.rename(bare, with_id.path)
    return ['no name %s' % name for name in ('main', 'table', 'work', 'compare') if b' %s:\n' % name.encode() not in out]


def main():
    bench, tap = Bench(sys.argv), Tap()
    why = bench.missing()
    if not why and not bench.own('jit'):
        why = 'no cross compiler (Debian: gcc-aarch64-linux-gnu)'
    if not why and not os.path.isdir(os.path.join(ROOT, 'lib')):
        why = 'no libraries in %s (Debian: libc6-arm64-cross)' % ROOT
    others = [('right images: nothing is said', clean), ('FILE@auto', automatic), ('names by --image', names)]
    if why:
        for name in [name for name, _ in others] + [fault.__name__ for fault in FAULTS]:
            tap.skip(name.replace('_', ' '), why)
    else:
        with_id = Program(bench, compile(bench, 'prog', 1))
        without_id = Program(bench, compile(bench, 'noid', 1, '-Wl,--build-id=none'))
        for name, case in others:
            tap.case(name, case(bench, with_id, without_id))
        for fault in FAULTS:
            problems = []
            for seed in range(SEEDS):
                draw = random.Random('%s %d' % (fault.__name__, seed))
                problems += ['seed %d: %s' % (seed, problem) for problem in fault(draw, bench, with_id, without_id)]
            tap.case('%s, %d seeds' % (fault.__name__.replace('_', ' '), SEEDS), problems[:6])
    bench.close()
    tap.end()


main()
