"""Compiles many cases with Puppet and with Catwalk, and prints the differences in groups. Shared by `sweep`, `mistakes` and
`control-repo`."""
import collections
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from catwalk import server_facts, compare_failure, compile_node, first_error, reference_version, same_logs, set_options, trusted
from compare import ORDERS, compare

HERE = Path(__file__).resolve().parent
PUPPET = reference_version()
OPTIONS = ['--disable-did_you_mean', '--disable-error_highlight']


def request(key, name, certname, site, manifest, path, facts, settings=()):
    """One case; `settings` are pairs of names and values. The key depends on the settings and on Puppet's version."""
    key = '-'.join([key, *(re.sub(r'\W', '', '%s%s' % pair) for pair in settings), *([PUPPET] if PUPPET != '7' else [])])
    return {'id': key, 'name': name, 'certname': certname, 'environment': 'production', 'envdir': str(site), 'manifest': str(manifest),
            'modulepath': path, 'facts': str(facts), 'trusted': trusted(certname), 'as_sent': True, 'server_facts': server_facts(PUPPET),
            **({'settings': dict(settings)} if settings else {})}


def query_puppet(chosen, work, jobs):
    """{id: answer}; compiles the cases whose answers are not stored below `work`."""
    answers = work / 'answers'
    answers.mkdir(parents=True, exist_ok=True)
    missing = [c for c in chosen if not (answers / c['id']).exists()]
    if missing:
        print('compiling %d of %d cases with Puppet …' % (len(missing), len(chosen)), file=sys.stderr)
        requests = work / ('requests-%d.jsonl' % os.getpid())
        requests.write_text(''.join(json.dumps({k: v for k, v in c.items() if k != 'name'}) + '\n' for c in missing))
        driver = subprocess.Popen(['ruby', *OPTIONS, str(HERE / 'oracle.rb'), 'batch', '--jobs', str(jobs), str(requests)],
                                  stdout=subprocess.PIPE, text=True)
        for line in driver.stdout:
            # oracle.rb runs Puppet in temporary directories; the real ones are compared.
            (answers / json.loads(line)['id']).write_text(re.sub(r'/tmp/reference[\w-]+/var', '/var/cache/puppet', re.sub(r'/tmp/reference[\w-]+/conf', '/etc/puppet', line)))
        driver.wait()
    return {c['id']: json.loads((answers / c['id']).read_text()) for c in chosen if (answers / c['id']).exists()}


def check(binary, case, expected, work):
    """(differences, whether the order is equal, whether the logs are equal)"""
    code, catalog, records, _ = compile_node(
        binary, case['certname'], case['envdir'], case['facts'], work / 'catwalk' / case['id'],
        ['--environment', 'production', '--manifest', case['manifest'], '--modulepath', ':'.join(case['modulepath']),
         *(['--hiera', case['hiera']] if 'hiera' in case else []), *set_options(case.get('settings', {}).items())], puppet=PUPPET)
    logs = same_logs(expected['logs'], records)
    if 'error' in expected:
        return compare_failure(expected['error'], records) + ([] if code == 1 else ['exit code %d, expected 1' % code]), True, logs
    if catalog is None:
        return ['exit code %d: %s' % (code, first_error(records))], True, logs
    found, order = compare(catalog, expected['catalog'])
    return found, all(order[k] for k in ORDERS), logs


def append_results(file, chosen, results, answers):
    with file.open('a') as out:
        for case, result in zip(chosen, results):
            if result is not None:
                kind = 'error' if 'error' in answers[case['id']] else 'catalog'
                out.write(json.dumps({'name': case['name'], 'kind': kind, 'equal': not result[0], 'order': result[1], 'logs': result[2],
                                      'first': result[0][:1], 'error': answers[case['id']].get('error', {}).get('message')}) + '\n')


def compare_all(binary, chosen, work, jobs, shown, results_file=None):
    """Compiles the cases with both, prints the differences and returns the exit code. Answers are stored below `work`; a line of JSON
    for each case is appended to `results_file`."""
    answers = query_puppet(chosen, work, jobs)
    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(lambda c: check(binary, c, answers[c['id']], work) if c['id'] in answers else None, chosen))
    if results_file:
        append_results(results_file, chosen, results, answers)
    count, groups = collections.Counter(), collections.defaultdict(list)
    for case, result in zip(chosen, results):
        if result is None:
            count['without an answer'] += 1
            continue
        found, order, logs = result
        kind = 'errors' if 'error' in answers[case['id']] else 'catalogs'
        count[kind] += 1
        count[kind + ' equal'] += not found
        count['order differs'] += not order
        count['logs differ'] += not logs
        first = found[0] if found else None if order and logs else 'order differs' if not order else 'logs differ'
        if first:
            groups[first].append((case, found))
    for first, members in sorted(groups.items(), key=lambda g: -len(g[1])):
        print('%d× %s' % (len(members), first))
        for case, found in members[:shown]:
            print('     %s   %s' % (case['name'], work / 'catwalk' / case['id']))
            for difference in found[1:shown]:
                print('       %s' % difference)
    print(', '.join('%s %d' % pair for pair in count.items()))
    return 0 if not groups else 1
