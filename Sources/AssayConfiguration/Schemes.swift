package import AssaySchemes
package let builtInSchemes: [any AttestationScheme.Type] = []
