#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cairn branches of perf.data files: every field in front of a branch stack, both byte orders, pipes, what is cut or
damaged; perf prints the same; llvm-profgen has its profile from the text.

usage: test_perf.py CAIRN
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

from common import Folder, Tap, expect, expect_in, run
from perf_file import (ADDR, ANY, AUXTRACE, BRANCH_STACK, CALLCHAIN, COMM, COMPRESSED, COUNTERS, CPU, ENABLED, GROUP, GUEST_USER, HW_INDEX, ID,
                       FILTERED, IDENTIFIER, IP, KERNEL, LOST, LOST_SAMPLES, MMAP2, PERIOD, RAW, READ, READ_ID, READ_LOST, RUNNING, SAMPLE,
                       STREAM_ID, TID, TIME, Perf, branches_of, perf_script, with_smaller_attributes)

TIMEOUT = 120
CAPTURES = os.environ.get('CAIRN_CAPTURES')
PLAIN = IP | TID | TIME | CPU | BRANCH_STACK


def stack_of(perf, *entries):
    return perf.words(len(entries)) + b''.join(entries)


def plain_file(order, guest=False):
    """Two samples as an arm64 kernel with BRBE writes them: two threads, three levels, a new type, a half."""
    perf = Perf(order)
    perf.event(PLAIN)
    perf.name(7, 7, 'first')
    perf.fork(8, 7)
    perf.map(7, 0x400000, 0x2000, 0x1000, '/bin/first')
    if guest:  # of a virtual machine, whose process has the same number
        perf.record(COMM, perf.pack('II', 7, 7) + perf.text('guest'), GUEST_USER)
        perf.record(MMAP2, perf.pack('IIQQQIIQQII', 7, 7, 0x400000, 0x2000, 0, 8, 1, 2, 3, 5, 2) + perf.text('/bin/guest'), GUEST_USER)
    perf.sample(perf.words(0x401000) + perf.pack('IIQII', 7, 7, 1500000002, 3, 0) + stack_of(
        perf, perf.entry(0x400010, 0x401000, predicted=1, cycles=5, kind=4, level=1),
        perf.entry(0x400004, 0x40000c, mispredicted=1, cycles=300, kind=1, level=1, spec=3),
        perf.entry(0, 0x400000, kind=11, level=1)))
    perf.sample(perf.words(0xffff000000001000) + perf.pack('IIQII', 7, 8, 2500000000, 0, 0) + stack_of(
        perf, perf.entry(0x400020, 0xffff000000001000, predicted=1, in_tx=1, cycles=65535, kind=15, new=1, level=2)),
        KERNEL)
    return perf


PLAIN_LINES = '''== %s, first, thread 7, CPU 3, 1.500000002 s: 3 branches, the youngest first
   0  0x400010 -> 0x401000  CALL  user        5 cycles
   1  0x400004 -> 0x40000c  COND  user      300 cycles  mispredicted, speculated, correct path
   2  -        -> 0x400000  ERET  user  cycles unknown  source not recorded
== %s, first, thread 8, CPU 0, 2.500000000 s: 1 branch, the youngest first
   0  0x400020 -> 0xffff000000001000  FAULT_DATA  kernel  65535 cycles  in a transaction
%s: 2 samples
2 stacks, 4 branches (0 without target, 1 without source); 1 mispredicted; 0 wrong
'''


