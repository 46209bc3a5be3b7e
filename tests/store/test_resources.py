"""The lookup of shipped folders, from a checkout and from an installed package."""

from pathlib import Path

import pytest

from potpie_git.domain.errors import ExitCode, UnavailableError
from potpie_git.store import resources

REPOSITORY = Path(resources.__file__).parents[2]


@pytest.mark.parametrize(
    ("name", "folder"), [("example", ".potpie-example"), ("schema", "schema"), ("hooks", "hooks")]
)
def test_a_checkout_serves_its_top_level_folders(name: resources.ResourceName, folder: str) -> None:
    assert resources.resource_dir(name) == REPOSITORY / folder


def test_the_copy_inside_an_installed_package_is_found(tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "potpie_git"
    bundled = package / "_data" / "schema"
    bundled.mkdir(parents=True)
    # another project's folder beside the package must not be taken for ours
    (tmp_path / "site-packages" / "schema").mkdir()

    assert resources._find(package, "schema") == bundled


def test_a_stranger_s_folder_beside_the_package_is_never_served(tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "potpie_git"
    package.mkdir(parents=True)
    (tmp_path / "site-packages" / "hooks").mkdir()

    with pytest.raises(resources.MissingResourceError) as caught:
        resources._find(package, "hooks")

    error = caught.value
    assert isinstance(error, UnavailableError)
    assert error.exit_code is ExitCode.UNAVAILABLE
    assert error.code == "missing_resource"
    assert str(package / "_data" / "hooks") in error.detail["looked_in"]
    assert "install" in error.hint.lower()
