"""Programs of other people that run the conversation of a test: started, watched through taps, and recorded."""
