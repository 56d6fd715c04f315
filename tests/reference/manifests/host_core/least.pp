host { 'one.example.com': ip => '192.0.2.1' }
