# Name resolution as Ruby's library `resolv` offers it, over one question to the world (`Resolv.__ask`).

class Resolv
  class ResolvError < StandardError; end
  class ResolvTimeout < Timeout::Error; end

  class IPv4
    Regex256 = '(?:0|1(?:[0-9][0-9]?)?|2(?:[0-4][0-9]?|5[0-5]?|[6-9])?|[3-9][0-9]?)'
    Regex = /\A(#{Regex256})\.(#{Regex256})\.(#{Regex256})\.(#{Regex256})\z/

    attr_reader :address

    def self.create(arg)
      return arg if arg.is_a?(IPv4)
      raise ArgumentError, "cannot interpret as IPv4 address: #{arg.inspect}" unless arg.is_a?(String) && arg =~ Regex

      new(arg.split('.').map(&:to_i).pack('C4'))
    end

    def initialize(address)
      @address = address
    end

    def to_s
      @address.unpack('C4').join('.')
    end

    def inspect
      "#<Resolv::IPv4 #{self}>"
    end

    def to_name
      DNS::Name.create(@address.unpack('C4').reverse.join('.') + '.in-addr.arpa.')
    end

    def ==(other)
      other.is_a?(IPv4) && to_s == other.to_s
    end
  end

  class IPv6
    Regex_8Hex = /\A(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}\z/
    Regex_CompressedHex = /\A((?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4})*)?)::((?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4})*)?)\z/
    Regex_6Hex4Dec = /\A((?:[0-9A-Fa-f]{1,4}:){6,6})(\d+)\.(\d+)\.(\d+)\.(\d+)\z/
    Regex_CompressedHex4Dec = /\A((?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4})*)?)::((?:[0-9A-Fa-f]{1,4}:)*)(\d+)\.(\d+)\.(\d+)\.(\d+)\z/
    Regex = /(?:#{Regex_8Hex})|(?:#{Regex_CompressedHex})|(?:#{Regex_6Hex4Dec})|(?:#{Regex_CompressedHex4Dec})/

    attr_reader :address

    def self.create(arg)
      return arg if arg.is_a?(IPv6)
      raise ArgumentError, "cannot interpret as IPv6 address: #{arg.inspect}" unless arg.is_a?(String)
      raise ArgumentError, "not numeric IPv6 address: #{arg}" unless arg =~ Regex

      text = arg.sub(/(\d+)\.(\d+)\.(\d+)\.(\d+)\z/) { format('%x:%x', $1.to_i * 256 + $2.to_i, $3.to_i * 256 + $4.to_i) }
      head, tail = text.split('::', 2)
      first = head.to_s.split(':').map(&:hex)
      last = tail.to_s.split(':').map(&:hex)
      first += [0] * (8 - first.length - last.length) if tail
      new((first + last).pack('n8'))
    end

    def initialize(address)
      @address = address
    end

    def to_s
      text = format('%x:%x:%x:%x:%x:%x:%x:%x', *@address.unpack('n8'))
      text.sub(/(^|:)0(:0)+(:|$)/, '::')
    end

    def inspect
      "#<Resolv::IPv6 #{self}>"
    end

    def to_name
      DNS::Name.create(@address.unpack('n8').map { |part| format('%04x', part) }.join.reverse.split('').join('.') + '.ip6.arpa.')
    end

    def ==(other)
      other.is_a?(IPv6) && to_s == other.to_s
    end
  end

  AddressRegex = /(?:#{IPv4::Regex})|(?:#{IPv6::Regex})/

  class DNS
    class Name
      def self.create(arg)
        arg.is_a?(Name) ? arg : new(arg.to_s.chomp('.').split('.'), arg.to_s.end_with?('.'))
      end

      attr_reader :labels

      def initialize(labels, absolute = true)
        @labels = labels
        @absolute = absolute
      end

      def absolute?
        @absolute
      end

      def to_s
        @labels.join('.')
      end

      def to_a
        @labels
      end

      def length
        @labels.length
      end

      def inspect
        "#<Resolv::DNS::Name: #{self}#{@absolute ? '.' : ''}>"
      end

      def ==(other)
        other.is_a?(Name) && to_s.downcase == other.to_s.downcase && absolute? == other.absolute?
      end
    end

    class Resource
      attr_reader :ttl

      class DomainName < Resource
        attr_reader :name

        def initialize(name)
          @name = name.is_a?(String) ? Name.create("#{name.chomp('.')}.") : name
          @ttl = 0
        end
      end

      class CNAME < DomainName; end
      class NS < DomainName; end
      class PTR < DomainName; end

      class MX < Resource
        attr_reader :preference, :exchange

        def initialize(preference, exchange)
          @preference = preference.to_i
          @exchange = exchange.is_a?(String) ? Name.create("#{exchange.chomp('.')}.") : exchange
          @ttl = 0
        end
      end

      class SOA < Resource
        attr_reader :mname, :rname, :serial, :refresh, :retry, :expire, :minimum

        def initialize(mname, rname, serial, refresh, retry_, expire, minimum)
          @mname = Name.create("#{mname.chomp('.')}.")
          @rname = Name.create("#{rname.chomp('.')}.")
          @serial = serial.to_i
          @refresh = refresh.to_i
          @retry = retry_.to_i
          @expire = expire.to_i
          @minimum = minimum.to_i
          @ttl = 0
        end
      end

      class TXT < Resource
        attr_reader :strings

        def initialize(*strings)
          @strings = strings
          @ttl = 0
        end

        def data
          @strings.join
        end
      end

      module IN
        class A < Resource
          attr_reader :address

          def initialize(address)
            @address = IPv4.create(address)
            @ttl = 0
          end
        end

        class AAAA < Resource
          attr_reader :address

          def initialize(address)
            @address = IPv6.create(address)
            @ttl = 0
          end
        end

        class SRV < Resource
          attr_reader :priority, :weight, :port, :target

          def initialize(priority, weight, port, target)
            @priority = priority.to_i
            @weight = weight.to_i
            @port = port.to_i
            @target = target.is_a?(String) ? Name.create("#{target.chomp('.')}.") : target
            @ttl = 0
          end
        end

        class CNAME < Resource::CNAME; end
        class NS < Resource::NS; end
        class PTR < Resource::PTR; end
        class MX < Resource::MX; end
        class SOA < Resource::SOA; end
        class TXT < Resource::TXT; end
      end
    end

    attr_accessor :timeouts

    def self.open(*args)
      dns = new(*args)
      return dns unless block_given?

      yield dns
    end

    def initialize(config_info = nil)
      servers = config_info.is_a?(Hash) ? config_info[:nameserver] || config_info[:nameserver_port].to_a.map(&:first) : []
      @servers = [servers].flatten.map(&:to_s)
    end

    def close; end

    def lazy_initialize
      self
    end

    def getaddress(name)
      getaddresses(name).first || raise(ResolvError, "DNS result has no information for #{name}")
    end

    def getaddresses(name)
      getresources(name, Resource::IN::A).map(&:address) + getresources(name, Resource::IN::AAAA).map(&:address)
    end

    def each_address(name, &block)
      getaddresses(name).each(&block)
    end

    def getname(address)
      getnames(address).first || raise(ResolvError, "DNS result has no information for #{address}")
    end

    def getnames(address)
      pointer = case address
                when Name then address
                when IPv4, IPv6 then address.to_name
                when IPv4::Regex then IPv4.create(address).to_name
                when IPv6::Regex then IPv6.create(address).to_name
                else raise ResolvError, "cannot interpret as address: #{address}"
                end
      getresources(pointer, Resource::IN::PTR).map(&:name)
    end

    def each_name(address, &block)
      getnames(address).each(&block)
    end

    def getresource(name, typeclass)
      getresources(name, typeclass).first || raise(ResolvError, "DNS result has no information for #{name}")
    end

    def getresources(name, typeclass)
      kind = typeclass.to_s.split('::').last
      Resolv.__ask(kind, name.to_s, @servers).map do |text|
        typeclass.new(*(kind == 'TXT' ? [text] : text.split(' ')))
      end
    end

    def each_resource(name, typeclass, &block)
      getresources(name, typeclass).each(&block)
    end
  end

  class Hosts
    def initialize(filename = '/etc/hosts')
      @filename = filename
    end

    def lines
      return [] unless File.exist?(@filename)

      File.read(@filename).split("\n").map { |line| line.sub(/#.*/, '').split }.select { |words| words.length > 1 }
    end

    def getaddresses(name)
      lines.select { |words| words.drop(1).include?(name) }.map(&:first)
    end

    def getnames(address)
      lines.select { |words| words.first == address }.flat_map { |words| words.drop(1) }
    end

    def getaddress(name)
      getaddresses(name).first || raise(ResolvError, "#{@filename} has no name: #{name}")
    end

    def getname(address)
      getnames(address).first || raise(ResolvError, "#{@filename} has no address: #{address}")
    end
  end

  def self.getaddress(name)
    new.getaddress(name)
  end

  def self.getaddresses(name)
    new.getaddresses(name)
  end

  def self.each_address(name, &block)
    new.getaddresses(name).each(&block)
  end

  def self.getname(address)
    new.getname(address)
  end

  def self.getnames(address)
    new.getnames(address)
  end

  def self.each_name(address, &block)
    new.getnames(address).each(&block)
  end

  def initialize(resolvers = nil)
    @resolvers = resolvers || [Hosts.new, DNS.new]
  end

  def getaddress(name)
    getaddresses(name).first || raise(ResolvError, "no address for #{name}")
  end

  def getaddresses(name)
    return [name] if name =~ AddressRegex

    @resolvers.each do |resolver|
      found = resolver.getaddresses(name).map(&:to_s)
      return found unless found.empty?
    end
    []
  end

  def getname(address)
    getnames(address).first || raise(ResolvError, "no name for #{address}")
  end

  def getnames(address)
    @resolvers.each do |resolver|
      found = resolver.getnames(address).map(&:to_s)
      return found unless found.empty?
    end
    []
  end
end