def check_plain(cairn, folder):
    for order, pipe in (('<', False), ('>', False), ('<', True), ('>', True)):
        perf = plain_file(order)
        path = folder.write('plain.data', perf.pipe() if pipe else perf.file())
        answer = run(cairn, 'branches', path)
        what = '%s%s' % ('little' if order == '<' else 'big', ', pipe' if pipe else '')
        yield from expect(what + ': status', (answer.status, answer.err), (0, ''))
        yield from expect(what, answer.out, PLAIN_LINES % (path, path, path))
    rows = run(cairn, 'branches', '--format', 'json', '--oldest-first', path).rows()
    yield from expect('json: stack', {key: rows[4][key] for key in ('name', 'process', 'thread', 'cpu', 'time', 'address')},
                      {'name': 'first', 'process': 7, 'thread': 8, 'cpu': 0, 'time': 2500000000,
                       'address': '0xffff000000001000'})
    yield from expect('json: branch', rows[5], {
        'type': 'branch', 'schema': 1, 'stack': 1, 'index': 0, 'source': '0x400020', 'target': '0xffff000000001000',
        'kind': 'FAULT_DATA', 'code': 15, 'el': None, 'level': 'kernel', 'cycles': 65535, 'predicted': True,
        'transactional': True})
    yield from expect('json: the oldest first', [row['index'] for row in rows[1:4]], [2, 1, 0])
    yield from expect('json: file', rows[6], {
        'type': 'file', 'schema': 1, 'file': path, 'samples': 2, 'without_branches': 0, 'lost': 0, 'skipped': 0,
        'compressed': 0, 'unread': 0, 'ended': 'whole'})


def check_fields(cairn, folder):
    """All that may stand in front of a stack, in its order; and what newer kernels have in it."""
    for order in '<>':
        perf = Perf(order)
        perf.event(IDENTIFIER | IP | TID | TIME | ADDR | ID | STREAM_ID | CPU | PERIOD | READ | CALLCHAIN | RAW | BRANCH_STACK,
                   ids=[9, 4], read_format=ENABLED | RUNNING | READ_ID | GROUP | READ_LOST,
                   branches=ANY | HW_INDEX | COUNTERS, size=136)
        perf.event(IDENTIFIER | IP, ids=[5], size=136)
        perf.event(IDENTIFIER | BRANCH_STACK, ids=[6], size=136)
        front = perf.words(4, 0x1000) + perf.pack('II', 1, 2) + perf.words(3, 0xadd, 4, 77) + perf.pack('II', 5, 0) + \
            perf.words(100) + perf.words(2, 11, 12, 1, 2, 3, 4, 5, 6) + perf.words(2, 0xaa, 0xbb) + \
            perf.pack('I', 12) + bytes(12)
        stack = perf.words(2, 31) + perf.entry(0x10, 0x20, cycles=1) + perf.entry(0x30, 0x40) + perf.words(0x3, 0x70)
        perf.sample(front + stack)
        perf.sample(perf.words(5, 0x2000))
        perf.sample(perf.words(6, 1) + perf.entry(0x50, 0x60))
        path = folder.write('fields.data', perf.file())
        answer = run(cairn, 'branches', path)
        yield from expect('status', (answer.status, answer.err), (0, ''))
        yield from expect('text', answer.lines(), [
            '== %s, thread 2, CPU 5, 0.000000003 s: 2 branches, the youngest at 31, the youngest first' % path,
            '   0  0x10 -> 0x20         1 cycle  counters 0x3', '   1  0x30 -> 0x40  cycles unknown  counters 0x70',
            '== %s: 1 branch, the youngest first' % path, '   0  0x50 -> 0x60',
            '%s: 2 samples, 1 more without branches' % path, '2 stacks, 3 branches; 0 mispredicted; 0 wrong'])
        rows = run(cairn, 'branches', '--format', 'json', path).rows()
        yield from expect('json', [row.get('youngest', row.get('counters')) for row in rows[:5]],
                          [31, '0x3', '0x70', None, None])


