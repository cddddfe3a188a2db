"""The generator: sheets → printed pages → photographs, with everything known about them."""
