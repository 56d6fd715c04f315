# What is said of this file comes before the error of the next one.
$options = { 'a' => 1, 'a' => 2 }
notify { 'first': }
