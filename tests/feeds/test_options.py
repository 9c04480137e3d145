#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`cairn record` as a user meets it: status and output of the program, filters, what is not followed,
interruption, a full disk, and wrong command lines."""
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time

from recording import Bench, Tap


def addresses(bench, folder, source='thread_1'):
    done = subprocess.run([bench.flowhash, folder, source], stdout=subprocess.PIPE, check=True)
    return [int(line, 16) for line in done.stdout.split()]


def symbol(bench, program, name):
    done = subprocess.run(['nm', '-S', program], stdout=subprocess.PIPE, text=True, check=True)
    for line in done.stdout.splitlines():
        m = re.match(r'([0-9a-f]+) ([0-9a-f]+) [tT] %s$' % name, line)
        if m:
            return int(m[1], 16), int(m[1], 16) + int(m[2], 16)
    raise RuntimeError('%s has no %s' % (program, name))


def expect(what, got, wanted):
    return [] if got == wanted else ['%s: %r, expected %r' % (what, got, wanted)]


def passes_through(bench):
    program = bench.own('children')
    status, out, _, _ = bench.record([program])
    return expect('status', status, 7) + expect('output', out, b'3\n')


def tells_of_children(bench):
    _, _, messages, _ = bench.record([bench.own('children')])
    return [] if '2 child processes (fork) are not in the capture' in messages else [messages]


def ends_with_signal(bench):
    program = bench.path('brk')
    source = bench.path('brk.c')
    with open(source, 'w') as file:
        file.write('int main(void) { __builtin_trap(); }\n')
    subprocess.run(['aarch64-linux-gnu-gcc', '-static', source, '-o', program], check=True)
    status, _, _, folder = bench.record([program])
    rows = bench.decode(folder)
    return expect('status', status, 128 + signal.SIGTRAP) + \
        ([] if rows and int(rows[0][0]) > 1000 else ['decoded %r' % rows])


NOWHERE = r"""
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static int data[1024];
static void plain(int number) { _exit(number); }
static void told(int number, siginfo_t *info, void *context) { (void)info, (void)context; _exit(number); }
int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = plain};
    if (argc > 3) {
        action.sa_flags = SA_SIGINFO;
        action.sa_sigaction = told;
    }
    if (argc > 2)
        sigaction(SIGSEGV, &action, NULL);
    ((void (*)(void))(argv[1][0] == 'd' ? (long)data : 0x1234))();
    return 0;
}
"""


def goes_where_nothing_is(bench):
    """A call of what is no code is a fault of the fetch: when it ends the program, when the handler is told why,
    and when it is not."""
    program, source = bench.path('nowhere'), bench.path('nowhere.c')
    with open(source, 'w') as file:
        file.write(NOWHERE)
    problems = []
    for compiler in filter(shutil.which, ('aarch64-linux-gnu-gcc', 'arm-linux-gnueabihf-gcc')):
        subprocess.run([compiler, '-static', source, '-o', program], check=True)
        symbols = subprocess.run(['nm', program], stdout=subprocess.PIPE, text=True, check=True).stdout
        data = int(re.search(r'(\w+) b data\n', symbols)[1], 16)
        for place, address in (('nothing', 0x1234), ('data', data)):
            for more in ([], ['handler'], ['handler', 'told']):
                _, _, _, folder = bench.record([program, place, *more])
                _, out, _ = bench.run([bench.cairn, 'flow', folder])
                told = [line for line in out.decode().splitlines() if ' 0x%x' % address in line and 'exception' in line]
                problems += expect('%s: %s' % (compiler, ' '.join([place, *more])), [line.split(' <')[0] for line in told],
                                   ['-- exception Inst Fault taken at 0x%x' % address])
    return problems


def include_only(bench):
    """Every traced block touches the range; every instruction of the range that ran is there."""
    program = bench.own('threads')
    first, end = symbol(bench, program, 'fibonacci')
    _, _, _, folder = bench.record([program, '1'])
    everything = []
    for row in bench.decode(folder):
        everything += [a for a in addresses(bench, folder, row[3]) if first <= a < end]
    _, _, messages, folder = bench.record([program, '1'],
                                          ['--include', '0x%x-0x%x' % (first, end - 1)])
    filtered = []
    for row in bench.decode(folder):
        filtered += addresses(bench, folder, row[3])
    inside = [a for a in filtered if first <= a < end]
    problems = expect('instructions of fibonacci', len(inside), len(everything))
    if len(filtered) > 1.5 * len(inside):
        problems.append('%d instructions, of which only %d are in the range' % (len(filtered), len(inside)))
    return problems


def exclude(bench):
    program = bench.own('threads')
    first, end = symbol(bench, program, 'fibonacci')
    _, _, _, folder = bench.record([program, '1'], ['--exclude', '0x%x-0x%x' % (first, end - 1)])
    inside = [a for row in bench.decode(folder) for a in addresses(bench, folder, row[3])
              if first <= a < end]
    return ['%d instructions of an excluded range' % len(inside)] if inside else []


def start_and_stop(bench):
    program = bench.own('jit')
    first, _ = symbol(bench, program, 'main')
    last, _ = symbol(bench, program, 'exit')
    _, _, messages, folder = bench.record([program], ['--start', '0x%x' % first, '--stop', '0x%x' % last])
    rows = bench.decode(folder)
    if not rows:
        return [messages]
    got = addresses(bench, folder)
    problems = expect('first instruction', got[0], first)
    if last not in got[-24:]:
        problems.append('0x%x is not among the last instructions, %s' % (last, ['%x' % a for a in got[-8:]]))
    return problems


def interrupted(bench):
    """Ctrl-C reaches both processes; the capture is readable up to there."""
    folder = bench.path('interrupted')
    source, program = bench.path('spin.c'), bench.path('spin')
    with open(source, 'w') as file:
        file.write('int main(void) { for (volatile unsigned i = 0;; i++) {} }\n')
    subprocess.run(['aarch64-linux-gnu-gcc', '-O1', '-static', source, '-o', program], check=True)
    # a terminal's Ctrl-C is a signal to the group
    process = subprocess.Popen([bench.cairn, 'record', '-o', folder, '--', program],
                               stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                               env=bench.environment, start_new_session=True,
                               # jobs in the background may have it ignored
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    deadline = time.time() + 30
    while time.time() < deadline and not os.path.exists(os.path.join(folder, 'thread_1.bin')):
        time.sleep(0.05)
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    _, messages = process.communicate(timeout=60)
    rows = bench.decode(folder)
    problems = expect('status', process.returncode, 128 + signal.SIGINT)
    if not rows or int(rows[0][0]) < 100000:
        problems.append('decoded %r; %s' % (rows, messages))
    if rows and rows[0][2] != '0':
        problems.append('%s gaps' % rows[0][2])
    return problems


def killed(bench):
    """Even a process that is killed leaves what it wrote."""
    folder = bench.path('killed')
    program = bench.path('spin')
    process = subprocess.Popen([bench.cairn, 'record', '-o', folder, '--', program],
                               stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                               env=bench.environment, start_new_session=True)
    time.sleep(1.0)
    listed = subprocess.run(['pgrep', '-P', str(process.pid)], stdout=subprocess.PIPE, text=True)
    for child in listed.stdout.split():
        os.kill(int(child), signal.SIGKILL)
    _, messages = process.communicate(timeout=60)
    rows = bench.decode(folder)
    return expect('status', process.returncode, 128 + signal.SIGKILL) + \
        ([] if rows and int(rows[0][0]) > 100000 else ['decoded %r; %s' % (rows, messages)])


def replaces_only_when_asked(bench):
    program = bench.own('jit')
    bench.record([program], name='again')
    folder = bench.path('again')
    status, _, messages = bench.run([bench.cairn, 'record', '-o', folder, '--', program])
    problems = expect('status', status, 2)
    if folder not in messages:
        problems.append('the message does not name the folder: ' + messages)
    status, _, messages = bench.run([bench.cairn, 'record', '--force', '-o', folder, '--', program])
    problems += expect('status with --force', status, 0)
    os.makedirs(bench.path('mine'), exist_ok=True)
    with open(bench.path('mine/letter'), 'w') as file:
        file.write('dear')
    status, _, messages = bench.run([bench.cairn, 'record', '--force', '-o', bench.path('mine'), '--',
                                     program])
    problems += expect('status on a folder of something else', status, 2)
    return problems + expect('its content', os.listdir(bench.path('mine')), ['letter'])


def wrong_command_lines(bench):
    program = bench.own('jit')
    folder = bench.path('wrong')
    cases = [
        (['--', program], 'Give a folder with -o'),
        (['-o', folder], 'record what?'),
        (['-o', folder, '--', '/nonexistent'], '/nonexistent: No such file'),
        (['-o', folder, '--', __file__], 'is no ELF program'),
        (['-o', folder, '--', '/bin/true'], 'is not for Arm'),
        (['-o', folder, '--include', '5', '--', program], 'expected FIRST-LAST'),
        (['-o', folder, '--include', '9-5', '--', program], 'expected FIRST-LAST'),
        (['-o', folder, '--sync-period', '300', '--', program], 'a power of two'),
        (['-o', folder, '--set', 'TRCNOSUCH=1', '--', program], 'TRCNOSUCH'),
        (['-o', folder, '--set', 'TRCCONFGIR=1', '--', program], 'did you mean TRCCONFIGR?'),
        (['-o', folder, '--protocol', 'ptm', '--set', 'ETMTECR=0', '--', program], 'did you mean ETMTECR1?'),
        (['-o', folder, '--cycle-counts=5000', '--', program], 'at most 4095'),
        (['-o', folder, '--start', '16', '--stop', '16', '--', program], 'both'),
        (['-o', folder, '--retrun-stack', '--', program], 'Did you mean --return-stack?'),
        (['-o', '/nonexistent/folder', '--', program], '/nonexistent/folder'),
        (['-o', folder, '--qemu', '/nonexistent/qemu', '--', program], '/nonexistent/qemu'),
    ]
    problems = []
    for arguments, part in cases:
        status, out, messages = bench.run([bench.cairn, 'record', *arguments])
        if status not in (2, 127) or part not in messages:
            problems.append('%s: status %d, %r should say %r' % (arguments, status, messages, part))
        if os.path.exists(folder):
            problems.append('%s: a folder was made' % arguments)
            break
    return problems


def programs_that_cannot_be(bench):
    """Told before QEMU is started, which says little; nothing is left behind."""
    folder, program = bench.path('none'), bench.own('jit')
    with open(program, 'rb') as file:
        content = file.read()
    for name, part in (('cut', content[:len(content) // 2]), ('forbidden', content), ('empty', b''),
                       ('-dash', content)):
        with open(bench.path(name), 'wb') as file:
            file.write(part)
        os.chmod(bench.path(name), 0o644 if name == 'forbidden' else 0o755)
    with open(bench.path('object.c'), 'w') as file:
        file.write('int main(void) { return 7; }\n')
    for options in (['-c', '-o', bench.path('object')], ['-o', bench.path('dynamic')]):
        subprocess.run(['aarch64-linux-gnu-gcc', *options, bench.path('object.c')], check=True)
    os.mkfifo(bench.path('pipe'))
    problems = []
    for name, options, part in (
            ('cut', [], 'is cut short'), ('forbidden', [], 'chmod +x'), ('empty', [], 'is no ELF'),
            ('object', [], 'is an object file'), ('pipe', [], 'is no regular file'),
            ('', [], 'is a folder'), ('dynamic', ['--sysroot', bench.path('pipe')], '--sysroot')):
        status, _, messages = bench.run([bench.cairn, 'record', '-o', folder, *options, '--',
                                         bench.path(name)])
        if status != 2 or part not in messages or os.path.exists(folder):
            problems.append('%s: status %d, %r should say %r' % (name, status, messages, part))
    # QEMU takes a first argument with a dash for an option of its own
    done = subprocess.run([os.path.abspath(bench.cairn), 'record', '-o', folder, '--', '-dash'],
                          cwd=bench.folder, env=bench.environment,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return problems + expect('status of -dash', done.returncode, 0)


def folder_names(bench):
    problems = []
    for name in ('a b, c', '100%=%2C', 'é日本', "it's"):
        status, _, messages, folder = bench.record([bench.own('jit')], name=name)
        if status or not bench.decode(folder):
            problems.append('%s: %s' % (name, messages))
    for name, part in (('no/such', 'because of'), ('cut/in', 'Not a directory'), ('cut', 'is a file')):
        status, _, messages = bench.run([bench.cairn, 'record', '-o', bench.path(name), '--',
                                         bench.own('jit')])
        if status != 2 or part not in messages or 'plugin' in messages:
            problems.append('%s: status %d, %r should say %r' % (name, status, messages, part))
    return problems


def commands_can_be_typed(bench):
    """What is printed to go on with is taken by a shell, whatever the folder is called."""
    cairn, program, source = os.path.abspath(bench.cairn), bench.path('ends'), bench.path('ends.c')
    with open(source, 'w') as file:
        file.write('int main(void) { __builtin_trap(); }\n')
    subprocess.run(['aarch64-linux-gnu-gcc', '-static', source, '-o', program], check=True)
    problems = []
    for name in ('a b', "it's here", '-o', '~', '*;$HOME'):
        done = subprocess.run([cairn, 'record', '-o', name, '--', program], cwd=bench.folder, env=bench.environment,
                              stderr=subprocess.PIPE, text=True)
        typed = re.findall(r': cairn (flow .*)\n', done.stderr)
        problems += expect(name, len(typed), 2)
        for words in typed:
            shown = subprocess.run(['sh', '-c', '%s %s' % (cairn, words)], cwd=bench.folder, env=bench.environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if shown.returncode or not shown.stdout:
                problems.append('%s: %s' % (words, shown.stderr.decode()))
    return problems


def start_spinning(bench, name, prepare=None):
    folder = bench.path(name)
    process = subprocess.Popen([bench.cairn, 'record', '-o', folder, '--', bench.path('spin')],
                               stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                               env=bench.environment, start_new_session=True, preexec_fn=prepare)
    deadline = time.time() + 30
    while time.time() < deadline and not os.path.exists(os.path.join(folder, 'thread_1.bin')):
        time.sleep(0.05)
    time.sleep(0.2)
    return process, folder


def one_at_a_time(bench):
    """A folder that is being recorded to is not taken away, and not finished either."""
    process, folder = start_spinning(bench, 'busy')
    problems = []
    for options in (['--force', '-o', folder, '--', bench.own('jit')], ['-o', folder, '--finish']):
        status, _, messages = bench.run([bench.cairn, 'record', *options])
        if status != 2 or 'another process records there' not in messages:
            problems.append('%s: status %d, %s' % (options[0], status, messages))
    process.terminate()
    _, messages = process.communicate(timeout=60)
    rows = bench.decode(folder)
    if process.returncode != 128 + signal.SIGTERM or not rows or int(rows[0][0]) < 100000:
        problems.append('status %d, decoded %r; %s' % (process.returncode, rows, messages))
    return problems


def finishes_what_was_left(bench):
    process, folder = start_spinning(bench, 'left')
    process.kill()
    process.communicate(timeout=60)
    deadline = time.time() + 30
    while time.time() < deadline:
        status, _, messages = bench.run([bench.cairn, 'record', '-o', folder, '--finish'])
        if 'another process' not in messages: # QEMU follows its parent
            break
        time.sleep(0.05)
    rows = bench.decode(folder)
    problems = expect('status', status, 0)
    if not rows or int(rows[0][0]) < 100000 or 'did not end in order' not in messages:
        problems.append('decoded %r; %s' % (rows, messages))
    status, _, messages = bench.run([bench.cairn, 'record', '-o', folder, '--finish'])
    return problems + expect('status of another --finish', status, 2)


def ignored_signals(bench):
    """What nohup does to a command holds for the program as well."""
    process, _ = start_spinning(bench, 'nohup', lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    os.killpg(process.pid, signal.SIGHUP)
    time.sleep(0.5)
    problems = expect('status after SIGHUP', process.poll(), None)
    process.terminate()
    process.communicate(timeout=60)
    return problems + expect('status', process.returncode, 128 + signal.SIGTERM)


def streams_and_children_are_its_own(bench):
    """Who reads its output sees when the program closes it; SIGCHLD is ignored where it was."""
    source, program, folder = bench.path('closer.c'), bench.path('closer'), bench.path('streams')
    with open(source, 'w') as file:
        file.write('#include <signal.h>\n#include <unistd.h>\n'
                   'int main(void) { int ignored = signal(SIGCHLD, SIG_DFL) == SIG_IGN;\n'
                   '    close(1); read(0, &(char){0}, 1); return 40 + ignored; }\n')
    subprocess.run(['aarch64-linux-gnu-gcc', '-static', source, '-o', program], check=True)
    process = subprocess.Popen([bench.cairn, 'record', '-o', folder, '--', program],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=bench.environment,
                               preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    problems = expect('output', process.stdout.read(), b'') # while the program waits for input
    problems += expect('status at the end of its output', process.poll(), None)
    process.communicate(b'x', timeout=60)
    return problems + expect('status', process.returncode, 41)


def logs_that_cannot_be(bench):
    folder = bench.path('log')
    with open(bench.path('words'), 'w') as file:
        file.write('dear reader\n' * 100)
    with open(bench.path('a64'), 'w') as file:
        file.write('5 clk cpu0 IT (5) 00008000 d2800020 O EL1h_n : MOV x0,#1\n')
    problems = []
    for protocol in ('ptm', 'etmv3', 'mtb'):
        status, _, messages = bench.run([bench.cairn, 'record', '-o', folder, '--protocol', protocol,
                                         '--tarmac', bench.path('a64')])
        if status != 2 or 'line 1: cpu0 executes A64' not in messages or os.path.exists(folder):
            problems.append('%s: status %d, %s' % (protocol, status, messages))
    for log, part in ((os.devnull, 'no instruction'), (bench.folder, 'is a folder'),
                      (bench.path('words'), 'not a TARMAC log'), ('/nonexistent', 'No such file')):
        status, _, messages = bench.run([bench.cairn, 'record', '-o', folder, '--tarmac', log])
        if status != 2 or part not in messages or os.path.exists(folder):
            problems.append('%s: status %d, %r should say %r' % (log, status, messages, part))
    for log in ('-', '/dev/zero'): # neither ends
        process = subprocess.Popen([bench.cairn, 'record', '-o', folder, '--tarmac', log],
                                   stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        while not os.path.exists(os.path.join(folder, 'recording.ctl')) and process.poll() is None:
            time.sleep(0.05)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        problems += expect(log + ': status', process.returncode, 130)
    return problems


def shows_registers(bench):
    status, out, _ = bench.run([bench.cairn, 'record', '--dump-config', '--return-stack', '--timestamps',
                                '--cycle-counts=100', '--include', '0x1000-0x1fff', '--start', '0x2000',
                                '--sync-period', '512'])
    lines = out.decode().split()
    # DDI0608: TRCCONFIGR RS, TS, CCI and bit 0; TRCSYNCPR is a power of two.
    wanted = ['TRCCONFIGR=0x00001811', 'TRCCCCTLR=0x00000064', 'TRCSYNCPR=0x00000009',
              'TRCVIIECTLR=0x00000001', 'TRCACVR0=0x00001000', 'TRCACVR1=0x00001fff',
              'TRCACVR2=0x00002000', 'TRCVISSCTLR=0x00000004']
    problems = expect('status', status, 0) + ['no %s in %s' % (w, lines) for w in wanted if w not in lines]
    again = [part for line in lines for part in ('--set', line)]
    status, out, messages = bench.run([bench.cairn, 'record', '--dump-config', *again])
    return problems + expect('what --set makes of it', out.decode().split(), lines) + \
        ([messages] if messages else [])


@contextlib.contextmanager
def small_disk(bench, size):
    """A file system of so many bytes; None where none can be mounted."""
    mount = bench.path('small')
    os.makedirs(mount, exist_ok=True)
    done = subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=%d' % size, 'none', mount], stderr=subprocess.PIPE)
    try:
        yield None if done.returncode else mount
    finally:
        if not done.returncode:
            subprocess.run(['umount', mount])


def full_disk(bench):
    """A file system that is full: recording stops, the program does not."""
    with small_disk(bench, 1 << 20) as mount:
        if not mount:
            return None
        folder = os.path.join(mount, 'capture')
        status, out, messages = bench.run([bench.cairn, 'record', '-o', folder, '--branch-broadcast',
                                           '--cycle-counts', '--', bench.own('throws')])
        problems = expect('status', status, 0)
        if b'485 421' not in out:
            problems.append('output %r' % out)
        if 'tracing stopped before the end: No space left' not in messages:
            problems.append('messages: ' + messages)
        rows = bench.decode(folder)
        if not rows or int(rows[0][0]) < 10000:
            problems.append('decoded %r' % rows)
        return problems


def disk_without_room(bench):
    """There is room for the recording's own files at most, and for no trace: that is the reason that is told."""
    problems = []
    for size in (4 << 10, 16 << 10, 64 << 10):
        with small_disk(bench, size) as mount:
            if not mount:
                return None
            folder = os.path.join(mount, 'capture')
            status, out, messages = bench.run([bench.cairn, 'record', '-o', folder, '--', bench.own('throws')])
            problems += expect('%d: status' % size, status, 2) + expect('%d: left' % size, os.listdir(mount), []) + \
                expect('%d: messages' % size, messages,
                       'cairn record: nothing was traced, and there is no capture: no trace file could be made in %s: '
                       'No space left on device\n' % folder)
            if b'485 421' not in out:
                problems.append('%d: output %r' % (size, out))
    return problems


