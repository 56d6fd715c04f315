# Ruby's library `timeout`: what a compile may use up is limited anyway, so that nothing is stopped after seconds.

module Timeout
  def self.timeout(seconds, _class = nil, _message = nil)
    yield(seconds)
  end
end
