//! What do we do? The use cases, over ports, knowing no edge.
