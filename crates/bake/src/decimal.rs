//! Decimal numbers, printed as bake prints them.
//!
//! Bake computes in binary floating point and prints the shortest decimal that reads back the same.
//! With whole numbers, halves, quarters and so on that is exact; with tenths it is not (`3.1 - 2.5`
//! comes out as 0.5999…), so arithmetic on those is refused, and so is what leaves 38 digits.

use std::cmp::Ordering;
use std::fmt;

/// `mantissa / 10^scale`, without trailing zeros in the fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal {
    mantissa: i128,
    scale: u32,
}

/// A number that this arithmetic refuses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecimalError {
    /// Not a number: `1_000`, `0x10`, `abc`.
    #[error("`{0}` is not a decimal number")]
    NotANumber(String),
    /// More than 38 digits, or an exponent beyond that.
    #[error("the number has too many digits to be exact")]
    TooLarge,
    /// `3.1 - 2.5`.
    #[error(
        "`{0}` is no exact binary number, and computing with it rounds; quote the value that is meant"
    )]
    Rounds(String),
    /// `1 / 3`.
    #[error("the quotient has no end as a decimal; quote the value that is meant")]
    NoEnd,
    /// `1 / 0`, `1 % 0`.
    #[error("division by zero")]
    ByZero,
    /// `-0`, `0 * -3`: printed there with its sign.
    #[error("a zero with a sign is printed as `-0`; write the number that is meant")]
    SignedZero,
    /// `1.5` where a whole number is needed.
    #[error("`{0}` is not a whole number")]
    NotWhole(String),
}

impl DecimalError {
    /// Whether bake itself computes this, and only we do not.
    pub(crate) fn is_ours(&self) -> bool {
        match self {
            Self::TooLarge | Self::Rounds(_) | Self::NoEnd | Self::SignedZero => true,
            Self::NotANumber(_) | Self::ByZero | Self::NotWhole(_) => false,
        }
    }
}

/// The power of ten beyond which an `i128` is certainly full.
const MOST_DIGITS: u32 = 38;

impl Decimal {
    /// Reads `12`, `-3.50`, `1e3`.
    ///
    /// # Errors
    /// [`DecimalError::NotANumber`] and [`DecimalError::TooLarge`].
    pub fn parse(text: &str) -> Result<Self, DecimalError> {
        let bad = || DecimalError::NotANumber(text.to_owned());
        let (number, exponent) = match text.find(['e', 'E']) {
            Some(at) => (
                &text[..at],
                text[at + 1..].parse::<i32>().map_err(|_| bad())?,
            ),
            None => (text, 0),
        };
        let (negative, digits) = match number.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, number.strip_prefix('+').unwrap_or(number)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + fraction.len() == 0 || !all_digits(whole) || !all_digits(fraction) {
            return Err(bad());
        }
        let mut mantissa = 0_i128;
        for digit in whole.bytes().chain(fraction.bytes()) {
            mantissa = mantissa
                .checked_mul(10)
                .and_then(|tens| tens.checked_add(i128::from(digit - b'0')))
                .ok_or(DecimalError::TooLarge)?;
        }
        if negative && mantissa == 0 {
            return Err(DecimalError::SignedZero);
        }
        let mantissa = if negative { -mantissa } else { mantissa };
        let fraction = i32::try_from(fraction.len()).map_err(|_| DecimalError::TooLarge)?;
        let shift = exponent
            .checked_sub(fraction)
            .ok_or(DecimalError::TooLarge)?;
        Self::scaled(mantissa, shift)
    }

    /// `mantissa * 10^shift`.
    fn scaled(mantissa: i128, shift: i32) -> Result<Self, DecimalError> {
        if mantissa == 0 {
            return Ok(Self::from(0));
        }
        let power = shift.unsigned_abs();
        if power > MOST_DIGITS {
            return Err(DecimalError::TooLarge);
        }
        if shift >= 0 {
            let mantissa = 10_i128
                .checked_pow(power)
                .and_then(|tens| mantissa.checked_mul(tens))
                .ok_or(DecimalError::TooLarge)?;
            return Ok(Self { mantissa, scale: 0 });
        }
        Ok(Self::reduced(mantissa, power))
    }

    fn reduced(mut mantissa: i128, mut scale: u32) -> Self {
        while scale > 0 && mantissa % 10 == 0 {
            mantissa /= 10;
            scale -= 1;
        }
        Self { mantissa, scale }
    }

