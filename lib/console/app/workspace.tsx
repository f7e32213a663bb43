import { useEffect, useRef, useState } from "preact/hooks";
import type { FollowedToken, Stream, StreamStatus, TerminalState } from "trading-terminal-client";
import { isSameToken } from "trading-terminal-client/markets";
import { Panel } from "./controls.tsx";
import { type Desk, DeskContext, type Profile, type TicketChange, type TicketEntry } from "./desk.ts";
import { Discovery } from "./discovery.tsx";
import { useKeptFocus } from "./keep-focus.ts";
import { Help, useShortcuts } from "./keyboard.tsx";
import { useLevelNews } from "./level.tsx";
import { ChartCredit, type List, Lists, type Tab, Tabs } from "./lists.tsx";
import { type LogEntry, newEntry, withNewest } from "./log-entries.ts";
import { MarketPanel } from "./market/market-panel.tsx";
import { shownTokens } from "./market/markets.ts";
import { makeOrderNews, sameTrade } from "./market/order-news.ts";
import { MessageLog } from "./message-log.tsx";
import { NewBuildBanner } from "./new-build-banner.tsx";
import { Notices, useNotices } from "./notices.tsx";
import { placeIn } from "./place.ts";
import { Prices, usePriceHistory } from "./prices.tsx";
import { Rewards } from "./rewards.tsx";
import type { Session } from "./session.ts";
import { type Drafts, SettingsPanel } from "./settings-panel.tsx";
import {
  LoadedDevices,
  LoadedLeaderboard,
  LoadedPortfolio,
  LoadedProgramKeys,
  type Side,
  SideButtons,
  SidePanel,
} from "./side-panels.tsx";
import { SignInAgain } from "./sign-in/sign-in.tsx";
import { StaleBanner } from "./stale-banner.tsx";
import { freshSide } from "./ticket/fresh.ts";
import { usePlacing } from "./ticket/placing.ts";
import { Ticket } from "./ticket/ticket.tsx";
import { Commands, TopBar } from "./top-bar.tsx";
import { usePlace } from "./use-place.ts";
import { type GuardNews, withGuardNews } from "./wallets/guard-news.ts";
import { GuardNotices } from "./wallets/guard-notices.tsx";
import { Wallets } from "./wallets/wallets.tsx";
import { offeredTo, type WatchedToken } from "./watched.ts";
import { useWatched, Watchlist } from "./watchlist.tsx";

const channels = ["orders", "positions", "prices", "settings", "wallets"] as const;

/** Age in milliseconds at which data counts as old. */
const staleMs = 5000;

/** Milliseconds without a message before the page sends a ping. */
const quietMs = 2000;

/** Starts with what the page's address names. */
function firstTicket(): TicketEntry {
  const { chain, token } = placeIn(location.search);
  return { chain, token, wallet: "", ...freshSide("buy") };
}

/** Follows all of the user's data. A new attempt connects again at once. */
function useStream({ terminal, onSend }: Session, attempt: number, onAccount: () => void) {
  const [stream, setStream] = useState<Stream>();
  const [state, setState] = useState<TerminalState>();
  const [status, setStatus] = useState<StreamStatus>({ status: "connecting" });
  const [heardMs, setHeard] = useState(Date.now);
  const [log, setLog] = useState<LogEntry[]>([]);
  const [guardNews, setGuardNews] = useState<readonly GuardNews[]>([]);

  useEffect(() => {
    const add = (entry: LogEntry) => setLog((entries) => withNewest(entries, entry));
    // Starts without news, because the service repeats all announcements that are still valid.
    setGuardNews([]);
    onSend.current = (text) => add(newEntry("sent", JSON.parse(text)));
    const opened = terminal.follow({
      channels,
      quietMs,
      onState: setState,
      onStatus: setStatus,
      onMessage(message) {
        setHeard(Date.now());
        add(newEntry("received", message));
        setGuardNews((news) => withGuardNews(news, message));
        if (message.type === "RewardRedeemed" || message.type === "ProfileUpdated") onAccount();
      },
    });
    setStream(opened);
    return () => opened.close();
  }, [terminal, onSend, attempt]);

  return { stream, state, status, heardMs, log, guardNews };
}

