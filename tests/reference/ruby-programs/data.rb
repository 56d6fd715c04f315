# Walks nested data as functions of modules do: flattens, filters, validates and prints it.
def flatten_keys(value, prefix, found)
  case value
  when Hash
    value.each { |key, inner| flatten_keys(inner, prefix.empty? ? key.to_s : "#{prefix}.#{key}", found) }
  when Array
    value.each_with_index { |inner, index| flatten_keys(inner, "#{prefix}[#{index}]", found) }
  when nil
    found
  else
    found[prefix] = value
  end
  found
end

def to_conf(value, depth)
  pad = '  ' * depth
  value.map do |key, inner|
    case inner
    when Hash then "#{pad}#{key} {\n#{to_conf(inner, depth + 1)}\n#{pad}}"
    when Array then inner.map { |item| "#{pad}#{key} = #{item}" }.join("\n")
    when true, false then "#{pad}#{key} = #{inner ? 'yes' : 'no'}"
    else "#{pad}#{key} = #{inner.is_a?(String) ? inner.inspect : inner}"
    end
  end.join("\n")
end

def work
  data = {}
  120.times do |i|
    data["site#{i}"] = { :port => i, 'opts' => { 'on' => i.even?, 'list' => [1, 'two', nil, 3.5], 'deep' => { 'a' => { 'b' => "v#{i}" } } } }
  end
  flat = flatten_keys(data, '', {})
  strings = flat.select { |_, value| value.is_a?(String) }.keys
  text = to_conf(data, 0)
  known = flat.keys.map(&:to_sym).group_by { |key| key.to_s.length }.map { |length, keys| [length, keys.size] }.sort
  "#{flat.size} #{strings.size} #{text.length} #{known.inspect} #{flat.values.compact.map(&:to_s).max}"
end
