#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a recording tells of the program, its threads and where it ran; and recordings that have left the machine that
they were made on: files copied into them, below another root, and debug files found by their build-id or by the name
that the stripped file has for them. Names are compared with those that nm gives."""
import configparser
import json
import os
import platform
import shutil
import subprocess
import sys
import time

from recording import Bench, Tap

ROOT = '/usr/aarch64-linux-gnu'  # Debian's libc6-arm64-cross
# Prints the number of each of its threads, by itself; the second one takes a name, the third has none of its own.
PROGRAM = r'''
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
static __attribute__((noinline)) int hidden(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 7; return s; }
static void tell(const char *who) { printf("%s %ld\n", who, syscall(SYS_gettid)); fflush(stdout); }
static void *named(void *n) { prctl(PR_SET_NAME, "worker"); tell("named"); return (void *)(long)hidden((int)(long)n); }
static void *nameless(void *n) { tell("nameless"); return n; }
int main(int argc, char **argv)
{
    pthread_t other;
    void *result;
    tell("main");
    if (pthread_create(&other, 0, named, (void *)9L) || pthread_join(other, &result) ||
        pthread_create(&other, 0, nameless, 0) || pthread_join(other, &result))
        return 1;
    if (argc > 1 && !strcmp(argv[1], "crash"))
        raise(SIGSEGV);
    while (argc > 1 && !strcmp(argv[1], "wait"))
        pause();
    return hidden(3);
}
'''


def build(bench, name, *options):
    source, path = bench.path(name + '.c'), bench.path(name)
    with open(source, 'w') as file:
        file.write(PROGRAM)
    subprocess.run(['aarch64-linux-gnu-gcc', '-O1', '-g', '-pie', '-pthread', *options, source, '-o', path], check=True)
    return path


def functions(path):
    out = subprocess.run(['aarch64-linux-gnu-nm', '--defined-only', path], stdout=subprocess.PIPE, text=True,
                         check=True).stdout
    return {line.split()[2] for line in out.splitlines() if line.split()[1] in 'tT'}


def symbols(bench, folder, *options):
    """The names that a listing gives, and what it complains of."""
    status, out, messages = bench.run([bench.cairn, 'flow', '--format', 'json', *options, folder])
    if status:
        raise RuntimeError('flow: %d %s' % (status, messages))
    names = set()
    for line in out.splitlines():
        names.update(code.get('symbol') for code in json.loads(line).get('code', []))
    return names


def state_of(bench, folder, path, *options):
    _, out, _ = bench.run([bench.cairn, 'info', '--format', 'json', *options, folder])
    return next((m for m in json.loads(out)['program']['modules'] if m['path'] == path), None)


def missing_names(found, path, wanted=('main', 'hidden', 'named', 'nameless')):
    """Functions of the file (by nm) that should have been named."""
    there = functions(path)
    return ['%s is not named' % name for name in wanted if name in there and name not in found] + \
        ['%s is not in %s' % (name, path) for name in wanted if name not in there]


def ini(folder):
    parser = configparser.ConfigParser(interpolation=None, delimiters=('=',), strict=True)
    parser.read(os.path.join(folder, 'program.ini'))
    return parser


def tells(bench, program):
    bench.environment['LD_BIND_NOW'] = '1'
    bench.environment['PRIVATE_TOKEN'] = 'secret'
    status, out, _, folder = bench.record([program, 'crash'], ['--sysroot', ROOT], name='crash')
    del bench.environment['LD_BIND_NOW'], bench.environment['PRIVATE_TOKEN']
    told, numbers = ini(folder), dict(line.split() for line in out.decode().splitlines())
    head, problems = told['program'], []
    version = subprocess.run([bench.cairn, '--version'], stdout=subprocess.PIPE, text=True).stdout.splitlines()[0]
    qemu = subprocess.run(['qemu-aarch64', '--version'], stdout=subprocess.PIPE, text=True).stdout.splitlines()[0]
    expected = {'path': program, 'argument0': program, 'argument1': 'crash', 'exit_status': '139', 'signal': 'SIGSEGV',
                'recorder': version, 'folder': os.getcwd(), 'guest': qemu,
                'host': '%s %s on %s' % (platform.system(), platform.release(), platform.machine())}
    problems += ['%s=%s, not %s' % (key, head.get(key), value) for key, value in expected.items() if head.get(key) != value]
    environment = {value for key, value in head.items() if key.startswith('environment')}
    if 'LD_BIND_NOW=1' not in environment or any('PRIVATE' in value for value in environment):
        problems.append('environment %r' % environment)
    threads = {told[s]['id']: told[s].get('name') for s in told.sections() if s.startswith('thread ')}
    wanted = {numbers['main']: os.path.basename(program), numbers['named']: 'worker',
              numbers['nameless']: os.path.basename(program)}
    if status != 139 or threads != wanted:
        problems.append('status %d, threads %r, not %r' % (status, threads, wanted))
    return problems


def plain_end(bench, program):
    """A program that returns a status above 128 was ended by no signal."""
    status, _, _, folder = bench.record([program], ['--sysroot', ROOT], name='plain')
    head = ini(folder)['program']
    return [] if status == 3 and head['exit_status'] == '3' and 'signal' not in head else ['%d %r' % (status, dict(head))]


def killed(bench, program):
    """Whoever finishes a recording that was left knows what the recorder knew when it began."""
    folder = bench.path('killed')
    recorder = subprocess.Popen([bench.cairn, 'record', '-o', folder, '--sysroot', ROOT, '--', program, 'wait'],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=bench.environment)
    while not recorder.stdout.readline().startswith('nameless'):
        pass
    recorder.kill()
    recorder.wait()
    for _ in range(100):  # the emulator dies with it
        status, _, messages = bench.run([bench.cairn, 'record', '-o', folder, '--finish'])
        if status == 0:
            break
        time.sleep(0.1)
    head = ini(folder)['program']
    told = (head.get('path'), head.get('argument1'), head.get('exit_status'), head.get('folder'))
    return [] if told == (program, 'wait', None, os.getcwd()) else ['%r %s' % (dict(head), messages)]


def embedded(bench):
    program = build(bench, 'gone')
    _, _, messages, folder = bench.record([program], ['--sysroot', ROOT, '--embed-debug'], name='embedded')
    elsewhere = bench.path('elsewhere')
    os.rename(folder, elsewhere)
    os.rename(program, bench.path('gone-kept'))
    problems = missing_names(symbols(bench, elsewhere), bench.path('gone-kept'))
    module = state_of(bench, elsewhere, program)
    if not module or module['state'] != 'used':
        problems.append('state %r' % module)
    copies = [n for n in os.listdir(elsewhere) if n.endswith('.debug')]
    if len(copies) < 3 or '%d files with names' % len(copies) not in messages:
        problems.append('%r, %s' % (copies, messages))
    _, out, _ = bench.run([bench.cairn, 'check', elsewhere])
    if b'not there any more' in out:
        problems.append(out.decode())
    return problems


def replaced(bench, program):
    """Recorded anew into the same folder: copies go, what is not a recording's stays."""
    folder = bench.path('again')
    run = [bench.cairn, 'record', '-o', folder, '--sysroot', ROOT]
    bench.run([*run, '--embed-debug', '--', program])
    with open(os.path.join(folder, 'module9-mine.debug'), 'w') as file:
        file.write('mine')
    before = {n for n in os.listdir(folder) if n.endswith('.debug')}
    status, _, messages = bench.run([*run, '--force', '--', program])
    after = {n for n in os.listdir(folder) if n.endswith('.debug')}
    return [] if status == 3 and len(before) >= 4 and after == {'module9-mine.debug'} else ['%r %r %s' % (before, after, messages)]


