#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cairn pgo with branch lists: files made by hand give the ranges and branches that were worked out by hand; of real
traces the lists are those that simpleperf's rule makes of OpenCSD's packets; and simpleperf's recordings give its own
output through a list as well.

usage: test_branch_lists.py CAIRN
"""
import collections
import lzma
import os
import re
import shutil
import struct
import sys
import tempfile

from branch_list_file import FILE, KERNEL, MODULE, binary, decoded, field, lists_of, message, several
from common import START, Folder, Tap, bytes_of, expect, expect_in, run, words
from perf_file import BRANCH_STACK, IP, TID, TIME, Perf
from test_pgo import CAPTURE, CAPTURES, ELF, SIMPLEPERF, direct_target, frame, is_indirect, read, retype, steps_of

BASE = 0x10000
HEX_ID = bytes(range(0x10, 0x20)).hex()
PADDED = HEX_ID + 8 * '0'
NOTE = 7

# what the lists below go through
NOP, ISB, WFE, RET = 0xd503201f, 0xd5033fdf, 0xd503205f, 0xd65f03c0
CODE = {
    0x00: NOP,
    0x04: 0x54000061,  # B.NE 10
    0x08: ISB,
    0x0c: WFE,
    0x10: 0x9400000c,  # BL 40
    0x14: 0xb4ffff60,  # CBZ X0, 0
    0x18: 0x14003ffa,  # B 10000, which is behind the code
    0x1c: 0xd63f0020,  # BLR X1
    0x20: 0,  # UDF
    0x40: NOP,
    0x44: RET,
}


def program(folder, name='program', more=(), base=BASE):
    code = [NOP] * 0x20
    for at, word in CODE.items():
        code[at // 4] = word
    note = struct.pack('<III', 4, len(HEX_ID) // 2, 3) + b'GNU\0' + bytes.fromhex(HEX_ID)
    path = folder.elf(name, {base: words(code)}, [('main', base, 0x40), ('leaf', base + 0x40, 8)],
                      [('.note.gnu.build-id', note), *more])
    retype(path, {5: NOTE})
    return path


def profile(text):
    """Ranges and branches of AutoFDO's text, without comments: {'0-4': 1}."""
    rows = [line.split(':') for line in text.splitlines() if not line.startswith('//') and re.search('[->]', line)]
    return {key: int(count) for key, count in rows}


def check_followed(cairn, folder):
    """Each list, what it executed, and branches of it that nothing is known of."""
    path = program(folder)
    for bits, wanted, lost in (
            ('N', {'0-4': 7}, 0),
            ('NE', {'0-4': 7, '8-8': 7}, 0),  # an ISB has a bit and goes nowhere, whatever that is
            ('NN', {'0-4': 7, '8-8': 7}, 0),
            # WFE has none. The return goes behind the call, and CBZ back
            ('NEEEEE', {'0-4': 14, '8-8': 7, 'c-10': 7, '10->40': 7, '40-44': 7, '44->0': 7, '14-14': 7, '14->0': 7, '4->10': 7}, 0),
            ('EEENE', {'0-4': 7, '4->10': 7, '10-10': 7, '10->40': 7, '40-44': 7, '44->0': 7, '14-14': 7, '18-18': 7, '18->0': 7}, 0),
            # behind the code, and behind a branch to nobody knows where
            ('EEENEEE', {'0-4': 7, '4->10': 7, '10-10': 7, '10->40': 7, '40-44': 7, '44->0': 7, '14-14': 7, '18-18': 7, '18->0': 7}, 14)):
        lists = folder.write('one.data', message(binary(path, {BASE: {bits: 7}}, PADDED)))
        got = run(cairn, 'pgo', lists)
        yield from expect(bits, (profile(got.out), got.status), (wanted, int(lost > 0)))
        if lost:
            yield from expect_in(bits, '%d branches are not followed: the code has none where the lists say so' % lost, got.err)
    for at, bits, wanted, lost in ((0x40, 'EE', {'40-44': 1, '44->0': 1}, 1), (0x1c, 'EE', {'1c-1c': 1, '1c->0': 1}, 1),
                                   (0x1c, 'NE', {'1c-1c': 1}, 1), (0x80, 'E', {}, 1), (0x1000000, 'EE', {}, 2)):
        got = run(cairn, 'pgo', folder.write('one.data', message(binary(path, {BASE + at: {bits: 1}}, PADDED))))
        yield from expect('%x %s' % (at, bits), profile(got.out), wanted)
        yield from expect_in('%x %s' % (at, bits), '%d branch' % lost, got.err)
    # rows go on over what is not taken, and end with the list
    got = run(cairn, 'pgo', '--whole-ranges', folder.write('rows.data', message(binary(path, {BASE: {'NEEE': 2, 'EEENN': 1}}))))
    yield from expect('rows', profile(got.out), {'0-10': 2, '10->40': 3, '40-44': 3, '44->0': 3, '0-4': 1, '4->10': 1, '10-10': 1,
                                                 '14-18': 1})
    # BOLT's names, and how much was executed
    two = folder.write('two.data', message(binary(path, {BASE: {'EEE': 3}, BASE + 4: {'N': 2}}, PADDED)))
    got = run(cairn, 'pgo', '--format', 'bolt', two)
    yield from expect('bolt', sorted(got.lines()), ['1 main 10 1 leaf 0 0 3', '1 main 4 1 main 10 0 3'])
    rows = run(cairn, 'pgo', '--format', 'json', two).rows()
    yield from expect('json', [row for row in rows if row['type'] == 'branch_lists'],
                      [{'type': 'branch_lists', 'files': 1, 'lists': 2, 'samples': 0, 'missing': 0, 'unfollowed': 0}])
    yield from expect('instructions', [row['instructions'] for row in rows if row['type'] == 'binary'], [3 * 5 + 2])


