# Users and groups of the machine, as Ruby's library `etc` tells them from its files.

module Etc
  Passwd = Struct.new(:name, :passwd, :uid, :gid, :gecos, :dir, :shell)
  Group = Struct.new(:name, :passwd, :gid, :mem)

  def self.getpwnam(name)
    __users.find { |user| user.name == name } || raise(ArgumentError, "can't find user for #{name}")
  end

  def self.getpwuid(uid = Process.uid)
    __users.find { |user| user.uid == uid } || raise(ArgumentError, "can't find user for #{uid}")
  end

  def self.getgrnam(name)
    __groups.find { |group| group.name == name } || raise(ArgumentError, "can't find group for #{name}")
  end

  def self.getgrgid(gid = Process.gid)
    __groups.find { |group| group.gid == gid } || raise(ArgumentError, "can't find group for #{gid}")
  end

  def self.getlogin
    nil
  end

  def self.__users
    __lines('/etc/passwd').map do |name, word, uid, gid, gecos, dir, shell|
      Passwd.new(name, word, uid.to_i, gid.to_i, gecos, dir, shell)
    end
  end

  def self.__groups
    __lines('/etc/group').map do |name, word, gid, members|
      Group.new(name, word, gid.to_i, (members || '').split(','))
    end
  end

  def self.__lines(file)
    File.readlines(file).map { |line| line.chomp.split(':') }
  end
end
