pub mod egress;
