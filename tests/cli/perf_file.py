# SPDX-License-Identifier: BSD-2-Clause
"""perf.data files made by hand, of either byte order, by the layouts that Linux documents in
<linux/perf_event.h> and perf in its perf.data-file-format.txt; and what `perf script` prints of one."""
import struct
import subprocess

TIMEOUT = 60

# perf_event_attr.sample_type
IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW, BRANCH_STACK = (1 << n for n in range(12))
IDENTIFIER = 1 << 16
# read_format
ENABLED, RUNNING, READ_ID, GROUP, READ_LOST = (1 << n for n in range(5))
# branch_sample_type: any branch of user and kernel, types and levels saved
TRACED = TID | TIME | CPU | IDENTIFIER
ANY = 1 | 2 | 8 | 1 << 16 | 1 << 18
HW_INDEX, COUNTERS = 1 << 17, 1 << 19
# types of records
LOST, COMM, FORK, SAMPLE, MMAP2, LOST_SAMPLES, ATTR, FINISHED, AUXTRACE, COMPRESSED = 2, 3, 7, 9, 10, 13, 64, 68, 71, 81
KSYMBOL, TEXT_POKE, TIME_CONV, EVENT_ID = 17, 20, 79, 32774
MMAP, AUX, ITRACE_START, SWITCH, SWITCH_CPU_WIDE, HW_ID, BUILD_ID, ID_INDEX, AUXTRACE_INFO = 1, 11, 12, 14, 15, 21, 67, 69, 70
USER, KERNEL, GUEST_KERNEL, GUEST_USER = 2, 1, 4, 5  # PERF_RECORD_MISC_...
MISC_BUILD_ID = 1 << 14  # of MMAP2
FILTERED = 1 << 15  # of LOST_SAMPLES: by BPF
TRACE_TYPE = 8  # of the event, as AUXTRACE_INFO says it
INHERIT, EXCLUDE_KERNEL, SAMPLE_ID_ALL, USE_CLOCKID = 1, 5, 18, 25  # their numbers among the flags of perf_event_attr, which are bit fields
ETMV3, ETMV4, ETE = (0x0101010101010101 * n for n in (0x30, 0x40, 0x50))  # of a block of AUXTRACE_INFO
TRUNCATED, OVERWRITE, PARTIAL, COLLISION, RAW_TRACE = 1, 2, 4, 8, 0x100  # of an AUX record
NOBODY = 0xffffffff
DIR_FORMAT, META_INFO, INIT_MAP = 24, 129, 134  # features; the latter are simpleperf's


