#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Code out of archives in a perf.data file: libraries that an Android application has in its .apk as they are, told as
simpleperf does (base.apk!/lib/arm64-v8a/liba.so) and as the kernel does (base.apk and a place in it). Files are made by hand, with
loops of which a turn has 3 instructions (liba) or 2 (libb), so that what is right is counted by hand; archives by Python's zipfile.

usage: test_perf_stored.py CAIRN
"""
import json
import os
import shutil
import struct
import sys
import tempfile
import zipfile

from common import Folder, Tap, expect, expect_in, run, words
from perf_file import ETE, RAW_TRACE, TRACE_TYPE, TRACED, Perf
from test_perf_kernel import note
from test_perf_process import UNIT, turns
from test_pgo import NOTE, retype
from test_whose import of_loops

NOP = 0xd503201f
APK = '/data/app/one/base.apk'
PAGE = 4096
LOOPS = {'liba.so': [NOP, NOP, 0x17fffffe], 'libb.so': [NOP, 0x17ffffff]}
BUILD_IDS = {'liba.so': 'aa' * 20, 'libb.so': 'bb' * 20}


def libraries(folder):
    """{name: bytes} of ELF files with a function each, and build-ids, of one size."""
    out = {}
    for name, code in LOOPS.items():
        path = folder.elf('made/' + name, {0x1000: words((code + [NOP] * 3)[:3])}, [('in_' + name[:4], 0x1000, 4 * len(code))], [('.note.gnu.build-id', note(BUILD_IDS[name]))])
        retype(path, {5: NOTE})
        with open(path, 'rb') as file:
            out[name] = file.read()
    return out


def archive(path, files, packed=(), comment=b''):
    """Aligned to pages as zipalign does it. Returns {name: where it is}."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    places = {}
    with zipfile.ZipFile(path, 'w') as made:
        made.writestr('classes.dex', bytes(3000), zipfile.ZIP_DEFLATED)
        for name, data in files.items():
            entry = zipfile.ZipInfo('lib/arm64-v8a/' + name)
            entry.compress_type = zipfile.ZIP_DEFLATED if name in packed else zipfile.ZIP_STORED
            front = made.fp.tell() + 30 + len(entry.filename)
            entry.extra = struct.pack('<HH', 0xd935, 0) + bytes(-(front + 4) % PAGE)
            made.writestr(entry, data)
            places[name] = front + len(entry.extra)
        made.writestr('resources.arsc', bytes(100))
        made.comment = comment
    return places


def recording(folder, *mapped, build_ids=(), name='stored.data'):
    """Of process 7: (address, size, offset, path) each, and of the first 2 turns of its loop, of the second 5."""
    perf = Perf()
    perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE, user_only=True)
    perf.units(1, (ETE, 3, UNIT))
    for address, size, offset, path in mapped:
        perf.map(7, address, size, offset, path, time=1)
    data = turns(7, (mapped[0][0], 2), (mapped[1][0], 5))
    perf.aux(0, len(data), RAW_TRACE, 3, tid=7, time=10)
    perf.trace(data, 0, 3)
    return folder.write(name, perf.file_with_build_ids(*build_ids) if build_ids else perf.file())


def functions(cairn, path, *arguments):
    rows = run(cairn, 'profile', '--format', 'json', *arguments, path).rows()
    return {row['function'] or row['object']: row['instructions'] for row in rows if row['type'] == 'function'}


def modules(cairn, path, *arguments):
    facts = json.loads(run(cairn, 'info', '--format', 'json', *arguments, path).out)
    return [(row['path'], row['state']) for row in facts['program']['modules']]


WANTED = {'in_liba': 3 * 2, 'in_libb': 2 * 5}
NAMES = [(APK + '!/lib/arm64-v8a/liba.so', 'used'), (APK + '!/lib/arm64-v8a/libb.so', 'used')]
IN_FILE = 64 + 56  # of the code in one of these ELF files


def both_ways(folder, places, build_ids=()):
    """Recordings of the same, as simpleperf and as the kernel tell it."""
    for name, base in (('simpleperf', {key: 0 for key in places}), ('kernel', places)):
        mapped = [(0x10000 * (n + 1), 12, base[library] + IN_FILE, APK if name == 'kernel' else '%s!/lib/arm64-v8a/%s' % (APK, library))
                  for n, library in enumerate(places)]
        yield name, recording(folder, *mapped, build_ids=build_ids, name=name + '.data')


def check_stored(cairn, folder):
    made = libraries(folder)
    root = os.path.join(folder.path, 'root')
    for comment in (b'', b'PK\5\6 as an end'):
        places = archive(root + APK, made, comment=comment)
        for name, path in both_ways(folder, places):
            for way in ((), ('--reference',)):
                yield from expect('%s %r' % (name, way), functions(cairn, path, '--sysroot', root, *way), WANTED)
            yield from expect(name + ': modules', modules(cairn, path, '--sysroot', root), NAMES)
    # by the build-ids that simpleperf lists, the right ones and others
    for ids, wanted in ((BUILD_IDS, WANTED), ({'liba.so': 'aa' * 20, 'libb.so': 'bc' * 20}, {'in_liba': 6})):
        for name, path in both_ways(folder, places, [('%s!/lib/arm64-v8a/%s' % (APK, library), ids[library]) for library in places]):
            yield from expect('build-ids ' + name, functions(cairn, path, '--sysroot', root), wanted)
    # the archive itself lies in a folder of debug files, or a library taken out of it; and a folder stands for the archive
    ids = [('%s!/lib/arm64-v8a/%s' % (APK, library), BUILD_IDS[library]) for library in places]
    path = dict(both_ways(folder, places, ids))['simpleperf']
    for place, files in (('lying', {'base.apk': None}), ('taken', made)):
        where = os.path.join(folder.path, place)
        os.makedirs(where)
        for name, data in files.items():
            if data:
                folder.write('%s/%s' % (place, name), data)
            else:
                shutil.copy(root + APK, os.path.join(where, name))
        yield from expect(place, functions(cairn, path, '--debug-dir', where), WANTED)
    other = os.path.join(folder.path, 'unpacked')
    for name, data in made.items():
        folder.write('unpacked%s!/lib/arm64-v8a/%s' % (APK, name), data)
    yield from expect('a folder', functions(cairn, path, '--sysroot', other), WANTED)


