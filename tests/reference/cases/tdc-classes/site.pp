# Classes and defined types of the module tdc.
include tdc

tdc::test_file { 'thing': }

tdc::test_file_group { 'thing': }

tdc::test_file_owner { 'thing': }

tdc::test_file_permission { 'thing': }

tdc::test_process { 'thing': }
