"""A whole class: reports read back from JSON, and what they say together. A student is a place in a list of reports, everywhere."""
