# What `environment.conf` says (`Puppet::Settings::EnvironmentConf`).

module Puppet
  class Settings
    class EnvironmentConf
      attr_reader :path_to_env, :global_module_path

      def self.load_from(path_to_env, global_module_path)
        path = File.expand_path(path_to_env)
        file = File.join(path, 'environment.conf')
        new(path, File.file?(file) ? lines_of(File.read(file)) : {}, global_module_path)
      end

      def self.lines_of(text)
        found = {}
        text.each_line do |line|
          break if line =~ /\A\s*\[(?!main\])/
          name, value = line.split('=', 2)
          next if value.nil? || line =~ /\A\s*#/

          found[name.strip] = value.strip.sub(/\s+#.*\z/, '')
        end
        found
      end

      def initialize(path_to_env, section, global_module_path = [])
        @path_to_env = path_to_env
        @section = section || {}
        @global_module_path = global_module_path
      end

      def raw_setting(name)
        @section[name.to_s]
      end

      def modulepath
        given = raw_setting(:modulepath)
        paths = given ? given.split(':') : [File.join(@path_to_env, 'modules')] + @global_module_path
        paths.flat_map { |path| globbed(absolute(path)) }.join(':')
      end

      def manifest
        absolute(raw_setting(:manifest) || Puppet[:default_manifest])
      end

      def config_version
        absolute(raw_setting(:config_version))
      end

      private

      def globbed(path)
        path =~ /[*?\[{]/ ? Dir.glob(path) : [path]
      end

      def absolute(path)
        return path if path.nil? || path =~ /^\$/

        File.expand_path(path, @path_to_env)
      end
    end
  end
end
