# frozen_string_literal: true

# Which Puppet is asked: the installed one, or the checkout that PUPPET_LIB names (its root or its lib/). Load this before
# 'puppet'.
if (given = ENV['PUPPET_LIB']) && !given.empty?
  dir = [File.join(given, 'lib'), given].find { |path| File.exist?(File.join(path, 'puppet.rb')) }
  abort "PUPPET_LIB=#{given}: no lib/puppet.rb there" unless dir
  $LOAD_PATH.unshift(File.realpath(dir))

  # What only the installed one has (Hiera 3 does not come with Puppet 8; PSON is a gem of its own there).
  module NotWithThisPuppet
    GONE = %w[hiera puppet/external/pson].freeze

    def require(name)
      raise LoadError, "cannot load such file -- #{name}" if GONE.include?(name.to_s) || name.to_s.start_with?('hiera/backend')

      super
    end
  end
  Object.prepend(NotWithThisPuppet) if File.read(File.join(dir, 'puppet/version.rb'))[/PUPPETVERSION = '(\d+)/, 1].to_i >= 8
end
