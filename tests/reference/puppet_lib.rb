# frozen_string_literal: true

# Selects the Puppet to use: the installed one, or the checkout that PUPPET_LIB names (its root or its lib/), or that `--reference NAME`
# names below target/reference/checkouts: `--reference openvox-8.28`. Load this before 'puppet'.
if (at = ARGV.index('--reference'))
  _, name = ARGV.slice!(at, 2)
  abort '--reference needs a name such as openvox-8.28' unless name
  ENV['PUPPET_LIB'] = File.expand_path("../../target/reference/checkouts/#{name}", __dir__) unless name == 'puppet-7.23'
end
# OpenVox 9 is for newer versions of Ruby, which need no `require` for sets.
require 'set'
if (checkout = ENV['PUPPET_LIB']) && !checkout.empty?
  dir = [File.join(checkout, 'lib'), checkout].find { |path| File.exist?(File.join(path, 'puppet.rb')) }
  abort "PUPPET_LIB=#{checkout}: no lib/puppet.rb in it" unless dir
  $LOAD_PATH.unshift(File.realpath(dir))

  # Libraries that only the installed one contains (Puppet 8 has no Hiera 3, and PSON is a separate gem there).
  module NotWithThisPuppet
    GONE = %w[hiera puppet/external/pson].freeze

    def require(name)
      raise LoadError, "cannot load such file -- #{name}" if GONE.include?(name.to_s) || name.to_s.match?(%r{\Ahiera/backend(?!/eyaml)})

      super
    end
  end
  Object.prepend(NotWithThisPuppet) if File.read(File.join(dir, 'puppet/version.rb'))[/PUPPETVERSION = '(\d+)/, 1].to_i >= 8
end
