# Builds, cuts, compares and joins strings.
def work
  words = []
  2_000.times do |i|
    name = "host-#{i}.example.com"
    short = name.split('.').first
    words << short.upcase.sub('HOST', 'node') if name.start_with?('host-1')
    words << name[0, 6] + ':' + i.to_s.rjust(5, '0') if name.end_with?('com') && name.include?('7')
    words << name.tr('a-y', 'b-z').capitalize.reverse unless words.last == short
  end
  text = words.join(',')
  "#{words.size} #{text.length} #{text.count('o')} #{text[-20..-1]}"
end