def check_T32(cairn, folder):
    """Bit 0 of an address says T32; targets that BLX exchanges are A32 (Arm ARM F4.1.)"""
    code = struct.pack('<4H', 0xbf00, 0xd0fd, 0xf000, 0xe802)  # 0 NOP; 2 BEQ 0; 4 BLX c
    code += struct.pack('<H', 0xe7fa) + bytes(2)  # 8 B 0
    code += words([0xe1a00000, 0x0afffffb, 0xe12fff1e])  # c NOP; 10 BEQ 4; 14 BX LR
    path = folder.elf('arm', {BASE: code}, [('main', BASE, 12)])
    with open(path, 'r+b') as file:
        file.seek(18)
        file.write(struct.pack('<H', 40))
    got = run(cairn, 'pgo', folder.write('arm.data', message(binary(path, {BASE | 1: {'ENENEE': 1}}))))
    yield from expect('T32', (profile(got.out), got.err),
                      ({'0-2': 2, '2->0': 1, '4-4': 1, '4->c': 1, 'c-10': 1, '14-14': 1, '14->0': 1, '8-8': 1, '8->0': 1}, ''))
    got = run(cairn, 'pgo', folder.write('arm.data', message(binary(path, {BASE + 0xc: {'NE': 1}}))))
    yield from expect('A32', profile(got.out), {'c-10': 1, '14-14': 1, '14->0': 1})
    # lists of a trace: Address with context, 32-bit IS1 and IS0, EL0 Non-secure AArch32
    trace = SYNC + bytes_of('83 00 00 01 00 20' 'F6' '82 03 00 01 00 20' 'F7')
    got = run(cairn, 'pgo', '--format', 'branch-list', '--protocol', 'etmv4', '--frames', 'none', '--image', path, folder.write('trace.bin', trace))
    yield from expect('traced', {key[3:]: count for key, count in lists_of(got.raw).items()}, {(BASE | 1, 'N'): 1, (BASE + 0xc, 'E'): 1})