/** Follows the markets of the tokens on the page. The chart adds its token itself, but this hook removes that token. */
function useTokens(stream: Stream | undefined, tokens: readonly FollowedToken[]) {
  const followed = useRef<{ stream: Stream | undefined; tokens: readonly FollowedToken[] }>(undefined);
  const wanted = JSON.stringify(tokens);
  useEffect(() => {
    const next = JSON.parse(wanted) as FollowedToken[];
    const before = followed.current?.stream === stream ? (followed.current?.tokens ?? []) : [];
    const without = (all: readonly FollowedToken[], some: readonly FollowedToken[]) =>
      all.filter((each) => !some.some((other) => isSameToken(other, each) && other.candles === each.candles));
    const gone = before.filter((each) => !next.some((other) => isSameToken(other, each)));
    const added = without(next, before).filter(({ candles }) => candles === undefined);
    // Names only the tokens: the service refuses what a followed token says of candles.
    if (gone.length > 0) stream?.removeTokens(gone.map(({ chain, token }) => ({ chain, token })));
    if (added.length > 0) stream?.addTokens(added);
    followed.current = { stream, tokens: next };
  }, [stream, wanted]);
}

/** True if nothing has arrived for a few seconds, even if the connection seems open. */
function useStale(heardMs: number): boolean {
  const [isStale, setStale] = useState(false);
  useEffect(() => {
    setStale(Date.now() - heardMs > staleMs);
    const timer = setTimeout(setStale, heardMs + staleMs - Date.now(), true);
    return () => clearTimeout(timer);
  }, [heardMs]);
  return isStale;
}

type WorkspaceProps = {
  session: Session;
  onSignOut: () => void;
  /** Called after the user has signed in again. The new session makes all panels read again. */
  onSignIn: () => void;
};

