#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The kernel in a perf.data file, made by hand: its code from vmlinux, put where the kernel was, and from a copy of its
memory, with its modules; of another kernel, or another start of it, none. What is counted is by hand.

usage: test_perf_kernel.py CAIRN
"""
import collections
import os
import struct
import sys
import tempfile

from common import Folder, Tap, expect, expect_in, run, words
from perf_file import ETE, KERNEL, MISC_BUILD_ID, MMAP, MMAP2, NOBODY, RAW_TRACE, TRACED, TRACE_TYPE, Perf
from test_perf_trace import CAPTURE, told
from test_pgo import NOTE, retype

NOP = 0xd503201f
LINKED, TEXT, MODULE = 0xffff800008010000, 0xffff8000a8210000, 0xffff80007a000000
BUILD_ID = '5f' * 20
KALLSYMS = 'ffff8000a8210000 T _text\nffff8000a8210000 T k_loop\nffff8000a8210010 d k_data\nffff80007a000000 t m_loop\t[m]\n'


def back(nops):
    """A loop: NOPs, and B back to the first."""
    return words([NOP] * nops + [0x14000000 | -nops & 0x3ffffff])


def note(build_id):
    return struct.pack('<III', 4, len(build_id) // 2, 3) + b'GNU\0' + bytes.fromhex(build_id)


def vmlinux(folder, name, build_id=BUILD_ID):
    path = folder.elf(name, {LINKED: back(3)}, [('_text', LINKED, 0, 0x10), ('k_loop', LINKED, 16)],
                      [('.note.gnu.build-id', note(build_id))])
    retype(path, {5: NOTE})
    return path


def turn(address, count, level=1):
    """Address with Context (64-bit IS0), Non-secure, AArch64, context ID 7; E's."""
    return (b'\x85' + bytes([address >> 2 & 0x7f, address >> 9 & 0x7f]) + (address >> 16).to_bytes(6, 'little') +
            bytes([0xb0 | level]) + (7).to_bytes(4, 'little') + count * b'\xf7')


def recording(folder, user_only=False, offset=TEXT, build_id=BUILD_ID, name='_text', has_records=True, by_build_id=False):
    """A user's loop of two instructions 3 times, the kernel's loop twice and its module's 5 times."""
    with open(folder.elf('user', {0x1000: back(1)}, []), 'rb') as file:
        user = struct.unpack_from('<Q', file.read(), 64 + 8)[0]
    data = bytes(11) + b'\x80' + b'\x01\x00' + b'\x04'  # A-sync, Trace Info, Trace On
    data += turn(0x1000, 3, 0) + turn(TEXT, 2) + turn(MODULE, 5) + turn(0x1000, 0, 0)
    perf = Perf()
    perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE, user_only=user_only)
    perf.units(1, (ETE, 3, [0x41, 0x10, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13]))
    perf.name(7, 7, 'one')
    for path, address, size, at in (('[kernel.kallsyms]' + name, TEXT, 0x10000, offset), ('[m]', MODULE, 0x1000, 0))[:2 * has_records]:
        if by_build_id:  # as perf record --buildid-mmap: no protections, and here no build-id of the module
            own = b'' if path == '[m]' else bytes.fromhex(BUILD_ID)
            perf.record(MMAP2, perf.pack('IIQQQB3x20sII', NOBODY, 0, address, size, at, len(own), own, 0, 0) + perf.text(path) + perf.end(0),
                        KERNEL | (MISC_BUILD_ID if own else 0))
        else:
            perf.record(MMAP, perf.pack('IIQQQ', NOBODY, 0, address, size, at) + perf.text(path) + perf.end(0), KERNEL)
    perf.map(7, 0x1000, 8, user, '/user')
    perf.trace(data, 0, 3)
    perf.aux(0, len(data), RAW_TRACE, 3)
    return perf.file_with_build_ids(*([('[kernel.kallsyms]', build_id)] if build_id else []))


def counts(cairn, folder, path, *arguments):
    rows = run(cairn, 'profile', '--format', 'json', '--sysroot', folder.path, *arguments, path).rows()
    found = collections.Counter()
    for row in rows:
        if row['type'] == 'function':
            found[row['function'] or os.path.basename(row['object'] or '-')] += row['instructions']
    return dict(found)


