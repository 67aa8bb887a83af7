//! What is told to somebody who does not know the tool yet.

use crate::run::{command, finish, start, wheelhouse};

#[test]
fn without_a_command_the_commands_are_named() {
    assert_eq!(
        wheelhouse(&[], "").refusal(),
        (
            2,
            "wheelhouse: name a command: tags, missing or pull; --help tells more"
        )
    );
}

/// Clap wraps its own lines at the terminal's width and begins those of an example anew wherever they are cut.
#[test]
fn the_help_of_each_command_fits_80_columns() {
    let home = tempfile::tempdir().unwrap();
    for arguments in [
        &["--help"][..],
        &["tags", "--help"],
        &["missing", "--help"],
        &["pull", "--help"],
    ] {
        let shown = |columns: &str| {
            let mut command = command(home.path(), arguments);
            command.env("COLUMNS", columns);
            let said = finish(start(command, ""));
            assert_eq!((said.code, said.stderr.as_str()), (0, ""));
            said.stdout
        };
        let end = |help: String| {
            help.split_once("\nEXAMPLES\n")
                .map(|(_, end)| end.to_owned())
        };
        let help = shown("80");
        assert!(
            help.lines().all(|line| line.chars().count() <= 80),
            "{help}"
        );
        assert_eq!(end(help), end(shown("200")), "{arguments:?}");
    }
}
