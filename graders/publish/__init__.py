"""From solutions to what students receive."""
