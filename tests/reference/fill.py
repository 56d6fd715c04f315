"""Adds what a case is missing, until Catwalk compiles it: values of parameters and keys of data, missing classes and functions,
referenced resources, functions of a hierarchy. Puppet compiles with the same additions, so that sites whose secrets and data are
stored elsewhere can be compared. Used by `control-repo` and `fleet/run`."""
import json
import re
import shutil
from pathlib import Path

from catwalk import compile_node

LOOKUP = re.compile(r"did not find a value for the name '([^']+)'")
CLASS = re.compile(r'Class\[([\w:]+)\]:')
NEEDED = re.compile(r"expects a value for parameter '(\w+)'")
WRONG = re.compile(r"parameter '(\w+)' (?:index \d+ |entry '[^']*' |variant \d+ )?(expects [^\n]*)")
REFERENCE = re.compile(r"Could not find resource '([\w:]+)\[(.*?)\]' in parameter")
MISSING_CLASS = re.compile(r"Could not find class ::([\w:]+) for ")
MISSING_FUNCTION = re.compile(r"Unknown function: '([\w:]+)'")
PROVIDER = re.compile(r"Unable to find '(data_hash|lookup_key|data_dig)' function named '([\w:]+)'")
GUESSES = ['text', 5, True, [], {}, '/tmp/text', 'host.example.com', 'https://host.example.com/', '10.0.0.1', ['text'], {'text': {}},
           'present', '0644', 'running', 8080, '10.0.0.0/24', None]
# Values for expected types; the first pattern that matches is tried first.
HINTS = [(r'(?:Enum|match for Enum)\[([^\]]*)\]', None), (r'Boolean', True), (r'Absolutepath|Unixpath|Windowspath|Filesource', '/tmp/text'),
         (r'Httpurl|HTTPSUrl|HTTPUrl|Http', 'https://host.example.com/'), (r'Port', 8080), (r'IP::Address|Ip_address|Ipv4', '10.0.0.1'),
         (r'Fqdn|Host', 'host.example.com'), (r'Filemode', '0644'), (r'Ensure::Service', 'running'), (r'Integer|Numeric|Float', 5),
         (r'an? (?:non-empty )?Array|Array\[', ['text']), (r'an? Hash|Hash\[|Struct', {}), (r'a String|String\[|Sensitive', 'text')]