class Perf:
    def __init__(self, order='<'):
        self.order = order
        self.events, self.data = [], b''
        self.identified = False

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def words(self, *values):
        return self.pack('%dQ' % len(values), *values)

    def attribute(self, sample_type, read_format=0, branches=ANY, size=128, identified=False, kind=0, user_only=False,
                  inherit=False, clockid=False):
        """perf_event_attr: type, size, config, period, sample_type, read_format, flags, wakeup, breakpoint's, two
        configurations, branch_sample_type ..."""
        flags = self.bits((0, INHERIT), (int(inherit), 1), (0, EXCLUDE_KERNEL - INHERIT - 1), (int(user_only), 1), (0, SAMPLE_ID_ALL - EXCLUDE_KERNEL - 1), (int(identified), 1), (0, USE_CLOCKID - SAMPLE_ID_ALL - 1), (int(clockid), 1))
        head = self.pack('II8Q', kind, size, 0, 1, sample_type, read_format, flags, 0, 0, 0)
        return (head + self.words(branches)).ljust(size, b'\0')

    def event(self, sample_type, ids=(), **more):
        self.identified |= more.get('identified', False)
        self.events.append((self.attribute(sample_type, **more), ids))

    def record(self, kind, body, misc=USER, payload=b''):
        body += bytes(-len(body) % 8)
        self.data += self.pack('IHH', kind, misc, 8 + len(body)) + body + payload

    def end(self, tid, time=0):
        """Whose a record is, where the event has its records say that."""
        return self.whose(tid, 0, time=time) if self.identified else b''

    def text(self, text):
        text = text.encode() + b'\0'
        return text + bytes(-len(text) % 8)

    def name(self, pid, tid, name):
        self.record(COMM, self.pack('II', pid, tid) + self.text(name) + self.end(tid))

    def fork(self, tid, parent):
        self.record(FORK, self.pack('IIIIQ', tid, parent, tid, parent, 0) + self.end(tid))

    def map(self, pid, address, size, offset, path, protection=5, time=0):
        self.record(MMAP2, self.pack('IIQQQIIQQII', pid, pid, address, size, offset, 8, 1, 2, 3, protection, 2) +
                    self.text(path) + self.end(pid, time))

    # --- trace. Records of an event of TRACED end with whose they are

    def whose(self, tid, cpu, event=1, time=0):
        return self.pack('IIQIIQ', tid, tid, time, cpu, 0, event)

    def units(self, version, *blocks):
        """AUXTRACE_INFO of cs_etm: (magic, CPU, registers)."""
        body = self.pack('II', 3, 0) + self.words(version, TRACE_TYPE << 32 | len(blocks), 0)
        for magic, cpu, registers in blocks:
            body += self.words(magic, cpu, *([len(registers)] if version else []), *registers)
        self.record(AUXTRACE_INFO, body, 0)

    def index(self, *threads):
        """ID_INDEX: of an event's identifiers, one a thread, or NOBODY where it counts on processors."""
        self.record(ID_INDEX, self.words(len(threads), *[word for n, thread in enumerate(threads) for word in (1, n, n, thread if thread != NOBODY else 2 ** 64 - 1)]), 0)

    def trace(self, data, offset, cpu=0, tid=NOBODY):
        self.record(AUXTRACE, self.words(len(data), offset, 0) + self.pack('IIII', 0, tid, cpu, 0), 0, payload=data)

    def aux(self, offset, size, flags=0, cpu=0, tid=7, time=0):
        self.record(AUX, self.words(offset, size, flags) + self.whose(tid, cpu, time=time), 0)

    def start(self, tid, cpu, time, pid=None):
        """The event was started: what is recorded next begins not before."""
        self.record(ITRACE_START, self.pack('II', pid or tid, tid) + self.whose(tid, cpu, time=time))

    def bits(self, *fields):
        """A word of bit fields, (value, bits) from the first on: big-endian machines begin at the highest bit."""
        word = at = 0
        for value, count in fields:
            word |= value << (at if self.order == '<' else 64 - at - count)
            at += count
        return word

    def entry(self, source, target, mispredicted=0, predicted=0, in_tx=0, abort=0, cycles=0, kind=0, spec=0, new=0,
              level=0):
        return self.words(source, target, self.bits(
            (mispredicted, 1), (predicted, 1), (in_tx, 1), (abort, 1), (cycles, 16), (kind, 4), (spec, 2), (new, 4),
            (level, 3)))

    def sample(self, body, misc=USER):
        self.record(SAMPLE, body, misc)

    def file(self, cut=None, data_size=None):
        """All of it; the identifiers lie behind the attributes. Without features."""
        attribute_size = len(self.events[0][0])
        attributes, ids = b'', b''
        at = 104 + len(self.events) * (attribute_size + 16)
        for attribute, own in self.events:
            attributes += attribute + self.words(at + len(ids), 8 * len(own))
            ids += self.words(*own)
        data_at = at + len(ids)
        data_size = len(self.data) if data_size is None else data_size
        header = self.words(int.from_bytes(b'PERFILE2', 'little'), 104, attribute_size + 16, 104, len(attributes),
                            data_at, data_size, 0, 0, 0, 0, 0, 0)
        return (header + attributes + ids + self.data)[:cut]

    def with_feature(self, number, section):
        whole = self.file()
        features = self.words(*(1 << number - at if at <= number < at + 64 else 0 for at in range(0, 256, 64)))
        return whole[:72] + features + whole[104:] + self.words(len(whole) + 16, len(section)) + section

    def file_with_build_ids(self, *files):
        """The same with a BUILD_ID section: (path, hex)."""
        section = b''
        for path, build_id in files:
            body = self.pack('i', -1) + bytes.fromhex(build_id).ljust(24, b'\0') + path.encode() + b'\0'
            body += bytes(-len(body) % 8)
            section += self.pack('IHH', BUILD_ID, USER, 8 + len(body)) + body
        return self.with_feature(2, section)

    def file_with_index(self):
        """The same with an AUXTRACE section, without which perf takes nothing that it decodes for a sample: where the
        AUXTRACE records are, and how large without what follows them."""
        entries, data_at = [], len(self.file()) - len(self.data)
        at = 0
        while at < len(self.data):
            kind, _, size = struct.unpack_from(self.order + 'IHH', self.data, at)
            if kind == AUXTRACE:
                entries.append((data_at + at, size))
                at += struct.unpack_from(self.order + 'Q', self.data, at + 8)[0]
            at += size
        return self.with_feature(18, self.words(len(entries), *[word for entry in entries for word in entry]))

    def pipe(self):
        """As it comes through a pipe: attributes are records, with their identifiers behind."""
        records, self.data = self.data, b''
        for attribute, own in self.events:
            self.record(ATTR, attribute + self.words(*own), 0)
        header = self.words(int.from_bytes(b'PERFILE2', 'little'), 16)
        whole, self.data = header + self.data + records, records
        return whole


def with_smaller_attributes(data):
    """The same little-endian file with attributes of 128 bytes, which perf 6.1 reads: it refuses larger ones, whatever
    is in them. They go to the end of the file."""
    entry, at, size = struct.unpack_from('<3Q', data, 16)
    attributes = b''
    for i in range(size // entry):
        one = data[at + i * entry:at + (i + 1) * entry]
        assert not any(one[128:-16]), 'an attribute that perf 6.1 cannot have'
        attributes += one[:4] + struct.pack('<I', 128) + one[8:128] + one[-16:]
    return data[:16] + struct.pack('<3Q', 144, len(data), len(attributes)) + data[40:] + attributes


def perf_script(path, fields, *options):
    """(lines, what it said)"""
    done = subprocess.run(['perf', 'script', '-i', path, '-F', fields, *options], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT)
    return done.stdout.decode().splitlines(), done.stderr.decode()


def branches_of(lines):
    """[[(from, to, M|P|-, X|-, A|-, cycles, type)]] of brstack columns; types that are not known are ''."""
    stacks = []
    for line in lines:
        stack = [word.split('/') for word in line.split() if word.count('/') > 4]
        if stack:
            stacks.append([(*parts[:6], '' if len(parts) < 7 or parts[6] == '-' else parts[6]) for parts in stack])
    return stacks