    /// Both mantissas over the larger scale.
    fn aligned(self, other: Self) -> Result<(i128, i128, u32), DecimalError> {
        let scale = self.scale.max(other.scale);
        let lift = |number: Self| {
            10_i128
                .checked_pow(scale - number.scale)
                .and_then(|tens| number.mantissa.checked_mul(tens))
                .ok_or(DecimalError::TooLarge)
        };
        Ok((lift(self)?, lift(other)?, scale))
    }

    /// Whether it is a whole number of halves, quarters, …, which binary arithmetic holds exactly.
    #[must_use]
    pub fn is_binary(self) -> bool {
        5_i128
            .checked_pow(self.scale)
            .is_some_and(|fives| self.mantissa % fives == 0)
    }

    fn exact(self, other: Self) -> Result<(), DecimalError> {
        match [self, other].into_iter().find(|number| !number.is_binary()) {
            Some(rounded) => Err(DecimalError::Rounds(rounded.to_string())),
            None => Ok(()),
        }
    }

    /// The sum.
    ///
    /// # Errors
    /// [`DecimalError::Rounds`] and [`DecimalError::TooLarge`].
    pub fn plus(self, other: Self) -> Result<Self, DecimalError> {
        self.exact(other)?;
        let (left, right, scale) = self.aligned(other)?;
        let sum = left.checked_add(right).ok_or(DecimalError::TooLarge)?;
        Ok(Self::reduced(sum, scale))
    }

    /// The difference.
    ///
    /// # Errors
    /// [`DecimalError::Rounds`] and [`DecimalError::TooLarge`].
    pub fn minus(self, other: Self) -> Result<Self, DecimalError> {
        self.plus(Self {
            mantissa: -other.mantissa,
            ..other
        })
    }

    /// The product.
    ///
    /// # Errors
    /// [`DecimalError::Rounds`] and [`DecimalError::TooLarge`].
    pub fn times(self, other: Self) -> Result<Self, DecimalError> {
        self.exact(other)?;
        let product = self
            .mantissa
            .checked_mul(other.mantissa)
            .ok_or(DecimalError::TooLarge)?;
        let product = Self::reduced(product, self.scale + other.scale);
        product.without_sign(self.is_negative() != other.is_negative())
    }

    /// The quotient, when it is a decimal with an end.
    ///
    /// # Errors
    /// [`DecimalError::ByZero`], [`DecimalError::NoEnd`], [`DecimalError::Rounds`] and
    /// [`DecimalError::TooLarge`].
    pub fn over(self, other: Self) -> Result<Self, DecimalError> {
        self.exact(other)?;
        let (mut left, right, _) = self.aligned(other)?;
        if right == 0 {
            return Err(DecimalError::ByZero);
        }
        let mut scale = 0;
        while left % right != 0 {
            left = left.checked_mul(10).ok_or(DecimalError::NoEnd)?;
            scale += 1;
        }
        let quotient = Self::reduced(left / right, scale);
        quotient.without_sign(self.is_negative() != other.is_negative())
    }

    /// The remainder, with the sign of the dividend.
    ///
    /// # Errors
    /// [`DecimalError::ByZero`], [`DecimalError::Rounds`] and [`DecimalError::TooLarge`].
    pub fn remainder(self, other: Self) -> Result<Self, DecimalError> {
        self.exact(other)?;
        let (left, right, scale) = self.aligned(other)?;
        match left.checked_rem(right) {
            Some(rest) => Self::reduced(rest, scale).without_sign(self.is_negative()),
            None => Err(DecimalError::ByZero),
        }
    }

    fn is_negative(self) -> bool {
        self.mantissa < 0
    }

    /// Refuses a zero that came out with a sign.
    fn without_sign(self, signed: bool) -> Result<Self, DecimalError> {
        if self.mantissa == 0 && signed {
            return Err(DecimalError::SignedZero);
        }
        Ok(self)
    }

    /// The number without its fraction.
    ///
    /// # Errors
    /// [`DecimalError::SignedZero`] for `-0.5`.
    pub fn truncated(self) -> Result<Self, DecimalError> {
        let mantissa = 10_i128
            .checked_pow(self.scale)
            .map_or(0, |tens| self.mantissa / tens);
        Self { mantissa, scale: 0 }.without_sign(self.is_negative())
    }

