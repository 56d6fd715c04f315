# On RedHat, bindings enabled through the client class, developer packages, Hiera data.
include mysql::client
