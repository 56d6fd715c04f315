# What backends of hierarchies use of the configuration (`Puppet::Pops::Lookup::HieraConfig`).

module Puppet::Pops::Lookup
  class HieraConfig
    def self.symkeys_to_string(struct)
      case struct
      when Hash
        struct.each_with_object({}) do |(key, value), map|
          map[key.is_a?(Symbol) ? key.to_s : key] = symkeys_to_string(value)
        end
      when Array
        struct.map { |value| symkeys_to_string(value) }
      else
        struct
      end
    end
  end
end
