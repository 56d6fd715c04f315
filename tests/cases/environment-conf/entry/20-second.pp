notify { "second file sees: ${shared}": }
class in_manifests { notify { 'class from a main manifest': } }