def check_forms(cairn, folder):
    """The same lists in every form of file, with fields in any order and such as nobody knows; written again they are one
    message that protoc knows."""
    path = program(folder)
    lists = {BASE: {'EEE': 3, 'NEEEEEEEEE': 2 ** 40}, BASE + 4: {'N': 2}}
    wanted = {(path, PADDED, FILE, address, bits): count for address, counts in lists.items() for bits, count in counts.items()}
    one = binary(path, lists, PADDED)
    parts = [binary(path, {address: {bits: count}}, PADDED.upper()) for address, counts in lists.items()
             for bits, count in counts.items()]
    strange = field(9, 5) + field(10, 'new') + bytes([0x59]) + bytes(8) + bytes([0x5d]) + bytes(4)
    swapped = field(2, field(3, field(2, field(3, 2) + field(1, b'\0') + field(2, 1)) + strange + field(1, BASE + 4)) + strange +
                    field(2, PADDED) + field(1, 'other') + field(1, path))
    for name, data in (('one message', message(one)), ('in parts', message(*parts)), ('several', several(*parts)),
                       ('one of several', several(one)), ('packed', several(*map(frame, parts), packed=1)),
                       ('packed as a whole', frame(message(one))), ('fields behind', strange + one + field(1, message()[2:]))):
        file = folder.write('in.data', data)
        if name == 'fields behind':
            continue
        got = run(cairn, 'pgo', '--format', 'branch-list', '-o', os.path.join(folder.path, 'out.data'), '--force', file)
        yield from expect(name, (got.status, got.err), (0, ''))
        out = read(os.path.join(folder.path, 'out.data'))
        yield from expect(name, dict(lists_of(out)), wanted)
        yield from expect(name, profile(run(cairn, 'pgo', file).out), profile(run(cairn, 'pgo', folder.write('a.data', out)).out))
    # as a section of perf.data
    perf = Perf()
    perf.event(IP | TID | TIME)
    perf.name(7, 7, 'program')
    for name, data in (('one message', message(one)), ('several', several(*parts))):
        file = folder.write('perf.data', perf.with_feature(133, data))
        got = run(cairn, 'pgo', '--format', 'branch-list', file)
        yield from expect(name + ' in perf.data', dict(lists_of(got.raw)), wanted)
    got = run(cairn, 'pgo', folder.write('perf.data', perf.with_feature(133, message(one)[:-1])))
    yield from expect_in('perf.data', 'is damaged at offset 0x%x: a field cannot be read' % (len(perf.file()) + 16 + 26), got.err)
    if shutil.which('protoc'):
        text = decoded(out)
        yield from expect_in('protoc', 'magic: "simpleperf:EtmBranchList"\netm_data {\n  path: "%s"\n  build_id: "%s"\n  addrs {\n'
                             '    addr: %d\n' % (path, PADDED, BASE), text)
        yield from expect_in('protoc', 'branch_size: 10\n      count: %d' % 2 ** 40, text)
        yield from expect('fields that are unknown', re.findall(r'^ *\d+[: ]', text, re.M), [])
    got = run(cairn, 'pgo', '--format', 'branch-list', folder.write('swapped.data', message(strange, swapped)))
    yield from expect('in any order', dict(lists_of(got.raw)), {(path, PADDED, FILE, BASE + 4, 'N'): 2})
    # lists of nothing are none, and what stands twice counts twice
    got = run(cairn, 'pgo', '--format', 'branch-list', folder.write('odd.data', message(binary(path, {4: {'': 9, 'E': 0, 'N': 1}}),
                                                                                       binary(path, {4: {'N': 5}, 0: {'E': 1}}))))
    yield from expect('none', dict(lists_of(got.raw)), {(path, '', FILE, 4, 'N'): 6, (path, '', FILE, 0, 'E'): 1})


def check_merged(cairn, folder):
    """In whatever order, one by one or all at once, bytes are the same. Binaries are told apart by all that is known of them."""
    module = field(6, field(1, 0x1000) + field(2, 0x2000) + field(3, 'init') + field(4, 0x1010) + field(5, 16))
    kernels = [binary('[kernel.kallsyms]', {0xffffffc000100000: {'E': n + 1}}, kind=KERNEL, more=field(5, field(1, start) if start else b''))
               for n, start in enumerate((0, 0xffffffc000080000, 0xffffffd000080000))]
    files = [message(binary('/lib/a.so', {8: {'EN': 1, 'E': 2}}, PADDED)), message(binary('/lib/a.so', {8: {'EN': 10}}, '12' * 20)),
             several(binary('/lib/a.so', {8: {'EN': 100}, 4: {'E': 1}}, PADDED), binary('/lib/a.so', {8: {'EN': 1000}})),
             message(*kernels, binary('[m]', {0x1010: {'E': 1}}, kind=MODULE, more=module), binary('[m]', {0x1010: {'E': 4}}, kind=MODULE))]
    paths = [folder.write('%d.data' % n, data) for n, data in enumerate(files)]

    def merged(*names):
        got = run(cairn, 'pgo', '--format', 'branch-list', *names)
        return got.raw if (got.status, got.err) == (0, '') else '%d %s' % (got.status, got.err)
    all_at_once = merged(*paths)
    yield from expect('in another order', merged(*paths[::-1]), all_at_once)
    part = folder.write('part.data', merged(paths[2], paths[0]))
    yield from expect('step by step', merged(part, paths[3], paths[1]), all_at_once)
    listed = folder.write('all.txt', '\n'.join(paths[1:]) + '\n')
    yield from expect('by a list of names', merged('@' + listed, paths[0]), all_at_once)
    sums = {('/lib/a.so', PADDED, FILE, 8, 'EN'): 101, ('/lib/a.so', PADDED, FILE, 8, 'E'): 2, ('/lib/a.so', PADDED, FILE, 4, 'E'): 1,
            ('/lib/a.so', '12' * 20, FILE, 8, 'EN'): 10, ('/lib/a.so', '', FILE, 8, 'EN'): 1000}
    yield from expect('added', {key: count for key, count in lists_of(folder_lists(all_at_once, FILE)).items()}, sums)
    yield from expect('kernels', sorted(kernel for kind, kernel in extras(all_at_once) if kind == KERNEL), sorted(
        [b'', field(1, 0xffffffc000080000), field(1, 0xffffffd000080000)]))
    yield from expect('modules', [more for kind, more in extras(all_at_once) if kind == MODULE], [None, module[2:]])
    twice = merged(paths[0], paths[0])
    yield from expect('twice', dict(lists_of(twice)), {('/lib/a.so', PADDED, FILE, 8, 'EN'): 2, ('/lib/a.so', PADDED, FILE, 8, 'E'): 4})
    # one of them
    got = run(cairn, 'pgo', '--format', 'branch-list', '--binary', HEX_ID[:8], *paths)
    yield from expect('one', {key[1] for key in lists_of(got.raw)}, {PADDED})
    # counts that are too large
    most = folder.write('most.data', message(binary('/lib/a.so', {8: {'E': 2 ** 64 - 2, 'N': 1}})))
    got = run(cairn, 'pgo', '--format', 'branch-list', most, most)
    yield from expect('most', (sorted(lists_of(got.raw).values()), got.status), ([2, 2 ** 64 - 1], 1))
    yield from expect_in('most', 'some counts are more than 64 bits have', got.err)
    path = program(folder)
    huge = folder.write('huge.data', message(binary(path, {BASE: {'E': 2 ** 64 - 2, 'N': 2 ** 63}})))
    yield from expect('huge', profile(run(cairn, 'pgo', huge).out), {'0-4': 2 ** 64 - 1, '4->10': 2 ** 64 - 2})


