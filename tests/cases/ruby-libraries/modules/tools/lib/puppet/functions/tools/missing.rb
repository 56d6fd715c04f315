require_relative '../../../puppet_x/tools/text'

Puppet::Functions.create_function(:'tools::missing') do
  def split_up(text)
    case text
    when /^(\w+)\s*([-+])\s*(.*)$/
      "(#{split_up($1)} #{$2} #{split_up($3)})"
    else
      text.shout
    end
  end

  def missing
    require 'no/such/library'
  rescue LoadError
    split_up('a + b - c')
  end
end
