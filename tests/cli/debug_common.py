# SPDX-License-Identifier: BSD-2-Clause
"""The debug information of debug.py as `dwz -m` leaves it: names of functions, and those that are inlined, are in another file,
which the program names with its build-id (.gnu_debugaltlink). Written from DWARF 5 (7.3.6) and GNU's forms for DWARF 4."""
import struct

from debug import line_program, text

STRP_ALT, REF_ALT = 0x1f21, 0x1f20
ABBREVIATIONS = {
    1: (0x11, 1, [(0x03, 0x08), (0x1b, 0x08), (0x10, 0x17), (0x11, 0x01), (0x12, 0x07)]),      # compile_unit
    2: (0x2e, 1, [(0x03, STRP_ALT), (0x3a, 0x0b), (0x3b, 0x0b), (0x11, 0x01), (0x12, 0x07)]),  # subprogram
    3: (0x1d, 0, [(0x31, REF_ALT), (0x11, 0x01), (0x12, 0x07), (0x58, 0x0b), (0x59, 0x0b)]),   # inlined_subroutine
    4: (0x3c, 1, [(0x1b, 0x08), (0x10, 0x17)]),                                                # partial_unit
    5: (0x2e, 0, [(0x03, 0x0e), (0x3a, 0x0b), (0x3b, 0x0b), (0x20, 0x0b)]),                    # one that is inlined
}


def uleb(value):
    out = b''
    while value > 0x7f:
        out, value = out + bytes([value & 0x7f | 0x80]), value >> 7
    return out + bytes([value])


def abbreviations():
    out = b''
    for code, (tag, children, attributes) in ABBREVIATIONS.items():
        out += uleb(code) + uleb(tag) + bytes([children])
        out += b''.join(uleb(name) + uleb(form) for name, form in attributes) + b'\0\0'
    return out + b'\0'


def unit_of(body):
    return struct.pack('<IHIB', len(body) + 7, 4, 0, 8) + body


def note(build_id):
    return struct.pack('<III', 4, len(build_id), 3) + b'GNU\0' + build_id


def common(units, name, build_id):
    """(sections of the program, those of the file at `name` that has what is common)"""
    strings, places = b'\0', {}
    for unit in units:
        for function in unit['functions']:
            for word in (function[0], *(inlined[0] for inlined in function[5])):
                if word not in places:
                    places[word] = len(strings)
                    strings += text(word)
    info = lines = own = other = b''
    for unit in units:
        (first, end), origins = unit['range'], {}
        body = bytes([4]) + text(unit['folder']) + struct.pack('<I', len(other))
        for function in unit['functions']:
            for word, file, line, *_ in function[5]:
                if word not in origins:
                    origins[word] = len(info) + 11 + len(body)
                    body += bytes([5]) + struct.pack('<I', places[word]) + bytes([file, line, 1])
        info += unit_of(body + b'\0')
        other += line_program(unit['files'], [])
        body = bytes([1]) + text(unit['name']) + text(unit['folder']) + struct.pack('<IQQ', len(lines), first, end - first)
        for word, file, line, at, behind, inlined in unit['functions']:
            body += bytes([2]) + struct.pack('<I', places[word]) + bytes([file, line]) + struct.pack('<QQ', at, behind - at)
            for inner, _, _, start, stop, call_file, call_line in inlined:
                body += bytes([3]) + struct.pack('<IQQ', origins[inner], start, stop - start) + bytes([call_file, call_line])
            body += b'\0'
        own += unit_of(body + b'\0')
        lines += line_program(unit['files'], [(unit['rows'], end)])
    return ([('.debug_abbrev', abbreviations()), ('.debug_info', own), ('.debug_line', lines),
             ('.gnu_debugaltlink', text(name) + build_id)],
            [('.debug_abbrev', abbreviations()), ('.debug_info', info), ('.debug_line', other), ('.debug_str', strings),
             ('.note.gnu.build-id', note(build_id))])
