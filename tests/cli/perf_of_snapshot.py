# SPDX-License-Identifier: BSD-2-Clause
"""A recording of `cairn record` (ETE or ETMv4, one thread, its modules where they were) as the perf.data file that Linux's perf
would have made of it (--per-thread): trace in CoreSight's frames, the program's files by MMAP2."""
import configparser
import os
import struct

from common import framed_exactly
from perf_file import COMM, ETE, ETMV4, IP, NOBODY, TRACE_TYPE, TRACED, Perf

TRACE_ID = 0x10
REGISTERS = ('TRCCONFIGR', 'TRCTRACEIDR', 'TRCIDR0', 'TRCIDR1', 'TRCIDR2', 'TRCIDR8', 'TRCAUTHSTATUS')
EXEC = 1 << 13
EXECUTABLE = 1
PAGE = 0x1000


def sections_of(path):
    reader = configparser.ConfigParser(delimiters='=', comment_prefixes=('#', ';'), interpolation=None, strict=False)
    reader.optionxform = str
    reader.read(path, encoding='utf-8')
    return {name: dict(reader[name]) for name in reader.sections()}


def code_of(path):
    """(address in the file, offset, size) of an ELF file's executable segment, in whole pages."""
    with open(path, 'rb') as file:
        head = file.read(64)
        at, = struct.unpack_from('<Q', head, 32)
        size, count = struct.unpack_from('<HH', head, 54)
        file.seek(at)
        table = file.read(size * count)
    for n in range(count):
        kind, flags, offset, address, _, length, _, _ = struct.unpack_from('<IIQQQQQQ', table, n * size)
        if kind == 1 and flags & EXECUTABLE:
            low = offset % PAGE
            return address - low, offset - low, length + low
    return None


def make(folder, most=None, frames=framed_exactly, pid=7):
    """The file; of `most` bytes of trace, if that is given."""
    device = sections_of(os.path.join(folder, 'thread_1.ini'))
    unit = {name.split('(')[0]: int(value, 0) for name, value in device['regs'].items()}
    is_ete = device['device']['type'] == 'ETE'
    names = [*REGISTERS, 'TRCDEVARCH'] if is_ete else REGISTERS
    perf = Perf()
    perf.event(IP | TRACED, ids=[1], identified=True, kind=TRACE_TYPE, user_only=True)
    perf.units(1, (ETE if is_ete else ETMV4, 0, [TRACE_ID if name == 'TRCTRACEIDR' else unit[name] for name in names]))
    perf.record(COMM, perf.pack('II', pid, pid) + perf.text('program') + perf.whose(pid, 0), EXEC)
    for name, module in sections_of(os.path.join(folder, 'program.ini')).items():
        code = code_of(module['path']) if name.startswith('module') else None
        if code:
            address, offset, size = code
            perf.map(pid, int(module['bias'], 0) + address, size, offset, module['path'])
    with open(os.path.join(folder, 'thread_1.bin'), 'rb') as file:
        trace = file.read(-1 if most is None else most)
    trace = frames(TRACE_ID, trace)
    perf.aux(0, len(trace), tid=pid, time=1)
    perf.trace(trace, 0, NOBODY, pid)
    return perf.file_with_index()
