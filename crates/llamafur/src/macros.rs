//! Macros shared by types of settings.

/// Defines setters named after their fields: `NAME: TYPE` takes a value as it is, `NAME: TYPE => VALUE` converts it.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $type:ty $(=> $value:expr)?,)+) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $name: $type) -> Self {
            self.$name = setters!(@value $name $(=> $value)?);
            self
        }
    )+};
    (@value $name:ident) => { $name };
    (@value $name:ident => $value:expr) => { $value };
}

/// Defines the names of an enum's variants for printing and parsing: `CHOICE "SETTING" { VARIANT = "NAME", … }`.
macro_rules! names {
    ($choice:ident $setting:literal { $($variant:ident = $name:literal,)+ }) => {
        impl $choice {
            /// All choices.
            pub const ALL: [$choice; [$($name),+].len()] = [$($choice::$variant),+];

            /// Returns its name.
            pub fn name(self) -> &'static str {
                match self {
                    $($choice::$variant => $name,)+
                }
            }
        }

        impl std::fmt::Display for $choice {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $choice {
            type Err = crate::Error;

            fn from_str(name: &str) -> Result<$choice, crate::Error> {
                let known = $choice::ALL.into_iter().find(|choice| choice.name() == name);
                known.ok_or_else(|| {
                    let [names @ .., last] = [$($name),+];
                    crate::Error::setting($setting, format!("{} or {last}", names.join(", ")), name)
                })
            }
        }
    };
}
