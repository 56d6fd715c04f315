# frozen_string_literal: true

# Markdown files of scenarios (tests/language, tests/programs): a section is a heading with fenced blocks. Blocks of the
# kinds in ANSWERS hold what the reference answered; everything else is written by hand.
module Sections
  ANSWERS = %w[value catalog error log].freeze

  # One scenario: its blocks as [kind, argument, text], without answers.
  Section = Struct.new(:name, :blocks) do
    def code = text('puppet')&.chomp
    def text(kind) = blocks.find { |block| block[0] == kind }&.last
    def all(kind) = blocks.select { |block| block[0] == kind }.map { |_, argument, text| [argument, text] }
    def settings = text('settings').to_s.lines.to_h { |line| line.chomp.split('=', 2).then { |n, v| [n.to_sym, v == 'true' ? true : v] } }
  end

  module_function

  # The sections with code of a file, in order.
  def read(file)
    parts(File.read(file)).slice_before { |part| heading?(part) }.map { |group| section(group) }.select(&:code)
  end

  # Writes the answers, a list [kind, text] for each section with code, below the code.
  def write(file, answers)
    answers = answers.dup
    out = +''
    parts(File.read(file)).slice_before { |part| heading?(part) }.each do |group|
      group.reject { |part| ANSWERS.include?(part[:kind]) }.each do |part|
        next if part[:kind].nil? && part[:text] == "\n" && (out.end_with?("\n\n") || out.end_with?("```\n"))

        out << (part[:kind] ? "```#{[part[:kind], part[:arg]].compact.join(' ')}\n#{part[:text]}```\n" : part[:text])
      end
      next unless section(group).code

      out.sub!(/\n+\z/, "\n")
      answers.shift.each { |kind, text| out << "```#{kind}\n#{text}\n```\n" }
      out << "\n"
    end
    File.write(file, out.sub(/\n+\z/, "\n"))
    warn "#{file}: #{out.scan(/^```puppet/).size} scenarios"
  end

  def heading?(part) = part[:kind].nil? && part[:text].start_with?('#')

  def section(group)
    kept = group.select { |part| part[:kind] && !ANSWERS.include?(part[:kind]) }
    Section.new(group.first[:text].sub(/\A#+ */, '').chomp, kept.map { |part| [part[:kind], part[:arg], part[:text]] })
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
