//! The machine: quotas, throttling, steal, other people's processes, an uneven pace.
