/// Declares an enumeration of answers: the values that are known, and [`Other`] for those that later versions add.
///
/// The first text is the prefix of the names in the .proto files, the text of a variant its name there without the prefix.
macro_rules! enumeration {
    (
        $(#[$documentation:meta])* $name:ident, $prefix:literal, $zero:ident = $zero_text:literal,
        { $($(#[$variant_documentation:meta])* $variant:ident = $text:literal),+ $(,)? }
    ) => {
        $(#[$documentation])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            /// The value of a member that is left out.
            #[default]
            $zero,
            $($(#[$variant_documentation])* $variant,)+
            /// A value that this version does not know: its text, or its number.
            Other(String),
        }

        impl $name {
            /// The name in the .proto files without its prefix.
            pub fn as_str(&self) -> &str {
                match self {
                    $name::$zero => $zero_text,
                    $($name::$variant => $text,)+
                    $name::Other(text) => text,
                }
            }

            #[allow(dead_code)]
            pub(crate) const PREFIX: &'static str = $prefix;

            #[allow(dead_code)]
            pub(crate) fn named(text: &str) -> $name {
                match text.strip_prefix($prefix).unwrap_or(text) {
                    "UNSPECIFIED" => $name::$zero,
                    $($text => $name::$variant,)+
                    other if other == $zero_text => $name::$zero,
                    other => $name::Other(other.to_owned()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(self.as_str())
            }
        }
    };
}

pub(crate) use enumeration;