def folder_lists(data, kind):
    """The file without binaries of other kinds, which lists_of would take for one."""
    from branch_list_file import fields
    return message(*(field(number, body) for number, body in fields(data) if number == 2 and dict(fields(body)).get(4, 0) == kind))


def extras(data):
    """[(kind, what is told of the kernel or module besides)]"""
    from branch_list_file import fields
    for number, body in fields(data):
        if number == 2:
            known = dict(fields(body))
            yield known.get(4, 0), known.get(5, known.get(6))


def check_kernel(cairn, folder):
    """Addresses in memory become those of vmlinux by where .text is; without a start they are those already. Modules are not
    followed, and kept."""
    path = program(folder, 'vmlinux', base=0xffffffc000080000)
    start = 0xffffffd012300000
    in_memory = binary('[kernel.kallsyms]', {start + 0x40: {'E': 5}}, PADDED, KERNEL, field(5, field(1, start)))
    in_file = binary('[kernel.kallsyms]', {0xffffffc000080040: {'E': 3}}, PADDED, KERNEL, field(5, b''))
    lists = folder.write('kernel.data', message(in_memory, in_file))
    debug = folder.write('debug/.build-id/%s/%s.debug' % (HEX_ID[:2], HEX_ID[2:]), read(path))
    for how in (('--vmlinux', path), ('--debug-dir', os.path.join(folder.path, 'debug'))):
        got = run(cairn, 'pgo', *how, lists)
        yield from expect('%r' % (how,), (profile(got.out), got.status, os.path.exists(debug)), ({'40-44': 8, '44->0': 8}, 0, True))
    got = run(cairn, 'pgo', lists)
    yield from expect('not here', got.status, 2)
    yield from expect_in('not here', '2 binaries are not in the profile, since their code is not here: [kernel.kallsyms], ...', got.err)
    # vmlinux of another build is not taken
    other = folder.write('other.data', message(binary('[kernel.kallsyms]', {0xffffffc000080040: {'E': 3}}, '77' * 20, KERNEL)))
    got = run(cairn, 'pgo', '--vmlinux', path, other)
    yield from expect_in('another', '1 binary is not in the profile, since its code is not here', got.err)
    module = folder.write('module.data', message(binary('[zram]', {0x10: {'E': 5}}, kind=MODULE), binary(program(folder), {BASE: {'N': 1}})))
    got = run(cairn, 'pgo', module)
    yield from expect('module', (profile(got.out), got.status), ({'0-4': 1}, 1))
    yield from expect_in('module', '1 module of a kernel is not in the profile', got.err)


