# Sorts numbers, strings and hashes, by order, by key and by a block.
def work
  seed = 42
  numbers = (1..3_000).map { seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648 }
  sorted = numbers.sort
  down = numbers.sort { |a, b| b <=> a }
  names = numbers.map { |n| "name#{n % 1_000}" }
  by_length = names.sort_by { |name| [name.length, name] }
  hosts = numbers.first(500).map { |n| { 'name' => "h#{n}", 'port' => n % 1_000 } }
  ordered = hosts.sort_by { |host| host['port'] }
  least, most = numbers.minmax
  unique = names.uniq.sort.reverse
  "#{sorted.first} #{down.first} #{by_length.last} #{ordered.first['port']} #{least} #{most} #{unique.first} #{numbers.max_by { |n| n % 1_009 }}"
end
