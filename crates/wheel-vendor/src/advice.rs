//! An error as one line for a person, with what to do where the system itself says only what happened.

use std::io;

use wheel::WheelError;

/// The whole chain of causes; behind one of the operating system, what can be done about it.
pub(crate) fn advised(error: &anyhow::Error) -> String {
    let text = format!("{error:#}");
    let Some(system) = error.chain().find_map(of_system) else {
        return text;
    };
    let what = system.to_string();
    match pipe::advised(system).strip_prefix(&what) {
        Some(advice) => text + advice,
        None => text,
    }
}

/// The operating system's error that a cause is, or was made from.
fn of_system<'a>(cause: &'a (dyn std::error::Error + 'static)) -> Option<&'a io::Error> {
    if let Some(wheel) = cause.downcast_ref::<WheelError>() {
        return wheel.system();
    }
    let error = cause.downcast_ref::<io::Error>()?;
    match error.get_ref().and_then(|inner| inner.downcast_ref()) {
        Some(wheel) => WheelError::system(wheel),
        None => Some(error),
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn what_the_system_says_gets_what_to_do_once() {
        let full = || io::Error::from_raw_os_error(28);
        let expected =
            "a.so: No space left on device (os error 28); make room and run again".to_owned();
        let plain = Err::<(), _>(full()).context("a.so").unwrap_err();
        assert_eq!(advised(&plain), expected);
        let whole = pipe::failed(std::path::Path::new("a.so"), &full());
        assert_eq!(advised(&whole), expected);
        assert_eq!(
            advised(&anyhow::anyhow!("no zip; give one")),
            "no zip; give one"
        );
    }

    #[test]
    fn so_does_a_wheel_that_cannot_be_read() {
        let error = wheel::Archive::open("/nowhere/a-1-py3-none-any.whl".as_ref()).unwrap_err();
        let expected =
            "file.unreadable: No such file or directory (os error 2); check the path".to_owned();
        let carried = anyhow::Error::from(io::Error::other(error));
        assert_eq!(advised(&carried), expected);
    }
}