def other_root(bench):
    program = build(bench, 'target')
    _, _, _, folder = bench.record([program], ['--sysroot', ROOT], name='rooted')
    root = bench.path('root')
    os.makedirs(root + os.path.dirname(program))
    os.rename(program, root + program)
    problems = missing_names(symbols(bench, folder, '--sysroot', root), root + program)
    if 'hidden' in symbols(bench, folder):
        problems.append('named although the file is gone')
    build(bench, 'target', '-DANOTHER', '-Os')  # another build at its place: never used
    if 'hidden' in symbols(bench, folder):
        problems.append('named by another build')
    module = state_of(bench, folder, program)
    if module['state'] != 'changed':
        problems.append('state %r' % module)
    return problems


def by_build_id(bench, layout, environment=None):
    """A stripped program, whose symbols are in a file of its own."""
    program = build(bench, 'stripped')
    debug, id_ = bench.path('symbols.debug'), None
    subprocess.run(['aarch64-linux-gnu-objcopy', '--only-keep-debug', program, debug], check=True)
    subprocess.run(['aarch64-linux-gnu-strip', program], check=True)
    notes = subprocess.run(['aarch64-linux-gnu-readelf', '-n', program], stdout=subprocess.PIPE, text=True).stdout
    id_ = next(line.split()[-1] for line in notes.splitlines() if 'Build ID' in line)
    _, _, _, folder = bench.record([program], ['--sysroot', ROOT], name='stripped-capture')
    top = bench.path('debug')
    shutil.rmtree(top, ignore_errors=True)
    place = os.path.join(top, layout.format(head=id_[:2], rest=id_[2:], id=id_))
    os.makedirs(os.path.dirname(place))
    problems = ['named without the debug file'] if 'hidden' in symbols(bench, folder) else []
    shutil.copy(debug, place)
    options = [] if environment else ['--debug-dir', top]
    if environment:
        bench.environment[environment] = top
    problems += missing_names(symbols(bench, folder, *options), debug)
    if environment:
        del bench.environment[environment]
    # with the program gone, too
    os.remove(program)
    problems += missing_names(symbols(bench, folder, '--debug-dir', top), debug)
    # one of another build-id is passed over
    shutil.copy(bench.path('other'), place)
    if 'hidden' in symbols(bench, folder, '--debug-dir', top):
        problems.append('named by a file with another build-id')
    return problems


