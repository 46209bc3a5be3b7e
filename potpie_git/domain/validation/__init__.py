"""The rules of the store as pure functions over records; writer, hook and CI call these and no others."""
