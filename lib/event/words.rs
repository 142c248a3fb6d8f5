//! The closed vocabularies of the contract: kinds, states, capabilities.

use std::fmt;

macro_rules! words {
    ($(#[doc = $doc:literal])* $name:ident { $($(#[doc = $each:literal])* $word:ident = $text:literal,)* }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[doc = $each])* $word,)* }

        impl $name {
            /// Every one, in the order of the contract.
            pub const ALL: &[$name] = &[$($name::$word,)*];

            /// The word as it is written.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $($name::$word => $text,)* }
            }

            /// Reads the word.
            #[must_use]
            pub fn from_word(word: &str) -> Option<$name> {
                match word { $($text => Some($name::$word),)* _ => None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

words! {
    /// What an event tells.
    Kind {
        /// The child exists.
        Created = "created",
        /// It moved to another state.
        StateChanged = "state_changed",
        /// What it is at.
        Activity = "activity",
        /// It is alive.
        Heartbeat = "heartbeat",
        /// It ended.
        Terminal = "terminal",
        /// A correction by an authority.
        Reconciliation = "reconciliation",
        /// About the observation, not the child.
        Diagnostic = "diagnostic",
    }
}

words! {
    /// The state of a child.
    State {
        /// It exists.
        Created = "created",
        /// It is being brought up.
        Starting = "starting",
        /// It works.
        Running = "running",
        /// It waits for somebody.
        Waiting = "waiting",
        /// It ended well.
        Completed = "completed",
        /// It ended in failure.
        Failed = "failed",
        /// It was stopped.
        Cancelled = "cancelled",
        /// Nobody knows what became of it.
        Lost = "lost",
    }
}

impl State {
    /// Whether a child in this state has ended for good.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        matches!(
            self,
            State::Completed | State::Failed | State::Cancelled | State::Lost
        )
    }
}

words! {
    /// Whether the source can tell something.
    Capability {
        /// It can.
        Known = "known",
        /// It cannot, or does not say.
        Unknown = "unknown",
    }
}

/// What a source can tell about a child. What it does not mention is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Everything since the beginning was observed.
    pub history: Capability,
    /// It sends signs of life.
    pub heartbeat: Capability,
    /// It can be asked for a snapshot.
    pub snapshot: Capability,
    /// It can be cancelled through the source.
    pub cancel: Capability,
    /// The source says why a child ended.
    pub terminal_cause: Capability,
}

impl Capabilities {
    /// Nothing is known.
    pub const UNKNOWN: Capabilities = Capabilities {
        history: Capability::Unknown,
        heartbeat: Capability::Unknown,
        snapshot: Capability::Unknown,
        cancel: Capability::Unknown,
        terminal_cause: Capability::Unknown,
    };

    /// The members under their names, in output order.
    #[must_use]
    pub fn members(&self) -> [(&'static str, Capability); 5] {
        [
            ("history", self.history),
            ("heartbeat", self.heartbeat),
            ("snapshot", self.snapshot),
            ("cancel", self.cancel),
            ("terminalCause", self.terminal_cause),
        ]
    }

    /// The member of that name.
    pub fn member_mut(&mut self, name: &str) -> Option<&mut Capability> {
        match name {
            "history" => Some(&mut self.history),
            "heartbeat" => Some(&mut self.heartbeat),
            "snapshot" => Some(&mut self.snapshot),
            "cancel" => Some(&mut self.cancel),
            "terminalCause" => Some(&mut self.terminal_cause),
            _ => None,
        }
    }
}