def link_apart(bench, program):
    """Strips the program, which names its debug file; returns that. Neither has a build-id."""
    debug = program + '.debug'
    subprocess.run(['aarch64-linux-gnu-objcopy', '--only-keep-debug', program, debug], check=True)
    subprocess.run(['aarch64-linux-gnu-strip', program], check=True)
    subprocess.run(['aarch64-linux-gnu-objcopy', '--add-gnu-debuglink=' + debug, program], check=True)
    return debug


def lines_shown(bench, folder, *options):
    _, out, _ = bench.run([bench.cairn, 'flow', '--source-lines', *options, folder])
    return b'linked.c:' in out


def by_debug_link(bench):
    """.gnu_debuglink: each place where gdb looks; a file with another CRC is told and not used, and does not hide the
    right one; and what is named is of the file that was recorded."""
    program = build(bench, 'linked', '-Wl,--build-id=none')
    kept, top = bench.path('kept.debug'), bench.path('link-debug')
    os.rename(link_apart(bench, program), kept)
    _, _, _, folder = bench.record([program], ['--sysroot', ROOT], name='linked-capture')
    problems = ['named without the debug file'] if 'hidden' in symbols(bench, folder) else []
    name = os.path.basename(program) + '.debug'
    places = [(bench.path(name), []), (bench.path('.debug/' + name), []),
              (top + bench.path(name), ['--debug-dir', top]), (os.path.join(top, name), ['--debug-dir', top])]
    for place, options in places:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copy(kept, place)
        problems += [place + ': ' + text for text in missing_names(symbols(bench, folder, *options), kept)]
        if not lines_shown(bench, folder, *options):
            problems.append(place + ': no source lines')
        os.remove(place)
    with open(kept, 'rb') as file:
        whole = file.read()
    for what, data in ('a byte more', whole + b'\0'), ('another byte', whole[:-1] + bytes([whole[-1] ^ 1])):
        with open(bench.path(name), 'wb') as file:
            file.write(data)
        if 'hidden' in symbols(bench, folder):
            problems.append('named by a file with ' + what)
        _, out, messages = bench.run([bench.cairn, 'check', folder])
        told = ' '.join((out.decode() + messages).split())
        if bench.path(name) + ' is not of the build that was recorded' not in told or 'another CRC' not in told:
            problems.append('%s is not said: %s' % (what, told))
        shutil.copy(kept, places[1][0])  # the right one is looked for further on
        problems += [what + ' hides it: ' + text for text in missing_names(symbols(bench, folder), kept)]
        os.remove(places[1][0])
    # Another program in its place, with a debug file of its own: its code is not what was recorded.
    program = build(bench, 'linked', '-Wl,--build-id=none', '-O2', '-fno-inline', '-falign-functions=64')
    link_apart(bench, program)
    if state_of(bench, folder, program)['state'] != 'changed' or 'hidden' in symbols(bench, folder):
        problems.append('another program is believed: %r' % state_of(bench, folder, program))
    return problems


