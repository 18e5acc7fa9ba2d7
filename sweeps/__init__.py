"""Questions asked of millions of models: pure tasks, cut into shards, on one machine or many."""
