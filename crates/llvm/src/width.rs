//! How many work-items run at once: a number of lanes, or a multiple of `vscale`.

use std::fmt;

/// A number of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Width {
    /// The lanes; of a scalable width those for each `vscale`.
    pub lanes: u32,
    /// The number of lanes is `lanes` times `vscale`, which is known at run time.
    pub scalable: bool,
}

impl Width {
    /// One work-item at a time.
    pub const ONE: Width = Width::fixed(1);

    pub const fn fixed(lanes: u32) -> Width {
        Width { lanes, scalable: false }
    }

    pub const fn scalable(lanes: u32) -> Width {
        Width { lanes, scalable: true }
    }

    /// The same kind of width with this many lanes.
    pub const fn with_lanes(self, lanes: u32) -> Width {
        Width { lanes, ..self }
    }

    /// The number of lanes, if it is known.
    pub fn known(self) -> Option<u32> {
        (!self.scalable).then_some(self.lanes)
    }

    /// The width that [`Width`]'s text says: `8`, or `nxv4`.
    pub fn parse(text: &str) -> Option<Width> {
        let (scalable, lanes) = match text.strip_prefix("nxv") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        lanes.parse().ok().filter(|lanes| *lanes > 0).map(|lanes| Width { lanes, scalable })
    }
}

impl From<u32> for Width {
    fn from(lanes: u32) -> Width {
        Width::fixed(lanes)
    }
}

/// `8`, or `nxv4` as LLVM abbreviates `<vscale x 4 x …>`.
impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.scalable { "nxv" } else { "" }, self.lanes)
    }
}
