//! What does one document say? Links with their exact places, and a digest of the text.
