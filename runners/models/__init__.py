"""Models of any provider as agents: names, requests, retries, prices and budgets."""
