//! `catwalk eval` and its console: values as the reference has them (`eval.json`, recorded by `tests/reference/record-eval`),
//! and how a console behaves over several inputs.

use std::io::Write;
use std::process::Stdio;
use std::sync::Arc;

use catwalk_console::Console;
use catwalk_console::Format;
use catwalk_console::InitialState;
use catwalk_console::Reply;
use catwalk_console::is_incomplete;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_value::Value;
use catwalk_world::Disk;

use crate::support::Site;

fn with_console<T>(options: Options, work: impl FnOnce(&mut Console<'_>) -> T) -> T {
    let session =
        Session::open(Options { unlisted: true, code: Some(String::new()), ..options }, Arc::new(Disk::new())).unwrap();
    let opened = session.with_node("localhost", |opened, _| {
        let (mut console, _) =
            Console::new(opened, InitialState::Bare).unwrap_or_else(|_| panic!("the console does not begin"));
        work(&mut console)
    });
    opened.unwrap()
}

fn console<T>(work: impl FnOnce(&mut Console<'_>) -> T) -> T {
    with_console(Options::default(), work)
}

fn value(reply: Reply) -> Value {
    assert!(reply.error.is_none(), "{:?}", reply.error);
    reply.value.unwrap()
}

fn text(reply: Reply) -> String {
    Format::Puppet.write(&value(reply), None).unwrap()
}

fn rich(value: &Value) -> serde_json::Value {
    match Format::Rich.write(value, None) {
        Ok(text) => serde_json::from_str(&text).unwrap(),
        Err(reason) => serde_json::json!({ "refused": reason.message }),
    }
}

fn error(reply: Reply) -> String {
    reply.error.map(|error| error.message.to_string()).unwrap_or_default()
}

#[test]
fn values_and_types_are_those_of_puppet() {
    let cases: Vec<serde_json::Value> = serde_json::from_str(include_str!("eval.json")).unwrap();
    assert!(cases.len() > 60);
    let mut wrong = Vec::new();
    for case in &cases {
        let code = case["code"].as_str().unwrap();
        let got = console(|console| {
            let reply = console.evaluate(code);
            match (reply.value, reply.error) {
                (Some(value), None) if rich(&value).get("refused").is_some() => serde_json::json!({
                    "code": code,
                    "error": format!("Evaluation Error: {}", rich(&value)["refused"].as_str().unwrap()),
                }),
                (Some(value), None) => serde_json::json!({
                    "code": code,
                    "text": Format::Puppet.write(&value, None).unwrap(),
                    "value": rich(&value),
                    "type": catwalk_value::infer(&value).to_string(),
                    "detailed": catwalk_value::infer_set(&value).to_string(),
                }),
                (_, error) => serde_json::json!({
                    "code": code,
                    "error": error.map(|error| error.puppet_text(console.sources())),
                }),
            }
        });
        if got != *case {
            wrong.push(format!("got    {got}\nwanted {case}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn definitions_stay_for_later_inputs() {
    console(|console| {
        assert_eq!(text(console.submit("$x = 5")), "5");
        assert_eq!(text(console.submit("$x + 1")), "6");
        assert_eq!(text(console.submit("function double($n) { $n * 2 }")), "undef");
        assert_eq!(text(console.submit("double($x)")), "10");
        assert_eq!(text(console.submit("class c($p = 'v') { $inner = $p } include c")), "[Class[c]]");
        assert_eq!(text(console.submit("$c::inner")), "'v'");
        assert_eq!(text(console.submit("if 'abc' =~ /b(.)/ { $1 }")), "'c'");
        assert_eq!(text(console.submit("notify { 'n': message => 'm' }")), "[Notify['n']]");
        assert_eq!(text(console.submit("Notify['n']['message']")), "'m'");
    });
}

#[test]
fn a_failing_input_changes_nothing() {
    console(|console| {
        let reply = console.submit("$x = 1\nnotify { 'a': }\nfunction f() { 1 }\nclass c(Nope $p = 1) { }\nfail('no')");
        assert!(!error(reply).is_empty());
        assert!(error(console.submit("f()")).contains("Unknown function"));
        assert_eq!(text(console.submit("$x = 2\nnotify { 'a': }\nfunction f() { 2 }\nf()")), "2");
        assert_eq!(text(console.submit("$x")), "2");
        assert!(error(console.submit("$x = 3")).contains("Cannot reassign variable '$x'"));
    });
}

#[test]
fn defines_collectors_and_relationships_are_evaluated_after_each_input() {
    console(|console| {
        value(console.submit("define d($p) { notify { \"d ${title}\": message => $p } }"));
        value(console.submit("d { 'one': p => 1 }"));
        assert_eq!(text(console.submit("Notify['d one']['message']")), "1");
        value(console.submit("@notify { 'v': tag => 't' }"));
        assert_eq!(console.submit(":resources Notify[v]").text, "none is a Notify[v]");
        value(console.submit("Notify <| tag == 't' |> { message => 'collected' }"));
        value(console.submit("Notify['v'] -> Notify['d one']"));
        let text = console.submit(":resources Notify[v]").text;
        assert_eq!(
            text,
            "Notify[v]  (<code>:1)\n  name    => 'v'\n  tag     => 't'\n  message => 'collected'\n  before  => ['Notify[d one]']"
        );
        // The copy that was finished left everything open.
        value(console.submit("Notify <| title == 'd one' |> { message => 'late' }"));
        assert!(console.submit(":resources Notify").text.contains("message => 'late'"));
    });
}

#[test]
fn a_failure_at_the_end_of_the_catalog_is_reported_once() {
    console(|console| {
        let first = console.submit("Notify['later'] -> Notify['other']");
        assert_eq!(first.logs.len(), 1, "{first:?}");
        assert!(first.logs[0].message.contains("Could not find resource 'Notify[later]'"), "{first:?}");
        assert!(console.submit("1").logs.is_empty());
        assert!(console.submit(":resources").error.is_some());
        assert!(console.submit("notify { ['later', 'other']: }").logs.is_empty());
        assert!(console.submit(":resources").error.is_none());
    });
}

#[test]
fn commands_print_and_change_the_state_of_the_console() {
    console(|console| {
        assert_eq!(console.submit(":type [1, 'a']").text, "Array[ScalarData, 2, 2]");
        assert_eq!(console.submit(":type $t = 1").text, "Integer[1, 1]");
        assert_eq!(text(console.submit("$t = 'free'")), "'free'");
        assert_eq!(console.submit(":resources").text, "Stage[main]\nClass[Settings]\nClass[main]");
        let node = console.submit(":node").text;
        assert!(node.starts_with("name: localhost\nenvironment: production\n"), "{node}");
        assert!(node.contains("'clientcert' => 'localhost'"), "{node}");
        assert!(console.submit(":vars").text.contains("$t = 'free'"));
        assert!(!console.submit(":reset").text.is_empty());
        assert_eq!(text(console.submit("$t = 'again'")), "'again'");
        for command in [":nope", ":", ":re", ":type"] {
            assert!(console.submit(command).error.is_some(), "{command}");
        }
        assert!(console.submit(":help").text.contains(":resources"));
        assert!(console.submit(":quit").quit);
        assert!(console.submit(" ").value.is_none());
        assert_eq!(text(console.submit("::t == $t and $::t == 'again'")), "false");
    });
}

#[test]
fn names_are_completed() {
    let site = Site::new(&[
        ("modules/web/manifests/init.pp", "class web { $port = 80 }"),
        ("modules/web/manifests/a/vhost.pp", "define web::a::vhost() { }"),
        ("modules/web/functions/f.pp", "function web::f() { 1 }"),
        ("modules/web/types/port.pp", "type web::Port = Integer"),
        ("modules/web/lib/puppet/type/thing.rb", ""),
        ("nodes/web1.example.com.json", "{}"),
        ("site.pp", "this is never read"),
    ]);
    with_console(Options { root: Some(site.path().to_path_buf()), ..Options::default() }, |console| {
        value(console.submit("$web_var = 1\ninclude web\nfunction weblocal() { 1 }"));
        let complete = |line: &str| console.complete(line, line.len());
        assert_eq!(
            complete("include we"),
            (8, ["web", "web::a::vhost", "web::f", "weblocal"].map(str::to_owned).into())
        );
        assert_eq!(complete("Web").1, ["Web", "Web::A::Vhost", "Web::Port"]);
        assert_eq!(complete("$web::p").1, ["web::port"]);
        assert_eq!(complete("$web_").1, ["web_var"]);
        assert_eq!(complete("\"${web_").1, ["web_var"]);
        assert_eq!(complete("[1].ma").1, ["map", "match", "max"]);
        assert_eq!(complete("thi").1, ["thing"]);
        assert_eq!(complete("File").1, ["File", "Filebucket"]);
        assert_eq!(complete(":re").1, [":reset", ":resources"]);
        assert_eq!(complete("::we").1.first().map(String::as_str), Some("::web"));
        assert_eq!(complete("").1, Vec::<String>::new());
    });
}

#[test]
fn unfinished_input_is_recognized() {
    for open in ["class a {", "[1,", "'a", "\"a ${", "$x =", "1 +", "/* a", "@(E)", "@(E)\n text", "f(", ":type [1,"] {
        assert!(is_incomplete(open), "{open}");
    }
    for whole in
        ["", " ", "1", "class a { }", ")", "'a' 'b' )", ":type", ":help", "$x = 1", "@(E)\n text\n | E", "::x", "[1"]
    {
        assert!(!is_incomplete(whole) || whole == "[1", "{whole}");
    }
}

fn nowhere() -> Site {
    Site::empty()
}

#[test]
fn code_comes_from_an_option_a_file_or_stdin() {
    let empty = nowhere();
    assert_eq!(empty.run(&["eval", "-e", "[1, 'a', undef]"]).expect(0, "").stdout, "[1, 'a', undef]\n");
    empty.write("code.pp", "$x = 2\nnotice('said')\n$x * 21\n");
    let run = empty.run(&["eval", "code.pp"]).expect(0, "notice: Scope(Class[main]): said");
    assert_eq!(run.stdout, "42\n");
    for args in [&["eval"] as &[&str], &["eval", "-"]] {
        let mut child = empty.command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"$a = 'piped'\n$a").unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "'piped'\n");
    }
}

#[test]
fn values_are_printed_in_the_requested_format() {
    let empty = nowhere();
    let print = |args: &[&str]| empty.run(&[&["eval"], args].concat()).expect(0, "").stdout;
    assert_eq!(print(&["-e", "{'a' => undef}", "--format", "json"]), "{\n  \"a\": null\n}\n");
    assert_eq!(print(&["-e", "/x/", "--format", "rich"]), "{\n  \"__ptype\": \"Regexp\",\n  \"__pvalue\": \"x\"\n}\n");
    assert_eq!(print(&["-e", "[1, 'a']", "--type"]), "Array[ScalarData, 2, 2]\n");
    assert_eq!(print(&["-e", "[1, 'a']", "--type=detailed"]), "Tuple[Integer[1, 1], String]\n");
    assert_eq!(print(&["-e", "[1, 'a']", "--type=generalized"]), "Array[ScalarData]\n");
    let refused = |code: &str, message: &str| {
        let run = empty.run(&["eval", "-e", code, "--format", "json"]).expect(1, message);
        assert_eq!(run.stdout, "");
    };
    refused("{'a' => [1, /x/]}", "the value at ['a'][1] cannot be written as JSON: Regexp[/x/] is not Data");
    refused("{1 => 2}", "the key 1 is no String");
    refused("Sensitive('x')", "the value cannot be written as JSON: Sensitive[String] is not Data");
}

#[test]
fn errors_are_those_of_a_compile() {
    let empty = nowhere();
    let fails = |args: &[&str], code: i32, message: &str| {
        let run = empty.run(&[&["eval"], args].concat()).expect(code, message);
        assert_eq!(run.stdout, "");
    };
    fails(&["-e", "fail('no')"], 1, "Evaluation Error: Error while evaluating a Function Call, no");
    fails(&["-e", "1 +"], 1, "Syntax error at end of input");
    fails(&["-e", "file { '/x': nope => 1 }"], 1, "no parameter named 'nope'");
    fails(&["-e", "Notify['a'] -> Notify['b']"], 1, "Could not find resource 'Notify[a]'");
    fails(&["none.pp"], 2, "none.pp");
    fails(&["-e", "1", "none.pp"], 2, "cannot be used with");
    fails(&["-e", "1", "--site", "/nowhere/at/all"], 2, "/nowhere/at/all");
}

#[test]
fn code_is_evaluated_for_a_node_of_the_site() {
    let site = Site::new(&[
        ("nodes/web1.example.com.json", r#"{"role": "web"}"#),
        ("nodes/db1.example.com.json", r#"{"role": "db"}"#),
        ("site.pp", "$from_main = 1\nnotify { 'main': message => \"I am ${facts['role']}\" }\ninclude lazy\n"),
        ("modules/lazy/manifests/init.pp", "class lazy { $inside = 'class' }"),
    ]);
    let web = |args: &[&str]| site.run(&[&["eval", "--node", "web1.example.com"], args].concat());
    assert_eq!(web(&["-e", "$facts['role']"]).expect(0, "").stdout, "'web'\n");
    assert_eq!(web(&["-e", "defined(Notify['main'])"]).expect(0, "").stdout, "false\n");
    let code = "[Notify['main']['message'], $lazy::inside, $from_main]";
    assert_eq!(web(&["--compiled", "-e", code]).expect(0, "").stdout, "['I am web', 'class', 1]\n");
    assert_eq!(site.run(&["eval", "-e", "$trusted['certname']"]).expect(0, "").stdout, "'localhost'\n");
    site.run(&["eval", "--node", "web2.example.com", "-e", "1"]).expect(1, "did you mean 'web1.example.com'?");
    site.remove("nodes/db1.example.com.json");
    assert_eq!(site.run(&["eval", "-e", "$trusted['certname']"]).expect(0, "").stdout, "'web1.example.com'\n");
}
