#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What perturb.so does to memory, by which other tests notice that some is read that nobody wrote.

usage: test_perturb.py PERTURB
"""
import os
import subprocess
import sys

from common import Tap, expect

# Sizes: on the heap, and a mapping of its own.
ASK = '''
import ctypes
libc = ctypes.CDLL(None)
for name in ('malloc', 'calloc', 'realloc'):
    getattr(libc, name).restype = ctypes.c_void_p
libc.realloc.argtypes = ctypes.c_void_p, ctypes.c_size_t
libc.free.argtypes = ctypes.c_void_p,
def of(at, size):
    return ctypes.string_at(at, size)
for size in (1000, 1 << 20):
    made = libc.malloc(size)
    print('malloc', size, of(made, size).count(0))
    ctypes.memset(made, 0, size)
    made = libc.realloc(made, 3 * size)
    print('realloc', size, of(made, size).count(0), of(made + size + 64, 2 * size - 64).count(0))
    libc.free(made)
    print('calloc', size, of(libc.calloc(1, size), size).count(0))
made = libc.malloc(1000)
ctypes.memset(made, 0, 1000)
libc.free(made)
print('free', of(made + 16, 900).count(0))
'''
WANTED = '''malloc 1000 0
realloc 1000 1000 0
calloc 1000 1000
malloc 1048576 0
realloc 1048576 1048576 0
calloc 1048576 1048576
free 0
'''


def main():
    environment = dict(os.environ, LD_PRELOAD=sys.argv[1], MALLOC_PERTURB_='0')
    tap = Tap()
    done = subprocess.run([sys.executable, '-c', ASK], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=60)
    tap.case('zeros in memory', expect('counts', done.stdout, WANTED) + expect('stderr', done.stderr, ''))
    tap.end()


if __name__ == '__main__':
    main()
