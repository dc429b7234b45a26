//! The manual page and the completions of shells, from the tables that the help is made from.

use super::grammar::{CommandSpec, OptionSpec};
use super::tables::COMMANDS;
use std::fmt::Write as _;

/// A text for packages: `lanewise help --man`, `lanewise help --completions bash`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    Man,
    Bash,
    Zsh,
    Fish,
}

impl Page {
    /// The completions for a shell of this name.
    pub(super) fn for_shell(name: &str) -> Option<Page> {
        Some(match name {
            "bash" => Page::Bash,
            "zsh" => Page::Zsh,
            "fish" => Page::Fish,
            _ => return None,
        })
    }

    pub fn text(self) -> String {
        match self {
            Page::Man => man(),
            Page::Bash => bash(),
            Page::Zsh => zsh(),
            Page::Fish => fish(),
        }
    }
}

/// Escapes text for troff: no line begins with a request, and backslashes and hyphens are literal.
fn roff(text: &str) -> String {
    let line = |line: &str| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        if line.starts_with(['.', '\'']) { format!("\\&{line}\n") } else { format!("{line}\n") }
    };
    text.lines().map(line).collect()
}

fn man() -> String {
    let mut page = format!(
        ".TH LANEWISE 1 \"\" \"lanewise {}\"\n.SH NAME\nlanewise \\- GPU kernels on the CPU\n\
         .SH SYNOPSIS\n.B lanewise\n.I COMMAND\n\\&...\n.SH DESCRIPTION\n\
         Compiles OpenCL kernels for this CPU and runs them on all of its cores.\n",
        env!("CARGO_PKG_VERSION")
    );
    for spec in COMMANDS {
        let CommandSpec { name, summary, usage, options, notes, example, .. } = spec;
        let _ = write!(page, ".SH {}\n{}", name.to_uppercase(), roff(summary));
        let _ = write!(page, ".PP\n.B {}", roff(&format!("lanewise {usage}")));
        for option in *options {
            let _ = write!(page, ".TP\n.B {}{}", roff(option.title().trim_start()), roff(option.help));
        }
        if !notes.is_empty() {
            let _ = write!(page, ".PP\n.nf\n{}.fi\n", roff(notes));
        }
        let _ = write!(page, ".PP\nExample:\n.PP\n.nf\n{}.fi\n", roff(example));
    }
    page
}

/// The names of an option: `--kernel`, `-k`.
fn names(option: &OptionSpec) -> impl Iterator<Item = &'static str> {
    [Some(option.long), option.short].into_iter().flatten()
}

fn bash() -> String {
    let mut text = String::from(
        "# Completions of lanewise for bash.\n_lanewise() {\n    \
         local word=${COMP_WORDS[COMP_CWORD]}\n    COMPREPLY=()\n    \
         if ((COMP_CWORD == 1)); then\n        \
         mapfile -t COMPREPLY < <(compgen -W '",
    );
    text += &COMMANDS.iter().map(|spec| spec.name).chain(["help"]).collect::<Vec<_>>().join(" ");
    text += "' -- \"$word\")\n        return\n    fi\n    [[ $word == -* ]] || return\n    \
             case ${COMP_WORDS[1]} in\n";
    for spec in COMMANDS {
        let words: Vec<&str> = spec.options.iter().flat_map(names).collect();
        let _ = writeln!(
            text,
            "        {}) mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$word\") ;;",
            spec.name,
            words.join(" ")
        );
    }
    text += "    esac\n}\ncomplete -o default -F _lanewise lanewise\n";
    text
}

fn zsh() -> String {
    let quoted = |text: &str| text.replace('\'', "'\\''").replace('[', "\\[").replace(']', "\\]");
    let mut text =
        String::from("#compdef lanewise\n# Completions of lanewise for zsh.\nlocal -a commands=(\n");
    for spec in COMMANDS {
        let _ = writeln!(text, "    '{}:{}'", spec.name, quoted(spec.summary));
    }
    text +=
        ")\nif ((CURRENT == 2)); then\n    _describe command commands\n    return\nfi\ncase $words[2] in\n";
    for spec in COMMANDS {
        let _ = write!(text, "    {}) _arguments", spec.name);
        for option in spec.options {
            let value = option.value.map_or(String::new(), |value| format!(":{}:_files", quoted(value)));
            for name in names(option) {
                let star = if option.repeats { "*" } else { "" };
                let _ = write!(text, " \\\n        '{star}{name}[{}]{value}'", quoted(option.help));
            }
        }
        text += " \\\n        '*:file:_files' ;;\n";
    }
    text += "esac\n";
    text
}

fn fish() -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('\'', "\\'");
    let mut text = String::from("# Completions of lanewise for fish.\n");
    for spec in COMMANDS {
        let _ = writeln!(
            text,
            "complete -c lanewise -n __fish_use_subcommand -f -a {} -d '{}'",
            spec.name,
            quoted(spec.summary)
        );
        for option in spec.options {
            let short = option.short.map_or(String::new(), |short| format!(" -s {}", &short[1..]));
            let value = if option.value.is_some() { " -r" } else { "" };
            let _ = writeln!(
                text,
                "complete -c lanewise -n '__fish_seen_subcommand_from {}' -l {}{short}{value} -d '{}'",
                spec.name,
                &option.long[2..],
                quoted(option.help)
            );
        }
    }
    text
}
