//! Redaction of secrets (SPEC section 8).
