include mysql::client
package { 'mysql_client': ensure => installed }
