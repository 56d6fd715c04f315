# URIs in texts, as Ruby's library `uri` looks for them (RFC 2396).

module URI
  class RFC2396_Parser
    UNRESERVED = "\\-_.!~*'()a-zA-Z\\d"
    IPV4 = "\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}"
    HEX = '[a-fA-F\\d]{1,4}'
    UNSAFE = %r{[^\-_.!~*'()a-zA-Z\d;/?:@&=+$,\[\]]}

    def self.one(more)
      "(?:[#{UNRESERVED}#{more}]|%[a-fA-F\\d]{2})"
    end

    def self.absolute
      last = "(?:#{HEX}|#{IPV4})"
      ipv6 = "\\[(?:(?:#{HEX}:)*#{last}|(?:(?:#{HEX}:)*#{HEX})?::(?:(?:#{HEX}:)*#{last})?)\\]"
      host = "(?:[a-zA-Z0-9\\-.]|%\\h\\h)+|#{IPV4}|#{ipv6}"
      server = "(?:(#{one(';:&=+$,')}*)@)?(?:(#{host})(?::(\\d*))?)"
      any = one(';/?:@&=+$,\\[\\]')
      piece = "#{one(':@&=+$,')}*"
      segment = "#{piece}(?:;#{piece})*"
      path = "(/#{segment}(?:/#{segment})*)?"
      opaque = "(#{one(';?:@&=+$,')}#{any}*)"
      rest = "(?:(?://(?:(?:#{server})?|(#{one('$,;:@&=+')}+))|(?!//))#{path})(?:\\?(#{any}*))?"
      "([a-zA-Z][\\-+.a-zA-Z\\d]*):(?:#{opaque}|#{rest})(?:\\#(#{any}*))?"
    end

    def make_regexp(schemes = nil)
      Regexp.new("#{schemes && "(?=#{Regexp.union(*schemes)}:)"}#{RFC2396_Parser.absolute}")
    end

    def extract(text, schemes = nil)
      found = []
      text.scan(make_regexp(schemes)) { found << $~[0] }
      return found unless block_given?

      found.each { |uri| yield uri }
      nil
    end

    def escape(text, unsafe = UNSAFE)
      unsafe = Regexp.new("[#{Regexp.quote(unsafe)}]") unless unsafe.is_a?(Regexp)
      text.gsub(unsafe) { |found| found.bytes.map { |byte| format('%%%02X', byte) }.join }
    end

    def unescape(text)
      text.gsub(/(?:%[a-fA-F\d]{2})+/) { |found| [found.delete('%')].pack('H*').force_encoding('UTF-8') }
    end

    def parse(uri)
      URI.parse(uri)
    end

    def join(*uris)
      URI.join(*uris)
    end
  end

  Parser = RFC2396_Parser
  DEFAULT_PARSER = RFC2396_Parser.new
end
