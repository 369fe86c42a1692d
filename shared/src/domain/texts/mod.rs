//! What short texts mean: days, pay, places, skills, kinds of work. Pure and bounded: any text can be read, and
//! a text that could mean two things means nothing here.

pub mod skills;
