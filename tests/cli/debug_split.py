# SPDX-License-Identifier: BSD-2-Clause
"""The debug information of debug.py, kept as compilers and tools keep it elsewhere: compressed, and split off (-gsplit-dwarf:
DWARF 5, and DWARF 4 with GNU's extensions) into .dwo files or a package of these. Written from DWARF 5 (7.3, 7.5, 7.26) and the
ELF gABI (compressed sections)."""
import struct
import zlib

from debug import line_program, text

COMPRESSED = 0x800  # SHF_COMPRESSED
FORMS = {5: {'strx': 0x1a, 'addrx': 0x1b}, 4: {'strx': 0x1f02, 'addrx': 0x1f01}}
PARTS = ('.debug_info.dwo', '.debug_abbrev.dwo', '.debug_str_offsets.dwo')
KINDS = {'.debug_info.dwo': 1, '.debug_abbrev.dwo': 3, '.debug_str_offsets.dwo': 6}


def uleb(value):
    out = b''
    while value > 0x7f:
        out, value = out + bytes([value & 0x7f | 0x80]), value >> 7
    return out + bytes([value])


# --- compressed ---

def zstd(data):
    """A frame of zstd (RFC 8878) with a size and blocks that are not compressed."""
    blocks = [data[at:at + 65536] for at in range(0, len(data), 65536)]
    body = b''.join(struct.pack('<I', len(block) << 3 | (block is blocks[-1]))[:3] + block for block in blocks)
    return b'\x28\xb5\x2f\xfd\xa0' + struct.pack('<I', len(data)) + body


def packed(sections, kind):
    """By zlib or zstd with the header of the gABI, or by zlib as GNU tools did it before."""
    out = []
    for name, data in sections:
        if kind == 'gnu':
            out.append(('.z' + name[1:], b'ZLIB' + struct.pack('>Q', len(data)) + zlib.compress(data)))
        else:
            number, body = {'zlib': (1, zlib.compress(data)), 'zstd': (2, zstd(data))}[kind]
            out.append((name, struct.pack('<IIQQ', number, 0, len(data), 1) + body, COMPRESSED))
    return out


# --- split ---

class Abbreviations:
    def __init__(self):
        self.codes = {}

    def code(self, tag, children, attributes):
        key = tag, children, tuple(attributes)
        return uleb(self.codes.setdefault(key, len(self.codes) + 1))

    def bytes(self):
        out = b''
        for (tag, children, attributes), code in self.codes.items():
            out += uleb(code) + uleb(tag) + bytes([children])
            out += b''.join(uleb(number) for pair in attributes for number in pair) + b'\0\0'
        return out + b'\0'


class Numbered:
    """A list of different values, which others name by number."""

    def __init__(self):
        self.values = []

    def __call__(self, value):
        if value not in self.values:
            self.values.append(value)
        return uleb(self.values.index(value))


def head(version, kind, number, body):
    """DWARF 5: kind of unit, size of addresses, abbreviations, the unit's number; DWARF 4 has the last as an attribute."""
    inner = struct.pack('<HBBIQ', 5, kind, 8, 0, number) if version == 5 else struct.pack('<HIB', 4, 0, 8)
    return struct.pack('<I', len(inner) + len(body)) + inner + body


def other_part(unit, version, number, addresses):
    """The sections of a unit's .dwo file."""
    strings, codes, form = Numbered(), Abbreviations(), FORMS[version]
    name, address = (0x03, form['strx']), (0x11, form['addrx'])
    attributes = [name] + ([(0x2131, 0x07)] if version == 4 else [])
    body = codes.code(0x11, 1, attributes) + strings(unit['name']) + (struct.pack('<Q', number) if version == 4 else b'')
    at = 20 if version == 5 else 11
    origins = {}
    for function in unit['functions']:
        for inner, file, line, *_ in function[5]:
            if inner not in origins:
                origins[inner] = at + len(body)
                body += codes.code(0x2e, 0, [name, (0x3a, 0x0b), (0x3b, 0x0b), (0x20, 0x0b)])
                body += strings(inner) + bytes([file, line, 1])
    for function, file, line, first, end, inlined in unit['functions']:
        body += codes.code(0x2e, 1, [name, (0x3a, 0x0b), (0x3b, 0x0b), address, (0x12, 0x07)])
        body += strings(function) + bytes([file, line]) + addresses(first) + struct.pack('<Q', end - first)
        for inner, _, _, start, stop, call_file, call_line in inlined:
            body += codes.code(0x1d, 0, [(0x31, 0x13), address, (0x12, 0x07), (0x58, 0x0b), (0x59, 0x0b)])
            body += struct.pack('<I', origins[inner]) + addresses(start) + struct.pack('<Q', stop - start)
            body += bytes([call_file, call_line])
        body += b'\0'
    texts, offsets = b'', b''
    for value in strings.values:
        offsets += struct.pack('<I', len(texts))
        texts += text(value)
    if version == 5:
        offsets = struct.pack('<IHH', len(offsets) + 4, 5, 0) + offsets
    return [('.debug_info.dwo', head(version, 5, number, body + b'\0')), ('.debug_abbrev.dwo', codes.bytes()),
            ('.debug_str_offsets.dwo', offsets), ('.debug_str.dwo', texts)]


