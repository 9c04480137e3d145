#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What `make install` puts where, and that the tree works where it is moved to.

usage: test_install.py CAIRN BUILD
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from common import Folder, Tap, expect, expect_in, run, words

TIMEOUT = 200
# A program that ends at once: exit(0) of AArch64 Linux.
PROGRAM = '''void _start(void);
void _start(void)
{
    __asm__ volatile("mov x0, #0\\n\\tmov x8, #93\\n\\tsvc #0");
}
'''


def install(build, folder):
    """The prefix of the installed tree."""
    done = subprocess.run(['meson', 'install', '-C', build, '--no-rebuild', '--quiet', '--destdir',
                           folder], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=TIMEOUT)
    if done.returncode:
        raise OSError(done.stdout.decode())
    for where, _, names in os.walk(folder):
        if os.path.basename(where) == 'bin' and 'cairn' in names:
            return os.path.dirname(where)
    raise OSError('no bin/cairn was installed')


def files_of(prefix):
    return sorted(os.path.relpath(os.path.join(where, name), prefix)
                  for where, _, names in os.walk(prefix) for name in names)


def check_files(cairn, files):
    commands = re.findall(r'^  ([a-z]+) +\S', run(cairn, 'help').out, re.M)
    wanted = ['bin/cairn', 'share/man/man1/cairn.1', 'share/bash-completion/completions/cairn',
              'share/zsh/site-functions/_cairn'] + ['share/man/man1/cairn-%s.1' % c for c in commands]
    for name in wanted:
        if name not in files:
            yield 'not installed: ' + name
    if len(commands) < 7:
        yield 'commands: %s' % commands


def check_plugin(prefix, folder, plugin):
    """An emulator that only says which plugin it is to load."""
    emulator = os.path.join(folder, 'emulator')
    with open(emulator, 'w') as file:
        file.write('#!/bin/sh\nprintf "%%s\\n" "$@" >%s/arguments\nexit 1\n' % folder)
    os.chmod(emulator, 0o755)
    program = Folder(folder).elf('program.elf', {0x400000: words([0xd4000001])}, [])
    os.chmod(program, 0o755)
    answer = run(os.path.join(prefix, 'bin/cairn'), 'record', '--qemu', emulator, '-o',
                 os.path.join(folder, 'out'), '--', program)
    try:
        with open(os.path.join(folder, 'arguments'), encoding='utf-8') as file:
            arguments = file.read().splitlines()
    except OSError:
        yield answer.err
        return
    given = arguments[arguments.index('-plugin') + 1].split(',')[0]
    yield from expect('plugin', given, os.path.realpath(os.path.join(prefix, plugin)))


def check_record(prefix, folder):
    source, program = (os.path.join(folder, name) for name in ('ends.c', 'ends'))
    with open(source, 'w') as file:
        file.write(PROGRAM)
    subprocess.run(['aarch64-linux-gnu-gcc', '-static', '-nostdlib', '-o', program, source], check=True,
                   timeout=TIMEOUT)
    cairn, trace = os.path.join(prefix, 'bin/cairn'), os.path.join(folder, 'trace')
    answer = run(cairn, 'record', '-o', trace, '--', program)
    yield from expect('status', (answer.status, answer.out), (0, ''))
    yield from expect_in('record', '3 instructions', answer.err)
    listed = [line for line in run(cairn, 'flow', '--format', 'addresses', trace).lines()
              if not line.startswith('#')]
    yield from expect('instructions', len(listed), 3)


def check_none(prefix, folder):
    """Without the plugin the message names the places that were looked at."""
    program = os.path.join(folder, 'program.elf')
    answer = run(os.path.join(prefix, 'bin/cairn'), 'record', '-o', os.path.join(folder, 'none'), '--',
                 program)
    yield from expect('status', answer.status, 2)
    yield from expect_in('message', os.path.join(prefix, 'bin'), answer.err)
    yield from expect_in('message', '--plugin', answer.err)


def main():
    cairn, build = sys.argv[1:3]
    tap = Tap()
    if not shutil.which('meson'):
        print('1..0 # SKIP meson is not here (Debian: meson)')
        return
    with tempfile.TemporaryDirectory() as folder:
        prefix = install(build, os.path.join(folder, 'first'))
        files = files_of(prefix)
        tap.case('program, manual pages, completions are installed', check_files(cairn, files))
        plugins = [name for name in files if name.endswith('/cairn-qemu.so')]
        tap.case('the plugin is installed', expect('plugins', len(plugins), 1))
        moved = os.path.join(folder, 'moved')
        os.rename(prefix, moved)
        tap.case('a moved program finds the plugin that moved with it',
                 check_plugin(moved, folder, plugins[0]))
        if shutil.which('qemu-aarch64') and shutil.which('aarch64-linux-gnu-gcc'):
            tap.case('a moved program records', check_record(moved, folder))
        else:
            tap.skip('a moved program records', 'qemu-aarch64 or aarch64-linux-gnu-gcc is not installed '
                     '(Debian: qemu-user, gcc-aarch64-linux-gnu)')
        os.remove(os.path.join(moved, plugins[0]))
        installed = prefix[len(os.path.join(folder, 'first')):] + '/' + plugins[0]
        tap.case('without it there, the one that was installed first, or a message',
                 check_plugin(moved, folder, installed) if os.path.exists(installed)
                 else check_none(moved, folder))
    tap.end()


if __name__ == '__main__':
    main()
