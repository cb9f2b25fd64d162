//! Tests that need more than one module, and the independent oracles that they lean on.
mod inputs;
mod oracle;
