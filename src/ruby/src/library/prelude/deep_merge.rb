# Ruby's library `deep_merge`: what is in a hash goes into another, and so on below.

module DeepMerge
  class InvalidParameter < StandardError; end

  def self.deep_merge!(source, dest, options = {})
    prefix = options[:knockout_prefix]
    keeps = options[:preserve_unmergeables]
    raise(InvalidParameter, 'knockout_prefix cannot be an empty string in deep_merge!') if prefix == ''
    if prefix && keeps
      raise(InvalidParameter, 'overwrite_unmergeable must be true if knockout_prefix is specified in deep_merge!')
    end
    return dest if source.nil?
    return source if !dest && !keeps

    case source
    when Hash then hash_into(source, dest, options)
    when Array then array_into(source, dest, options)
    else
      dest.is_a?(Array) && options[:extend_existing_arrays] ? dest.push(source) : over(source, dest, options)
    end
  end

  def self.hash_into(source, dest, options)
    source.each do |key, value|
      if dest.is_a?(Hash)
        # What is new is merged into a copy of itself: prefixes go.
        dest[key] = deep_merge!(value, dest[key] || value.dup, options)
      elsif dest.is_a?(Array) && options[:extend_existing_arrays]
        dest.push(source)
      else
        dest = over(source, dest, options)
      end
    end
    dest
  end

  def self.array_into(source, dest, options)
    return source if options[:overwrite_arrays]

    prefix = options[:knockout_prefix]
    if (separator = options[:unpack_arrays])
      source = source.join(separator).split(separator)
      dest = dest.join(separator).split(separator) if dest.is_a?(Array)
    end
    if prefix && source.include?(prefix)
      dest = dest.respond_to?(:clear) ? dest.clear : nil
      source.delete(prefix)
    end
    return over(source, dest, options) unless dest.is_a?(Array)

    knock_out(source, dest, prefix) if prefix
    hashes = options[:merge_hash_arrays] && (source + dest).all? { |item| item.is_a?(Hash) }
    dest = hashes ? side_by_side(source, dest, options) : dest | source
    dest.sort! if options[:sort_merged_arrays]
    dest
  end

  def self.knock_out(source, dest, prefix)
    source.delete_if do |item|
      plain = item.respond_to?(:gsub) ? item.gsub(/^#{prefix}/, '') : item
      [plain, item].each { |gone| dest.delete(gone) } if plain != item
      plain != item
    end
  end

  def self.side_by_side(source, dest, options)
    merged = dest.each_with_index.map { |item, at| deep_merge!(source[at] || {}, item, options) }
    merged + (source[dest.size..-1] || [])
  end

  def self.over(source, dest, options)
    return dest if options[:preserve_unmergeables]
    return source unless (prefix = options[:knockout_prefix])

    plain = case source
            when String then source.gsub(/^#{prefix}/, '')
            when Array then source.delete_if { |item| item.is_a?(String) && item.match(/^#{prefix}/) }
            else source
            end
    plain == source ? plain : ''
  end
end

class Hash
  def ko_deep_merge!(source, options = {})
    DeepMerge.deep_merge!(source, self, { knockout_prefix: '--', preserve_unmergeables: false }.merge(options))
  end

  def deep_merge!(source, options = {})
    DeepMerge.deep_merge!(source, self, { preserve_unmergeables: false }.merge(options))
  end

  def deep_merge(source, options = {})
    DeepMerge.deep_merge!(source, self, { preserve_unmergeables: true }.merge(options))
  end
end
