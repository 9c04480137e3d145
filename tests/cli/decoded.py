# SPDX-License-Identifier: BSD-2-Clause
"""Files of other programs' formats, read as their documentation has them: Perfetto's messages, and speedscope's files, of
which what is not in the schema is told."""
import json
import math
import os
import re
import subprocess

TIMEOUT = 120

PROTO = os.path.dirname(os.path.abspath(__file__))
TOKEN = re.compile(r'(\w+)(?:: ("(?:[^"\\]|\\.)*"|\S+)| (\{))|(\})')


def decoded(raw):
    """The messages of a Perfetto trace as dictionaries of lists, by the documented names of their fields."""
    done = subprocess.run(['protoc', '--proto_path=' + PROTO, '--decode=perfetto.Trace', 'perfetto.proto'], input=raw,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT, check=True)
    whole = {}
    inside = [whole]
    for name, value, opens, closes in TOKEN.findall(done.stdout.decode()):
        if closes:
            inside.pop()
        elif opens:
            inside[-1].setdefault(name, []).append({})
            inside.append(inside[-1][name][-1])
        else:
            assert not name.isdigit(), 'a field that is not documented: ' + name
            inside[-1].setdefault(name, []).append(json.loads(value) if value[0] == '"' else value)
    return whole['packet']


# --- speedscope: its schema, https://www.speedscope.app/file-format-schema.json, and what a file has to have beyond

SCHEMA = 'https://www.speedscope.app/file-format-schema.json'
UNITS = ('none', 'nanoseconds', 'microseconds', 'milliseconds', 'seconds', 'bytes')


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def keys(what, value, required, optional=()):
    """An object of exactly these keys: {key: test}."""
    if not isinstance(value, dict):
        yield '%s is no object' % what
        return
    for key, good in {**required, **dict(optional)}.items():
        if key not in value:
            if key in required:
                yield '%s: no %s' % (what, key)
        elif not good(value[key]):
            yield '%s: %s is %r' % (what, key, value[key])
    for key in value:
        if key not in required and key not in dict(optional):
            yield '%s: %s is not in the schema' % (what, key)


def is_text(value):
    return isinstance(value, str)


def is_list(value):
    return isinstance(value, list)


def is_index(count):
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count


def sampled(what, profile, frames):
    samples, weights = profile['samples'], profile['weights']
    if len(samples) != len(weights):
        yield '%s: %d samples, %d weights' % (what, len(samples), len(weights))
    for sample in samples:
        if not is_list(sample) or not all(map(is_index(frames), sample)):
            yield '%s: a sample is %r' % (what, sample)
    if not all(is_number(weight) and weight >= 0 for weight in weights):
        yield '%s: weights %r' % (what, weights)
    elif sum(weights) != profile['endValue'] - profile['startValue']:
        yield '%s: weights come to %r, and it goes from %r to %r' % (what, sum(weights), profile['startValue'], profile['endValue'])


def evented(what, profile, frames):
    stack, last = [], profile['startValue']
    for event in profile['events']:
        wrong = list(keys(what + ', event', event, {'type': lambda kind: kind in ('O', 'C'), 'at': is_number, 'frame': is_index(frames)}))
        if wrong:
            yield from wrong
            return
        if event['at'] < last:
            yield '%s: time goes back at %r' % (what, event)
        last = event['at']
        if event['type'] == 'O':
            stack.append(event['frame'])
        elif not stack or stack.pop() != event['frame']:
            yield '%s: %r closes what is not open' % (what, event)
    if stack:
        yield '%s: still open: %r' % (what, stack)
    if last > profile['endValue']:
        yield '%s: an event behind its end' % what


def check_speedscope_file(text):
    """What is wrong with it."""
    data = json.loads(text, parse_constant=lambda name: name)
    wrong = list(keys('the file', data, {'$schema': lambda value: value == SCHEMA, 'shared': lambda value: isinstance(value, dict), 'profiles': is_list},
                      {'name': is_text, 'exporter': is_text, 'activeProfileIndex': is_index(len(data.get('profiles', [])))}))
    wrong += keys('shared', data.get('shared'), {'frames': is_list})
    if wrong:
        yield from wrong
        return
    frames = data['shared']['frames']
    for number, frame in enumerate(frames):
        yield from keys('frame %d' % number, frame, {'name': is_text}, {'file': is_text, 'line': is_number, 'col': is_number})
    head = {'name': is_text, 'unit': lambda unit: unit in UNITS, 'startValue': is_number, 'endValue': is_number}
    for number, profile in enumerate(data['profiles']):
        what = 'profile %d' % number
        kind = profile.get('type') if isinstance(profile, dict) else None
        body = {'sampled': {'samples': is_list, 'weights': is_list}, 'evented': {'events': is_list}}.get(kind)
        wrong = ['%s: type %r' % (what, kind)] if body is None else list(keys(what, profile, {'type': is_text, **head, **body}))
        yield from wrong
        if not wrong:
            yield from (sampled if kind == 'sampled' else evented)(what, profile, len(frames))
