# Ruby's library `find`: everything below a path.

module Find
  def self.find(*paths, ignore_error: true, &block)
    all = []
    paths.flatten.each do |path|
      raise(Errno::ENOENT, path) unless File.exist?(path)

      waiting = [path]
      while (file = waiting.shift)
        catch(:prune) do
          block ? block.call(file) : all << file
          if File.directory?(file)
            waiting = Dir.children(file).sort.map { |name| File.join(file, name) } + waiting
          end
        end
      end
    end
    block ? nil : all.each
  end

  def self.prune
    throw :prune
  end
end
