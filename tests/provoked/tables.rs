//! Tables that are not what was loaded: altered rows and definitions.
