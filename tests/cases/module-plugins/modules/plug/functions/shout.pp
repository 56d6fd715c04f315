function plug::shout(String $text) >> String { "${text.upcase}!" }
