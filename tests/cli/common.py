# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of the program share: running it, and small captures and images made by hand."""
import functools
import itertools
import json
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'house'))
from tap import Tap, program  # noqa: E402,F401  (used by the tests)

TIMEOUT = 120


def once(pairs):
    """An object of JSON in which each key stands once."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError('a key stands twice: %r' % [key for key, _ in pairs])
    return made


class Answer:
    def __init__(self, done):
        self.status = done.returncode
        self.out = done.stdout.decode('utf-8', 'replace')
        self.err = done.stderr.decode('utf-8', 'replace')
        self.raw = done.stdout

    def lines(self):
        return self.out.splitlines()

    def all_rows(self):
        return [json.loads(line, object_pairs_hook=once) for line in self.lines()]

    def rows(self):
        """The objects behind the first line of JSON lines, which tells the version."""
        rows = self.all_rows()
        return rows[1:] if rows and rows[0]['type'] == 'cairn' else rows


@functools.lru_cache(maxsize=None)
def sanitized(cairn):
    with open(cairn, 'rb') as file:
        return b'__asan_init' in file.read()


def surroundings(cairn, llvm=True, runs=itertools.count()):
    """The environment of a run. To look for leaks takes a third of a short one under sanitizers: of a test's runs
    behind the first hundred, every fourth does. Without `llvm` the program finds none, which takes most of a short listing.
    Sanitizers know what memory is uninitialized by themselves; without them perturb.so fills it."""
    options, more = os.environ.get('ASAN_OPTIONS', ''), {}
    beside = os.path.join(os.path.dirname(os.path.abspath(cairn)), 'tests', 'cli')
    hide, perturb = (os.path.join(beside, name) for name in ('hide-llvm.so', 'perturb.so'))
    number = next(runs)
    if 'detect_leaks=1' in options and number >= 100 and number % 4:
        options = options.replace('detect_leaks=1', 'detect_leaks=0')
    preloaded = [hide] if not llvm and os.path.exists(hide) else []
    if sanitized(cairn):  # a preloaded library comes before theirs, which they do not like
        options = ':'.join(filter(None, (options, 'verify_asan_link_order=0' if preloaded else '')))
    elif os.path.exists(perturb):
        preloaded.append(perturb)
        more = {'MALLOC_PERTURB_': '0'}
    return dict(os.environ, ASAN_OPTIONS=options, **({'LD_PRELOAD': ':'.join(preloaded)} if preloaded else {}), **more)


def run(cairn, *arguments, llvm=True, **environment):
    return Answer(subprocess.run([*program(cairn), *map(str, arguments)], stdin=subprocess.DEVNULL,
                                 env={**surroundings(cairn, llvm), **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT))


def spoiled(folder, *libraries):
    """A folder for LD_LIBRARY_PATH, where files that are no libraries stand in front of this machine's."""
    for name in libraries:
        path = folder.write('spoiled/' + name, 'no library')
    return os.path.dirname(path)


def expect(what, got, wanted):
    """A list of no or one sentence, for Tap.case."""
    return [] if got == wanted else ['%s: got %r, expected %r' % (what, got, wanted)]


def expect_in(what, part, text):
    return [] if part in text else ['%s: %r is not in %r' % (what, part, text[:2000])]


def bytes_of(text):
    return bytes.fromhex(text.replace(' ', ''))


# --- trace: ETE, EL1 Non-secure AArch64, tracing starts at 0x1000 (DDI0608 D5.4, D5.7, D5.8, D5.56)
ALIGNMENT_SYNC = bytes(11) + b'\x80'
START = ALIGNMENT_SYNC + bytes_of('01 00' '04' '82 00 08 00 00 31')

# The worked example DDI0608 D11.1.1: a branch from 0x1000 to 0x2000, a BEQ at 0x200c that is not
# taken, an IRQ at 0x2014. Atom format 2 "E N" (D5.41), Exception (D5.13) with TYPE IRQ and a short
# address (D5.47). MAXSPEC is 0.
EXAMPLE_D11_1_1 = START + bytes_of('D9' '06 1D 95 85 10')
# The program of that table, assembled with the Arm ARM at hand: address -> words.
EXAMPLE_PROGRAM = {
    0x1000: [0x14000400],              # B 0x2000: imm26 = 0x400
    0x2000: [0xd2800020,               # MOV X0, #1
             0xf9400001,               # LDR X1, [X0]
             0xeb01001f,               # CMP X0, X1
             0x54007fa0,               # B.EQ 0x3000: imm19 = 0x3fd
             0xf9000001],              # STR X1, [X0]
}
EXAMPLE_ADDRESSES = ['1000 E', '2000', '2004', '2008', '200c N', '2010']


