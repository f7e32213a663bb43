import { useState } from "preact/hooks";
import type { RestData } from "trading-terminal-client";
import { Choice, Field, Form, Panel, Unread } from "./controls.tsx";
import { useCall, useDesk, useReading } from "./desk.ts";
import { amount } from "./format.ts";

type Standings = RestData<"getLeaderboard">;

const periods = [
  ["daily", "Today"],
  ["weekly", "This week"],
  ["monthly", "This month"],
] as const satisfies readonly (readonly [Standings["window"], string])[];

/** Compares ranked users who have chosen a public name, and lets the user choose one. */
export function Leaderboard() {
  const { terminal, accountChanges } = useDesk();
  const [period, setPeriod] = useState<Standings["window"]>("weekly");
  const [read, setRead] = useState<Standings | "unread">();
  const [reads, setReads] = useState(0);
  const again = () => setReads((count) => count + 1);
  useReading(
    (signal) =>
      void terminal.getLeaderboard({ query: { window: period }, signal }).then(({ data }) => {
        if (!signal.aborted) setRead(data ?? "unread");
      }),
    [period, accountChanges, reads],
  );
  return (
    <Panel title="Leaderboard" area="leaderboard">
      <Choice label="Period" name="leaderboard" value={period} options={periods} onPick={setPeriod} />
      {read === undefined && <p class="empty">Reading the leaderboard …</p>}
      {read === "unread" && <Unread what="leaderboard" onRetry={again} />}
      {typeof read === "object" && <Entries entries={read.entries} />}
      {typeof read === "object" && <PublicName chosen={read.publicName} onChanged={again} />}
    </Panel>
  );
}

export const Entries = ({ entries }: Pick<Standings, "entries">) =>
  entries.length === 0 ? (
    <p class="empty">Nobody is listed yet.</p>
  ) : (
    <ol class="rows standings" aria-label="Ranked users">
      {entries.map(({ rank, publicName, xp, Level, isYou }, index) => (
        <li key={index} class={isYou && "you"}>
          <span class="quiet">{rank}.</span>
          <span>
            <strong>
              <bdi>{publicName}</bdi>
            </strong>{" "}
            {isYou && <span class="badge good">you</span>} <span class="quiet">level {Level}</span>
          </span>
          <span>{amount(`${xp}`, 15)} XP</span>
        </li>
      ))}
    </ol>
  );

/** Lets the user choose a public name, or take it back. */
function PublicName({ chosen, onChanged }: { chosen: string | null; onChanged: () => void }) {
  const { terminal, profile, notify } = useDesk();
  const { call, isBusy } = useCall();
  const [name, setName] = useState("");
  async function choose(publicName: string | null) {
    const data = await call(() => terminal.updateProfile({ body: { publicName } }));
    if (data === undefined) return;
    setName("");
    notify(publicName === null ? "Others no longer see your name" : `Others see you as ${publicName}`);
    onChanged();
  }
  return (
    <>
      {chosen !== null && (
        <p>
          Others see you as <bdi>{chosen}</bdi>.{" "}
          <button type="button" class="plain" disabled={isBusy} onClick={() => choose(null)}>
            Take my name back
          </button>
        </p>
      )}
      {chosen === null && (
        <Form label="Your name" onSubmit={() => choose(name.trim())}>
          <Field label="Public name" hint="others see it, with your level and XP">
            <input
              required
              // Counts an emoji twice.
              maxLength={64}
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          </Field>
          <button type="submit" disabled={isBusy}>
            List me
          </button>
        </Form>
      )}
      {!profile.Ranked && (
        <p class="quiet">You are not ranked yet. Trade on more days, and reach a higher level.</p>
      )}
    </>
  );
}