def linked_badly(bench):
    """Links that lead nowhere, to another folder or to the file itself are no links."""
    program = build(bench, 'linked', '-Wl,--build-id=none')
    kept = bench.path('kept.debug')
    os.rename(link_apart(bench, program), kept)
    _, _, _, folder = bench.record([program], ['--sysroot', ROOT], name='linked-capture')
    wanted, problems = symbols(bench, folder), []
    with open(program, 'rb') as file:
        whole = file.read()
    name = b'linked.debug\0'
    at = whole.index(name)
    shutil.copy(kept, bench.path('nested.debug'))
    for what, link in (('a folder', b'x/../ked.dbg\0'), ('nothing', b'\0' * len(name)), ('no end', b'x' * len(name)),
                       ('itself', b'linked\0'.ljust(len(name), b'\0')), ('a folder alone', b'..\0'.ljust(len(name), b'\0'))):
        with open(program, 'wb') as file:
            file.write(whole[:at] + link[:len(name)] + whole[at + len(name):])
        status, out, messages = bench.run([bench.cairn, 'check', folder])
        if symbols(bench, folder) != wanted or 'another CRC' in ' '.join((out.decode() + messages).split()):
            problems.append('%s: status %d, %s' % (what, status, messages))
    return problems


def main():
    bench, tap = Bench(sys.argv), Tap()
    why = bench.missing()
    if not why and not bench.own('jit'):
        why = 'no cross compiler (Debian: gcc-aarch64-linux-gnu)'
    if not why and not os.path.isdir(os.path.join(ROOT, 'lib')):
        why = 'no libraries in %s (Debian: libc6-arm64-cross)' % ROOT
    program = None if why else build(bench, 'program')
    if not why:
        build(bench, 'other', '-O2')
    for name, case in (
            ('program, threads, surroundings', lambda: tells(bench, program)),
            ('a program that ends by itself', lambda: plain_end(bench, program)),
            ('a recording that was left', lambda: killed(bench, program)),
            ('copied into the recording', lambda: embedded(bench)),
            ('recorded anew', lambda: replaced(bench, program)),
            ('below another root', lambda: other_root(bench)),
            ('debug files as gdb has them', lambda: by_build_id(bench, '.build-id/{head}/{rest}.debug')),
            ('debug files as debuginfod keeps them',
             lambda: by_build_id(bench, '{id}/debuginfo', 'DEBUGINFOD_CACHE_PATH')),
            ('a debug file lying about', lambda: by_build_id(bench, 'stripped.debug')),
            ('a debug file that the program names', lambda: by_debug_link(bench)),
            ('links that lead nowhere', lambda: linked_badly(bench))):
        if why:
            tap.skip(name, why)
        else:
            tap.case(name, case())
    bench.close()
    tap.end()


main()
