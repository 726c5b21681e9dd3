// Light or dark: as the system prefers, until the user chooses.

export function firstTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.documentElement.dataset.theme = remembered() ?? system;
}

export function toggleTheme() {
  const name = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = name;
  try { localStorage.setItem("theme", name); } catch { /* a page in a file may have no storage */ }
}

function remembered() {
  try { return localStorage.getItem("theme"); } catch { return null; }
}
