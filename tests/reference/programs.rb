# frozen_string_literal: true

# Loaded before oracle.rb: adds the key `text` to the log records of its answers: the record as the console prints it, after
# its source.
class Oracle
  # Stores the log records.
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
