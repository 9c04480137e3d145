# SPDX-License-Identifier: BSD-2-Clause
"""A program without names, and its names without code, as strip and objcopy --only-keep-debug leave them."""
import binascii
import os
import struct


def split(folder, address, code, build_id='', linked=False):
    """Paths of both: one has no symbol table, the other no bytes of the segment and of .text. Both have the build-id, if there is
    one; `linked`: the first names the second (.gnu_debuglink), which lies beside it."""
    note = struct.pack('<III', 4, len(build_id) // 2, 3) + b'GNU\0' + bytes.fromhex(build_id)
    out, link = [], b''
    for name, is_split in (('own.debug', True), ('own.elf', False)):
        more = [('.note.gnu.build-id', b'')] if build_id else []
        more += [('.gnu_debuglink', link)] if linked and not is_split else []
        path = folder.elf(name, {address: code}, [('everything', address, len(code))], more)
        with open(path, 'r+b') as file:
            data = bytearray(file.read())
            data += bytes(-len(data) % 4)
            text, symbols, first = (struct.unpack_from('<Q', data, 40)[0] + 64 * n for n in (1, 2, 5))
            if build_id:
                struct.pack_into('<I', data, first + 4, 7)  # SHT_NOTE
                struct.pack_into('<QQ', data, first + 24, len(data), len(note))
                struct.pack_into('<Q', data, first + 48, 4)  # its alignment
                data += note
            if is_split:
                struct.pack_into('<Q', data, 64 + 32, 0)  # p_filesz
                struct.pack_into('<I', data, text + 4, 8)  # SHT_NOBITS
            else:
                struct.pack_into('<I', data, symbols + 4, 0)  # SHT_NULL
            file.seek(0)
            file.write(data)
        link = os.path.basename(path).encode() + b'\0'
        link += bytes(-len(link) % 4) + struct.pack('<I', binascii.crc32(data))
        out.insert(0, path)
    return out
