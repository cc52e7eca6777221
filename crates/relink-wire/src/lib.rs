//! How do we say it? The renderings shared by files, terminal and API.