def check_not_stored(cairn, folder):
    """What is packed cannot have been mapped from there; of an archive that is another one, or damaged, nothing is used."""
    made = libraries(folder)
    root = os.path.join(folder.path, 'root')
    places = archive(root + APK, made, packed=('libb.so',))
    path = dict(both_ways(folder, places))['simpleperf']
    yield from expect('packed', functions(cairn, path, '--sysroot', root), {'in_liba': 6})
    yield from expect('states', modules(cairn, path, '--sysroot', root), [NAMES[0], (NAMES[1][0], 'missing')])
    with open(root + APK, 'rb') as file:
        whole = file.read()
    for name, data in (('cut', whole[:-30]), ('no archive', b'PK' + bytes(5000)), ('empty', b'')):
        folder.write('broken' + APK, data)
        for way in ('simpleperf', 'kernel'):
            path = dict(both_ways(folder, places))[way]
            got = run(cairn, 'profile', '--format', 'json', '--sysroot', os.path.join(folder.path, 'broken'), path)
            yield from expect('%s, %s: %s' % (name, way, got.err), got.status, 2)


def check_named(cairn, folder):
    """What the kernel names otherwise than its file: one that was removed while it was mapped (it may have come back, or been copied),
    and its own code for programs, of which perf keeps a copy (~/.debug). Both count by their build-ids alone."""
    made = libraries(folder)
    paths = {'liba.so': '/lib/liba.so (deleted)', 'libb.so': '[vdso]'}
    mapped = [(0x10000, 12, IN_FILE, paths['liba.so']), (0x20000, 12, IN_FILE, paths['libb.so'])]
    path = recording(folder, *mapped, build_ids=[(paths[name], BUILD_IDS[name]) for name in made])
    root, cache = os.path.join(folder.path, 'now'), os.path.join(folder.path, 'cache')
    folder.write('now/lib/liba.so', made['liba.so'])
    folder.write('cache/.build-id/bb/%s/vdso' % ('bb' * 19), made['libb.so'])
    yield from expect('both', functions(cairn, path, '--sysroot', root, '--debug-dir', cache), WANTED)
    yield from expect('modules', modules(cairn, path, '--sysroot', root, '--debug-dir', cache), [(paths['liba.so'], 'used'), ('[vdso]', 'used')])
    folder.write('cache/.build-id/aa/%s/elf' % ('aa' * 19), made['liba.so'])
    yield from expect('a copy', functions(cairn, path, '--debug-dir', cache), WANTED)
    yield from expect('missing', modules(cairn, path, '--sysroot', folder.path), [(paths['liba.so'], 'missing'), ('[vdso]', 'missing')])
    folder.write('now/lib/liba.so', made['libb.so'])
    yield from expect('another file', modules(cairn, path, '--sysroot', root), [(paths['liba.so'], 'changed'), ('[vdso]', 'missing')])
    # without build-ids nobody knows what came back
    folder.write('now/lib/liba.so', made['liba.so'])
    path = recording(folder, *mapped)
    yield from expect('no build-ids', modules(cairn, path, '--sysroot', root), [(paths['liba.so'], 'missing')])


def check_image(cairn, folder):
    """--image takes a file in an archive by its path."""
    made = libraries(folder)
    place = os.path.join(folder.path, 'base.apk')
    archive(place, made, packed=('libb.so',))
    of_loops(folder)
    path = recording(folder, (0x10000, 12, IN_FILE, '/nowhere/liba.so'), (0x20000, 12, IN_FILE, '/nowhere/libb.so'))
    inside = place + '!/lib/arm64-v8a/'
    yield from expect('stored', functions(cairn, path, '--image', inside + 'liba.so@0xf000'), {'in_liba': 6})
    for name, said in (('libb.so', 'there is no such file in the archive, or it is packed there; take it out'), ('libc.so', 'there is no such file in the archive')):
        got = run(cairn, 'profile', '--image', '%s%s@0xf000' % (inside, name), path)
        yield from expect(name, got.status, 2)
        yield from expect_in(name, said, got.err)
    got = run(cairn, 'profile', '--image', '/nowhere.apk!/lib/liba.so', path)
    yield from expect_in('no archive', '/nowhere.apk!/lib/liba.so: there is no such file; check the path', got.err)


def main():
    cairn = os.path.abspath(sys.argv[1])
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix='cairn-stored-') as path:
        for name, check in (('libraries in an application', check_stored), ('packed, cut and other', check_not_stored), ('given by hand', check_image), ('removed files and the kernel'"'"'s code for programs', check_named)):
            os.mkdir(os.path.join(path, check.__name__))
            tap.case(name, check(cairn, Folder(os.path.join(path, check.__name__))))
    tap.end()


if __name__ == '__main__':
    main()
