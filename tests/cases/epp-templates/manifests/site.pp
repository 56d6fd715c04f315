# EPP: parameters, trimming, comments, nested templates, calls from templates, what variables a template sees.
class { 'tmpl': users => ['ada', 'grace'], port => 8080 }
