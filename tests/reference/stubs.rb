#!/usr/bin/env ruby
# frozen_string_literal: true

# Writes stubs for definitions that a site uses and that its modulepath lacks, so that most of the site compiles without its
# modules: classes and defined types with every parameter that the site sets (default undef), types (aliases of Any) and
# functions (which return their first argument).
#
# usage: stubs.rb OUT DIR[:DIR…]     the directories of modules (and of manifests) that are read; OUT becomes a directory of modules
#        LIBRARY=DIR[:DIR…]          more directories of modules, of which only names are read

require_relative 'puppet_lib'
require 'puppet'
require 'fileutils'
require 'set'

METAPARAMETERS = %w[name title alias audit before consume export loglevel noop notify require schedule stage subscribe tag].freeze
INCLUDERS = %w[include require contain hiera_include realize].freeze

# The used definitions by kind: {classes: {name => parameters}, defines: …, types: Set, functions: Set}
class Uses
  attr_reader :classes, :defines, :types, :functions, :classes_defined, :defines_defined

  def initialize
    @classes = Hash.new { |h, k| h[k] = Set.new }
    @defines = Hash.new { |h, k| h[k] = Set.new }
    @types = Set.new
    @functions = Set.new
    @classes_defined = Set.new
    @defines_defined = Set.new
  end

  def plain(name) = name.to_s.downcase.delete_prefix('::')

  def text(expression)
    case expression
    when Puppet::Pops::Model::LiteralString, Puppet::Pops::Model::QualifiedName, Puppet::Pops::Model::QualifiedReference then plain(expression.value)
    end
  end

  def attributes(operations)
    operations.filter_map { |o| o.attribute_name if o.is_a?(Puppet::Pops::Model::AttributeOperation) } - METAPARAMETERS
  end

  def add(object)
    case object
    when Puppet::Pops::Model::HostClassDefinition
      @classes_defined << plain(object.name)
      @classes[plain(object.parent_class)] if object.parent_class
    when Puppet::Pops::Model::ResourceTypeDefinition then @defines_defined << plain(object.name)
    when Puppet::Pops::Model::ResourceExpression then resource(object)
    when Puppet::Pops::Model::CallNamedFunctionExpression then call(object)
    when Puppet::Pops::Model::CallMethodExpression then @functions << object.functor_expr.right_expr.value if object.functor_expr.right_expr.is_a?(Puppet::Pops::Model::QualifiedName)
    when Puppet::Pops::Model::QualifiedReference then @types << object.cased_value.delete_prefix('::') if object.cased_value.include?('::')
    end
  end

  def resource(object)
    type = text(object.type_name) or return
    object.bodies.each do |body|
      titles = body.title.is_a?(Puppet::Pops::Model::LiteralList) ? body.title.values : [body.title]
      if type == 'class'
        titles.each { |title| (name = text(title)) && @classes[name].merge(attributes(body.operations)) }
      else
        @defines[type].merge(attributes(body.operations))
      end
    end
  end

  def call(object)
    return unless object.functor_expr.is_a?(Puppet::Pops::Model::QualifiedName)

    name = object.functor_expr.value
    @functions << name
    return unless INCLUDERS.include?(name)

    object.arguments.flat_map { |a| a.is_a?(Puppet::Pops::Model::LiteralList) ? a.values : [a] }.each do |argument|
      (found = text(argument)) && @classes[found]
    end
  end
end

def exists?(modules, name, folder, extension)
  top, *rest = name.split('::')
  file = rest.empty? ? 'init' : rest.join('/')
  modules.any? { |m| File.exist?("#{m}/#{top}/#{folder}/#{file}.#{extension}") }
end

def ruby_names(modules, folder) = modules.flat_map { |m| Dir["#{m}/*/#{folder}/**/*.rb"].map { |f| f[%r{#{folder}/(.*)\.rb\z}, 1].gsub('/', '::') } }.to_set

out, directories = ARGV
abort 'usage: stubs.rb OUT DIR[:DIR…]' unless directories
directories = directories.split(':')
library = ENV.fetch('LIBRARY', '').split(':')
Puppet.initialize_settings(['--confdir', '/nonexistent', '--vardir', '/nonexistent'])
uses = Uses.new
parser = Puppet::Pops::Parser::Parser.new
directories.flat_map { |d| File.file?(d) ? [d] : Dir["#{d}/**/*.pp"] }.reject { |f| f =~ %r{/(spec|tests?|examples|plans)/} }.each do |file|
  model = parser.parse_string(File.read(file, encoding: 'utf-8').scrub, file).model
  uses.add(model)
  model._pcore_all_contents([]) { |object| uses.add(object) }
rescue StandardError
  next
end

modules = directories + library
ruby_types = ruby_names(modules, 'lib/puppet/type')
ruby_functions = ruby_names(modules, 'lib/puppet/functions') + ruby_names(modules, 'lib/puppet/parser/functions')
core = $LOAD_PATH.flat_map { |d| Dir["#{d}/puppet/{type,functions,parser/functions}/*.rb"] }.map { |f| File.basename(f, '.rb') }.to_set

write = lambda do |name, folder, text|
  next if name =~ /\Aenvironment(::|\z)/ # a module of that name stops the reference
  next unless name =~ /\A[a-z]\w*(::[a-z]\w*)*\z/

  top, *rest = name.split('::')
  file = "#{out}/#{top}/#{folder}/#{rest.empty? ? 'init' : rest.join('/')}.pp"
  next if File.exist?(file)

  FileUtils.mkdir_p(File.dirname(file))
  File.write(file, text)
end
parameters = ->(names) { names.grep(/\A[a-z]\w*\z/).map { |n| "  $#{n} = undef,\n" }.join }

uses.defines.sort.each do |name, used_parameters|
  next if core.include?(name) || ruby_types.include?(name) || uses.defines_defined.include?(name) || exists?(modules, name, 'manifests', 'pp')

  write.call(name, 'manifests', "define #{name}(\n#{parameters.call(used_parameters)}) {\n}\n")
end
uses.classes.sort.each do |name, used_parameters|
  next if uses.classes_defined.include?(name) || exists?(modules, name, 'manifests', 'pp')

  write.call(name, 'manifests', "class #{name}(\n#{parameters.call(used_parameters)}) {\n}\n")
end
uses.types.sort.each do |cased|
  name = cased.downcase
  known = uses.classes.key?(name) || uses.defines.key?(name) || uses.classes_defined.include?(name) || uses.defines_defined.include?(name)
  next if known || exists?(modules, name, 'types', 'pp') || exists?(modules, name, 'manifests', 'pp')

  write.call(name, 'types', "type #{cased} = Any\n")
end
uses.functions.sort.each do |name|
  next if core.include?(name) || ruby_functions.include?(name) || !name.include?('::') || exists?(modules, name, 'functions', 'pp')

  write.call(name, 'functions', "function #{name}(*$arguments) {\n  $arguments[0]\n}\n")
end
