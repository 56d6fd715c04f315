# Classes and defined types of the module rabbitmq.
include rabbitmq
include rabbitmq::management
include rabbitmq::service
