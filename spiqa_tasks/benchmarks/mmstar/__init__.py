"""MMStar: 1,500 vision-indispensable multiple-choice questions."""