def check_words(cairn, folder):
    """Every type, level and speculation has its word (PERF_BR_..., the arm64 names of PERF_BR_NEW_...)."""
    perf = Perf()
    perf.event(BRANCH_STACK)
    kinds = ['-', 'COND', 'UNCOND', 'IND', 'CALL', 'IND_CALL', 'RET', 'SYSCALL', 'SYSRET', 'COND_CALL', 'COND_RET', 'ERET',
             'IRQ', 'SERROR', 'NO_TX']
    new = ['FAULT_ALGN', 'FAULT_DATA', 'FAULT_INST', 'FIQ', 'DEBUG_HALT', 'DEBUG_EXIT', 'DEBUG_INST', 'DEBUG_DATA', '-']
    entries = [perf.entry(1, 2, kind=n) for n in range(15)] + [perf.entry(1, 2, kind=15, new=n) for n in range(9)]
    perf.sample(stack_of(perf, *entries))
    perf.sample(stack_of(perf, *[perf.entry(1, 2, level=n) for n in range(8)]))
    perf.sample(stack_of(perf, *[perf.entry(1, 2, spec=n, abort=n & 1) for n in range(4)]))
    path = folder.write('words.data', perf.file())
    rows = run(cairn, 'branches', '--format', 'json', path).rows()
    yield from expect('types', [row['kind'] for row in rows[1:25]], kinds + new)
    yield from expect('levels', [row.get('level') for row in rows[26:34]],
                      [None, 'user', 'kernel', 'hypervisor', None, None, None, None])
    yield from expect('speculation', [row.get('speculation') for row in rows[35:39]], [
        None, 'speculated, wrong path', 'not speculated, correct path', 'speculated, correct path'])
    yield from expect_in('abort', '0x1 -> 0x2  a transaction aborted, speculated, wrong path',
                         run(cairn, 'branches', path).out)


# --- what is cut, damaged, or not read

def check_guests(cairn, folder):
    for args in ((), ('--format', 'perfscript')):
        got = [run(cairn, 'branches', *args, folder.write('guest.data', plain_file('<', guest).file())).out for guest in (False, True)]
        yield from expect_in('%r' % (args,), 'first', got[0])
        yield from expect('%r' % (args,), got[1], got[0])


def check_damage(cairn, folder):
    def said(name, data, status, *sentences):
        path = folder.write('damage.data', data)
        answer = run(cairn, 'branches', path)
        yield from expect(name + ': status', answer.status, status)
        for sentence in sentences:
            yield from expect_in(name, 'cairn branches: %s: %s' % (path, sentence), answer.err)
    perf = plain_file('<')
    whole = perf.file()
    yield from said('cut', whole[:-8], 1, 'nothing is read from offset 0x%x on (64 bytes): the record there goes on behind' %
                    (len(whole) - 72))
    yield from said('cut between two', whole[:-72], 1, 'the file ends before the data that its header tells of')
    yield from said('cut in a header', whole + b'1', 0)  # the data have ended before
    for cut in (8, 50, 103, 104, 200, 247):
        yield from said('cut at %d' % cut, whole[:cut], 2, 'it is no perf.data' if cut < 16 else 'its header is damaged: ')
    perf.data += perf.pack('IHH', SAMPLE, 0, 4)
    yield from said('a record of 4 bytes', perf.file(), 1, 'nothing is read from offset 0x%x on (8 bytes): the record there is '
                    'damaged' % len(whole))
    perf = plain_file('<')
    perf.sample(perf.words(1) + perf.pack('IIQII', 1, 1, 1, 1, 1) + perf.words(1 << 60))
    perf.sample(perf.words(1))
    yield from said('short samples', perf.file(), 1, '2 samples are skipped: 2 shorter than what their event should hold')
    perf.event(IDENTIFIER | IP, ids=[5])
    yield from said('no such event', perf.file(), 2, '4 samples are skipped: 0 shorter than what their event should hold, 4 of '
                    'no event of the file')
    perf = plain_file('<')
    perf.record(COMPRESSED, bytes(16))
    perf.record(AUXTRACE, perf.words(16, 0, 0) + bytes(16), payload=b'\xff' * 16)
    perf.record(LOST, perf.words(1, 5))
    perf.record(LOST_SAMPLES, perf.words(6))
    perf.record(LOST_SAMPLES, perf.words(1000), FILTERED)
    yield from said('compressed', perf.file(), 1, '1 compressed record (perf record -z) cannot be unpacked')
    yield from expect_in('lost', ': 2 samples, 11 lost while recording\n', run(cairn, 'branches', folder.write(
        'damage.data', perf.file())).out)
    killed = folder.write('killed.data', plain_file('<').file(data_size=0))
    answer = run(cairn, 'branches', killed)
    yield from expect('killed: status', answer.status, 0)
    yield from expect_in('killed', '2 samples; its recorder was killed', answer.out)
    perf = Perf()
    perf.event(IP)
    perf.sample(perf.words(1))
    yield from said('no stacks', perf.file(), 2, 'there is no branch stack in it: record with `perf record -b`')
    # sizes and offsets that cannot be, in the header: entry size, attributes, data
    for at, value in ((8, 105), (16, 1), (16, 1 << 40), (24, 1 << 63), (32, 8), (32, (1 << 64) - 1), (40, 0), (40, 1 << 50),
                      (108, 12), (108, 4096), (232, 1 << 63), (240, 1 << 62)):
        size = 4 if at == 108 else 8
        broken = whole[:at] + value.to_bytes(size, 'little') + whole[at + size:]
        yield from said('%d at %d' % (value, at), broken, 2, 'its header is damaged: ')


