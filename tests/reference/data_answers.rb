# Answers what Ruby's Psych (as Puppet calls it) and json read from the documents of a table, or what to_yaml writes.
#   ruby tests/reference/data_answers.rb yaml src/value/src/data/yaml/cases.tsv     (rewrites the second column)
#   ruby tests/reference/data_answers.rb json src/value/src/data/json/cases.tsv
#   ruby tests/reference/data_answers.rb dump src/value/src/data/yaml_write/cases.tsv
# A line is a JSON string (the document), a tab, the answer: a value as text, or "! " and the message.
require 'puppet'
require 'json'
require 'yaml'

def show(value)
  case value
  when Hash then "{#{value.map { |k, v| "#{show(k)}: #{show(v)}" }.join(', ')}}"
  when Array then "[#{value.map { |v| show(v) }.join(', ')}]"
  when Symbol then show(value.to_s)
  when String then JSON.generate(value)
  else value.inspect
  end
end

format, table = ARGV
lines = File.readlines(table, chomp: true).reject(&:empty?).map do |line|
  source = line.split("\t").first
  text = JSON.parse(source)
  answer =
    begin
      case format
      when 'yaml'
        value = Puppet::Util::Yaml.safe_load(text, [Symbol], '/f.yaml')
        show(value == false ? nil : value)
      when 'json' then show(Puppet::Util::Json.load(text))
      else JSON.generate(text.to_yaml)
      end
    rescue StandardError => e
      "! #{e.message}"
    end
  "#{source}\t#{answer.delete("\t")}"
end
File.write(table, "#{lines.join("\n")}\n")
