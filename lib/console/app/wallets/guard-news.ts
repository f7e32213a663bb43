import type { ServerMessage } from "trading-terminal-client";
import { day } from "../format.ts";

/** A guard of the user's wallets that has become looser or soon will. */
export type GuardNews = {
  of: "export" | "lock" | "policy";
  /** Id of the announcement. It stays the same when the service repeats the announcement. */
  id: string;
  walletId?: string;
  /** Time at which the change takes effect. Absent if it already has. */
  at?: string | undefined;
  version?: number;
  /** True if the guard is tight again. */
  isOver?: boolean;
};

/** Updates the news with a message, which replaces older news about the same guard. */
export function withGuardNews(news: readonly GuardNews[], message: ServerMessage): readonly GuardNews[] {
  switch (message.type) {
    case "WalletExportRequested": {
      const { walletId, availableAt: at, thumbprint, version } = message.data;
      const id = `export ${walletId} ${thumbprint} ${at}`;
      return withNewest(news, { of: "export", id, walletId, at, version });
    }
    case "WalletPolicyUpdated": {
      const { walletId, pending, change, version } = message.data;
      const at = pending?.effectiveAt;
      const isOver = at === undefined && change !== "loosened";
      return withNewest(news, {
        of: "policy",
        id: `policy ${walletId} ${version}`,
        walletId,
        at,
        version,
        isOver,
      });
    }
    case "ExportLockUpdated": {
      const { status, lockedAt, unlocksAt: at } = message.data;
      const id = `lock ${status} ${at ?? lockedAt ?? message.time}`;
      // Locking cancels all exports.
      const others = status === "unlocked" ? news : news.filter(({ of }) => of !== "export");
      return withNewest(others, { of: "lock", id, at, isOver: status === "locked" });
    }
    default:
      return news;
  }
}

/** Adds news, unless it is repeated or late. */
function withNewest(news: readonly GuardNews[], newest: GuardNews): readonly GuardNews[] {
  const isSame = ({ of, walletId }: GuardNews) => of === newest.of && walletId === newest.walletId;
  const known = news.find(isSame);
  const isOld = (known?.version ?? 0) > (newest.version ?? 0);
  return known?.id === newest.id || isOld ? news : [...news.filter((each) => !isSame(each)), newest];
}

/** Describes the change, when it applies and how to undo it. */
export function guardText({ of, at }: GuardNews, wallet: string): { what: string; stop: string } {
  const time = at && day(at);
  switch (of) {
    case "export":
      return {
        what: `An export of the private key of ${wallet} was requested. Unless it is cancelled, the key can be read from ${time}.`,
        stop: "Not you? Open the wallet, cancel the export, and lock your exports.",
      };
    case "lock":
      return {
        what: time
          ? `Unlocking of exports was requested. They unlock at ${time}.`
          : "Exports are no longer locked.",
        stop: "Not you? Lock them again, under the wallets.",
      };
    case "policy":
      return {
        what: time
          ? `Looser limits for ${wallet} were requested. They apply from ${time}.`
          : `Looser limits for ${wallet} are in force.`,
        stop: "Not you? Open the wallet and turn off its trading, which applies at once.",
      };
  }
}