def words(values):
    return b''.join(struct.pack('<I', value) for value in values)


class Folder:
    """A folder for one test's files."""

    def __init__(self, path):
        self.path = path

    def write(self, name, data):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return path

    def program(self, program=None):
        """--image arguments for {address: words}."""
        arguments = []
        for address, values in (program or EXAMPLE_PROGRAM).items():
            path = self.write('code_%x.bin' % address, words(values))
            arguments += ['--image', '%s@0x%x' % (path, address)]
        return arguments

    def elf(self, name, segments, symbols, more=()):
        """A little-endian AArch64 ELF executable: segments {address: bytes}, symbols
        [(name, address, size)] of global functions, with a fourth number st_info; more sections [(name, bytes)], with a third
        number sh_flags."""
        header, program_header, section_header, symbol = 64, 56, 64, 24
        data_at = header + program_header * len(segments)
        blob, headers = b'', b''
        for address, data in segments.items():
            headers += struct.pack('<IIQQQQQQ', 1, 5, data_at + len(blob), address, address,
                                   len(data), len(data), 4)
            blob += data
        text_address = min(segments)
        strings, table = b'\0', bytes(symbol)
        for symbol_name, address, size, *info in symbols:
            table += struct.pack('<IBBHQQ', len(strings), info[0] if info else 0x12, 0, 1, address, size)
            strings += symbol_name.encode() + b'\0'
        names = b'\0.text\0.symtab\0.strtab\0.shstrtab\0'
        name_of = {}
        for section_name, *_ in more:
            name_of[section_name] = len(names)
            names += section_name.encode() + b'\0'
        more_data = b''.join(data for _, data, *_ in more)
        table_at = data_at + len(blob)
        strings_at = table_at + len(table)
        names_at = strings_at + len(strings)
        more_at = names_at + len(names)
        sections_at = more_at + len(more_data)

        def section(name_at, kind, flags, address, offset, size, link, info, align, entry):
            return struct.pack('<IIQQQQIIQQ', name_at, kind, flags, address, offset, size, link,
                               info, align, entry)
        sections = bytes(section_header)
        sections += section(1, 1, 6, text_address, data_at, len(segments[text_address]), 0, 0, 4, 0)
        sections += section(7, 2, 0, 0, table_at, len(table), 3, 1, 8, symbol)
        sections += section(15, 3, 0, 0, strings_at, len(strings), 0, 0, 1, 0)
        sections += section(23, 3, 0, 0, names_at, len(names), 0, 0, 1, 0)
        for section_name, data, *flags in more:
            is_note = section_name.startswith('.note')
            sections += section(name_of[section_name], 7 if is_note else 1, flags[0] if flags else 0, 0, more_at, len(data), 0, 0,
                                4 if is_note else 1, 0)
            more_at += len(data)
        ident = b'\x7fELF' + bytes([2, 1, 1]) + bytes(9)
        head = ident + struct.pack('<HHIQQQIHHHHHH', 2, 183, 1, text_address, header, sections_at,
                                   0, header, program_header, len(segments), section_header, 5 + len(more), 4)
        return self.write(name, head + headers + blob + table + strings + names + more_data + sections)

    def snapshot(self, name, trace, format_='source_data', registers=None, kind='ETE',
                 core='ARM-AA64', dumps=(), trace_id=None, space=None):
        """An Arm DS snapshot of one core and one source; returns its folder. `space` ("EL1N") is that
        of all its dumps."""
        values = {'TRCCONFIGR': 0x1, 'TRCTRACEIDR': 0x10, 'TRCDEVARCH': 0x47705a13,
                  'TRCIDR0': 0x2801cea1, 'TRCIDR1': 0x4100fff0, 'TRCIDR2': 0xd0001088,
                  'TRCIDR8': 0}
        values.update(registers or {})
        if trace_id is not None:
            values['TRCTRACEIDR'] = trace_id
        self.write(name + '/snapshot.ini',
                   '[snapshot]\nversion=1.0\n[device_list]\ndevice0=cpu_0.ini\ndevice1=etm_0.ini\n'
                   '[trace]\nmetadata=trace.ini\n')
        text = '[device]\nname=cpu_0\nclass=core\ntype=%s\n[regs]\n' % core
        for number, (address, data) in enumerate(dumps):
            self.write('%s/dump%d.bin' % (name, number), data)
            text += '[dump%d]\nfile=dump%d.bin\naddress=0x%x\nlength=%d\n' % (number, number, address,
                                                                            len(data))
            text += 'space=%s\n' % space if space else ''
        self.write(name + '/cpu_0.ini', text)
        self.write(name + '/etm_0.ini',
                   '[device]\nname=ETM_0\nclass=trace_source\ntype=%s\n[regs]\n' % kind +
                   ''.join('%s=0x%x\n' % item for item in values.items() if item[1] is not None))
        self.write(name + '/trace.ini',
                   '[trace_buffers]\nbuffers=buffer1\n[buffer1]\nname=ETB_0\nfile=trace.bin\n'
                   'format=%s\n[source_buffers]\nETM_0=ETB_0\n[core_trace_sources]\ncpu_0=ETM_0\n'
                   % format_)
        self.write(name + '/trace.bin', trace)
        return os.path.join(self.path, name)


