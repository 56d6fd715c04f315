# frozen_string_literal: true

# Markdown files of scenarios (tests/language, tests/programs, tests/generated): a section is a heading with fenced blocks.
# Blocks of the kinds in ANSWERS are Puppet's recorded answers; everything else is the scenario. A block ```error 8 is an answer of
# version 8 and later ones; blocks without a number are answers of the oldest version that the section is about: 7, or that of
# its setting puppet=8 (or 9).
#
# A section is recorded with each version from its oldest one; the answers of other versions are left unchanged. With `--to DIR` all
# sections, of any version, are recorded
# with the available Puppet, and the files are written to DIR: `SCENARIOS=DIR cargo test --test answers language::` (or
# `programs::`) compares with them. `--set NAME=VALUE` overrides settings of the sections.
module Sections
  ANSWERS = %w[value catalog error log].freeze
  # The major versions that answers are recorded of.
  VERSIONS = (7..9)

  # One scenario: its blocks as [kind, argument, text], without answers.
  Section = Struct.new(:name, :blocks) do
    def code = text('puppet')&.chomp
    def text(kind) = blocks.find { |block| block[0] == kind }&.last
    def all(kind) = blocks.select { |block| block[0] == kind }.map { |_, argument, text| [argument, text] }
    def settings = all_settings.except(:puppet)
    def puppet = all_settings.fetch(:puppet, '7')
    def all_settings = Sections.pairs(text('settings').to_s.lines + Sections.overrides)
  end

  module_function

  # The files of scenarios of a kind, `language` or `programs`: those in tests/ and those in tests/generated/.
  def files(kind)
    folders = [File.join(__dir__, '..', kind), File.join(__dir__, '..', 'generated', kind)]
    folders.flat_map { |folder| Dir[File.join(folder, '*.md')].sort }.reject { |file| File.basename(file) == 'README.md' }
  end

  # The sections with code of a file, in order.
  def read(file)
    parts(File.read(file)).slice_before { |part| heading?(part) }.map { |group| section(group) }.select(&:code)
  end

  # The settings `NAME=VALUE` of the option --set, which override those of every section.
  def overrides = @overrides || []

  def pairs(lines) = lines.to_h { |line| line.chomp.split('=', 2).then { |n, v| [n.to_sym, v == 'true' ? true : v] } }

  # The directory of the option --to. Removes --to and --set from the arguments.
  def target(arguments)
    to = nil
    while %w[--to --set].include?(arguments.first)
      option, value = arguments.shift(2)
      option == '--to' ? to = value : @overrides = [*@overrides, value]
    end
    abort '--set needs --to DIR: recorded answers contain only the settings of their sections' if @overrides && !to
    FileUtils.mkdir_p(to) if to
    to
  end

  # Whether the section is recorded with this version of Puppet.
  def recorded_with?(section, version, to) = to || section.puppet.to_i <= version.to_i

  # Writes the answers of a version, a list [kind, text] for each section with code, below the code; nil keeps the existing answers.
  # A copy in `to` has these answers only and names their version.
  def write(file, answers, to: nil, version: nil)
    answered = answers.compact.size
    answers = answers.dup
    out = +''
    parts(File.read(file)).slice_before { |part| heading?(part) }.each do |group|
      recorded, scenario = group.partition { |part| ANSWERS.include?(part[:kind]) }
      scenario = versioned(scenario, version) if to
      write_scenario(scenario, out)
      next unless section(group).code

      out.sub!(/\n+\z/, "\n")
      blocks(section(group), to ? [] : recorded, version.to_i, answers.shift).each do |kind, text, major|
        out << "```#{[kind, major].compact.join(' ')}\n#{text}\n```\n"
      end
      out << "\n"
    end
    File.write(to ? File.join(to, File.basename(file)) : file, out.sub(/\n+\z/, "\n"))
    warn "#{file}: #{answered} of #{out.scan(/^```puppet/).size} scenarios answered"
  end

  def write_scenario(scenario, out)
    scenario.each do |part|
      next if part[:kind].nil? && part[:text] == "\n" && (out.end_with?("\n\n") || out.end_with?("```\n"))

      out << (part[:kind] ? "```#{[part[:kind], part[:arg]].compact.join(' ')}\n#{part[:text]}```\n" : part[:text])
    end
  end

  # The answer blocks [kind, text, version] of a section, with a version where they differ from those of the version before.
  # `answer`: the answer of version `answering`; nil if it is not recorded now.
  def blocks(section, recorded, answering, answer)
    oldest = section.puppet.to_i
    given = recorded.group_by { |part| (part[:arg] || oldest).to_i }
    given.transform_values! { |parts| parts.map { |part| [part[:kind], part[:text].chomp] } }
    answers = VERSIONS.select { |major| major >= oldest }.to_h { |major| [major, given[given.keys.select { |key| key <= major }.max]] }
    answers[answering] = answer if answer
    before = nil
    answers.compact.sort.flat_map do |major, blocks|
      is_first, is_same = before.nil?, before == blocks
      before = blocks
      is_same ? [] : blocks.map { |kind, text| [kind, text, is_first ? nil : major] }
    end
  end

  # The parts of a section with the setting `puppet`, and those of --set.
  def versioned(group, version)
    return group unless section(group).code

    set = [*overrides, "puppet=#{version.split('.').first}"]
    setting = set.map { |line| "#{line}\n" }.join
    names = set.map { |line| line[/\A\w+/] }
    settings = group.find { |part| part[:kind] == 'settings' }
    return group.flat_map { |part| part[:kind] == 'puppet' ? [{ kind: 'settings', text: setting }, part] : [part] } unless settings

    settings[:text] = setting + settings[:text].lines.reject { |line| names.include?(line[/\A\w+/]) }.join
    group
  end

  # A text that is the same on every machine: with the directory of an installation in place of a checkout, the version of a release in
  # place of a beta, and zeros as the address of an object.
  def of_release(text)
    library = ENV['PUPPET_LIB'] && $LOADED_FEATURES.find { |path| path.end_with?('/puppet.rb') }
    text = text.gsub("#{File.dirname(library)}/", '/usr/lib/ruby/vendor_ruby/') if library
    text.gsub(/\b9\.0\.0-beta\d+/, '9.0.0').gsub(/(?<=:)0x\h{16}\b/, '0x0000000000000000')
  end

  def heading?(part) = part[:kind].nil? && part[:text].start_with?('#')

  def section(group)
    blocks = group.select { |part| part[:kind] && !ANSWERS.include?(part[:kind]) }
    Section.new(group.first[:text].sub(/\A#+ */, '').chomp, blocks.map { |part| [part[:kind], part[:arg], part[:text]] })
  end

  # A file as a list of lines and fenced blocks.
  def parts(text)
    parts = []
    block = nil
    text.each_line do |line|
      if block
        if line.chomp == '```'
          parts << block
          block = nil
        else
          block[:text] << line
        end
      elsif (match = line.match(/\A```(\w+)(?: (.*))?\n/))
        block = { kind: match[1], arg: match[2], text: +'' }
      else
        parts << { kind: nil, text: +line }
      end
    end
    parts
  end
end
