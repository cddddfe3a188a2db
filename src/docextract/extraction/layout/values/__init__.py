"""How values of each kind are printed: where they begin and end, and which print around them is no part of them."""