def check_damaged(cairn, folder):
    """What is said of files that are damaged, and that what they had is not there. Among others they are left out."""
    path = program(folder)
    whole = message(binary(path, {BASE: {'E': 1, 'NE': 2}}, PADDED))
    good = folder.write('good.data', whole)

    def odd(address, *parts):
        return message(field(2, field(1, path) + field(3, field(1, address) + b''.join(parts))))
    for data, said in (
            (whole[:-1], 'is damaged at offset 0x1a: a field cannot be read. Copy it again'),
            (several(whole)[:-1], 'is damaged at offset 0x1d: it ends in a message'),
            (several()[:27], 'is damaged at offset 0x1b: it ends in its head'),
            (several(whole, version=2), 'is a branch list of version 2, and version 1 alone is known here'),
            (odd(BASE, field(2, field(1, b'\1') + field(2, 9) + field(3, 1))), 'a list says that it has more branches than it has'),
            (odd(BASE, field(2, field(2, 2 ** 32 - 1) + field(3, 1))), 'a list says that it has more branches than it has'),
            (message(binary(path, {}, kind=3)), 'a binary is of a kind that is not known'),
            (message(binary('/a\0b', {})), 'this is no path, and no name'),
            (message(binary('/' + 'a' * 4096, {})), 'this is no path, and no name'),
            (message(binary(path, {}, 'no hex')), 'this is no build-id in hex digits'),
            (message(bytes([0x13])), 'a field cannot be read'),
            (message(bytes([0x10]) + b'\xff' * 10), 'a field cannot be read'),
            (message(field(3, field(1, field(1, 1)))), 'a sample is of a binary that is not told'),
            (message(field(3, field(1, field(3, field(2, 2))) + field(2, field(1, path)))), 'a sample is of a binary that is not told'),
            (several(frame(whole)[:-1], packed=1), 'what is packed is cut off'),
            (several(b'\0' + frame(whole), packed=1), 'it cannot be unpacked'),
            (several(frame(whole[:-1]), packed=1), 'what is packed at offset 0x21 is damaged at its byte 0x1a: a field cannot be read'),
            # blocks of zeros: 4 bytes for 128 KiB each
            (several(struct.pack('<IBB', 0xfd2fb528, 0, 0x38) + 8192 * b'\x02\x00\x10\x00', packed=1), 'as no branch list does')):
        bad = folder.write('bad.data', data)
        got = run(cairn, 'pgo', bad)
        yield from expect(said, (got.status, got.out), (2, ''))
        yield from expect_in(said, bad + ': ', got.err)
        yield from expect_in(said, said, got.err)
        got = run(cairn, 'pgo', good, bad, good)
        yield from expect(said + ', among others', (profile(got.out), got.status), ({'0-4': 6, '4->10': 2, '8-8': 4}, 1))
    # cut anywhere, or with any byte wrong, it is told apart from a whole one or read
    for at in range(26, len(whole), 7):
        got = run(cairn, 'pgo', '--format', 'branch-list', folder.write('cut.data', whole[:at]))
        yield from expect('cut at %d' % at, got.status, 2)


def check_wrong(cairn, folder):
    path = program(folder)
    good = folder.write('good.data', message(binary(path, {BASE: {'E': 1}})))
    gone = folder.write('gone.data', message(binary('/lib/gone.so', {BASE: {'E': 1}})))
    text = folder.write('text', 'something else')
    sampled = Perf()
    sampled.event(IP | TID | TIME | BRANCH_STACK)
    counts = os.path.join(folder.path, 'counts')
    run(cairn, 'count', '--image', ELF, '-o', counts, CAPTURE)
    for arguments, said in (
            ((good, CAPTURE), CAPTURE),
            ((good, folder.write('perf.data', sampled.file())), 'perf.data: is a perf.data file without branch lists'),
            ((good, text), text + ': this is no branch list, and several captures are taken of those alone'),
            ((good, os.path.join(folder.path, 'none')), 'none: '),
            ((CAPTURE, good), "one capture at a time: '%s' is one too many. Several are taken of branch lists alone" % good),
            (('@' + os.path.join(folder.path, 'none'),), 'there is no such file'),
            (('@' + folder.write('empty', '\n'),), 'it names no file'),
            (('--source', 'ETE_0', good), 'these are branch lists, which do not say who executed what, or when: leave out --source'),
            (('--tid', 5, good), 'leave out --tid'), (('--time', '5,6', good), 'leave out --time'),
            (('--image', ELF, good), 'leave out --image'),
            (('--format', 'branch-list', counts), 'these are counts, which branch lists cannot be made of'),
            (('--format', 'branch-list', '--binary', 'other', good), '--binary other: there is nothing of it'),
            (('--binary', 'other', good), '--binary other: none of these was executed'),
            ((gone,), '1 binary is not in the profile, since its code is not here: /lib/gone.so'),
            (('--format', 'branch-list', CAPTURE), 'of no file that is here, and left out')):
        got = run(cairn, 'pgo', *arguments)
        yield from expect('%r' % (arguments,), (got.status, got.out), (2, ''))
        yield from expect_in('%r' % (arguments,), said, got.err)


# --- samples

