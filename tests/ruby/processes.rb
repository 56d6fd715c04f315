# Processes: asked of a world that has some.
`echo a b`  #=> "a b\n"
`echo "x y" | tr x z`  #=> "z y\n"
(`exit 3`; $?.exitstatus)  #=> 3
(system("true"); $?.success?)  #=> true
system("exit 2")  #=> false
system("/nonexistent/program")  #=> nil
`/nonexistent/program`  #=> !Errno::ENOENT: No such file or directory - /nonexistent/program
%x(printf 'a\nb').lines.map(&:chomp)  #=> ["a", "b"]
(require "open3"; o, e, s = Open3.capture3("echo out; echo err >&2; exit 4"); [o, e, s.exitstatus, s.success?])  #=> ["out\n", "err\n", 4, false]
(require "open3"; Open3.capture2("cat", stdin_data: "in").first)  #=> "in"
(require "open3"; Open3.capture2e("echo a; echo b >&2").first)  #=> "a\nb\n"
(require "puppet/util/execution"; Puppet::Util::Execution.execute("echo a; echo b >&2"))  #=> "a\nb\n"
(require "puppet/util/execution"; r = Puppet::Util::Execution.execute(["echo", "a b"], failonfail: true); [r, r.exitstatus, r.is_a?(String), r.strip + "!"])  #=> ["a b\n", 0, true, "a b!"]
(require "puppet/util/execution"; Puppet::Util::Execution.execute("exit 3"))  #=> !Puppet::ExecutionFailure: Execution of 'exit 3' returned 3: 
(require "puppet/util/execution"; Puppet::Util::Execution.execute("echo no; exit 3", failonfail: false).exitstatus)  #=> 3
(require "puppet/util/execution"; Puppet::Util::Execution.execute("echo out; echo no >&2; exit 3", failonfail: true))  #=> !Puppet::ExecutionFailure: Execution of 'echo out; echo no >&2; exit 3' returned 3: out
(require "puppet/util/execution"; Puppet::Util::Execution.execute(["sh", "-c", "echo $V; pwd"], custom_environment: { "V" => "w" }, cwd: "/tmp"))  #=> "w\n/tmp\n"
(require "puppet/util/execution"; Puppet::Util::Execution.execute("true", cwd: "/nonexistent"))  #=> !ArgumentError: Working directory /nonexistent does not exist!
# what code changed in ENV
(ENV.store("CATWALK_Y", "2"); ENV.update("CATWALK_Z" => "3"); r = `echo $CATWALK_Y$CATWALK_Z`; ENV["CATWALK_Y"] = nil; ENV.delete("CATWALK_Z"); [r, ENV.key?("CATWALK_Y")])  #=> ["23\n", false]
