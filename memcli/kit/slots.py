"""Attributes that hold one value at a time, unless `mem.toml` says otherwise."""

from memcli.kit.words import listed

SINGLE_VALUED = listed("""
    lives_in works_at job_title email phone name nickname birthday age partner marital_status
    timezone language nationality employer school address
    prefers_editor prefers_language prefers_shell prefers_os prefers_browser prefers_theme
    prefers_package_manager prefers_formatter prefers_linter prefers_test_runner
    """)

# Methods that leave two values of one slot both current: which of them holds is shown when they are
# read. Named here, for a search does not load the methods.
KEEPING_BOTH = frozenset({"append"})
