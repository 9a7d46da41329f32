"""Tools that people prefer one of, by what they are for, and the patterns that say so."""

import re

from memcli.kit.words import listed

# What is listed first counts where a tool does two things (ruff lints and formats).
TOOLS: dict[str, frozenset[str]] = {
    "prefers_editor": listed(
        "vim neovim nvim emacs nano vscode vs_code visual_studio_code sublime sublime_text helix zed"
        " pycharm intellij intellij_idea webstorm cursor atom notepad++ xcode kakoune rubymine goland"
    ),
    "prefers_shell": listed("zsh bash fish nushell powershell tcsh ksh xonsh"),
    "prefers_browser": listed(
        "firefox chrome chromium safari edge brave opera vivaldi arc librewolf"
    ),
    "prefers_os": listed(
        "linux macos mac_os windows ubuntu debian fedora arch_linux nixos freebsd openbsd linux_mint"
    ),
    "prefers_package_manager": listed(
        "npm pnpm yarn pip pipenv poetry uv conda mamba pdm homebrew cargo bundler composer maven gradle"
    ),
    "prefers_linter": listed(
        "ruff flake8 pylint eslint oxlint golangci-lint rubocop clippy shellcheck"
    ),
    "prefers_formatter": listed(
        "black yapf autopep8 prettier biome gofmt rustfmt clang-format dprint"
    ),
    "prefers_test_runner": listed("pytest unittest nose jest vitest mocha ava junit rspec tox nox"),
    "prefers_language": listed(
        "python rust golang go java kotlin scala ruby javascript typescript c++ c# haskell elixir"
        " clojure php perl swift julia ocaml erlang f# zig lua r c"
    ),
    "prefers_theme": listed(
        "dark_mode light_mode dark_theme light_theme dark_themes light_themes solarized dracula"
        " gruvbox nord high_contrast"
    ),
}
# Everyday words, which are tools only where the kind or another tool of the kind is named.
_AMBIGUOUS = listed(
    "fish black go r c swift ruby atom edge opera brave safari arc cursor nano jest"
    " nose ava mocha composer windows bash nord poetry uv yarn julia java perl cargo helix zed biome"
)
_KINDS = {
    "prefers_editor": r"editors?|ide",
    "prefers_shell": r"shells?|terminal",
    "prefers_browser": r"browsers?",
    "prefers_os": r"os|operating systems?",
    "prefers_package_manager": r"package managers?|packages|dependencies",
    "prefers_linter": r"linters?|linting|lint",
    "prefers_formatter": r"formatters?|formatting|format",
    "prefers_test_runner": r"tests?|testing|test runners?",
    "prefers_language": r"(?:programming )?languages?|code|coding|program",
    "prefers_theme": r"themes?|mode",
}
_KIND = {attribute: re.compile(rf"\b(?:{kind})\b", re.I) for attribute, kind in _KINDS.items()}
# One uses several languages, systems and browsers: only a preference or a change says which.
_CHOSEN_ONLY = listed("prefers_language prefers_os prefers_browser prefers_theme")
_WORD = re.compile(r"[^\W_][\w+#-]{0,30}(?: [^\W_][\w+#-]{0,20}){0,2}")


def tool_value(text: str, at: int, *, chosen: bool) -> tuple[str, int] | None:
    """(attribute, end) of the tool that begins at `at`, or None.

    `chosen`: the words before say that it is preferred, and not only that it is used.
    """
    found = _WORD.match(text, at)
    if found is None:
        return None
    pieces = found[0].split(" ")
    for count in range(len(pieces), 0, -1):
        name = "_".join(pieces[:count]).lower().rstrip("-")
        for attribute, names in TOOLS.items():
            if name in names and _meant(name, attribute, text, chosen=chosen):
                return attribute, at + len(" ".join(pieces[:count]).rstrip("-"))
    return None


def is_tool(text: str) -> bool:
    """Whether a name is that of a tool and so no place: one moves to Python and to Rome."""
    return any(text.lower().replace(" ", "_") in names for names in TOOLS.values()) or (
        text.lower().split()[0] in _PLATFORMS
    )


_PLATFORMS = listed("""
    kubernetes docker postgres postgresql mysql sqlite mongodb redis aws gcp azure github gitlab
    bitbucket react vue svelte angular next.js django flask fastapi node node.js bun deno terraform
    ansible jira notion obsidian slack discord figma linear git svn mercurial wayland gnome kde
    android ios iphone spotify netflix gmail outlook chatgpt claude gemini llama
    """)


def _meant(name: str, attribute: str, text: str, *, chosen: bool) -> bool:
    if attribute in _CHOSEN_ONLY and not chosen:
        return False
    if name not in _AMBIGUOUS or _KIND[attribute].search(text):
        return True
    others = TOOLS[attribute] - _AMBIGUOUS
    return any(
        re.search(rf"\b{re.escape(other.replace('_', ' '))}\b", text, re.I) for other in others
    )
