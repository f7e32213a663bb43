import { useEffect, useState } from "preact/hooks";
import type { Profile, StreamStatus, TerminalState } from "trading-terminal-client";
import { type Desk, DeskContext } from "./desk.ts";
import { Executions } from "./executions.tsx";
import { readLocalChains } from "./explorers.ts";
import { type LogEntry, newEntry, withNewest } from "./log-entries.ts";
import { MessageLog } from "./message-log.tsx";
import { Prices } from "./prices.tsx";
import { Rewards } from "./rewards.tsx";
import type { Session } from "./session.ts";
import { SettingsPanel } from "./settings-panel.tsx";
import { TopBar } from "./top-bar.tsx";
import { Trade } from "./trade.tsx";
import { Wallets } from "./wallets.tsx";

const nothing: TerminalState = { orders: [], positions: [], prices: {}, settings: {}, wallets: [] };
const channels = ["orders", "positions", "prices", "settings", "wallets"] as const;
const noticeMs = 6000;

type Notice = { id: number; text: string; kind: "good" | "bad" };
let lastNotice = 0;

export function Workspace({ session, onSignOut }: { session: Session; onSignOut: () => void }) {
  const [state, setState] = useState<TerminalState>();
  const [status, setStatus] = useState<StreamStatus>({ status: "connecting" });
  const [profile, setProfile] = useState<Profile>();
  const [problem, setProblem] = useState("");
  const [tries, setTries] = useState(0);
  const [log, setLog] = useState<LogEntry[]>([]);
  const [redemptionChanges, setRedemptionChanges] = useState(0);
  const [orderWarnings, setOrderWarnings] = useState<Desk["orderWarnings"]>(new Map());
  const [localChains, setLocalChains] = useState<Desk["localChains"]>();
  const [notices, setNotices] = useState<Notice[]>([]);
  const { terminal, onSend } = session;

  useEffect(() => {
    const add = (entry: LogEntry) => setLog((entries) => withNewest(entries, entry));
    onSend.current = (text) => add(newEntry("sent", JSON.parse(text)));
    const stream = terminal.follow({
      channels,
      onState: setState,
      onStatus: setStatus,
      onMessage(message) {
        add(newEntry("received", message));
        if (message.type === "RewardRedeemed") setRedemptionChanges((count) => count + 1);
      },
    });
    return () => stream.close();
  }, [terminal, onSend]);

  useEffect(() => {
    const reading = new AbortController();
    const { signal } = reading;
    setProblem("");
    void terminal.getUserData({ signal }).then(({ data, error }) => {
      if (signal.aborted) return;
      if (data) setProfile(data);
      else setProblem(error ? `${error.code}: ${error.message}` : "This user does not exist");
    });
    return () => reading.abort();
  }, [terminal, tries]);

  useEffect(() => void readLocalChains().then(setLocalChains), []);

  function notify(text: string, kind: Notice["kind"] = "good") {
    const notice = { id: ++lastNotice, text, kind };
    setNotices((shown) => [...shown, notice].slice(-3));
    setTimeout(() => setNotices((shown) => shown.filter(({ id }) => id !== notice.id)), noticeMs);
  }

  const noteOrder: Desk["noteOrder"] = ({ order, warnings }) =>
    setOrderWarnings((noted) => new Map(noted).set(order.orderId, warnings));

  const desk: Desk | undefined = profile && {
    ...{ terminal, profile, redemptionChanges, localChains, notify, orderWarnings, noteOrder },
    state: state ?? nothing,
  };
  return (
    <>
      <a class="skip" href="#desk">
        Skip to the desk
      </a>
      <TopBar status={status} profile={profile} onSignOut={onSignOut} />
      {problem && (
        <p class="notice bad" role="alert">
          {problem}{" "}
          <button type="button" class="plain" onClick={() => setTries(tries + 1)}>
            Try again
          </button>
        </p>
      )}
      {desk && (
        <DeskContext.Provider value={desk}>
          <main id="desk" class="desk" tabIndex={-1} aria-busy={state === undefined}>
            <div class="column centre">
              <Prices />
              <Executions />
            </div>
            <div class="column right">
              <Trade />
            </div>
            <div class="column left">
              <Wallets />
              <SettingsPanel />
            </div>
            <div class="column bottom">
              <Rewards />
              <MessageLog entries={log} />
            </div>
          </main>
        </DeskContext.Provider>
      )}
      <footer class="quiet">
        Charts by{" "}
        <a href="https://www.tradingview.com/" rel="noopener noreferrer" target="_blank">
          TradingView
        </a>
      </footer>
      <div class="notices" role="status" aria-live="polite">
        {notices.map(({ id, text, kind }) => (
          <p key={id} class={kind}>
            {text}
          </p>
        ))}
      </div>
    </>
  );
}
