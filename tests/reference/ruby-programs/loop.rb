# A hundred thousand steps of a loop with a hash.
def work
  hash = {}
  100_000.times do |i|
    hash[i % 1_000] = i
  end
  i = 0
  sum = 0
  while i < 50_000
    sum += hash[i % 1_000]
    i += 1
  end
  "#{hash.size} #{sum}"
end
