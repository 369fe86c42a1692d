//! What short texts mean: days, pay, places, skills, kinds of work. Pure and bounded: any text can be read, and
//! a text that could mean two things means nothing here.

pub mod date;
pub mod gazetteer;
pub mod hint;
pub mod location;
pub mod pay;
pub mod skills;
pub mod work;
