# Blocks inside blocks, closures, yield, lambdas.
def each_pair_of(list)
  list.each { |a| list.each { |b| yield a, b } }
end

def work
  found = 0
  each_pair_of((1..60).to_a) { |a, b| found += 1 if (a * b) % 7 == 3 }
  double = lambda { |x| x * 2 }
  adders = (1..20).map { |n| ->(x) { x + n } }
  sum = 0
  500.times { |i| sum += adders[i % 20].call(double.call(i)) }
  odd = (1..2_000).select(&:odd?).map { |n| n * n }.reject { |n| n % 3 == 0 }
  pairs = odd.each_with_index.map { |n, i| [i, n] }.each_slice(3).to_a
  total = pairs.inject(0) { |all, slice| all + slice.map { |_, n| n }.sum }
  "#{found} #{sum} #{odd.size} #{pairs.size} #{total}"
end
