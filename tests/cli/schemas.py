# SPDX-License-Identifier: BSD-2-Clause
"""The schemas of the program's JSON, and what is wrong with its output by them."""
import json
import os
import re

try:
    import jsonschema
except ImportError:
    jsonschema = None

WANTED = 'python3-jsonschema is not installed'
COMMANDS = ('info', 'check', 'packets', 'elements', 'flow', 'data', 'registers', 'lint', 'simulate', 'branches',
            'profile', 'calls', 'coverage', 'latency', 'diff', 'export', 'pgo')
ALIKE = 4  # records with the same keys, types and words that are looked at, of each output


WHOLE = 4000  # lines of an output that are all read; of what follows some are
PART = 97


def some_of(lines):
    """The first lines of a listing, then one of many; and the first of each kind of record, packet and
    element, wherever it stands."""
    met = set()
    for number, line in enumerate(lines):
        kind = tuple(re.findall(r'"(?:type|kind|reason|warning|p0)":[^,}]+', line[:400]))
        if number < WHOLE or number % PART == 0 or kind not in met:
            met.add(kind)
            yield line


def shape(value):
    """What tells records apart that a schema may judge differently: keys, types, short words, and
    whether a number is negative. Not the numbers themselves."""
    if isinstance(value, dict):
        return tuple((key, shape(inside)) for key, inside in value.items())
    if isinstance(value, list):
        return (list, *sorted({repr(shape(inside)) for inside in value}))
    if isinstance(value, str):
        if value[:2] == '0x':
            return '0x' if all(c in '0123456789abcdef' for c in value[2:]) and len(value) < 19 else value
        return value if len(value) < 24 else str
    if value is None or isinstance(value, bool):
        return value
    return type(value), value < 0


class Schemas:
    def __init__(self, top):
        """`top`: the folder of the sources, or where the schemas were installed."""
        folder = os.path.join(top, 'docs', 'schema')
        self.schemas, self.records, self.keys, self.seen, self.whole_seen = {}, set(), set(), {}, set()
        for command in COMMANDS:
            with open(os.path.join(folder, command + '.schema.json'), encoding='utf-8') as file:
                self.schemas[command] = json.load(file)
        self.whole = {command: jsonschema.Draft202012Validator(schema)
                      for command, schema in self.schemas.items()}
        self.parts = {}

    def part(self, command, name):
        """The validator of one kind of record, whose messages say more than those of all."""
        if (command, name) not in self.parts:
            schema = dict(self.schemas[command])
            del schema['oneOf'], schema['$id']
            self.parts[command, name] = jsonschema.Draft202012Validator(
                {**schema, '$ref': '#/$defs/' + name})
        return self.parts[command, name]

    def kinds(self, command):
        """The names of the records of a command."""
        return [one['$ref'].rsplit('/', 1)[1] for one in self.schemas[command]['oneOf']]

    def note_keys(self, command, name, row):
        """Remembers which keys of which record were met, those of objects inside too."""
        properties = self.schemas[command]['$defs'][name]['properties']
        for key, value in row.items():
            self.keys.add((command, name, key))
            known = properties.get(key, {})
            reference = [one.get('$ref') for one in (known, known.get('items', {}), *known.get('anyOf', []))]
            inside = next((one.rsplit('/', 1)[1] for one in reference if one), None)
            for one in value if isinstance(value, list) else [value]:
                if inside and isinstance(one, dict):
                    self.note_keys(command, inside, one)

    def record_problems(self, command, row, whole=True):
        """`whole`: by the schema as a user has it as well, which takes long."""
        kind = row.get('type') if isinstance(row, dict) else None
        if kind not in self.kinds(command):
            return ['%s: no such record: %r' % (command, row)]
        self.records.add((command, kind))
        self.note_keys(command, kind, row)
        found = [error.message for error in self.part(command, kind).iter_errors(row)]
        if not found and whole:
            found = [error.message for error in self.whole[command].iter_errors(row)]
        return ['%s: %s: %s' % (command, json.dumps(row)[:300], message) for message in found[:3]]

    def problems(self, command, rows):
        """What is wrong with an output, a sentence each. Of records that are alike some are judged."""
        first = rows[0] if rows else {}
        if first.get('type') not in ('cairn', 'info') or first.get('command') != command:
            yield '%s: the first object does not tell the version: %r' % (command, first)
        for row in rows:
            alike = command, repr(shape(row))
            self.seen[alike] = self.seen.get(alike, 0) + 1
            if self.seen[alike] <= ALIKE:
                # that just one of all kinds takes it is said by `type`, which each has as a constant
                keys = command, *sorted(row)
                yield from self.record_problems(command, row, keys not in self.whole_seen)
                self.whole_seen.add(keys)
