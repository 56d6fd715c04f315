#!/usr/bin/env python3
"""Compares two native catalogs by meaning: compare.py ACTUAL EXPECTED [-n SHOWN] [--json]

Equal means: same name, environment, classes and catalog tags; the same resources with the same parameters (numbers and
texts are not the same), tags, exported flag, kind, sensitive parameters, line and file (last three path parts); the same
containment edges. `version`, `catalog_uuid` and `code_id` do not count. Order does not count for equality and is reported
apart, since Catwalk wants that to be the reference's, too.

Exit code 0: equal, 1: different, 2: unreadable.
"""
import argparse
import json
import sys

ORDERS = ('resources', 'edges', 'parameters', 'classes', 'tags', 'paths')


def reference(resource):
    return '%s[%s]' % (resource.get('type'), resource.get('title'))


def path_end(path):
    return '/'.join(path.split('/')[-3:]) if isinstance(path, str) else path


def short(value, width=120):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= width else text[:width] + '…(%d)' % len(text)


def same(a, b):
    """Equality of parameter values: True is not 1, 1 is not 1.0, the order of hash keys is ignored."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def first_difference(a, b):
    """Describes how two values differ; of long strings, only the first difference."""
    if not (isinstance(a, str) and isinstance(b, str)) or max(len(a), len(b)) < 100:
        return 'is %s, expected %s' % (short(a), short(b))
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return 'differs in line %d: is %s, expected %s' % (
        a.count('\n', 0, at) + 1, short(a[max(0, at - 20):at + 60]), short(b[max(0, at - 20):at + 60]))


def compare_sets(where, what, actual, expected, found):
    for extra in [x for x in actual if x not in set(expected)]:
        found.append('%s: %s %s not expected' % (where, what, extra))
    for missing in [x for x in expected if x not in set(actual)]:
        found.append('%s: %s %s missing' % (where, what, missing))


def compare_resource(name, actual, expected, found):
    ours, theirs = actual.get('parameters') or {}, expected.get('parameters') or {}
    for key in list(theirs) + [k for k in ours if k not in theirs]:
        if key not in ours:
            found.append('%s: parameter %s missing, expected %s' % (name, key, short(theirs[key])))
        elif key not in theirs:
            found.append('%s: parameter %s not expected, is %s' % (name, key, short(ours[key])))
        elif not same(ours[key], theirs[key]):
            found.append('%s: parameter %s %s' % (name, key, first_difference(ours[key], theirs[key])))
    compare_sets(name, 'tag', actual.get('tags') or [], expected.get('tags') or [], found)
    compare_sets(name, 'sensitive parameter', actual.get('sensitive_parameters') or [],
                 expected.get('sensitive_parameters') or [], found)
    if bool(actual.get('exported')) != bool(expected.get('exported')):
        found.append('%s: exported is %s' % (name, actual.get('exported')))
    if path_end(actual.get('file')) != path_end(expected.get('file')):
        found.append('%s: file is %s, expected %s' % (name, actual.get('file'), expected.get('file')))
    for key in ('line', 'kind'):
        if actual.get(key) != expected.get(key):
            found.append('%s: %s is %s, expected %s' % (name, key, actual.get(key), expected.get(key)))


def edges(catalog):
    return [(e['source'], e['target']) for e in catalog.get('edges') or []]


def compare(actual, expected):
    """The differences (texts), and for each kind of order whether it is the same."""
    found = []
    for key in ('name', 'environment'):
        if actual.get(key) != expected.get(key):
            found.append('%s is %s, expected %s' % (key, actual.get(key), expected.get(key)))
    compare_sets('catalog', 'tag', actual.get('tags') or [], expected.get('tags') or [], found)
    compare_sets('catalog', 'class', actual.get('classes') or [], expected.get('classes') or [], found)
    ours = {reference(r): r for r in actual['resources']}
    theirs = {reference(r): r for r in expected['resources']}
    if len(ours) != len(actual['resources']):
        found.append('catalog: some resource is there twice')
    for name, resource in theirs.items():
        if name not in ours:
            found.append('%s missing (%s:%s)' % (name, path_end(resource.get('file')), resource.get('line')))
        else:
            compare_resource(name, ours[name], resource, found)
    for name in ours:
        if name not in theirs:
            found.append('%s not expected (%s:%s)' % (name, path_end(ours[name].get('file')), ours[name].get('line')))
    compare_sets('edges', '', ['%s => %s' % e for e in edges(actual)], ['%s => %s' % e for e in edges(expected)], found)
    both = [(ours[n], r) for n, r in theirs.items() if n in ours]
    order = {
        'resources': list(ours) == list(theirs),
        'edges': edges(actual) == edges(expected),
        'parameters': all(list(a.get('parameters') or {}) == list(e.get('parameters') or {}) for a, e in both),
        'classes': actual.get('classes') == expected.get('classes'),
        'tags': actual.get('tags') == expected.get('tags') and all(a.get('tags') == e.get('tags') for a, e in both),
        'paths': all(a.get('file') == e.get('file') for a, e in both),
    }
    return found, order


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('actual')
    options.add_argument('expected')
    options.add_argument('-n', type=int, default=20, help='how many differences to print')
    options.add_argument('--json', action='store_true')
    given = options.parse_args()
    try:
        with open(given.actual) as a, open(given.expected) as e:
            found, order = compare(json.load(a), json.load(e))
    except (OSError, ValueError, KeyError) as error:
        print('compare.py: %s' % error, file=sys.stderr)
        return 2
    if given.json:
        print(json.dumps({'equal': not found, 'differences': found[:given.n], 'count': len(found), 'order': order}))
        return 1 if found else 0
    print('%s; same order: %s' % ('equal' if not found else '%d differences' % len(found),
                                  ', '.join('%s %s' % (k, 'yes' if v else 'NO') for k, v in order.items())))
    for text in found[:given.n]:
        print('  ' + text)
    if len(found) > given.n:
        print('  … %d more' % (len(found) - given.n))
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
