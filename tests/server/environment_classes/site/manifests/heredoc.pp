class heredoc(
  $heredoc = @(END),
    text
    here
    | END
)
{ }