def check_vmlinux(cairn, folder):
    path = folder.write('kernel.data', recording(folder))
    image = vmlinux(folder, 'vmlinux')
    wanted = {'k_loop': 8, 'user': 6}
    yield from expect('put where it was', counts(cairn, folder, path, '--vmlinux', image), wanted)
    yield from expect('by the reference', counts(cairn, folder, path, '--vmlinux', image, '--reference'), wanted)
    facts = told(cairn, path, '--vmlinux', image, '--sysroot', folder.path)
    yield from expect('module', [(row['path'], row['build_id'], row['state'], int(row['bias'], 16)) for row in facts['program']['modules']][0],
                      ('[kernel.kallsyms]_text', BUILD_ID, 'used', TEXT - LINKED))
    yield from expect_in('patched', 'where it has patched itself since', ' '.join(facts['remarks']))
    yield from expect_in('modules', 'The code of 1 module of the kernel is not here', ' '.join(facts['remarks']))
    # told by a record with its build-id
    by_record = folder.write('record.data', recording(folder, build_id=None, by_build_id=True))
    yield from expect('by MMAP2', counts(cairn, folder, by_record, '--vmlinux', image), wanted)
    yield from expect('modules by MMAP2', [(row['path'], row['build_id']) for row in told(cairn, by_record)['program']['modules']][:2],
                      [('[kernel.kallsyms]_text', BUILD_ID), ('[m]', None)])
    # found by its build-id alone
    vmlinux(folder, 'debug/.build-id/5f/%s.debug' % BUILD_ID[2:])
    yield from expect('by build-id', counts(cairn, folder, path, '--debug-dir', os.path.join(folder.path, 'debug')), wanted)
    # the symbol that the mapping is told by is another one, or told by the mapping's address
    for given in ({'name': ''}, {'offset': 0}):
        other = folder.elf('stext', {LINKED: back(3)}, [('_stext', LINKED, 0, 0x10), ('_text', LINKED, 0, 0x10)],
                           [('.note.gnu.build-id', note(BUILD_ID))])
        retype(other, {5: NOTE})
        path = folder.write('other.data', recording(folder, **given))
        got = counts(cairn, folder, path, '--vmlinux', other)
        named = '_stext' if '_stext' in got else '_text'  # it has both names
        yield from expect('%r' % given, got, {named: 8, 'user': 6})


def check_wrong(cairn, folder):
    path = folder.write('kernel.data', recording(folder))
    for name, arguments, said in (
            ('other', ('--vmlinux', vmlinux(folder, 'other', '60' * 20)), 'it is another kernel than the one that was traced: its build-id is 6060'),
            ('nowhere', ('--vmlinux', '/nowhere'), '--vmlinux /nowhere: there is no such file; check the path'),
            ('no kcore', ('--kcore', '/nowhere'), '--kcore /nowhere: there is no such file; check the path'),
            ('program', ('--kcore', folder.elf('program', {TEXT: back(2), 0x1000: back(1)}, [])), 'it has addresses at which programs are'),
            ('text', ('--vmlinux', folder.write('text', b'no kernel')), 'it is no ELF file of an Arm kernel'),
            ('kcore', ('--kcore', folder.write('nothing', b'no kernel')), '--kcore'),
            ('elsewhere', ('--kcore', folder.elf('elsewhere', {LINKED: back(3)}, [])), 'it is of another kernel, or another start of it')):
        for command in ('flow', 'profile', 'info'):
            got = run(cairn, command, *arguments, path)
            yield from expect('%s %s' % (command, name), (got.status, got.out), (2, ''))
            yield from expect_in('%s %s' % (command, name), said, got.err)
    for option in ('--vmlinux', '--kcore'):
        got = run(cairn, 'info', option, vmlinux(folder, 'vmlinux'), CAPTURE)
        yield from expect_in('a snapshot', 'it is no perf.data file', got.err)
    facts = told(cairn, path, '--sysroot', folder.path)
    yield from expect('missing', [(row['path'], row['build_id'], row['state']) for row in facts['program']['modules']][:2],
                      [('[kernel.kallsyms]_text', BUILD_ID, 'missing'), ('[m]', None, 'missing')])
    yield from expect_in('what to give', 'build-id %s): give its vmlinux (--vmlinux FILE)' % BUILD_ID, ' '.join(facts['remarks']))
    # what cannot be compared is said
    path = folder.write('untold.data', recording(folder, build_id=None))
    for option, file in (('--vmlinux', vmlinux(folder, 'vmlinux')), ('--kcore', folder.elf('bare', {TEXT: back(2), MODULE: back(1)}, []))):
        for of, said in ((path, True), (folder.write('kernel.data', recording(folder)), option == '--kcore')):
            got = run(cairn, 'profile', option, file, of).err
            yield from expect('%s: %s' % (option, got), 'is not known: the recording does not say' in got or 'could not be compared' in got, said)
    # of a kernel that the recording says nothing of there is no module
    for build_id, listed, told_of in ((None, [], 'the file says nothing of it'), (BUILD_ID, ['[kernel.kallsyms]'], 'build-id ' + BUILD_ID)):
        path = folder.write('nothing.data', recording(folder, build_id=build_id, has_records=False))
        facts = told(cairn, path, '--sysroot', folder.path)
        yield from expect('no record', [row['path'] for row in facts['program']['modules']], [*listed, '/user'])
        yield from expect_in('no record', 'its code is not here (%s)' % told_of, ' '.join(facts['remarks']))
    # a recording without the kernel wants none
    path = folder.write('user.data', recording(folder, user_only=True))
    facts = told(cairn, path, '--sysroot', folder.path)
    yield from expect('without the kernel', [row['path'] for row in facts['program']['modules']], ['/user'])
    yield from expect('nothing said', [text for text in facts['remarks'] if 'kernel' in text], [])