class Filling:
    """The data, parameters and definitions that are added to one case."""

    def __init__(self, case, folder):
        self.folder = folder
        self.data, self.tried, self.code = {}, {}, []
        self.declared = set()
        shutil.rmtree(folder, ignore_errors=True)
        (folder / 'data').mkdir(parents=True)
        self.manifest = Path(case['manifest'])
        (folder / 'hiera.yaml').write_text('version: 5\nhierarchy:\n  - name: filled\n    path: filled.json\n    datadir: data\n    data_hash: json_data\n')
        case['hiera'] = str(folder / 'hiera.yaml')
        case['modulepath'] = [*case['modulepath'], str(folder / 'modules')]
        (folder / 'modules').mkdir()
        self.write(case)

    def write(self, case):
        (self.folder / 'data' / 'filled.json').write_text(json.dumps(self.data))
        if self.code:
            target = self.folder / 'manifests'
            shutil.rmtree(target, ignore_errors=True)
            if self.manifest.is_dir():
                shutil.copytree(self.manifest, target)
            else:
                target.mkdir()
                shutil.copy(self.manifest, target)
            (target / 'zz_filled.pp').write_text('\n'.join(self.code) + '\n')
            case['manifest'] = str(target)

    def guess(self, key, expectation=''):
        """Sets a key to the next value to try; returns false if none is left."""
        seen = self.tried.setdefault(key, [])
        hinted = []
        for pattern, value in HINTS:
            hint = re.search(pattern, expectation)
            if hint:
                hinted += re.findall(r"'([^']*)'", hint.group(1))[:1] if value is None else [value]
        for value in hinted + GUESSES:
            if not any(type(value) is type(other) and value == other for other in seen):
                seen.append(value)
                self.set(key, value)
                return True
        return False

    def set(self, key, value):
        *outer, last = [key] if '::' in key else key.split('.')
        at = self.data
        for part in outer:
            at = at.setdefault(part, {}) if isinstance(at.get(part, {}), dict) else at
        at[last] = value

    def add_data_function(self, kind, name):
        """Adds a missing data function of a hierarchy that finds nothing."""
        file = self.folder / 'modules' / 'filled' / 'lib' / 'puppet' / 'functions' / (name.replace('::', '/') + '.rb')
        if file.exists():
            return False
        file.parent.mkdir(parents=True, exist_ok=True)
        key = '' if kind == 'data_hash' else "    param 'Any', :key\n"
        body = '{}' if kind == 'data_hash' else 'context.not_found'
        file.write_text("Puppet::Functions.create_function(:'%s') do\n  dispatch :answer do\n%s    param 'Hash', :options\n"
                        "    param 'Puppet::LookupContext', :context\n  end\n\n  def answer(%soptions, context)\n    %s\n  end\nend\n"
                        % (name, key, 'key, ' if key else '', body))
        return True

    def add_resource(self, kind, title):
        """Declares a missing resource in the main manifest."""
        if (kind, title) in self.declared:
            return False
        self.declared.add((kind, title))
        if kind == 'Class':
            self.code.append('include %s' % title.lower())
        else:
            self.code.append("%s { '%s': }" % (kind.lower(), title.replace('\\', '\\\\').replace("'", "\\'")))
        return True

    def add_class(self, name):
        """Adds a missing class, empty, to the main manifest."""
        if ('definition', name) in self.declared:
            return False
        self.declared.add(('definition', name))
        self.code.append('class %s {}' % name)
        return True

    def add_function(self, name):
        """Adds a missing function that returns its first argument."""
        file = self.folder / 'modules' / 'filled' / 'lib' / 'puppet' / 'functions' / (name.replace('::', '/') + '.rb')
        if file.exists():
            return False
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("Puppet::Functions.create_function(:'%s') do\n  dispatch :first do\n    repeated_param 'Any', :values\n  end\n\n"
                        "  def first(*values)\n    values.first\n  end\nend\n" % name)
        return True

    def resolve(self, message):
        """Adds what an error reports as missing; returns false if nothing can be added."""
        found = MISSING_CLASS.search(message)
        if found:
            return self.add_class(found.group(1))
        found = MISSING_FUNCTION.search(message)
        if found:
            return self.add_function(found.group(1))
        found = PROVIDER.search(message)
        if found:
            return self.add_data_function(*found.groups())
        found = LOOKUP.search(message)
        if found:
            return self.guess(found.group(1))
        found = REFERENCE.search(message)
        if found:
            return self.add_resource(*found.groups())
        found = CLASS.search(message)
        if not found:
            return False
        prefix = found.group(1).lower()
        done = False
        for name in NEEDED.findall(message):
            done |= self.guess('%s::%s' % (prefix, name), message)
        for name, expectation in WRONG.findall(message):
            key = '%s::%s' % (prefix, name)
            done |= self.guess(name if key not in self.data and name in self.data else key, expectation)
        return done


def first_error(records):
    return next((r.get('message', '') for r in records if r.get('level') in ('err', 'error')), '')


def fill(binary, case, folder, rounds):
    """Adds to the case until it compiles or nothing can be added; returns the number of rounds."""
    filling = Filling(case, folder / case['id'])
    for done in range(rounds):
        code, _, records, _ = compile_node(binary, case['certname'], case['envdir'], case['facts'], folder / case['id'] / 'try',
                                           ['--environment', 'production', '--manifest', case['manifest'], '--modulepath',
                                            ':'.join(case['modulepath']), '--hiera', case['hiera']])
        if code == 0 or not filling.resolve(first_error(records)):
            return done
        filling.write(case)
    return rounds
