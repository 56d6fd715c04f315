# frozen_string_literal: true

# Runs `puppet apply` with programs and accounts of a scenario: apply_commands.rb STUBS MANIFEST OPTIONS…
# STUBS is a directory of links to apply-stub, with files passwd, group and shadow. Used by apply-commands.

require_relative 'puppet_lib'
require 'etc'
require 'shadow'
require 'puppet'
require 'puppet/util/command_line'

STUBS = ARGV.shift

# A program of the scenario, whatever directory Puppet expects it in.
def stub_of(program)
  path = File.join(STUBS, File.basename(program.to_s))
  path if File.exist?(path)
end

def rows(file) = File.exist?(File.join(STUBS, file)) ? File.readlines(File.join(STUBS, file), chomp: true).map { |line| line.split(':', -1) } : []

SHADOW = Struct.new(:sp_namp, :sp_pwdp, :sp_lstchg, :sp_min, :sp_max, :sp_warn, :sp_inact, :sp_expire)

# The accounts of the scenario.
module Accounts
  def passwds = rows('passwd').map { |name, x, uid, gid, *rest| Etc::Passwd.new(name, x, uid.to_i, gid.to_i, *rest) }
  def groups_ = rows('group').map { |name, x, gid, members| Etc::Group.new(name, x, gid.to_i, members.split(',')) }
  def found(what, list) = list || raise(ArgumentError, "can't find #{what}")
  def getpwnam(name) = found("user for #{name}", passwds.find { |row| row.name == name })
  def getpwuid(uid = Process.uid) = found("user for #{uid}", passwds.find { |row| row.uid == uid })
  def getgrnam(name) = found("group for #{name}", groups_.find { |row| row.name == name })
  def getgrgid(gid = Process.gid) = found("group for #{gid}", groups_.find { |row| row.gid == gid })
  def setpwent = (@passwd = nil)
  def endpwent = (@passwd = nil)
  def setgrent = (@group = nil)
  def endgrent = (@group = nil)
  def getpwent = (@passwd ||= passwds).shift
  def getgrent = (@group ||= groups_).shift

  def passwd(&block)
    return getpwent unless block

    passwds.each(&block)
  end

  def group(&block)
    return getgrent unless block

    groups_.each(&block)
  end
end
Etc.singleton_class.prepend(Accounts)

Shadow::Passwd.singleton_class.prepend(Module.new do
  def getspnam(name)
    row = rows('shadow').find { |line| line[0] == name }
    number = ->(text) { text.nil? || text.empty? ? -1 : text.to_i }
    row && SHADOW.new(row[0], row[1], *row[2..7].map(&number))
  end
end)

Puppet::Util.singleton_class.prepend(Module.new { def which(program) = stub_of(program) || super })
Puppet::Util.prepend(Module.new { def which(program) = stub_of(program) || super })
Puppet::Util::Execution.singleton_class.prepend(Module.new do
  def execute(command, options = Puppet::Util::Execution::NoOptionsSpecified)
    command = [stub_of(command[0]) || command[0], *command[1..]] if command.is_a?(Array) && command[0].to_s.start_with?('/')
    super(command, options)
  end
end)
# Without getgrouplist(3) Puppet looks through all groups.
require 'puppet/util/posix'
Puppet::Util::POSIX.singleton_class.prepend(Module.new do
  private

  def get_groups_list(_user) = raise(LoadError, 'not of this machine')
end)
# The machine is one that systemd has started.
Puppet::FileSystem.singleton_class.prepend(Module.new do
  def exist?(path) = path == '/proc/1/comm' || super
  def read(path, *options) = path == '/proc/1/comm' ? "systemd\n" : super
end)

# Commands that facts and the choice of providers run are not recorded.
require 'puppet/transaction'
Puppet::Transaction.prepend(Module.new do
  def evaluate(&block)
    # Directories of Puppet's settings are a catalog, too.
    File.write(File.join(STUBS, 'log'), '') if catalog.name == 'node.example.com'
    super
  end
end)

Puppet::Util::CommandLine.new('puppet', ['apply', *ARGV]).execute
