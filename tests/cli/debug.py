# SPDX-License-Identifier: BSD-2-Clause
"""Debug information made by hand: DWARF 4 with line tables, functions, and calls that were inlined."""
import struct

ABBREVIATIONS = {  # code: (tag, whether it has children, [(attribute, form)])
    1: (0x11, 1, [(0x03, 0x08), (0x1b, 0x08), (0x10, 0x17), (0x11, 0x01), (0x12, 0x07)]),  # compile_unit
    2: (0x2e, 1, [(0x03, 0x08), (0x3a, 0x0b), (0x3b, 0x0b), (0x11, 0x01), (0x12, 0x07)]),  # subprogram
    3: (0x1d, 0, [(0x31, 0x13), (0x11, 0x01), (0x12, 0x07), (0x58, 0x0b), (0x59, 0x0b)]),  # inlined_subroutine
    4: (0x2e, 0, [(0x03, 0x08), (0x3a, 0x0b), (0x3b, 0x0b), (0x20, 0x0b)]),                # one that is inlined
}


def text(string):
    return string.encode() + b'\0'


def leb(value):
    out = b''
    while True:
        byte, value = value & 0x7f, value >> 7
        if (value == 0 and not byte & 0x40) or (value == -1 and byte & 0x40):
            return out + bytes([byte])
        out += bytes([byte | 0x80])


def abbreviations():
    out = b''
    for code, (tag, children, attributes) in ABBREVIATIONS.items():
        out += bytes([code, tag, children]) + bytes(sum(attributes, ())) + b'\0\0'
    return out + b'\0'


def line_program(files, sequences, folders=()):
    """A sequence is (rows, its end); rows are (address, file from 1 on, line, whether a statement begins), ascending. A file is
    a name, or a name and the number of its folder in `folders`, from 1 on."""
    files = [(name, 0) if isinstance(name, str) else name for name in files]
    names = b''.join(text(name) + bytes([folder]) + b'\0\0' for name, folder in files)
    head = struct.pack('<BBBbBB', 4, 1, 1, -5, 14, 13) + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1])
    head += b''.join(text(folder) for folder in folders) + b'\0' + names + b'\0'
    out = b''
    for rows, end in sequences:
        at, line, file, statement = rows[0][0], 1, 1, True
        out += b'\0\x09\x02' + struct.pack('<Q', at)       # DW_LNE_set_address
        for address, of, number, begins in rows:
            out += b'\x02' + leb((address - at) // 4)       # DW_LNS_advance_pc
            if of != file:
                out += b'\x04' + bytes([of])                # DW_LNS_set_file
            if begins != statement:
                out += b'\x06'                              # DW_LNS_negate_stmt
            out += b'\x03' + leb(number - line) + b'\x01'   # DW_LNS_advance_line, DW_LNS_copy
            at, line, file, statement = address, number, of, begins
        out += b'\x02' + leb((end - at) // 4) + b'\0\x01\x01'     # DW_LNE_end_sequence
    body = struct.pack('<HI', 4, len(head)) + head + out
    return struct.pack('<I', len(body)) + body


def sections(units):
    """Of units {name, folder, folders (or none), files, rows, range: (first, end), functions: [(name, file, line, first, end, inlined)]}, where
    inlined is [(name, file, line of it, first, end, file, line of the call)]; `more` may have more sequences of rows."""
    info = lines = b''
    for unit in units:
        begin = len(info)
        origins, first, end = {}, *unit['range']
        body = bytes([1]) + text(unit['name']) + text(unit['folder']) + struct.pack('<IQQ', len(lines), first, end - first)
        for function in unit['functions']:
            for name, file, line, *_ in function[5]:
                if name not in origins:
                    origins[name] = 11 + len(body)
                    body += bytes([4]) + text(name) + bytes([file, line, 1])
        for name, file, line, at, behind, inlined in unit['functions']:
            body += bytes([2]) + text(name) + bytes([file, line]) + struct.pack('<QQ', at, behind - at)
            for inner, _, _, start, stop, call_file, call_line in inlined:
                body += bytes([3]) + struct.pack('<IQQ', origins[inner], start, stop - start) + bytes([call_file, call_line])
            body += b'\0'
        body += b'\0'
        info += struct.pack('<IHIB', len(body) + 7, 4, 0, 8) + body
        assert len(info) - begin == len(body) + 11
        lines += line_program(unit['files'], unit.get('more', []) + [(unit['rows'], end)], unit.get('folders', ()))
    return [('.debug_abbrev', abbreviations()), ('.debug_info', info), ('.debug_line', lines)]


BASE = 0x80000000
FUNCTIONS = [('_start', BASE, 0x2c), ('weigh', BASE + 0x2c, 0x14), ('report', BASE + 0x40, 0x10), ('handler', BASE + 0x200, 8)]


def rows(table):
    return [(BASE + offset, file, line, begins) for offset, file, line, begins in table]


# The program of the example capture as if it had been compiled from /src/a.c and /src/b.c with an inlined function of
# /src/h.h: called in lines 13 and 15 of a.c, and of b.c's handler the first instruction.
UNITS = [
    {'name': 'a.c', 'folder': '/src', 'files': ['/src/a.c', '/src/h.h'], 'range': (BASE, BASE + 0x50),
     # 0x18 has two rows, of which the first has no code; 0x20 has no line
     'rows': rows([(0x00, 1, 10, True), (0x04, 1, 11, True), (0x08, 1, 12, True), (0x0c, 2, 5, True), (0x10, 1, 14, True),
                   (0x14, 2, 5, True), (0x18, 1, 99, True), (0x18, 1, 16, True), (0x1c, 1, 17, False), (0x20, 1, 0, True),
                   (0x24, 1, 18, True), (0x28, 1, 19, True), (0x2c, 1, 30, True), (0x30, 1, 31, True), (0x38, 1, 32, True),
                   (0x40, 1, 40, True), (0x48, 1, 41, True), (0x4c, 1, 42, True)]),
     'functions': [('_start', 1, 9, BASE, BASE + 0x2c, [('twice', 2, 4, BASE + 0xc, BASE + 0x10, 1, 13),
                                                       ('twice', 2, 4, BASE + 0x14, BASE + 0x18, 1, 15)]),
                   ('weigh', 1, 29, BASE + 0x2c, BASE + 0x40, []), ('report', 1, 39, BASE + 0x40, BASE + 0x50, [])]},
    {'name': 'b.c', 'folder': '/src', 'files': ['/src/b.c', '/src/h.h'], 'range': (BASE + 0x200, BASE + 0x208),
     'rows': rows([(0x200, 2, 5, True), (0x204, 1, 6, True)]),
     'functions': [('handler', 1, 5, BASE + 0x200, BASE + 0x208, [])]},
]


def moved(unit, by):
    """The unit with its code that far down."""
    return {**unit, 'range': tuple(address - by for address in unit['range']),
            'rows': [(address - by, *rest) for address, *rest in unit['rows']],
            'functions': [(name, file, line, first - by, end - by,
                           [(*inner[:3], inner[3] - by, inner[4] - by, *inner[5:]) for inner in inlined])
                          for name, file, line, first, end, inlined in unit['functions']]}


# The same, all of _start in one line: two conditional branches that lead to each other.
ONE_LINE = [{**UNITS[0], 'rows': rows([(0x00, 1, 10, True), (0x2c, 1, 30, True)]),
             'functions': [('_start', 1, 9, BASE, BASE + 0x2c, [])]}]
