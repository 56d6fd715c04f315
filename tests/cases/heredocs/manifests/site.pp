# Heredocs: margins, trimming, escapes, interpolation, syntax tags, several on one line.
$who = 'ada'
notify { 'plain': message => @(END) }
No interpolation of ${who} and \t no escapes.
  Indented stays.
END
notify { 'margin': message => @(END) }
    four removed
      two left

    end
    | END
notify { 'trimmed': message => @(END) }
    no newline at the end
    |- END
notify { 'no margin trim': message => @(END) }
    kept
    - END
notify { 'interpolated': message => @("END") }
  Hello ${who}, ${facts['os']['name']} and $who; tab\t stays
  | END
notify { 'escapes': message => @("END"/tn$L) }
  tab[\t] nl[\n] dollar[\$who] joined \
  line ${who} \u2603
  | END
notify { 'all escapes': message => @(END/) }
  a\tb \\ \$ \u{263a} ${who}
  | END
notify { 'json': message => @(END:json) }
  {"a": [1, 2, {"b": null}]}
  | END
notify { @(FIRST)
  first title
  |- FIRST
: message => [@(A), @("B")] }
  text a
  | A
  text b ${who}
  |- B
notify { 'method': message => @(END).strip.upcase }

  shout
  | END
notify { 'empty': message => @(END) }
| END
notify { 'spaces in tag': message => @("end of text") }
  x
  | end of text
