class app::plain { notify { "plain ${app::host}": } }
