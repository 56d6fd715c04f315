# frozen_string_literal: true

# Prints Puppet's files for `require 'puppet/…'`, one a line, without `.rb`.
# --merge FILE7 FILE8 merges the output of Puppet 7 (installed) and Puppet 8 (PUPPET_LIB) to src/puppet_ruby/src/puppet_files.tsv, whose
# first column is the version that has the line: 7, 8 or * for both.
#
#   ruby libraries.rb > 7; PUPPET_LIB=DIR ruby libraries.rb > 8; ruby libraries.rb --merge 7 8 > ../../src/puppet_ruby/src/puppet_files.tsv
if ARGV[0] == '--merge'
  seven, eight = ARGV[1, 2].map { |file| File.readlines(file, chomp: true) }
  (seven | eight).sort.each { |name| puts "#{seven.include?(name) ? eight.include?(name) ? '*' : '7' : '8'}\t#{name}" }
  exit
end

require_relative 'puppet_lib'
require 'puppet'
lib = File.dirname($LOADED_FEATURES.grep(%r{/puppet\.rb\z}).first)
puts Dir["#{lib}/puppet/**/*.rb"].map { |file| file.delete_prefix("#{lib}/").delete_suffix('.rb') }.sort