# --- what is written

def check_script(cairn, folder):
    path = folder.write('plain.data', plain_file('>').file())
    answer = run(cairn, 'branches', '--format', 'perfscript', path)
    yield from expect('text', answer.lines(), [
        'PERF_RECORD_MMAP2 7/7: [0x400000(0x2000) @ 0x1000 00:00 0 0]: r-xp /bin/first',
        '401000 0x400010/0x401000/P/-/-/5/CALL 0x400004/0x40000c/M/-/-/300/COND 0x0/0x400000/-/-/-/0/ERET',
        'ffff000000001000 0x400020/0xffff000000001000/P/X/-/65535/FAULT_DATA'])
    dump = folder.write('dump.txt', 'BRBINF0=0x300000803\nBRBSRC0=0x1004\nBRBTGT0=0x1000\n')
    elf = folder.elf('code.elf', {0x1000: bytes(8)}, [('f', 0x1000, 8)])
    yield from expect('a dump', run(cairn, 'branches', '--format', 'perfscript', '--image', elf + '@0x40000', dump).lines(), [
        'PERF_RECORD_MMAP2 1/1: [0x41000(0x8) @ 0x78 00:00 0 0]: r-xp ' + os.path.realpath(elf),
        '1000 0x1004/0x1000/P/-/-/3/COND'])
    evil = Perf()
    evil.event(IP | TID | BRANCH_STACK)
    evil.name(1, 1, '\x1b[2Jx\n')
    evil.map(1, 0, 8, 0, '/x\n\x1b]')
    evil.sample(evil.words(1) + evil.pack('II', 1, 1) + stack_of(evil, evil.entry(1, 2)))
    path = folder.write('evil.data', evil.file())
    for form in ('text', 'perfscript', 'json'):
        out = run(cairn, 'branches', '--format', form, path).out
        yield from expect('no control characters in ' + form, re.findall('[\x00-\x09\x0b-\x1f]', out), [])


def check_peer(cairn, folder):
    """The same branches from perf, of files of both byte orders, and of ours made from them. perf 6.1 leaves new_type
    out, which is 0 then, when it turns entries of the other order."""
    for order in '<>':
        path = folder.write('peer.data', plain_file(order).file())
        lines, said = perf_script(path, 'ip,brstack')
        if order == '>':
            lines = [line.replace('FAULT_ALGN', 'FAULT_DATA') for line in lines]
        ours = run(cairn, 'branches', '--format', 'perfscript', path).lines()[1:]
        yield from expect('branches (%s)' % said, branches_of(ours), branches_of(lines))
        again = os.path.join(folder.path, 'again.data')
        run(cairn, 'branches', '--format', 'perf', '--output', again, '--force', path)
        theirs = perf_script(path, 'comm,tid,time,ip,brstack')[0]
        if order == '>':
            theirs = [line.replace('FAULT_ALGN', 'FAULT_DATA') for line in theirs]
        yield from expect('again', perf_script(again, 'comm,tid,time,ip,brstack')[0], theirs)


