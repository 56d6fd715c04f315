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
# open files
(require "tempfile"; f = Tempfile.new("x"); f.write("a", 1, :b); f.puts("l", ["m", ["n\n"]]); f.puts; f.print("p", "q"); f << "r" << "s"; f.rewind; r = f.read; f.close!; r)  #=> "a1bl\nm\nn\n\npqrs"
(require "tempfile"; f = Tempfile.new("x"); f.puts("a", "b", "c"); f.rewind; r = [f.gets, f.pos, f.readline, f.eof?, f.getc, f.readlines, f.eof?, f.gets, f.read, f.size]; f.close; f.unlink; r)  #=> ["a\n", 2, "b\n", false, "c", ["\n"], true, nil, "", 6]
(require "tempfile"; f = Tempfile.new("x"); f.puts("a", "b"); f.flush; g = File.open(f.path); r = [g.gets, g.path == f.path, g.stat.size, g.each_line.to_a, g.closed?, g.close, g.closed?]; f.close!; r)  #=> ["a\n", true, 4, ["b\n"], false, nil, true]
(require "tempfile"; f = Tempfile.new("x"); g = File.open(f.path, "w"); begin; g.read; rescue IOError => e; r = e.message; end; g.close; f.close!; r)  #=> "not opened for reading"
(require "tempfile"; f = Tempfile.new("x"); g = File.open(f.path); begin; g.write("a"); rescue IOError => e; r = e.message; end; g.close; f.close!; r)  #=> "not opened for writing"
(require "tempfile"; f = Tempfile.new("x"); g = File.open(f.path); g.close; begin; g.read; rescue IOError => e; r = e.message; end; f.close!; r)  #=> "closed stream"
(require "tempfile"; f = Tempfile.new("x"); f.write("abcdef"); f.truncate(2); f.rewind; r = f.read; f.close!; r)  #=> "ab"
(require "tempfile"; f = Tempfile.new("x"); g = File.open(f.path); begin; g.no_such_method; rescue NoMethodError => e; r = e.message[/undefined method `\w+'/]; end; g.close; f.close!; r)  #=> "undefined method `no_such_method'"
(require "tempfile"; f = Tempfile.new("x"); g = File.open(f.path); begin; g.seek; rescue ArgumentError => e; r = e.message; end; g.close; f.close!; r)  #=> "wrong number of arguments (given 0, expected 1..2)"
(require "tempfile"; f = Tempfile.new("x"); f.write("abcdef"); f.flush; g = File.open(f.path, "r+"); g.seek(2); g.write("X"); g.rewind; r = [g.read, g.pos, g.tell]; g.close; f.close!; r)  #=> ["abXdef", 6, 6]