FRAME_DATA = 13  # bytes of one stream that frames() puts into a frame
IGNORE = b'\x70'  # DDI0608 D5.67


def frames(streams):
    """CoreSight formatter frames for [(id, bytes)]: byte 0 is the ID, 13 bytes of data follow, byte 14
    is ID 0, and byte 15 has bit 0 of each even byte that is data. Streams are filled up with Ignore."""
    out = b''
    for trace_id, data in streams:
        data += IGNORE * (-len(data) % FRAME_DATA)
        for at in range(0, len(data), FRAME_DATA):
            frame = bytearray([trace_id << 1 | 1]) + data[at:at + FRAME_DATA] + b'\x01'
            auxiliary = 0
            for even in range(2, 14, 2):
                auxiliary |= (frame[even] & 1) << even // 2
                frame[even] &= 0xfe
            out += bytes(frame) + bytes([auxiliary])
    return out


def framed_exactly(trace_id, data):
    """The same for one stream, which ends where its data does: ID 0 has the rest of the last frame. What
    stands at an even place is an ID if bit 0 is set, and the byte of the frame's last one tells whether
    it counts from the byte behind that one on."""
    whole = len(data) // FRAME_DATA * FRAME_DATA
    out, rest = frames([(trace_id, data[:whole])]), data[whole:]
    if not rest:
        return out
    frame = bytearray([trace_id << 1 | 1]) + rest + bytes(15 - 1 - len(rest))
    auxiliary = 0
    end = 1 + len(rest)  # ID 0 is from here on
    if end % 2:  # an ID cannot stand there: it stands before the last byte, and counts behind it
        frame[end - 1:end + 1] = bytes([1, frame[end - 1]])
        auxiliary |= 1 << (end - 1) // 2
    else:
        frame[end] = 1
    for even in range(2, end - 1 if end % 2 else end, 2):
        auxiliary |= (frame[even] & 1) << even // 2
        frame[even] &= 0xfe
    return out + bytes(frame) + bytes([auxiliary])


def is_hex(text):
    return bool(text) and all(c in '0123456789abcdef' for c in text)


# The oldest bytes of a buffer that wrapped around; what was taken back, or never said to be executed.
HARMLESS = {'no_sync', 'discard', 'unresolved'}


def lost_elements(cairn, *arguments):
    """{reason: how many Atoms, Source Addresses and Qs} of the packets that are gaps: an element is not
    told from another of its packet here, so that these are bounds from above."""
    counts, lost = {}, {}
    for row in run(cairn, 'elements', '--format', 'json', *arguments).rows():
        if row['type'] == 'element' and row['kind'] in ('Atom', 'Source Address', 'Q'):
            place = row['source'], row['offset']
            counts[place] = counts.get(place, 0) + 1
    for row in run(cairn, 'flow', '--format', 'json', '--ranges', *arguments).rows():
        if row['type'] == 'gap':
            count = counts.get((row['source'], row['offset']), 0)
            lost[row['reason']] = lost.get(row['reason'], 0) + count
    return lost


def gaps_that_matter(cairn, source, *arguments):
    """Of a source as `info` tells it: the accounts that count for exit statuses."""
    accounts = {key for key, value in source['ledger'].items() if value}
    if accounts == {'no_sync'}:
        return accounts
    gaps = accounts - {'flow', 'metadata', 'padding'} - HARMLESS
    if 'no_address' in gaps:  # a packet that told of no branch harms nothing
        lost = lost_elements(cairn, '--source', source['name'], *arguments)
        gaps -= set() if lost.get('no_address') else {'no_address'}
    return gaps


def captures():
    """The snapshots of CAIRN_CAPTURES: [(name, path)], or None when it is not set."""
    top = os.environ.get('CAIRN_CAPTURES')
    if not top:
        return None
    top = os.path.join(top, 'snapshots')
    return [(name, os.path.join(top, name)) for name in sorted(os.listdir(top))
            if os.path.isdir(os.path.join(top, name))]