def check_stacks(cairn, folder):
    """Samples are kept as they are, the youngest branch first, and make the same profile as before."""
    here = program(folder)
    perf = Perf()
    perf.event(IP | TID | TIME | BRANCH_STACK)
    perf.map(7, 0x55000000, 0x1000, 0, here)
    perf.map(7, 0x66000000, 0x1000, 0, '/lib/gone.so')
    first = 0x55000000 + 64 + 56  # of the code in the file, as folder.elf has it

    def sample(address, *entries):
        perf.sample(perf.words(address) + perf.pack('II', 7, 7) + perf.words(1, len(entries)) + b''.join(entries))
    sample(first + 8, perf.entry(first + 0x14, first), perf.entry(first + 0x44, first + 0x14), perf.entry(0x66000040, first + 0x40))
    sample(0x77000000, perf.entry(first + 0x18, first + 4), perf.entry(0x77000004, 0x77000000))
    sample(0x77000000, perf.entry(0x77000004, 0x77000000))
    path = folder.write('stacks.data', perf.file())
    lists = os.path.join(folder.path, 'lists.data')
    got = run(cairn, 'pgo', '--format', 'branch-list', '-o', lists, path)
    yield from expect_in('not here', 'addresses are offsets in the file where it is not here, or not for Arm: /lib/gone.so', got.err)

    def entry(*values):
        return b''.join(field(n + 1, value) for n, value in enumerate(values) if value)
    # numbers of binaries are by their paths
    gone, own = (1, 2) if '/lib/gone.so' < here else (2, 1)
    names = {gone: field(2, field(1, '/lib/gone.so')), own: field(2, field(1, here))}
    wanted = message(field(3, field(1, entry(own, BASE + 8) + field(3, entry(own, own, BASE + 0x14, BASE)) +
                                    field(3, entry(own, own, BASE + 0x44, BASE + 0x14)) + field(3, entry(gone, own, 0x40, BASE + 0x40))) +
                           field(1, field(3, entry(own, own, BASE + 0x18, BASE + 4)) + field(3, b'')) + names[1] + names[2]))
    yield from expect('file', (read(lists), got.status), (wanted, 0))
    for arguments in ((), ('--format', 'bolt-preaggregated'), ('--format', 'bolt', '--binary', 'program')):
        direct = run(cairn, 'pgo', *arguments, path)
        through = run(cairn, 'pgo', *arguments, lists)
        yield from expect('%r' % (arguments,), through.lines(), direct.lines())
    # twice, and with lists in the same file
    got = run(cairn, 'pgo', '--binary', 'program', lists, folder.write('more.data', message(binary(here, {BASE: {'E': 5}}))), lists)
    yield from expect('together', profile(got.out).get('14->0'), 2)
    merged = folder.write('merged.data', run(cairn, 'pgo', '--format', 'branch-list', lists, os.path.join(folder.path, 'more.data'), lists).raw)
    yield from expect('merged', run(cairn, 'pgo', '--binary', 'program', merged).out, got.out)
    got = run(cairn, 'pgo', '--format', 'branch-list', '--binary', 'gone.so', lists)
    yield from expect('one', got.raw, message(field(3, field(1, field(3, b'') + field(3, b'') + field(3, entry(1, 0, 0x40, 0))) +
                                                    field(2, field(1, '/lib/gone.so')))))


# --- traces

def check_example(cairn, folder):
    """What the generator of examples/capture says was executed: of each outcome one range ends there. Where a trace unit
    has a return stack, lists have the calls."""
    code = read(os.path.join(CAPTURE, 'program.bin'))
    for names in (('ETE_0',), ('ETM_1',), ('ETE_0', 'ETM_1')):
        lists = os.path.join(folder.path, '_'.join(names))
        sources = [word for name in names for word in ('--source', name)]
        got = run(cairn, 'pgo', '--format', 'branch-list', '--image', ELF, *sources, '-o', lists, CAPTURE)
        yield from expect('%r' % (names,), (got.status, 'return stack' in got.err), (0, 'ETM_1' in names))
        outcomes, branches = collections.Counter(), collections.Counter()
        for name in names:
            for at, outcome in steps_of(name):
                if outcome:
                    outcomes[at] += 1
                if outcome == 'E' and (direct_target(code, at) is not None or is_indirect(code, at)):
                    branches[at, direct_target(code, at) or 0] += 1
        mine = profile(run(cairn, 'pgo', lists).out)
        ends, taken = collections.Counter(), {}
        for key, count in mine.items():
            if '>' in key:
                taken[tuple(int(number, 16) for number in key.split('->'))] = count
            else:
                ends[int(key.split('-')[1], 16)] += count
        yield from expect('branches of %r' % (names,), taken, dict(branches))
        yield from expect('ranges of %r' % (names,), dict(ends), dict(outcomes))


SYNC = bytes(11) + b'\x80' + bytes_of('01 01 00 04')  # A-sync, Trace Info, Trace On of ETMv4