def split(units, version, by_number=False):
    """The program's sections, and those of its .dwo files: {name: sections}. `by_number`: names in the program are told by
    number, as clang does."""
    info = lines = pool = strings = places = b''
    codes, others = Abbreviations(), {}
    for index, unit in enumerate(units):
        addresses, number = Numbered(), 0x1122334455667788 + index * 0x0101010101010101
        name = unit['name'].replace('.c', '.dwo')
        others[name] = other_part(unit, version, number, addresses)
        first, end = unit['range']
        texts = [len(strings), len(strings) + len(text(name))]
        strings += text(name) + text(unit['folder'])
        told = 0x25 if by_number else 0x0e  # DW_FORM_strx1, strp
        attributes = [(0x10, 0x17), (0x76 if version == 5 else 0x2130, told), (0x1b, told), (0x11, 0x01), (0x12, 0x07),
                      (0x73 if version == 5 else 0x2133, 0x17)]
        if version == 4:
            attributes.append((0x2131, 0x07))
        if by_number:
            attributes.append((0x72, 0x17))
        body = codes.code(0x4a if version == 5 else 0x11, 0, attributes) + struct.pack('<I', len(lines))
        body += bytes([0, 1]) if by_number else struct.pack('<II', *texts)
        pool_head = 8 if version == 5 else 0
        body += struct.pack('<QQI', first, end - first, len(pool) + pool_head)
        if version == 4:
            body += struct.pack('<Q', number)
        if by_number:
            body += struct.pack('<I', len(places) + 8)
            places += struct.pack('<IHHII', 12, 5, 0, *texts)
        info += head(version, 4, number, body)
        lines += line_program(unit['files'], [(unit['rows'], end)])
        list_ = b''.join(struct.pack('<Q', value) for value in addresses.values)
        pool += (struct.pack('<IHBB', len(list_) + 4, 5, 8, 0) if version == 5 else b'') + list_
    sections = [('.debug_abbrev', codes.bytes()), ('.debug_info', info), ('.debug_line', lines), ('.debug_addr', pool),
                ('.debug_str', strings)]
    return sections + ([('.debug_str_offsets', places)] if places else []), others


def number_of(sections):
    """Of a .dwo file."""
    data = sections[0][1]
    version = struct.unpack_from('<H', data, 4)[0]
    return struct.unpack_from('<Q', data, 12 if version == 5 else 13)[0]


def package(others):
    """The sections of a package of .dwo files: those of one kind behind each other, strings of all once, and the index."""
    whole = {name: b'' for name in PARTS}
    texts, rows = b'', []
    version = 5
    for sections in others.values():
        by_name = dict(sections)
        version = struct.unpack_from('<H', by_name['.debug_info.dwo'], 4)[0]
        data = by_name['.debug_str_offsets.dwo']
        begin = 8 if version == 5 else 0
        moved = [value + len(texts) for value in struct.unpack('<%dI' % ((len(data) - begin) // 4), data[begin:])]
        by_name['.debug_str_offsets.dwo'] = data[:begin] + struct.pack('<%dI' % len(moved), *moved)
        rows.append((number_of(sections), [(len(whole[name]), len(by_name[name])) for name in PARTS]))
        for name in PARTS:
            whole[name] += by_name[name]
        texts += by_name['.debug_str.dwo']
    slots = [None] * 4
    for row, (number, _) in enumerate(rows):
        at, step = number & 3, number >> 32 & 3 | 1
        while slots[at]:
            at = at + step & 3
        slots[at] = number, row + 1
    index = struct.pack('<IIII', 5 if version == 5 else 2, len(PARTS), len(rows), len(slots))
    index += b''.join(struct.pack('<Q', slot[0] if slot else 0) for slot in slots)
    index += b''.join(struct.pack('<I', slot[1] if slot else 0) for slot in slots)
    index += struct.pack('<%dI' % len(PARTS), *(KINDS[name] for name in PARTS))
    for field in 0, 1:
        index += b''.join(struct.pack('<I', part[field]) for _, parts in rows for part in parts)
    return [(name, whole[name]) for name in PARTS] + [('.debug_str.dwo', texts), ('.debug_cu_index', index)]
