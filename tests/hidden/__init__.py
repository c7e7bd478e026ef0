"""Games that hide their state: that nothing is shown or sent to a role which it cannot know."""
