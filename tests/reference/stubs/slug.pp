# Replaces modules/webapp/scripts/functions/slug.rhai, which Puppet cannot run.
function webapp::slug(String[1] $title) >> String {
  regsubst(regsubst($title.downcase, '[^a-z0-9]+', '-', 'G'), '\A-|-\z', '', 'G')
}
