#!/usr/bin/env python3
"""Compares two native catalogs by meaning: compare.py ACTUAL EXPECTED [-n SHOWN] [--json]

Catalogs are equal if they have the same name, environment, classes and tags; the same resources with the same parameters (a
number and a string are different), tags, exported flag, kind, sensitive parameters, line and file (last three parts of the
path); and the same containment edges. `version`, `catalog_uuid` and `code_id` are ignored. Different order is reported
separately and does not make catalogs unequal.

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
    actual_parameters, expected_parameters = actual.get('parameters') or {}, expected.get('parameters') or {}
    for key in list(expected_parameters) + [k for k in actual_parameters if k not in expected_parameters]:
        if key not in actual_parameters:
            found.append('%s: parameter %s missing, expected %s' % (name, key, short(expected_parameters[key])))
        elif key not in expected_parameters:
            found.append('%s: parameter %s not expected, is %s' % (name, key, short(actual_parameters[key])))
        elif not same(actual_parameters[key], expected_parameters[key]):
            found.append('%s: parameter %s %s' % (name, key, first_difference(actual_parameters[key], expected_parameters[key])))
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
    """(the differences as strings, {kind of order: whether it is the same})"""
    found = []
    for key in ('name', 'environment'):
        if actual.get(key) != expected.get(key):
            found.append('%s is %s, expected %s' % (key, actual.get(key), expected.get(key)))
    compare_sets('catalog', 'tag', actual.get('tags') or [], expected.get('tags') or [], found)
    compare_sets('catalog', 'class', actual.get('classes') or [], expected.get('classes') or [], found)
    actual_resources = {reference(r): r for r in actual['resources']}
    expected_resources = {reference(r): r for r in expected['resources']}
    if len(actual_resources) != len(actual['resources']):
        found.append('catalog: duplicate resources')
    for name, resource in expected_resources.items():
        if name not in actual_resources:
            found.append('%s missing (%s:%s)' % (name, path_end(resource.get('file')), resource.get('line')))
        else:
            compare_resource(name, actual_resources[name], resource, found)
    for name in actual_resources:
        if name not in expected_resources:
            found.append('%s not expected (%s:%s)' % (name, path_end(actual_resources[name].get('file')), actual_resources[name].get('line')))
    compare_sets('edges', '', ['%s => %s' % e for e in edges(actual)], ['%s => %s' % e for e in edges(expected)], found)
    both = [(actual_resources[n], r) for n, r in expected_resources.items() if n in actual_resources]
    order = {
        'resources': list(actual_resources) == list(expected_resources),
        'edges': edges(actual) == edges(expected),
        'parameters': all(list(a.get('parameters') or {}) == list(e.get('parameters') or {}) for a, e in both),
        'classes': actual.get('classes') == expected.get('classes'),
        'tags': actual.get('tags') == expected.get('tags') and all(a.get('tags') == e.get('tags') for a, e in both),
        'paths': all(a.get('file') == e.get('file') for a, e in both),
    }
    return found, order


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('actual')
    parser.add_argument('expected')
    parser.add_argument('-n', type=int, default=20, help='how many differences to print')
    parser.add_argument('--json', action='store_true')
    options = parser.parse_args()
    try:
        with open(options.actual) as a, open(options.expected) as e:
            found, order = compare(json.load(a), json.load(e))
    except (OSError, ValueError, KeyError) as error:
        print('compare.py: %s' % error, file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps({'equal': not found, 'differences': found[:options.n], 'count': len(found), 'order': order}))
        return 1 if found else 0
    print('%s; same order: %s' % ('equal' if not found else '%d differences' % len(found),
                                  ', '.join('%s %s' % (k, 'yes' if v else 'NO') for k, v in order.items())))
    for text in found[:options.n]:
        print('  ' + text)
    if len(found) > options.n:
        print('  … %d more' % (len(found) - options.n))
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
