import { useState } from "preact/hooks";
import type { ExportLock as Lock } from "trading-terminal-client";
import { useCall, useDesk, useReading } from "../desk.ts";
import { day } from "../format.ts";

/** Locks the exports of all wallets. Users should do this first when somebody else may have their session. */
export function ExportLock() {
  const { terminal, notify, guardNews } = useDesk();
  const { call, isBusy } = useCall();
  const [lock, setLock] = useState<Lock>();
  const show = (answer: { lock: Lock } | undefined) => answer && setLock(answer.lock);

  // The lock is missing if the deployment has no exports.
  const news = guardNews.find(({ of }) => of === "lock")?.id;
  useReading(() => void terminal.getExportLock().then(({ data }) => show(data)), [news]);

  if (lock === undefined) return null;
  async function change() {
    // Locking again cancels a pending unlocking.
    const ask = lock?.status === "locked" ? terminal.unlockExports : terminal.lockExports;
    const answer = await call(() => ask());
    show(answer);
    if (answer)
      notify(answer.lock.status === "locked" ? "Exports are locked" : "The lock opens after the delay");
  }
  return (
    <p class="lock">
      <span>
        Exports are {lock.status}
        {"unlocksAt" in lock && lock.unlocksAt ? `, and unlock at ${day(lock.unlocksAt)}` : ""}
      </span>
      <button type="button" disabled={isBusy} onClick={change}>
        {lock.status === "locked" ? "Unlock" : "Lock exports"}
      </button>
    </p>
  );
}
