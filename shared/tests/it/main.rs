mod egress;
