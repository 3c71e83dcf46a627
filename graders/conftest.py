"""`pytest graders --submission PATH` runs the hidden checks as pytest items. All of it is in graders/faces/pytest_items.py."""

import pytest

from graders.faces import pytest_items


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Hand over to the face. This hook is the first moment at which a conftest.py is asked anything."""
    pytest_items.install(parser, pluginmanager)
