//! Enumerations whose values have names.

/// Declares an enumeration. A row `Variant "name": "meaning";` gives a variant, its name and its
/// documentation. `ALL`, `name`, `meaning`, `from_name` and `Display` are derived from the rows.
#[macro_export]
macro_rules! named {
    ($(#[$meta:meta])* $Enum:ident {
        $($(#[$attribute:meta])* $Variant:ident $name:literal: $meaning:literal;)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $Enum { $($(#[$attribute])* #[doc = $meaning] $Variant),* }
        impl $Enum {
            /// All values, in order.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$Variant),*];
            /// The name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$Variant => $name),* }
            }
            /// The meaning of the value.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$Variant => $meaning),* }
            }
            /// The value with this name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.name() == name)
            }
        }
        impl std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
