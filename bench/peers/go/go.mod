module plan_peer

go 1.25

require github.com/apache/iceberg-go v0.7.0
