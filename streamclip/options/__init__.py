"""Options: what a caller may ask for, checked once, and the budgets of hosts."""
