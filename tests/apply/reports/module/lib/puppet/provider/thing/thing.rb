# frozen_string_literal: true

require 'puppet/resource_api/simple_provider'

# Keeps each number in a file of the directory THINGS.
class Puppet::Provider::Thing::Thing < Puppet::ResourceApi::SimpleProvider
  def get(_context)
    Dir["#{ENV['THINGS']}/*"].sort.map { |path| { name: File.basename(path), ensure: 'present', value: File.read(path).to_i } }
  end

  def create(context, name, should)
    raise 'unlucky number' if should[:value] == 13

    context.warning('creates something')
    File.write("#{ENV['THINGS']}/#{name}", should[:value].to_s)
  end

  def update(_context, name, should)
    File.write("#{ENV['THINGS']}/#{name}", should[:value].to_s)
  end

  def delete(_context, name)
    File.delete("#{ENV['THINGS']}/#{name}")
  end
end
