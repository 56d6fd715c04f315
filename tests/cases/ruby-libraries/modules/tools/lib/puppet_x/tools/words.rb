# Words, for functions.
module Puppet::Tools
  module Words
    SEPARATOR = '-'.freeze

    def self.joined(list)
      clean(list).join(SEPARATOR)
    end

    def self.clean(list)
      list.map { |word| word.strip.downcase }
    end

    def self.where
      File.basename(__FILE__)
    end
  end

  class Counter
    attr_reader :count

    def initialize(start)
      @count = start
    end

    def add(n = 1)
      @count += n
      self
    end
  end
end