def address(value, bits=0):
    """Address with context, 64-bit IS0, EL0 Non-secure AArch64 (IHI0064 6.4.12)."""
    return bytes([0x85, value >> 2 & 0x7f, value >> 9 & 0x7f]) + (value >> 16).to_bytes(6, 'little') + b'\x30'


def check_waits(cairn, folder):
    """Of a trace unit whose WFE have Atoms (TRCIDR2.WFXMODE) lists have none, as others have none: B.NE N, ISB E, WFE E,
    BL E."""
    path = program(folder)
    trace = SYNC + address(BASE) + bytes_of('f6 f7 f7 f7')
    for mode, bits in ((0x80000000, 'NEE'), (0, 'NEEE')):
        raw = folder.write('trace.bin', trace)
        got = run(cairn, 'pgo', '--format', 'branch-list', '--protocol', 'etmv4', '--frames', 'none', '--set', 'TRCIDR1=0x4100f433',
                  '--set', 'TRCIDR2=0x%x' % (0x1088 | mode),
                  '--image', path, raw)
        yield from expect('%x' % mode, {key[3:]: count for key, count in lists_of(got.raw).items()}, {(BASE, bits): 1})


def check_ends(cairn, folder):
    """What ends a list in the words of an ETE that begins at 0x1000: N, and then an Exception, behind which a list begins at
    its return address if the trace goes on there (0x1010 by a short address); Atoms that a Discard took back; a Transaction
    Start, which is an instruction that lists have nothing for, until the next address; Trace On (DDI0608 D5.13, D5.47, D5.9,
    D5.57, D5.8)."""
    path = program(folder, base=0x1000)
    again = bytes_of('95 84 08')
    for name, trace, wanted, lost in (
            ('Exception', bytes_of('F6 06 1D 95 84 08 F7 F7'), {(0x1000, 'N'): 1, (0x1010, 'EE'): 1}, 0),
            ('Discard', bytes_of('F6 2D 01') + again + bytes_of('F7 00 03 F7 2D 01'), {(0x1000, 'N'): 1}, 1),
            ('unsure', bytes_of('F6 2D 01') + again + bytes_of('F7'), {(0x1000, 'N'): 1}, 1),
            ('committed', bytes_of('F6 2D 01') + again + bytes_of('F7 2D 01'), {(0x1000, 'N'): 1, (0x1010, 'E'): 1}, 0),
            ('transaction', bytes_of('F6 0A F7 0B') + again + bytes_of('F7'), {(0x1000, 'N'): 1, (0x1010, 'E'): 1}, 1),
            ('Trace On', bytes_of('F6 04 F7') + again + bytes_of('F7'), {(0x1000, 'N'): 1, (0x1010, 'E'): 1}, 1)):
        speculates = name in ('Discard', 'unsure', 'committed')
        snapshot = folder.snapshot(name, START + trace, registers={'TRCIDR8': 4} if speculates else {})
        got = run(cairn, 'pgo', '--format', 'branch-list', '--image', path, snapshot)
        yield from expect(name, {key[3:]: count for key, count in lists_of(got.raw).items()}, wanted)
        yield from expect(name + ', status', got.status, int(lost > 0))
        if lost:
            yield from expect_in(name, '1 branch is left out: the trace does not tell w' + ('hether' if name == 'unsure' else 'here'), got.err)


def packets_of(name):
    """simpleperf's rule of the packets that OpenCSD lists: an address ends a list, and the next Atoms begin another one."""
    lists, bits, addresses = collections.Counter(), {}, {}

    def end(source):
        if bits.get(source) and addresses.get(source) is not None:
            lists[addresses[source], bits[source]] += 1
        bits[source] = ''
    with lzma.open(os.path.join(CAPTURES, 'expected', name + '.opencsd-1.8.0.ppl.xz'), 'rt') as file:
        for line in file:
            row = re.match(r'Idx:\d+; ID:(\w+); \[[^]]*\];\t(I_\w+) : (.*)', line)
            if not row:
                continue
            source, kind, text = row.groups()
            if kind.startswith('I_ADDR'):
                end(source)
                addresses[source] = int(re.search('Addr=0x([0-9A-Fa-f]+)', text).group(1), 16)
            elif kind.startswith('I_ATOM'):
                bits[source] = bits.get(source, '') + re.search('; ([EN]+)', text).group(1)
            elif kind == 'I_NOT_SYNC':
                end(source)
                addresses[source] = None
    for source in list(bits):
        end(source)
    return lists


STEP = 24  # bits of an address: the image has all of 16 MiB around each


