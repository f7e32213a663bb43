import type { ServerMessage } from "trading-terminal-client";
import { day } from "../format.ts";

/** A guard of the user's wallets that has become looser, or will. */
export type GuardNews = {
  of: "export" | "lock" | "policy";
  /** Stays the same when the service repeats an announcement. */
  id: string;
  walletId?: string;
  /** The time at which it takes effect. Absent if it has. */
  at?: string | undefined;
  version?: number;
  /** True if the guard is tight again. */
  isOver?: boolean;
};

/** Replaces older news about the same guard by the news of a message. */
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
      // A lock cancels all exports.
      const others = status === "unlocked" ? news : news.filter(({ of }) => of !== "export");
      return withNewest(others, { of: "lock", id, at, isOver: status === "locked" });
    }
    default:
      return news;
  }
}

/** Messages may come twice or late. */
function withNewest(news: readonly GuardNews[], newest: GuardNews): readonly GuardNews[] {
  const isSame = ({ of, walletId }: GuardNews) => of === newest.of && walletId === newest.walletId;
  const known = news.find(isSame);
  const isOld = (known?.version ?? 0) > (newest.version ?? 0);
  return known?.id === newest.id || isOld ? news : [...news.filter((each) => !isSame(each)), newest];
}

/** Describes the change and its time in words, and how to undo it. */
export function guardText({ of, at }: GuardNews, wallet: string): { what: string; stop: string } {
  const time = at && day(at);
  switch (of) {
    case "export":
      return {
        what: `The private key of ${wallet} was asked for. Unless that is cancelled, it can be read from ${time} on.`,
        stop: "Was it not you? Open the wallet, cancel the export, and lock your exports.",
      };
    case "lock":
      return {
        what: time
          ? `The unlocking of exports was asked for. They unlock at ${time}.`
          : "Exports are not locked any more.",
        stop: "Was it not you? Lock them again, under the wallets.",
      };
    case "policy":
      return {
        what: time
          ? `Looser limits of ${wallet} were asked for. They apply from ${time} on.`
          : `Looser limits of ${wallet} are in force.`,
        stop: "Was it not you? Open the wallet and switch off that it may trade: that applies at once.",
      };
  }
}
