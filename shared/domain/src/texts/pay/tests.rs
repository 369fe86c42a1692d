use proptest::prelude::*;

use super::*;

fn shown(salary: Option<Salary>) -> String {
    salary.map_or_else(|| "-".to_owned(), |salary| salary.to_string())
}

fn at(text: &str, country: &str) -> String {
    shown(field(text, Hint::of_country(country)))
}

#[test]
fn a_field_is_read_as_it_is_written() {
    for (text, expected) in [
        ("80-90k", "80,000–90,000"),
        ("80 000 – 90 000 Kč měsíčně", "80,000–90,000 CZK per month"),
        ("£45,000 pa", "45,000 GBP per year"),
        ("£45,000 p.a.", "45,000 GBP per year"),
        ("€ 60.000", "60,000 EUR"),
        ("60.000 € brutto im Jahr", "60,000 EUR per year"),
        ("45k€ - 55k€ par an", "45,000–55,000 EUR per year"),
        ("CHF 100'000 – 120'000", "100,000–120,000 CHF"),
        ("US$ 120,000", "120,000 USD"),
        ("$120,000 CAD", "120,000 CAD"),
        ("$64,000 - $66,000 /Year", "64,000–66,000 per year"),
        ("$33.50 - $35.00 /Hour", "33.50–35 per hour"),
        ("up to £50k", "up to 50,000 GBP"),
        ("from 3 500 EUR / month", "from 3,500 EUR per month"),
        ("ab 45.000 € p.a.", "from 45,000 EUR per year"),
        ("8 000–12 000 zł/mies.", "8,000–12,000 PLN per month"),
        ("12 LPA", "1,200,000 INR per year"),
        ("₹6,00,000", "600,000 INR"),
        ("EUR 18,50 pro Stunde", "18.50 EUR per hour"),
        ("R$ 5.000,00 por mês", "5,000 BRL per month"),
        ("30 mil € al año", "30,000 EUR per year"),
        ("$100,000+", "from 100,000"),
        ("USD$157,000 per year - USD$174,000 per year", "157,000–174,000 USD per year"),
        ("42000", "42,000"),
        ("CAD $99,000 - CAD $110,000", "99,000–110,000 CAD"),
        ("$45K-$50", "45,000–50,000"),
        ("45 000 – 55 000 kr", "45,000–55,000"),
        ("od 40 000 do 60 000 Kč", "40,000–60,000 CZK"),
        ("competitive", "-"),
        ("DOE", "-"),
        ("1 or 2 or 3, who knows", "-"),
        ("$0.00 - $0.00 Hourly", "-"),
        ("$3,000 - $5,000 Bonus", "-"),
        ("OTE £120,000", "-"),
        ("£40,000 base, £80,000 OTE", "40,000 GBP"),
        ("£40,000 + 10% bonus", "40,000 GBP"),
    ] {
        assert_eq!(shown(field(text, Hint::default())), expected, "{text}");
    }
}

#[test]
fn a_shared_sign_means_what_the_country_says() {
    assert_eq!(at("$25/hr", "US"), "25 USD per hour");
    assert_eq!(at("$25/hr", "CA"), "25 CAD per hour");
    assert_eq!(at("$25/hr", "DE"), "25 per hour");
    assert_eq!(at("45 000 kr", "SE"), "45,000 SEK");
    assert_eq!(at("R 25 000 per month", "ZA"), "25,000 ZAR per month");
    assert_eq!(at("¥300,000 monthly", "JP"), "300,000 JPY per month");
    assert_eq!(shown(field("$25", Hint::of_language("en-AU"))), "25 AUD");
}

#[test]
fn prose_has_pay_where_it_speaks_of_it() {
    let read = |text| shown(prose(text, Hint::of_country("US")));
    for (text, expected) in [
        (
            "The base salary range for this role is $157,000 per year - $174,000 per year.",
            "157,000–174,000 USD per year",
        ),
        ("We offer pay of $25 an hour. The company made $3 million last year.", "25 USD per hour"),
        ("Salary is up to $45k.", "up to 45,000 USD"),
        ("Salary: 80-90k DOE", "80,000–90,000"),
        ("Rate: $60/hr on W2", "60 USD per hour"),
        ("We raised $20M and manage $1B+ in assets.", "-"),
        ("Get a $5,000 sign-on bonus and $2,000 relocation allowance", "-"),
        ("5 years of experience, 401k, 20 days off, $500 tuition", "-"),
        ("A budget of $50,000 per year is yours to spend", "-"),
        ("Salary: $50,000 in Ohio. Salary: $70,000 in New York.", "-"),
        ("Tickets cost $20.", "-"),
        ("Earn $100,000 to $200,000+ per year!", "100,000–200,000 USD per year"),
        ("Annual salary: $80,000 - $90,000", "80,000–90,000 USD per year"),
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
    let two = candidates("Salary: $50,000 in Ohio. Salary: $70,000 in New York.", Hint::default());
    assert_eq!(two.len(), 2);
}

proptest! {
    #[test]
    fn any_text_can_be_asked_for_pay(
        text in ".{0,120}",
        near in "[$€£k. ,'0-9–-]{0,30}(per|/|p\\.a\\.|Kč|zł| to )?[0-9 k.,]{0,12}(year|h|mo)?",
    ) {
        for text in [&text, &near] {
            for salary in [field(text, Hint::default()), prose(text, Hint::of_country("US"))].into_iter().flatten() {
                if let (Some(min), Some(max)) = (salary.min, salary.max) {
                    prop_assert!(min <= max);
                }
            }
        }
    }

    #[test]
    fn a_written_amount_reads_back(amount in 1_000u32..999_999) {
        let (thousands, rest) = (amount / 1_000, amount % 1_000);
        for mark in [",", ".", " ", "'", "\u{a0}"] {
            let text = format!("€{thousands}{mark}{rest:03}");
            let salary = field(&text, Hint::default());
            prop_assert_eq!(salary.and_then(|salary| salary.min), Some(f64::from(amount)), "{}", text);
        }
    }
}