def everywhere(folder, addresses):
    """An ELF file that has something at all of these."""
    starts = sorted({address >> STEP << STEP for address in addresses})
    at = 0x10000
    headers = b''.join(struct.pack('<IIQQQQQQ', 1, 5, at, start, start, 1 << STEP, 1 << STEP, at) for start in starts)
    head = b'\x7fELF\2\1\1' + bytes(9) + struct.pack('<HHIQQQIHHHHHH', 2, 183, 1, 0, 64, 0, 0, 64, 56, len(starts), 64, 0, 0)
    path = folder.write('everywhere', head + headers)
    os.truncate(path, at + (1 << STEP))
    return path


def check_packets(cairn, folder):
    """Real traces, with return stack and without, and such of models."""
    for name, least in (('juno-uname-001', 9989), ('juno-ret-stck', 5000), ('maxspec0_commopt1', 974), ('ete_mem', 289), ('pauth_lr', 85),
                        ('rme_test', 148), ('trace_file_vmid', 587)):
        wanted = packets_of(name)
        image = everywhere(folder, {at for at, _ in wanted})
        got = run(cairn, 'pgo', '--format', 'branch-list', '--image', image, os.path.join(CAPTURES, 'snapshots', name))
        mine = collections.Counter({key[3:]: count for key, count in lists_of(got.raw).items()})
        yield from expect('lists of ' + name, sum(mine.values()) >= least, True)
        yield from expect('only of OpenCSD, ' + name, dict(list((wanted - mine).items())[:3]), {})
        yield from expect('only of Cairn, ' + name, dict(list((mine - wanted).items())[:3]), {})


def check_simpleperf(cairn, folder):
    """As simpleperf's own test has it: through a list the text is byte for byte that of the recording."""
    wanted = read(os.path.join(SIMPLEPERF, 'perf_inject.data'))
    bolt = read(os.path.join(SIMPLEPERF, 'perf_inject_bolt.2025.data'))
    lists = os.path.join(folder.path, 'lists.data')
    for name in ('perf_etm.data', 'perf_with_unformatted_trace.data'):
        got = run(cairn, 'pgo', '--format', 'branch-list', '-o', lists, '--force', '--debug-dir', SIMPLEPERF, os.path.join(SIMPLEPERF, name))
        yield from expect(name, (got.status, got.err), (0, ''))
        got = run(cairn, 'pgo', '--debug-dir', SIMPLEPERF, lists)
        yield from expect(name, (got.raw, got.status, got.err), (wanted, 0, ''))
        got = run(cairn, 'pgo', '--format', 'bolt-preaggregated', '--debug-dir', SIMPLEPERF, lists)
        yield from expect(name + ' for BOLT', got.raw, bolt)
        for form in ('llvm', 'bolt'):
            direct = run(cairn, 'pgo', '--format', form, '--debug-dir', SIMPLEPERF, os.path.join(SIMPLEPERF, name))
            through = run(cairn, 'pgo', '--format', form, '--debug-dir', SIMPLEPERF, lists)
            yield from expect(name + ' as ' + form, (through.out, through.status), (direct.out, direct.status))
        twice = profile(run(cairn, 'pgo', '--debug-dir', SIMPLEPERF, lists, lists).out)
        yield from expect(name + ' twice', twice, {key: 2 * count for key, count in profile(wanted.decode()).items()})


def check_lbr(cairn, folder):
    """simpleperf's test of the same: 353 becomes 706."""
    lbr = os.path.join(CAPTURES, 'perf', 'lbr')
    lists = os.path.join(folder.path, 'lbr.data')
    run(cairn, 'pgo', '--format', 'branch-list', '-o', lists, os.path.join(lbr, 'perf_lbr.data'))
    yield from expect('through a list', run(cairn, 'pgo', lists).raw, read(os.path.join(lbr, 'inject_lbr.data')))
    yield from expect('twice', profile(run(cairn, 'pgo', lists, lists).out)['94d->940'], 706)


def main():
    cairn = sys.argv[1]
    tap = Tap()
    cases = [('lists are followed', check_followed), ('32-bit code', check_T32), ('forms of files', check_forms), ('merged', check_merged),
             ('kernels and modules', check_kernel), ('damaged files', check_damaged), ('what cannot be', check_wrong),
             ('branch stacks', check_stacks), ('what the example executed', check_example), ('Atoms of WFE', check_waits), ('what ends a list', check_ends)]
    recorded = [("OpenCSD's packets", check_packets), ("simpleperf's recordings", check_simpleperf), ('LBR', check_lbr)]
    with tempfile.TemporaryDirectory(prefix='cairn-lists-') as path:
        for name, check in cases:
            tap.case(name, check(cairn, Folder(path)))
        for name, check in recorded:
            if CAPTURES:
                tap.case(name, check(cairn, Folder(path)))
            else:
                tap.skip(name, 'CAIRN_CAPTURES is not set')
    tap.end()


if __name__ == '__main__':
    main()
