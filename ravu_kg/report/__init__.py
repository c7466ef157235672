"""What was found as a page, pictures or a clip that can be sent to somebody."""