    /// The number with the other sign.
    ///
    /// # Errors
    /// [`DecimalError::SignedZero`] for zero.
    pub fn negated(self) -> Result<Self, DecimalError> {
        let negated = Self {
            mantissa: -self.mantissa,
            ..self
        };
        negated.without_sign(true)
    }

    /// The order of the two as numbers.
    ///
    /// # Errors
    /// [`DecimalError::TooLarge`] when they cannot be brought to one scale.
    pub fn order(self, other: Self) -> Result<Ordering, DecimalError> {
        let (left, right, _) = self.aligned(other)?;
        Ok(left.cmp(&right))
    }

    /// The number as a whole one.
    ///
    /// # Errors
    /// [`DecimalError::NotWhole`] for `1.5`, [`DecimalError::TooLarge`] beyond 64 bits.
    pub fn whole(self) -> Result<i64, DecimalError> {
        if self.scale > 0 {
            return Err(DecimalError::NotWhole(self.to_string()));
        }
        i64::try_from(self.mantissa).map_err(|_| DecimalError::TooLarge)
    }
}

impl From<i64> for Decimal {
    fn from(whole: i64) -> Self {
        Self {
            mantissa: i128::from(whole),
            scale: 0,
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.mantissa < 0 { "-" } else { "" };
        let digits = self.mantissa.unsigned_abs().to_string();
        let scale = self.scale as usize;
        if scale == 0 {
            return write!(formatter, "{sign}{digits}");
        }
        let padded = format!("{digits:0>width$}", width = scale + 1);
        let (whole, fraction) = padded.split_at(padded.len() - scale);
        write!(formatter, "{sign}{whole}.{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn a_number_is_printed_as_bake_prints_it() {
        let cases = [
            ("3.10", "3.1"),
            ("1e3", "1000"),
            ("007", "7"),
            ("-0.50", "-0.5"),
            ("1.5e-3", "0.0015"),
            ("2500E-2", "25"),
            ("0.000", "0"),
            ("+0", "0"),
            ("1234567890123456789012", "1234567890123456789012"),
        ];
        for (text, printed) in cases {
            assert_eq!(number(text).to_string(), printed, "{text}");
        }
    }

    #[test]
    fn arithmetic_is_exact() {
        let (half, quarter) = (number("0.5"), number("0.25"));
        assert_eq!(half.plus(quarter), Ok(number("0.75")));
        assert_eq!(quarter.minus(half), Ok(number("-0.25")));
        assert_eq!(half.times(quarter), Ok(number("0.125")));
        assert_eq!(number("7").over(number("4")), Ok(number("1.75")));
        assert_eq!(number("7").over(number("5")), Ok(number("1.4")));
        assert_eq!(number("-7").remainder(number("4")), Ok(number("-3")));
        assert_eq!(number("7").order(number("7.5")), Ok(Ordering::Less));
    }

    #[test]
    fn tenths_are_not_computed_with() {
        let error = number("3.1").minus(number("2.5")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`3.1` is no exact binary number, and computing with it rounds; quote the value that is meant"
        );
        assert_eq!(number("3.1").order(number("3.9")), Ok(Ordering::Less));
    }

    #[test]
    fn what_cannot_be_exact_is_refused() {
        let (one, three) = (number("1"), number("3"));
        assert_eq!(one.over(three), Err(DecimalError::NoEnd));
        assert_eq!(one.over(number("0")), Err(DecimalError::ByZero));
        let zero = number("0");
        let signed = [
            zero.negated(),
            zero.times(number("-3")),
            number("-4").remainder(number("2")),
            number("-0.5").truncated(),
            Decimal::parse("-0.0"),
        ];
        assert_eq!(signed, [const { Err(DecimalError::SignedZero) }; 5]);
        assert_eq!(Decimal::parse(&"9".repeat(60)), Err(DecimalError::TooLarge));
        assert_eq!(Decimal::parse("1e99"), Err(DecimalError::TooLarge));
        let huge = number(&"9".repeat(38));
        assert_eq!(huge.times(huge), Err(DecimalError::TooLarge));
    }

    #[test]
    fn text_that_is_no_number_is_refused() {
        for text in [
            "", "-", ".", "1_000", "0x10", " 1", "1e", "inf", "NaN", "1.2.3",
        ] {
            assert_eq!(
                Decimal::parse(text),
                Err(DecimalError::NotANumber(text.to_owned())),
                "{text}"
            );
        }
    }
}
