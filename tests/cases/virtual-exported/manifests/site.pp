# Virtual resources stay out unless collected or realized; exported ones stay in, marked.
@notify { 'virtual never': }
@notify { 'realized': }
@notify { ['listed a', 'listed b']: tag => 'list' }
@@notify { 'exported only': message => 'for others' }
@@notify { 'exported and collected': tag => 'mine' }
@wrap { 'virtual define': }
@wrap { 'realized define': }
realize Notify['realized'], Wrap['realized define']
realize(Notify['listed a'], [Notify['listed b']])
Notify <<| tag == 'mine' |>>
notify { 'plain': }
define wrap { notify { "inside ${title}": } @notify { "virtual inside ${title}": tag => 'inner' } }
Notify <| tag == 'inner' |>
class holder { @notify { 'in class': tag => ['x', 'holder_tag'] } }
include holder
Notify <| tag == 'x' and title != 'nothing' |>
