# frozen_string_literal: true

# Loaded before oracle.rb: log records of its answers get one more key, `text`: the record as a console shows it, after its
# source.
class Oracle
  # Remembers the records themselves.
  module WithText
    def ask(request)
      answer = super
      answer['logs'].zip(@texts || []) { |entry, text| entry['text'] = text }
      answer
    end

    private

    def with_logs(logs)
      result = super
      @texts = logs.map { |log| log.source == 'Puppet' ? log.to_s : "#{log.source}: #{log}" }
      result
    end
  end
  prepend WithText
end
