"""Chart: what pictures share: the theme, axes, lines, and the systems that are in colour."""
