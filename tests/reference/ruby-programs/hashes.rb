# Fills, counts in, groups and merges hashes.
def work
  counts = Hash.new(0)
  sites = {}
  3_000.times do |i|
    key = "key#{i % 97}"
    counts[key] += i
    sites[i % 13] ||= {}
    sites[i % 13][key] = { 'port' => i, 'name' => key }
  end
  ports = sites.map { |number, hosts| [number, hosts.values.map { |host| host['port'] }.max] }.to_h
  merged = sites.values.reduce({}) { |all, hosts| all.merge(hosts) }
  named = merged.select { |_, host| host['port'] > 1_500 }.sort_by { |name, _| name }
  total = counts.values.sum + ports.values.inject(0) { |sum, port| sum + port }
  "#{counts.size} #{merged.keys.size} #{named.length} #{named.first.inspect} #{total}"
end