CALLER = '''
static __attribute__((noinline)) int one(int n) { return n + 1; }
static __attribute__((noinline)) int two(int n) { return n ^ 5; }
static __attribute__((noinline)) int rare(int n) { return n * 3; }
int (*volatile const calls[2])(int) = {one, two};
int main(int argc, char **argv)
{
    int n = argc;
    for (int i = 0; i < 28000000; i++) /* two addresses of some bytes each */
        n = calls[i & 1](n);
    return rare(n) == (int)(long)argv[1];
}
'''


def long_ones_have_an_index(bench):
    """128 MiB of trace and more are indexed unasked, and then `rare` is found in no time; or not, if so wished."""
    program, source = bench.path('caller'), bench.path('caller.c')
    with open(source, 'w') as file:
        file.write(CALLER)
    subprocess.run(['aarch64-linux-gnu-gcc', '-O1', '-static', source, '-o', program], check=True)
    problems = []
    for options, wanted in ([], True), (['--no-index'], False), (['--index', '--no-index'], False):
        _, _, messages, folder = bench.record([program], options)
        size = os.path.getsize(os.path.join(folder, 'thread_1.bin'))
        problems += [] if size >= 128 << 20 else ['%d bytes' % size]
        problems += expect('%s: an index' % options, os.path.exists(os.path.join(folder, 'thread_1.index')), wanted)
        problems += expect('%s: told' % options, 'thread_1: an index of ' in messages, wanted)
        _, text, _ = bench.run([bench.cairn, 'flow', '--format', 'addresses', '--function', 'rare', folder])
        problems += expect('%s: instructions of rare' % options,
                           sum(bool(re.match(rb'[0-9a-f]', line)) for line in text.splitlines()), 2)
        if problems:
            break
    bench.record([bench.own('threads'), '1'])
    return problems + expect('a short one', os.path.exists(os.path.join(bench.path('capture'), 'thread_1.index')), False)


CASES = [passes_through, tells_of_children, ends_with_signal, goes_where_nothing_is, include_only, exclude,
         start_and_stop, interrupted, killed, replaces_only_when_asked, wrong_command_lines, programs_that_cannot_be, folder_names,
         commands_can_be_typed, one_at_a_time, finishes_what_was_left, ignored_signals, streams_and_children_are_its_own,
         logs_that_cannot_be, shows_registers, long_ones_have_an_index]


def main():
    bench, tap = Bench(sys.argv), Tap()
    why = bench.missing()
    if not why and not bench.own('jit'):
        why = 'no cross compiler (Debian: gcc-aarch64-linux-gnu)'
    for case in CASES:
        name = case.__name__.replace('_', ' ')
        if why:
            tap.skip(name, why)
        else:
            tap.case(name, case(bench))
    for case in (full_disk, disk_without_room):
        problems = None if why else case(bench)
        if problems is None:
            tap.skip(case.__name__.replace('_', ' '), why or 'no file system can be mounted here')
        else:
            tap.case(case.__name__.replace('_', ' '), problems)
    bench.close()
    tap.end()


main()
