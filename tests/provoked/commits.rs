//! Commits that only look durable: syncs interposed, logs in memory, unlogged tables, settings.
