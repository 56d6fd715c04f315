# Processes: evaluated in a world that can start them.
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
# IO.popen
IO.popen("echo a b").read  #=> "a b\n"
(io = IO.popen("echo a; echo b"); r = [io.gets, io.gets, io.gets, io.eof?]; io.close; [r, io.closed?, $?.success?])  #=> [["a\n", "b\n", nil, true], true, true]
IO.popen(["echo", "a  b"]).read  #=> "a  b\n"
IO.popen("exit 3") { |io| io.read }  #=> ""
(IO.popen("exit 3") { |io| io.read }; $?.exitstatus)  #=> 3
IO.popen(["printf", "a\nb\n"]) { |io| io.readlines }  #=> ["a\n", "b\n"]
IO.popen(["printf", "a\nb\n"], &:readlines).map(&:chomp)  #=> ["a", "b"]
IO.popen("printf 'a\nb'").each_line.map(&:chomp)  #=> ["a", "b"]
IO.popen(["cat"], "r+") { |io| io.write("x", 1); io.puts "y", ["z"]; io << "w"; io.close_write; io.read }  #=> "x1y\nz\nw"
IO.popen("tr a-z A-Z", "r+") { |io| io.print "up"; io.close_write; io.gets }  #=> "UP"
IO.popen({ "CATWALK_V" => "w" }, "echo $CATWALK_V").read  #=> "w\n"
IO.popen([{ "CATWALK_V" => "w" }, "sh", "-c", "echo $CATWALK_V"]).read  #=> "w\n"
IO.popen(["sh", "-c", "echo a; echo b >&2", err: [:child, :out]]).read  #=> "a\nb\n"
IO.popen(["sh", "-c", "echo a; echo b >&2"], err: [:child, :out]) { |io| io.read }  #=> "a\nb\n"
IO.popen("pwd", chdir: "/tmp").read  #=> "/tmp\n"
IO.popen("/nonexistent/program")  #=> !Errno::ENOENT: No such file or directory - /nonexistent/program
IO.popen("echo a").class  #=> IO
(io = IO.popen("echo a"); io.close; io.read)  #=> !IOError: closed stream
IO.popen("cat", "w") { |io| io.read }  #=> !IOError: not opened for reading
IO.popen("echo a") { |io| io.write("b") }  #=> !IOError: not opened for writing
# changes of ENV
(ENV.store("CATWALK_Y", "2"); ENV.update("CATWALK_Z" => "3"); r = `echo $CATWALK_Y$CATWALK_Z`; ENV["CATWALK_Y"] = nil; ENV.delete("CATWALK_Z"); [r, ENV.key?("CATWALK_Y")])  #=> ["23\n", false]
