# JSON and YAML as Puppet reads them (`Puppet::Util::Json`, `Puppet::Util::Yaml`).

module Puppet::Util::Yaml
  class YamlLoadError < Puppet::Error; end

  def self.safe_load(yaml, allowed_classes = [], filename = nil)
    data = YAML.safe_load(yaml, permitted_classes: allowed_classes, aliases: true, filename: filename)
    data.nil? ? false : data
  rescue Psych::DisallowedClass => e
    raise YamlLoadError.new("#{filename ? "(#{filename})" : '(<unknown>)'}: #{e.message}", e)
  rescue StandardError, Psych::Exception => e
    raise YamlLoadError.new(e.message, e)
  end

  def self.safe_load_file(filename, allowed_classes = [])
    safe_load(Puppet::FileSystem.read(filename, encoding: 'bom|utf-8'), allowed_classes, filename)
  end

  def self.safe_load_file_if_valid(filename, allowed_classes = [])
    safe_load_file(filename, allowed_classes)
  rescue YamlLoadError, ArgumentError, Errno::ENOENT => e
    Puppet.debug("Could not retrieve YAML content from '#{filename}': #{e.message}")
    nil
  end
end

module Puppet::Util::Json
  class ParseError < StandardError
    attr_reader :cause, :data

    def initialize(message = nil, cause = nil, data = nil)
      super(message)
      @cause = cause
      @data = data
    end

    def self.build(original_exception, data)
      new(original_exception.message, original_exception, data)
    end
  end

  def self.load(string, options = {})
    string = string.read if string.respond_to?(:read)
    options[:symbolize_names] = true if options.delete(:symbolize_keys)
    JSON.parse(string, options)
  rescue JSON::ParserError => e
    raise ParseError.build(e, string)
  end

  def self.load_file(filename, options = {})
    load(Puppet::FileSystem.read(filename, encoding: 'utf-8'), options)
  end

  def self.load_file_if_valid(filename, options = {})
    load_file(filename, options)
  rescue ParseError, ArgumentError, Errno::ENOENT => e
    Puppet.debug("Could not retrieve JSON content from '#{filename}': #{e.message}")
    nil
  end

  def self.dump(object, options = {})
    options.delete(:pretty) ? JSON.pretty_generate(object) : object.to_json
  end
end
