require_relative 'words'

class PuppetX
  class Tools
    def self.twice(list)
      Puppet::Tools::Words.joined(list + list)
    end
  end
end