def check_recorded(cairn, folder):
    """A recording of simpleperf's tests, of which perf 6.1 wants its attributes smaller."""
    path = os.path.join(CAPTURES, 'perf', 'lbr', 'perf_lbr.data')
    with open(path, 'rb') as file:
        smaller = folder.write('lbr.data', with_smaller_attributes(file.read()))
    lines, said = perf_script(smaller, 'ip,brstack')
    theirs = branches_of(lines)
    yield from expect('samples (%s)' % said, len(theirs), 13)
    for given in (path, smaller):
        ours = run(cairn, 'branches', '--format', 'perfscript', given).lines()
        yield from expect('branches', branches_of(ours), theirs)
    # simpleperf's own count of the jumps in its loop (inject_lbr.data, "from->to:count")
    with open(os.path.join(CAPTURES, 'perf', 'lbr', 'inject_lbr.data'), encoding='utf-8') as file:
        counts = dict(re.findall(r'^([0-9a-f]+->[0-9a-f]+):(\d+)$', file.read(), re.M))
    yield from expect('simpleperf has counted', len(counts) > 0, True)
    loop = max(int(count) for count in counts.values())
    turns = sum(source.endswith('94d') and target.endswith('940') for stack in theirs for source, target, *_ in stack)
    yield from expect('the loop', turns, loop)


def samples_of(cairn, path):
    """How many samples there are, none of which has branches; and what was said besides that."""
    answer = run(cairn, 'branches', path)
    found = re.search(r': 0 samples, (\d+) more without branches', answer.out)
    said = [line for line in answer.err.splitlines() if 'there is no branch stack in it' not in line]
    return int(found[1]) if found else None, said


def check_compressed(cairn, _folder):
    """Recordings of perf record -z. perf 6.1 reads the one of a pipe; others are the same run, packed or not."""
    place = os.path.join(CAPTURES, 'perf', 'linux-perf')
    lines, said = perf_script(os.path.join(place, 'sleep.compressed.pipe.data'), 'ip')
    theirs = sum(bool(line.strip()) for line in lines)
    yield from expect('perf reads it (%s)' % said, theirs > 0, True)
    for name in ('sleep.compressed.pipe.data', 'sleep.compressed.data'):
        yield from expect(name, samples_of(cairn, os.path.join(place, name)), (theirs, []))
    plain = samples_of(cairn, os.path.join(place, 'sleep.data'))
    yield from expect('plain', plain[0] > 0, True)
    yield from expect('COMPRESSED2', samples_of(cairn, os.path.join(place, 'sleep.compressed2.data')), plain)
    # what perf printed while it recorded stands at the end of this one
    count, said = samples_of(cairn, os.path.join(place, 'sleep.compressed2.pipe.data'))
    yield from expect('COMPRESSED2 in a pipe', (count, len(said)), (plain[0], 1))


def check_live(cairn, folder):
    """What Debian's perf packs here, where it may record."""
    path = os.path.join(folder.path, 'live.data')
    done = subprocess.run(['perf', 'record', '-q', '-z', '-e', 'cpu-clock', '-o', path, '--', 'ls', '-R', '/usr/share/doc'],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=TIMEOUT)
    lines, _ = perf_script(path, 'ip')
    theirs = sum(bool(line.strip()) for line in lines)
    if done.returncode == 0 and theirs:
        yield from expect('recorded here', samples_of(cairn, path), (theirs, []))


# --- llvm-profgen

