notify { translate('%{count} of %{all}', { 'count' => 1, 'all' => 'x' }): }
notify { translate('plain'): }
