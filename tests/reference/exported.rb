# frozen_string_literal: true

# Exported resources of other nodes, for the reference: load this before oracle.rb. EXPORTS_JSON names a file with rows as PuppetDB
# gives them (type, title, tags, parameters, certname); searches of exported resources are answered from them as PuppetDB's terminus
# would.

require 'json'
require 'puppet'
require 'puppet/resource'
ROWS = JSON.parse(File.read(ENV['EXPORTS_JSON']))

# Whether PuppetDB would return a row for a filter.
def fits(filter, row)
  return true if filter.nil?

  left, operator, right = filter
  case operator
  when 'and' then fits(left, row) && fits(right, row)
  when 'or' then fits(left, row) || fits(right, row)
  else
    same = case left
           when 'tag' then row['tags'].include?(right.downcase)
           when 'title' then row['title'] == right
           else row['parameters'][left] == right
           end
    operator == '!=' ? !same : same
  end
end

# A server sends no virtual resources (Puppet::Resource::Catalog::Compiler#filter).
module AsSentToAgents
  def to_data_hash
    return super if @is_filtered

    sent = filter(&:virtual?)
    sent.instance_variable_set(:@is_filtered, true)
    sent.to_data_hash
  end
end

Puppet::Resource::Catalog.prepend(AsSentToAgents)

class << Puppet::Resource.indirection
  def search(type, options)
    scope = options[:scope]
    rows = ROWS.select { |row| row['type'] == type && row['certname'] != options[:host] && fits(options[:filter], row) }
    rows.map do |row|
      parameters = (row['parameters'] || {}).map { |name, value| Puppet::Parser::Resource::Param.new(name: name, value: value) }
      found = Puppet::Pops::Evaluator::Runtime3ResourceSupport.find_resource_type(scope, row['type'])
      resource = Puppet::Parser::Resource.new(found, row['title'], { parameters: parameters, scope: scope })
      resource.collector_id = row.values_at('certname', 'type', 'title').join('|')
      resource
    end
  end
end