def check_kcore(cairn, folder):
    """The kernel has patched a NOP away; its module is there. Names from its list of symbols, or from vmlinux."""
    for name, kallsyms, wanted in (('named', KALLSYMS, {'k_loop': 6, 'm_loop': 10, 'user': 6}), ('bare', '', {'-': 16, 'user': 6}),
                                   ('hidden', '0000000000000000 T _text\n0000000000000000 T k_loop\n', {'-': 16, 'user': 6})):
        path = folder.write('%s.data' % name, recording(folder))
        folder.elf('%s/kcore' % name, {TEXT: back(2), MODULE: back(1)}, [])
        if kallsyms:
            folder.write('%s/kallsyms' % name, kallsyms.encode())
        place = os.path.join(folder.path, name)
        for given in (place, place + '/kcore'):
            yield from expect(given, counts(cairn, folder, path, '--kcore', given), wanted)
    names = counts(cairn, folder, path, '--kcore', place, '--vmlinux', vmlinux(folder, 'vmlinux'))
    yield from expect('names of vmlinux', names, {'k_loop': 6, '-': 10, 'user': 6})
    # as perf makes it; of another start it is left alone there
    folder.write('perf.data/data', recording(folder))
    folder.elf('perf.data/kcore_dir/kcore', {TEXT: back(2), MODULE: back(1)}, [])
    whole = os.path.join(folder.path, 'perf.data')
    for text, wanted in ((KALLSYMS, {'k_loop': 6, 'm_loop': 10, 'user': 6}), (KALLSYMS.replace('ffff8000a8210000 T _text', 'ffff8000a8410000 T _text'), {'user': 6})):
        folder.write('perf.data/kcore_dir/kallsyms', text.encode())
        yield from expect('folder', counts(cairn, folder, whole), wanted)
    yield from expect_in('said', 'kcore is not used: it is of another kernel', ' '.join(' '.join(told(cairn, whole)['remarks']).split()))
    # every way of decoding, and every process, has the kernel
    folder.write('perf.data/kcore_dir/kallsyms', KALLSYMS.encode())
    yield from expect('of a process', counts(cairn, folder, whole, '--pid', 7), {'k_loop': 6, 'm_loop': 10, 'user': 6})


def main():
    cairn = sys.argv[1]
    tap = Tap()
    for name, check in (('vmlinux', check_vmlinux), ('what is none, or another', check_wrong), ('a copy of memory', check_kcore)):
        with tempfile.TemporaryDirectory(prefix='cairn-kernel-') as path:
            tap.case(name, check(cairn, Folder(path)))
    tap.end()


if __name__ == '__main__':
    main()
