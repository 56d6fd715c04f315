# Matches, scans and replaces by regular expressions.
def work
  lines = (1..400).map { |i| "2024-03-#{10 + i % 20} 12:#{10 + i % 50}:00 host#{i}.example.com sshd[#{i * 7}]: Accepted user#{i % 9} from 10.0.#{i % 256}.#{i % 250}" }
  users = Hash.new(0)
  addresses = []
  lines.each do |line|
    next unless line =~ /sshd\[(\d+)\]: (\w+) (\w+) from (\S+)/
    pid, user = $1.to_i, $3
    users[user] += pid
    addresses << $4 if $4 =~ /\A10\.0\.1?\d\./
  end
  masked = lines.map { |line| line.gsub(/\d+/) { |digits| 'x' * digits.length } }
  hosts = lines.map { |line| line[/host\d+/] }.compact.grep(/7\z/)
  words = lines.join("\n").scan(/[a-z]+/).uniq.sort
  renamed = lines.map { |line| line.sub(/(\w+)\.example\.com/, '\1.example.org') }
  "#{users.size} #{users['user3']} #{addresses.size} #{masked.last} #{hosts.size} #{words.join(' ')} #{renamed.last[20, 20]}"
end