def newest_profgen():
    found = [(int(path.rsplit('-', 1)[1]), path) for folder in os.environ['PATH'].split(':')
             for path in glob.glob(os.path.join(folder, 'llvm-profgen-[0-9]*')) if path.rsplit('-', 1)[1].isdigit()]
    return max(found)[1] if found else shutil.which('llvm-profgen')


def profile_of(profgen, folder, script, binary):
    out = os.path.join(folder.path, 'profile.txt')
    subprocess.run([profgen, '--format=text', '--perfscript=' + script, '--binary=' + binary, '--output=' + out,
                    '--skip-symbolization'], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                   timeout=TIMEOUT, check=True)
    with open(out, encoding='utf-8') as file:
        return file.read()


def check_profgen(cairn, folder, profgen):
    """LLVM's own test: a BRBE sample of a call and of a loop back, and the profile that it expects."""
    given = os.path.join(CAPTURES, 'perf', 'llvm-profgen', 'brbe-branch-profile')
    with open(given + '.expected', encoding='utf-8') as file:
        expected = file.read()
    perf = Perf()
    perf.event(PLAIN)
    perf.map(1, 0x700000000000, 0x2000, 0, '/bin/brbe-branch-profile.exe')
    perf.sample(perf.words(0x70000000100c) + perf.pack('IIQII', 1, 1, 1, 0, 0) + stack_of(
        perf, perf.entry(0x70000000100c, 0x700000001000, predicted=1, kind=1, level=1),
        perf.entry(0x700000001000, 0x700000001008, predicted=1, kind=1, level=1)))
    # BRBINF: VALID 3, EL0, TYPE 8 (conditional), CCU
    dump = folder.write('dump.txt', ''.join(
        'BRBINF%d=0x%x\nBRBSRC%d=0x%x\nBRBTGT%d=0x%x\n' % (n, 1 << 46 | 0x803, n, source, n, target)
        for n, (source, target) in enumerate(((0x70000000100c, 0x700000001000), (0x700000001000, 0x700000001008)))))
    data = folder.write('profile.data', perf.file())
    binary = shutil.copy(given + '.exe', folder.path)
    for name, arguments in (('perf.data', [data]), ('a dump', ['--image', binary + '@0x700000000000', dump])):
        answer = run(cairn, 'branches', '--format', 'perfscript', *arguments)
        yield from expect(name + ': status', (answer.status, answer.err), (0, ''))
        yield from expect(name, profile_of(profgen, folder, folder.write('script.txt', answer.out), binary), expected)


def main():
    cairn = os.path.abspath(sys.argv[1])
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('a file of BRBE samples', check_plain(cairn, folder))
        tap.case('fields of a sample', check_fields(cairn, folder))
        tap.case('words', check_words(cairn, folder))
        tap.case('virtual machines', check_guests(cairn, folder))
        tap.case('cut, damaged and compressed', check_damage(cairn, folder))
        tap.case('the text of perf script', check_script(cairn, folder))
        no_perf = None if shutil.which('perf') else 'perf is not installed (Debian: linux-perf)'
        no_captures = None if CAPTURES else 'CAIRN_CAPTURES is not set'
        profgen = newest_profgen()
        for name, check, why in (
                ('perf prints the same', lambda: check_peer(cairn, folder), no_perf),
                ('perf prints the same of a recording', lambda: check_recorded(cairn, folder), no_perf or no_captures),
                ('what perf packs', lambda: check_live(cairn, folder), no_perf),
                ('compressed recordings', lambda: check_compressed(cairn, folder), no_perf or no_captures),
                ('llvm-profgen has its profile', lambda: check_profgen(cairn, folder, profgen),
                 no_captures if profgen else 'llvm-profgen is not installed (Debian: llvm-19)')):
            if why:
                tap.skip(name, why)
            else:
                tap.case(name, check())
    tap.end()


if __name__ == '__main__':
    main()
