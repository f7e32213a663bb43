import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { StreamStatus } from "trading-terminal-client";
import type { Profile } from "./desk.ts";
import { LevelBar } from "./level.tsx";
import { useLinks } from "./links.ts";
import { browserStore } from "./stores.ts";

const statusTexts: Record<StreamStatus["status"], string> = {
  connecting: "Connecting",
  syncing: "Reading",
  live: "Live",
  waiting: "Reconnecting",
  closed: "Closed",
};

type Theme = "light" | "dark";

const themeName = "theme";

/** Shows the theme that somebody chose in this browser. */
export function showChosenTheme(): void {
  document.documentElement.style.colorScheme = browserStore.get(themeName) ?? "";
}

/** Returns the theme chosen on this page, or else the system's. */
function currentTheme(): Theme {
  const chosen = document.documentElement.style.colorScheme;
  if (chosen === "dark" || chosen === "light") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Says what is known of the connection. An open one that has brought nothing for seconds is not live. */
function ConnectionStatus({ status, isStale }: Pick<TopBarProps, "status" | "isStale">) {
  const isSilent = isStale && status.status === "live";
  return (
    <output class={`status ${isSilent ? "waiting" : status.status}`} aria-label="Connection">
      {isSilent ? "No answer" : statusTexts[status.status]}
    </output>
  );
}

type TopBarProps = {
  status: StreamStatus;
  /** True if nothing has arrived for some seconds. */
  isStale: boolean;
  profile: Profile | undefined;
  children: ComponentChildren;
};

/** @param props.children The buttons at its end, which a phone has under More. */
export function TopBar({ status, isStale, profile, children }: TopBarProps) {
  return (
    <header class="top-bar">
      <h1>
        <span class="mark" aria-hidden="true" />
        Terminal
      </h1>
      <ConnectionStatus status={status} isStale={isStale} />
      {profile && (
        <p class="user">
          <strong>{profile.username}</strong>
          <span class="badge">{profile.tier} tier</span>
          <span class="quiet">
            level {profile.Level} <LevelBar {...profile} />
          </span>
        </p>
      )}
      <nav aria-label="Page">{children}</nav>
    </header>
  );
}

type CommandsProps = {
  /** True in a list, which has room for whole words. */
  isMenu?: boolean;
  onHelp: () => void;
  onSignOut: () => void;
};

/** Commands for the whole page. */
export function Commands({ isMenu = false, onHelp, onSignOut }: CommandsProps) {
  const { docs } = useLinks();
  const [shown, setShown] = useState(currentTheme);
  function switchTheme() {
    const next = shown === "dark" ? "light" : "dark";
    document.documentElement.style.colorScheme = next;
    setShown(next);
    // Notifies the chart, which draws its own colours.
    dispatchEvent(new Event("themechange"));
    browserStore.set(themeName, next);
  }
  return (
    <>
      {docs !== undefined && <a href={docs}>Docs</a>}
      <button type="button" class="plain keys" aria-label="Keyboard shortcuts" onClick={onHelp}>
        {isMenu ? "Keyboard shortcuts" : "?"}
      </button>
      <button type="button" class="plain" onClick={switchTheme}>
        {shown === "dark" ? "Light" : "Dark"}
        {isMenu && " theme"}
      </button>
      <button type="button" class="plain" onClick={onSignOut}>
        Sign out
      </button>
    </>
  );
}
