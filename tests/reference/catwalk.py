"""Compiles one node with the catwalk binary, and compares errors and logs with Puppet's. Shared by the scripts of this folder."""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SERVER_FACTS = {'serverversion': '7.23.0', 'servername': 'puppet.example.com', 'serverip': '192.0.2.1'}
RELEASES = {'7': '7.23.0', '8': '8.28.1', '9': '9.0.0'}
CHECKOUTS = Path(__file__).resolve().parent.parent.parent / 'target' / 'reference' / 'checkouts'
RUBY_LOCATION = re.compile(r"\n   \(location: [^\n]*\.rb:\d+:in [^\n]*\)$")
# Ruby's `inspect` of an object: its address and instance variables.
RUBY_OBJECT = re.compile(r'#<(Puppet::Parser::TemplateWrapper):0x[0-9a-f]+ .*>$', re.M)
# Codes of warnings that Puppet does not log: only its agent checks for cycles, oracle.rb runs no scripts, and Puppet reads no Puppetfile.
CATWALK_WARNINGS = ('DEPENDENCY_CYCLE', 'CONFIG_VERSION', 'MISSING_MODULES')
LEVELS = {'warn': 'warning', 'err': 'error'}


def server_facts(puppet):
    """The facts of a server with this major version."""
    return dict(SERVER_FACTS, serverversion=RELEASES[puppet])


def trusted(certname):
    host, _, domain = certname.partition('.')
    return {'authenticated': 'remote', 'certname': certname, 'extensions': {}, 'hostname': host, 'domain': domain or None,
            'external': {}}


def setting(argument):
    """Parses the argument of `--set NAME=VALUE` for argparse."""
    name, equals, value = argument.partition('=')
    if not name or not equals:
        raise argparse.ArgumentTypeError('NAME=VALUE, not %r' % argument)
    return name, value


def add_settings(parser):
    """Adds the option `--set`, a list of pairs, to a parser."""
    parser.add_argument('--set', action='append', default=[], type=setting, metavar='NAME=VALUE', dest='settings',
                        help='set a Puppet setting for both programs (repeatable)')


def set_options(settings):
    """The options of `catwalk` for these settings."""
    return [part for name, value in settings for part in ('--set', '%s=%s' % (name, value))]


def catwalk_binary():
    """The binary to test: $CATWALK, or target/dist/catwalk, which is built first if cargo is installed."""
    path = os.environ.get('CATWALK')
    if not path and shutil.which('cargo'):
        if subprocess.run(['cargo', 'build', '--profile', 'dist', '--quiet'], cwd=ROOT).returncode != 0:
            sys.exit('cargo build failed')
    binary = Path(path).resolve() if path else ROOT / 'target' / 'dist' / 'catwalk'
    if not binary.exists():
        sys.exit('%s is missing: cargo build --profile dist, or CATWALK=path' % binary)
    return binary


def reference_version():
    """The major version of Puppet to compare with: that of the checkout in PUPPET_LIB, or '7', the installed one."""
    checkout = os.environ.get('PUPPET_LIB')
    for path in (Path(checkout) / 'lib', Path(checkout)) if checkout else ():
        version = path / 'puppet' / 'version.rb'
        if version.exists():
            return re.search(r"PUPPETVERSION = '(\d+)", version.read_text()).group(1)
    return '7'


def compile_node(binary, certname, site, facts, folder, arguments=(), form='native', puppet='7'):
    """(exit code, catalog or None, log records, seconds). `folder` keeps the command, its inputs and its outputs."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    output = folder / 'catalog.json'
    (folder / 'trusted.json').write_text(json.dumps(trusted(certname)))
    (folder / 'server-facts.json').write_text(json.dumps(server_facts(puppet)))
    command = [str(binary), 'compile', certname, '--site', str(site), '--facts', str(facts), '--trusted',
               str(folder / 'trusted.json'), '--server-facts', str(folder / 'server-facts.json'), '--format', form,
               '--log-format', 'json', '--output', str(output), '--puppet', puppet, *arguments]
    (folder / 'command').write_text(' '.join(command) + '\n')
    started = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, errors='replace')
        code, text = done.returncode, done.stderr
    except subprocess.TimeoutExpired:
        code, text = -1, '{"level":"error","message":"timed out after 60 s"}'
    seconds = time.monotonic() - started
    (folder / 'stderr').write_text(text)
    records = []
    for line in text.splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        records.append(record if isinstance(record, dict) else {'level': 'text', 'message': line})
    catalog = json.loads(output.read_text()) if output.exists() else None
    return code, catalog, records, seconds


def compare_failure(expected, records):
    """The differences of a failing compile: none if one of Catwalk's errors has Puppet's message, file, line and column."""
    message = RUBY_OBJECT.sub(r'#<\1>', expected.get('basic_message') or expected['message'])
    errors = [r for r in records if r.get('level') not in ('notice', 'info', 'debug', 'warning')]
    candidates = [compare_location(expected, r) for r in errors if message in str(r.get('message', ''))]
    if not candidates:
        actual = errors[0].get('message') if errors else 'nothing on stderr'
        return ['error is %r, expected %r' % (actual, message)]
    return min(candidates, key=len)


def compare_location(expected, record):
    found = []
    for key in ('file', 'line', 'pos'):
        if key not in expected:
            continue
        actual, wanted = record.get(key), expected[key]
        if key == 'file':
            actual, wanted = os.path.basename(actual or ''), os.path.basename(wanted)
        if actual != wanted:
            found.append('error: %s is %s, expected %s' % (key, actual, wanted))
    return found


def first_error(records):
    return next((r.get('message') for r in records if r.get('level') not in ('notice', 'warning', 'warn', 'info', 'debug')), 'no message')


def same_logs(expected, records):
    """Whether notices and warnings are equal and in the same order, ignoring locations in Puppet's Ruby files."""
    pick = lambda logs: [(LEVELS.get(r['level'], r['level']), RUBY_LOCATION.sub('', r['message'])) for r in logs
                         if LEVELS.get(r['level'], r['level']) in ('notice', 'warning')]
    return pick(expected) == pick([r for r in records if 'message' in r and r.get('code') not in CATWALK_WARNINGS])
