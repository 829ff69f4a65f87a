"""Reference tables: in memory, and in folders that are written and read again."""