export function Workspace({ session, onSignOut, onSignIn }: WorkspaceProps) {
  const [attempt, setAttempt] = useState(0);
  const [accountChanges, setAccountChanges] = useState(0);
  const { stream, state, status, heardMs, log, guardNews } = useStream(session, attempt, () =>
    setAccountChanges((count) => count + 1),
  );
  const isStale = useStale(heardMs);
  const isOffline = isStale && status.status !== "live";
  const [read, setRead] = useState<{ by: Session["terminal"]; profile: Profile }>();
  const profile = read?.profile;
  const [problem, setProblem] = useState("");
  /** Reason for a new sign-in, which may be empty. Undefined while none is needed. */
  const [expired, setExpired] = useState<string>();
  const [orderWarnings, setOrderWarnings] = useState<Desk["orderWarnings"]>(new Map());
  const [ticket, setTicket] = useState(firstTicket);
  const [balances, setBalances] = useState<Desk["balances"]>();
  const [tab, setTab] = useState<Tab>("trade");
  const [list, setList] = useState<List>("positions");
  const [side, setSide] = useState<Side>();
  const [drafts, setDrafts] = useState<Drafts>({});
  const history = usePriceHistory(state?.prices);
  const watched = useWatched(profile?.userID);
  const [listed, setListed] = useState<readonly WatchedToken[]>([]);
  const offered = offeredTo(watched.tokens, listed);
  const { positions = [], orders = [] } = state ?? {};
  useTokens(stream, shownTokens(ticket, positions, orders, [...watched.tokens, ...offered]));
  const { notices, notify, dismiss } = useNotices();
  const { terminal } = session;
  const [orderNews] = useState(makeOrderNews);
  useLevelNews(profile?.Level, notify);

  useEffect(() => {
    for (const { order, text, kind } of state ? orderNews(state.orders) : []) {
      const again = kind === "bad" ? sameTrade(order) : undefined;
      const remedy = again && { text: "Try again", onPick: () => openTicket(again) };
      notify(text, kind, { about: order.clientOrderId, remedy });
    }
  }, [state?.orders]);

  useEffect(() => {
    session.onExpired.current = (reason = "") => setExpired(reason);
    return () => {
      session.onExpired.current = () => {};
    };
  }, [session]);

  useEffect(() => {
    const reading = new AbortController();
    const { signal } = reading;
    setProblem("");
    void terminal.getUserData({ signal }).then(({ data, error }) => {
      if (signal.aborted) return;
      if (data && "tier" in data) setRead({ by: terminal, profile: data });
      else if (error?.status !== 401) setProblem(error ? error.message : "This user does not exist");
    });
    return () => reading.abort();
  }, [terminal, attempt, accountChanges]);

  function fillTicket(change: TicketChange) {
    setTicket((before) => ({ ...before, ...(typeof change === "function" ? change(before) : change) }));
  }
  const { interval, pickInterval } = usePlace({ ticket, fillTicket, notify });
  function openTicket(change: Partial<TicketEntry>) {
    fillTicket(change);
    setTab("trade");
    setSide(undefined);
  }
  function pickTab(next: Tab) {
    if (next === "wallets" || next === "more") return setSide(next);
    if (next !== "trade") setList(next);
    setTab(next);
    scrollTo(0, 0);
  }
  function pickList(next: List) {
    setList(next);
    setTab((before) => (before === "trade" ? before : next === "positions" ? next : "orders"));
  }
  const help = useShortcuts({
    onSide: (side) => openTicket(side === ticket.side ? {} : freshSide(side)),
    onFind: () => setTab("trade"),
  });

  useKeptFocus();
  const desktop = useRef<HTMLElement>(null);
  const isReady = profile !== undefined;
  // The form of the sign-in, which had the focus, is gone.
  useEffect(() => {
    if (document.activeElement === document.body) desktop.current?.focus({ preventScroll: true });
  }, [isReady]);

  const placing = usePlacing({
    session,
    userID: read?.by === terminal ? read.profile.userID : undefined,
    orders: state?.orders,
    notify,
    onPlaced: ({ order, warnings }) =>
      setOrderWarnings((noted) => new Map(noted).set(order.orderId, warnings)),
  });
  const retry = () => setAttempt((count) => count + 1);

  const desk: Desk | undefined = profile && {
    terminal,
    stream,
    profile,
    watched,
    offered,
    setListed,
    accountChanges,
    guardNews,
    notify,
    orderWarnings,
    placing,
    balances,
    setBalances,
    state,
    isStale,
    isOffline,
    ticket,
    fillTicket,
    openTicket,
    openDiscovery: () => setSide("discovery"),
    openNotices: () => setSide("notices"),
    makeWallet: () => setSide("newWallet"),
    interval,
    pickInterval,
  };
  return (
    <>
      <a class="skip" href="#desk">
        Skip to the desk
      </a>
      <TopBar status={status} isStale={isStale} profile={profile}>
        <SideButtons onOpen={setSide} />
        <Commands onHelp={help.open} onSignOut={onSignOut} />
      </TopBar>
      <StaleBanner status={status} heardMs={heardMs} isShown={isStale} onRetry={retry} />
      <NewBuildBanner placing={placing} />
      {problem && (
        <p class="notice bad" role="alert">
          {problem}{" "}
          <button type="button" class="plain" onClick={retry}>
            Try again
          </button>
        </p>
      )}
      {desk && (
        <DeskContext.Provider value={desk}>
          {side === undefined && <GuardNotices />}
          <main
            ref={desktop}
            id="desk"
            class="desk"
            data-tab={tab}
            data-unsaved={Object.values(drafts).some(Boolean) || undefined}
            tabIndex={-1}
            aria-busy={state === undefined}
          >
            <Watchlist />
            <MarketPanel />
            <Ticket />
            <Lists list={list} onPick={pickList} />
          </main>
          <Tabs tab={tab} onPick={pickTab} />
          {side && (
            <SidePanel key={side} side={side} onClose={() => setSide(undefined)}>
              <GuardNotices />
              {side === "portfolio" && <LoadedPortfolio />}
              {side === "discovery" && <Discovery onOpened={() => setSide(undefined)} />}
              {side === "wallets" && <Wallets />}
              {side === "newWallet" && <Wallets newOn={ticket.chain} />}
              {side === "settings" && <SettingsPanel drafts={drafts} setDrafts={setDrafts} />}
              {side === "rewards" && (
                <>
                  <Rewards />
                  <LoadedLeaderboard />
                </>
              )}
              {side === "notices" && <LoadedDevices />}
              {side === "programs" && <LoadedProgramKeys />}
              {side === "prices" && <Prices history={history} />}
              {side === "messages" && <MessageLog entries={log} />}
              {side === "more" && (
                <Panel title="More" area="pages">
                  <nav class="menu" aria-label="More">
                    <SideButtons onOpen={setSide} />
                    <Commands isMenu onHelp={help.open} onSignOut={onSignOut} />
                  </nav>
                  <ChartCredit />
                </Panel>
              )}
            </SidePanel>
          )}
        </DeskContext.Provider>
      )}
      <Help {...help} />
      {expired !== undefined && (
        <SignInAgain
          account={session.account}
          problem={expired}
          user={profile?.username ?? ""}
          onSignedIn={() => {
            setExpired(undefined);
            onSignIn();
          }}
        />
      )}
      <Notices notices={notices} onDismiss={dismiss} />
    </>
  );
}
